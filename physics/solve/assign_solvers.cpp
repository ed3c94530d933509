// SPDX-License-Identifier: MIT
// The solver of each island: the SIMD sweeps, the direct solver, or a solver of the laboratory. docs/direct.md has the
// reasons and the measurements.
//
// Sweeps are good at what moves; a direct solve is good at what rests, and at heavy bodies on light ones, which
// sweeps cannot hold up whether they rest or not. Changing the method is what shakes a stack, so it is not done
// often: an island that is solved directly stays so until it is hit, and one that could not be solved within its
// budget is swept for seconds.
//
// Islands with joints are swept, whatever they do: their joints are solved exactly there (solve/articulation).
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string_view>

#include "physics/limits.h"
#include "physics/scale.h"
#include "physics/solve/general/solve_rows.h"
#include "physics/solve/plan.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kMaxBodies = 8192;        // nothing larger is tried: laying out a factor costs time, too
constexpr uint32_t kMinBodies = 4;           // sweeps hold up three bodies well, and batches of them cheaply
constexpr float kStillSpeed = 0.03f;         // m/s, of the fastest point
constexpr uint8_t kAlwaysStill = 255;        // since it was made
constexpr uint8_t kMaxCount = 254;           //
constexpr uint8_t kStillSteps = 10;          // before an island is solved directly
constexpr uint8_t kStillStepsLarge = 60;     // ... and a large one, for which trying in vain costs more
constexpr float kMovingSpeed = 1.0f;         // m/s: an island with a body as fast is swept
constexpr float kHighMassRatio = 20.0f;      // of two bodies that touch
constexpr float kUnevenMasses = 300.0f;      // the same, where sweeps as of others fling the lighter ones
constexpr uint32_t kMaxUneven = 128;         // constraints of an island that gets more of them
constexpr uint8_t kCooldownSteps = 240;      // after a failure
constexpr uint8_t kCooldownStepsSmall = 60;  // the same of a small island, which costs little to try
constexpr uint32_t kSmallIsland = 64;
constexpr uint8_t kCooldownWhileStill = 255;  // after a failure at rest: until a body moves ...
constexpr float kDisturbedSpeed = 0.15f;      // ... as fast as this, m/s
constexpr float kOverBudget = 1.0f;           // times the sweeps: what a direct solve should cost ...
constexpr uint8_t kMaxOverBudget = 16;        // ... and may exceed for that many steps in a row
constexpr uint8_t kMaxOverBudgetRatio = 60;   // more patience where sweeps fail ...
constexpr uint8_t kMaxOverBudgetLarge = 60;   // ... and while the sag of a large island goes away
constexpr uint32_t kLargeIsland = 256;
constexpr float kBudget = 1.5f;       // times the sweeps; they come on top when it does not suffice
constexpr float kColdBudget = 10.0f;  // in the first step of what was made at rest: no impulses to begin with
// A factor may cost 0.4 of the sweeps of a step, or half a millisecond. Beyond that it is made in pieces, which come on
// top of sweeps or of solves with the old one. Beyond so many steps of pieces, or with back-substitutions of which
// not two fit into the budget, an island is left to the sweeps.
constexpr float kFactorAtOnce = 0.4f, kCheapFactor = 1000.0f;
constexpr float kColdFactor = 6.0f;       // times the sweeps: at once in the first step of what was made at rest
constexpr float kFactorPiece = 0.5f;      // times the sweeps
constexpr float kMaxPieces = 60.0f;       // of a factor
constexpr float kMaxSubstitution = 0.7f;  // times the sweeps
constexpr uint8_t kMaxWaiting = 120;      // steps, for one factor after the other, until a solve is within its budget;
constexpr int kTryInVain = 40;            // a solve that is not counts as so many
constexpr uint32_t kFewBodies = 16;
constexpr float kHighRatioBudget = 12.0f;   // of few bodies with a high mass ratio, where sweeps fail anyway
constexpr float kMissedResidual = 1e-3f;    // m/s: sweeps that leave more ...
constexpr uint8_t kMissedSteps = 30;        // ... for so long ...
constexpr uint32_t kMaxBodiesMissing = 64;  // ... in an island this small are not good enough
constexpr float kTallSag = 0.2f;            // g dt^2 height / radius^2 of islands that have the usual sub-steps
constexpr uint32_t kMaxEntering = 512;      // bodies in one step, or one larger island: first solves are dear

