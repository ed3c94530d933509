// SPDX-License-Identifier: MIT
// A weld: two bodies keep their place and their turn against each other, rigidly or as springs.
#pragma once

#include "physics/joints/joint_parts.h"

namespace proxima::physics {

/// Holds the frames on each other. With frequencies its ways and its turns are springs with the masses that they feel.
struct WeldJoint {
    static constexpr std::string_view kTypeName = "weld";  // in scene files

    Entity body_a = kNoEntity, body_b = kNoEntity;
    Vec3 anchor_a{0.0f, 0.0f, 0.0f}, anchor_b{0.0f, 0.0f, 0.0f};                  // body frames
    Quat rotation_a{1.0f, 0.0f, 0.0f, 0.0f}, rotation_b{1.0f, 0.0f, 0.0f, 0.0f};  // joint_anchors() makes both
    float linear_hertz = 0.0f, angular_hertz = 0.0f;                              // 0: rigid
    float damping_ratio = 1.0f;
    float break_force = 0.0f, break_torque = 0.0f;  // N, N m: a larger load breaks it; 0: none does
    uint32_t collide_connected = 0;                 // 1: the colliders of the two bodies meet as all others do
};

/// What of it a person can set: the keys of scene files and the fields of the editor, each with its default.
template <class Archive, class Joint>
requires std::is_same_v<std::remove_const_t<Joint>, WeldJoint>
void visit_fields(Archive& archive, Joint& joint) {
    visit_frames(archive, joint);
    archive.field("linear_hertz", joint.linear_hertz, 0.0f);
    archive.field("angular_hertz", joint.angular_hertz, 0.0f);
    archive.field("damping_ratio", joint.damping_ratio, 1.0f);
    visit_loads(archive, joint);
}

/// A sentence when its numbers make no sense; nullptr otherwise.
const char* check_fields(const WeldJoint& joint);
void describe(const WeldJoint& joint, JointData& out);

}  // namespace proxima::physics
