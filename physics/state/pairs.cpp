// SPDX-License-Identifier: MIT
// The table of pairs: entities come and go, lists are made anew, snapshots are taken and put back.
#include <algorithm>
#include <utility>

#include "physics/step.h"

namespace proxima::physics {

namespace {

/// The bodies of a contact that is gone must look where they stand now.
void wake_body(StepContext& c, Entity entity) {
    entt::registry& registry = c.world.registry();
    if (!registry.valid(entity)) return;
    const uint32_t slot = body_slot(c, entity);
    if (slot == kNoSlot) return;
    if (c.bodies.facts[slot].type != BodyType::dynamic || c.bodies.facts[slot].out_of_step) return;
    c.bodies.awake[slot] = 1;
    c.bodies.quiet_time[slot] = 0.0f;
}

/// Ends the entity of a pair, with its event. The storage fills the hole with its last component, which is
/// another pair's.
void end_pair_entity(StepContext& c, Entity entity) {
    entt::registry& registry = c.world.registry();
    const ContactPair pair = registry.get<ContactPair>(entity);
    if (pair.touching) {
        c.end_events.push_back({pair.collider_a, pair.collider_b, pair.body_a, pair.body_b});
        wake_body(c, pair.body_a);
        wake_body(c, pair.body_b);
    }
    auto& manifolds = registry.storage<Manifold>();
    const Entity moved = manifolds.data()[manifolds.size() - 1];
    registry.destroy(entity);
    if (moved == entity) return;
    const uint32_t slot = c.pair_of_entity[entt::to_entity(moved)];
    if (slot < c.pairs.size() && c.pairs[slot].entity == moved)
        c.pairs[slot].manifold = &manifolds.get(moved);
}

uint32_t collider_with(const StepContext& c, uint32_t stable_id) {
    const auto found =
        std::lower_bound(c.colliders.begin(), c.colliders.end(), stable_id,
                         [](const ColliderFacts& collider, uint32_t id) { return collider.stable_id < id; });
    if (found == c.colliders.end() || found->stable_id != stable_id) return FlatMap::kNone;
    return uint32_t(found - c.colliders.begin());
}

/// Where a pair's colliders and bodies are now; false when one of them is gone.
bool find_members(const StepContext& c, PairSlot& slot) {
    slot.collider_a = collider_with(c, uint32_t(slot.key >> 32));
    slot.collider_b = collider_with(c, uint32_t(slot.key));
    if (slot.collider_a == FlatMap::kNone || slot.collider_b == FlatMap::kNone) return false;
    slot.body_a = c.colliders[slot.collider_a].body;
    slot.body_b = c.colliders[slot.collider_b].body;
    return true;
}

/// The table as the snapshot had it; entities whose colliders are gone become orphans.
void restore_pairs(StepContext& c) {
    entt::registry& registry = c.world.registry();
    c.pairs.clear();
    c.contact_list.clear();
    c.pair_of_key.clear();
    for (const SavedBox& saved : c.saved_boxes) {
        const uint32_t k = collider_with(c, saved.stable_id);
        if (k == FlatMap::kNone) continue;
        c.colliders[k].box_slack = saved.slack;
        c.broadphase.set_box(c.colliders[k].proxy, saved.box);
    }
    for (const SavedPair& saved : c.saved_pairs) {
        PairSlot slot;
        slot.key = saved.key;
        slot.slack = saved.slack;
        slot.cache = saved.cache;
        if (!find_members(c, slot)) continue;
        c.pair_of_key.set(slot.key, uint32_t(c.pairs.size()));
        c.pairs.push_back(slot);
    }
    auto& manifolds = registry.storage<Manifold>();
    for (const Entity entity : registry.view<ContactPair>()) {
        const ContactPair& pair = registry.get<ContactPair>(entity);
        uint32_t index = FlatMap::kNone;
        if (registry.valid(pair.collider_a) && registry.valid(pair.collider_b) &&
            registry.all_of<StableId>(pair.collider_a) && registry.all_of<StableId>(pair.collider_b))
            index = c.pair_of_key.find(uint64_t(registry.get<StableId>(pair.collider_a).value) << 32 |
                                       registry.get<StableId>(pair.collider_b).value);
        if (index == FlatMap::kNone) {
            c.orphans.push_back(entity);
            continue;
        }
        PairSlot& slot = c.pairs[index];
        slot.entity = entity;
        slot.manifold = &manifolds.get(entity);
        slot.count = uint8_t(slot.manifold->count);
        slot.colour = slot.count > 0 ? uint8_t(slot.manifold->colour) : kNoColour;
        slot.touching = pair.touching != 0;
        const size_t place = size_t(entt::to_entity(entity));
        if (c.pair_of_entity.size() <= place) c.pair_of_entity.resize(place + 1);
        c.pair_of_entity[place] = index;
    }
    // Orphans end in the order of their names, which does not depend on the storage's.
    std::sort(c.orphans.begin(), c.orphans.end());
}

}  // namespace

void drop_contact(StepContext& c, uint32_t index) {
    const uint32_t place = std::exchange(c.pairs[index].contact, kNoContact);
    if (place == kNoContact) return;
    c.sets_broken |= c.contact_list[place].joins;
    c.contact_list[place] = c.contact_list.back();
    c.contact_list.pop_back();
    if (place < c.contact_list.size()) c.pairs[c.contact_list[place].pair].contact = place;
}

void use_up_slack(StepContext& c) {
    const std::vector<float>& motion = c.bodies.unseen_motion;
    for (PairSlot& slot : c.pairs) slot.slack -= motion[slot.body_a] + motion[slot.body_b];
    c.bodies.unseen_motion.assign(c.bodies.size(), 0.0f);
}

void remove_pair(StepContext& c, uint32_t index) {
    const PairSlot gone = c.pairs[index];
    if (gone.count > 0) {
        c.contacts_changed = true;
        c.freed_colours.push_back({gone.body_a, gone.body_b, gone.colour});
    }
    drop_contact(c, index);
    c.pair_of_key.remove(gone.key);
    if (index + 1 < c.pairs.size()) {
        const PairSlot last = c.pairs.back();
        c.pairs[index] = last;
        if (last.contact != kNoContact) c.contact_list[last.contact].pair = index;
        c.pair_of_key.set(last.key, index);
        if (last.entity != kNoEntity) c.pair_of_entity[entt::to_entity(last.entity)] = index;
        if (last.count > 0) c.layout_lost = true;  // lanes name pairs by their place
    }
    c.pairs.pop_back();
    if (gone.entity != kNoEntity) c.orphans.push_back(gone.entity);
}

void end_orphans(StepContext& c) {
    for (const Entity orphan : c.orphans) end_pair_entity(c, orphan);
    c.orphans.clear();
}

void give_entity(StepContext& c, uint32_t index) {
    entt::registry& registry = c.world.registry();
    PairSlot& slot = c.pairs[index];
    slot.entity = registry.create();
    const size_t place = size_t(entt::to_entity(slot.entity));
    if (c.pair_of_entity.size() <= place) c.pair_of_entity.resize(place + 1);
    c.pair_of_entity[place] = index;
    registry.emplace<ContactPair>(
        slot.entity, ContactPair{c.colliders[slot.collider_a].entity, c.colliders[slot.collider_b].entity,
                                 c.bodies.facts[slot.body_a].entity, c.bodies.facts[slot.body_b].entity, 0});
    slot.manifold = &registry.emplace<Manifold>(slot.entity);
}

void rebuild_pairs(StepContext& c) {
    if (c.restored) {
        restore_pairs(c);
        return;
    }
    for (uint32_t k = uint32_t(c.pairs.size()); k-- > 0;)
        if (!find_members(c, c.pairs[k])) remove_pair(c, k);
}

void save_pairs(const StepContext& c, std::vector<SavedPair>& pairs, std::vector<SavedBox>& boxes) {
    pairs.clear();
    boxes.clear();
    const std::vector<float>& motion = c.bodies.unseen_motion;
    for (const PairSlot& slot : c.pairs)
        pairs.push_back({slot.key, slot.slack - (motion[slot.body_a] + motion[slot.body_b]), slot.cache, 0});
    for (const ColliderFacts& collider : c.colliders)
        if (collider.proxy != kNoProxy)
            boxes.push_back({collider.stable_id, collider.box_slack, c.broadphase.box(collider.proxy)});
}

namespace {
constexpr uint8_t kWasAwake = 0x80;
static_assert(wide::kMostSlabs <= kWasAwake);
}  // namespace

void save_parts(const StepContext& c, std::vector<uint8_t>& parts) {
    parts.clear();
    const std::vector<uint8_t>& slabs = c.wide.slab_of_body;
    if (!c.went_wide || c.structure_changed || !c.changes.empty() || slabs.size() != c.bodies.size()) return;
    for (uint32_t i = 0; i < c.bodies.size(); ++i)
        parts.push_back(uint8_t(slabs[i] | (c.bodies.was_awake[i] ? kWasAwake : 0)));
}

bool restore_parts(StepContext& c) {
    c.went_wide = false;
    if (c.saved_parts.size() != c.bodies.size()) return false;
    c.went_wide = c.layout_lost = true;
    c.contacts_changed = false;
    c.wide.slab_of_body.resize(c.bodies.size());
    for (uint32_t i = 0; i < c.bodies.size(); ++i) {
        c.wide.slab_of_body[i] = uint8_t(c.saved_parts[i] & ~kWasAwake);
        c.bodies.was_awake[i] = (c.saved_parts[i] & kWasAwake) != 0;
    }
    return true;
}

}  // namespace proxima::physics
