// SPDX-License-Identifier: MIT
// What the contact generators of the single pairs of shapes share. Internal to the narrowphase.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "physics/narrowphase/collide.h"

namespace proxima::physics::detail {

/// One generator per pair of shape types; `collide` swaps the bodies where a pair is written the other way round.
using Generator = bool (*)(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b,
                           float margin, RawManifold& out, SatCache* cache);

bool collide_sphere_sphere(const Shape&, const Transform&, const Shape&, const Transform&, float, RawManifold&,
                           SatCache*);
bool collide_sphere_capsule(const Shape&, const Transform&, const Shape&, const Transform&, float, RawManifold&,
                            SatCache*);
bool collide_sphere_box(const Shape&, const Transform&, const Shape&, const Transform&, float, RawManifold&, SatCache*);
bool collide_sphere_hull(const Shape&, const Transform&, const Shape&, const Transform&, float, RawManifold&,
                         SatCache*);
bool collide_capsule_capsule(const Shape&, const Transform&, const Shape&, const Transform&, float, RawManifold&,
                             SatCache*);
bool collide_capsule_polytope(const Shape&, const Transform&, const Shape&, const Transform&, float, RawManifold&,
                              SatCache*);
bool collide_box_box(const Shape&, const Transform&, const Shape&, const Transform&, float, RawManifold&, SatCache*);
bool collide_polytopes(const Shape&, const Transform&, const Shape&, const Transform&, float, RawManifold&, SatCache*);
bool collide_half_space(const Shape&, const Transform&, const Shape&, const Transform&, float, RawManifold&, SatCache*);

/// Contacts with one face of a box or hull B only, nearer than `margin`; the face reaches `slop` beyond its sides.
bool collide_face(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, int face,
                  float slop, float margin, RawManifold& out);
bool collide_capsule_face(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, int face,
                          float slop, float margin, RawManifold& out);

// ---- manifolds into a sink

/// Two convex parts: their manifold, or else their distance.
void collide_parts(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, PartPair parts,
                   float margin, ManifoldSink& sink, SatCache* cache);
/// Two shapes of which at least one is composite: every part of either that is near enough.
void collide_composites(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
                        ManifoldSink& sink, PairCache* cache);

// ---- features
// reference face is on B; bits 22..30: its index, 511 for two edges; bits 20, 21: what made the point; below:
// ten bits each for one or two indices. Incident vertices and edges have their index in the whole shape, so a
// point keeps its id when the incident face changes from one neighbour to the next.

inline constexpr uint32_t kIncidentVertex = 0u << 20;  // a vertex of the incident face
inline constexpr uint32_t kEdgeAndSide = 1u << 20;     // an incident edge crosses a side of the reference face
inline constexpr uint32_t kTwoSides = 2u << 20;        // a corner of the reference face
inline constexpr uint32_t kTwoEdges = (511u << 22) | (3u << 20);

inline uint32_t reference_feature(bool on_b, uint32_t face) { return (on_b ? 1u << 31 : 0u) | (face << 22); }
inline uint32_t edges_feature(uint32_t edge_a, uint32_t edge_b) { return kTwoEdges | (edge_a << 10) | edge_b; }

// ---- apart

/// Relative to the sizes of both shapes: what rounding may add to a separation.
inline constexpr float kDistanceRounding = 1e-5f;

/// What rounding of poses and products may add to a distance. A half-space has no size: there the other shape
/// and its place count, which its generator has dealt with.
inline float distance_rounding(const Shape& a, const Shape& b) {
    const float size = a.type == ShapeType::half_space   ? b.bounding_radius
                       : b.type == ShapeType::half_space ? a.bounding_radius
                                                         : a.bounding_radius + b.bounding_radius;
    return kDistanceRounding * size;
}

/// No contact: the shapes are at least `distance` apart.
inline bool separated(RawManifold& out, float distance) {
    out.distance = distance;
    return false;
}

/// Whether the balls around two shapes are farther apart than `margin`; then that is the bound.
inline bool bounding_spheres_separated(const Vec3& between, const Shape& a, const Shape& b, float margin,
                                       RawManifold& out) {
    const float radii = a.bounding_radius + b.bounding_radius, reach = radii + margin;
    const float distance2 = glm::dot(between, between);
    if (!(distance2 > reach * reach)) return false;
    out.distance = std::sqrt(distance2) - radii;
    return true;
}

// ---- points

/// Appends a point. The gap at the cores is taken from the cores as rounded, so that the identity of RawPoint holds.
inline void add_point(RawManifold& out, const Vec3& point, const Vec3& core_a, const Vec3& core_b, float separation,
                      uint32_t feature) {
    RawPoint& p = out.points[out.count++];
    p.point = point;
    p.core_a = core_a;
    p.core_b = core_b;
    p.separation = separation;
    p.base_gap = separation - glm::dot(out.normal, core_b - core_a);
    p.feature = feature;
}

/// A point between two shapes without rounding: both bodies share it.
inline void add_shared_point(RawManifold& out, const Vec3& point, float separation, uint32_t feature) {
    add_point(out, point, point, point, separation, feature);
}

/// How much better another axis must be before it replaces the preferred one: what the smaller shape wants.
inline float axis_slop(const Shape& a, const Shape& b) { return std::min(a.axis_slop, b.axis_slop); }

/// What an axis from the cache must exceed: a little more than the margin, so that rounding never lets the
/// short cut decide otherwise than the full test.
inline float cached_margin(const Shape& a, const Shape& b, float margin) {
    return margin + kDistanceRounding * (a.bounding_radius + b.bounding_radius);
}

/// What the choice of points goes by besides where they are.
struct PointChoice {
    const float* soon = nullptr;  // separations at the end of the coming motion; null where nothing moves
    const Vec3* load = nullptr;   // where the patch was loaded; null where it was not
};
/// Chooses at most four of the points that span the patch: the two between which its load lies, the deepest one and the one
/// that will be the deepest among them; writes their indices, ascending, and returns how many. `reduced`: corners of the patch
/// are left out.
int select_points(const Vec3* points, const float* separations, const PointChoice& by, int count, const Vec3& normal,
                  int* chosen, bool& reduced);

/// By how much gaps grow in the coming motion: of a point p of a frame by level + slope . p.
struct GapGrowth {
    float level = 0.0f;
    Vec3 slope{0.0f, 0.0f, 0.0f};
    float at(const Vec3& p) const { return level + glm::dot(slope, p); }
};
/// Along the normal from A to B, in a frame that lies in the world as told: n . (u + w x (x - c)) = n . u + (n x w) . (x - c).
inline GapGrowth gap_growth(const ComingMotion& motion, const Vec3& normal, const Mat3& rotation,
                            const Vec3& position) {
    const Vec3 turning = glm::cross(normal, motion.angular);
    return {glm::dot(normal, motion.linear) + glm::dot(turning, position - motion.about),
            turning * rotation};  // row times matrix: the transpose
}

inline bool moves(const ComingMotion& motion) { return motion.linear != Vec3(0.0f) || motion.angular != Vec3(0.0f); }

/// The same motion with A and B exchanged.
inline void flip(ComingMotion& motion) {
    motion.linear = -motion.linear;
    motion.angular = -motion.angular;
}
/// The same contacts with A and B exchanged.
inline void flip(RawManifold& out) {
    flip(out.motion);
    out.normal = -out.normal;
    out.frame_on_b = !out.frame_on_b;
    for (int i = 0; i < out.count; ++i) std::swap(out.points[i].core_a, out.points[i].core_b);
}

// ---- segments

/// Parameters in [0, 1] of the nearest points p + s d and q + t e of two segments, and their squared distance.
struct SegmentPair {
    float s = 0.0f, t = 0.0f;
    float distance2 = 0.0f;
};
SegmentPair closest_segments(const Vec3& p, const Vec3& d, const Vec3& q, const Vec3& e);

/// Parameter in [0, 1] of the point of p + s d nearest to x.
inline float closest_on_segment(const Vec3& p, const Vec3& d, const Vec3& x) {
    const float dd = glm::dot(d, d);
    return dd > 0.0f ? std::clamp(glm::dot(x - p, d) / dd, 0.0f, 1.0f) : 0.0f;
}

}  // namespace proxima::physics::detail