uint8_t one_more(uint8_t steps, int most = 127) { return uint8_t(std::min(steps + 1, most)); }

/// What an island's bodies have been doing.
struct IslandState {
    float fastest = 0.0f;
    uint8_t still_steps = 255, cooldown_steps = 0;
    bool was_direct = false;
    uint8_t missed_steps = 0;                                             // swept, with a residual that is too large
    float lowest = std::numeric_limits<float>::max(), highest = -lowest;  // along gravity, m
    float radii = 0.0f;                                                   // sum of them, m
};

/// As of a body of a metre (scale.h), which the limits above are of.
float scaled_speed(const Bodies& bodies, uint32_t body) {
    const float scale = speed_scale(bodies.transform[body].radius);
    return scale > 0.0f ? bodies.speed[body] / scale : bodies.speed[body];
}

/// Counts what a body does, and adds it to what its island does.
void watch_body(float speed, SolveHistory& history, IslandState& island) {
    // 255 is for what has been still all its life.
    const uint8_t next = history.still_steps == kAlwaysStill ? kAlwaysStill : one_more(history.still_steps, kMaxCount);
    history.still_steps = speed < kStillSpeed ? next : uint8_t(0);
    if (history.cooldown_steps == kCooldownWhileStill)
        history.cooldown_steps = speed > kDisturbedSpeed ? kCooldownStepsSmall : kCooldownWhileStill;
    else if (history.cooldown_steps > 0)
        --history.cooldown_steps;
    island.fastest = std::max(island.fastest, speed);
    island.still_steps = std::min(island.still_steps, history.still_steps);
    island.cooldown_steps = std::max(island.cooldown_steps, history.cooldown_steps);
    island.was_direct |= history.direct_steps != 0;
    island.missed_steps =
        std::max(island.missed_steps, history.direct_steps ? uint8_t(0) : history.missed_tolerance_steps);
}

/// How often sub-steps are halved. Soft contacts are as stiff as the rate of sub-steps allows, so that a column sinks in by a
/// part of its bodies' size that goes with g h^2 height / radius^2: cubes of 10 cm want shorter sub-steps than those of a
/// metre from six on top of each other on. Half of the length is a quarter of the sag.
uint8_t halvings_of(const StepParams& params, const IslandState& state, uint32_t bodies) {
    const float radius = state.radii / float(bodies), height = state.highest - state.lowest;
    float sag = glm::length(params.settings.gravity) * params.dt * params.dt * height;
    uint8_t halvings = 0;
    for (; halvings < kMaxHalvings && sag > kTallSag * radius * radius; ++halvings) sag *= 0.25f;
    return halvings;
}

/// The same of an island that is cut into slabs, whatever its height: what lies deep in a heap is held by its neighbours. Of
/// about ten bodies on top of each other, with the longer sub-steps of such islands.
uint8_t heap_halvings_of(const StepParams& params, const IslandState& state, uint32_t bodies) {
    constexpr float kHeapSag = 0.15f, kWidths = 20.0f;  // g dt^2 height / radius^2; radii that ten bodies are high
    const float radius = state.radii / float(bodies);
    float sag = glm::length(params.settings.gravity) * params.dt * params.dt * kWidths;
    uint8_t halvings = 0;
    for (; halvings < kMaxHalvings && sag > kHeapSag * radius; ++halvings) sag *= 0.25f;
    return halvings;
}

/// What follows from the constraints, when those are other ones than before.
void find_traits(const Graph& graph, const Bodies& bodies, Plan& plan) {
    if (plan.seen_graph == graph.version && plan.seen_masses == bodies.mass_version &&
        plan.traits.size() == graph.islands.size())
        return;
    plan.seen_graph = graph.version;
    plan.seen_masses = bodies.mass_version;
    plan.traits.reserve(graph.islands.capacity());
    plan.traits.assign(graph.islands.size(), IslandTraits{});
    for (const Edge& edge : graph.edges) {
        const uint32_t island = graph.island_of(edge);
        if (island == kNone) continue;
        IslandTraits& traits = plan.traits[island];
        traits.extended_friction |= (edge.surfaces & kExtendedFriction) != 0;
        traits.moving_surface |= (edge.surfaces & kMovingSurface) != 0;
        traits.no_direct |= kind_row(edge.kind).direct.begin == nullptr;
        const float a = bodies.inverse_mass[edge.body_a].mass, b = bodies.inverse_mass[edge.body_b].mass;
        traits.joints += !is_contact(edge.kind);
        traits.no_rows |= kind_row(edge.kind).add_rows == nullptr;
        if (a == 0.0f || b == 0.0f) continue;
        traits.high_mass_ratio |= std::max(a, b) > kHighMassRatio * std::min(a, b);
        traits.uneven_masses |= std::max(a, b) > kUnevenMasses * std::min(a, b);
    }
}

