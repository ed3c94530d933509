// SPDX-License-Identifier: MIT
// A ball and socket with a cone, a twist, friction and a spring: shoulders and hips.
#pragma once

#include "physics/joints/joint_parts.h"

namespace proxima::physics {

/// Turns about the origin of its frames. The x axis of b stays in a cone about that of a, and the turn about it within its own
/// limits. Without any of these a BallJoint does the same for less.
struct SphericalJoint {
    static constexpr std::string_view kTypeName = "spherical";  // in scene files

    Entity body_a = kNoEntity, body_b = kNoEntity;
    Vec3 anchor_a{0.0f, 0.0f, 0.0f}, anchor_b{0.0f, 0.0f, 0.0f};                  // body frames
    Quat rotation_a{1.0f, 0.0f, 0.0f, 0.0f}, rotation_b{1.0f, 0.0f, 0.0f, 0.0f};  // joint_anchors() makes both
    float cone_angle = kPi;                                                       // rad, of the half cone; pi: none
    JointLimit twist{};                                                           // rad, within -pi and pi
    float hertz = 0.0f, damping_ratio = 1.0f;       // of a spring that turns the frames onto each other; 0: none
    float max_torque = kMaxForce;                   // N m, of that spring
    float friction = 0.0f;                          // N m, about each axis
    float break_force = 0.0f, break_torque = 0.0f;  // N, N m: a larger load breaks it; 0: none does
    uint32_t collide_connected = 0;                 // 1: the colliders of the two bodies meet as all others do
};

/// What of it a person can set: the keys of scene files and the fields of the editor, each with its default.
template <class Archive, class Joint>
requires std::is_same_v<std::remove_const_t<Joint>, SphericalJoint>
void visit_fields(Archive& archive, Joint& joint) {
    visit_frames(archive, joint);
    archive.field("cone_angle", joint.cone_angle, Joint{}.cone_angle);
    visit_limit(archive, "twist", joint.twist);
    archive.field("hertz", joint.hertz, 0.0f);
    archive.field("damping_ratio", joint.damping_ratio, 1.0f);
    archive.field("max_torque", joint.max_torque, kMaxForce);
    archive.field("friction", joint.friction, 0.0f);
    visit_loads(archive, joint);
}

/// A sentence when its numbers make no sense; nullptr otherwise.
const char* check_fields(const SphericalJoint& joint);
void describe(const SphericalJoint& joint, JointData& out);

}  // namespace proxima::physics
