// SPDX-License-Identifier: MIT
// Block principal pivoting: all labels that do not fit are flipped at once, which usually needs a handful of
// solves; when that does not help any more, least-index steps take over until it does.
#include <algorithm>
#include <vector>

#include "physics/solvers/pivoting/box_loop.h"
#include "physics/solvers/pivoting/boxed_lcp.h"
#include "physics/solvers/pivoting/pivoting.h"

namespace proxima::physics {

namespace pivoting {

namespace {

/// Solves in a row that may flip everything without the number of violations reaching a new low. Flipping all
/// cycles even for positive definite matrices.
constexpr uint32_t kStallBudget = 5;

uint64_t hash(const std::vector<Label>& label) {  // FNV-1a
    uint64_t h = 14695981039346656037ull;
    for (const Label l : label) h = (h ^ uint64_t(l)) * 1099511628211ull;
    return h;
}

}  // namespace

/// Ends: block steps without a new low of the violations are rationed and never taken twice from the same
/// labels, and a run of least-index steps is Murty's method, which ends.
PivotReport solve_block_pivoting(const BoxedLcp& problem, PivotState& state, const PivotLimits& limits) {
    PivotReport report;
    const uint32_t n = problem.size(), allowed = limits.pivots ? limits.pivots : pivot_limit(n);
    FreeFactor factor(problem);
    correct_labels(problem, state.label);
    std::vector<uint32_t> wrong;
    std::vector<Label> better(n);
    std::vector<uint64_t> seen;
    size_t fewest = n + 1;
    uint32_t budget = kStallBudget;
    while (true) {
        if (limits.passed()) {
            report.stop = PivotStop::aborted;
            return report;
        }
        ++report.solves;
        if (!solve_labels(problem, factor, state)) {
            report.stop = PivotStop::singular;
            return report;
        }
        const double tolerance = velocity_tolerance(problem, state.x, report.pivots);
        wrong.clear();
        for (uint32_t i = 0; i < n; ++i)
            if (violates(problem, state, i, tolerance, better[i])) wrong.push_back(i);
        if (wrong.empty()) break;
        if (report.pivots >= allowed) {
            report.stop = PivotStop::limit;
            return report;
        }
        bool all = false;
        if (wrong.size() < fewest) {
            fewest = wrong.size();
            budget = kStallBudget;
            all = true;
        } else if (budget > 0) {
            const uint64_t h = hash(state.label);
            all = std::find(seen.begin(), seen.end(), h) == seen.end();
            budget = all ? budget - 1 : 0;  // labels met again: a cycle, no further tries
        }
        if (all) {
            seen.push_back(hash(state.label));
        } else {
            wrong.erase(wrong.begin() + 1, wrong.end());
        }
        for (const uint32_t i : wrong) {
            if (limits.trace) limits.trace->push_back({i, 0.0, uint32_t(factor.members().size())});
            state.label[i] = better[i];
        }
        report.pivots += uint32_t(wrong.size());
    }
    clamp_free(problem, state);
    return report;
}

}  // namespace pivoting

SolveReport bpp_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return pivoting::solve_boxed(system, settings, pivoting::solve_block_pivoting);
}

}  // namespace proxima::physics
