// SPDX-License-Identifier: MIT
// What a body is made from, colliders included: PhysicsWorld::create_body takes one.
#pragma once

#include <vector>

#include "physics/components.h"

namespace proxima::physics {

/// The defaults are a dynamic body at the origin, at rest, without colliders.
struct BodyDesc {
    BodyType type = BodyType::dynamic;
    Pose pose{};
    Velocity velocity{};
    float mass = 0.0f;  // kg; 0: from the colliders' densities
    float gravity_scale = 1.0f;
    float linear_damping = 0.0f;   // 1/s
    float angular_damping = 0.0f;  // 1/s
    bool allow_sleep = true;
    float max_linear_speed = 0.0f, max_angular_speed = 0.0f;  // m/s, rad/s; 0: none
    uint32_t locked_axes = 0;                                 // LockedAxes
    std::vector<Collider> colliders{};                        // Collider::body is filled in
    std::vector<ContactRules> contact_rules{};  // of the colliders, in their order; those behind its end have none

    /// The component that the body gets.
    RigidBody rigid_body() const {
        return {type,
                gravity_scale,
                linear_damping,
                angular_damping,
                allow_sleep ? 1u : 0u,
                max_linear_speed,
                max_angular_speed,
                locked_axes};
    }
};

}  // namespace proxima::physics
