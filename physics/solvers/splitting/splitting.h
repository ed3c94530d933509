// SPDX-License-Identifier: MIT
// Entry points of the splittings and of what is built on their sweeps; the rows stand in rows.cpp.
#pragma once

#include "physics/solvers/solver.h"

namespace proxima::physics {

SolveReport nncg_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport nncg_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport psor_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport psor_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport pgs_symmetric_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport pgs_symmetric_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport pgs_backward_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport pgs_backward_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport jacobi_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport jacobi_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport nscd_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport nscd_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport pgs_sm_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport shock_bodies(BodySystem& system, const SolveSettings& settings);
SolveReport shock_matrix(DelassusSystem& system, const SolveSettings& settings);

}  // namespace proxima::physics