/// Solvers that bodies have chosen for their islands; the first body in stable order decides.
void find_choices(const entt::registry& registry, const Graph& graph, const StepParams& params, const Bodies& bodies,
                  Plan& plan, StepReport& report) {
    const auto* choices = registry.storage<SolverChoice>();
    if (!choices || choices->empty()) return;
    std::vector<uint32_t>& first = plan.choosers;
    first.assign(graph.islands.size(), kNone);
    for (const Entity entity : *static_cast<const entt::sparse_set*>(choices)) {
        const uint32_t slot = bodies.slot_of(entity);
        const uint32_t island = slot != kNone ? graph.island_of_body[slot] : kNone;
        if (island != kNone) first[island] = std::min(first[island], slot);
    }
    for (uint32_t i = 0; i < graph.islands.size(); ++i) {
        if (first[i] == kNone) continue;
        const SolverChoice& choice = choices->get(bodies.data[first[i]].entity);
        const Solver* row = find_solver(choice.name());
        const double sweeps = double(choice.iterations) * params.settings.substeps;
        if (!row || !(choice.tolerance >= 0.0f && std::isfinite(choice.tolerance)) || sweeps > kMaxSweeps) {
            report.warn(bodies.data[first[i]].entity,
                        "The body's SolverChoice names no solver, or its tolerance or iterations make no sense; its "
                        "island keeps the world's solver.");
            continue;
        }
        IslandPlan& island = plan.islands[i];
        island.chosen = true;
        island.tolerance = choice.tolerance;
        if (choice.iterations > 0) island.iterations = choice.iterations;
        // Friction beyond the disk is not lost because a body of the island wants another solver.
        if (row->extra_friction || !plan.traits[i].extended_friction) island.row = row;
    }
}

/// Whether an island is solved directly; `entering` has the bodies of those that were swept until now.
bool is_direct(const IslandState& state, const Island& island, const IslandTraits& traits, uint32_t& entering) {
    if (traits.no_direct || island.edges == 0 || island.bodies() > kMaxBodies || state.cooldown_steps > 0) return false;
    if (traits.joints > 0) return false;
    // What lies on a belt is not at rest, however still it is; and the speed at which it is carried is rounded, of which
    // the stiffness of a direct solve makes forces beyond what it may leave.
    if (traits.moving_surface) return false;
    const bool is_large = island.bodies() > kLargeIsland;  // a factor for what moves would cost more than sweeps
    if (traits.high_mass_ratio && !is_large) return true;
    if (state.was_direct) return state.fastest < kMovingSpeed;
    if (island.bodies() < kMinBodies) return false;
    const bool made_at_rest = state.still_steps == kAlwaysStill;  // it would sag if it waited
    const bool swept_badly = island.bodies() <= kMaxBodiesMissing && state.missed_steps >= kMissedSteps;
    const uint8_t enough = is_large ? kStillStepsLarge : kStillSteps;
    if (state.still_steps < enough && !(swept_badly && state.fastest < kMovingSpeed)) return false;
    if (!made_at_rest && entering > 0 && entering + island.bodies() > kMaxEntering) return false;
    entering += island.bodies();
    return true;
}

/// Where sweeps fail anyway and a solve costs little in any case.
bool is_small_with_high_ratio(const DirectCost& cost) { return cost.count <= kFewBodies && cost.high_mass_ratio; }

/// Bodies that were made at rest, in their first step: no impulses to begin with, and they would sag if they waited.
bool is_cold(const Bodies& bodies, const DirectCost& cost) {
    if (is_small_with_high_ratio(cost)) return false;
    for (uint32_t i = 0; i < cost.count; ++i) {
        const SolveHistory& history = bodies.history[cost.bodies[i]];
        if (history.still_steps != kAlwaysStill || history.direct_steps > 0) return false;
    }
    return true;
}

/// Times the sweeps.
float budget_ratio(const DirectCost& cost, bool cold) {
    if (is_small_with_high_ratio(cost)) return kHighRatioBudget;
    return cold ? kColdBudget : kBudget;
}

