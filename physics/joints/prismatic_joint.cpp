// SPDX-License-Identifier: MIT
#include "physics/joints/prismatic_joint.h"

#include "physics/joints/joint_rows.h"

namespace proxima::physics {

const char* check_fields(const PrismaticJoint& joint) {
    if (const char* wrong = check_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b))
        return wrong;
    if (const char* wrong = check_limit(joint.limit, -kMaxCoordinate, kMaxCoordinate)) return wrong;
    if (const char* wrong = check_motor(joint.motor)) return wrong;
    return check_load(joint.friction, joint.break_force, joint.break_torque);
}

void describe(const PrismaticJoint& joint, JointData& out) {
    set_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b, out);
    add_locked({JointAxis::y, JointAxis::z, JointAxis::turn_x, JointAxis::turn_y, JointAxis::turn_z}, out);
    add_limit(JointAxis::x, joint.limit, out);
    out.shown = JointAxis::x;
    add_drive(JointAxis::x, joint.motor, joint.friction, out);
    set_break(joint.break_force, joint.break_torque, out);
}

}  // namespace proxima::physics
