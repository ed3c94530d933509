// SPDX-License-Identifier: MIT
#include "physics/narrowphase/collide.h"

#include <algorithm>

#include "engine/core/assert.h"
#include "physics/narrowphase/generators.h"
#include "physics/shapes/shape_classes.h"

namespace proxima::physics {

namespace {

using namespace detail;

struct Entry {
    Generator generator;
    bool swapped;  // the generator expects the types the other way round
};

// Rows: type of a; columns: type of b; in the order of ShapeType. Empty where one is not convex.
constexpr Entry kTable[kShapeTypeCount][kShapeTypeCount] = {
    // sphere
    {{collide_sphere_sphere, false},
     {collide_sphere_box, false},
     {collide_sphere_capsule, false},
     {collide_sphere_hull, false},
     {collide_half_space, false}},
    // box
    {{collide_sphere_box, true},
     {collide_box_box, false},
     {collide_capsule_polytope, true},
     {collide_polytopes, false},
     {collide_half_space, false}},
    // capsule
    {{collide_sphere_capsule, true},
     {collide_capsule_polytope, false},
     {collide_capsule_capsule, false},
     {collide_capsule_polytope, false},
     {collide_half_space, false}},
    // hull
    {{collide_sphere_hull, true},
     {collide_polytopes, true},
     {collide_capsule_polytope, true},
     {collide_polytopes, false},
     {collide_half_space, false}},
    // half-space; two of them never meet
    {{collide_half_space, true},
     {collide_half_space, true},
     {collide_half_space, true},
     {collide_half_space, true},
     {nullptr, false}},
};

}  // namespace

bool collide(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
             RawManifold& out, SatCache* cache) {
    out.count = 0;
    out.distance = 0.0f;
    out.frame_on_b = false;
    const Entry entry = kTable[size_t(a.type)][size_t(b.type)];
    if (entry.generator == nullptr) return false;
    if (entry.swapped) flip(out.motion);
    const bool touching = entry.swapped ? entry.generator(b, pose_b, a, pose_a, margin, out, cache)
                                        : entry.generator(a, pose_a, b, pose_b, margin, out, cache);
    // Where rounding decides, an axis within the margin may leave no point of a clipped face in it. Nothing is known then of
    // the distance either, so the pair is looked at again in the next step.
    if (!touching || out.count == 0) {
        // Written so that a distance that is not a number becomes zero.
        const float distance = touching ? 0.0f : out.distance - distance_rounding(a, b);
        out.distance = distance > 0.0f ? distance : 0.0f;
        out.count = 0;
        if (entry.swapped) flip(out.motion);
        return false;
    }
    if (entry.swapped) flip(out);
    return true;
}

bool overlap(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float& distance,
             SatCache* cache) {
    distance = 0.0f;
    const Entry entry = kTable[size_t(a.type)][size_t(b.type)];
    if (entry.generator == nullptr) return false;
    // No axis separates them, whether or not clipping leaves a point.
    RawManifold out;
    const bool found = entry.swapped ? entry.generator(b, pose_b, a, pose_a, 0.0f, out, cache)
                                     : entry.generator(a, pose_a, b, pose_b, 0.0f, out, cache);
    if (!found) distance = std::max(0.0f, out.distance - distance_rounding(a, b));
    return found;
}

bool collide(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
             ManifoldSink& sink, PairCache* cache) {
    sink.manifolds.clear();
    sink.distance = std::numeric_limits<float>::infinity();
    const bool convex =
        shape_class(a).category == ShapeCategory::convex && shape_class(b).category == ShapeCategory::convex;
    if (convex)
        collide_parts(a, pose_a, b, pose_b, {}, margin, sink, cache ? &cache->sat : nullptr);
    else
        collide_composites(a, pose_a, b, pose_b, margin, sink, cache);
    return !sink.manifolds.empty();
}

}  // namespace proxima::physics
