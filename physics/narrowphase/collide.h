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
    float base_gap = 0.0f;    // minus the radii that lie outside the cores (sphere centre, capsule segment), else 0
    float separation = 0.0f;  // negative: overlap
    uint32_t feature = 0;     // which features made it; equal ids in two frames are the same contact
};

struct RawManifold {
    Vec3 normal{0.0f, 1.0f, 0.0f};  // unit, from A to B
    int count = 0;
    RawPoint points[kMaxManifoldPoints];
};

/// The axis that separated, or last touched, a pair; tried first next time. Zero-initialised means none.
struct SatCache {
    enum Kind : uint8_t { none, face_a, face_b, edges };
    Kind kind = none;
    uint8_t unused = 0;
    uint16_t index_a = 0;
    uint16_t index_b = 0;
    uint16_t unused2 = 0;
};

/// Fills `out` with the contacts nearer than `margin` and returns whether there are any. `cache` may be null; it only
/// saves work: the manifold does not depend on its content.
bool collide(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
             RawManifold& out, SatCache* cache = nullptr);

/// Picks at most four of `count` points so that they span the patch: keeps the deepest, then the largest area.
/// Writes the chosen points to the front of `points` and returns how many. Deterministic, also for ties.
int reduce_manifold(RawPoint* points, int count, const Vec3& normal);

}  // namespace proxima::physics
