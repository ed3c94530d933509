// SPDX-License-Identifier: MIT
// Sensors as the outline of their shape's box, one-way surfaces as an arrow the way that is open.
#include "physics/debug/debug_rules.h"

#include <algorithm>
#include <vector>

#include "physics/debug/debug_frame.h"
#include "physics/shapes/shape_classes.h"
#include "physics/simulation.h"

namespace proxima::physics {

namespace {

// r, g, b, a in memory
constexpr uint32_t kEmptySensor = 0xFF3CB4F0u, kFullSensor = 0xFF50DC78u, kOneWayArrow = 0xFFFFA050u;

Transform pose_of(const entt::registry& registry, const Collider& collider) {
    const Pose* pose = registry.valid(collider.body) ? registry.try_get<Pose>(collider.body) : nullptr;
    const Pose body = pose ? *pose : Pose{};
    return compose({body.position, body.rotation}, {collider.local.position, collider.local.rotation});
}

/// Bounds of a shape in its own frame; of a half-space a square of its surface.
Aabb bounds_of(const Shape& shape) {
    if (shape_class(shape).unbounded) return {Vec3(-1.0f, 0.0f, -1.0f), Vec3(1.0f, 0.0f, 1.0f)};
    return bounding_box(shape, Transform{});
}

void add_outline(const Aabb& box, const Transform& pose, uint32_t colour, DebugLayer& out) {
    const auto corner = [&](int k) {
        return to_world(pose, Vec3(k & 1 ? box.upper.x : box.lower.x, k & 2 ? box.upper.y : box.lower.y,
                                   k & 4 ? box.upper.z : box.lower.z));
    };
    for (int k = 0; k < 8; ++k)
        for (const int axis : {1, 2, 4})
            if (!(k & axis)) out.lines.push_back({corner(k), corner(k | axis), colour});
}

void add_arrow(const Vec3& from, const Vec3& way, uint32_t colour, DebugLayer& out) {
    const Vec3 tip = from + way;
    const Vec3 other = std::abs(way.x) < std::abs(way.y) ? Vec3(1.0f, 0.0f, 0.0f) : Vec3(0.0f, 1.0f, 0.0f);
    const Vec3 aside = 0.15f * glm::length(way) * glm::normalize(glm::cross(way, other));
    out.lines.push_back({from, tip, colour});
    for (const float sign : {-1.0f, 1.0f}) out.lines.push_back({tip, tip - 0.25f * way + sign * aside, colour});
}

std::vector<Entity> full_sensors(const Simulation& s) {
    std::vector<Entity> full;
    for (uint32_t k = 0; k < s.pairs.slots.size(); ++k) {
        const PairSlot& pair = s.pairs.slots[k];
        if (pair.is_free() || !pair.touching || !is_sensor_pair(pair.rules)) continue;
        full.push_back(pair.rules & kSensorA ? s.pairs.names[k].collider_a : s.pairs.names[k].collider_b);
    }
    std::sort(full.begin(), full.end());
    return full;
}

}  // namespace

void collect_rules(const Simulation& s, DebugFrame& frame) {
    DebugLayer& layer = frame.layer("rules");
    const std::vector<Entity> full = full_sensors(s);
    for (const ColliderData& data : s.colliders.data) {
        if (!s.registry.valid(data.entity) || !s.registry.all_of<Collider>(data.entity)) continue;
        const Collider& collider = s.registry.get<Collider>(data.entity);
        if (size_t(collider.shape) >= s.shapes.size()) continue;
        const Shape& shape = s.shapes.get(collider.shape);
        const Transform pose = pose_of(s.registry, collider);
        const Aabb bounds = bounds_of(shape);
        if (collider.is_sensor) {
            const bool is_full = std::binary_search(full.begin(), full.end(), data.entity);
            add_outline(bounds, pose, is_full ? kFullSensor : kEmptySensor, layer);
        }
        const ContactRules* rules = s.registry.try_get<ContactRules>(data.entity);
        if (!rules || !is_finite(rules->one_way) || rules->one_way == Vec3(0.0f)) continue;
        const Vec3 way = glm::normalize(rules->one_way);
        const float length = glm::dot(glm::abs(way), 0.5f * (bounds.upper - bounds.lower)) + 0.5f;
        add_arrow(to_world(pose, 0.5f * (bounds.lower + bounds.upper)), pose.rotation * (length * way), kOneWayArrow,
                  layer);
    }
}

}  // namespace proxima::physics
