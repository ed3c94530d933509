// SPDX-License-Identifier: MIT
// Momentum for passes that start everywhere at once: before a pass the iterate is moved on in the direction
// of its last change,
//     y = l_k + beta (l_k - l_(k-1)),      beta = min(k / (k + 2), 0.9).
#pragma once

#include <algorithm>
#include <cstdint>

#include "physics/solvers/solver.h"

namespace proxima::physics {

/// Nesterov's sequence with a lid. Without the lid the residual of a heap rises again after a hundred
/// passes: the sliding contacts make it no gradient method, and the usual restart condition, which looks at
/// angles, does not see it. With the lid no restart is needed; 0.9 from the first pass on makes stacks shake.
inline constexpr double kMaxMomentum = 0.9;
inline double momentum_after(uint32_t sweeps) {
    return std::min(double(sweeps) / (double(sweeps) + 2.0), kMaxMomentum);
}

/// Moves the iterate on before each pass, where the steps are safe (W <= blockdiag) and only until roll-back
/// first goes back to the best iterate and shortens the steps: momentum makes residuals rise and fall in long
/// waves, and what did not help is not tried again. What remains is the plain method with its guarantee.
class Momentum {
  public:
    explicit Momentum(const SolveSettings& settings, RStrategy strategy)
        : on_(settings.momentum && strategy != RStrategy::blocked) {}

    /// system.extrapolate(beta) before a pass; the impulses l' that the pass finds are added to the iterate
    /// that was remembered, so that rounding of velocities gathers no faster than without momentum.
    template <class S>
    void begin_sweep(S& system, double scale) {
        on_ = on_ && scale == 1.0;
        if (on_) system.extrapolate(typename S::Real(momentum_after(sweeps_++)));
    }
    /// Back to the remembered iterate, from which the changes of this pass are to be counted.
    template <class S>
    void end_sweep(S& system) const {
        if (on_) system.step_back();
    }

  private:
    bool on_;
    uint32_t sweeps_ = 0;
};

}  // namespace proxima::physics
