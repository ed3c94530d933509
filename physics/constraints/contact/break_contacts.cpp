// SPDX-License-Identifier: MIT
#include "physics/constraints/contact/break_contacts.h"

#include <algorithm>

namespace proxima::physics {

namespace {

constexpr float kRounding = 1e-6f;  // of a break impulse

/// Calls visit(slot, manifold, point) for every contact point of a pair of which one can break.
template <class Visit>
void for_each_point(const Pairs& pairs, const Visit& visit) {
    for (uint32_t k = 0; k < pairs.slots.size(); ++k) {
        if (pairs.slots[k].is_free() || !(pairs.slots[k].rules & kWatched)) continue;
        for (const ManifoldId id : ManifoldChain{pairs, k}) {
            const Manifold& m = pairs.manifolds[id];
            for (uint32_t i = 0; i < m.count; ++i) visit(pairs.slots[k], m, m.points[i]);
        }
    }
}

bool can_break(const Pairs& pairs, uint32_t collider) {
    const ContactRules* own = pairs.rules.of(collider);
    return own && own->break_impulse > 0.0f && !own->broken;
}

/// Sums of the normal impulses by collider, and who gave too much.
void find_broken(const Bodies& bodies, const Colliders& colliders, const Pairs& pairs, BreakTrial& trial) {
    trial.colliders.clear();
    trial.sums.assign(colliders.size(), 0.0f);
    trial.limits.assign(colliders.size(), -1.0f);
    for (uint32_t k = 0; k < colliders.size(); ++k)
        if (can_break(pairs, k)) {
            const SeenRules& own = pairs.rules.seen[pairs.rules.of_collider[k]];
            trial.limits[k] = std::max(own.rules.break_impulse - own.blow, 0.0f);
        }
    for_each_point(pairs, [&](const PairSlot& pair, const Manifold&, const ManifoldPoint& p) {
        // What sleeps was not solved.
        if (!bodies.awake[pair.body_a] && !bodies.awake[pair.body_b]) return;
        trial.sums[pair.collider_a] += p.impulse.x;
        trial.sums[pair.collider_b] += p.impulse.x;
    });
    for (uint32_t k = 0; k < colliders.size(); ++k)
        if (trial.limits[k] >= 0.0f && trial.sums[k] > trial.limits[k] + kRounding * pairs.rules.of(k)->break_impulse)
            trial.colliders.push_back(k);
}

bool has_broken(const BreakTrial& trial, uint32_t collider) {
    return std::binary_search(trial.colliders.begin(), trial.colliders.end(), collider);
}

/// The part of its impulse that a contact gives: what the weaker one of its colliders stands.
float part_of(const BreakTrial& trial, const PairSlot& pair) {
    float part = 1.0f;
    for (const uint32_t collider : {pair.collider_a, pair.collider_b})
        if (has_broken(trial, collider)) part = std::min(part, trial.limits[collider] / trial.sums[collider]);
    return part;
}

ContactBreak describe(const Colliders& colliders, const Bodies& bodies, const Pairs& pairs, const BreakTrial& trial,
                      uint32_t broken) {
    ContactBreak out{};
    const auto entity_of = [&](uint32_t collider) { return colliders.data[collider].entity; };
    const auto body_of = [&](uint32_t collider) { return bodies.data[colliders.data[collider].body].entity; };
    out.collider = entity_of(broken);
    out.body = body_of(broken);
    const SeenRules& own = pairs.rules.seen[pairs.rules.of_collider[broken]];
    out.impulse = own.rules.break_impulse;
    out.unbroken_impulse = own.blow + trial.sums[broken];
    float strongest = -1.0f;
    for_each_point(pairs, [&](const PairSlot& pair, const Manifold& m, const ManifoldPoint& p) {
        if ((pair.collider_a != broken && pair.collider_b != broken) || p.impulse.x <= strongest) return;
        strongest = p.impulse.x;
        const bool is_a = pair.collider_a == broken;
        const uint32_t other = is_a ? pair.collider_b : pair.collider_a;
        out.other_collider = entity_of(other);
        out.other_body = body_of(other);
        out.point = p.point;
        out.normal = is_a ? m.normal : -m.normal;
    });
    return out;
}

/// Everything as it was before the solve. Colours stay: the graph knows them.
void go_back(const BreakTrial& trial, Bodies& bodies, Pairs& pairs, Joints& joints, StepReport& report) {
    bodies.transform = trial.transform;
    bodies.velocity = trial.velocity;
    bodies.delta = trial.delta;
    bodies.history = trial.history;
    for (size_t k = 0; k < trial.slots.size(); ++k) {
        pairs.slots[k].touching = trial.slots[k].touching;
        pairs.slots[k].event_flags = trial.slots[k].event_flags;
    }
    for (size_t k = 0; k < trial.ids.size(); ++k) {
        if (pairs.manifolds.slot(trial.ids[k]).pair == kNone) continue;  // of what broke in an earlier try
        Manifold& m = pairs.manifolds[trial.ids[k]];
        const uint8_t colour = m.colour;
        m = trial.manifolds[k];
        m.colour = colour;
        if (ExtendedFriction* extended = pairs.manifolds.extended(trial.ids[k])) *extended = trial.extended[k];
    }
    for (size_t k = 0; k < trial.joints.size(); ++k) {
        const uint32_t colour = joints.data[k].state.colour;
        joints.data[k].state = trial.joints[k].state;
        joints.data[k].state.colour = colour;
    }
    pairs.event_queue.clear();
    report.warnings.resize(std::min(report.warnings.size(), trial.warnings));
}

/// The contacts of what broke are gone.
void take_contacts(const BreakTrial& trial, Bodies& bodies, Pairs& pairs) {
    for (uint32_t k = 0; k < pairs.slots.size(); ++k) {
        PairSlot& pair = pairs.slots[k];
        if (pair.is_free() || (!has_broken(trial, pair.collider_a) && !has_broken(trial, pair.collider_b))) continue;
        pair.rules |= kFiltered;
        while (pair.manifold != kNone) {
            std::erase(pairs.changed, pair.manifold);
            pairs.remove_manifold(k, pair.manifold);
        }
        if (pair.touching) pairs.lost_touch.push_back(k);
        bodies.wake(pair.body_a);
        bodies.wake(pair.body_b);
    }
}

}  // namespace

bool may_break(const Bodies& bodies, const Pairs& pairs) {
    for (const PairSlot& pair : pairs.slots) {
        if (pair.is_free() || !(pair.rules & kWatched) || pair.manifold == kNone) continue;
        if (!bodies.awake[pair.body_a] && !bodies.awake[pair.body_b]) continue;
        if (can_break(pairs, pair.collider_a) || can_break(pairs, pair.collider_b)) return true;
    }
    return false;
}

void note_blows(const Bodies& bodies, const StepParams& params, bool may_break, Pairs& pairs) {
    for (SeenRules& own : pairs.rules.seen) own.blow = 0.0f;
    if (!may_break) return;
    // What lasts is the warm start of the next step; a blow is not in it.
    for_each_point(pairs, [&](const PairSlot& pair, const Manifold& m, const ManifoldPoint& p) {
        if (!bodies.awake[pair.body_a] && !bodies.awake[pair.body_b]) return;
        const float lasting = m.lambda_dt > 0.0f ? p.lambda.x * params.dt / m.lambda_dt : 0.0f;
        for (const uint32_t collider : {pair.collider_a, pair.collider_b})
            if (can_break(pairs, collider))
                pairs.rules.seen[pairs.rules.of_collider[collider]].blow += std::max(p.impulse.x - lasting, 0.0f);
    });
}

void begin_trial(const Bodies& bodies, const Pairs& pairs, const Joints& joints, const StepReport& report,
                 BreakTrial& trial) {
    trial.transform = bodies.transform;
    trial.velocity = bodies.velocity;
    trial.delta = bodies.delta;
    trial.history = bodies.history;
    trial.slots = pairs.slots;
    trial.joints = joints.data;
    trial.warnings = report.warnings.size();
    trial.ids.clear();
    trial.manifolds.clear();
    trial.extended.clear();
    for (uint32_t k = 0; k < pairs.slots.size(); ++k)
        for (const ManifoldId id : ManifoldChain{pairs, k}) {
            const ExtendedFriction* extended = pairs.manifolds.extended(id);
            trial.ids.push_back(id);
            trial.manifolds.push_back(pairs.manifolds[id]);
            trial.extended.push_back(extended ? *extended : ExtendedFriction{});
        }
}

bool break_contacts(entt::registry& registry, const Colliders& colliders, BreakTrial& trial, Bodies& bodies,
                    Pairs& pairs, Joints& joints, Events& events, StepReport& report) {
    find_broken(bodies, colliders, pairs, trial);
    if (trial.colliders.empty()) return false;
    for (const uint32_t collider : trial.colliders)
        events.broken.push_back(describe(colliders, bodies, pairs, trial, collider));
    // Into the state before the solve: velocities there, at lever arms of there.
    for_each_point(pairs, [&](const PairSlot& pair, const Manifold& m, const ManifoldPoint& p) {
        const float part = part_of(trial, pair);
        if (part == 1.0f) return;
        Contact at;
        at.a = pair.body_a;
        at.b = pair.body_b;
        at.arm_a = p.point - trial.transform[pair.body_a].center;
        at.arm_b = p.point - trial.transform[pair.body_b].center;
        const Vec3 impulse = m.normal * p.impulse.x + m.tangent1 * p.impulse.y + m.tangent2 * p.impulse.z;
        apply_impulse(at, part * impulse, bodies.inverse_mass, trial.velocity);
    });
    go_back(trial, bodies, pairs, joints, report);
    for (const uint32_t collider : trial.colliders) {
        SeenRules& seen = pairs.rules.seen[pairs.rules.of_collider[collider]];
        seen.rules.broken = 1;
        if (ContactRules* own = registry.try_get<ContactRules>(seen.collider)) own->broken = 1;
    }
    take_contacts(trial, bodies, pairs);
    return true;
}

}  // namespace proxima::physics
