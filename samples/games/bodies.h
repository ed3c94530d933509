// SPDX-License-Identifier: MIT
// What games do with bodies again and again: make copies of one, put it somewhere, ask how it stands.
#pragma once

#include <span>

#include "physics/world.h"

namespace proxima::games {

/// How a body that exists was made, so that more of it can be made: settings, colliders and, where it was given, mass.
physics::BodyDesc desc_of(const physics::PhysicsWorld& world, physics::Entity body);
Result<physics::Entity> make_body(physics::PhysicsWorld& world, physics::BodyDesc desc, const physics::Pose& pose,
                                  const physics::Velocity& velocity = {});

/// Puts a body at rest at a place.
void put(physics::PhysicsWorld& world, physics::Entity body, const physics::Pose& pose);

inline const physics::Pose& pose_of(const physics::PhysicsWorld& world, physics::Entity body) {
    return world.registry().get<physics::Pose>(body);
}
inline Transform transform_of(const physics::PhysicsWorld& world, physics::Entity body) {
    const physics::Pose& pose = pose_of(world, body);
    return {pose.position, pose.rotation};
}
/// Cosine of the angle between the body's own y axis and the vertical: 1 upright, 0 lying.
inline float uprightness(const physics::PhysicsWorld& world, physics::Entity body) {
    return (pose_of(world, body).rotation * Vec3(0.0f, 1.0f, 0.0f)).y;
}
/// Speed of the centre plus a metre's lever of spin: how much a body is on the move.
float restlessness(const physics::PhysicsWorld& world, physics::Entity body);
float most_restless(const physics::PhysicsWorld& world, std::span<const physics::Entity> bodies);

}  // namespace proxima::games
