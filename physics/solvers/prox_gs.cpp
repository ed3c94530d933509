// SPDX-License-Identifier: MIT
// PROX Gauss-Seidel with the friction disk: Coulomb's law without directions, one contact after the other. Contacts
// with ellipses, torsion or rolling as well (extra_friction.h), and bilateral blocks (bilateral_rows.h).
#include "physics/contact/delassus.h"
#include "physics/contact/problem.h"
#include "physics/solvers/bilateral_rows.h"
#include "physics/solvers/extra_friction.h"
#include "physics/solvers/friction_set.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/normal_row.h"
#include "physics/solvers/r_factors.h"
#include "physics/solvers/solver_rows.h"
#include "physics/solvers/splitting/sweep_order.h"

namespace proxima::physics {

namespace {

/// One pass over the groups; the friction impulse of a contact is what new_tangent makes of it.
template <ContactSystem S, class NewTangent>
void sweep(S& system, GroupOrder<S>& order, bool bilateral, typename S::Real normal_scale, typename S::Real fixed_step,
           const NewTangent& new_tangent) {
    using Real = typename S::Real;
    const auto disk = [&](uint32_t i) {
        const Real step = system.tangent_step(i);
        if (!(step > Real(0))) return;
        const auto l = system.impulse(i);
        const Real radius = system.friction(i) * l.n;
        // Nothing to give and nothing to take back: open contacts cost no velocity read.
        if (!(radius > Real(0)) && l.t1 == Real(0) && l.t2 == Real(0)) return;
        const Real2<Real> next = new_tangent(i, step, l, radius);
        const Real2<Real> delta{next.x - l.t1, next.y - l.t2};
        if (delta.x != Real(0) || delta.y != Real(0)) system.add_tangent(i, delta);
    };
    const auto normal = [&](uint32_t i) { relax_normal(system, i, normal_scale, fixed_step); };
    order.next_sweep();
    const bool extra = has_extra(system);
    if (!extra && !bilateral) {
        sweep_in_order(system, order, disk, normal);
        return;
    }
    const auto friction = [&](uint32_t i) {
        if (!extra || !system.is_extra(i)) return disk(i);
        const bool only_rolls = has_disk(system.extra_state(i), double(system.friction(i)));
        if (only_rolls) disk(i);
        relax_extra(system, i, double(normal_scale), only_rolls);
    };
    if (bilateral)
        sweep_mixed_forward(system, order, normal_scale, fixed_step, friction, normal);
    else
        sweep_in_order(system, order, friction, normal);
}

template <ContactSystem S>
SolveReport solve(S& system, const SolveSettings& settings) {
    using Real = typename S::Real;
    const Real one_step =
        settings.r_strategy == RStrategy::global ? step_of(estimate_largest_eigenvalue(system)) : Real(0);
    GroupOrder<S> order(system, settings, 0);
    const bool bilateral = system.has_bilateral();
    const auto run = [&](const auto& one_sweep) {
        return iterate(system, Law(FrictionSet::disk, false, true).with_bilateral(), settings,
                       shrink_factor(settings.r_strategy), one_sweep);
    };
    if (settings.r_strategy == RStrategy::blocked) {
        return run([&](double scale) {
            // R = scale W_tt^-1 is the exact solution for the block W_tt / scale.
            const Real inverse = Real(1.0 / scale);
            sweep(system, order, bilateral, Real(scale), Real(0),
                  [&](uint32_t i, Real, const Real3<Real>& l, Real radius) {
                      TangentBlock<Real> w = system.tangent_block(i);
                      w = {w.t11 * inverse, w.t12 * inverse, w.t22 * inverse};
                      return solve_disk(w, Real2<Real>{l.t1, l.t2}, system.tangent_velocity(i), radius);
                  });
        });
    }
    // One scalar step for both tangents of a contact: with two different ones the disk would give a wrong direction.
    return run([&](double scale) {
        sweep(system, order, bilateral, Real(scale), one_step * Real(scale),
              [&](uint32_t i, Real step, const Real3<Real>& l, Real radius) {
                  const Real r = one_step > Real(0) ? one_step * Real(scale) : step * Real(scale);
                  const Real2<Real> v = system.tangent_velocity(i);
                  return project_disk(Real2<Real>{l.t1 - r * v.x, l.t2 - r * v.y}, radius);
              });
    });
}

}  // namespace

SolveReport prox_gs_bodies(BodySystem& system, const SolveSettings& settings) { return solve(system, settings); }
SolveReport prox_gs_matrix(DelassusSystem& system, const SolveSettings& settings) { return solve(system, settings); }

}  // namespace proxima::physics
