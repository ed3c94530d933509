// SPDX-License-Identifier: MIT
// A ball joint: one point of a body stays on one point of another, and both turn about it as they like.
#pragma once

#include "physics/components.h"

namespace proxima::physics {

/// An entity of its own; PhysicsWorld::create_joint makes one. What the step writes of it is in its JointState.
struct BallJoint {
    Entity body_a = kNoEntity, body_b = kNoEntity;
    Vec3 anchor_a{0.0f, 0.0f, 0.0f};  // in the frame of body a
    Vec3 anchor_b{0.0f, 0.0f, 0.0f};  // in the frame of body b
    /// A spring instead of a rigid joint: its natural frequency with the masses that it feels, in 1/s. 0: rigid.
    float hertz = 0.0f;
    float damping_ratio = 1.0f;      // of the spring; 1 is critical
    uint32_t collide_connected = 0;  // 1: the colliders of the two bodies meet as all others do
};
static_assert(sizeof(BallJoint) == 44);

}  // namespace proxima::physics
