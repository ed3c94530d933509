// SPDX-License-Identifier: MIT
// Convex problems in turn or in one: staggered projections, accelerated projected gradients on the relaxed
// cone.
#include "physics/solvers/solver_rows.h"

namespace proxima::physics {

std::span<const Solver> staggered_rows() { return {}; }

}  // namespace proxima::physics
