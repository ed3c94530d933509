// SPDX-License-Identifier: MIT
// Symmetric projected Gauss-Seidel with the friction box: a sweep forward and one with the same rows
// backward, which takes away most of the bias that the order of contacts leaves in unfinished answers.
#include "physics/solvers/splitting/box_sweeps.h"
#include "physics/solvers/splitting/splitting.h"

namespace proxima::physics {

SolveReport pgs_symmetric_bodies(BodySystem& system, const SolveSettings& settings) {
    return solve_backward(system, settings, true);
}
SolveReport pgs_symmetric_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return solve_backward(system, settings, true);
}

}  // namespace proxima::physics
