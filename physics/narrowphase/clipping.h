// SPDX-License-Identifier: MIT
// Face against face: clips the incident polygon to the sides of the reference face and makes contacts of what
// is left. Internal to the narrowphase.
#pragma once

#include "physics/narrowphase/generators.h"

namespace proxima::physics::detail {

/// A convex polygon gains at most one vertex per clipping plane.
inline constexpr int kMaxClipVertices = 2 * kMaxHullVertices + 2;

struct ClipVertex {  // without defaults: buffers of hundreds, of which a few are used
    Vec3 position;
    uint32_t id;    // low 22 bits of a feature
    uint32_t edge;  // what the edge to the next vertex lies on: an incident edge, or kOnSide + a side
};
inline constexpr uint32_t kOnSide = 1u << 16;

/// Keeps the part with dot(outward, x) <= limit. Returns the new count; when something was cut off, the
/// result is made in `spare`, and the two change places. A polygon that rounding has made non-convex, or that
/// is not finite, may cross a side more than twice: what exceeds `capacity` is dropped.
int clip_by_side(ClipVertex*& polygon, int count, ClipVertex*& spare, int capacity, const Vec3& outward, float limit,
                 uint32_t side);

/// The same with the heights of the vertices above the side given.
int clip_at_heights(ClipVertex*& polygon, int count, ClipVertex*& spare, int capacity, const float* heights,
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
bool add_patch(const ClipVertex* polygon, int count, const ReferenceFace& reference, float merge, float margin,
               RawManifold& out);

/// One contact between the nearest points of the outlines of two faces that do not lie above each other:
/// corner past corner, edge past edge. `separation` is that along the reference normal; where it is positive,
/// the true distance and its direction replace it, and there is no contact beyond `margin`.
bool add_closest(const Vec3* reference_loop, int reference_count, const Vec3* incident_loop, int incident_count,
                 const ReferenceFace& reference, float separation, float margin, RawManifold& out);

/// Corrects a contact made by add_closest whose direction does not separate the shapes as far as it says: nearest
/// were other features after all. The reference face and its separation are then the best that is known.
void check_closest(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b,
                   const ReferenceFace& reference, float separation, float slop, RawManifold& out);

/// Among the faces around the support vertex, the one that looks most against `normal`. A face elsewhere may
/// look more so and still miss the deepest point.
const Polytope::Face& incident_face(const Polytope& p, const Vec3& normal, int support);

/// The separation of the deepest point.
inline float min_separation(const RawManifold& m) {
    float least = m.points[0].separation;
    for (int i = 1; i < m.count; ++i) least = std::min(least, m.points[i].separation);
    return least;
}

/// The contacts of a pair whose best axis is a face, with separation `face_s`. Almost always the clipped patch. Where
/// clipping took away what is deepest or nearest, either an edge pair lost by the bias only, or corners pass each
/// other: then the edges, if they really face each other, else the nearest points of the outlines.
template <class Patch, class Edges, class Closest>
bool add_face_axis_contacts(float face_s, float slop, Patch patch, Edges edges, Closest closest, RawManifold& out) {
    if (patch() && min_separation(out) <= face_s + 2.0f * slop) return true;
    const RawManifold poor = out;
    out.count = 0;
    if (edges()) return true;
    if (closest() && (poor.count == 0 || min_separation(out) < min_separation(poor))) return true;
    out = poor;
    return out.count > 0;
}

}  // namespace proxima::physics::detail
