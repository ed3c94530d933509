// SPDX-License-Identifier: MIT
// The lists of bodies and colliders: made anew from the registry, or brought up to date where bodies only
// came and went. Both ways lead to the same lists, bit for bit.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/components.h"

namespace proxima::physics {

struct StepContext;
struct BodyFacts;
struct BodyPlace;
struct ColliderFacts;

inline constexpr uint32_t kNoSlot = 0xFFFFFFFFu;

/// What came and went since the last step, as the registry's signals told it. Not kept while the lists have
/// to be made anew anyway.
struct StructureChanges {
    std::vector<Entity> new_bodies, new_colliders;  // in the order in which they came
    std::vector<Entity> gone_bodies, gone_colliders;

    bool empty() const {
        return new_bodies.empty() && new_colliders.empty() && gone_bodies.empty() && gone_colliders.empty();
    }
    void clear() {
        for (std::vector<Entity>* list : {&new_bodies, &new_colliders, &gone_bodies, &gone_colliders})
            list->clear();
    }
};

/// The slot of a body or a collider in the lists; kNoSlot when it is not there.
uint32_t body_slot(const StepContext& c, Entity body);
uint32_t collider_slot(const StepContext& c, Entity collider);

/// Lists, masses and proxies from the registry, after bodies or colliders came, went or changed in any way.
void rebuild_structure(StepContext& c);  // structure.cpp

/// Whether the changes since the last step can be made to the lists as they are: bodies of the past went,
/// with all their colliders, new ones came, and nobody else's colliders changed. Leaves the slots of those
/// gone in the context, and only what is alive in the changes' lists of new ones.
bool plan_changes(StepContext& c);  // changes.cpp
/// Makes the planned changes: those gone are closed up, the new ones go to the end. Costs little more than
/// moving the slots behind the first that is gone.
void apply_changes(StepContext& c);  // changes.cpp

// ---- what both ways are made of (structure.cpp)

/// Where a pose puts a body's centre of mass. Always by this one expression, so that equal poses give equal
/// places.
BodyPlace place_of(const Pose& pose, const BodyFacts& facts);
BodyFacts facts_of_body(const StepContext& c, Entity body);
/// Of a collider whose body is listed and whose shape exists.
ColliderFacts facts_of_collider(const StepContext& c, Entity collider);
/// Mass of each body from this slot on, whose colliders are all at or behind the given one.
void find_masses(StepContext& c, uint32_t first_body, uint32_t first_collider);
/// Poses of the colliders about their bodies' centres of mass, and the bodies' size and symmetry.
void place_colliders(StepContext& c, uint32_t first_body, uint32_t first_collider);
/// Proxies of new colliders, and what changed of the others.
void update_proxies(StepContext& c, uint32_t first_collider);
/// Arrays that gather fills, for as many bodies as there are facts.
void resize_body_arrays(StepContext& c);

}  // namespace proxima::physics
