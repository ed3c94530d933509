// SPDX-License-Identifier: MIT
// The friction of the few contacts that have more than a disk, for sweeping solvers: ellipse, ellipsoid with
// torsion, rolling. Each set is solved exactly in the metric of its own block, whatever the step lengths of
// the solver: a torsion row may be a thousand times lighter than the tangents beside it, and one scalar step
// for both would take a thousand sweeps to stop a spin.
#pragma once

#include <algorithm>

#include "physics/contact/system.h"
#include "physics/solvers/ellipsoid.h"
#include "physics/solvers/friction_set.h"

namespace proxima::physics {

/// Tangents and torsion of a contact as they must be for normal impulse l_n, the block stretched.
template <class Real>
Axes3 solve_extra_friction(const ExtraState& x, double mu, const Real3<Real>& l, const Real2<Real>& v, double l_n,
                           double stretch) {
    Symmetric3 w = x.friction_block;
    for (double* entry : {&w.xx, &w.yy, &w.zz, &w.xy, &w.xz, &w.yz}) *entry *= stretch;
    return solve_ellipsoid(w, {double(l.t1), double(l.t2), x.impulse.n}, {double(v.x), double(v.y), x.velocity.n},
                           {mu * l_n, x.across * l_n, x.torsion * l_n});
}

/// The same for the two rolling rows.
inline Real2<double> solve_extra_rolling(const ExtraState& x, double l_n, double stretch) {
    const TangentBlock<double>& w = x.rolling_block;
    return solve_disk(TangentBlock<double>{w.t11 * stretch, w.t12 * stretch, w.t22 * stretch},
                      Real2<double>{x.impulse.t1, x.impulse.t2}, Real2<double>{x.velocity.t1, x.velocity.t2}, l_n);
}

/// Whether the tangents of an extra contact have a plain disk: it only rolls.
inline bool has_disk(const ExtraState& x, double mu) { return x.across == mu && !(x.torsion > 0.0); }

/// One Gauss-Seidel update of a contact's extra friction; steps are `scale` times the exact ones. Tangents
/// that have a plain disk are left to the caller, which asks for `rolling` alone.
template <class S>
void relax_extra(S& system, uint32_t i, double scale, bool rolling_alone) {
    using Real = typename S::Real;
    const auto l = system.impulse(i);
    const double l_n = std::max(0.0, double(l.n)), stretch = 1.0 / scale;
    ExtraState x = system.extra_state(i);
    if (!rolling_alone) {
        const Axes3 next =
            solve_extra_friction(x, double(system.friction(i)), l, system.tangent_velocity(i), l_n, stretch);
        const Real2<Real> slide{Real(next[0] - double(l.t1)), Real(next[1] - double(l.t2))};
        const Real spin = Real(next[2] - x.impulse.n);
        if (slide.x != Real(0) || slide.y != Real(0)) system.add_tangent(i, slide);
        if (spin != Real(0)) system.add_spin(i, {spin, Real(0), Real(0)});
    }
    if (!x.rolls) return;
    x = system.extra_state(i);  // the tangents have turned the bodies
    const Real2<double> next = solve_extra_rolling(x, l_n, stretch);
    const Real2<Real> roll{Real(next.x - x.impulse.t1), Real(next.y - x.impulse.t2)};
    if (roll.x != Real(0) || roll.y != Real(0)) system.add_spin(i, {Real(0), roll.x, roll.y});
}

}  // namespace proxima::physics
