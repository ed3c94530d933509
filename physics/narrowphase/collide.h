// SPDX-License-Identifier: MIT
// Contact generation between two placed shapes: SAT with clipping for boxes and hulls, closed forms for round
// shapes, part by part for composite ones. Manifolds of at most four points that span the patch, each with a
// feature id that survives small motions.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

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

/// How far points of B move against A while the contacts are in use: at x by linear + cross(angular, x - about), world.
struct ComingMotion {
    Vec3 linear{0.0f, 0.0f, 0.0f}, angular{0.0f, 0.0f, 0.0f};
    Vec3 about{0.0f, 0.0f, 0.0f};
};

struct RawManifold {
    // Told by the caller; among more points than a manifold holds those are kept that touch first.
    ComingMotion motion;
    // And where the load of the patch acted in the last step, if it had one: the corners between which that lies are kept.
    bool has_load = false;
    Vec3 load_at{0.0f, 0.0f, 0.0f};
    bool is_reduced = false;        // the patch has corners outside of what its points span
    Vec3 normal{0.0f, 1.0f, 0.0f};  // unit, from A to B
    int count = 0;
    bool frame_on_b = false;  // the normal is that of a face of B, and turns with it; otherwise with A
    // Across the normal, from the points on A to those on B: contacts of what comes together later are told where the bodies
    // are now. Zero where they are those of now.
    Vec3 aside{0.0f, 0.0f, 0.0f};
    // Without contact: a lower bound of the distance between the shapes, proven by an axis or exact for round
    // ones, less what rounding may have added. Hence they stay without contact until they have moved by the
    // difference to the margin. Zero where nothing is known.
    float distance = 0.0f;
    RawPoint points[kMaxManifoldPoints];
};

/// Whether clipping made the point on a side of the reference face, of boxes and hulls: it is no corner of either body and
/// stays on that side while they slide.
bool is_on_side(uint32_t feature);

/// The axis that separated, or last touched, a pair; tried first next time. Zero-initialised means none.
struct SatCache {
    enum Kind : uint8_t { none, face_a, face_b, edges };
    Kind kind = none;
    uint8_t hint_a = 0;    // the best face of hull A last time, plus one; zero: unknown, or beyond 254
    uint16_t index_a = 0;  // face or edge of the axis, in A ...
    uint16_t index_b = 0;  // ... and in B
    uint16_t hint_b = 0;   // the best face of hull B, likewise
};

/// Fills `out` with the contacts of two convex shapes that are nearer than `margin` and returns whether there are
/// any; if not, out.distance says how far apart the shapes are at least. The gap between boxes and hulls is measured
/// along the best axis of SAT: it is the depth when they overlap, and may be smaller than the distance when they do
/// not. `cache` may be null; it only saves work: the manifold does not depend on its content.
bool collide(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
             RawManifold& out, SatCache* cache = nullptr);

/// Whether two convex shapes have a point in common; if not, `distance` is a lower bound of their distance, zero where
/// nothing is known.
bool overlap(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float& distance,
             SatCache* cache = nullptr);

// ---- shapes of any category

/// Which parts of two shapes touch. A convex shape is one part, number 0; a composite one has the ids of
/// ShapeClass::walk. They stay the same from step to step, so impulses can be matched manifold by manifold.
struct PartPair {
    uint32_t a = 0, b = 0;
    auto operator<=>(const PartPair&) const = default;
};

struct PartManifold {
    PartPair parts;
    RawManifold contacts;
};

/// Takes the manifolds of one pair of shapes. Keeps its memory from pair to pair.
struct ManifoldSink {
    std::vector<PartManifold> manifolds;  // in ascending order of their parts, each with points
    // Of the pairs of parts without contact, a lower bound of their distance, as RawManifold::distance: while
    // the shapes have moved by less than its difference to the margin, no other pair of parts can touch.
    // Infinite when there is none.
    float distance = std::numeric_limits<float>::infinity();
};

/// What a pair of shapes remembers from step to step. It only saves work, as SatCache does.
struct PairCache {
    struct Part {
        PartPair parts;
        SatCache sat;
    };
    SatCache sat;                       // of two convex shapes
    std::vector<Part> parts, previous;  // of others: the parts that were near, ascending; now and last time
};

/// Contacts of two shapes of any category, nearer than `margin`; whether there are any. Two convex shapes
/// have one manifold at most, the one of the function above.
bool collide(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
             ManifoldSink& sink, PairCache* cache = nullptr);

/// Picks at most four of `count` (64 at most) points so that they span the patch: the largest area, and the
/// deepest point unless a chosen one is as deep within a thousandth of the patch. Writes the chosen points to
/// the front of `points` and returns how many. Deterministic, also for ties.
int reduce_manifold(RawPoint* points, int count, const Vec3& normal);

}  // namespace proxima::physics
