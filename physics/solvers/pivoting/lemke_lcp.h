// SPDX-License-Identifier: MIT
// Lemke's method on a full linear complementarity problem whose matrix need not be symmetric. Inside the
// folder of pivoting methods only.
//
//     w = M z + q,   w >= 0,  z >= 0,  w_i z_i = 0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/solvers/pivoting/boxed_lcp.h"

namespace proxima::physics::pivoting {

struct PlainLcp {
    std::vector<double> m;  // row by row
    std::vector<double> q;

    uint32_t size() const { return uint32_t(q.size()); }
};

enum class LemkeStop : uint8_t {
    solved,
    ray,      // the path runs off to infinity: no solution, or a matrix for which the method proves nothing
    limit,    // pivots spent
    aborted,  // the caller's clock
};

struct LemkeReport {
    LemkeStop stop = LemkeStop::solved;
    uint32_t pivots = 0;
};

/// Starts from z = 0; `z` is the answer on `solved` and zero otherwise. Ties are broken lexicographically, so
/// that degenerate problems do not cycle. limits.pivots is the number of pivots allowed (0: pivot_limit).
LemkeReport solve_lemke(const PlainLcp& problem, std::vector<double>& z, const PivotLimits& limits);

/// max |min(z_i, w_i)|.
double natural_residual(const PlainLcp& problem, std::span<const double> z);

}  // namespace proxima::physics::pivoting
