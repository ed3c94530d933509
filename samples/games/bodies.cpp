// SPDX-License-Identifier: MIT
#include "samples/games/bodies.h"

#include <algorithm>

#include "engine/core/assert.h"

namespace proxima::games {

using namespace physics;

BodyDesc desc_of(const PhysicsWorld& world, Entity body) {
    const entt::registry& registry = world.registry();
    const RigidBody& settings = registry.get<RigidBody>(body);
    BodyDesc desc;
    desc.type = settings.type;
    desc.gravity_scale = settings.gravity_scale;
    desc.linear_damping = settings.linear_damping;
    desc.angular_damping = settings.angular_damping;
    desc.allow_sleep = settings.allow_sleep != 0;
    desc.max_linear_speed = settings.max_linear_speed;
    desc.max_angular_speed = settings.max_angular_speed;
    desc.locked_axes = settings.locked_axes;
    const Mass& mass = registry.get<Mass>(body);
    if (mass.source == MassSource::total) desc.mass = mass.mass;
    for (const Entity collider : world.colliders(body)) desc.colliders.push_back(registry.get<Collider>(collider));
    return desc;
}

Result<Entity> make_body(PhysicsWorld& world, BodyDesc desc, const Pose& pose, const Velocity& velocity) {
    desc.pose = pose;
    desc.velocity = velocity;
    return world.create_body(desc);
}

void put(PhysicsWorld& world, Entity body, const Pose& pose) {
    const bool done = world.set_pose(body, pose).ok() && world.set_velocity(body, {}).ok();
    PX_ASSERT(done, "only bodies that can move are put somewhere");
    (void)done;
}

float speed_and_spin(const PhysicsWorld& world, Entity body) {
    const Velocity& v = world.registry().get<Velocity>(body);
    return glm::length(v.linear) + glm::length(v.angular);
}

float max_speed_and_spin(const PhysicsWorld& world, std::span<const Entity> bodies) {
    float most = 0.0f;
    for (const Entity body : bodies) most = std::max(most, speed_and_spin(world, body));
    return most;
}

}  // namespace proxima::games
