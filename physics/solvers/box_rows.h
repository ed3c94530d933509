// SPDX-License-Identifier: MIT
// The friction rows of a contact with the box, as Gauss-Seidel sweeps update them.
#pragma once

#include <algorithm>

#include "physics/contact/system.h"

namespace proxima::physics {

/// l <- clamp(l - r v, -mu l_n, mu l_n) for the two friction rows of contact i, the second seeing what the
/// first did; r = scale / W_ii, or fixed_step where that is positive. `backward` takes the second row first.
template <ContactSystem S>
inline void relax_box(S& system, uint32_t i, typename S::Real scale, typename S::Real fixed_step,
                      bool backward = false) {
    using Real = typename S::Real;
    const auto l = system.impulse(i);
    const Real bound = std::max(Real(0), system.friction(i) * l.n);
    if (!(bound > Real(0)) && l.t1 == Real(0) && l.t2 == Real(0)) return;
    const TangentBlock<Real> w = system.tangent_block(i);
    const Real2<Real> v = system.tangent_velocity(i);
    const auto change = [&](Real impulse, Real velocity, Real block) {
        if (!(block > Real(1e-30))) return Real(0);
        const Real r = fixed_step > Real(0) ? fixed_step : scale / block;
        return std::clamp(impulse - r * velocity, -bound, bound) - impulse;
    };
    Real2<Real> d;
    if (backward) {
        d.y = change(l.t2, v.y, w.t22);
        d.x = change(l.t1, v.x + w.t12 * d.y, w.t11);
    } else {
        d.x = change(l.t1, v.x, w.t11);
        d.y = change(l.t2, v.y + w.t12 * d.x, w.t22);
    }
    if (d.x != Real(0) || d.y != Real(0)) system.add_tangent(i, d);
}

}  // namespace proxima::physics
