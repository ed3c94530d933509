// SPDX-License-Identifier: MIT
// The searches of SAT between two polytopes, eight faces, vertices or edges at a time. Every level gives the
// same bits. Internal to the narrowphase.
#pragma once

#include "physics/shapes/shape.h"

namespace proxima::physics::detail {

inline constexpr int kMaxFaces = 2 * kMaxHullVertices - 4;
inline constexpr int kMaxEdges = 3 * kMaxHullVertices - 6;
inline constexpr int kMaxFaceSlots = (kMaxFaces + 7) / 8 * 8;
inline constexpr float kParallelSine2 = 1e-6f;  // 0.06 degrees: below, the product is rounding

/// A ball inside a polytope, seen from the centre of the other one. No axis separates the two farther than
/// the ball is above the other's surface.
struct InnerBall {
    Vec3 center{0.0f, 0.0f, 0.0f};
    float radius = 0.0f;
};

/// Which face of p is farthest from q?
struct FaceSearch {
    const float* faces = nullptr;     // blocks of p
    const float* vertices = nullptr;  // blocks of q
    int face_blocks = 0, vertex_blocks = 0;
    const float* turn = nullptr;     // 3 x 3, column major: from p's frame to q's
    Vec3 towards{0.0f, 0.0f, 0.0f};  // from p's centre to q's, in p's frame
    InnerBall ball;                  // of q, in p's frame
    float rounding = 0.0f;           // what a bound may be short of
    int first = -1;                  // a face that is probably the one; -1: none is known
};
struct FaceFound {
    int face = 0, support = 0;  // the face of p, the vertex of q deepest below it
    float separation = -1e30f;
};

/// Which pair of edges is farthest apart?
struct EdgeSearch {
    const float* edges_a = nullptr;  // blocks
    const float* edges_b = nullptr;
    int blocks_a = 0, blocks_b = 0;
    const float* records_a = nullptr;  // the same, edge by edge
    const float* records_b = nullptr;
    const float* turn = nullptr;     // 3 x 3, column major: from B's frame to A's
    Vec3 towards{0.0f, 0.0f, 0.0f};  // from A's centre to B's, in A's frame
    InnerBall ball_a, ball_b;        // ball_a as B sees it, ball_b as A sees it; radii less rounding
    float least = 0.0f;              // nothing below is wanted
};
struct EdgesFound {
    int a = -1, b = -1;
    float separation = -1e30f;
};

struct SatKernels {
    /// The largest separation over the faces, lowest index first.
    void (*best_face)(const FaceSearch& search, FaceFound& found);
    /// The largest separation along the product of an edge of each, over the pairs that make a face of the
    /// Minkowski sum; lowest (a, b) first.
    void (*best_edges)(const EdgeSearch& search, EdgesFound& found);
};

/// Those of the level in use.
const SatKernels& sat_kernels();

}  // namespace proxima::physics::detail
