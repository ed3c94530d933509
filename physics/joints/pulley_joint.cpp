// SPDX-License-Identifier: MIT
#include "physics/joints/pulley_joint.h"

#include "physics/joints/joint_rows.h"

namespace proxima::physics {

const char* check_fields(const PulleyJoint& joint) {
    if (const char* wrong = check_anchors(joint.anchor_a, joint.anchor_b)) return wrong;
    if (const char* wrong = check_anchors(joint.ground_a, joint.ground_b)) return wrong;
    if (!(joint.ratio > 0.0f && joint.ratio <= 1e6f)) return "The ratio of a pulley must be above zero, up to 1e6.";
    if (!(joint.length > 0.0f && joint.length <= kMaxCoordinate))
        return "The length of a pulley's rope must be above zero, up to 10,000 km.";
    return check_load(0.0f, joint.break_force, joint.break_torque);
}

void describe(const PulleyJoint& joint, JointData& out) {
    out.kind = KindId::joint;
    out.frame_a.origin = joint.anchor_a;
    out.frame_b.origin = joint.anchor_b;
    out.ground_a = joint.ground_a;
    out.ground_b = joint.ground_b;
    out.ratio = joint.ratio;
    // The rope is never shorter than none.
    add_limit(JointAxis::pulley, {.enabled = 1, .lower = -kMaxCoordinate, .upper = joint.length}, out);
    out.shown = JointAxis::pulley;
    set_break(joint.break_force, joint.break_torque, out);
}

}  // namespace proxima::physics
