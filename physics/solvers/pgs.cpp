// SPDX-License-Identifier: MIT
// Projected Gauss-Seidel with the friction box: row by row, each row clamped to its bounds. The solver of
// most engines.
#include <algorithm>

#include "physics/contact/delassus.h"
#include "physics/contact/problem.h"
#include "physics/solvers/group_sweep.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/normal_row.h"
#include "physics/solvers/r_factors.h"
#include "physics/solvers/solver_rows.h"

namespace proxima::physics {

namespace {

/// l <- clamp(l - r v, -bound, bound) for one friction row; returns the change.
template <class Real>
Real relax_friction(Real l, Real v, Real block, Real bound, Real scale, Real fixed_step) {
    if (!(block > Real(1e-30))) return Real(0);
    const Real r = fixed_step > Real(0) ? fixed_step : scale / block;
    return std::clamp(l - r * v, -bound, bound) - l;
}

/// One pass in the order of sweep_groups, each friction row clamped to its own bounds.
template <ContactSystem S>
void sweep(S& system, typename S::Real scale, typename S::Real fixed_step) {
    using Real = typename S::Real;
    const auto friction = [&](uint32_t i) {
        const auto l = system.impulse(i);
        const Real bound = std::max(Real(0), system.friction(i) * l.n);
        if (!(bound > Real(0)) && l.t1 == Real(0) && l.t2 == Real(0)) return;
        const TangentBlock<Real> w = system.tangent_block(i);
        const Real2<Real> v = system.tangent_velocity(i);
        const Real d1 = relax_friction(l.t1, v.x, w.t11, bound, scale, fixed_step);
        // The second row sees what the first did: v_2 changes by W_12 d1.
        const Real d2 = relax_friction(l.t2, v.y + w.t12 * d1, w.t22, bound, scale, fixed_step);
        if (d1 != Real(0) || d2 != Real(0)) system.add_tangent(i, {d1, d2});
    };
    sweep_groups(system, friction, [&](uint32_t i) { relax_normal(system, i, scale, fixed_step); });
}

/// Local and blocked steps are the same thing for a box: every row has its own, and rows do not bias each
/// other.
template <ContactSystem S>
SolveReport solve(S& system, const SolveSettings& settings) {
    using Real = typename S::Real;
    const Real one_step =
        settings.r_strategy == RStrategy::global ? step_of(estimate_largest_eigenvalue(system)) : Real(0);
    return iterate(system, FrictionSet::box, settings, shrink_factor(settings.r_strategy),
                   [&](double scale) { sweep(system, Real(scale), one_step * Real(scale)); });
}

}  // namespace

SolveReport pgs_bodies(BodySystem& system, const SolveSettings& settings) { return solve(system, settings); }
SolveReport pgs_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return solve(system, settings);
}

}  // namespace proxima::physics
