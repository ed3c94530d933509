// SPDX-License-Identifier: MIT
// What solver_table.cpp is put together from: the rows of each folder of solvers, and the entry points of
// those that stand in this one.
#pragma once

#include "physics/solvers/solver.h"

namespace proxima::physics {

std::span<const Solver> splitting_rows();  // splitting/rows.cpp
std::span<const Solver> pivoting_rows();   // pivoting/rows.cpp
std::span<const Solver> newton_rows();     // newton/rows.cpp
std::span<const Solver> staggered_rows();  // staggered/rows.cpp

SolveReport pgs_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport pgs_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport prox_gs_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport prox_gs_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport prox_jacobi_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport prox_jacobi_matrix(DelassusSystem& system, const SolveSettings& settings);

}  // namespace proxima::physics
