// SPDX-License-Identifier: MIT
// Who solves an island: the wide sweeps, the direct solver, or the general path with a solver of its own.
// docs/direct.md has the reasons and the measurements.
//
// Sweeps are good at what moves; a direct solve is good at what rests, and at heavy bodies on light ones,
// which sweeps cannot hold up whether they rest or not. Changing the method is what shakes a stack, so it is
// not done often: who comes in stays until it is hit, and who could not be solved within its budget is swept
// for seconds.
#include <algorithm>

#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kMostBodies = 256;      // beyond it a factor costs more than sweeps
constexpr uint32_t kLeastBodies = 4;       // sweeps hold up three bodies well, and batches of them cheaply
constexpr float kCalmSpeed = 0.03f;        // m/s, of the fastest point
constexpr uint8_t kAlwaysCalm = 255;       // since it was made
constexpr uint8_t kCalmSteps = 10;         // before an island comes in
constexpr float kMovingSpeed = 1.0f;       // m/s: an island with a body as fast is swept
constexpr float kUnevenMasses = 20.0f;     // ratio of two bodies that touch
constexpr uint8_t kBarredSteps = 240;      // after a failure
constexpr uint8_t kBarredStepsSmall = 60;  // the same of a small island, which costs little to try
constexpr uint32_t kSmallIsland = 64;
constexpr uint8_t kBarredWhileCalm = 255;  // after a failure at rest: until a body moves ...
constexpr float kDisturbedSpeed = 0.15f;   // ... as fast as this, m/s
constexpr float kDear = 1.0f;              // times the sweeps: a direct solve that costs more is dear ...
constexpr uint8_t kMostDear = 16;          // ... and may be so for that many steps in a row
constexpr uint8_t kMostDearUneven = 60;    // more patience where sweeps fail
constexpr float kBudget = 1.5f;            // times the sweeps; they come on top when it does not suffice
constexpr float kColdBudget = 10.0f;  // in the first step of what was made at rest: no impulses to begin with
constexpr uint32_t kFewBodies = 16;
constexpr float kUnevenBudget = 4.5f;         // of few uneven bodies, where sweeps fail anyway
constexpr float kMissedResidual = 1e-3f;      // m/s: sweeps that leave more ...
constexpr uint8_t kMissedSteps = 30;          // ... for so long ...
constexpr uint32_t kMostMissing = 64;         // ... in an island this small are not good enough
constexpr uint64_t kStepsBetweenEntries = 8;  // each entry lays all manifolds out anew: let several wait

struct IslandState {
    float fastest = 0.0f;
    uint8_t calm_steps = 255, barred_steps = 0;
    bool was_direct = false;
    uint8_t missed_steps = 0;  // swept, with a residual that is too large
};

/// Counts what a body does, and adds it to what its island does.
void watch_body(StepContext& c, uint32_t body, IslandState& island) {
    BodyWatch& watch = c.bodies.watch[body];
    const float speed = c.bodies.speed[body];
    // 255 is for what has been calm all its life.
    const uint8_t next =
        watch.calm_steps == kAlwaysCalm ? kAlwaysCalm : uint8_t(std::min(watch.calm_steps + 1, 254));
    watch.calm_steps = speed < kCalmSpeed ? next : uint8_t(0);
    if (watch.barred_steps == kBarredWhileCalm)
        watch.barred_steps = speed > kDisturbedSpeed ? kBarredStepsSmall : kBarredWhileCalm;
    else if (watch.barred_steps > 0)
        --watch.barred_steps;
    island.fastest = std::max(island.fastest, speed);
    island.calm_steps = std::min(island.calm_steps, watch.calm_steps);
    island.barred_steps = std::max(island.barred_steps, watch.barred_steps);
    island.was_direct |= watch.direct_steps != 0;
    island.missed_steps = std::max(island.missed_steps, watch.direct_steps ? uint8_t(0) : watch.dear_steps);
}

/// Marks islands where a body leans on another that is much lighter.
void find_uneven_islands(StepContext& c) {
    c.island_uneven.assign(c.islands.size(), 0);
    for (const ContactRef& contact : c.contact_list) {
        const uint32_t island = island_of(c, contact.body_a, contact.body_b);
        const float a = c.bodies.inverse_mass[contact.body_a].mass,
                    b = c.bodies.inverse_mass[contact.body_b].mass;
        if (island == kNoIsland || a == 0.0f || b == 0.0f) continue;
        if (std::max(a, b) > kUnevenMasses * std::min(a, b)) c.island_uneven[island] = 1;
    }
}

