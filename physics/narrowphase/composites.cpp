// SPDX-License-Identifier: MIT
// Composite shapes against anything: the parts that are near, each against each, by the generators of convex
// shapes. Nothing here knows what kind of composite it is; ShapeClass::walk finds the parts.
#include <algorithm>

#include "physics/narrowphase/generators.h"
#include "physics/shapes/shape_classes.h"

namespace proxima::physics::detail {

namespace {

/// A part as a shape of its own. `shape` may be gone when the walk goes on.
struct PlacedPart {
    uint32_t id;
    const Shape& shape;
    Transform pose;
};

template <class Visit>
class PlacingVisitor final : public PartVisitor {
  public:
    PlacingVisitor(const Transform& pose, Visit& visit) : pose_(pose), visit_(visit) {}
    void visit(uint32_t part, const Shape& shape, const Transform& local) override {
        visit_(PlacedPart{part, shape, compose(pose_, local)});
    }

  private:
    const Transform& pose_;
    Visit& visit_;
};

/// Visits the parts of a shape that may be nearer than `margin` to another one, and returns a lower bound of
/// the distance between that and those left out. A convex shape is its own only part.
template <class Visit>
float visit_near_parts(const Shape& shape, const Transform& pose, const Shape& other, const Transform& other_pose,
                       float margin, Visit visit) {
    const ShapeClass& row = shape_class(shape);
    if (row.walk == nullptr) {
        visit(PlacedPart{0, shape, pose});
        return std::numeric_limits<float>::infinity();
    }
    const Transform seen{to_local(pose, other_pose.position), glm::conjugate(pose.rotation) * other_pose.rotation};
    const float rounding = distance_rounding(shape, other);
    PlacingVisitor<Visit> visitor(pose, visit);
    const float gap = row.walk(shape, bounding_box(other, seen), margin + rounding, visitor);
    return std::max(0.0f, gap - rounding);
}

/// The caches of last time, asked for in ascending order of parts.
class CacheCursor {
  public:
    explicit CacheCursor(PairCache* cache) : cache_(cache) {
        if (!cache_) return;
        std::swap(cache_->parts, cache_->previous);
        cache_->parts.clear();
    }
    /// Good until the next call.
    SatCache* at(PartPair parts) {
        if (!cache_) return nullptr;
        const std::vector<PairCache::Part>& before = cache_->previous;
        while (next_ < before.size() && before[next_].parts < parts) ++next_;
        const bool known = next_ < before.size() && before[next_].parts == parts;
        cache_->parts.push_back({parts, known ? before[next_].sat : SatCache{}});
        return &cache_->parts.back().sat;
    }

  private:
    PairCache* cache_;
    size_t next_ = 0;
};

}  // namespace

void collide_parts(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, PartPair parts,
                   float margin, ManifoldSink& sink, SatCache* cache) {
    PartManifold& made = sink.manifolds.emplace_back();
    made.parts = parts;
    if (collide(a, pose_a, b, pose_b, margin, made.contacts, cache)) return;
    sink.distance = std::min(sink.distance, made.contacts.distance);
    sink.manifolds.pop_back();
}

void collide_composites(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
                        ManifoldSink& sink, PairCache* cache) {
    CacheCursor caches(cache);
    const auto leave_out = [&](float distance) { sink.distance = std::min(sink.distance, distance); };
    leave_out(visit_near_parts(a, pose_a, b, pose_b, margin, [&](const PlacedPart& part_a) {
        leave_out(visit_near_parts(b, pose_b, part_a.shape, part_a.pose, margin, [&](const PlacedPart& part_b) {
            const PartPair parts{part_a.id, part_b.id};
            collide_parts(part_a.shape, part_a.pose, part_b.shape, part_b.pose, parts, margin, sink, caches.at(parts));
        }));
    }));
}

}  // namespace proxima::physics::detail
