// SPDX-License-Identifier: MIT
// Projected Gauss-Seidel with the friction box: row by row, each row clamped to its bounds. The solver of most
// engines.
#include "physics/contact/delassus.h"
#include "physics/contact/problem.h"
#include "physics/solvers/bilateral_rows.h"
#include "physics/solvers/box_rows.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/normal_row.h"
#include "physics/solvers/r_factors.h"
#include "physics/solvers/solver_rows.h"
#include "physics/solvers/splitting/sweep_order.h"

namespace proxima::physics {

namespace {

/// One pass, each friction row clamped to its own bounds.
template <ContactSystem S>
void sweep(S& system, const GroupOrder<S>& order, bool bilateral, typename S::Real scale, typename S::Real fixed_step) {
    const auto friction = [&](uint32_t i) { relax_box(system, i, scale, fixed_step); };
    const auto normal = [&](uint32_t i) { relax_normal(system, i, scale, fixed_step); };
    if (bilateral)
        sweep_mixed_forward(system, order, scale, fixed_step, friction, normal);
    else
        sweep_in_order(system, order, friction, normal);
}

/// Local and blocked steps are the same thing for a box: every row has its own, and rows do not bias each other.
template <ContactSystem S>
SolveReport solve(S& system, const SolveSettings& settings) {
    using Real = typename S::Real;
    const Real one_step =
        settings.r_strategy == RStrategy::global ? step_of(estimate_largest_eigenvalue(system)) : Real(0);
    GroupOrder<S> order(system, settings, 0);
    const bool bilateral = system.has_bilateral();
    return iterate(system, Law(FrictionSet::box).with_bilateral(), settings, shrink_factor(settings.r_strategy),
                   [&](double scale) {
                       order.next_sweep();
                       sweep(system, order, bilateral, Real(scale), one_step * Real(scale));
                   });
}

}  // namespace

SolveReport pgs_bodies(BodySystem& system, const SolveSettings& settings) { return solve(system, settings); }
SolveReport pgs_matrix(DelassusSystem& system, const SolveSettings& settings) { return solve(system, settings); }

}  // namespace proxima::physics