/// What fails at rest would fail again: going to and fro between two solvers is worse than either.
uint8_t cooldown_after(const DirectCost& cost, const Bodies& bodies) {
    bool still = true;
    for (uint32_t i = 0; i < cost.count; ++i) still &= bodies.history[cost.bodies[i]].still_steps >= kStillSteps;
    return still ? kCooldownWhileStill : cost.count <= kSmallIsland ? kCooldownStepsSmall : kCooldownSteps;
}

}  // namespace

void Plan::raise_residual(uint32_t island, float residual, float end_residual) {
    // The largest wins, in whatever order they come.
    const auto raise = [](float& to, float by) {
        std::atomic_ref<float> worst(to);
        float known = worst.load(std::memory_order_relaxed);
        while (by > known && !worst.compare_exchange_weak(known, by, std::memory_order_relaxed)) {}
    };
    raise(outcome[island].residual, residual);
    raise(outcome[island].end_residual, end_residual);
}

void assign_solvers(const entt::registry& registry, const Pairs& pairs, const Graph& graph, const StepParams& params,
                    Bodies& bodies, Plan& plan, const StepTools& tools) {
    const StageScope scope(tools, Stage::assign_solvers);
    const size_t n = graph.islands.size();
    find_traits(graph, bodies, plan);
    bool changed = plan.islands.size() != n;
    // There may be as many islands as bodies, and there will be.
    plan.islands.reserve(graph.islands.capacity());
    plan.before.reserve(graph.islands.capacity());
    plan.outcome.reserve(graph.islands.capacity());
    plan.before.resize(plan.islands.size());
    for (size_t i = 0; i < plan.islands.size(); ++i) plan.before[i] = plan.islands[i].method();
    plan.islands.assign(n, IslandPlan{params.solver, params.settings.iterations, float(params.settings.tolerance)});
    find_choices(registry, graph, params, bodies, plan, tools.report);
    plan.outcome.assign(n, IslandOutcome{});
    plan.general_count = 0;
    plan.sweeps = params.simd;
    plan.heap_halvings = 0;
    const Vec3& gravity = params.settings.gravity;
    const Vec3 up = gravity != Vec3(0.0f) ? -glm::normalize(gravity) : Vec3(0.0f);
    uint32_t entering = 0;
    bool unknown_rows = false;
    for (uint32_t i = 0; i < n; ++i) {
        const Island& island = graph.islands[i];
        IslandPlan& own = plan.islands[i];
        IslandState state;
        for (const uint32_t body : graph.bodies_of(island)) {
            watch_body(scaled_speed(bodies, body), bodies.history[body], state);
            const BodyTransform& transform = bodies.transform[body];
            const float height = glm::dot(up, transform.center);
            state.lowest = std::min(state.lowest, height);
            state.highest = std::max(state.highest, height);
            state.radii += transform.radius;
            if (pairs.hit_of_body[body] != 0) own.strain = Strain::hit;
        }
        if (plan.traits[i].joints > 0 && !own.row->bilateral) {
            own.row = find_solver("prox_gs");
            own.replaced = true;
        }
        const bool wants_general = !params.simd || own.chosen || plan.traits[i].extended_friction;
        if (wants_general && plan.traits[i].no_rows) {
            own.row = &sweeping_solver();
            own.replaced = true;
            plan.sweeps = true;
            unknown_rows = true;
        } else if (wants_general)
            own.solver = IslandSolver::general;
        else if (params.settings.direct_islands && is_direct(state, island, plan.traits[i], entering))
            own.solver = IslandSolver::direct;
        const bool may_halve = island.edges > 0 && plan.traits[i].joints == 0 && own.row == &sweeping_solver();
        if (may_halve && island.edges <= kMaxSmallIsland) {
            const bool uneven = plan.traits[i].uneven_masses && island.edges <= kMaxUneven;
            if (uneven) own.strain = Strain::uneven;
            own.halvings = uneven ? uint8_t(kMaxHalvings) : halvings_of(params, state, island.bodies());
        } else if (may_halve)
            plan.heap_halvings = std::max(plan.heap_halvings, heap_halvings_of(params, state, island.bodies()));
        changed |= i < plan.before.size() && own.method() != plan.before[i];
        for (const uint32_t body : graph.bodies_of(island)) {
            SolveHistory& history = bodies.history[body];
            if (own.solver != IslandSolver::direct)
                history.direct_steps = 0;
            else if (history.direct_steps == 0)
                history.over_budget_steps = history.missed_tolerance_steps = 0;
        }
        plan.general_count += own.solver == IslandSolver::general;
    }
    plan.version += changed;
    if (unknown_rows)
        tools.report.warn(
            kNoEntity,
            "The laboratory's solvers know ball joints only: islands with other joints are swept, with plain "
            "friction.");
    tools.report.direct_islands = tools.report.direct_bodies = tools.report.resting_islands = 0;
    tools.report.general_islands = params.simd ? plan.general_count : 0;
}

