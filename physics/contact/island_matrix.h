// SPDX-License-Identifier: MIT
// The contacts of an island as a matrix: what solvers that want W itself (pivoting, Newton, staggered projections)
// make of a running world. Double precision, and it allocates: the price of a method that is not matrix-free.
#pragma once

#include "physics/contact/delassus.h"
#include "physics/contact/problem.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

/// W, q, mu, compliance, kinds and groups of a system as it stands: v = W l + q holds for its present
/// impulses and velocities. Contacts are joined by bodies that can move; those that cannot join nobody.
DelassusProblem make_island_matrix(const BodySystem& system);

/// Solves an island by a solver of matrices and gives its bodies what the impulses changed by. The tolerance
/// is compared in m/s, as for every solver of bodies.
SolveReport solve_by_matrix(BodySystem& system, const SolveSettings& settings,
                            SolveReport (*solve)(DelassusSystem& system, const SolveSettings& settings));

/// A row's solve_bodies made of its solve_matrix.
template <SolveReport (*Solve)(DelassusSystem&, const SolveSettings&)>
SolveReport bodies_by_matrix(BodySystem& system, const SolveSettings& settings) {
    return solve_by_matrix(system, settings, Solve);
}

}  // namespace proxima::physics
