// SPDX-License-Identifier: MIT
// Entry points of the pivoting methods; rows.cpp puts them into the table of solvers.
#pragma once

#include "physics/contact/delassus.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

SolveReport dantzig_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport murty_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport bpp_matrix(DelassusSystem& system, const SolveSettings& settings);
SolveReport lemke_matrix(DelassusSystem& system, const SolveSettings& settings);

}  // namespace proxima::physics
