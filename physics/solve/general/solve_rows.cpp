// SPDX-License-Identifier: MIT
#include "physics/solve/general/solve_rows.h"

#include <algorithm>
#include <cmath>

#include "physics/contact/residual.h"
#include "physics/solve/general/island_impacts.h"

namespace proxima::physics {

namespace {

constexpr std::string_view kStronger = "nncg";  // solver of islands that miss their tolerance
constexpr uint32_t kStrongerIterations = 10;    // times the sweeps of the first attempt
constexpr double kWorse = 1.2;                  // times the residual of sweeps

SolveSettings solve_settings(const IslandProblem& p, const IslandPlan& plan, const Solver& row, uint32_t iterations) {
    const StepSettings& settings = p.params->settings;
    SolveSettings s;
    s.iterations = std::max(iterations, row.usual_iterations);
    s.tolerance = double(plan.tolerance);
    s.time_limit = settings.time_limit;
    s.r_strategy = settings.r_strategy;
    // Roll-back keeps the iterate with the best worst contact. A few sweeps often raise the worst residual while they
    // bring all the others down; taking them back would leave a body without support. It is for runs long enough to
    // judge.
    s.rollback = s.tolerance > 0.0 && s.iterations > s.patience;
    return s;
}

/// The rows by the island's solver, and by a stronger one when it does not get there.
RowsReport solve_as_planned(IslandProblem& p, BodySystem& system, const IslandPlan& plan, uint32_t iterations) {
    SolveSettings settings = solve_settings(p, plan, *plan.row, iterations);
    RowsReport out;
    out.solve = plan.row->solve_bodies(system, settings);
    const SolveReport& report = out.solve;
    const bool missed = settings.tolerance > 0.0 && report.residual > settings.tolerance;
    const bool can_be_better = plan.row->model == Model::ncp && plan.row->set == FrictionSet::disk &&
                               plan.row->name != kStronger && report.stop != StopReason::time && p.rows.extras.empty();
    if (missed && p.params->settings.escalate && can_be_better) {
        settings.iterations *= kStrongerIterations;
        settings.rollback = settings.iterations > settings.patience;
        out.solve = find_solver(kStronger)->solve_bodies(system, settings);
        out.escalated = true;
    }
    return out;
}

/// The law that a solver was asked for: an answer is not blamed for its model.
double own_residual(const BodySystem& system, const Solver& row) {
    return measure_residual(system, Law(row.set, row.model == Model::ccp)).max;
}

/// Methods that solve all rows at once promise more than sweeps do; answers with a polygon of friction are not measured
/// exactly by the disk.
bool solves_at_once(const Solver& row) {
    if (row.model == Model::lcp) return false;
    return row.family == Family::pivoting || row.family == Family::newton || row.family == Family::staggered ||
           row.family == Family::gradient;
}

// ---- going back

/// Impulses and velocities as they are now.
void keep(IslandProblem& p) {
    p.kept_lambda.clear();
    for (const Contact& k : p.rows.contacts) p.kept_lambda.push_back(k.lambda);
    for (const ExtraFriction& extra : p.rows.extras) p.kept_lambda.push_back(extra.lambda);
    p.kept_velocity.assign(p.velocity.begin(), p.velocity.end());
}

/// Those that were kept for those of now, which are kept instead.
void exchange(IslandProblem& p) {
    size_t at = 0;
    for (Contact& k : p.rows.contacts) std::swap(k.lambda, p.kept_lambda[at++]);
    for (ExtraFriction& extra : p.rows.extras) std::swap(extra.lambda, p.kept_lambda[at++]);
    std::swap_ranges(p.velocity.begin(), p.velocity.end(), p.kept_velocity.begin());
}

SolveReport sweep_rows(IslandProblem& p, BodySystem& system, const IslandPlan& plan, const RowsRequest& request) {
    const Solver& row = sweeping_solver();
    if (request.finds_loads) find_loads(p, system);
    return row.solve_bodies(system, solve_settings(p, plan, row, request.iterations));
}

}  // namespace

const Solver& sweeping_solver() {
    static const Solver& row = *find_solver("prox_gs");
    return row;
}

std::string_view to_text(SolverFailure failure) {
    switch (failure) {
        case SolverFailure::none:
            return "it did not fail";
        case SolverFailure::gave_up:
            return "it gave up";
        case SolverFailure::not_finite:
            return "its answer is not finite";
        case SolverFailure::far_off:
            return "its answer is farther from the law than that of sweeps";
    }
    return "unknown";
}

RowsReport solve_rows(IslandProblem& p, BodySystem& system, const IslandPlan& plan, const RowsRequest& request) {
    const bool sweeps = plan.row == &sweeping_solver();
    if (!sweeps) keep(p);
    if (request.finds_loads && plan.row->usual_iterations == 1) find_loads(p, system);
    RowsReport out = solve_as_planned(p, system, plan, request.iterations);
    if (sweeps) return out;

    const double residual = own_residual(system, *plan.row);
    if (out.solve.stop == StopReason::failed)
        out.failure = SolverFailure::gave_up;
    else if (!std::isfinite(residual))
        out.failure = SolverFailure::not_finite;
    // Sweeps, however slow, are no failure; nor is what gravity gives in a sub-step, which the next one can make good.
    else if (!solves_at_once(*plan.row) || !(residual > double(glm::length(p.params->settings.gravity) * p.h)))
        return out;
    exchange(p);
    const SolveReport swept = sweep_rows(p, system, plan, request);
    if (out.failure == SolverFailure::none) {
        if (!(residual > kWorse * own_residual(system, sweeping_solver()))) {
            exchange(p);
            return out;
        }
        out.failure = SolverFailure::far_off;
    }
    if (out.failure == SolverFailure::gave_up) out.note = out.solve.note;
    out.solve = swept;
    return out;
}

}  // namespace proxima::physics
