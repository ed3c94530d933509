// SPDX-License-Identifier: MIT
// Projected Gauss-Seidel with the friction box, last row first.
#include "physics/solvers/splitting/box_sweeps.h"
#include "physics/solvers/splitting/splitting.h"

namespace proxima::physics {

SolveReport pgs_backward_bodies(BodySystem& system, const SolveSettings& settings) {
    return solve_backward(system, settings, false);
}
SolveReport pgs_backward_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return solve_backward(system, settings, false);
}

}  // namespace proxima::physics
