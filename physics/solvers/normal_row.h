// SPDX-License-Identifier: MIT
// The normal row of a contact, as all Gauss-Seidel solvers update it.
#pragma once

#include <algorithm>

#include "physics/contact/system.h"

namespace proxima::physics {

/// l_n <- max(0, l_n - r (v_n + c l_n)), r = scale / (W_nn + c), or fixed_step where that is positive.
/// With r = 1/(W_nn + c) the row holds exactly afterwards. Contacts that nothing can move are left alone.
template <ContactSystem S>
inline void relax_normal(S& system, uint32_t i, typename S::Real scale, typename S::Real fixed_step) {
    using Real = typename S::Real;
    const Real w = system.normal_block(i);
    if (!(w > Real(1e-30))) return;
    const Real c = system.compliance(i);
    const Real r = fixed_step > Real(0) ? fixed_step : scale / (w + c);
    const Real l = system.impulse(i).n;
    const Real next = std::max(Real(0), l - r * (system.normal_velocity(i) + c * l));
    if (next != l) system.add_normal(i, next - l);
}

}  // namespace proxima::physics
