// SPDX-License-Identifier: MIT
// Explosions and radial forces.
#include <cmath>

#include "physics/effects/effects.h"

namespace proxima::physics {

namespace {

float part_at(Falloff falloff, float distance, float radius) {
    const float left = 1.0f - distance / radius;
    return falloff == Falloff::none ? 1.0f : falloff == Falloff::linear ? left : left * left;
}

bool is_on(const PhysicsWorld& world, Entity body, uint32_t mask) {
    if (mask == 0xFFFFFFFFu) return true;
    for (const Entity collider : world.colliders(body))
        if (world.registry().get<Collider>(collider).layer & mask) return true;
    return false;
}

template <class Give>
Result<uint32_t> push_all(PhysicsWorld& world, const RadialPush& push, const char* what, const Give& give) {
    if (!is_finite(push.center)) return Error{std::string("The centre of ") + what + " must be three finite numbers."};
    if (!(std::isfinite(push.radius) && push.radius > 0.0f))
        return Error{std::string("The radius of ") + what + " must be a positive finite number of metres."};
    if (!std::isfinite(push.strength)) return Error{std::string("The strength of ") + what + " must be finite."};
    if (push.falloff > Falloff::quadratic)
        return Error{std::string("The falloff of ") + what + " must be none, linear or quadratic."};
    uint32_t count = 0;
    for (const Entity body : world.bodies()) {
        const entt::registry& r = world.registry();
        if (!r.all_of<Pose, Velocity, Force, Mass, SleepState>(body) || r.all_of<Quarantined>(body)) continue;
        if (r.get<RigidBody>(body).type != BodyType::dynamic || !is_on(world, body, push.mask)) continue;
        const Pose pose = world.pose(body);
        const Vec3 arm = pose.position + pose.rotation * world.mass(body).center - push.center;
        const float distance = glm::length(arm);
        if (!(distance > 0.0f && distance < push.radius)) continue;
        const Vec3 by = push.strength * part_at(push.falloff, distance, push.radius) / distance * arm;
        if (auto ok = give(body, by); !ok) return Error{ok.error()};
        ++count;
    }
    return count;
}

}  // namespace

Result<uint32_t> explode(PhysicsWorld& world, const RadialPush& push) {
    return push_all(world, push, "an explosion",
                    [&](Entity body, const Vec3& by) { return world.apply_impulse(body, by); });
}

Result<uint32_t> apply_radial_force(PhysicsWorld& world, const RadialPush& push) {
    return push_all(world, push, "a radial force",
                    [&](Entity body, const Vec3& by) { return world.apply_force(body, by); });
}

}  // namespace proxima::physics
