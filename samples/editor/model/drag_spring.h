// SPDX-License-Identifier: MIT
// The spring by which a pointer holds a body: critically damped and equally fast for a feather and a tank,
// wherever it is held, and stable for any length of step.
#pragma once

#include <span>
#include <vector>

#include "physics/components.h"
#include "physics/world.h"

namespace proxima::editor {

struct DragSpring {
    float hertz = 4.0f;                 // natural frequency; the target is reached in about a quarter of a second
    float most_acceleration = 2000.0f;  // m/s2, so that a jump of the pointer does not shoot the body through walls
    float spin_damping = 3.0f;          // 1/s, so that a body held at a corner comes to rest
    float most_turn = 0.5f;             // rad in a step: faster spin is braked while the body is held
};

/// Force at the centre of mass and torque for one step of dt, for a body held at `local` (body frame) and
/// pulled to `target`. With the acceleration that an implicit step of the critically damped spring has,
///   a = (w^2 (target - p) - (2 w + w^2 dt) v) / (1 + 2 w dt + w^2 dt^2),   p, v of the held point,
/// and K = 1/m - [r] I^-1 [r] what a force at the point does to it, F = K^-1 (a - gravity): explicit springs
/// k (target - p) - c v blow up where dt w is large, and with one k for all masses they are slack or brutal.
physics::Force drag_force(const DragSpring& spring, const physics::Pose& pose, const physics::Velocity& velocity,
                          const physics::Mass& mass, const Vec3& local, const Vec3& target, const Vec3& gravity,
                          float dt);

/// Mass, centre and inertia of bodies from their colliders, in the order of `bodies`: what the world itself
/// finds out in its first step. Nothing (mass 0) for those that cannot be moved.
std::vector<physics::Mass> masses_of(const physics::PhysicsWorld& world, std::span<const physics::Entity> bodies);

}  // namespace proxima::editor
