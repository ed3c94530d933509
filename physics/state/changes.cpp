// SPDX-License-Identifier: MIT
// Bodies come and go in a running world: the lists are brought up to date without looking at the registry for
// those that stay. Stable ids only grow, so new ones belong at the end.
#include <algorithm>
#include <span>

#include "physics/state/structure.h"
#include "physics/step.h"

namespace proxima::physics {

namespace {

/// Slots of those gone, ascending. False when one of them is still there: it went and came back.
template <class Component, class SlotOf>
bool list_gone(const entt::registry& registry, const std::vector<Entity>& entities, SlotOf&& slot_of,
               std::vector<uint32_t>& slots) {
    slots.clear();
    for (const Entity entity : entities) {
        const uint32_t slot = slot_of(entity);
        if (slot == kNoSlot) continue;  // came and went since the last step
        if (registry.valid(entity) && registry.all_of<Component>(entity)) return false;
        slots.push_back(slot);
    }
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    return true;
}

/// Leaves those that are alive. False when their stable ids do not lead on from `last`.
template <class Component>
bool keep_living(const entt::registry& registry, std::vector<Entity>& entities, uint32_t last) {
    size_t kept = 0;
    for (const Entity entity : entities) {
        if (!registry.valid(entity) || !registry.all_of<Component>(entity)) continue;
        if (!registry.all_of<StableId>(entity)) return false;
        const uint32_t id = registry.get<StableId>(entity).value;
        if (id <= last) return false;
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
        std::copy(list.begin() + ptrdiff_t(from), list.begin() + ptrdiff_t(end),
                  list.begin() + ptrdiff_t(to));
        to += end - from;
    }
    list.resize(to);
}

/// For each old slot the new one, or kNoSlot.
void map_slots(size_t old_count, std::span<const uint32_t> gone, std::vector<uint32_t>& new_slot) {
    new_slot.resize(old_count);
    uint32_t to = 0;
    size_t k = 0;
    for (uint32_t i = 0; i < old_count; ++i) {
        const bool goes = k < gone.size() && gone[k] == i;
        new_slot[i] = goes ? kNoSlot : to++;
        k += goes;
    }
}

void remove_bodies(StepContext& c) {
    map_slots(c.bodies.size(), c.gone_bodies, c.new_slot);
    close_up(c.bodies.facts, c.gone_bodies);
    close_up(c.bodies.place, c.gone_bodies);
    close_up(c.bodies.was_awake, c.gone_bodies);
    close_up(c.bodies.unseen_motion, c.gone_bodies);
    if (c.gone_bodies.empty()) return;
    for (uint32_t i = c.gone_bodies[0]; i < c.bodies.size(); ++i)
        c.slot_of_entity[entt::to_entity(c.bodies.facts[i].entity)] = i;
}

void remove_colliders(StepContext& c) {
    for (const uint32_t k : c.gone_colliders) {
        c.broadphase.remove(c.colliders[k].proxy);
        c.special_colliders -= c.colliders[k].surface.special;
    }
    map_slots(c.colliders.size(), c.gone_colliders, c.new_collider_slot);
    close_up(c.colliders, c.gone_colliders);
    const uint32_t first = c.gone_colliders.empty() ? uint32_t(c.colliders.size()) : c.gone_colliders[0];
    for (uint32_t k = first; k < c.colliders.size(); ++k) {
        c.collider_of_proxy[size_t(c.colliders[k].proxy)] = k;
        c.collider_of_entity[entt::to_entity(c.colliders[k].entity)] = k;
    }
    const bool bodies_moved = !c.gone_bodies.empty() && c.gone_bodies[0] < c.bodies.size();
    if (!bodies_moved) return;
    for (ColliderFacts& collider : c.colliders) collider.body = c.new_slot[collider.body];
}

/// Pairs of those gone end; the others follow their colliders to their new slots.
void move_pairs(StepContext& c) {
    if (c.gone_bodies.empty() && c.gone_colliders.empty()) return;
    for (uint32_t k = uint32_t(c.pairs.size()); k-- > 0;) {
        PairSlot& slot = c.pairs[k];
        slot.collider_a = c.new_collider_slot[slot.collider_a];
        slot.collider_b = c.new_collider_slot[slot.collider_b];
        if (slot.collider_a == kNoSlot || slot.collider_b == kNoSlot) {
            remove_pair(c, k);
            continue;
        }
        slot.body_a = c.new_slot[slot.body_a];
        slot.body_b = c.new_slot[slot.body_b];
    }
}

void append_new(StepContext& c) {
    const entt::registry& registry = c.world.registry();
    const uint32_t first_body = uint32_t(c.bodies.size()), first_collider = uint32_t(c.colliders.size());
    for (const Entity entity : c.changes.new_bodies) {
        const size_t index = entt::to_entity(entity);
        if (c.slot_of_entity.size() <= index) c.slot_of_entity.resize(index + 1, kNoSlot);
        c.slot_of_entity[index] = uint32_t(c.bodies.size());
        c.bodies.facts.push_back(facts_of_body(c, entity));
        c.last_body_id = registry.get<StableId>(entity).value;
    }
    resize_body_arrays(c);
    for (const Entity entity : c.changes.new_colliders) {
        c.colliders.push_back(facts_of_collider(c, entity));
        c.special_colliders += c.colliders.back().surface.special;
    }
    find_masses(c, first_body, first_collider);
    for (uint32_t i = first_body; i < c.bodies.size(); ++i) {
        c.bodies.was_awake[i] = 0;
        c.bodies.unseen_motion[i] = 0.0f;
        c.bodies.place[i] = place_of(registry.get<Pose>(c.bodies.facts[i].entity), c.bodies.facts[i]);
    }
    place_colliders(c, first_body, first_collider);
    update_proxies(c, first_collider);
}

}  // namespace

bool plan_changes(StepContext& c) {
    if (c.structure_changed) return false;
    const entt::registry& registry = c.world.registry();
    StructureChanges& changes = c.changes;
    const auto slot_of_body = [&](Entity entity) { return body_slot(c, entity); };
    const auto slot_of_collider = [&](Entity entity) { return collider_slot(c, entity); };
    if (!list_gone<RigidBody>(registry, changes.gone_bodies, slot_of_body, c.gone_bodies)) return false;
    if (!list_gone<Collider>(registry, changes.gone_colliders, slot_of_collider, c.gone_colliders))
        return false;
    for (const uint32_t slot : c.gone_bodies)
        if (c.collider_links.has_any(c.bodies.facts[slot].entity)) return false;
    for (const Entity entity : c.reshaped_bodies)
        if (has_body(registry, entity) && body_slot(c, entity) != kNoSlot) return false;
    const uint32_t last_collider = c.colliders.empty() ? 0 : c.colliders.back().stable_id;
    if (!keep_living<RigidBody>(registry, changes.new_bodies, c.last_body_id)) return false;
    if (!keep_living<Collider>(registry, changes.new_colliders, last_collider)) return false;
    for (const Entity entity : changes.new_colliders) {
        const Collider& collider = registry.get<Collider>(entity);
        if (!has_body(registry, collider.body) || size_t(collider.shape) >= c.shapes.size()) return false;
        if (body_slot(c, collider.body) != kNoSlot) return false;  // its body is not new
    }
    return true;
}

void apply_changes(StepContext& c) {
    remove_bodies(c);
    remove_colliders(c);
    move_pairs(c);
    append_new(c);
    c.reshaped_bodies.clear();
    c.changes.clear();
    c.contacts_changed = true;
}

}  // namespace proxima::physics
