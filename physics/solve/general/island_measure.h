// SPDX-License-Identifier: MIT
// How far an island that a laboratory solver takes is from the exact law, as StepReport (report.h) has it.
#pragma once

#include "physics/solve/general/island_problem.h"

namespace proxima::physics {

/// At the end of a sub-step, before the bodies move. `part`: of the sub-steps that are measured. Afterwards contacts are
/// hard until refresh_rows() gives them the law of the next sub-step.
void measure_substep(IslandProblem& problem, const BodySystem& system, double part, IslandOutcome& outcome,
                     MeasureSum& sum);

/// After the step, when the rows are those of its end.
void measure_end(const IslandProblem& problem, const BodySystem& system, IslandOutcome& outcome, MeasureSum& sum);

}  // namespace proxima::physics
