// SPDX-License-Identifier: MIT
// Projected Gauss-Seidel with the friction box, last row first.
#include "physics/solvers/iterate.h"
#include "physics/solvers/splitting/box_rows.h"
#include "physics/solvers/splitting/disk_rows.h"
#include "physics/solvers/splitting/splitting.h"

namespace proxima::physics {

namespace {

template <ContactSystem S>
SolveReport solve(S& system, const SolveSettings& settings) {
    using Real = typename S::Real;
    const Real one_step = global_step(system, settings);
    GroupOrder<S> order(system, settings, 0);
    return iterate(
        system, FrictionSet::box, settings, shrink_factor(settings.r_strategy), [&](double step_scale) {
            const Real scale = Real(step_scale), fixed = one_step * scale;
            const auto normal = [&](uint32_t i) { relax_normal(system, i, scale, fixed); };
            order.next_sweep();
            sweep_backward(
                system, order, [&](uint32_t i) { relax_box(system, i, scale, fixed, true); }, normal);
        });
}

}  // namespace

SolveReport pgs_backward_bodies(BodySystem& system, const SolveSettings& settings) {
    return solve(system, settings);
}
SolveReport pgs_backward_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return solve(system, settings);
}

}  // namespace proxima::physics
