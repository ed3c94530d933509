// SPDX-License-Identifier: MIT
// The table of pairs: pairs come and go with their manifolds, snapshots are taken and put back.
#include "physics/pairs/pairs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "physics/limits.h"

namespace proxima::physics {

namespace {

// A contact that lost its impulse still counts as touching until it opens this far: no flicker of events.
constexpr float kStillTouching = 0.001f;  // m

/// Whether forces that a world takes can have made this impulse. False for what is not finite too.
bool is_sensible(const Vec3& impulse) {
    return std::abs(impulse.x) <= kMaxForce && std::abs(impulse.y) <= kMaxForce && std::abs(impulse.z) <= kMaxForce;
}

}  // namespace

uint32_t Pairs::add(const PairSlot& pair, const Bodies& bodies, const Colliders& colliders) {
    uint32_t slot = 0;
    if (free_slots.empty()) {
        slot = uint32_t(slots.size());
        slots.push_back(pair);
        names.emplace_back();
        asked_events.emplace_back();
    } else {
        slot = free_slots.back();
        free_slots.pop_back();
        slots[slot] = pair;
    }
    names[slot] = {colliders.data[pair.collider_a].entity, colliders.data[pair.collider_b].entity,
                   bodies.data[pair.body_a].entity, bodies.data[pair.body_b].entity, pair.touching};
    asked_events[slot] = events_asked(colliders, pair);
    slots[slot].rules = derive_rules(colliders, *this, pair);
    slot_of_key.set(pair.key, slot);
    return slot;
}

void Pairs::remove(uint32_t slot) {
    while (slots[slot].manifold != kNone) remove_manifold(slot, slots[slot].manifold);
    const PairSlot& pair = slots[slot];
    slot_of_key.remove(pair.key);
    if (pair.entity != kNoEntity || pair.touching) {
        names[slot].touching = pair.touching;
        ended.push_back({pair.key, pair.entity, names[slot], pair.rules, asked_events[slot]});
    }
    slots[slot] = PairSlot{};
    free_slots.push_back(slot);
}

ManifoldId Pairs::add_manifold(uint32_t slot) {
    const ManifoldId id = manifolds.make(slot);
    const ManifoldId others = slots[slot].manifold;
    manifolds.slot(id).next = others;
    slots[slot].manifold = id;
    manifolds[id].touching = slots[slot].touching;
    manifolds[id].shares_pair = others != kNone;
    if (others != kNone) manifolds[others].shares_pair = 1;
    return id;
}

void Pairs::remove_manifold(uint32_t slot, ManifoldId id) {
    const ManifoldSlot& gone_slot = manifolds.slot(id);
    if (gone_slot.edge != kNone) {
        gone.push_back({gone_slot.edge, slots[slot].body_a, slots[slot].body_b, manifolds[id].colour});
        ++version;
    }
    ManifoldId* link = &slots[slot].manifold;
    while (*link != id) link = &manifolds.slot(*link).next;
    *link = gone_slot.next;
    manifolds.free(id);
    const ManifoldId first = slots[slot].manifold;
    if (first == kNone || manifolds.slot(first).next != kNone) return;
    manifolds[first].shares_pair = 0;
    manifolds[first].touching = slots[slot].touching;
}

uint32_t Pairs::count_points(const PairSlot& pair) const {
    uint32_t points = 0;
    for (ManifoldId id = pair.manifold; id != kNone; id = manifolds.slot(id).next) points += manifolds[id].count;
    return points;
}

void Pairs::drop_bad_results() {
    for (PairSlot& pair : slots)
        for (ManifoldId id = pair.manifold; id != kNone; id = manifolds.slot(id).next) {
            Manifold& m = manifolds[id];
            ExtendedFriction* friction = manifolds.extended(id);
            bool good = is_finite(m.normal) && is_finite(m.tangent1) && is_finite(m.tangent2);
            for (uint32_t i = 0; i < m.count; ++i) {
                const ManifoldPoint& p = m.points[i];
                good = good && is_finite(p.point) && is_sensible(p.lambda) && is_sensible(p.impulse) &&
                       std::isfinite(p.separation) && std::isfinite(p.approach_speed) &&
                       (!friction || is_sensible(friction->moment[i]));
            }
            if (good) continue;
            for (uint32_t i = 0; i < m.count; ++i) {
                ManifoldPoint& p = m.points[i];
                p.lambda = p.impulse = Vec3(0.0f);
                p.separation = p.approach_speed = 0.0f;
                p.point = p.anchor_a;
                if (friction) friction->moment[i] = Vec3(0.0f);
            }
            m.normal = m.frame_normal;
            m.tangent1 = m.frame_tangent;
            m.tangent2 = glm::cross(m.normal, m.tangent1);
            m.made = 0;
            pair.slack = -1.0f;
        }
}

void Pairs::lessen_loads(float part) {
    for (uint32_t k = 0; k < slots.size(); ++k)
        for (const ManifoldId id : ManifoldChain{*this, k}) {
            Manifold& m = manifolds[id];
            for (uint32_t i = 0; i < m.count; ++i) m.points[i].lambda *= part;
            if (ExtendedFriction* extended = manifolds.extended(id))
                for (Vec3& moment : extended->moment) moment *= part;
            if (part == 0.0f) m.lambda_dt = 0.0f;  // it begins anew
        }
}

void Pairs::use_up_slack(Bodies& bodies) {
    const std::vector<float>& moved = bodies.unseen_displacement;
    for (PairSlot& pair : slots)
        if (!pair.is_free()) pair.slack -= moved[pair.body_a] + moved[pair.body_b];
    bodies.unseen_displacement.assign(bodies.size(), 0.0f);
}

bool Pairs::find_members(uint32_t slot, const Bodies& bodies, const Colliders& colliders) {
    PairSlot& pair = slots[slot];
    const uint32_t a = colliders.slot_with_id(uint32_t(pair.key >> 32)), b = colliders.slot_with_id(uint32_t(pair.key));
    if (a == kNone || b == kNone) return false;
    pair.collider_a = a;
    pair.collider_b = b;
    pair.body_a = colliders.data[a].body;
    pair.body_b = colliders.data[b].body;
    names[slot].body_a = bodies.data[pair.body_a].entity;
    names[slot].body_b = bodies.data[pair.body_b].entity;
    return true;
}

void Pairs::save(std::vector<SavedPair>& saved, std::vector<uint32_t>& free,
                 std::vector<SavedManifold>& contents) const {
    saved.clear();
    contents.clear();
    free = free_slots;
    for (const PairSlot& pair : slots) {
        SavedPair& out = saved.emplace_back();
        if (pair.is_free()) continue;
        out = {pair.key, pair.entity, pair.slack, pair.cache, pair.touching, pair.rules, 0};
        for (ManifoldId id = pair.manifold; id != kNone; id = manifolds.slot(id).next, ++out.manifolds) {
            const ExtendedFriction* extended = manifolds.extended(id);
            contents.push_back({manifolds[id], extended ? *extended : ExtendedFriction{}, manifolds.slot(id).part,
                                uint32_t(extended != nullptr)});
        }
    }
}

void Pairs::load(const std::vector<SavedPair>& saved, const std::vector<uint32_t>& free,
                 const std::vector<SavedManifold>& contents, const Bodies& bodies, const Colliders& colliders) {
    clear();
    free_slots = free;
    slots.resize(saved.size());
    names.resize(saved.size());
    asked_events.resize(saved.size());
    size_t next = 0;
    for (uint32_t k = 0; k < saved.size(); ++k) {
        const SavedPair& from = saved[k];
        const size_t first = next;
        next += from.manifolds;
        PairSlot& pair = slots[k];
        if (from.key == 0) continue;
        pair.key = from.key;
        if (!find_members(k, bodies, colliders) || pair.body_a == pair.body_b) {
            pair = PairSlot{};
            free_slots.push_back(k);
            continue;
        }
        pair.entity = from.entity;
        pair.slack = from.slack;
        pair.cache = from.cache;
        pair.touching = from.touching != 0;
        pair.rules = uint8_t(from.rules);
        names[k].collider_a = colliders.data[pair.collider_a].entity;
        names[k].collider_b = colliders.data[pair.collider_b].entity;
        names[k].touching = pair.touching;
        asked_events[k] = events_asked(colliders, pair);
        slot_of_key.set(pair.key, k);
        if (pair.entity != kNoEntity) {
            const size_t index = entt::to_entity(pair.entity);
            if (slot_of_entity.size() <= index) slot_of_entity.resize(index + 1, kNone);
            slot_of_entity[index] = k;
        }
        for (size_t m = next; m-- > first;) {  // each goes to the front of the list
            const ManifoldId id = add_manifold(k);
            Manifold& to = manifolds[id];
            const uint8_t touching = to.touching, shares_pair = to.shares_pair;
            to = contents[m].manifold;
            to.touching = touching;
            to.shares_pair = shares_pair;
            if (m == first) pair.reduced = uint8_t((to.made & kReduced) != 0);
            manifolds.slot(id).part = contents[m].part;
            if (contents[m].has_extended) manifolds.make_extended(id) = contents[m].extended;
        }
    }
    ++version;
}

void Pairs::clear() {
    slots.clear();
    names.clear();
    asked_events.clear();
    free_slots.clear();
    slot_of_key.clear();
    slot_of_entity.assign(slot_of_entity.size(), kNone);
    manifolds.clear();
    changed.clear();
    lost_touch.clear();
    gone.clear();
    ended.clear();
    event_queue.clear();
    sensor_changes.clear();
    ++version;
}

namespace {

/// What the points of manifolds say together.
struct Touch {
    bool now = false, hit = false;

