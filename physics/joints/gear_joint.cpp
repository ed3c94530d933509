// SPDX-License-Identifier: MIT
#include "physics/joints/gear_joint.h"

#include "physics/joints/joint_rows.h"

#include <cmath>

namespace proxima::physics {

const char* check_fields(const GearJoint& joint) {
    if (const char* wrong = check_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b))
        return wrong;
    if (!(std::isfinite(joint.ratio) && joint.ratio != 0.0f && std::abs(joint.ratio) <= 1e6f))
        return "The ratio of a gear must be a number other than zero, up to 1e6.";
    return check_load(0.0f, joint.break_force, joint.break_torque);
}

void describe(const GearJoint& joint, JointData& out) {
    set_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b, out);
    out.ratio = joint.ratio;
    add_locked({joint.rack ? JointAxis::rack : JointAxis::gear}, out);
    out.shown = out.rows[0].axis;
    set_break(joint.break_force, joint.break_torque, out);
}

}  // namespace proxima::physics
