// SPDX-License-Identifier: MIT
// The table of joint components: one row a type, made from the type itself. What solvers make of joints is in joint_row.h.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "physics/joints/joints.h"

namespace proxima::physics {

/// The two bodies of a joint.
struct JointBodies {
    Entity a = kNoEntity, b = kNoEntity;
};

struct JointClass {
    std::string_view name;  // in scene files
    /// Entities that carry the component, in any order.
    void (*list)(const entt::registry& registry, std::vector<Entity>& out) = nullptr;
    bool (*owns)(const entt::registry& registry, Entity joint) = nullptr;
    /// The bodies that one of them names, existing or not.
    JointBodies (*bodies)(const entt::registry& registry, Entity joint) = nullptr;
    /// What is wrong with the numbers of one of them, as a sentence; nullptr: nothing.
    const char* (*check)(const entt::registry& registry, Entity joint) = nullptr;
    /// Its frames and rows, its frames in those of the bodies.
    void (*describe)(const entt::registry& registry, Entity joint, JointData& out) = nullptr;
};

/// Each type of JointTypes.
std::span<const JointClass> joint_classes();
/// The row of the type that an entity is a joint of; nullptr: it is none.
const JointClass* joint_class_of(const entt::registry& registry, Entity entity);
/// A sentence when these cannot be the bodies of a joint.
const char* check_joint_bodies(const entt::registry& registry, const JointBodies& bodies);
/// A sentence when a joint cannot be one: no two bodies of this world, or numbers that make no sense.
const char* check_joint(const JointClass& row, const entt::registry& registry, Entity joint);

}  // namespace proxima::physics
