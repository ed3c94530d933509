// SPDX-License-Identifier: MIT
// What the actions of the API fuzzer are made of: things that were made earlier, numbers and descriptions, sensible
// ones and nonsense.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "physics/joints/joint_types.h"
#include "physics/physics.h"
#include "tests/fuzz/rig.h"
#include "tests/fuzz/source.h"

namespace proxima::fuzz {

std::string text(const Vec3& v);
std::string text(const Quat& q);
std::string text(physics::Entity e);
std::string text(const physics::Pose& pose);
/// Whether something is to be nonsense.
bool goes_wrong(Rig& rig, Source& source);
float number(Rig& rig, Source& source, float value);
Vec3 numbers(Rig& rig, Source& source, Vec3 v);
/// One that was made, mostly one that is still there; now and then none at all.
physics::Entity pick_entity(Rig& rig, Source& source, const std::vector<Labelled<physics::Entity>>& made);
physics::Entity pick_body(Rig& rig, Source& source);
physics::Entity pick_collider(Rig& rig, Source& source);
physics::Entity pick_joint(Rig& rig, Source& source);
/// The entity of a contact, by the order of the table.
physics::Entity pick_contact(Rig& rig, Source& source);
size_t living_bodies(const Rig& rig);
physics::BodyType body_type(Source& source);
physics::Pose pose(Rig& rig, Source& source);
physics::Velocity velocity(Rig& rig, Source& source);
physics::Material material(Rig& rig, Source& source);
physics::Collider collider(Rig& rig, Source& source);
physics::ContactRules contact_rules(Rig& rig, Source& source);
physics::ShapeDesc random_shape(Rig& rig, Source& source);
physics::Mass mass(Rig& rig, Source& source);
/// Two bodies, mostly near enough for the joint to have nothing to close.
physics::BallJoint ball_joint(Rig& rig, Source& source);
/// A joint of any type with some of its fields written; bodies that are placed mostly fit.
physics::AnyJoint any_joint(Rig& rig, Source& source);
/// Writes some of the fields of a joint.
void scatter_fields(Rig& rig, Source& source, physics::AnyJoint& joint);
std::string text(const physics::BallJoint& joint);

template <class T>
std::string text(const Result<T>& result) {
    return result.ok() ? std::string("ok") : "refused: " + result.error();
}

/// A refusal without a sentence helps nobody.
template <class T>
void check_sentence(Rig& rig, const Result<T>& result, const char* of) {
    if (result.ok()) return;
    if (result.error().size() < 10 || result.error().back() != '.')
        rig.fail(fmt::format("{} was refused without a sentence: '{}'", of, result.error()));
}

/// The thing whose label is the next one above a number, among those that `counts` accepts; nullptr when
/// there are none.
template <class T, class Counts>
const T* find_above(const std::vector<Labelled<T>>& made, uint32_t number, const Counts& counts) {
    const Labelled<T>* best = nullptr;
    for (const Labelled<T>& one : made)
        if (counts(one.thing) && (!best || one.label - number < best->label - number)) best = &one;
    return best ? &best->thing : nullptr;
}

template <class Component>
bool has(const Rig& rig, physics::Entity entity) {
    const entt::registry& registry = rig.world->registry();
    return registry.valid(entity) && registry.all_of<Component>(entity);
}

}  // namespace proxima::fuzz
