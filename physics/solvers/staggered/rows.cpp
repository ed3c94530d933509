// SPDX-License-Identifier: MIT
// Convex problems in turn or in one: staggered projections, accelerated projected gradients on the relaxed cone.
#include "physics/contact/island_matrix.h"
#include "physics/solvers/solver_rows.h"
#include "physics/solvers/staggered/staggered.h"

namespace proxima::physics {

namespace {

constexpr Solver kRows[] = {
    {"staggered", "Coulomb friction with the exact disk, as two convex problems in turn",
     "no proof of convergence; whatever stops it, nothing approaches and no energy is added, unless what it "
     "was given was better; starts from the friction impulses given",
     "an iteration is a round: two convex problems, each some ten to hundreds of sweeps of O(contacts)",
     Family::staggered, Model::ncp, FrictionSet::disk, 4, bodies_by_matrix<staggered_matrix>, staggered_matrix},
    {"apgd", "the convex relaxation of Coulomb friction: sliding contacts lift off with v_n = mu |v_t|",
     "converges to the global optimum of its convex problem, error as 1/k^2 and linear in practice",
     "one product with W an iteration, fully parallel; hundreds of iterations for stiff piles", Family::gradient,
     Model::ccp, FrictionSet::disk, 50, bodies_by_matrix<apgd_matrix>, apgd_matrix, false, false},
};

}  // namespace

std::span<const Solver> staggered_rows() { return kRows; }

}  // namespace proxima::physics
