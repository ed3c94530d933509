// SPDX-License-Identifier: MIT
#include "samples/games/bodies.h"

#include <algorithm>
#include <utility>

namespace proxima::games {

using namespace physics;

BodyStamp stamp_of(const PhysicsWorld& world, Entity body) {
    const entt::registry& registry = world.registry();
    BodyStamp stamp;
    stamp.body.body = registry.get<RigidBody>(body);
    stamp.body.type = stamp.body.body.type;
    const Mass& mass = registry.get<Mass>(body);
    if (mass.source == MassSource::total) stamp.body.mass = mass.mass;
    std::vector<std::pair<uint32_t, Collider>> found;
    for (const auto [entity, collider, id] : registry.view<const Collider, const StableId>().each())
        if (collider.body == body) found.emplace_back(id.value, collider);
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [id, collider] : found) stamp.colliders.push_back(collider);
    return stamp;
}

Result<Entity> make_body(PhysicsWorld& world, const BodyStamp& stamp, const Pose& pose, const Velocity& velocity) {
    NewBody wanted = stamp.body;
    wanted.pose = pose;
    wanted.velocity = velocity;
    const Result<Entity> body = world.create_body(wanted);
    if (!body) return body;
    for (const Collider& collider : stamp.colliders)
        if (const Result<Entity> added = world.add_collider(*body, collider); !added) {
            world.destroy_body(*body);
            return added;
        }
    return body;
}

void put(PhysicsWorld& world, Entity body, const Pose& pose) {
    world.registry().get<Pose>(body) = pose;
    world.registry().get<Velocity>(body) = {};
    world.wake(body);
}

float restlessness(const PhysicsWorld& world, Entity body) {
    const Velocity& v = world.registry().get<Velocity>(body);
    return glm::length(v.linear) + glm::length(v.angular);
}

float most_restless(const PhysicsWorld& world, std::span<const Entity> bodies) {
    float most = 0.0f;
    for (const Entity body : bodies) most = std::max(most, restlessness(world, body));
    return most;
}

}  // namespace proxima::games
