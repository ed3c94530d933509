// SPDX-License-Identifier: MIT
// Every solver that can be chosen by name. Lists, tests and benchmarks walk this table.
#include "physics/solvers/solver.h"
#include "physics/solvers/solver_rows.h"

namespace proxima::physics {

namespace {

constexpr Solver kSolvers[] = {
    {"prox_gs", "Coulomb friction with the exact disk, contacts one after the other",
     "linear convergence in practice, no proof with friction; roll-back never returns worse than it was "
     "given",
     "one sweep is O(contacts); serial within an island; slow for tall stacks and large mass ratios",
     FrictionSet::disk, prox_gs_bodies, prox_gs_matrix},
    {"prox_jacobi", "Coulomb friction with the exact disk, all contacts at once",
     "contraction for frozen friction sets with the local steps; same result in any order of contacts up to "
     "rounding",
     "one pass is O(contacts) and fully parallel; needs several times the passes of Gauss-Seidel",
     FrictionSet::disk, prox_jacobi_bodies, prox_jacobi_matrix},
    {"pgs", "box friction along the two tangents, row by row: up to 41 % too strong on the diagonal",
     "linear convergence in practice; no proof, since friction bounds follow the normal impulses",
     "one sweep is O(contacts), the cheapest there is; serial within an island", FrictionSet::box, pgs_bodies,
     pgs_matrix},
};

}  // namespace

std::span<const Solver> solver_table() { return kSolvers; }

const Solver* find_solver(std::string_view name) {
    for (const Solver& solver : kSolvers)
        if (solver.name == name) return &solver;
    return nullptr;
}

std::string_view to_text(StopReason stop) {
    switch (stop) {
        case StopReason::iterations:
            return "iterations";
        case StopReason::tolerance:
            return "tolerance";
        case StopReason::stalled:
            return "stalled";
    }
    return "unknown";
}

}  // namespace proxima::physics
