// SPDX-License-Identifier: MIT
// Two gears, or a gear and a rack.
#pragma once

#include "physics/joints/joint_parts.h"

namespace proxima::physics {

/// While a and b turn about their x axes by other joints, the turn of b plus `ratio` times that of a stays what it was: two gears that
/// mesh have the ratio of their radii, a belt the same with a minus. With `rack` the way of b along its x axis takes the place of its
/// turn, in m per rad.
struct GearJoint {
    static constexpr std::string_view kTypeName = "gear";  // in scene files

    Entity body_a = kNoEntity, body_b = kNoEntity;
    Vec3 anchor_a{0.0f, 0.0f, 0.0f}, anchor_b{0.0f, 0.0f, 0.0f};                  // body frames
    Quat rotation_a{1.0f, 0.0f, 0.0f, 0.0f}, rotation_b{1.0f, 0.0f, 0.0f, 0.0f};  // joint_anchors() makes both
    float ratio = 1.0f;
    uint32_t rack = 0;
    float break_force = 0.0f, break_torque = 0.0f;  // N, N m: a larger load breaks it; 0: none does
    uint32_t collide_connected = 0;                 // 1: the colliders of the two bodies meet as all others do
};

/// What of it a person can set: the keys of scene files and the fields of the editor, each with its default.
template <class Archive, class Joint>
requires std::is_same_v<std::remove_const_t<Joint>, GearJoint>
void visit_fields(Archive& archive, Joint& joint) {
    visit_frames(archive, joint);
    archive.field("ratio", joint.ratio, 1.0f);
    visit_flag(archive, "rack", joint.rack);
    visit_loads(archive, joint);
}

/// A sentence when its numbers make no sense; nullptr otherwise.
const char* check_fields(const GearJoint& joint);
void describe(const GearJoint& joint, JointData& out);

}  // namespace proxima::physics
