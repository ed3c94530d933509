// SPDX-License-Identifier: MIT
// The lists of bodies and colliders: made anew from the registry, or brought up to date where bodies only
// came and went. Both ways lead to the same lists, bit for bit.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "physics/bodies/bodies.h"
#include "physics/bodies/mass.h"
#include "physics/colliders/colliders.h"
#include "physics/pairs/pairs.h"
#include "physics/structure/structure_log.h"

namespace proxima::physics {

/// Lists that only the syncing needs.
struct StructureScratch {
    std::vector<uint64_t> sort_keys;
    std::vector<Entity> entities;
    std::vector<Entity> lightened_bodies;  // that lost much of their mass; ascending
    std::vector<MassAccumulator> mass_sums;
    std::vector<uint32_t> gone_bodies, gone_colliders;  // slots
    std::vector<uint32_t> changed_slots;                // of bodies, ascending
    std::vector<uint32_t> collider_slots;               // of one body, ascending
    std::vector<ProxyId> near;                          // one of its boxes
    std::vector<uint32_t> new_slot, new_collider_slot;  // by old slot
    engine::ComponentWatch<StableId> ids;

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(sort_keys, entities, lightened_bodies, mass_sums, gone_bodies, gone_colliders, changed_slots,
                        collider_slots, near, new_slot, new_collider_slot);
        archive.derived_bytes(ids.bytes());
    }
};

/// The owners that syncing brings up to date.
struct StructureLists {
    BodyList& body_list;
    uint32_t& next_stable_id;
    const ShapeLibrary& shapes;
    Bodies& bodies;
    Colliders& colliders;
    Pairs& pairs;
    StructureScratch& scratch;
};

// ---- stage

/// Brings the lists up to what the registry has now: bodies, colliders, masses, boxes' proxies, pairs. Components of
/// colliders that were written without the registry's signals are found by comparing.
void sync_structure(entt::registry& registry, StructureLog& log, StructureLists lists, const StepTools& tools);

// ---- what both ways are made of

/// Whether what came and went since the last step can be brought into the lists as they are: bodies went with all their
/// colliders, and new bodies and colliders came. Those that stay and got or lost colliders are noted as changed. Leaves the slots of those
/// gone in the scratch, and only what is alive in the log's lists of new ones.
bool plan_changes(const entt::registry& registry, StructureLog& log, const StructureLists& lists);  // changes.cpp
/// Makes the planned changes: those gone are closed up, the new ones go to the end. Costs little more than
/// moving the slots behind the first that is gone.
void apply_changes(entt::registry& registry, const StructureLog& log, StructureLists& lists, StepReport& report);

/// Makes changes of listed bodies and colliders to their slots, their pairs and nothing else. Returns false, with nothing
/// changed, where more is needed: bodies or colliders came, went, are to be left out or were, or colliders have another
/// body.
bool change_in_place(entt::registry& registry, StructureLog& log, StructureLists& lists,
                     StepReport& report);  // change_in_place.cpp

/// A body of another type loses the velocity and the forces that it cannot have.
void forget_motion(entt::registry& registry, const BodyData& data);
BodyData data_of_body(const entt::registry& registry, Entity body);
/// What is wrong with a collider of an existing body, as a sentence; nullptr: nothing.
const char* fault_of(const entt::registry& registry, const ShapeLibrary& shapes, const Collider& collider);
/// Of a collider whose body is listed and whose shape exists.
ColliderData data_of_collider(const entt::registry& registry, const StructureLists& lists, Entity collider);
/// Mass of one body, whose colliders have this one together.
void find_mass(entt::registry& registry, const MassAccumulator& sum, BodyData& body, StepReport& report);
bool is_other_mass(const BodyData& x, const BodyData& y);
/// Mass of each body from this slot on, whose colliders are all at or behind the given one; colliders of others are left alone.
void find_masses(entt::registry& registry, uint32_t first_body, uint32_t first_collider, StructureLists& lists,
                 StepReport& report);
/// Bit by bit: a component has nothing between its members, and NaN is not equal to itself.
inline bool is_other(const Collider& x, const Collider& y) { return std::memcmp(&x, &y, sizeof(Collider)) != 0; }
/// Poses of the colliders about their bodies' centres of mass, and the bodies' size and symmetry.
void place_colliders(uint32_t first_body, uint32_t first_collider, StructureLists& lists);
/// A body before its colliders are placed, and each of them; their poses are about the body's origin until then.
void begin_placing(BodyData& body, BodyTransform& transform);
void place_collider(ColliderData& collider, BodyData& body, BodyTransform& transform);
/// The filter of a proxy from its collider and body, or a new proxy.
void update_proxy(uint32_t collider, const Bodies& bodies, Colliders& colliders);
/// Proxies of new colliders, and what changed of the others.
void update_proxies(uint32_t first_collider, StructureLists& lists);
/// Arrays that gather fills, for as many bodies as there are data.
void resize_body_arrays(Bodies& bodies);

}  // namespace proxima::physics
