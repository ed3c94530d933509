// SPDX-License-Identifier: MIT
// Every solver that can be chosen by name. Lists, tests and benchmarks walk this table.
#include <vector>

#include "physics/solvers/solver.h"
#include "physics/solvers/solver_rows.h"

namespace proxima::physics {

namespace {

/// Sweeps that worlds run by default.
constexpr Solver kSweeps[] = {
    {"prox_gs", "Coulomb friction with the exact disk, contacts one after the other; ellipses, torsion and rolling too",
     "linear convergence in practice, no proof with friction; roll-back never returns worse than it was "
     "given",
     "one sweep is O(contacts); serial within an island; slow for tall stacks and large mass ratios", Family::prox,
     Model::ncp, FrictionSet::disk, 1, prox_gs_bodies, prox_gs_matrix, true, true},
    {"prox_jacobi", "Coulomb friction with the exact disk, all contacts at once; ellipses, torsion and rolling too",
     "contraction for frozen friction sets with the local steps; same result in any order of contacts up to "
     "rounding",
     "one pass is O(contacts) and fully parallel; needs several times the passes of Gauss-Seidel", Family::prox,
     Model::ncp, FrictionSet::disk, 2, prox_jacobi_bodies, prox_jacobi_matrix, true, true},
    {"pgs", "box friction along the two tangents, row by row: up to 41 % too strong on the diagonal",
     "linear convergence in practice; no proof, since friction bounds follow the normal impulses",
     "one sweep is O(contacts), the cheapest there is; serial within an island", Family::splitting, Model::blcp,
     FrictionSet::box, 1, pgs_bodies, pgs_matrix, false, true},
};

std::vector<Solver> make_table() {
    std::vector<Solver> table;
    for (const std::span<const Solver> rows :
         {std::span<const Solver>(kSweeps), splitting_rows(), pivoting_rows(), newton_rows(), staggered_rows()})
        table.insert(table.end(), rows.begin(), rows.end());
    return table;
}

}  // namespace

std::span<const Solver> solver_table() {
    static const std::vector<Solver> table = make_table();
    return table;
}

const Solver* find_solver(std::string_view name) {
    for (const Solver& solver : solver_table())
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
        case StopReason::time:
            return "time";
        case StopReason::failed:
            return "failed";
    }
    return "unknown";
}

std::string_view to_text(RStrategy strategy) {
    switch (strategy) {
        case RStrategy::local:
            return "local";
        case RStrategy::global:
            return "global";
        case RStrategy::blocked:
            return "blocked";
    }
    return "unknown";
}

std::string_view to_text(SweepOrder order) {
    switch (order) {
        case SweepOrder::given:
            return "given";
        case SweepOrder::reversed:
            return "reversed";
        case SweepOrder::shuffled:
            return "shuffled";
        case SweepOrder::upward:
            return "upward";
        case SweepOrder::downward:
            return "downward";
    }
    return "unknown";
}

std::string_view to_text(LocalSolver local) {
    switch (local) {
        case LocalSolver::curve:
            return "curve";
        case LocalSolver::quartic:
            return "quartic";
        case LocalSolver::newton:
            return "newton";
        case LocalSolver::fixed_point:
            return "fixed_point";
    }
    return "unknown";
}

std::string_view to_text(JacobiBlocks blocks) { return blocks == JacobiBlocks::points ? "points" : "manifolds"; }

std::string_view to_text(Model model) {
    switch (model) {
        case Model::ncp:
            return "ncp";
        case Model::blcp:
            return "blcp";
        case Model::lcp:
            return "lcp";
        case Model::ccp:
            return "ccp";
    }
    return "unknown";
}

std::string_view to_text(Family family) {
    switch (family) {
        case Family::splitting:
            return "splitting";
        case Family::prox:
            return "prox";
        case Family::subspace:
            return "subspace";
        case Family::conjugate:
            return "conjugate";
        case Family::pivoting:
            return "pivoting";
        case Family::newton:
            return "newton";
        case Family::staggered:
            return "staggered";
        case Family::gradient:
            return "gradient";
    }
    return "unknown";
}

}  // namespace proxima::physics
