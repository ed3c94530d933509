// SPDX-License-Identifier: MIT
// The general joint: each of six coordinates locked, limited or free, with a motor.
#pragma once

#include "physics/joints/joint_parts.h"

namespace proxima::physics {

/// One coordinate of it.
struct JointFreedom {
    uint32_t locked = 1;
    JointLimit limit{};
    JointMotor motor{};
};

/// Ways along the x, y and z axes of frame a, then the twist about x and the swings about y and z, in this order. What is neither
/// locked nor limited is free.
struct SixDofJoint {
    static constexpr std::string_view kTypeName = "six_dof";  // in scene files

    Entity body_a = kNoEntity, body_b = kNoEntity;
    Vec3 anchor_a{0.0f, 0.0f, 0.0f}, anchor_b{0.0f, 0.0f, 0.0f};                  // body frames
    Quat rotation_a{1.0f, 0.0f, 0.0f, 0.0f}, rotation_b{1.0f, 0.0f, 0.0f, 0.0f};  // joint_anchors() makes both
    JointFreedom axis[6] = {};
    float break_force = 0.0f, break_torque = 0.0f;  // N, N m: a larger load breaks it; 0: none does
    uint32_t collide_connected = 0;                 // 1: the colliders of the two bodies meet as all others do
};

/// What of it a person can set: the keys of scene files and the fields of the editor, each with its default.
template <class Archive, class Joint>
requires std::is_same_v<std::remove_const_t<Joint>, SixDofJoint>
void visit_fields(Archive& archive, Joint& joint) {
    visit_frames(archive, joint);
    constexpr std::string_view kNames[6] = {"x", "y", "z", "twist", "swing_y", "swing_z"};
    for (size_t k = 0; k < 6; ++k) {
        const std::string name(kNames[k]);
        bool locked = joint.axis[k].locked != 0;
        archive.field(name + "_locked", locked, true);
        if constexpr (!std::is_const_v<Joint>) joint.axis[k].locked = locked ? 1 : 0;
        visit_limit(archive, name + "_limit", joint.axis[k].limit);
        visit_motor(archive, name + "_motor", joint.axis[k].motor);
    }
    visit_loads(archive, joint);
}

/// A sentence when its numbers make no sense; nullptr otherwise.
const char* check_fields(const SixDofJoint& joint);
void describe(const SixDofJoint& joint, JointData& out);

}  // namespace proxima::physics
