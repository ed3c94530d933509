// SPDX-License-Identifier: MIT
// Entry points of the Newton solvers. They want W itself; worlds reach them through contact/island_matrix.h.
#pragma once

#include "physics/solvers/solver.h"

namespace proxima::physics {

SolveReport newton_min_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport newton_fb_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport newton_cone_matrix(DelassusSystem& system, const SolveSettings& settings);

}  // namespace proxima::physics
