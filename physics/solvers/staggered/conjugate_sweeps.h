// SPDX-License-Identifier: MIT
// Sweeps over one convex problem, sped up by conjugate directions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/solvers/iterate.h"

namespace proxima::physics {

/// Gauss-Seidel sweeps over one convex problem, sped up by conjugate directions: g = x - sweep(x) is taken as
/// the gradient in the metric of the diagonal, and the direction of Fletcher and Reeves is followed until it
/// stops to pay (g grows), when the next sweep starts afresh. What is returned always comes from a sweep, so
/// it lies in its set.
class ConjugateSweeps {
  public:
    /// `sweep(gradient)` does one pass and writes w^1/2 (x_before - x_after) per unknown, returning the largest |w
    /// (x_before - x_after)|, a velocity; `move(direction)` adds a scaled vector of the same kind to x.
    template <class Sweep, class Move>
    uint32_t run(size_t unknowns, double tolerance, const TimeLimit& limit, Sweep&& sweep, Move&& move) {
        gradient_.assign(unknowns, 0.0);
        direction_.assign(unknowns, 0.0);
        double before = 0.0;
        for (uint32_t k = 1; k <= kLongest; ++k) {
            const double largest = sweep(std::span<double>(gradient_));
            if (!(largest > tolerance) || limit.passed()) return k;
            double squared = 0.0;
            for (double g : gradient_) squared += g * g;
            const double beta = before > 0.0 ? squared / before : 0.0;
            before = squared;
            if (k == kLongest) return k;
            if (beta > 1.0) {
                std::fill(direction_.begin(), direction_.end(), 0.0);
                before = 0.0;
                continue;
            }
            for (size_t r = 0; r < unknowns; ++r) direction_[r] *= beta;
            if (beta > 0.0) move(std::span<const double>(direction_));
            for (size_t r = 0; r < unknowns; ++r) direction_[r] -= gradient_[r];
        }
        return kLongest;
    }

  private:
    static constexpr uint32_t kLongest = 3000;  // sweeps of one run

    std::vector<double> gradient_, direction_;
};

}  // namespace proxima::physics
