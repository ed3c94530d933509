// SPDX-License-Identifier: MIT
// From the components of joints to what solvers see of them: checks and rows that several types share.
#pragma once

#include <initializer_list>

#include "physics/joints/joint_parts.h"
#include "physics/joints/joints.h"

namespace proxima::physics {

// ---- checks: a sentence when the numbers make no sense; nullptr otherwise
const char* check_frames(const Vec3& anchor_a, const Vec3& anchor_b, const Quat& rotation_a, const Quat& rotation_b);
const char* check_anchors(const Vec3& anchor_a, const Vec3& anchor_b);
const char* check_spring(float hertz, float damping_ratio);
/// `lowest` and `highest`: what the coordinate can be at all.
const char* check_limit(const JointLimit& limit, float lowest, float highest);
const char* check_motor(const JointMotor& motor);
/// Friction of a joint, and the loads that break it; 0: none.
const char* check_load(float friction, float break_force, float break_torque);

// ---- rows
void set_frames(const Vec3& anchor_a, const Vec3& anchor_b, const Quat& rotation_a, const Quat& rotation_b,
                JointData& out);
void set_break(float force, float torque, JointData& out);
void add_locked(std::initializer_list<JointAxis> axes, JointData& out, float hertz = 0.0f, float damping_ratio = 1.0f);
void add_limit(JointAxis axis, const JointLimit& limit, JointData& out);
/// The motor of a coordinate, or the friction (N or N m) that it has while the motor is off.
void add_drive(JointAxis axis, const JointMotor& motor, float friction, JointData& out);

}  // namespace proxima::physics
