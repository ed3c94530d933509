// SPDX-License-Identifier: MIT
#include "physics/joints/six_dof_joint.h"

#include "physics/joints/joint_rows.h"

namespace proxima::physics {

const char* check_fields(const SixDofJoint& joint) {
    if (const char* wrong = check_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b))
        return wrong;
    for (uint32_t k = 0; k < 6; ++k) {
        const float most = k < 3 ? kMaxCoordinate : k == 3 ? kPi : 0.5f * kPi;
        if (joint.axis[k].locked) continue;
        if (const char* wrong = check_limit(joint.axis[k].limit, -most, most)) return wrong;
        if (const char* wrong = check_motor(joint.axis[k].motor)) return wrong;
    }
    return check_load(0.0f, joint.break_force, joint.break_torque);
}

void describe(const SixDofJoint& joint, JointData& out) {
    set_frames(joint.anchor_a, joint.anchor_b, joint.rotation_a, joint.rotation_b, out);
    constexpr JointAxis kAxes[6] = {JointAxis::x,     JointAxis::y,       JointAxis::z,
                                    JointAxis::twist, JointAxis::swing_y, JointAxis::swing_z};
    const bool stiff = joint.axis[3].locked && joint.axis[4].locked && joint.axis[5].locked;
    for (uint32_t k = 0; k < 6; ++k)
        if (joint.axis[k].locked && (k < 3 || !stiff)) add_locked({kAxes[k]}, out);
    if (stiff) add_locked({JointAxis::turn_x, JointAxis::turn_y, JointAxis::turn_z}, out);
    for (uint32_t k = 0; k < 6; ++k)
        if (!joint.axis[k].locked) add_limit(kAxes[k], joint.axis[k].limit, out);
    for (uint32_t k = 0; k < 6; ++k)
        if (!joint.axis[k].locked) add_drive(kAxes[k], joint.axis[k].motor, 0.0f, out);
    for (uint32_t k = 0; k < 6; ++k)
        if (!joint.axis[k].locked) {
            out.shown = kAxes[k];
            break;
        }
    set_break(joint.break_force, joint.break_torque, out);
}

}  // namespace proxima::physics
