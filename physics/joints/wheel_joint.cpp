// SPDX-License-Identifier: MIT
#include "physics/joints/wheel_joint.h"

#include "physics/joints/joint_rows.h"

namespace proxima::physics {

const char* check_fields(const WheelJoint& joint) {
    if (const char* wrong = check_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b))
        return wrong;
    if (const char* wrong = check_spring(joint.hertz, joint.damping_ratio)) return wrong;
    if (const char* wrong = check_limit(joint.travel, -kMaxCoordinate, kMaxCoordinate)) return wrong;
    if (const char* wrong = check_motor(joint.motor)) return wrong;
    if (!(joint.steering >= -1.5f && joint.steering <= 1.5f))
        return "The steering of a wheel must lie between -1.5 and 1.5 rad.";
    return check_load(joint.friction, joint.break_force, joint.break_torque);
}

void describe(const WheelJoint& joint, JointData& out) {
    const Quat steered = joint.rotation_a * glm::angleAxis(joint.steering, Vec3(0.0f, 1.0f, 0.0f));
    set_frames(joint.anchor_a, joint.anchor_b, steered, joint.rotation_b, out);
    add_locked({JointAxis::x, JointAxis::z, JointAxis::swing_y, JointAxis::swing_z}, out);
    add_limit(JointAxis::y, joint.travel, out);
    if (joint.hertz > 0.0f)
        add_drive(JointAxis::y, {.enabled = 1, .hertz = joint.hertz, .damping_ratio = joint.damping_ratio}, 0.0f, out);
    out.shown = JointAxis::y;
    add_drive(JointAxis::twist, joint.motor, joint.friction, out);
    set_break(joint.break_force, joint.break_torque, out);
}

}  // namespace proxima::physics
