// SPDX-License-Identifier: MIT
// The stage that keeps the table of pairs: boxes of what moved, the broadphase, and the pairs that it says
// began or ended.
#include <algorithm>

#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kCollidersPerBlock = 128;
// A box is larger than the way of the coming step asks for, so that a body at rest, or nearly, keeps its box.
// More makes more pairs, less makes more boxes change.
constexpr float kBoxMargin = 0.03f;           // m
constexpr float kBoxMarginPartOfSize = 0.1f;  // of the shape's radius, where that is less

/// World poses of the colliders that moved, and the boxes of those that may leave their box within the step.
/// A box covers the way of the step, and half the speculative distance, so that whatever may touch is paired
/// before it does.
void update_boxes(StepContext& c) {
    const uint32_t n = uint32_t(c.colliders.size());
    c.box_changed.resize(n);
    const bool all = c.boxes_stale;
    c.jobs->parallel_for(n, kCollidersPerBlock, [&](const engine::JobBlock& block) {
        for (uint32_t k = block.begin; k < block.end; ++k) {
            ColliderFacts& collider = c.colliders[k];
            const uint32_t body = collider.body;
            c.box_changed[k] = 0;
            // A body that fell asleep in the last step still moved in it.
            const bool moved = c.bodies.awake[body] || c.bodies.was_awake[body] || c.bodies.placed_anew[body];
            const bool has_box = collider.box_slack >= 0.0f;
            if (!all && !moved && has_box) continue;
            const BodyPlace& place = c.bodies.place[body];
            collider.world = compose({place.center, place.rotation}, collider.local);
            if (collider.box_slack > c.bodies.speed[body] * c.dt && !c.bodies.placed_anew[body]) continue;
            Aabb box = bounding_box(*collider.shape, collider.world);
            const float extra = std::min(kBoxMargin, kBoxMarginPartOfSize * collider.shape->bounding_radius);
            const Vec3 way = c.bodies.velocity[body].linear * c.dt;
            const Vec3 margin(0.5f * c.settings.speculative_distance + extra);
            box.lower += glm::min(way, Vec3(0.0f)) - margin;
            box.upper += glm::max(way, Vec3(0.0f)) + margin;
            c.collider_boxes[k] = box;
            collider.box_slack = extra;
            c.box_changed[k] = 1;
        }
    });
    for (uint32_t k = 0; k < n; ++k)
        if (c.box_changed[k]) c.broadphase.set_box(c.colliders[k].proxy, c.collider_boxes[k]);
    c.boxes_stale = false;
}

uint64_t pair_key(uint32_t a, uint32_t b) { return uint64_t(a) << 32 | b; }

void end_pairs(StepContext& c) {
    for (const PairChange& change : c.broadphase.ended()) {
        const uint32_t index = c.pair_of_key.find(pair_key(change.order_a, change.order_b));
        if (index != FlatMap::kNone) remove_pair(c, index);
    }
}

void begin_pairs(StepContext& c) {
    for (const PairChange& change : c.broadphase.begun()) {
        PairSlot slot;
        slot.key = pair_key(change.order_a, change.order_b);
        if (c.pair_of_key.find(slot.key) != FlatMap::kNone) continue;  // from a snapshot
        slot.collider_a = c.collider_of_proxy[size_t(change.a)];
        slot.collider_b = c.collider_of_proxy[size_t(change.b)];
        slot.body_a = c.colliders[slot.collider_a].body;
        slot.body_b = c.colliders[slot.collider_b].body;
        c.pair_of_key.set(slot.key, uint32_t(c.pairs.size()));
        c.pairs.push_back(slot);
    }
    c.orphans.reserve(c.pairs.capacity() / 4);  // so that a step in which many end allocates nothing
}

/// After a restore the proxies are new: what the broadphase says of ended pairs is about others with the same
/// names.
void drop_unknown_pairs(StepContext& c) {
    std::vector<uint8_t>& known = c.box_changed;  // borrowed
    known.assign(c.pairs.size(), 0);
    for (const ProxyPair& pair : c.broadphase.pairs()) {
        const uint32_t index =
            c.pair_of_key.find(pair_key(c.broadphase.order(pair.a), c.broadphase.order(pair.b)));
        if (index != FlatMap::kNone) known[index] = 1;
    }
    for (uint32_t k = uint32_t(c.pairs.size()); k-- > 0;)
        if (!known[k]) remove_pair(c, k);
}

}  // namespace

void find_pairs(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::find_pairs));
    update_boxes(c);
    c.broadphase.update(*c.jobs);
    if (c.restored)
        drop_unknown_pairs(c);
    else
        end_pairs(c);
    c.restored = false;
    end_orphans(c);
    begin_pairs(c);
    c.report.pairs = uint32_t(c.pairs.size());
}

}  // namespace proxima::physics
