// SPDX-License-Identifier: MIT
// The stages that hand islands to the chosen solver.
#include <algorithm>

#include "physics/islands/for_each_island.h"
#include "physics/step.h"

namespace proxima::physics {

namespace {

SolveSettings solve_settings(const StepContext& c, uint32_t iterations) {
    SolveSettings s;
    s.iterations = iterations;
    s.tolerance = c.settings.tolerance;
    s.r_strategy = c.settings.r_strategy;
    // Roll-back keeps the iterate with the best worst contact. A few sweeps often raise the worst residual
    // while they bring all the others down; taking them back would leave a body without support. It is for
    // runs long enough to judge.
    s.rollback = s.tolerance > 0.0 && iterations > s.patience;
    return s;
}

}  // namespace

void warm_start(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::solve));
    for_each_island(c, [&](uint32_t, const Island& island, BodySystem&) {
        c.problem.apply_warm_start(c.problem.groups[island.group_begin].begin,
                                   c.problem.groups[island.group_end - 1].end);
    });
}

void run_solver(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::solve));
    const SolveSettings settings =
        solve_settings(c, std::max(c.settings.iterations, c.solver->usual_iterations));
    for_each_island(
        c, [&](uint32_t, const Island&, BodySystem& system) { c.solver->solve_bodies(system, settings); });
}

void relax(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::relax));
    if (c.settings.stabilisation != Stabilisation::soft || c.settings.relax_iterations == 0) return;
    // Push-out speed must not stay in the velocities: one sweep with hard, unbiased contacts takes it away.
    const SolveSettings settings =
        solve_settings(c, std::max(c.settings.relax_iterations, c.solver->usual_iterations));
    for_each_island(c, [&](uint32_t, const Island& island, BodySystem& system) {
        const uint32_t begin = c.problem.groups[island.group_begin].begin;
        const uint32_t end = c.problem.groups[island.group_end - 1].end;
        for (uint32_t i = begin; i < end; ++i) c.laws[i].total -= c.problem.contacts[i].lambda;
        c.solver->solve_bodies(system, settings);
        for (uint32_t i = begin; i < end; ++i) c.laws[i].total += c.problem.contacts[i].lambda;
    });
}

}  // namespace proxima::physics
