// SPDX-License-Identifier: MIT
// The stage that keeps the table of pairs: boxes of what moved, the broadphase, and the pairs that it says
// began or ended.
#include <algorithm>

#include "physics/pairs/pairs.h"

namespace proxima::physics {

namespace {

void end_pairs(const Colliders& colliders, Pairs& pairs) {
    for (const PairChange& change : colliders.broadphase.ended()) {
        const uint32_t slot = pairs.slot_of_key.find(pair_key(change.order_a, change.order_b));
        if (slot != FlatMap::kNone) pairs.remove(slot);
    }
}

void begin_pairs(const Bodies& bodies, const Colliders& colliders, Pairs& pairs) {
    for (const PairChange& change : colliders.broadphase.begun()) {
        PairSlot pair;
        pair.key = pair_key(change.order_a, change.order_b);
        if (pairs.slot_of_key.find(pair.key) != FlatMap::kNone) continue;  // from a snapshot
        pair.collider_a = colliders.slot_of_proxy[size_t(change.a)];
        pair.collider_b = colliders.slot_of_proxy[size_t(change.b)];
        pair.body_a = colliders.data[pair.collider_a].body;
        pair.body_b = colliders.data[pair.collider_b].body;
        pairs.add(pair, bodies, colliders);
    }
    // So that a step in which many come and go allocates nothing.
    const size_t room = pairs.slots.capacity();
    pairs.free_slots.reserve(room);
    pairs.ended.reserve(room / 4);
    pairs.gone.reserve(room / 4);
    pairs.lost_touch.reserve(room / 4);
    pairs.changed.reserve(room);
    pairs.event_queue.reserve(room);
    pairs.sensor_changes.reserve(room / 4);
    pairs.narrowphase_queue.reserve(room);
    pairs.narrowphase_result.reserve(room);
    pairs.hit_speed.reserve(room);
    pairs.behind_strikes.reserve(room);
    pairs.without_contact.reserve(room);
}

/// A damaged snapshot may have pairs that the broadphase does not know.
void drop_unknown_pairs(const Colliders& colliders, Pairs& pairs) {
    if (pairs.size() == colliders.broadphase.pairs().size()) return;
    const Broadphase& broadphase = colliders.broadphase;
    pairs.known.assign(pairs.slots.size(), 0);
    for (const ProxyPair& pair : broadphase.pairs()) {
        const uint32_t slot = pairs.slot_of_key.find(pair_key(broadphase.order(pair.a), broadphase.order(pair.b)));
        if (slot != FlatMap::kNone) pairs.known[slot] = 1;
    }
    for (uint32_t k = 0; k < pairs.slots.size(); ++k)
        if (!pairs.known[k] && !pairs.slots[k].is_free()) pairs.remove(k);
}

}  // namespace

void match_pairs(const Bodies& bodies, const Colliders& colliders, Pairs& pairs) {
    end_pairs(colliders, pairs);
    begin_pairs(bodies, colliders, pairs);
    drop_unknown_pairs(colliders, pairs);
}

void find_pairs(Bodies& bodies, const StepParams& params, Colliders& colliders, Pairs& pairs, const StepTools& tools) {
    const StageScope scope(tools, Stage::find_pairs);
    update_boxes(bodies, params, colliders, tools.jobs);
    colliders.broadphase.update(tools.jobs);
    match_pairs(bodies, colliders, pairs);
    // The bodies of a contact that is gone must look where they stand now.
    for (const EndedPair& ended : pairs.ended) {
        if (!ended.names.touching || has_no_contacts(ended.rules)) continue;
        for (const Entity entity : {ended.names.body_a, ended.names.body_b})
            if (const uint32_t slot = bodies.slot_of(entity); slot != kNone) bodies.wake(slot);
    }
    tools.report.pairs = uint32_t(pairs.size());
}

}  // namespace proxima::physics
