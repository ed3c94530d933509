// SPDX-License-Identifier: MIT
#include "physics/query.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/shapes/shape_classes.h"
#include "physics/world.h"

namespace proxima::physics {

namespace {

using Vec = glm::dvec3;

/// The ray in the world, with a direction of length one; nothing where it cannot be made.
std::optional<LocalRay> unit(const Ray& ray, float limit, RayStart start) {
    const Vec direction(ray.direction);
    const double length = glm::length(direction);
    if (!is_finite(ray.origin) || !is_finite(ray.direction) || !(length > 0.0)) return std::nullopt;
    return LocalRay{Vec(ray.origin), direction / length, double(limit), start};
}

std::optional<RayHit> cast(const Shape& shape, const Transform& pose, const LocalRay& ray) {
    const glm::dquat to_world{pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    const glm::dquat to_local = glm::conjugate(to_world);
    const LocalRay local{to_local * (ray.origin - Vec(pose.position)), glm::normalize(to_local * ray.direction),
                         ray.limit, ray.start};
    const std::optional<LocalRayHit> hit = shape_class(shape).ray(shape, local);
    if (!hit || hit->distance > double(std::numeric_limits<float>::max())) return std::nullopt;
    if (hit->starts_inside) return RayHit{0.0f, Vec3(ray.origin), Vec3(-ray.direction), hit->part};
    return RayHit{float(hit->distance), Vec3(ray.origin + hit->distance * ray.direction),
                  Vec3(glm::normalize(to_world * hit->normal)), hit->part};
}

}  // namespace

std::optional<RayHit> ray_cast(const Shape& shape, const Transform& pose, const Ray& ray, float limit, RayStart start) {
    const std::optional<LocalRay> line = limit >= 0.0f ? unit(ray, limit, start) : std::nullopt;
    if (!line) return std::nullopt;
    return cast(shape, pose, *line);
}

std::optional<WorldRayHit> ray_cast(const PhysicsWorld& world, const Ray& ray, float limit, uint32_t mask,
                                    RayStart start) {
    std::optional<LocalRay> line = limit >= 0.0f ? unit(ray, limit, start) : std::nullopt;
    if (!line) return std::nullopt;
    const entt::registry& registry = world.registry();
    std::optional<WorldRayHit> best;
    uint32_t best_id = 0;
    for (const Entity entity : registry.view<Collider>()) {
        const Collider& collider = registry.get<Collider>(entity);
        if ((collider.layer & mask) == 0 || collider.is_sensor || !world.shapes().contains(collider.shape)) continue;
        if (!registry.valid(collider.body) || !registry.all_of<Pose>(collider.body)) continue;
        if (!registry.all_of<StableId>(entity)) continue;  // no step knows it either
        const Pose& body = registry.get<Pose>(collider.body);
        const Transform pose =
            compose({body.position, body.rotation}, {collider.local.position, collider.local.rotation});
        const Shape& shape = world.shapes().get(collider.shape);
        if (!shape_class(shape).unbounded && misses_ball(*line, Vec(pose.position), double(shape.bounding_radius)))
            continue;
        const std::optional<RayHit> hit = cast(shape, pose, *line);
        if (!hit) continue;
        const uint32_t id = registry.get<StableId>(entity).value;
        if (best && (hit->distance > best->hit.distance || (hit->distance == best->hit.distance && id > best_id)))
            continue;
        best = WorldRayHit{collider.body, entity, *hit};
        best_id = id;
        line->limit = double(std::nextafter(hit->distance, kNoRayLimit));  // one as far may still be older
    }
    return best;
}

}  // namespace proxima::physics