DirectLimits direct_limits(const Bodies& bodies, const DirectCost& cost) {
    const bool cold = is_cold(bodies, cost);
    DirectLimits limits;
    limits.budget = budget_ratio(cost, cold) * cost.sweeps;
    limits.factor_at_once = limits.factor_spread = std::max(kFactorAtOnce * cost.sweeps, kCheapFactor);
    if (cold) limits.factor_at_once = std::max(kColdFactor * cost.sweeps, kCheapFactor);
    limits.factor_piece = kFactorPiece * cost.sweeps;
    limits.factor = std::max(kMaxPieces * limits.factor_piece, kCheapFactor);
    limits.substitution = std::max(kMaxSubstitution * cost.sweeps, kCheapFactor);
    return limits;
}

void note_waiting(const DirectCost& cost, bool tried, Bodies& bodies) {
    float fastest = 0.0f;
    for (uint32_t i = 0; i < cost.count; ++i) fastest = std::max(fastest, scaled_speed(bodies, cost.bodies[i]));
    for (uint32_t i = 0; i < cost.count; ++i) {
        SolveHistory& history = bodies.history[cost.bodies[i]];
        history.direct_steps = one_more(history.direct_steps);
        history.over_budget_steps = 0;
        const int waited = history.missed_tolerance_steps + (tried ? kTryInVain : 1);
        history.missed_tolerance_steps = uint8_t(std::min(waited, int(kMaxWaiting)));
        if (waited < kMaxWaiting && fastest < kDisturbedSpeed) continue;
        history = {0, 0, 0, history.still_steps, kCooldownSteps};  // the sweeps may come to rest until then
    }
}

void note_direct(const DirectCost& cost, bool solved, float work, Bodies& bodies) {
    const bool tolerant = is_small_with_high_ratio(cost);
    const bool over_budget = work > kOverBudget * cost.sweeps;
    const uint8_t cooldown = cooldown_after(cost, bodies);
    for (uint32_t i = 0; i < cost.count; ++i) {
        SolveHistory& history = bodies.history[cost.bodies[i]];
        history.direct_steps = one_more(history.direct_steps);
        history.over_budget_steps = over_budget ? one_more(history.over_budget_steps) : uint8_t(0);
        if (!over_budget) history.missed_tolerance_steps = 0;
        // Sweeps would let a heavy body sink into a light one, or tear a chain: there a failure now and then is only
        // that step's.
        const uint8_t most = tolerant                    ? kMaxOverBudgetRatio
                             : cost.count > kLargeIsland ? kMaxOverBudgetLarge
                                                         : kMaxOverBudget;
        if ((solved || tolerant) && history.over_budget_steps <= most) continue;
        history = {0, 0, 0, history.still_steps, cooldown};
    }
}

void report_plan(const Graph& graph, const Plan& plan, Bodies& bodies, StepReport& report) {
    report.escalated_islands = report.islands_over_tolerance = 0;
    for (uint32_t i = 0; i < graph.islands.size(); ++i) {
        const IslandOutcome& outcome = plan.outcome[i];
        const IslandPlan& own = plan.islands[i];
        report.escalated_islands += outcome.escalated;
        report.islands_over_tolerance += own.tolerance > 0.0f && outcome.end_residual > own.tolerance;
        if (own.solver != IslandSolver::swept) continue;
        // What strikes leaves more than that for a while, and is no case for a direct solve.
        bool misses = outcome.end_residual > kMissedResidual;
        for (const uint32_t body : graph.bodies_of(graph.islands[i]))
            misses = misses && scaled_speed(bodies, body) <= kDisturbedSpeed;
        for (const uint32_t body : graph.bodies_of(graph.islands[i])) {
            uint8_t& missed = bodies.history[body].missed_tolerance_steps;
            missed = misses ? one_more(missed) : uint8_t(0);
        }
    }
}

}  // namespace proxima::physics
