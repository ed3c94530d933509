// SPDX-License-Identifier: MIT
// Newton on the law itself: minimum map, Fischer-Burmeister, and the convex cone.
#include "physics/contact/island_matrix.h"
#include "physics/solvers/newton/newton.h"
#include "physics/solvers/solver_rows.h"

namespace proxima::physics {

namespace {

constexpr Solver kRows[] = {
    {"newton_min", "Coulomb friction with the exact disk, all contacts at once: minimum map",
     "quadratic convergence near the answer; far from it a line search and, where that fails, PROX sweeps",
     "one factorisation a step: of the closed contacts of a matrix, of the fewer bodies of a world", Family::newton,
     Model::ncp, FrictionSet::disk, 5, bodies_by_matrix<newton_min_matrix>, newton_min_matrix, false, true},
    {"newton_fb", "Coulomb friction with the exact disk, all contacts at once: Fischer-Burmeister",
     "quadratic convergence near the answer; far from it a line search and, where that fails, PROX sweeps",
     "one factorisation a step: of all contacts of a matrix, of the fewer bodies of a world", Family::newton,
     Model::ncp, FrictionSet::disk, 5, bodies_by_matrix<newton_fb_matrix>, newton_fb_matrix, false, true},
    {"newton_cone", "Coulomb friction with the exact disk: convex cone problems, shifted until they are exact",
     "each convex problem is solved from any start, with redundant contacts too; no proof for the outer loop",
     "one factorisation of contacts, in worlds of bodies, a step; several steps a round; linear in the outer "
     "rounds",
     Family::newton, Model::ncp, FrictionSet::disk, 30, bodies_by_matrix<newton_cone_matrix>, newton_cone_matrix, false,
     true},
};

}  // namespace

std::span<const Solver> newton_rows() { return kRows; }

}  // namespace proxima::physics
