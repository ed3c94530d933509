// SPDX-License-Identifier: MIT
#include "physics/joints/ball_joint.h"

#include "physics/joints/joint_rows.h"

namespace proxima::physics {

const char* check_fields(const BallJoint& joint) {
    if (const char* wrong = check_anchors(joint.anchor_a, joint.anchor_b)) return wrong;
    if (const char* wrong = check_spring(joint.hertz, joint.damping_ratio)) return wrong;
    return check_load(0.0f, joint.break_force, 0.0f);
}

void describe(const BallJoint& joint, JointData& out) {
    out.kind = KindId::ball_joint;
    out.frame_a.origin = joint.anchor_a;
    out.frame_b.origin = joint.anchor_b;
    add_locked({JointAxis::world_x, JointAxis::world_y, JointAxis::world_z}, out, joint.hertz, joint.damping_ratio);
    set_break(joint.break_force, 0.0f, out);
}

}  // namespace proxima::physics
