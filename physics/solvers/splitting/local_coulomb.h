// SPDX-License-Identifier: MIT
// Coulomb's law for one contact alone, solved exactly: its full 3x3 block with the coupling of normal and
// tangents, open, sticking or sliding.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/contact/system.h"
#include "physics/solvers/friction_set.h"

namespace proxima::physics {

/// The symmetric block of one contact, [[normal, coupling^T], [coupling, tangent]]; normal includes the compliance.
template <class Real>
struct ContactBlock {
    Real normal;
    Real2<Real> coupling;
    TangentBlock<Real> tangent;
};

namespace detail {

/// The contact in the axes of its tangent block, W_tt = diag(d1, d2), with everybody else standing still:
/// v = A l + b. Sliding obeys v_n = 0 and v_t = -s l_t with s >= 0; for a given s both are linear, so that
///     l_t(s) = -(W_tt + s)^-1 (b_t + a l_n(s)),   l_n(s) = -(b_n - a.(W_tt + s)^-1 b_t) / (A_nn - a.(W_tt +
///     s)^-1 a)
/// and what is left is one equation in s: |l_t(s)| = mu l_n(s). s = 0 is sticking.
template <class Real>
struct SlidingCurve {
    Real normal, d1, d2, a1, a2, b0, b1, b2, mu;

    struct Point {
        Real n, t1, t2;
        Real excess;  // |l_t| - mu l_n: positive outside the cone
    };
    Point at(Real s) const {
        const Real k1 = Real(1) / (d1 + s), k2 = Real(1) / (d2 + s);
        // The Schur complement is positive for every s > 0; the floor is for blocks that are singular.
        const Real schur =
            std::max(normal - a1 * a1 * k1 - a2 * a2 * k2, Real(16) * std::numeric_limits<Real>::epsilon() * normal);
        Point p;
        p.n = -(b0 - a1 * k1 * b1 - a2 * k2 * b2) / schur;
        p.t1 = -k1 * (b1 + a1 * p.n);
        p.t2 = -k2 * (b2 + a2 * p.n);
        p.excess = std::sqrt(p.t1 * p.t1 + p.t2 * p.t2) - mu * p.n;
        return p;
    }
};

/// The root of curve.excess above `low`, where it is positive. For s without end friction vanishes and l_n -> -b_n /
/// A_nn > 0, so that the excess ends negative: there is a root, and at a root l_n = |l_t| / mu is not negative.
/// Bracketed by doubling, then false position of the Illinois kind with halving when it is slow.
template <class Real>
typename SlidingCurve<Real>::Point find_slip(const SlidingCurve<Real>& curve, Real low,
                                             typename SlidingCurve<Real>::Point at_low) {
    const Real epsilon = std::numeric_limits<Real>::epsilon();
    Real high = std::max(curve.d1, Real(2) * low);
    auto at_high = curve.at(high);
    for (int k = 0; k < 120 && at_high.excess > Real(0); ++k) {
        low = high;
        at_low = at_high;
        high *= Real(4);
        at_high = curve.at(high);
    }
    Real f_low = at_low.excess, f_high = at_high.excess;
    int side = 0;
    for (int k = 0; k < 100; ++k) {
        if (high - low <= Real(2) * epsilon * high) break;
        Real s = (low * f_high - high * f_low) / (f_high - f_low);
        if (k % 4 == 3 || !(s > low && s < high)) s = Real(0.5) * (low + high);
        if (!(s > low && s < high)) break;
        const auto p = curve.at(s);
        if (p.excess > Real(0)) {
            low = s;
            f_low = p.excess;
            if (side == 1) f_high *= Real(0.5);
            side = 1;
        } else {
            high = s;
            at_high = p;
            f_high = p.excess;
            if (side == -1) f_low *= Real(0.5);
            side = -1;
            if (p.excess >= -epsilon * (std::abs(p.t1) + std::abs(p.t2))) break;
        }
    }
    return at_high;  // the end inside the cone
}

}  // namespace detail

/// Impulses l of one contact such that l and v = A l + b obey Coulomb's law with the disk. For a block that
/// is positive definite there is an answer, and this finds one; where normal and tangents are so strongly
/// coupled that there are several, contacts that may open do, and sticking goes before sliding.
template <class Real>
Real3<Real> solve_contact(const ContactBlock<Real>& block, Real3<Real> b, Real mu) {
    if (!(b.n < Real(0))) return {Real(0), Real(0), Real(0)};  // nothing approaches
    const Real d1 = largest_eigenvalue(block.tangent);
    if (!(mu > Real(0)) || !(d1 > Real(0))) return {-b.n / block.normal, Real(0), Real(0)};
    // W_tt = Q diag(d1, d2) Q^T, first axis (c, s); in exact arithmetic d2 >= 0.
    const TangentBlock<Real>& w = block.tangent;
    const Real d2 = std::max(Real(0), w.t11 + w.t22 - d1);
    Real c = w.t11 >= w.t22 ? d1 - w.t22 : w.t12;
    Real s = w.t11 >= w.t22 ? w.t12 : d1 - w.t11;
    const Real axis = std::sqrt(c * c + s * s);
    c = axis > Real(0) ? c / axis : Real(1);
    s = axis > Real(0) ? s / axis : Real(0);
    const detail::SlidingCurve<Real> curve{block.normal,
                                           d1,
                                           d2,
                                           c * block.coupling.x + s * block.coupling.y,
                                           c * block.coupling.y - s * block.coupling.x,
                                           b.n,
                                           c * b.t1 + s * b.t2,
                                           c * b.t2 - s * b.t1,
                                           mu};
    // A tangent that cannot move has no sticking impulse: stay away from s = 0 by no more than rounding.
    const Real epsilon = std::numeric_limits<Real>::epsilon();
    const Real least = d2 > Real(8) * epsilon * d1 ? Real(0) : Real(8) * epsilon * d1;
    auto p = curve.at(least);
    if (!(p.excess <= Real(0))) p = detail::find_slip(curve, least, p);
    return {p.n, c * p.t1 - s * p.t2, s * p.t1 + c * p.t2};
}

}  // namespace proxima::physics
