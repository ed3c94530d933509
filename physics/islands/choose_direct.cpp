// SPDX-License-Identifier: MIT
// Which islands are solved directly (solvers/direct) instead of being swept. docs/direct.md has the reasons
// and the measurements.
//
// Sweeps are good at what moves; a direct solve is good at what rests, and at heavy bodies on light ones,
// which sweeps cannot hold up whether they rest or not. Changing the method is what shakes a stack, so it is
// not done often: who comes in stays until it is hit, and who could not be solved within its budget is swept
// for four seconds.
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
constexpr uint8_t kBarredSteps = 240;      // after a failure ...
constexpr uint8_t kBarredStepsSmall = 60;  // ... of more bodies than this, or fewer
constexpr uint32_t kSmallIsland = 64;
constexpr float kDear = 1.0f;      // times the sweeps: a direct solve that costs more is dear ...
constexpr uint8_t kMostDear = 16;  // ... and may be so for that many steps in a row
constexpr uint8_t kMostDearUneven = 60;
constexpr float kBudget = 3.0f;       // times the sweeps; they come on top when it does not suffice
constexpr float kColdBudget = 10.0f;  // in the first step of what was made at rest: no impulses to begin with
constexpr float kUnevenBudget = 8.0f;         // where sweeps fail anyway
constexpr uint64_t kStepsBetweenEntries = 8;  // each entry lays all manifolds out anew: let several wait

struct IslandState {
    float fastest = 0.0f;
    uint8_t calm_steps = 255, barred_steps = 0;
    bool was_direct = false;
};

/// Counts what a body does, and adds it to what its island does.
void watch_body(StepContext& c, uint32_t body, IslandState& island) {
    BodyWatch& watch = c.bodies.watch[body];
    const float speed = c.bodies.speed[body];
    // 255 is for what has been calm all its life.
    const uint8_t next =
        watch.calm_steps == kAlwaysCalm ? kAlwaysCalm : uint8_t(std::min(watch.calm_steps + 1, 254));
    watch.calm_steps = speed < kCalmSpeed ? next : uint8_t(0);
    if (watch.barred_steps > 0) --watch.barred_steps;
    island.fastest = std::max(island.fastest, speed);
    island.calm_steps = std::min(island.calm_steps, watch.calm_steps);
    island.barred_steps = std::max(island.barred_steps, watch.barred_steps);
    island.was_direct |= watch.direct_steps != 0;
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
    return may_enter && bodies >= kLeastBodies && state.calm_steps >= kCalmSteps;
}

}  // namespace

void choose_direct(StepContext& c) {
    c.directs_changed = false;
    c.report.direct_islands = c.report.direct_bodies = 0;
    if (!c.goes_wide || !c.settings.direct_islands) {
        c.directs_changed =
            std::find(c.island_direct.begin(), c.island_direct.end(), uint8_t(1)) != c.island_direct.end();
        c.island_direct.assign(c.islands.size(), 0);
        return;
    }
    if (c.contacts_changed) find_uneven_islands(c);
    c.island_direct.resize(c.islands.size(), 0);
    for (uint32_t i = 0; i < c.islands.size(); ++i) {
        const Island& island = c.islands[i];
        IslandState state;
        for (uint32_t k = island.body_begin; k < island.body_end; ++k)
            watch_body(c, c.island_bodies[k], state);
        const uint8_t direct = is_direct(c, state, island, c.island_uneven[i] != 0);
        c.directs_changed |= direct != c.island_direct[i];
        c.island_direct[i] = direct;
        if (direct) {
            ++c.report.direct_islands;
            c.report.direct_bodies += island.body_end - island.body_begin;
            continue;
        }
        for (uint32_t k = island.body_begin; k < island.body_end; ++k)
            c.bodies.watch[c.island_bodies[k]].direct_steps = 0;
    }
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
    const bool uneven = c.island_uneven[c.bodies.island[c.wide.bodies[part.body_begin]]] != 0;
    const bool dear = report.work > kDear * sweeps;
    for (uint32_t i = 0; i < part.body_count; ++i) {
        BodyWatch& watch = c.bodies.watch[c.wide.bodies[part.body_begin + i]];
        const auto one_more = [](uint8_t steps) { return uint8_t(std::min(steps + 1, 127)); };
        watch.direct_steps = one_more(watch.direct_steps);
        watch.dear_steps = dear ? one_more(watch.dear_steps) : uint8_t(0);
        // Sweeps would let a heavy body sink into a light one: there a failure now and then is only that
        // step's.
        if ((report.solved || uneven) && watch.dear_steps <= (uneven ? kMostDearUneven : kMostDear)) continue;
        watch = {0, 0, watch.calm_steps, part.body_count <= kSmallIsland ? kBarredStepsSmall : kBarredSteps};
    }
}

float direct_budget(const StepContext& c, const wide::Part& part, float sweeps) {
    if (c.island_uneven[c.bodies.island[c.wide.bodies[part.body_begin]]]) return kUnevenBudget * sweeps;
    for (uint32_t i = 0; i < part.body_count; ++i) {
        const BodyWatch& watch = c.bodies.watch[c.wide.bodies[part.body_begin + i]];
        if (watch.calm_steps != kAlwaysCalm || watch.direct_steps > 0) return kBudget * sweeps;
    }
    return kColdBudget * sweeps;
}

void report_directs(StepContext& c) {
    for (const DirectSlot& slot : c.directs) {
        c.report.direct_failures += !slot.report.solved;
        c.report.factorisations += slot.report.factorisations;
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
