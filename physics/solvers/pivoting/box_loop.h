// SPDX-License-Identifier: MIT
// The loop around a pivoting method that makes box friction of it: bounds +- mu l_n are frozen during a solve
// and refreshed between solves, until the law holds.
#pragma once

#include "physics/contact/delassus.h"
#include "physics/solvers/pivoting/boxed_lcp.h"
#include "physics/solvers/solver.h"

namespace proxima::physics::pivoting {

/// More contacts than this are refused: the full matrix of 600 has 26 MB, and a factorisation is two
/// milliards of operations.
inline constexpr uint32_t kContactLimit = 600;

/// An iteration of the report is one complete pivoting solve with frozen bounds.
SolveReport solve_boxed(DelassusSystem& system, const SolveSettings& settings, PivotMethod method);

}  // namespace proxima::physics::pivoting
