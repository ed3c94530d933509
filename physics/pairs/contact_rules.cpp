// SPDX-License-Identifier: MIT
#include "physics/pairs/contact_rules.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "physics/check_input.h"
#include "physics/pairs/pairs.h"

namespace proxima::physics {

namespace {

/// Whether layers, masks and groups let two colliders meet.
bool may_meet(const Collider& a, const Collider& b) {
    if (a.group != 0 && a.group == b.group) return a.group > 0;
    return (a.layer & b.mask) != 0 && (b.layer & a.mask) != 0;
}

/// Components of the colliders that are listed, in the order of their slots.
void list_rules(entt::registry& registry, const Colliders& colliders, std::vector<SeenRules>& out) {
    out.clear();
    for (const Entity entity : registry.view<ContactRules>())
        if (const uint32_t slot = colliders.slot_of(entity); slot != kNone)
            out.push_back({colliders.data[slot].stable_id, entity, registry.get<ContactRules>(entity)});
    std::sort(out.begin(), out.end(), [](const SeenRules& x, const SeenRules& y) { return x.stable_id < y.stable_id; });
}

bool is_same(const SeenRules& x, const SeenRules& y) {
    return x.collider == y.collider && std::memcmp(&x.rules, &y.rules, sizeof(ContactRules)) == 0;
}

/// Marks the colliders whose rules came, went or are other ones; their bodies wake.
void find_changes(const std::vector<SeenRules>& before, const std::vector<SeenRules>& now, const Colliders& colliders,
                  Bodies& bodies, std::vector<uint8_t>& changed) {
    const auto note = [&](const SeenRules& rules) {
        const uint32_t slot = colliders.slot_of(rules.collider);
        if (slot == kNone) return;
        changed.resize(colliders.size(), 0);
        changed[slot] = 1;
        bodies.disturb(colliders.data[slot].body);
    };
    size_t i = 0, k = 0;
    while (i < before.size() || k < now.size()) {
        const bool old = k == now.size() || (i < before.size() && before[i].stable_id < now[k].stable_id);
        const bool fresh = i == before.size() || (k < now.size() && now[k].stable_id < before[i].stable_id);
        if (old || fresh)
            note(old ? before[i] : now[k]);
        else if (!is_same(before[i], now[k]))
            note(now[k]);
        i += !fresh;
        k += !old;
    }
}

/// The bits of one pair, and what follows where they are other ones.
void update_pair(uint32_t slot, const Colliders& colliders, Bodies& bodies, Pairs& pairs) {
    PairSlot& pair = pairs.slots[slot];
    const uint8_t before = pair.rules, now = derive_rules(colliders, pairs, pair);
    pair.rules = uint8_t(now | (is_one_way(now) ? before & kPassing : 0));
    pairs.asked_events[slot] = events_asked(colliders, pair);
    const std::vector<uint8_t>& changed = pairs.rules.changed;
    if (!changed.empty() && (changed[pair.collider_a] || changed[pair.collider_b])) {
        pair.slack = -1.0f;
        for (const ManifoldId id : ManifoldChain{pairs, slot}) pairs.manifolds[id].made = 0;
    }
    constexpr int kContactBits = kSensorA | kSensorB | kFiltered;
    if (((before ^ now) & kContactBits) == 0) return;
    pair.slack = -1.0f;
    bodies.disturb(pair.body_a);
    bodies.disturb(pair.body_b);
    if (!is_sensor_pair(before) || !pair.touching) return;
    pairs.names[slot].touching = 1;
    pairs.ended.push_back({pair.key, kNoEntity, pairs.names[slot], before, 0});
    pair.touching = 0;
}

}  // namespace

bool ContactRuleStore::ignores(Entity a, Entity b) const {
    return std::binary_search(ignored.begin(), ignored.end(), IgnoredPair{std::min(a, b), std::max(a, b)});
}

bool ContactRuleStore::has_bits(const Colliders& colliders) const {
    return colliders.ruled_count > 0 || !seen.empty() || !ignored.empty();
}

void ContactRuleStore::derive(const Colliders& colliders) {
    of_collider.clear();
    min_hit_speed = std::numeric_limits<float>::infinity();
    any_one_way = any_watched = any_modifiable = any_breaks = false;
    if (!seen.empty()) of_collider.assign(colliders.size(), kNone);
    for (uint32_t k = 0; k < seen.size(); ++k) {
        const uint32_t slot = colliders.slot_with_id(seen[k].stable_id);
        const ContactRules& rules = seen[k].rules;
        if (slot == kNone || !check_contact_rules(rules)) continue;
        of_collider[slot] = k;
        if (rules.hit_speed > 0.0f) min_hit_speed = std::min(min_hit_speed, rules.hit_speed);
        any_one_way |= rules.one_way != Vec3(0.0f);
        any_breaks |= rules.break_impulse > 0.0f;
        any_watched |= rules.force_threshold > 0.0f || rules.break_impulse > 0.0f;
        any_modifiable |= rules.modifiable != 0;
    }
}

uint8_t derive_rules(const Colliders& colliders, const Pairs& pairs, const PairSlot& pair) {
    const Collider &a = colliders.seen[pair.collider_a], &b = colliders.seen[pair.collider_b];
    int rules = (a.is_sensor ? kSensorA : 0) | (b.is_sensor ? kSensorB : 0);
    if (!may_meet(a, b)) rules |= kFiltered;
    const ContactRuleStore& store = pairs.rules;
    if (!store.ignored.empty()) {
        const Entity collider_a = colliders.data[pair.collider_a].entity,
                     collider_b = colliders.data[pair.collider_b].entity;
        if (store.ignores(collider_a, collider_b) || store.ignores(collider_a, b.body) ||
            store.ignores(a.body, collider_b) || store.ignores(a.body, b.body))
            rules |= kFiltered;
    }
    const auto add = [&](const ContactRules* own, int one_way) {
        if (!own) return;
        if (own->one_way != Vec3(0.0f)) rules |= one_way;
        if (own->force_threshold > 0.0f || own->break_impulse > 0.0f) rules |= kWatched;
        if (own->modifiable) rules |= kModifiable;
        if (own->broken) rules |= kFiltered;
    };
    add(store.of(pair.collider_a), kOneWayA);
    add(store.of(pair.collider_b), kOneWayB);
    return uint8_t(rules);
}

uint8_t events_asked(const Colliders& colliders, const PairSlot& pair) {
    return colliders.seen[pair.collider_a].events | colliders.seen[pair.collider_b].events;
}

float hit_speed_of(const Pairs& pairs, const PairSlot& pair, float of_world) {
    const ContactRules *a = pairs.rules.of(pair.collider_a), *b = pairs.rules.of(pair.collider_b);
    const float own_a = a ? a->hit_speed : 0.0f, own_b = b ? b->hit_speed : 0.0f;
    if (own_a > 0.0f && own_b > 0.0f) return std::min(own_a, own_b);
    return std::max(own_a, own_b) > 0.0f ? std::max(own_a, own_b) : of_world;
}

void sync_contact_rules(entt::registry& registry, const Colliders& colliders, Bodies& bodies, Pairs& pairs,
                        StepReport& report) {
    ContactRuleStore& store = pairs.rules;
    list_rules(registry, colliders, store.now);
    const bool other_bodies = store.seen_bodies != bodies.version;
    if (other_bodies)
        std::erase_if(store.ignored, [&](const IgnoredPair& pair) {
            const auto is_there = [&](Entity e) {
                return registry.valid(e) && registry.any_of<RigidBody, Collider>(e);
            };
            return !is_there(pair.a) || !is_there(pair.b);
        });
    const bool same = store.now.size() == store.seen.size() &&
                      std::equal(store.now.begin(), store.now.end(), store.seen.begin(), is_same);
    if (same && !other_bodies && store.seen_version == store.version) return;
    store.changed.clear();
    if (!same) {
        find_changes(store.seen, store.now, colliders, bodies, store.changed);
        for (SeenRules& own : store.now) {
            const auto before = std::lower_bound(store.seen.begin(), store.seen.end(), own.stable_id,
                                                 [](const SeenRules& x, uint32_t id) { return x.stable_id < id; });
            if (before != store.seen.end() && before->collider == own.collider) own.blow = before->blow;
        }
        store.seen.swap(store.now);
        ++store.version;
        for (const SeenRules& own : store.seen)
            if (!check_contact_rules(own.rules))
                report.warn(own.collider, "The collider's ContactRules make no sense; it has none.");
    }
    store.seen_version = store.version;
    store.seen_bodies = bodies.version;
    store.derive(colliders);
    const bool any_bits = store.has_bits(colliders);
    if (!std::exchange(store.any_bits, any_bits) && !any_bits) return;
    for (uint32_t k = 0; k < pairs.slots.size(); ++k)
        if (!pairs.slots[k].is_free()) update_pair(k, colliders, bodies, pairs);
}

}  // namespace proxima::physics
