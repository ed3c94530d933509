// SPDX-License-Identifier: MIT
#include "physics/joints/spherical_joint.h"

#include "physics/joints/joint_rows.h"

namespace proxima::physics {

const char* check_fields(const SphericalJoint& joint) {
    if (const char* wrong = check_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b))
        return wrong;
    if (!(joint.cone_angle >= 0.0f && joint.cone_angle <= 1.001f * kPi))
        return "The cone of a joint must lie between 0 and pi.";
    if (const char* wrong = check_limit(joint.twist, -kPi, kPi)) return wrong;
    if (const char* wrong = check_spring(joint.hertz, joint.damping_ratio)) return wrong;
    if (!(joint.max_torque >= 0.0f && joint.max_torque <= kMaxForce))
        return "The largest torque of a joint's spring must lie between 0 and 1e15 N m.";
    return check_load(joint.friction, joint.break_force, joint.break_torque);
}

void describe(const SphericalJoint& joint, JointData& out) {
    set_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b, out);
    add_locked({JointAxis::world_x, JointAxis::world_y, JointAxis::world_z}, out);
    out.shown = JointAxis::cone;
    if (joint.cone_angle < kPi) {
        // The angle is never below zero: its lower limit is out of reach.
        add_limit(JointAxis::cone, {.enabled = 1, .lower = -4.0f, .upper = joint.cone_angle}, out);
    }
    add_limit(JointAxis::twist, joint.twist, out);
    for (const JointAxis axis : {JointAxis::turn_x, JointAxis::turn_y, JointAxis::turn_z}) {
        if (joint.hertz > 0.0f)
            add_drive(axis,
                      {.enabled = 1,
                       .hertz = joint.hertz,
                       .damping_ratio = joint.damping_ratio,
                       .max_force = joint.max_torque},
                      0.0f, out);
        add_drive(axis, {}, joint.friction, out);
    }
    set_break(joint.break_force, joint.break_torque, out);
}

}  // namespace proxima::physics
