// SPDX-License-Identifier: MIT
// The stages that solve all islands of a step, each by the solver that the plan gave it, and bring their results back.
#pragma once

#include "physics/solve/general/general_solver.h"
#include "physics/solve/plan.h"
#include "physics/solve/sweep/sweep_solver.h"

namespace proxima::physics {

/// All sub-steps of every island. General islands leave their results in bodies and constraints at once; returns what
/// was measured of them.
MeasureSum solve_islands(const Graph& graph, const StepParams& params, Plan& plan, ConstraintStores stores,
                         Bodies& bodies, Articulations& articulations, SweepSolver& sweep, direct::DirectSolver& direct,
                         GeneralSolver& general, const StepTools& tools);

/// Results of the sweeps and direct solves back to bodies and constraints, event flags to the pairs, and what was
/// measured to the report.
void store_results(const Graph& graph, const StepParams& params, const GeneralSolver& general,
                   direct::DirectSolver& direct, MeasureSum measured, SweepSolver& sweep, Bodies& bodies,
                   ConstraintStores stores, Plan& plan, const StepTools& tools);

}  // namespace proxima::physics