    void add(const Manifold& m, bool before, float hit_speed) {
        for (uint32_t i = 0; i < m.count; ++i) {
            const ManifoldPoint& p = m.points[i];
            now |= p.impulse.x > 0.0f || p.separation <= (before ? kStillTouching : 0.0f);
            hit |= p.impulse.x > 0.0f && p.approach_speed >= hit_speed;
        }
    }
    uint8_t event_flags(bool before) const {
        return uint8_t((now != before ? kTouchChanged : 0) | (now && hit ? kHit : 0));
    }
};

}  // namespace

uint8_t update_touching(Pairs& pairs, uint32_t slot, float hit_speed) {
    PairSlot& pair = pairs.slots[slot];
    const bool before = pair.touching != 0;
    hit_speed = std::min(hit_speed, pairs.rules.min_hit_speed);
    Touch touch;
    for (const ManifoldId id : ManifoldChain{pairs, slot}) touch.add(pairs.manifolds[id], before, hit_speed);
    for (const ManifoldId id : ManifoldChain{pairs, slot}) pairs.manifolds[id].touching = touch.now;
    pair.event_flags = touch.event_flags(before);
    pair.touching = touch.now;
    return pair.event_flags;
}

uint8_t note_results(Pairs& pairs, ManifoldId id, float hit_speed) {
    Manifold& m = pairs.manifolds[id];
    if (m.shares_pair) return kToBeLookedAt;
    const bool before = m.touching != 0;
    hit_speed = std::min(hit_speed, pairs.rules.min_hit_speed);
    Touch touch;
    touch.add(m, before, hit_speed);
    const uint8_t flags = touch.event_flags(before);
    if (flags == 0) return 0;  // mostly: the pair need not be looked for
    m.touching = touch.now;
    PairSlot& pair = pairs.slots[pairs.manifolds.slot(id).pair];
    pair.touching = touch.now;
    pair.event_flags = flags;
    return flags;
}

}  // namespace proxima::physics