bool is_direct(const StepContext& c, const IslandState& state, const Island& island, bool uneven) {
    const uint32_t bodies = island.body_end - island.body_begin;
    if (island.group_begin == island.group_end || bodies > kMostBodies || state.barred_steps > 0)
        return false;
    if (uneven) return true;
    if (state.was_direct) return state.fastest < kMovingSpeed;
    const bool may_enter = c.cut_anew || c.step_number % kStepsBetweenEntries == 0;
    if (!may_enter || bodies < kLeastBodies) return false;
    const bool swept_badly = bodies <= kMostMissing && state.missed_steps >= kMissedSteps;
    return state.calm_steps >= kCalmSteps || (swept_badly && state.fastest < kMovingSpeed);
}

/// The islands that go the general way, and who chose their solver.
void find_apart(StepContext& c) {
    c.island_choice.assign(c.islands.size(), kNoSlot);
    const entt::sparse_set& choices = c.world.registry().storage<SolverChoice>();
    for (const Entity entity : choices) {
        const size_t index = size_t(entt::to_entity(entity));
        const uint32_t slot = index < c.slot_of_entity.size() ? c.slot_of_entity[index] : kNoSlot;
        const bool is_body = slot < c.bodies.size() && c.bodies.facts[slot].entity == entity;
        const uint32_t island = is_body ? c.bodies.island[slot] : kNoIsland;
        if (island != kNoIsland) c.island_choice[island] = std::min(c.island_choice[island], slot);
    }
    if (c.special_colliders == 0 || !c.contacts_changed) return;
    c.island_special.assign(c.islands.size(), 0);
    for (const ContactRef& contact : c.contact_list) {
        const uint32_t island = island_of(c, contact.body_a, contact.body_b);
        const PairSlot& slot = c.pairs[contact.pair];
        if (island != kNoIsland && needs_general_path(*slot.manifold)) c.island_special[island] = 1;
    }
}

/// Where sweeps fail anyway and a solve costs little in any case.
bool is_small_and_uneven(const StepContext& c, const wide::Part& part) {
    return part.body_count <= kFewBodies && c.island_uneven[c.bodies.island[c.wide.bodies[part.body_begin]]];
}

/// Counts the steps in which sweeps left too much.
void watch_residual(StepContext& c, const Island& island, float residual) {
    for (uint32_t k = island.body_begin; k < island.body_end; ++k) {
        BodyWatch& watch = c.bodies.watch[c.island_bodies[k]];
        watch.dear_steps =
            residual > kMissedResidual ? uint8_t(std::min(watch.dear_steps + 1, 127)) : uint8_t(0);
    }
}

}  // namespace

void choose_ways(StepContext& c) {
    const size_t n = c.islands.size();
    c.ways_changed = c.island_way.size() != n;
    c.report.direct_islands = c.report.direct_bodies = c.apart_islands = 0;
    find_apart(c);
    if (c.contacts_changed) find_uneven_islands(c);
    c.island_way.resize(n, IslandWay::swept);
    c.island_outcome.assign(n, IslandOutcome{});
    for (uint32_t i = 0; i < n; ++i) {
        const Island& island = c.islands[i];
        const bool special = c.special_colliders > 0 && c.island_special[i];
        IslandWay way = IslandWay::swept;
        IslandState state;
        for (uint32_t k = island.body_begin; k < island.body_end; ++k)
            watch_body(c, c.island_bodies[k], state);
        if (!c.goes_wide || special || c.island_choice[i] != kNoSlot)
            way = IslandWay::apart;
        else if (c.settings.direct_islands && is_direct(c, state, island, c.island_uneven[i] != 0))
            way = IslandWay::direct;
        c.ways_changed |= way != c.island_way[i];
        c.island_way[i] = way;
        c.apart_islands += way == IslandWay::apart;
        for (uint32_t k = island.body_begin; k < island.body_end; ++k) {
            BodyWatch& watch = c.bodies.watch[c.island_bodies[k]];
            if (way != IslandWay::direct)
                watch.direct_steps = 0;
            else if (watch.direct_steps == 0)
                watch.dear_steps = 0;
        }
        if (way != IslandWay::direct) continue;
        ++c.report.direct_islands;
        c.report.direct_bodies += island.body_end - island.body_begin;
    }
    c.report.apart_islands = c.goes_wide ? c.apart_islands : 0;
}

void forget_direct_islands(StepContext& c) {
    for (DirectSlot& slot : c.directs) c.spare_directs.push_back(std::move(slot.island));
    c.directs.clear();
}

