// SPDX-License-Identifier: MIT
#include "physics/joints/joint_parts.h"

#include <algorithm>
#include <cmath>

#include "physics/joints/joint_rows.h"

namespace proxima::physics {

namespace {

constexpr float kUnitPart = 1e-3f;  // that the length of a rotation may differ from 1

bool is_number(float x, float lowest, float highest) { return x >= lowest && x <= highest; }

bool is_unit(const Quat& q) {
    const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return std::abs(square - 1.0f) < 2.0f * kUnitPart;
}

}  // namespace

Result<JointAnchors> joint_anchors(const Pose& a, const Pose& b, const Vec3& point, const Vec3& axis, const Vec3& y) {
    const float length = glm::length(axis);
    if (!is_finite(point) || !std::isfinite(length) || !(length > 0.0f))
        return Error{"The axis of a joint needs a finite direction that is not zero."};
    const Vec3 x = axis / length;
    Vec3 across = y - x * glm::dot(x, y);
    if (!(glm::length(across) > 1e-3f * glm::length(y)))
        return Error{"The second axis of a joint must not be that of its first."};
    across = glm::normalize(across);
    const Quat frame = glm::quat_cast(glm::mat3(x, across, glm::cross(x, across)));
    const auto local = [&](const Pose& body, Vec3& anchor, Quat& rotation) {
        const Quat back = glm::conjugate(glm::normalize(body.rotation));
        anchor = back * (point - body.position);
        rotation = glm::normalize(back * frame);
    };
    JointAnchors out;
    local(a, out.anchor_a, out.rotation_a);
    local(b, out.anchor_b, out.rotation_b);
    return out;
}

Result<JointAnchors> joint_anchors(const Pose& a, const Pose& b, const Vec3& point, const Vec3& axis) {
    // The axis of the world that is farthest from it.
    const Vec3 size = glm::abs(axis);
    const Vec3 y = size.y <= size.x && size.y <= size.z ? Vec3(0.0f, 1.0f, 0.0f)
                   : size.x <= size.z                   ? Vec3(1.0f, 0.0f, 0.0f)
                                                        : Vec3(0.0f, 0.0f, 1.0f);
    return joint_anchors(a, b, point, axis, y);
}

// ---- checks

const char* check_anchors(const Vec3& anchor_a, const Vec3& anchor_b) {
    for (const Vec3& anchor : {anchor_a, anchor_b}) {
        if (!is_finite(anchor)) return "The anchors of a joint must be finite.";
        if (std::max({std::abs(anchor.x), std::abs(anchor.y), std::abs(anchor.z)}) > kMaxCoordinate)
            return "The anchors of a joint must lie within 10,000 km of their bodies.";
    }
    return nullptr;
}

const char* check_frames(const Vec3& anchor_a, const Vec3& anchor_b, const Quat& rotation_a, const Quat& rotation_b) {
    if (const char* wrong = check_anchors(anchor_a, anchor_b)) return wrong;
    if (!is_unit(rotation_a) || !is_unit(rotation_b))
        return "The rotations of a joint's frames must be quaternions of length 1; joint_anchors() makes them of an "
               "axis.";
    return nullptr;
}

const char* check_spring(float hertz, float damping_ratio) {
    if (!is_number(hertz, 0.0f, 1e5f)) return "The frequency of a joint must lie between 0, for rigid, and 100000 Hz.";
    if (!is_number(damping_ratio, 0.0f, 1e4f)) return "The damping ratio of a joint must lie between 0 and 10000.";
    return nullptr;
}

const char* check_limit(const JointLimit& limit, float lowest, float highest) {
    if (!limit.enabled) return nullptr;
    if (!std::isfinite(limit.lower) || !std::isfinite(limit.upper)) return "The limits of a joint must be finite.";
    if (limit.lower > limit.upper) return "The lower limit of a joint must not lie above its upper one.";
    if (limit.lower < lowest || limit.upper > highest)
        return "The limits of a joint must lie in what it can do: angles between -pi and pi (those of two swings, "
               "within pi / 2 of "
               "zero), lengths above zero.";
    return check_spring(limit.hertz, limit.damping_ratio);
}

const char* check_motor(const JointMotor& motor) {
    if (!motor.enabled) return nullptr;
    if (!is_number(motor.speed, -kMaxSpeed, kMaxSpeed) || !is_number(motor.target, -kMaxCoordinate, kMaxCoordinate))
        return "The speed of a joint's motor must lie within 1e6 m/s or rad/s, its target within 1e7 m or rad.";
    if (!is_number(motor.max_force, 0.0f, kMaxForce))
        return "The largest force of a joint's motor must lie between 0 and 1e15 N or N m.";
    return check_spring(motor.hertz, motor.damping_ratio);
}

const char* check_load(float friction, float break_force, float break_torque) {
    if (!is_number(friction, 0.0f, kMaxForce)) return "The friction of a joint must lie between 0 and 1e15 N or N m.";
    if (!is_number(break_force, 0.0f, kMaxForce) || !is_number(break_torque, 0.0f, kMaxForce))
        return "The force and the torque that break a joint must lie between 0, for never, and 1e15 N or N m.";
    return nullptr;
}

// ---- rows

void set_frames(const Vec3& anchor_a, const Vec3& anchor_b, const Quat& rotation_a, const Quat& rotation_b,
                JointData& out) {
    out.kind = KindId::joint;
    out.frame_a = {anchor_a, glm::normalize(rotation_a)};
    out.frame_b = {anchor_b, glm::normalize(rotation_b)};
}

void set_break(float force, float torque, JointData& out) {
    if (force > 0.0f) out.break_force = force;
    if (torque > 0.0f) out.break_torque = torque;
}

void add_locked(std::initializer_list<JointAxis> axes, JointData& out, float hertz, float damping_ratio) {
    for (const JointAxis axis : axes) {
        JointRow& row = out.add(axis, JointLaw::locked);
        row.hertz = hertz;
        row.damping_ratio = damping_ratio;
    }
}

void add_limit(JointAxis axis, const JointLimit& limit, JointData& out) {
    if (!limit.enabled) return;
    JointRow& row = out.add(axis, JointLaw::limit);
    row.lower = limit.lower;
    row.upper = limit.upper;
    row.hertz = limit.hertz;
    row.damping_ratio = limit.damping_ratio;
}

void add_drive(JointAxis axis, const JointMotor& motor, float friction, JointData& out) {
    if (!motor.enabled && !(friction > 0.0f)) return;
    JointRow& row = out.add(axis, JointLaw::motor);
    row.max_force = motor.enabled ? motor.max_force : friction;
    if (!motor.enabled) return;
    row.speed = motor.speed;
    row.lower = motor.target;
    row.hertz = motor.hertz;
    row.damping_ratio = motor.damping_ratio;
}

}  // namespace proxima::physics
