// SPDX-License-Identifier: MIT
// Principal pivoting with the least index (Murty): of all labels that do not fit, the first one is flipped,
// and everything is solved again.
#include <algorithm>

#include "physics/solvers/pivoting/box_loop.h"
#include "physics/solvers/pivoting/boxed_lcp.h"
#include "physics/solvers/pivoting/pivoting.h"

namespace proxima::physics {

namespace pivoting {

/// Ends for every matrix whose principal minors are all positive: flipping the least index meets no set of
/// labels twice. How many flips it takes is another matter; three unknowns may need six.
PivotReport solve_murty(const BoxedLcp& problem, PivotState& state, const PivotLimits& limits) {
    PivotReport report;
    const uint32_t n = problem.size(), allowed = limits.pivots ? limits.pivots : pivot_limit(n);
    FreeFactor factor(problem);
    correct_labels(problem, state.label);
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
        Label flipped = Label::free;
        uint32_t first = 0;
        while (first < n && !violates(problem, state, first, tolerance, flipped)) ++first;
        if (first == n) break;
        if (report.pivots == allowed) {
            report.stop = PivotStop::limit;
            return report;
        }
        if (limits.trace) limits.trace->push_back({first, 0.0, uint32_t(factor.members().size())});
        state.label[first] = flipped;
        ++report.pivots;
    }
    clamp_free(problem, state);
    return report;
}

}  // namespace pivoting

SolveReport murty_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return pivoting::solve_boxed(system, settings, pivoting::solve_murty);
}

}  // namespace proxima::physics
