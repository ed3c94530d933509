// SPDX-License-Identifier: MIT
// Whether numbers that a game gives make sense, each with a sentence that says what would be right.
#pragma once

#include <string>

#include "engine/core/result.h"
#include "physics/body_desc.h"
#include "physics/components.h"
#include "physics/shapes/shape.h"

namespace proxima::physics {

/// `of` names the thing, as in "a body".
Result<void> check_pose(const Pose& pose, const char* of);
Result<void> check_velocity(const Velocity& velocity);
/// What is applied to a body for a step, summed up.
Result<void> check_force(const Vec3& force, const Vec3& torque);
Result<void> check_material(const Material& material);
Result<void> check_density(float density);
Result<void> check_contact_rules(const ContactRules& rules);
Result<void> check_rigid_body(const RigidBody& body);

/// What a collider or a whole body is to be made in.
struct WorldContent {
    const ShapeLibrary& shapes;
    const std::string& solver;  // of the world's settings
};
/// A collider on a body of this type; whether the body's mass makes sense with it is asked by check_mass.
Result<void> check_collider(const Collider& collider, BodyType type, const WorldContent& world);
/// A body with all its colliders and the mass that follows; what is wrong with a collider is named by its index.
Result<void> check_body(const BodyDesc& desc, const WorldContent& world);
/// Mass, centre and inertia that a dynamic body would have.
Result<void> check_mass(const Mass& mass);
/// Most solvers know one coefficient of friction a contact.
Result<void> check_solver_knows(const Material& material, const std::string& solver);

}  // namespace proxima::physics
