// SPDX-License-Identifier: MIT
// Bodies come and go in a running world: the lists are brought up to date without looking at the registry for
// those that stay. Stable ids only grow, so new ones belong at the end.
#include <algorithm>
#include <span>

#include "physics/structure/sync_structure.h"

namespace proxima::physics {

namespace {

/// Slots of those gone, ascending. False when one of them is still there: it went and came back.
template <class Component, class SlotOf>
bool list_gone(const entt::registry& registry, const std::vector<Entity>& entities, SlotOf&& slot_of,
               std::vector<uint32_t>& slots) {
    slots.clear();
    for (const Entity entity : entities) {
        const uint32_t slot = slot_of(entity);
        if (slot == kNone) continue;  // came and went since the last step
        if (registry.valid(entity) && registry.all_of<Component>(entity)) return false;
        slots.push_back(slot);
    }
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    return true;
}

/// Leaves those that are alive. False when their stable ids do not lead on from `last`, or are none that the world
/// gave.
template <class Component>
bool keep_living(const entt::registry& registry, std::vector<Entity>& entities, uint32_t last,
                 uint32_t next_stable_id) {
    size_t kept = 0;
    for (const Entity entity : entities) {
        if (!registry.valid(entity) || !registry.all_of<Component>(entity)) continue;
        if (!registry.all_of<StableId>(entity)) return false;
        const uint32_t id = registry.get<StableId>(entity).value;
        if (id <= last || id >= next_stable_id) return false;
        last = id;
        entities[kept++] = entity;
    }
    entities.resize(kept);
    return true;
}

bool has_body(const entt::registry& registry, Entity entity) {
    return registry.valid(entity) && registry.all_of<RigidBody, StableId>(entity);
}

/// Takes the given places, ascending, out of a list and closes the gaps.
template <class T>
void close_up(std::vector<T>& list, std::span<const uint32_t> gone) {
    if (gone.empty()) return;
    size_t to = gone[0];
    for (size_t k = 0; k < gone.size(); ++k) {
        const size_t from = gone[k] + 1, end = k + 1 < gone.size() ? gone[k + 1] : list.size();
        std::copy(list.begin() + ptrdiff_t(from), list.begin() + ptrdiff_t(end), list.begin() + ptrdiff_t(to));
        to += end - from;
    }
    list.resize(to);
}

/// For each old slot the new one, or kNone.
void map_slots(size_t old_count, std::span<const uint32_t> gone, std::vector<uint32_t>& new_slot) {
    new_slot.resize(old_count);
    uint32_t to = 0;
    size_t k = 0;
    for (uint32_t i = 0; i < old_count; ++i) {
        const bool goes = k < gone.size() && gone[k] == i;
        new_slot[i] = goes ? kNone : to++;
        k += goes;
    }
}

void remove_bodies(StructureLists& lists) {
    Bodies& bodies = lists.bodies;
    const std::vector<uint32_t>& gone = lists.scratch.gone_bodies;
    map_slots(bodies.size(), gone, lists.scratch.new_slot);
    if (!bodies.sensor_reach.empty()) {
        bodies.sensor_reach.resize(bodies.size(), 0.0f);
        close_up(bodies.sensor_reach, gone);
    }
    close_up(bodies.data, gone);
    close_up(bodies.stable_id, gone);
    close_up(bodies.transform, gone);
    close_up(bodies.was_awake, gone);
    close_up(bodies.unseen_displacement, gone);
    if (gone.empty()) return;
    for (uint32_t i = gone[0]; i < bodies.size(); ++i)
        bodies.slot_of_entity[entt::to_entity(bodies.data[i].entity)] = i;
}

void remove_colliders(StructureLists& lists) {
    Colliders& colliders = lists.colliders;
    const std::vector<uint32_t>& gone = lists.scratch.gone_colliders;
    for (const uint32_t k : gone) {
        colliders.broadphase.remove(colliders.data[k].proxy);
        colliders.extended_friction_count -= colliders.data[k].material.has_extended_friction;
        colliders.moving_surface_count -= colliders.data[k].material.surface_moves;
        colliders.ruled_count -= has_pair_rules(colliders.seen[k]);
    }
    map_slots(colliders.size(), gone, lists.scratch.new_collider_slot);
    close_up(colliders.data, gone);
    close_up(colliders.seen, gone);
    const uint32_t first = gone.empty() ? uint32_t(colliders.size()) : gone[0];
    for (uint32_t k = first; k < colliders.size(); ++k) {
        colliders.slot_of_proxy[size_t(colliders.data[k].proxy)] = k;
        colliders.slot_of_entity[entt::to_entity(colliders.data[k].entity)] = k;
    }
    const std::vector<uint32_t>& gone_bodies = lists.scratch.gone_bodies;
    const bool bodies_moved = !gone_bodies.empty() && gone_bodies[0] < lists.bodies.size();
    if (!bodies_moved) return;
    for (ColliderData& collider : colliders.data) collider.body = lists.scratch.new_slot[collider.body];
}

/// Pairs of those gone end; the others follow their colliders to their new slots.
void move_pairs(StructureLists& lists) {
    const StructureScratch& scratch = lists.scratch;
    if (scratch.gone_bodies.empty() && scratch.gone_colliders.empty()) return;
    for (uint32_t k = 0; k < lists.pairs.slots.size(); ++k) {
        PairSlot& pair = lists.pairs.slots[k];
        if (pair.is_free()) continue;
        const uint32_t a = scratch.new_collider_slot[pair.collider_a], b = scratch.new_collider_slot[pair.collider_b];
        if (a == kNone || b == kNone) {
            lists.pairs.remove(k);
            continue;
        }
        pair.collider_a = a;
        pair.collider_b = b;
        pair.body_a = scratch.new_slot[pair.body_a];
        pair.body_b = scratch.new_slot[pair.body_b];
    }
}

void append_new(entt::registry& registry, const StructureLog& log, StructureLists& lists, StepReport& report) {
    Bodies& bodies = lists.bodies;
    Colliders& colliders = lists.colliders;
    const uint32_t first_body = uint32_t(bodies.size()), first_collider = uint32_t(colliders.size());
    for (const Entity entity : log.new_bodies) {
        const size_t index = entt::to_entity(entity);
        if (bodies.slot_of_entity.size() <= index) bodies.slot_of_entity.resize(index + 1, kNone);
        bodies.slot_of_entity[index] = uint32_t(bodies.size());
        bodies.data.push_back(data_of_body(registry, entity));
        bodies.stable_id.push_back(registry.get<StableId>(entity).value);
    }
    resize_body_arrays(bodies);
    for (const Entity entity : log.new_colliders) {
        colliders.data.push_back(data_of_collider(registry, lists, entity));
        colliders.seen.push_back(registry.get<Collider>(entity));
        colliders.links.move(entity, colliders.seen.back().body);  // which may have been written since it was made
        colliders.extended_friction_count += colliders.data.back().material.has_extended_friction;
        colliders.moving_surface_count += colliders.data.back().material.surface_moves;
        colliders.ruled_count += has_pair_rules(colliders.seen.back());
    }
    find_masses(registry, first_body, first_collider, lists, report);
    for (uint32_t i = first_body; i < bodies.size(); ++i) {
        bodies.was_awake[i] = 0;
        bodies.unseen_displacement[i] = 0.0f;
        bodies.transform[i] = transform_of(registry.get<Pose>(bodies.data[i].entity), bodies.data[i]);
    }
    place_colliders(first_body, first_collider, lists);
    update_proxies(first_collider, lists);
}

}  // namespace

bool plan_changes(const entt::registry& registry, StructureLog& log, const StructureLists& lists) {
    if (log.needs_rebuild() || log.has_changes_only()) return false;
    const auto slot_of_body = [&](Entity entity) { return lists.bodies.slot_of(entity); };
    const auto slot_of_collider = [&](Entity entity) { return lists.colliders.slot_of(entity); };
    StructureScratch& scratch = lists.scratch;
    if (!list_gone<RigidBody>(registry, log.gone_bodies, slot_of_body, scratch.gone_bodies)) return false;
    if (!list_gone<Collider>(registry, log.gone_colliders, slot_of_collider, scratch.gone_colliders)) return false;
    for (const uint32_t slot : scratch.gone_bodies)
        if (lists.colliders.links.has_any(lists.bodies.data[slot].entity)) return false;
    const uint32_t last_collider = lists.colliders.data.empty() ? 0 : lists.colliders.data.back().stable_id;
    if (!keep_living<RigidBody>(registry, log.new_bodies, lists.bodies.last_id(), lists.next_stable_id)) return false;
    if (!keep_living<Collider>(registry, log.new_colliders, last_collider, lists.next_stable_id)) return false;
    for (const Entity entity : log.new_colliders) {
        const Collider& collider = registry.get<Collider>(entity);
        if (!has_body(registry, collider.body) || fault_of(registry, lists.shapes, collider)) return false;
        // Its body is listed, or comes with it; one that was numbered anew is neither.
        const uint32_t id = registry.get<StableId>(collider.body).value;
        const auto at = std::lower_bound(log.new_bodies.begin(), log.new_bodies.end(), id,
                                         [&](Entity x, uint32_t y) { return registry.get<StableId>(x).value < y; });
        const bool comes = at != log.new_bodies.end() && *at == collider.body;
        if (slot_of_body(collider.body) == kNone && !comes) return false;
    }
    // A body that stays and gets colliders, or loses some, is changed in place afterwards. A new collider may have been given
    // another body since it was made.
    for (const Entity entity : log.new_colliders)
        if (const Entity body = registry.get<Collider>(entity).body; slot_of_body(body) != kNone) log.reshape(body);
    for (const Entity entity : log.reshaped_bodies)
        if (has_body(registry, entity) && slot_of_body(entity) != kNone) log.change_body(entity);
    return true;
}

void apply_changes(entt::registry& registry, const StructureLog& log, StructureLists& lists, StepReport& report) {
    remove_bodies(lists);
    remove_colliders(lists);
    move_pairs(lists);
    append_new(registry, log, lists, report);
}

}  // namespace proxima::physics
