// SPDX-License-Identifier: MIT
#include "samples/editor/model/picking.h"

#include <algorithm>

namespace proxima::editor {

using physics::RayHit;
using physics::RayStart;

std::optional<PickHit> pick(const Document& document, const Ray& ray) {
    std::vector<physics::Pose> poses;
    poses.reserve(document.bodies().size());
    for (const BodyRecord& record : document.bodies())
        poses.push_back({record.desc.position, glm::normalize(record.desc.rotation)});
    return PickList(document).pick(poses, ray);
}

PickList::PickList(const Document& document) {
    const physics::PhysicsWorld& world = document.world();
    for (uint32_t index = 0; index < document.bodies().size(); ++index) {
        const BodyRecord& record = document.bodies()[index];
        for (const ItemId id : record.collider_ids) {
            const auto& collider = world.registry().get<physics::Collider>(document.entity_of(id));
            entries_.push_back({index,
                                record.id,
                                id,
                                &world.shapes().get(collider.shape),
                                {collider.local.position, collider.local.rotation}});
        }
    }
}

std::optional<PickHit> PickList::pick(std::span<const physics::Pose> poses, const Ray& ray) const {
    std::optional<PickHit> best;
    for (const Entry& entry : entries_) {
        if (entry.index >= poses.size()) continue;
        const Transform body{poses[entry.index].position, poses[entry.index].rotation};
        const float limit = best ? best->distance : physics::kNoRayLimit;
        const std::optional<RayHit> hit =
            physics::ray_cast(*entry.shape, compose(body, entry.local), ray, limit, RayStart::passes);
        if (!hit || (best && hit->distance >= best->distance)) continue;
        best = PickHit{entry.body,
                       entry.collider,
                       entry.index,
                       hit->distance,
                       hit->position,
                       hit->normal,
                       to_local(body, hit->position)};
    }
    return best;
}

std::vector<ItemId> pick_rectangle(const Document& document, const View& view, float width, const Vec2& corner,
                                   const Vec2& opposite) {
    const Vec2 lower(std::min(corner.x, opposite.x), std::min(corner.y, opposite.y));
    const Vec2 upper(std::max(corner.x, opposite.x), std::max(corner.y, opposite.y));
    std::vector<ItemId> found;
    for (const BodyRecord& record : document.bodies()) {
        const std::optional<Vec2> at = to_pixel(view, record.desc.position, width);
        if (at && at->x >= lower.x && at->x <= upper.x && at->y >= lower.y && at->y <= upper.y)
            found.push_back(record.id);
    }
    return found;
}

std::optional<Vec3> drag_target(const View& view, const Vec3& held, const Ray& ray) {
    const float slope = glm::dot(ray.direction, view.forward);
    if (!(slope > 1e-6f)) return std::nullopt;
    const float t = glm::dot(held - ray.origin, view.forward) / slope;
    if (!(t > 0.0f)) return std::nullopt;
    return ray.origin + t * ray.direction;
}

}  // namespace proxima::editor
