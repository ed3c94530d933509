// SPDX-License-Identifier: MIT
// Free motion of one body: forces into velocities, velocities into positions and rotations. The SIMD sweeps have the
// same equations in sweep/body_kernels.simd.cpp; a test compares the two.
#pragma once

#include "physics/bodies/bodies.h"

namespace proxima::physics {

/// Gravity, force and torque of a sub-step of length h, and damping.
inline void integrate_velocity(const BodyData& data, const BodyInverseMass& inverse, const Vec3& gravity, float h,
                               BodyVelocity& v) {
    v.linear += h * (data.gravity_scale * gravity + inverse.mass * data.force);
    v.angular += h * (inverse.inertia * data.torque);
    v.linear *= 1.0f / (1.0f + h * data.linear_damping);
    v.angular *= 1.0f / (1.0f + h * data.angular_damping);
}

/// Turns a body over h while its angular momentum stays, and returns the angular velocity that it has then. `before` is
/// the one it has now.
Vec3 turn_with_momentum(const Sym3& inverse_inertia_local, const Vec3& momentum, const Vec3& before, float h,
                        Quat& rotation);

/// Displaces a body. Turned without a moment, it keeps angular momentum and energy, and not its angular velocity.
void displace(const BodyData& data, const BodyVelocity& shift, BodyVelocity& v, BodyVelocity& delta, Quat& rotation);

/// Moves and turns a body over h. Its angular velocity changes where its inertia is not that of a ball.
void integrate_position(const BodyData& data, bool gyroscopic, float h, BodyVelocity& v, BodyVelocity& delta,
                        Quat& rotation);

/// Moreau's midpoint: all bodies half a sub-step on, so that contacts are looked for at the middle of the step.
void advance_half_step(const StepParams& params, Bodies& bodies, engine::Jobs& jobs);

/// Motion with a velocity that nothing changes, over any time: that of kinematic bodies. Exact, where sub-steps would
/// turn a body by less than its angular velocity says: PhysicsWorld::move_kinematic counts on where it arrives.
void move_uniformly(float time, const BodyVelocity& v, BodyVelocity& delta, Quat& rotation);

/// The velocity of a kinematic body is the mean of a step. A game that lets it go faster and faster changes it from step to
/// step; contacts would feel a blow at the start of each, and nothing in between. They see the velocity grow evenly
/// instead: v + a (t - dt / 2), so that it has moved by v t + a t (t - dt) / 2 at a time t of the step, with a from the step
/// before, where that is an acceleration that what is carried could follow and not a blow. No more of it than there was in the
/// step before that: what starts or stops at once has its velocity for the whole step, and throws nothing.
BodyVelocity acceleration_of(const Bodies& bodies, uint32_t body, const StepParams& params);

/// Kinematic bodies through the whole step, or what Moreau's midpoint left of it: what no constraint moves.
void move_kinematic_bodies(const StepParams& params, Bodies& bodies);

}  // namespace proxima::physics
