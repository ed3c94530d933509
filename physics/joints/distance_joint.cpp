// SPDX-License-Identifier: MIT
#include "physics/joints/distance_joint.h"

#include "physics/joints/joint_rows.h"

namespace proxima::physics {

const char* check_fields(const DistanceJoint& joint) {
    if (const char* wrong = check_anchors(joint.anchor_a, joint.anchor_b)) return wrong;
    const JointLimit limit{1, joint.min_length, joint.max_length, joint.hertz, joint.damping_ratio};
    if (const char* wrong = check_limit(limit, 0.0f, kMaxCoordinate)) return wrong;
    if (!(joint.max_length > 0.0f))
        return "The largest length of a distance joint must be above zero; a BallJoint holds two points on each other.";
    if (const char* wrong = check_motor(joint.motor)) return wrong;
    return check_load(0.0f, joint.break_force, joint.break_torque);
}

void describe(const DistanceJoint& joint, JointData& out) {
    out.kind = KindId::joint;
    out.frame_a.origin = joint.anchor_a;
    out.frame_b.origin = joint.anchor_b;
    out.shown = JointAxis::distance;
    if (joint.min_length < joint.max_length)
        add_limit(JointAxis::distance,
                  {1, joint.min_length > 0.0f ? joint.min_length : -kMaxCoordinate, joint.max_length, joint.hertz,
                   joint.damping_ratio},
                  out);
    else {
        add_locked({JointAxis::distance}, out, joint.hertz, joint.damping_ratio);
        out.rows[out.row_count - 1].lower = joint.max_length;
    }
    add_drive(JointAxis::distance, joint.motor, 0.0f, out);
    set_break(joint.break_force, joint.break_torque, out);
}

}  // namespace proxima::physics
