// SPDX-License-Identifier: MIT
#include "render/extract/drawn_world.h"

#include <algorithm>
#include <utility>

namespace proxima::render {

using physics::BodyType;
using physics::Collider;
using physics::Pose;
using physics::RigidBody;
using physics::SleepState;

uint32_t DrawnWorld::find(Entity entity) const {
    const size_t index = size_t(entt::to_entity(entity));
    const uint32_t body = index < body_of_entity.size() ? body_of_entity[index] : kNobody;
    return body < bodies.size() && bodies[body].entity == entity ? body : kNobody;
}

void copy_world(const entt::registry& registry, DrawnWorld& out) {
    out.bodies.clear();
    out.colliders.clear();
    // Entries of bodies that are gone stay: find() compares entities.
    for (const auto [entity, settings, pose] : registry.view<const RigidBody, const Pose>().each()) {
        const size_t index = size_t(entt::to_entity(entity));
        if (index >= out.body_of_entity.size()) out.body_of_entity.resize(index + 1, kNobody);
        out.body_of_entity[index] = uint32_t(out.bodies.size());
        DrawnBody body;
        body.entity = entity;
        body.pose = {pose.position, pose.rotation};
        body.type = settings.type;
        if (const auto* id = registry.try_get<physics::StableId>(entity)) body.order = id->value;
        if (body.type == BodyType::dynamic)
            if (const SleepState* rest = registry.try_get<SleepState>(entity)) body.asleep = rest->asleep != 0;
        out.bodies.push_back(body);
    }
    for (const Entity entity : registry.view<const physics::Quarantined>())
        if (const uint32_t body = out.find(entity); body != kNobody) out.bodies[body].quarantined = true;
    for (const auto [entity, collider] : registry.view<const Collider>().each()) {
        const uint32_t body = out.find(collider.body);
        if (body == kNobody || collider.shape == physics::kNoShape) continue;
        out.colliders.push_back({body, collider.shape, {collider.local.position, collider.local.rotation}});
    }
}

Aabb scene_bounds(const DrawnWorld& world, const physics::ShapeLibrary& shapes) {
    const Aabb empty{Vec3(INFINITY), Vec3(-INFINITY)};
    const auto add = [](Aabb& sum, const Aabb& box) {
        if (!is_finite(box.lower) || !is_finite(box.upper)) return;
        sum = {glm::min(sum.lower, box.lower), glm::max(sum.upper, box.upper)};
    };
    const auto box_of = [&](const DrawnCollider& collider) {
        return bounding_box(shapes.get(collider.shape), compose(world.bodies[collider.body].pose, collider.local));
    };
    const auto size_of = [](const Aabb& box) {
        const Vec3 size = box.upper - box.lower;
        return std::max({size.x, size.y, size.z});
    };
    Aabb moving = empty, all = empty;
    for (const DrawnCollider& collider : world.colliders) {
        const Aabb box = box_of(collider);
        add(all, box);
        if (world.bodies[collider.body].type != BodyType::fixed) add(moving, box);
    }
    if (moving.lower.x > moving.upper.x) return all;
    // Tracks, walls and ramps belong to the scene; the ground goes on beyond it.
    constexpr float kMuchLarger = 3.0f;
    const float limit = kMuchLarger * size_of(moving);
    Aabb bounds = moving;
    for (const DrawnCollider& collider : world.colliders) {
        if (world.bodies[collider.body].type != BodyType::fixed) continue;
        const Aabb box = box_of(collider);
        Aabb together = moving;
        add(together, box);
        if (size_of(box) <= limit && size_of(together) <= 2.0f * limit) add(bounds, box);
    }
    return bounds;
}

Transform interpolate(const Transform& from, const Transform& to, float t) {
    // q and -q are the same rotation; the nearer one is the shorter way.
    const float sign = glm::dot(from.rotation, to.rotation) < 0.0f ? -1.0f : 1.0f;
    const Quat mixed = from.rotation * (1.0f - t) + to.rotation * (sign * t);
    return {from.position + (to.position - from.position) * t, glm::normalize(mixed)};
}

void PoseHistory::match() {
    body_before_.resize(now_.bodies.size());
    for (uint32_t i = 0; i < now_.bodies.size(); ++i) {
        const Entity entity = now_.bodies[i].entity;
        const bool same_index = i < before_.bodies.size() && before_.bodies[i].entity == entity;
        body_before_[i] = same_index ? i : before_.find(entity);
    }
}

void PoseHistory::note_step(const entt::registry& registry) {
    std::swap(now_, before_);
    copy_world(registry, now_);
    match();
}

void PoseHistory::note_step(DrawnWorld& copied) {
    std::swap(now_, before_);
    std::swap(now_, copied);
    match();
}

void PoseHistory::begin_anew(const entt::registry& registry) {
    copy_world(registry, now_);
    body_before_.assign(now_.bodies.size(), kNobody);
}

void PoseHistory::jump(Entity body) {
    if (const uint32_t i = now_.find(body); i != kNobody) body_before_[i] = kNobody;
}

Transform PoseHistory::at(uint32_t i, float alpha) const {
    const Transform& now = now_.bodies[i].pose;
    const uint32_t before = body_before_[i];
    if (before == kNobody) return now;
    const Transform& from = before_.bodies[before].pose;
    if (from.position == now.position && from.rotation == now.rotation) return now;
    return interpolate(from, now, alpha);
}

}  // namespace proxima::render
