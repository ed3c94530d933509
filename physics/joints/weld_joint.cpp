// SPDX-License-Identifier: MIT
#include "physics/joints/weld_joint.h"

#include "physics/joints/joint_rows.h"

namespace proxima::physics {

const char* check_fields(const WeldJoint& joint) {
    if (const char* wrong = check_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b))
        return wrong;
    if (const char* wrong = check_spring(joint.linear_hertz, joint.damping_ratio)) return wrong;
    if (const char* wrong = check_spring(joint.angular_hertz, joint.damping_ratio)) return wrong;
    return check_load(0.0f, joint.break_force, joint.break_torque);
}

void describe(const WeldJoint& joint, JointData& out) {
    set_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b, out);
    add_locked({JointAxis::world_x, JointAxis::world_y, JointAxis::world_z}, out, joint.linear_hertz,
               joint.damping_ratio);
    add_locked({JointAxis::turn_x, JointAxis::turn_y, JointAxis::turn_z}, out, joint.angular_hertz,
               joint.damping_ratio);
    set_break(joint.break_force, joint.break_torque, out);
}

}  // namespace proxima::physics
