// SPDX-License-Identifier: MIT
// A rope over two points of the world.
#pragma once

#include "physics/joints/joint_parts.h"

namespace proxima::physics {

/// The rope from `ground_a` to a plus `ratio` times that from `ground_b` to b is no longer than `length`. JointState::position is what
/// it is now.
struct PulleyJoint {
    static constexpr std::string_view kTypeName = "pulley";  // in scene files

    Entity body_a = kNoEntity, body_b = kNoEntity;
    Vec3 anchor_a{0.0f, 0.0f, 0.0f}, anchor_b{0.0f, 0.0f, 0.0f};  // body frames
    Vec3 ground_a{0.0f, 0.0f, 0.0f}, ground_b{0.0f, 0.0f, 0.0f};  // world
    float ratio = 1.0f;                                           // of a block and tackle on b
    float length = 1.0f;                                          // m
    float break_force = 0.0f, break_torque = 0.0f;                // N, N m: a larger load breaks it; 0: none does
    uint32_t collide_connected = 0;  // 1: the colliders of the two bodies meet as all others do
};

/// What of it a person can set: the keys of scene files and the fields of the editor, each with its default.
template <class Archive, class Joint>
requires std::is_same_v<std::remove_const_t<Joint>, PulleyJoint>
void visit_fields(Archive& archive, Joint& joint) {
    archive.field("anchor_a", joint.anchor_a, Vec3(0.0f));
    archive.field("anchor_b", joint.anchor_b, Vec3(0.0f));
    archive.field("ground_a", joint.ground_a, Vec3(0.0f));
    archive.field("ground_b", joint.ground_b, Vec3(0.0f));
    archive.field("ratio", joint.ratio, 1.0f);
    archive.field("length", joint.length, 1.0f);
    visit_loads(archive, joint);
}

/// A sentence when its numbers make no sense; nullptr otherwise.
const char* check_fields(const PulleyJoint& joint);
void describe(const PulleyJoint& joint, JointData& out);

}  // namespace proxima::physics
