// SPDX-License-Identifier: MIT
#include "physics/events/publish_events.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proxima::physics {

namespace {

/// Whether one of the colliders of a pair asks for events of a kind.
bool asks(uint8_t events, uint8_t kind) { return (events & kind) != 0; }

/// What a sensor found, or lost.
void tell_sensor(const ContactPair& names, uint8_t rules, bool begins, Events& events) {
    const bool is_a = (rules & kSensorA) != 0;
    const Entity sensor = is_a ? names.collider_a : names.collider_b,
                 other = is_a ? names.collider_b : names.collider_a, sensor_body = is_a ? names.body_a : names.body_b,
                 other_body = is_a ? names.body_b : names.body_a;
    if (begins)
        events.sensor_begin.push_back({sensor, other, sensor_body, other_body});
    else
        events.sensor_end.push_back({sensor, other, sensor_body, other_body});
}

/// Entities of pairs that are gone end, with their events. In the order of their keys, which the order of the table's
/// slots is not.
void end_pairs(Pairs& pairs, Events& events, entt::registry& registry) {
    std::sort(pairs.ended.begin(), pairs.ended.end(),
              [](const EndedPair& x, const EndedPair& y) { return x.key < y.key; });
    for (const EndedPair& ended : pairs.ended) {
        const ContactPair& names = ended.names;
        if (names.touching && has_no_contacts(ended.rules))
            tell_sensor(names, ended.rules, false, events);
        else if (names.touching && asks(ended.events, kTouchEvents))
            events.end.push_back({names.collider_a, names.collider_b, names.body_a, names.body_b});
        if (registry.valid(ended.entity) && registry.all_of<ContactPair>(ended.entity)) registry.destroy(ended.entity);
    }
    pairs.ended.clear();
}

/// The entity of a pair; a game that destroyed it gets another.
ContactPair& ensure_entity(Pairs& pairs, uint32_t slot, entt::registry& registry) {
    Entity& entity = pairs.slots[slot].entity;
    if (registry.valid(entity))
        if (ContactPair* there = registry.try_get<ContactPair>(entity)) return *there;
    entity = registry.create();
    const size_t index = entt::to_entity(entity);
    if (pairs.slot_of_entity.size() <= index) pairs.slot_of_entity.resize(index + 1, kNone);
    pairs.slot_of_entity[index] = slot;
    return registry.emplace<ContactPair>(entity, pairs.names[slot]);
}

void sort_by_key(const Pairs& pairs, std::vector<uint32_t>& list) {
    std::sort(list.begin(), list.end(),
              [&](uint32_t x, uint32_t y) { return pairs.slots[x].key < pairs.slots[y].key; });
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

void tell_sensors(Pairs& pairs, Events& events) {
    sort_by_key(pairs, pairs.sensor_changes);
    for (const uint32_t slot : pairs.sensor_changes)
        if (is_sensor_pair(pairs.slots[slot].rules))
            tell_sensor(pairs.names[slot], pairs.slots[slot].rules, pairs.slots[slot].touching != 0, events);
    pairs.sensor_changes.clear();
}

/// Pairs with their first contact points become entities.
void begin_pairs(Pairs& pairs, entt::registry& registry) {
    std::vector<uint32_t>& list = pairs.narrowphase_queue;  // done with
    list.clear();
    for (const ManifoldId id : pairs.changed) {
        const uint32_t slot = pairs.manifolds.slot(id).pair;
        if (slot != kNone && pairs.slots[slot].entity == kNoEntity) list.push_back(slot);
    }
    sort_by_key(pairs, list);
    for (const uint32_t slot : list) ensure_entity(pairs, slot, registry);
}

/// The blow of a whole pair: impulses of its points together, at the point that took most of it.
void report_hit(const Pairs& pairs, uint32_t slot, float hit_speed, Events& events) {
    float speed = 0.0f, normal_impulse = 0.0f, strongest = -1.0f;
    Vec3 tangent(0.0f);
    ContactHit hit{};
    for (const ManifoldId id : ManifoldChain{pairs, slot}) {
        const Manifold& m = pairs.manifolds[id];
        for (uint32_t i = 0; i < m.count; ++i) {
            const ManifoldPoint& p = m.points[i];
            if (p.impulse.x > 0.0f) speed = std::max(speed, p.approach_speed);
            normal_impulse += p.impulse.x;
            tangent += m.tangent1 * p.impulse.y + m.tangent2 * p.impulse.z;
            if (p.impulse.x <= strongest) continue;
            strongest = p.impulse.x;
            hit.normal = m.normal;
            hit.point = p.point;
        }
    }
    if (speed < hit_speed || normal_impulse <= 0.0f) return;
    const ContactPair& names = pairs.names[slot];
    hit.pair = pairs.slots[slot].entity;
    hit.collider_a = names.collider_a;
    hit.collider_b = names.collider_b;
    hit.body_a = names.body_a;
    hit.body_b = names.body_b;
    hit.approach_speed = speed;
    hit.normal_impulse = normal_impulse;
    hit.tangent_impulse = glm::length(tangent);
    events.hit.push_back(hit);
}

/// The force of a whole pair, where it is larger than one of its colliders wants to know.
void report_force(const Pairs& pairs, uint32_t slot, float threshold, float dt, Events& events) {
    float load = 0.0f, strongest = -1.0f;
    ContactForce told{};
    Vec3 impulse(0.0f), at(0.0f);
    for (const ManifoldId id : ManifoldChain{pairs, slot}) {
        const Manifold& m = pairs.manifolds[id];
        for (uint32_t i = 0; i < m.count; ++i) {
            const ManifoldPoint& p = m.points[i];
            impulse += m.normal * p.impulse.x + m.tangent1 * p.impulse.y + m.tangent2 * p.impulse.z;
            load += p.impulse.x;
            at += p.impulse.x * p.point;
            if (p.impulse.x <= strongest) continue;
            strongest = p.impulse.x;
            told.normal = m.normal;
        }
    }
    told.force = impulse / dt;
    if (!(load > 0.0f) || !(glm::length(told.force) > threshold)) return;
    const ContactPair& names = pairs.names[slot];
    told.pair = pairs.slots[slot].entity;
    told.collider_a = names.collider_a;
    told.collider_b = names.collider_b;
    told.body_a = names.body_a;
    told.body_b = names.body_b;
    told.point = at / load;
    events.force.push_back(told);
}

/// Of the contacts that were solved in this step: what sleeps presses as it did, and that was told.
void tell_forces(const StepParams& params, const Bodies& bodies, Pairs& pairs, entt::registry& registry,
                 Events& events) {
    const auto threshold_of = [&](uint32_t collider) {
        const ContactRules* own = pairs.rules.of(collider);
        return own && own->force_threshold > 0.0f ? own->force_threshold : std::numeric_limits<float>::infinity();
    };
    std::vector<uint32_t>& list = pairs.narrowphase_queue;  // done with
    list.clear();
    for (uint32_t k = 0; k < pairs.slots.size(); ++k) {
        const PairSlot& pair = pairs.slots[k];
        if (pair.is_free() || !(pair.rules & kWatched) || pair.manifold == kNone || !pair.touching) continue;
        if (bodies.awake[pair.body_a] || bodies.awake[pair.body_b]) list.push_back(k);
    }
    sort_by_key(pairs, list);
    for (const uint32_t slot : list) {
        const PairSlot& pair = pairs.slots[slot];
        const float threshold = std::min(threshold_of(pair.collider_a), threshold_of(pair.collider_b));
        if (!std::isfinite(threshold)) continue;
        ensure_entity(pairs, slot, registry);
        report_force(pairs, slot, threshold, params.dt, events);
    }
}

}  // namespace

void publish_events(const StepParams& params, const Bodies& bodies, Pairs& pairs, Events& events,
                    entt::registry& registry, const StepTools& tools) {
    const StageScope scope(tools, Stage::publish_events);
    end_pairs(pairs, events, registry);
    begin_pairs(pairs, registry);
    for (const uint32_t slot : pairs.lost_touch) {
        PairSlot& pair = pairs.slots[slot];
        if (pair.is_free() || !pair.touching || pair.manifold != kNone) continue;
        pair.touching = 0;
        pair.event_flags = kTouchChanged;
        pairs.event_queue.push_back(slot);
    }
    pairs.lost_touch.clear();
    sort_by_key(pairs, pairs.event_queue);
    for (const uint32_t slot : pairs.event_queue) {
        PairSlot& pair = pairs.slots[slot];
        // A pair with several manifolds is looked at now that all of them have their results.
        if (pair.manifold != kNone && pairs.manifolds.slot(pair.manifold).next != kNone)
            update_touching(pairs, slot, params.settings.hit_speed);
        if (!pair.event_flags) continue;
        // From what the world knows: the component may have been written over.
        ContactPair& names = ensure_entity(pairs, slot, registry) = pairs.names[slot];
        names.touching = pair.touching;
        const uint8_t asked = pairs.asked_events[slot];
        if ((pair.event_flags & kTouchChanged) && asks(asked, kTouchEvents)) {
            if (pair.touching)
                events.begin.push_back({pair.entity, names.collider_a, names.collider_b, names.body_a, names.body_b});
            else
                events.end.push_back({names.collider_a, names.collider_b, names.body_a, names.body_b});
        }
        if ((pair.event_flags & kHit) && asks(asked, kHitEvents))
            report_hit(pairs, slot, hit_speed_of(pairs, pair, params.settings.hit_speed), events);
        pair.event_flags = 0;
    }
    pairs.event_queue.clear();
    tell_sensors(pairs, events);
    if (pairs.rules.any_watched) tell_forces(params, bodies, pairs, registry, events);
}

}  // namespace proxima::physics