void find_direct_islands(StepContext& c) {
    const wide::Problem& p = c.wide;
    // Who is solved already, by name.
    std::sort(c.directs.begin(), c.directs.end(),
              [](const DirectSlot& x, const DirectSlot& y) { return x.identity.name < y.identity.name; });
    std::vector<DirectSlot>& before = c.directs_before;
    before.swap(c.directs);
    c.directs.clear();
    c.directs.resize(p.numbers.directs);
    for (uint32_t k = 0; k < p.numbers.directs; ++k) {
        const direct::Identity identity = direct::identity_of(c, p.parts[k]);
        const auto old =
            std::lower_bound(before.begin(), before.end(), identity.name,
                             [](const DirectSlot& slot, uint64_t name) { return slot.identity.name < name; });
        if (old != before.end() && old->identity == identity) c.directs[k].island = std::move(old->island);
        c.directs[k].identity = identity;
    }
    for (DirectSlot& slot : before)
        if (slot.island) c.spare_directs.push_back(std::move(slot.island));
    before.clear();
    for (uint32_t k = 0; k < p.numbers.directs; ++k) {
        DirectSlot& slot = c.directs[k];
        if (slot.island) continue;
        if (c.spare_directs.empty()) {
            slot.island = std::make_unique<direct::DirectIsland>();
        } else {
            slot.island = std::move(c.spare_directs.back());
            c.spare_directs.pop_back();
        }
        slot.island->begin();
    }
    restore_factors(c);
}

void note_direct(StepContext& c, const wide::Part& part, const direct::DirectReport& report, float sweeps) {
    const bool uneven = is_small_and_uneven(c, part);
    const bool dear = report.work > kDear * sweeps;
    bool calm = true;
    for (uint32_t i = 0; i < part.body_count; ++i)
        calm &= c.bodies.watch[c.wide.bodies[part.body_begin + i]].calm_steps >= kCalmSteps;
    for (uint32_t i = 0; i < part.body_count; ++i) {
        BodyWatch& watch = c.bodies.watch[c.wide.bodies[part.body_begin + i]];
        const auto one_more = [](uint8_t steps) { return uint8_t(std::min(steps + 1, 127)); };
        watch.direct_steps = one_more(watch.direct_steps);
        watch.dear_steps = dear ? one_more(watch.dear_steps) : uint8_t(0);
        // Sweeps would let a heavy body sink into a light one: there a failure now and then is only that
        // step's.
        if ((report.solved || uneven) && watch.dear_steps <= (uneven ? kMostDearUneven : kMostDear)) continue;
        // Who fails at rest would fail again: going to and fro between the two ways is worse than either.
        const uint8_t barred = calm                              ? kBarredWhileCalm
                               : part.body_count <= kSmallIsland ? kBarredStepsSmall
                                                                 : kBarredSteps;
        watch = {0, 0, watch.calm_steps, barred};
    }
}

float direct_budget(const StepContext& c, const wide::Part& part, float sweeps) {
    if (is_small_and_uneven(c, part)) return kUnevenBudget * sweeps;
    for (uint32_t i = 0; i < part.body_count; ++i) {
        const BodyWatch& watch = c.bodies.watch[c.wide.bodies[part.body_begin + i]];
        if (watch.calm_steps != kAlwaysCalm || watch.direct_steps > 0) return kBudget * sweeps;
    }
    return kColdBudget * sweeps;
}

void report_ways(StepContext& c) {
    const wide::Problem& p = c.wide;
    c.report.direct_failures = c.report.factorisations = 0;
    for (uint32_t k = 0; c.goes_wide && k < c.directs.size(); ++k) {
        const direct::DirectReport& report = c.directs[k].report;
        c.report.direct_failures += !report.solved;
        c.report.factorisations += report.factorisations;
        IslandOutcome& outcome = c.island_outcome[c.bodies.island[p.bodies[p.parts[k].body_begin]]];
        outcome.iterations = report.substitutions;
        outcome.stop = report.solved ? StopReason::tolerance : StopReason::failed;
    }
    c.report.escalated_islands = c.report.islands_over_tolerance = 0;
    for (uint32_t i = 0; i < c.islands.size(); ++i) {
        const IslandOutcome& outcome = c.island_outcome[i];
        c.report.escalated_islands += outcome.escalated;
        if (c.island_way[i] == IslandWay::swept) watch_residual(c, c.islands[i], outcome.residual);
        const float tolerance = tolerance_of(c, i);
        c.report.islands_over_tolerance += tolerance > 0.0f && outcome.residual > tolerance;
    }
}

void save_factors(const StepContext& c, std::vector<SavedFactor>& factors, std::vector<float>& values) {
    factors.clear();
    values.clear();
    for (const DirectSlot& slot : c.directs) {
        const size_t before = values.size();
        slot.island->save_factor(values);
        if (values.size() > before) factors.push_back({slot.identity, uint64_t(values.size() - before)});
    }
}

void restore_factors(StepContext& c) {
    size_t first = 0;
    for (const SavedFactor& factor : c.saved_factors) {
        const std::span<const float> values(c.saved_factor_values.data() + first, factor.count);
        first += factor.count;
        for (uint32_t k = 0; k < c.directs.size(); ++k)
            if (c.directs[k].identity == factor.identity)
                c.directs[k].island->restore_factor(c, c.wide.parts[k], values);
    }
    c.saved_factors.clear();
    c.saved_factor_values.clear();
}

}  // namespace proxima::physics
