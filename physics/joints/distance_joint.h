// SPDX-License-Identifier: MIT
// A rod, a rope or a spring between two points.
#pragma once

#include "physics/joints/joint_parts.h"

namespace proxima::physics {

/// Keeps its anchors between two distances: equal ones make a rod, a lower one of zero a rope. With `hertz` it is a spring, which
/// a rope is only while it is taut. JointState::position is the distance.
struct DistanceJoint {
    static constexpr std::string_view kTypeName = "distance";  // in scene files

    Entity body_a = kNoEntity, body_b = kNoEntity;
    Vec3 anchor_a{0.0f, 0.0f, 0.0f}, anchor_b{0.0f, 0.0f, 0.0f};  // body frames
    float min_length = 0.0f, max_length = 1.0f;                   // m
    float hertz = 0.0f, damping_ratio = 1.0f;                     // 0: rigid
    JointMotor motor{};                                           // m/s, m, N: a winch
    float break_force = 0.0f, break_torque = 0.0f;                // N, N m: a larger load breaks it; 0: none does
    uint32_t collide_connected = 0;  // 1: the colliders of the two bodies meet as all others do
};

/// What of it a person can set: the keys of scene files and the fields of the editor, each with its default.
template <class Archive, class Joint>
requires std::is_same_v<std::remove_const_t<Joint>, DistanceJoint>
void visit_fields(Archive& archive, Joint& joint) {
    archive.field("anchor_a", joint.anchor_a, Vec3(0.0f));
    archive.field("anchor_b", joint.anchor_b, Vec3(0.0f));
    archive.field("min_length", joint.min_length, 0.0f);
    archive.field("max_length", joint.max_length, 1.0f);
    archive.field("hertz", joint.hertz, 0.0f);
    archive.field("damping_ratio", joint.damping_ratio, 1.0f);
    visit_motor(archive, "motor", joint.motor);
    visit_loads(archive, joint);
}

/// A sentence when its numbers make no sense; nullptr otherwise.
const char* check_fields(const DistanceJoint& joint);
void describe(const DistanceJoint& joint, JointData& out);

}  // namespace proxima::physics
