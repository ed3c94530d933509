// SPDX-License-Identifier: MIT
// A slider: two bodies move against each other along one axis.
#pragma once

#include "physics/joints/joint_parts.h"

namespace proxima::physics {

/// Slides along the x axis of frame a. Its way, JointState::position, is that of the origin of b as seen from a.
struct PrismaticJoint {
    static constexpr std::string_view kTypeName = "prismatic";  // in scene files

    Entity body_a = kNoEntity, body_b = kNoEntity;
    Vec3 anchor_a{0.0f, 0.0f, 0.0f}, anchor_b{0.0f, 0.0f, 0.0f};                  // body frames
    Quat rotation_a{1.0f, 0.0f, 0.0f, 0.0f}, rotation_b{1.0f, 0.0f, 0.0f, 0.0f};  // joint_anchors() makes both
    JointLimit limit{};                                                           // m
    JointMotor motor{};                                                           // m/s, m, N
    float friction = 0.0f;                                                        // N, while the motor is off
    float break_force = 0.0f, break_torque = 0.0f;  // N, N m: a larger load breaks it; 0: none does
    uint32_t collide_connected = 0;                 // 1: the colliders of the two bodies meet as all others do
};

/// What of it a person can set: the keys of scene files and the fields of the editor, each with its default.
template <class Archive, class Joint>
requires std::is_same_v<std::remove_const_t<Joint>, PrismaticJoint>
void visit_fields(Archive& archive, Joint& joint) {
    visit_frames(archive, joint);
    visit_limit(archive, "limit", joint.limit);
    visit_motor(archive, "motor", joint.motor);
    archive.field("friction", joint.friction, 0.0f);
    visit_loads(archive, joint);
}

/// A sentence when its numbers make no sense; nullptr otherwise.
const char* check_fields(const PrismaticJoint& joint);
void describe(const PrismaticJoint& joint, JointData& out);

}  // namespace proxima::physics
