// SPDX-License-Identifier: MIT
// Face against face: clips the incident polygon to the sides of the reference face and makes contacts of what
// is left. Internal to the narrowphase.
#pragma once

#include "physics/narrowphase/generators.h"

namespace proxima::physics::detail {

/// A convex polygon gains at most one vertex per clipping plane.
inline constexpr int kMaxClipVertices = 2 * kMaxHullVertices + 2;

struct ClipVertex {
    Vec3 position;
    uint32_t id = 0;    // low 22 bits of a feature
    uint32_t edge = 0;  // what the edge to the next vertex lies on: an incident edge, or kOnSide + a side
};
inline constexpr uint32_t kOnSide = 1u << 16;

/// Keeps the part with dot(outward, x) <= limit. Returns the new count; `out` must not be `in`.
int clip_by_side(const ClipVertex* in, int count, ClipVertex* out, const Vec3& outward, float limit,
                 uint32_t side);

/// The reference face and the frame that everything is given in.
struct ReferenceFace {
    Vec3 normal;
    float offset = 0.0f;
    uint32_t index = 0;
    bool on_b = false;
    Mat3 rotation{1.0f};  // from the common frame to the world
    Vec3 position{0.0f, 0.0f, 0.0f};
};

/// Makes contacts of the clipped polygon's vertices that are nearer than `margin`, four at most. Vertices
/// nearer to each other than `merge` count once.
bool add_patch(const ClipVertex* polygon, int count, const ReferenceFace& reference, float merge,
               float margin, RawManifold& out);

/// One contact between the nearest points of the outlines of two faces that do not lie above each other:
/// corner past corner, edge past edge. `separation` is that along the reference normal; where it is positive,
/// the true distance and its direction replace it, and there is no contact beyond `margin`.
bool add_closest(const Vec3* reference_loop, int reference_count, const Vec3* incident_loop,
                 int incident_count, const ReferenceFace& reference, float separation, float margin,
                 RawManifold& out);

}  // namespace proxima::physics::detail
