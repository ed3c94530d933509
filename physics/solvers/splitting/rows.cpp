// SPDX-License-Identifier: MIT
// Splittings and what is built on their sweeps: over-relaxed, symmetric and backward Gauss-Seidel, projected
// Jacobi, blocked Gauss-Seidel, subspace minimisation, nonsmooth conjugate gradients, shock propagation.
#include "physics/contact/island_matrix.h"
#include "physics/solvers/solver_rows.h"
#include "physics/solvers/splitting/splitting.h"

namespace proxima::physics {

namespace {

constexpr Solver kRows[] = {
    {"nncg", "Coulomb friction with the exact disk, conjugate directions over Gauss-Seidel sweeps",
     "far fewer sweeps than Gauss-Seidel for stacks and mass ratios; no proof; restarts when its steps grow, "
     "roll-back never returns worse than it was given",
     "a sweep and two passes over the impulses an iteration, about 1.5 sweeps; pays only over many "
     "iterations",
     Family::conjugate, Model::ncp, FrictionSet::disk, 8, nncg_bodies, nncg_matrix, false, true},
    {"psor", "box friction along the two tangents, row by row, over-relaxed by `relaxation`",
     "linear convergence for frozen bounds and relaxation in (0, 2); no proof with friction",
     "one sweep is O(contacts); the best relaxation depends on the problem (1.73 for a stack of ten)",
     Family::splitting, Model::blcp, FrictionSet::box, 1, psor_bodies, psor_matrix, false, true},
    {"pgs_symmetric", "box friction along the two tangents, row by row, forward and backward",
     "linear convergence in practice; unfinished answers depend little on the order of contacts",
     "two sweeps an iteration; serial within an island", Family::splitting, Model::blcp, FrictionSet::box, 1,
     pgs_symmetric_bodies, pgs_symmetric_matrix, false, true},
    {"pgs_backward", "box friction along the two tangents, row by row, last row first",
     "that of pgs; other bias in unfinished answers", "one sweep is O(contacts); serial within an island",
     Family::splitting, Model::blcp, FrictionSet::box, 1, pgs_backward_bodies, pgs_backward_matrix, false, true},
    {"jacobi", "box friction along the two tangents, all rows at once",
     "contraction for frozen bounds with the local steps; same result in any order of contacts up to "
     "rounding",
     "one pass is O(contacts) and fully parallel; needs several times the passes of Gauss-Seidel", Family::splitting,
     Model::blcp, FrictionSet::box, 1, jacobi_bodies, jacobi_matrix, false, true},
    {"nscd",
     "Coulomb friction with the exact disk, contacts one after the other, each solved exactly in its 3x3 "
     "block",
     "linear convergence in practice, no proof with friction; coupling of normal and friction inside a "
     "contact costs no sweeps",
     "one sweep is O(contacts), with a root to find for each sliding one; serial within an island", Family::splitting,
     Model::ncp, FrictionSet::disk, 1, nscd_bodies, nscd_matrix, false, true},
    {"pgs_sm",
     "box friction along the two tangents: sweeps guess the rows at their bounds, a linear system solves the "
     "rest",
     "exact once the guess is right; never worse than the sweeps, since the best iterate is kept; works with "
     "redundant contacts",
     "ten sweeps and up to five sparse Cholesky factorisations an iteration; allocates; large sliding "
     "scenes gain little",
     Family::subspace, Model::blcp, FrictionSet::box, 1, bodies_by_matrix<pgs_sm_matrix>, pgs_sm_matrix, false, true},
    {"shock",
     "Coulomb friction with the exact disk: layers from the ground up and down again, then contacts one "
     "after the other",
     "one iteration solves bodies that stand one on the other, whatever their masses; then as prox_gs; "
     "unfinished answers take "
     "what lies below for immovable",
     "twenty sweeps for the first iteration, one for each later one; a matrix has no bodies to hold: its "
     "layers are only swept",
     Family::splitting, Model::ncp, FrictionSet::disk, 1, shock_bodies, shock_matrix},
};

}  // namespace

std::span<const Solver> splitting_rows() { return kRows; }

}  // namespace proxima::physics
