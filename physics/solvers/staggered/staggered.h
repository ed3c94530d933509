// SPDX-License-Identifier: MIT
// Entry points of the solvers that see friction as convex problems: staggered projections (two of them in
// turn) and accelerated projected gradients (one, of the relaxed cone).
#pragma once

#include <vector>

#include "physics/solvers/solver.h"

namespace proxima::physics {

/// What one round of staggered projections did, in the measures of its authors.
struct StaggeredRound {
    double relative_change = 0.0;  // |f - f_before|^2 / |f_before|^2 in the metric of W; infinite after 0
    double complementarity = 0.0;  // sum |l_n (v_n + c l_n)| with friction new and normals not yet
    uint32_t contact_sweeps = 0;   // inner work of the round
    uint32_t friction_sweeps = 0;
};

SolveReport staggered_matrix(DelassusSystem& system, const SolveSettings& settings);
/// The same, and tells every round; costs two more products with W a round.
SolveReport staggered_traced(DelassusSystem& system, const SolveSettings& settings,
                             std::vector<StaggeredRound>* rounds);
SolveReport apgd_matrix(DelassusSystem& system, const SolveSettings& settings);

}  // namespace proxima::physics
