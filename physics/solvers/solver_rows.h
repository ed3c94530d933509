// SPDX-License-Identifier: MIT
// The entry points behind the rows of solver_table.cpp, one pair per solver file.
#pragma once

#include "physics/solvers/solver.h"

namespace proxima::physics {

SolveReport pgs_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport pgs_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport prox_gs_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport prox_gs_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport prox_jacobi_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport prox_jacobi_matrix(DelassusSystem& system, const SolveSettings& settings);

}  // namespace proxima::physics
