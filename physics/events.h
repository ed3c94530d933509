// SPDX-License-Identifier: MIT
// What happened between colliders in a step, read as arrays after it.
#pragma once

#include <functional>
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
/// A contact that closed faster than its hit speed (the world's, or that of its colliders' rules), with the impulse that the solver really applied.
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
/// A collider that overlaps a sensor since the step began, or does so no longer. The two bodies may be asleep.
struct SensorBegin {
    Entity sensor, other, sensor_body, other_body;
};
static_assert(sizeof(SensorBegin) == 16);
struct SensorEnd {
    Entity sensor, other, sensor_body, other_body;
};
static_assert(sizeof(SensorEnd) == 16);
/// A contact of a collider with a force threshold, in every step in which its force is larger.
struct ContactForce {
    Entity pair, collider_a, collider_b, body_a, body_b;
    Vec3 point;   // world: the middle of the points, each counted by what it carries
    Vec3 normal;  // from a to b, of the point that carries most
    Vec3 force;   // N, on b, of the whole pair, friction included: the mean of the step
};
static_assert(sizeof(ContactForce) == 56);
/// A collider whose contacts would have given more than its break_impulse in this step, blows of the last one counted in.
/// They gave that much, and what it broke against goes on with the rest of its momentum; the collider has no contacts from
/// now on.
struct ContactBreak {
    Entity collider, body;              // what broke
    Entity other_collider, other_body;  // against what most of the impulse went
    Vec3 point;                         // world, of that one, where most of the impulse acted
    Vec3 normal;                        // from what broke to the other
    float impulse = 0.0f;               // N s along the normals, of all its contacts together: the break_impulse
    float unbroken_impulse = 0.0f;      // N s that they would have given
};
static_assert(sizeof(ContactBreak) == 48);

/// A contact of a modifiable collider in the step that is about to be solved, for the world's contact modifier. What
/// stands below the line is the modifier's to change, for this step.
struct ModifiableContact {
    Entity collider_a = kNoEntity, collider_b = kNoEntity, body_a = kNoEntity, body_b = kNoEntity;
    Vec3 normal{0.0f, 1.0f, 0.0f};  // from a to b, world
    uint32_t count = 0;             // of its points
    Vec3 points[4] = {};            // world
    float separation[4] = {};       // m; negative: overlap
    // ----
    float friction = 0.0f;
    float restitution = 0.0f;
    Vec3 surface_velocity{0.0f, 0.0f, 0.0f};  // m/s, world, of b's surface against a's; what lies along the surface
    uint32_t enabled = 1;                     // 0: no contact in this step
};

/// Changes contacts before they are solved.
using ContactModifier = std::function<void(std::span<ModifiableContact>)>;

/// A contact patch as it is after the last step, with the names of what it is between.
struct ContactView {
    Entity pair = kNoEntity, collider_a = kNoEntity, collider_b = kNoEntity, body_a = kNoEntity, body_b = kNoEntity;
    bool touching = false;                       // the pair
    const Manifold* manifold = nullptr;          // its frame points from a to b
    const ExtendedFriction* extended = nullptr;  // nullptr: friction is a disk
};

/// What a world tells of its last step, in the order of the pairs' stable ids.
struct ContactEvents {
    /// PhysicsWorld::step_number(): a game that steps through a time again drops what it has told of (docs/rollback.md).
    uint64_t step = 0;
    std::span<const ContactBegin> begin;
    std::span<const ContactEnd> end;
    std::span<const ContactHit> hit;
    std::span<const ContactForce> force;
    std::span<const ContactBreak> broken;
    std::span<const SensorBegin> sensor_begin;
    std::span<const SensorEnd> sensor_end;
};

/// Where they are kept, in the order of the pairs' stable ids.
struct Events {
    std::vector<ContactBegin> begin;
    std::vector<ContactEnd> end;
    std::vector<ContactHit> hit;
    std::vector<JointBreak> joint_breaks;  // in the order of the joints' stable ids
    std::vector<ContactForce> force;
    std::vector<ContactBreak> broken;
    std::vector<SensorBegin> sensor_begin;
    std::vector<SensorEnd> sensor_end;

    void clear() {
        begin.clear();
        end.clear();
        hit.clear();
        force.clear();
        broken.clear();
        sensor_begin.clear();
        sensor_end.clear();
        joint_breaks.clear();
    }
    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(begin, end, hit, force, broken, sensor_begin, sensor_end, joint_breaks);
    }
};

}  // namespace proxima::physics
