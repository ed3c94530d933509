// SPDX-License-Identifier: MIT
// Contact generation between two placed convex shapes: SAT with clipping for boxes and hulls, closed forms for round
// shapes. At most four points that span the patch, each with a feature id that survives small motions.
#pragma once

#include <cstdint>

#include "engine/core/math.h"
#include "physics/shapes/shape.h"

namespace proxima::physics {

inline constexpr int kMaxManifoldPoints = 4;

/// One generated contact point, in world coordinates.
struct RawPoint {
    Vec3 point;   // middle of the gap or overlap, where the impulse acts
    Vec3 core_a;  // a point fixed in shape A ...
    Vec3 core_b;  // ... and one fixed in B: the gap is base_gap + dot(normal, core_b - core_a)
    // Minus the radii that lie outside the cores (sphere centre, capsule segment). Between boxes and hulls
    // both cores are `point` itself, and this is the separation.
    float base_gap = 0.0f;
    float separation = 0.0f;  // negative: overlap
    uint32_t feature = 0;     // which features made it; equal ids in two frames are the same contact
};

struct RawManifold {
    Vec3 normal{0.0f, 1.0f, 0.0f};  // unit, from A to B
    int count = 0;
    // Without contact: a lower bound of the distance between the shapes, proven by an axis or exact for round
    // ones, less what rounding may have added. Hence they stay without contact until they have moved by the
    // difference to the margin. Zero where nothing is known.
    float distance = 0.0f;
    RawPoint points[kMaxManifoldPoints];
};

/// The axis that separated, or last touched, a pair; tried first next time. Zero-initialised means none.
struct SatCache {
    enum Kind : uint8_t { none, face_a, face_b, edges };
    Kind kind = none;
    uint8_t hint_a = 0;    // the best face of hull A last time, plus one; zero: unknown, or beyond 254
    uint16_t index_a = 0;  // face or edge of the axis, in A ...
    uint16_t index_b = 0;  // ... and in B
    uint16_t hint_b = 0;   // the best face of hull B, likewise
};

/// Fills `out` with the contacts nearer than `margin` and returns whether there are any; if not, out.distance says
/// how far apart the shapes are at least. The gap between boxes and hulls is measured along the best axis of SAT: it
/// is the depth when they overlap, and may be smaller than the distance when they do not. `cache` may be null; it
/// only saves work: the manifold does not depend on its content.
bool collide(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
             RawManifold& out, SatCache* cache = nullptr);

/// Picks at most four of `count` (64 at most) points so that they span the patch: the largest area, and the
/// deepest point unless a chosen one is as deep within a thousandth of the patch. Writes the chosen points to
/// the front of `points` and returns how many. Deterministic, also for ties.
int reduce_manifold(RawPoint* points, int count, const Vec3& normal);

}  // namespace proxima::physics
