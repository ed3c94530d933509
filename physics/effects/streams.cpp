// SPDX-License-Identifier: MIT
// Wind and water.
#include <algorithm>
#include <cmath>

#include "physics/effects/effects.h"

namespace proxima::physics {

namespace {

Result<void> check_stream(const PhysicsWorld& world, Entity body, const Vec3& velocity, float density, float dt,
                          const char* what) {
    const entt::registry& r = world.registry();
    if (!r.valid(body) || !r.all_of<RigidBody, Pose, Velocity, Force, Mass, SleepState>(body))
        return Error{std::string(what) + " acts on an existing body; this entity is none."};
    if (!is_finite(velocity)) return Error{std::string("The velocity of ") + what + " must be three finite numbers."};
    if (!(std::isfinite(density) && density >= 0.0f))
        return Error{std::string("The density of ") + what + " must be a finite number of kg/m3, 0 or greater."};
    if (!(std::isfinite(dt) && dt > 0.0f))
        return Error{"The length of the step must be a positive finite number of seconds."};
    return {};
}

bool feels_streams(const PhysicsWorld& world, Entity body) {
    return world.registry().get<RigidBody>(body).type == BodyType::dynamic &&
           !world.registry().all_of<Quarantined>(body);
}

/// A body in the world, as forces on it see it.
struct Afloat {
    Transform pose;
    Mass mass;
    Velocity velocity;
    Vec3 center;

    Vec3 velocity_at(const Vec3& point) const { return velocity.linear + glm::cross(velocity.angular, point - center); }
};
Afloat afloat(const PhysicsWorld& world, Entity body) {
    const Pose pose = world.pose(body);
    const Mass mass = world.mass(body);
    return {{pose.position, pose.rotation}, mass, world.velocity(body), pose.position + pose.rotation * mass.center};
}

/// Calls visit(shape, pose) for each collider of a body that a step knows.
template <class Visit>
void for_each_shape(const PhysicsWorld& world, Entity body, const Transform& pose, const Visit& visit) {
    for (const Entity entity : world.colliders(body)) {
        const Collider& collider = world.registry().get<Collider>(entity);
        if (!world.shapes().contains(collider.shape)) continue;
        visit(world.shapes().get(collider.shape), compose(pose, {collider.local.position, collider.local.rotation}));
    }
}

}  // namespace

Result<void> apply_wind(PhysicsWorld& world, Entity body, const Wind& wind, float dt) {
    if (auto ok = check_stream(world, body, wind.velocity, wind.density, dt, "Wind"); !ok) return ok;
    if (!(std::isfinite(wind.drag_coefficient) && wind.drag_coefficient >= 0.0f))
        return Error{"The drag coefficient of wind must be a finite number, 0 or greater."};
    if (!feels_streams(world, body)) return {};
    const Afloat at = afloat(world, body);
    Vec3 force(0.0f), torque(0.0f);
    for_each_shape(world, body, at.pose, [&](const Shape& shape, const Transform& pose) {
        const Vec3 center = to_world(pose, shape.mass.center), past = wind.velocity - at.velocity_at(center);
        const float speed = glm::length(past);
        if (!(speed > 0.0f)) return;
        const float area = shown_area(shape, pose, past / speed);
        const Vec3 drag = 0.5f * wind.density * wind.drag_coefficient * area * speed * past;
        force += drag;
        torque += glm::cross(center - at.center, drag);
    });
    if (force == Vec3(0.0f) && torque == Vec3(0.0f)) return {};
    // No faster than the wind by its push alone.
    const float most = glm::length(wind.velocity - at.velocity.linear) * at.mass.mass / dt;
    const float part = std::min(1.0f, most / std::max(glm::length(force), 1e-30f));
    if (auto ok = world.apply_force(body, part * force); !ok) return ok;
    return world.apply_torque(body, part * torque);
}

Result<void> apply_water(PhysicsWorld& world, Entity body, const Water& water, float dt) {
    if (auto ok = check_stream(world, body, water.velocity, water.density, dt, "Water"); !ok) return ok;
    if (!is_finite(water.surface) || !(std::abs(glm::dot(water.normal, water.normal) - 1.0f) < 1e-3f))
        return Error{"The surface of water needs a finite point and a normal of length 1."};
    if (!(std::isfinite(water.linear_drag) && water.linear_drag >= 0.0f && std::isfinite(water.angular_drag) &&
          water.angular_drag >= 0.0f))
        return Error{"The drag of water must be finite numbers per second, 0 or greater."};
    if (!feels_streams(world, body)) return {};
    const Afloat at = afloat(world, body);
    const Vec3 gravity = world.settings().gravity * world.registry().get<RigidBody>(body).gravity_scale;
    Vec3 force(0.0f), torque(0.0f);
    float volume = 0.0f, under = 0.0f;
    for_each_shape(world, body, at.pose, [&](const Shape& shape, const Transform& pose) {
        const Submerged part = submerged_part(shape, pose, water.surface, water.normal);
        volume += shape.mass.volume;
        under += part.volume;
        if (!(part.volume > 0.0f)) return;
        // No more of the velocity than there is.
        const float displaced = water.density * part.volume;
        const float rate = std::min(water.linear_drag * displaced, at.mass.mass / dt);
        const Vec3 push = -displaced * gravity + rate * (water.velocity - at.velocity_at(part.center));
        force += push;
        torque += glm::cross(part.center - at.center, push);
    });
    if (!(under > 0.0f)) return {};
    const float rate = std::min(water.angular_drag * under / std::max(volume, under), 1.0f / dt);
    const Quat& q = at.pose.rotation;
    torque -= rate * (q * (at.mass.inertia * (glm::conjugate(q) * at.velocity.angular)));
    if (auto ok = world.apply_force(body, force); !ok) return ok;
    return world.apply_torque(body, torque);
}

}  // namespace proxima::physics
