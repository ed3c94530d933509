// SPDX-License-Identifier: MIT
#include "physics/joints/revolute_joint.h"

#include "physics/joints/joint_rows.h"

namespace proxima::physics {

const char* check_fields(const RevoluteJoint& joint) {
    if (const char* wrong = check_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b))
        return wrong;
    if (const char* wrong = check_limit(joint.limit, -kPi, kPi)) return wrong;
    if (const char* wrong = check_motor(joint.motor)) return wrong;
    return check_load(joint.friction, joint.break_force, joint.break_torque);
}

void describe(const RevoluteJoint& joint, JointData& out) {
    set_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b, out);
    add_locked({JointAxis::world_x, JointAxis::world_y, JointAxis::world_z, JointAxis::swing_y, JointAxis::swing_z},
               out);
    add_limit(JointAxis::twist, joint.limit, out);
    out.shown = JointAxis::twist;
    add_drive(JointAxis::twist, joint.motor, joint.friction, out);
    set_break(joint.break_force, joint.break_torque, out);
}

}  // namespace proxima::physics
