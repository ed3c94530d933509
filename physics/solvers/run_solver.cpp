// SPDX-License-Identifier: MIT
// The stages that hand islands to their solver: the world's, or one of their own.
#include <algorithm>

#include "physics/islands/for_each_island.h"
#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr std::string_view kStronger = "nncg";  // who an island is handed to that misses its tolerance
constexpr uint32_t kStrongerIterations = 10;    // times the sweeps of the first attempt

const SolverChoice* choice_of(const StepContext& c, uint32_t island) {
    const uint32_t slot = c.island_choice[island];
    if (slot == kNoSlot) return nullptr;
    return &c.world.registry().get<SolverChoice>(c.bodies.facts[slot].entity);
}

SolveSettings solve_settings(const StepContext& c, uint32_t island, uint32_t iterations) {
    SolveSettings s;
    s.iterations = std::max(iterations, solver_of(c, island).usual_iterations);
    s.tolerance = double(tolerance_of(c, island));
    s.time_limit = c.settings.time_limit;
    s.r_strategy = c.settings.r_strategy;
    // Roll-back keeps the iterate with the best worst contact. A few sweeps often raise the worst residual
    // while they bring all the others down; taking them back would leave a body without support. It is for
    // runs long enough to judge.
    s.rollback = s.tolerance > 0.0 && s.iterations > s.patience;
    return s;
}

/// An island by its solver, and by a stronger one when it does not get there.
SolveReport solve_island(StepContext& c, uint32_t island, BodySystem& system, uint32_t iterations) {
    const Solver& solver = solver_of(c, island);
    SolveSettings settings = solve_settings(c, island, iterations);
    SolveReport report = solver.solve_bodies(system, settings);
    const bool missed = settings.tolerance > 0.0 && report.residual > settings.tolerance;
    const bool can_be_better = solver.model == Model::ncp && solver.set == FrictionSet::disk &&
                               solver.name != kStronger && report.stop != StopReason::time &&
                               !(c.special_colliders > 0 && c.island_special[island]);
    if (missed && c.settings.escalate && can_be_better) {
        settings.iterations *= kStrongerIterations;
        settings.rollback = settings.iterations > settings.patience;
        report = find_solver(kStronger)->solve_bodies(system, settings);
        c.island_outcome[island].escalated = true;
    }
    return report;
}

}  // namespace

const Solver& solver_of(const StepContext& c, uint32_t island) {
    const SolverChoice* choice = choice_of(c, island);
    if (!choice || choice->solver >= solver_table().size()) return *c.solver;
    const Solver& chosen = solver_table()[choice->solver];
    // Friction beyond the disk is not lost because a body of the island wants another solver.
    const bool special = c.special_colliders > 0 && c.island_special[island];
    return special && !chosen.extra_friction ? *c.solver : chosen;
}

float tolerance_of(const StepContext& c, uint32_t island) {
    const SolverChoice* choice = choice_of(c, island);
    return choice ? choice->tolerance : float(c.settings.tolerance);
}

void warm_start(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::solve));
    for_each_island(c, [&](uint32_t, const Island& island, BodySystem&) {
        c.problem.apply_warm_start(c.problem.groups[island.group_begin].begin,
                                   c.problem.groups[island.group_end - 1].end);
    });
}

void run_solver(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::solve));
    for_each_island(c, [&](uint32_t n, const Island&, BodySystem& system) {
        const SolverChoice* choice = choice_of(c, n);
        const SolveReport report = solve_island(
            c, n, system, choice && choice->iterations > 0 ? choice->iterations : c.settings.iterations);
        c.island_outcome[n].iterations = report.iterations;
        c.island_outcome[n].stop = report.stop;
    });
}

void relax(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::relax));
    if (c.settings.stabilisation != Stabilisation::soft || c.settings.relax_iterations == 0) return;
    // Push-out speed must not stay in the velocities: one sweep with hard, unbiased contacts takes it away.
    for_each_island(c, [&](uint32_t n, const Island& island, BodySystem& system) {
        const uint32_t begin = c.problem.groups[island.group_begin].begin;
        const uint32_t end = c.problem.groups[island.group_end - 1].end;
        for (uint32_t i = begin; i < end; ++i) c.laws[i].total -= c.problem.contacts[i].lambda;
        solve_island(c, n, system, c.settings.relax_iterations);
        for (uint32_t i = begin; i < end; ++i) c.laws[i].total += c.problem.contacts[i].lambda;
    });
}

}  // namespace proxima::physics
