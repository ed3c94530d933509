// SPDX-License-Identifier: MIT
// What joints of several types are made of: frames, limits, motors. Plain data, with the scene fields of each.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "physics/components.h"
#include "physics/limits.h"

namespace proxima::physics {

struct JointData;  // joints.h: what solvers see of a joint

/// Bounds of a coordinate: rad or m. With `hertz` they are springs with the masses that they feel, in 1/s.
struct JointLimit {
    uint32_t enabled = 0;
    float lower = 0.0f, upper = 0.0f;
    float hertz = 0.0f, damping_ratio = 1.0f;
};

/// Drives a coordinate to a speed (rad/s or m/s); with `hertz` to `target` (rad or m), by a spring that is damped and as stiff as
/// the masses that it feels make it. It gives no more than `max_force` (N or N m).
struct JointMotor {
    uint32_t enabled = 0;
    float speed = 0.0f;
    float target = 0.0f;
    float hertz = 0.0f, damping_ratio = 1.0f;
    float max_force = kMaxForce;
};

/// A frame on each body: where the joint is, and its axes. The x axis is the axis of hinges, sliders and cones.
struct JointAnchors {
    Vec3 anchor_a{0.0f, 0.0f, 0.0f}, anchor_b{0.0f, 0.0f, 0.0f};
    Quat rotation_a{1.0f, 0.0f, 0.0f, 0.0f}, rotation_b{1.0f, 0.0f, 0.0f, 0.0f};
};
/// The frames of a joint at a point of the world whose x axis has a direction there, on two bodies as they are placed. Where its
/// y axis points to is the same for both, and so every coordinate is zero. A direction of no length has no frames.
Result<JointAnchors> joint_anchors(const Pose& a, const Pose& b, const Vec3& point, const Vec3& axis);
/// The same with a direction that the y axis has as nearly as it can.
Result<JointAnchors> joint_anchors(const Pose& a, const Pose& b, const Vec3& point, const Vec3& axis, const Vec3& y);
/// A joint with these frames: `with_anchors(RevoluteJoint{...}, joint_anchors(...).value())`.
template <class Joint>
Joint with_anchors(Joint joint, const JointAnchors& anchors) {
    joint.anchor_a = anchors.anchor_a;
    joint.anchor_b = anchors.anchor_b;
    joint.rotation_a = anchors.rotation_a;
    joint.rotation_b = anchors.rotation_b;
    return joint;
}

// ---- scene fields

/// A flag that is a number in components.
template <class Archive, class Flag>
void visit_flag(Archive& archive, std::string_view key, Flag& flag) {
    bool on = flag != 0;
    archive.field(key, on, false);
    if constexpr (!std::is_const_v<Flag>) flag = on ? 1 : 0;
}
/// `name` leads the keys: "limit" or "y_limit".
template <class Archive, class Limit>
void visit_limit(Archive& archive, const std::string& name, Limit& limit) {
    const JointLimit usual;
    visit_flag(archive, name, limit.enabled);
    archive.field(name + "_lower", limit.lower, usual.lower);
    archive.field(name + "_upper", limit.upper, usual.upper);
    archive.field(name + "_hertz", limit.hertz, usual.hertz);
    archive.field(name + "_damping_ratio", limit.damping_ratio, usual.damping_ratio);
}
template <class Archive, class Motor>
void visit_motor(Archive& archive, const std::string& name, Motor& motor) {
    const JointMotor usual;
    visit_flag(archive, name, motor.enabled);
    archive.field(name + "_speed", motor.speed, usual.speed);
    archive.field(name + "_target", motor.target, usual.target);
    archive.field(name + "_hertz", motor.hertz, usual.hertz);
    archive.field(name + "_damping_ratio", motor.damping_ratio, usual.damping_ratio);
    archive.field(name + "_max_force", motor.max_force, usual.max_force);
}
template <class Archive, class Joint>
void visit_frames(Archive& archive, Joint& joint) {
    const JointAnchors usual;
    archive.field("anchor_a", joint.anchor_a, usual.anchor_a);
    archive.field("anchor_b", joint.anchor_b, usual.anchor_b);
    archive.field("rotation_a", joint.rotation_a, usual.rotation_a);
    archive.field("rotation_b", joint.rotation_b, usual.rotation_b);
}
template <class Archive, class Joint>
void visit_loads(Archive& archive, Joint& joint) {
    archive.field("break_force", joint.break_force, 0.0f);
    archive.field("break_torque", joint.break_torque, 0.0f);
    visit_flag(archive, "collide_connected", joint.collide_connected);
}

}  // namespace proxima::physics
