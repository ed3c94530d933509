// SPDX-License-Identifier: MIT
#include "physics/joints/ball_joint.h"

#include "physics/joints/joint_checks.h"

namespace proxima::physics {

const char* check_fields(const BallJoint& joint) {
    if (const char* wrong = check_anchors({joint.anchor_a, joint.anchor_b})) return wrong;
    return check_spring(joint.hertz, joint.damping_ratio);
}

void describe(const BallJoint& joint, JointData& out) {
    out.kind = KindId::ball_joint;
    out.frame_a.origin = joint.anchor_a;
    out.frame_b.origin = joint.anchor_b;
    for (const JointAxis axis : {JointAxis::world_x, JointAxis::world_y, JointAxis::world_z}) {
        JointRow& row = out.add(axis, JointLaw::locked);
        row.hertz = joint.hertz;
        row.damping_ratio = joint.damping_ratio;
    }
}

}  // namespace proxima::physics
