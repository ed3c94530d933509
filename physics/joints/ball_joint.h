// SPDX-License-Identifier: MIT
// A ball joint: one point of a body stays on one point of another, and both turn about it as they like.
#pragma once

#include <string_view>
#include <type_traits>

#include "physics/joints/joint_parts.h"

namespace proxima::physics {

/// An entity of its own; PhysicsWorld::create_joint makes one. What the step writes of it is in its JointState.
struct BallJoint {
    static constexpr std::string_view kTypeName = "ball";  // in scene files

    Entity body_a = kNoEntity, body_b = kNoEntity;
    Vec3 anchor_a{0.0f, 0.0f, 0.0f};  // in the frame of body a
    Vec3 anchor_b{0.0f, 0.0f, 0.0f};  // in the frame of body b
    /// A spring instead of a rigid joint: its natural frequency with the masses that it feels, in 1/s. 0: rigid.
    float hertz = 0.0f;
    float damping_ratio = 1.0f;      // of the spring; 1 is critical
    float break_force = 0.0f;        // N: a larger load breaks it; 0: none does
    uint32_t collide_connected = 0;  // 1: the colliders of the two bodies meet as all others do
};
static_assert(sizeof(BallJoint) == 48);

/// What of it a person can set: the keys of scene files and the fields of the editor, each with its default.
template <class Archive, class Joint>
requires std::is_same_v<std::remove_const_t<Joint>, BallJoint>
void visit_fields(Archive& archive, Joint& joint) {
    const BallJoint usual;
    archive.field("anchor_a", joint.anchor_a, usual.anchor_a);
    archive.field("anchor_b", joint.anchor_b, usual.anchor_b);
    archive.field("hertz", joint.hertz, usual.hertz);
    archive.field("damping_ratio", joint.damping_ratio, usual.damping_ratio);
    archive.field("break_force", joint.break_force, 0.0f);
    visit_flag(archive, "collide_connected", joint.collide_connected);
}

/// A sentence when its numbers make no sense; nullptr otherwise.
const char* check_fields(const BallJoint& joint);
void describe(const BallJoint& joint, JointData& out);

}  // namespace proxima::physics
