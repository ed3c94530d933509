// SPDX-License-Identifier: MIT
// The law of one contact as an equation F(l, v) = 0 with its generalised Jacobian, for Newton: the minimum
// map and the Fischer-Burmeister map. All values are velocities (m/s), so that contacts may be compared.
#pragma once

#include <algorithm>
#include <cmath>

#include "physics/contact/residual.h"

namespace proxima::physics::newton {

/// A function psi(a, b) that is zero exactly for 0 <= a _|_ b >= 0, and an element of its derivative.
struct Complementarity {
    double value, by_a, by_b;
};

/// min(a, b): an active set.
inline Complementarity minimum(double a, double b) {
    return a <= b ? Complementarity{a, 1.0, 0.0} : Complementarity{b, 0.0, 1.0};
}

/// a + b - sqrt(a^2 + b^2). It has no derivative at (0, 0); there the one along the a axis is taken, which
/// reads the second argument as active.
inline Complementarity fischer_burmeister(double a, double b) {
    const double length = std::sqrt(a * a + b * b);
    if (!(length > 0.0)) return {0.0, 0.0, 1.0};
    // For a, b > 0 of very different size a + b - length cancels; 2ab/(a + b + length) is the same number.
    const double sum = a + b;
    const double value = a > 0.0 && b > 0.0 ? 2.0 * a * b / (sum + length) : sum - length;
    return {value, 1.0 - a / length, 1.0 - b / length};
}

/// F of one contact and dF = by_l dl + by_v dv.
struct ContactMap {
    double f[3];
    double by_l[3][3];
    double by_v[3][3];

    /// No velocity enters the derivative: an open contact, whose step is known without solving anything.
    bool is_local() const {
        for (const auto& row : by_v)
            for (const double x : row)
                if (x != 0.0) return false;
        return true;
    }
};

/// The law of one contact in the state s, with psi for both of its complementarities:
///
///     F_n = psi(v_n, W_nn l_n)
///     F_t = v_t + (g - psi(g, w s)) d      d = z/|z|, z = l_t - v_t/w      w = lambda_max(W_tt)
///                                          g = -d.v_t  sliding speed,  s = mu l_n - d.l_t  friction left
///
/// This is Coulomb's law with the sliding speed g eliminated: across d it says v_t = 0, along d it says
/// 0 <= g _|_ s >= 0. With psi = min it is the natural map w (l_t - P_disk(z)) of Alart and Curnier. The
/// direction is that of z, not of l_t, because z has one at zero impulse as well. W_nn and w multiply
/// impulses: both branches of psi then have the same slope for a contact alone, and a Newton step solves it.
template <class Psi>
ContactMap contact_map(const detail::ContactState& s, const Psi& psi) {
    ContactMap m{};
    if (s.w_nn > 0.0) {
        const Complementarity n = psi(s.v_n, s.w_nn * s.l_n);
        m.f[0] = n.value;
        m.by_v[0][0] = n.by_a;
        m.by_l[0][0] = n.by_b * s.w_nn;
    } else {
        m.by_l[0][0] = 1.0;  // nothing can move it: its unknown stays as it is
    }
    const double w = s.w_t;
    if (!(w > 0.0)) {
        m.by_l[1][1] = m.by_l[2][2] = 1.0;
        return m;
    }
    const double l[2] = {s.l_t.x, s.l_t.y}, v[2] = {s.v_t.x, s.v_t.y};
    const double z[2] = {l[0] - v[0] / w, l[1] - v[1] / w};
    const double length = std::sqrt(z[0] * z[0] + z[1] * z[1]);
    const double radius = s.mu * s.l_n;
    if (!(radius > 0.0) && !(s.mu > 0.0 && m.by_v[0][0] != 0.0 && length > 0.0)) {
        // No friction: l_t = 0.
        for (int k = 0; k < 2; ++k) {
            m.f[1 + k] = w * l[k];
            m.by_l[1 + k][1 + k] = w;
        }
        return m;
    }
    if (!(length > 0.0)) {  // deep inside the disk at rest
        for (int k = 0; k < 2; ++k) {
            m.f[1 + k] = v[k];
            m.by_v[1 + k][1 + k] = 1.0;
        }
        return m;
    }
    const double d[2] = {z[0] / length, z[1] / length}, p[2] = {-d[1], d[0]};
    const double g = -(d[0] * v[0] + d[1] * v[1]);
    const double along = d[0] * l[0] + d[1] * l[1], left = w * (radius - along);
    const Complementarity t = psi(g, left);
    const double brake = g - t.value;
    // dd = p (p.dz)/|z|, dg = -d.dv - v.dd, dleft = w (mu dl_n - d.dl_t - l.dd)
    const double turn_g = -(p[0] * v[0] + p[1] * v[1]) / length;
    const double turn_left = -w * (p[0] * l[0] + p[1] * l[1]) / length;
    const double turn = (1.0 - t.by_a) * turn_g - t.by_b * turn_left;  // of the brake by p.dz
    for (int r = 0; r < 2; ++r) {
        m.f[1 + r] = v[r] + brake * d[r];
        const double by_z = d[r] * turn + brake * p[r] / length;  // dF_r = ... + by_z (p.dz)
        m.by_l[1 + r][0] = -t.by_b * w * s.mu * d[r];
        for (int c = 0; c < 2; ++c) {
            m.by_l[1 + r][1 + c] = t.by_b * w * d[r] * d[c] + by_z * p[c];
            m.by_v[1 + r][1 + c] = (r == c ? 1.0 : 0.0) - (1.0 - t.by_a) * d[r] * d[c] - by_z * p[c] / w;
        }
    }
    return m;
}

/// A bilateral block: F = v + c l, linear in both. The compliance stands in the matrix, as that of contacts.
inline ContactMap bilateral_map(const detail::ContactState& s) {
    ContactMap m{{s.v_n, s.v_t.x, s.v_t.y}, {}, {}};
    for (int k = 0; k < 3; ++k) {
        const double w = k == 0 ? s.w_nn : s.w_t;
        (w > 0.0 ? m.by_v : m.by_l)[k][k] = 1.0;
        if (!(w > 0.0)) m.f[k] = 0.0;  // nothing can move it: its unknown stays as it is
    }
    return m;
}

}  // namespace proxima::physics::newton
