// SPDX-License-Identifier: MIT
// The rows of one sub-step of an island, by the solver that was chosen for it; by sweeps when that fails.
#pragma once

#include "physics/solve/general/island_problem.h"

namespace proxima::physics {

/// The end of a sentence about the solver.
std::string_view to_text(SolverFailure failure);

struct RowsReport {
    SolveReport solve;  // of what was kept
    bool escalated = false;
    SolverFailure failure = SolverFailure::none;
    std::string_view note;  // of a solver that gave up
};

struct RowsRequest {
    uint32_t iterations = 1;  // at least; a solver may need more to be of use
    bool finds_loads = true;  // of manifolds that are struck or new (island_impacts.h)
};
/// Solves the rows as they are, from the impulses that they have. An answer that fails is taken back, and the rows are swept.
RowsReport solve_rows(IslandProblem& problem, BodySystem& system, const IslandPlan& plan, const RowsRequest& request);

/// The solver that takes over.
const Solver& sweeping_solver();

}  // namespace proxima::physics
