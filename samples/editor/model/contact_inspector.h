// SPDX-License-Identifier: MIT
// The contacts of one body after a step, in words that a table can show: with whom, how hard, sticking or
// slipping, and how far from the law.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/world.h"

namespace proxima::editor {

enum class ContactMode : uint8_t {
    open,   // within reach, but no force
    stick,  // friction holds
    slip,   // friction is at its limit and the surfaces slide
};
const char* to_string(ContactMode mode);

struct InspectedPoint {
    Vec3 position{0.0f, 0.0f, 0.0f};
    float gap = 0.0f;               // m; negative: overlap
    float normal_impulse = 0.0f;    // N s over the last step
    float friction_impulse = 0.0f;  // N s, length
    float friction_limit = 0.0f;    // N s, mu times the normal impulse
    float slip_speed = 0.0f;        // m/s along the surface
    float residual = 0.0f;          // m/s, natural map of the exact Coulomb law
    ContactMode mode = ContactMode::open;
};

struct InspectedContact {
    physics::Entity pair = physics::kNoEntity;
    physics::Entity other = physics::kNoEntity;  // body
    physics::Entity own_collider = physics::kNoEntity, other_collider = physics::kNoEntity;
    Vec3 normal{0.0f, 1.0f, 0.0f};  // from the inspected body to the other
    float friction = 0.0f;
    float restitution = 0.0f;
    Vec3 force{0.0f, 0.0f, 0.0f};  // N, on the inspected body, mean over the step
    uint32_t count = 0;
    InspectedPoint points[4];
};

/// In the order of the other collider's creation. `dt` is the length of the last step.
void inspect_contacts(const physics::PhysicsWorld& world, physics::Entity body, float dt,
                      std::vector<InspectedContact>& out);

}  // namespace proxima::editor
