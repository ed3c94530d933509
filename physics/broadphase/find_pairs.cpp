// SPDX-License-Identifier: MIT
// The stage that turns overlapping boxes into contact-pair entities: boxes, sweep, and a merge of two sorted
// lists.
#include <algorithm>

#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kCollidersPerBlock = 256;

uint64_t pair_key(uint32_t a, uint32_t b) { return uint64_t(a) << 32 | b; }

/// World poses and boxes of the colliders that moved. A box covers the way of the coming step, and half the
/// speculative distance, so that whatever may touch within the step is paired before it does.
void update_boxes(StepContext& c) {
    const uint32_t n = uint32_t(c.colliders.size());
    c.collider_boxes.resize(n);
    const bool all = c.boxes_stale;
    const auto stale = [&](const ColliderFacts& collider) {
        return all || c.bodies.awake[collider.body] || c.bodies.placed_anew[collider.body];
    };
    c.jobs->parallel_for(n, kCollidersPerBlock, [&](const engine::JobBlock& block) {
        for (uint32_t k = block.begin; k < block.end; ++k) {
            ColliderFacts& collider = c.colliders[k];
            if (!stale(collider)) continue;
            const BodyPlace& place = c.bodies.place[collider.body];
            collider.world = compose({place.center, place.rotation}, collider.local);
            Aabb box = bounding_box(*collider.shape, collider.world);
            const Vec3 way = c.bodies.velocity[collider.body].linear * c.dt;
            const Vec3 margin(0.5f * c.settings.speculative_distance);
            box.lower += glm::min(way, Vec3(0.0f)) - margin;
            box.upper += glm::max(way, Vec3(0.0f)) + margin;
            c.collider_boxes[k] = box;
        }
    });
    for (uint32_t k = 0; k < n; ++k)
        if (stale(c.colliders[k])) c.broadphase.set_box(c.colliders[k].proxy, c.collider_boxes[k]);
    c.boxes_stale = false;
}

void begin_pair(StepContext& c, PairSlot& slot) {
    entt::registry& registry = c.world.registry();
    const ColliderFacts& a = c.colliders[slot.collider_a];
    const ColliderFacts& b = c.colliders[slot.collider_b];
    slot.entity = registry.create();
    registry.emplace<ContactPair>(slot.entity, ContactPair{a.entity, b.entity, c.bodies.facts[a.body].entity,
                                                           c.bodies.facts[b.body].entity, 0});
    registry.emplace<Manifold>(slot.entity);
    registry.emplace<SatCache>(slot.entity);
}

/// The bodies of a contact that is gone must look where they stand now.
void wake_body(StepContext& c, Entity entity) {
    entt::registry& registry = c.world.registry();
    if (!registry.valid(entity) || !registry.all_of<RigidBody>(entity)) return;
    const uint32_t slot = c.slot_of_entity[entt::to_entity(entity)];
    if (c.bodies.facts[slot].type != BodyType::dynamic || c.bodies.facts[slot].out_of_step) return;
    c.bodies.awake[slot] = 1;
    c.bodies.quiet_time[slot] = 0.0f;
}

void end_pair(StepContext& c, Entity pair_entity) {
    entt::registry& registry = c.world.registry();
    const ContactPair pair = registry.get<ContactPair>(pair_entity);
    if (pair.touching) {
        c.end_events.push_back({pair.collider_a, pair.collider_b, pair.body_a, pair.body_b});
        wake_body(c, pair.body_a);
        wake_body(c, pair.body_b);
    }
    registry.destroy(pair_entity);
}

/// Old pairs that overlap no more end, new ones begin, the others stay: one walk over both sorted lists.
void merge_pairs(StepContext& c) {
    const auto found = c.broadphase.pairs();
    std::vector<PairSlot>& next = c.next_pairs;
    next.clear();
    size_t old = 0;
    for (const ProxyPair& pair : found) {
        PairSlot slot;
        slot.collider_a = c.collider_of_proxy[size_t(pair.a)];
        slot.collider_b = c.collider_of_proxy[size_t(pair.b)];
        slot.key = pair_key(c.colliders[slot.collider_a].stable_id, c.colliders[slot.collider_b].stable_id);
        while (old < c.pairs.size() && c.pairs[old].key < slot.key) end_pair(c, c.pairs[old++].entity);
        if (old < c.pairs.size() && c.pairs[old].key == slot.key)
            slot.entity = c.pairs[old++].entity;
        else
            begin_pair(c, slot);
        next.push_back(slot);
    }
    while (old < c.pairs.size()) end_pair(c, c.pairs[old++].entity);
    c.pairs.swap(next);
}

}  // namespace

void rebuild_pairs(StepContext& c) {
    entt::registry& registry = c.world.registry();
    c.pairs.clear();
    c.entity_list.clear();
    for (const Entity entity : registry.view<ContactPair>()) {
        const ContactPair& pair = registry.get<ContactPair>(entity);
        const bool whole = registry.valid(pair.collider_a) && registry.valid(pair.collider_b) &&
                           registry.all_of<Collider, StableId>(pair.collider_a) &&
                           registry.all_of<Collider, StableId>(pair.collider_b);
        if (!whole) {
            c.entity_list.push_back(entity);
            continue;
        }
        PairSlot slot;
        slot.entity = entity;
        slot.key = pair_key(registry.get<StableId>(pair.collider_a).value,
                            registry.get<StableId>(pair.collider_b).value);
        c.pairs.push_back(slot);
    }
    const auto by_key = [](const PairSlot& x, const PairSlot& y) { return x.key < y.key; };
    std::sort(c.pairs.begin(), c.pairs.end(), by_key);
    // Orphans end in the order of their names, which does not depend on the storage's.
    std::sort(c.entity_list.begin(), c.entity_list.end());
    c.orphans.swap(c.entity_list);
}

void find_pairs(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::find_pairs));
    for (const Entity orphan : c.orphans) end_pair(c, orphan);
    c.orphans.clear();
    update_boxes(c);
    c.broadphase.update(*c.jobs);
    merge_pairs(c);

    entt::registry& registry = c.world.registry();
    auto& manifolds = registry.storage<Manifold>();
    auto& pairs = registry.storage<ContactPair>();
    auto& caches = registry.storage<SatCache>();
    for (PairSlot& slot : c.pairs) {
        slot.manifold = &manifolds.get(slot.entity);
        slot.pair = &pairs.get(slot.entity);
        slot.cache = &caches.get(slot.entity);
    }
    c.report.pairs = uint32_t(c.pairs.size());
}

}  // namespace proxima::physics
