// SPDX-License-Identifier: MIT
// The friction rows of a contact with the disk, with every choice of steps.
#pragma once

#include "physics/solvers/bilateral_rows.h"
#include "physics/solvers/friction_set.h"
#include "physics/solvers/normal_row.h"
#include "physics/solvers/r_factors.h"
#include "physics/solvers/splitting/sweep_order.h"

namespace proxima::physics {

/// l_t <- nearest point of the disk mu l_n to l_t - r v_t. One step for both tangents (with two different
/// ones the disk would give a wrong direction), or the exact answer of the block W_tt / scale.
template <ContactSystem S>
inline void relax_disk(S& system, uint32_t i, RStrategy strategy, typename S::Real scale, typename S::Real fixed_step) {
    using Real = typename S::Real;
    const Real step = system.tangent_step(i);
    if (!(step > Real(0))) return;
    const auto l = system.impulse(i);
    const Real radius = system.friction(i) * l.n;
    if (!(radius > Real(0)) && l.t1 == Real(0) && l.t2 == Real(0)) return;
    const Real2<Real> v = system.tangent_velocity(i);
    Real2<Real> next;
    if (strategy == RStrategy::blocked) {
        const TangentBlock<Real> w = system.tangent_block(i);
        const Real inverse = Real(1) / scale;
        next = solve_disk({w.t11 * inverse, w.t12 * inverse, w.t22 * inverse}, Real2<Real>{l.t1, l.t2}, v, radius);
    } else {
        const Real r = fixed_step > Real(0) ? fixed_step : step * scale;
        next = project_disk(Real2<Real>{l.t1 - r * v.x, l.t2 - r * v.y}, radius);
    }
    const Real2<Real> delta{next.x - l.t1, next.y - l.t2};
    if (delta.x != Real(0) || delta.y != Real(0)) system.add_tangent(i, delta);
}

/// One step for all rows of a system, for RStrategy::global; 0 otherwise. Uses scratch().work.
template <ContactSystem S>
inline typename S::Real global_step(S& system, const SolveSettings& settings) {
    using Real = typename S::Real;
    return settings.r_strategy == RStrategy::global ? step_of(estimate_largest_eigenvalue(system)) : Real(0);
}

/// One PROX Gauss-Seidel pass with the disk; `bilateral` says whether there are such blocks.
template <ContactSystem S>
inline void sweep_disk(S& system, const GroupOrder<S>& order, bool bilateral, RStrategy strategy,
                       typename S::Real scale, typename S::Real one_step) {
    const typename S::Real fixed = one_step * scale;
    const auto friction = [&](uint32_t i) { relax_disk(system, i, strategy, scale, fixed); };
    const auto normal = [&](uint32_t i) { relax_normal(system, i, scale, fixed); };
    if (bilateral)
        sweep_mixed_forward(system, order, scale, fixed, friction, normal);
    else
        sweep_forward(system, order, friction, normal);
}

}  // namespace proxima::physics
