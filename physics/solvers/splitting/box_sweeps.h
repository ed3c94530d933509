// SPDX-License-Identifier: MIT
// Projected Gauss-Seidel with the friction box in which rows are also swept backwards.
#pragma once

#include "physics/solvers/bilateral_rows.h"
#include "physics/solvers/box_rows.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/splitting/disk_rows.h"

namespace proxima::physics {

/// Backward sweeps, each after a forward one over the same rows if so asked.
template <ContactSystem S>
SolveReport solve_backward(S& system, const SolveSettings& settings, bool forward_too) {
    using Real = typename S::Real;
    const Real one_step = global_step(system, settings);
    GroupOrder<S> order(system, settings, 0);
    const bool bilateral = system.has_bilateral();
    return iterate(system, Law(FrictionSet::box).with_bilateral(), settings, shrink_factor(settings.r_strategy),
                   [&](double step_scale) {
                       const Real scale = Real(step_scale), fixed = one_step * scale;
                       const auto forward = [&](uint32_t i) { relax_box(system, i, scale, fixed); };
                       const auto backward = [&](uint32_t i) { relax_box(system, i, scale, fixed, true); };
                       const auto normal = [&](uint32_t i) { relax_normal(system, i, scale, fixed); };
                       order.next_sweep();
                       if (!bilateral) {
                           if (forward_too) sweep_forward(system, order, forward, normal);
                           sweep_backward(system, order, backward, normal);
                           return;
                       }
                       if (forward_too) sweep_mixed_forward(system, order, scale, fixed, forward, normal);
                       sweep_mixed_backward(system, order, scale, fixed, backward, normal);
                   });
}

}  // namespace proxima::physics
