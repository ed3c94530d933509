// SPDX-License-Identifier: MIT
// What happened between colliders in a step, read as arrays after it.
#pragma once

#include <span>
#include <vector>

#include "physics/components.h"

namespace proxima::physics {

struct ContactBegin {
    Entity pair, collider_a, collider_b, body_a, body_b;
};
static_assert(sizeof(ContactBegin) == 20);
struct ContactEnd {
    Entity collider_a, collider_b, body_a, body_b;
};
static_assert(sizeof(ContactEnd) == 16);
/// A contact that closed faster than the world's hit speed, with the impulse that the solver really applied.
struct ContactHit {
    Entity pair, collider_a, collider_b, body_a, body_b;
    Vec3 point;                    // world
    Vec3 normal;                   // from a to b
    float approach_speed = 0.0f;   // m/s
    float normal_impulse = 0.0f;   // N s, whole manifold, whole step
    float tangent_impulse = 0.0f;  // N s, length of the summed friction impulse
};
static_assert(sizeof(ContactHit) == 56);

/// A joint whose load went beyond what it bears. The joint stays, without effect, until JointState::broken is 0 again.
struct JointBreak {
    Entity joint, body_a, body_b;
    float force = 0.0f, torque = 0.0f;  // N, N m: means of the step
};
static_assert(sizeof(JointBreak) == 20);

/// A contact patch as it is after the last step, with the names of what it is between.
struct ContactView {
    Entity pair = kNoEntity, collider_a = kNoEntity, collider_b = kNoEntity, body_a = kNoEntity, body_b = kNoEntity;
    bool touching = false;                       // the pair
    const Manifold* manifold = nullptr;          // its frame points from a to b
    const ExtendedFriction* extended = nullptr;  // nullptr: friction is a disk
};

/// What a world tells of its last step, in the order of the pairs' stable ids.
struct ContactEvents {
    std::span<const ContactBegin> begin;
    std::span<const ContactEnd> end;
    std::span<const ContactHit> hit;
};

/// Where they are kept, in the order of the pairs' stable ids.
struct Events {
    std::vector<ContactBegin> begin;
    std::vector<ContactEnd> end;
    std::vector<ContactHit> hit;
    std::vector<JointBreak> joint_breaks;  // in the order of the joints' stable ids

    void clear() {
        begin.clear();
        end.clear();
        hit.clear();
        joint_breaks.clear();
    }
    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(begin, end, hit, joint_breaks);
    }
};

}  // namespace proxima::physics
