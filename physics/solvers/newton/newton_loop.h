// SPDX-License-Identifier: MIT
// The loop of the non-smooth Newton solvers: step, line search, and sweeps where the line search fails.
#pragma once

#include "physics/contact/delassus.h"
#include "physics/solvers/newton/contact_map.h"
#include "physics/solvers/solver.h"

namespace proxima::physics::newton {

/// Solves F(l, W l + q) = 0 for F made of one `map` a contact. An iteration is a Newton step (one factorisation) or a
/// sweep of PROX Gauss-Seidel; SolveReport::rejected counts the steps whose line search failed.
SolveReport solve_newton(DelassusSystem& system, const SolveSettings& settings,
                         ContactMap (*map)(const detail::ContactState& state));

}  // namespace proxima::physics::newton
