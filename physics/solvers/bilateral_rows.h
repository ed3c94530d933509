// SPDX-License-Identifier: MIT
// The rows of a bilateral block, v + c l = 0, for sweeping solvers: its own 3x3 system (W_ii + c I) x = -(v +
// c l) makes the law hold exactly while all others stand still.
#pragma once

#include <array>
#include <limits>

#include "physics/contact/symmetric3.h"
#include "physics/contact/system.h"
#include "physics/solvers/splitting/sweep_order.h"

namespace proxima::physics {

/// v + c l of a bilateral block: what its law says is zero.
template <ContactSystem S>
Real3<typename S::Real> bilateral_error(const S& system, uint32_t i) {
    const auto l = system.impulse(i);
    const auto c = system.compliance(i);
    const auto t = system.tangent_velocity(i);
    return {system.normal_velocity(i) + c * l.n, t.x + c * l.t1, t.y + c * l.t2};
}

/// Whether an impulse of the block changes anything; the others have no unknown.
template <ContactSystem S>
bool is_movable(const S& system, uint32_t i) {
    using Real = typename S::Real;
    return system.normal_block(i) + system.compliance(i) > Real(1e-30) || system.tangent_step(i) > Real(0);
}

/// stretch W_ii + c I.
template <ContactSystem S>
Symmetric3 bilateral_block(const S& system, uint32_t i, double stretch = 1.0) {
    const auto w = system.tangent_block(i);
    const auto coupling = system.coupling_block(i);
    const double c = double(system.compliance(i));
    return {stretch * double(system.normal_block(i)) + c,
            stretch * double(w.t11) + c,
            stretch * double(w.t22) + c,
            stretch * double(coupling.x),
            stretch * double(coupling.y),
            stretch * double(w.t12)};
}

/// The change of impulses that a block wants for an error of its law: `scale` of the way to its own answer.
/// Rows that nothing can move get none.
template <class Real>
Real3<Real> solve_bilateral(const Symmetric3& block, const Real3<Real>& error, Real scale) {
    const double least = 8.0 * double(std::numeric_limits<Real>::epsilon());
    const std::array<double, 3> x =
        solve_semidefinite(block, {double(error.n), double(error.t1), double(error.t2)}, least);
    return {-scale * Real(x[0]), -scale * Real(x[1]), -scale * Real(x[2])};
}

/// Adds to the three impulses of a block; the velocities follow.
template <ContactSystem S>
void add_impulse(S& system, uint32_t i, const Real3<typename S::Real>& delta) {
    using Real = typename S::Real;
    if (delta.n != Real(0)) system.add_normal(i, delta.n);
    if (delta.t1 != Real(0) || delta.t2 != Real(0)) system.add_tangent(i, {delta.t1, delta.t2});
}

/// One Gauss-Seidel update of a bilateral block: `scale` times its exact step, or fixed_step for all three
/// rows where that is positive.
template <ContactSystem S>
void relax_bilateral(S& system, uint32_t i, typename S::Real scale, typename S::Real fixed_step) {
    if (!is_movable(system, i)) return;
    const auto error = bilateral_error(system, i);
    if (fixed_step > typename S::Real(0))
        add_impulse(system, i, {-fixed_step * error.n, -fixed_step * error.t1, -fixed_step * error.t2});
    else
        add_impulse(system, i, solve_bilateral(bilateral_block(system, i), error, scale));
}

/// Row updates of contacts that know bilateral blocks too: such a block has its turn among the friction rows
/// and none among the normals, forward and backward alike.
template <ContactSystem S, class Friction, class Normal>
struct MixedRows {
    S& system;
    typename S::Real scale, fixed_step;
    const Friction& of_friction;
    const Normal& of_normal;

    void friction(uint32_t i) const {
        if (system.is_bilateral(i))
            relax_bilateral(system, i, scale, fixed_step);
        else
            of_friction(i);
    }
    void normal(uint32_t i) const {
        if (!system.is_bilateral(i)) of_normal(i);
    }
};

/// sweep_forward over a system that has bilateral blocks. Out of line: beside a second inlined copy of a
/// sweep the compiler makes both slower.
template <ContactSystem S, class Friction, class Normal>
[[gnu::noinline]] void sweep_mixed_forward(S& system, const GroupOrder<S>& order, typename S::Real scale,
                                           typename S::Real fixed_step, const Friction& friction,
                                           const Normal& normal) {
    const MixedRows<S, Friction, Normal> rows{system, scale, fixed_step, friction, normal};
    sweep_forward(
        system, order, [&](uint32_t i) { rows.friction(i); }, [&](uint32_t i) { rows.normal(i); });
}
/// The same for sweep_backward.
template <ContactSystem S, class Friction, class Normal>
[[gnu::noinline]] void sweep_mixed_backward(S& system, const GroupOrder<S>& order, typename S::Real scale,
                                            typename S::Real fixed_step, const Friction& friction,
                                            const Normal& normal) {
    const MixedRows<S, Friction, Normal> rows{system, scale, fixed_step, friction, normal};
    sweep_backward(
        system, order, [&](uint32_t i) { rows.friction(i); }, [&](uint32_t i) { rows.normal(i); });
}

}  // namespace proxima::physics
