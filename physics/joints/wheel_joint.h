// SPDX-License-Identifier: MIT
// A wheel on its suspension: body a is the car, body b the wheel.
#pragma once

#include "physics/joints/joint_parts.h"

namespace proxima::physics {

/// The wheel turns about its x axis, which is the axle, and moves along the y axis of frame a, on a spring. Steered by turning the
/// axle about that y axis. JointState::position is the way of the suspension.
struct WheelJoint {
    static constexpr std::string_view kTypeName = "wheel";  // in scene files

    Entity body_a = kNoEntity, body_b = kNoEntity;
    Vec3 anchor_a{0.0f, 0.0f, 0.0f}, anchor_b{0.0f, 0.0f, 0.0f};                  // body frames
    Quat rotation_a{1.0f, 0.0f, 0.0f, 0.0f}, rotation_b{1.0f, 0.0f, 0.0f, 0.0f};  // joint_anchors() makes both
    float hertz = 2.0f, damping_ratio = 0.7f;       // of the suspension, which rests at zero; 0 Hz: it moves freely
    JointLimit travel{};                            // m, of the suspension
    JointMotor motor{};                             // rad/s, rad, N m, about the axle
    float friction = 0.0f;                          // N m, of the brake, while the motor is off
    float steering = 0.0f;                          // rad, about the y axis of frame a
    float break_force = 0.0f, break_torque = 0.0f;  // N, N m: a larger load breaks it; 0: none does
    uint32_t collide_connected = 0;                 // 1: the colliders of the two bodies meet as all others do
};

/// What of it a person can set: the keys of scene files and the fields of the editor, each with its default.
template <class Archive, class Joint>
requires std::is_same_v<std::remove_const_t<Joint>, WheelJoint>
void visit_fields(Archive& archive, Joint& joint) {
    visit_frames(archive, joint);
    archive.field("hertz", joint.hertz, Joint{}.hertz);
    archive.field("damping_ratio", joint.damping_ratio, Joint{}.damping_ratio);
    visit_limit(archive, "travel", joint.travel);
    visit_motor(archive, "motor", joint.motor);
    archive.field("friction", joint.friction, 0.0f);
    archive.field("steering", joint.steering, 0.0f);
    visit_loads(archive, joint);
}

/// A sentence when its numbers make no sense; nullptr otherwise.
const char* check_fields(const WheelJoint& joint);
void describe(const WheelJoint& joint, JointData& out);

}  // namespace proxima::physics
