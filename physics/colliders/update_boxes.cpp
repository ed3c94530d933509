// SPDX-License-Identifier: MIT
// Boxes of the colliders in the broadphase, of those that may leave theirs.
#include <algorithm>

#include "physics/colliders/colliders.h"
#include "physics/scale.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kCollidersPerUpdate = 128;
constexpr uint32_t kCollidersPerAgeing = 1024;
// A box is larger than the travel of the coming step asks for, so that a body at rest, or nearly, keeps its box.
// More makes more pairs, less makes more boxes change.
constexpr float kBoxMargin = 0.03f;           // m, of a body of a metre (scale.h)
constexpr float kBoxMarginPartOfSize = 0.1f;  // of the shape's radius, where that is less
constexpr float kMaxBoxedRadius = 1e4f;       // m

}  // namespace

uint32_t Colliders::slot_with_id(uint32_t stable_id) const {
    const auto found =
        std::lower_bound(data.begin(), data.end(), stable_id,
                         [](const ColliderData& collider, uint32_t id) { return collider.stable_id < id; });
    return found != data.end() && found->stable_id == stable_id ? uint32_t(found - data.begin()) : kNone;
}

/// A box covers the travel of the step, and half the speculative distance, so that whatever may touch is paired
/// before it does.
void update_boxes(const Bodies& bodies, const StepParams& params, Colliders& colliders, engine::Jobs& jobs) {
    const uint32_t n = uint32_t(colliders.size());
    colliders.box_changed.resize(n);
    // A new list: sleeping and fixed bodies may have no box in the broadphase yet.
    const bool all = colliders.boxes_of_version != colliders.version;
    colliders.boxes_of_version = colliders.version;
    jobs.parallel_for(n, kCollidersPerUpdate, [&](const engine::JobBlock& block) {
        for (uint32_t k = block.begin; k < block.end; ++k) {
            ColliderData& collider = colliders.data[k];
            const uint32_t body = collider.body;
            colliders.box_changed[k] = 0;
            // A body that fell asleep in the last step still moved in it.
            const bool moved = bodies.awake[body] || bodies.was_awake[body] || bodies.teleported[body];
            const bool has_box = collider.box_slack >= 0.0f;
            if (!all && !moved && has_box) continue;
            const BodyTransform& transform = bodies.transform[body];
            collider.world = compose({transform.center, transform.rotation}, collider.local);
            if (collider.box_slack > bodies.speed[body] * params.dt && !bodies.teleported[body]) continue;
            Aabb box = bounding_box(*collider.shape, collider.world);
            const float scale = length_scale(std::min(collider.shape->bounding_radius, kMaxBoxedRadius));
            const float extra = std::min(kBoxMargin * scale, kBoxMarginPartOfSize * collider.shape->bounding_radius);
            const Vec3 travel = bodies.velocity[body].linear * params.dt;
            const Vec3 margin(0.5f * params.settings.speculative_distance * scale + extra);
            box.lower += glm::min(travel, Vec3(0.0f)) - margin;
            box.upper += glm::max(travel, Vec3(0.0f)) + margin;
            colliders.boxes[k] = box;
            collider.box_slack = extra;
            colliders.box_changed[k] = 1;
        }
    });
    for (uint32_t k = 0; k < n; ++k)
        if (colliders.box_changed[k]) colliders.broadphase.set_box(colliders.data[k].proxy, colliders.boxes[k]);
}

void age_boxes(Bodies& bodies, Colliders& colliders, engine::Jobs& jobs) {
    jobs.parallel_for(uint32_t(colliders.size()), kCollidersPerAgeing, [&](const engine::JobBlock& block) {
        for (uint32_t k = block.begin; k < block.end; ++k)
            colliders.data[k].box_slack -= bodies.displacement[colliders.data[k].body];
    });
    bodies.unseen_displacement.swap(bodies.displacement);
    bodies.displacement.resize(bodies.size());
}

}  // namespace proxima::physics
