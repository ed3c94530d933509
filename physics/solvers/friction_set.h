// SPDX-License-Identifier: MIT
// Friction sets F(radius), radius = mu l_n: the nearest point of a set, and the exact answer of one contact's
// two tangents over the disk in the metric of its own block W_tt. Sets with several radii: ellipsoid.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "physics/contact/system.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

/// Nearest point of the disk; a radius that is not positive leaves the origin only.
template <class Real>
Real2<Real> project_disk(Real2<Real> z, Real radius) {
    if (!(radius > Real(0))) return {Real(0), Real(0)};
    const Real squared = z.x * z.x + z.y * z.y;
    if (squared <= radius * radius) return z;
    const Real scale = radius / std::sqrt(squared);
    return {z.x * scale, z.y * scale};
}

/// Nearest point of the square [-radius, radius]^2, whose sides follow the tangents of the contact.
template <class Real>
Real2<Real> project_box(Real2<Real> z, Real radius) {
    if (!(radius > Real(0))) return {Real(0), Real(0)};
    return {std::clamp(z.x, -radius, radius), std::clamp(z.y, -radius, radius)};
}

/// Nearest point of the regular polygon with 4 .. 16 sides whose corners lie on the circle, the first one on
/// tangent 1: the set of Model::lcp. The nearest side is the one that the direction of z crosses; the polygon
/// is its own mirror image in the rays through its corners, so no other side can be nearer.
template <class Real>
Real2<Real> project_polygon(Real2<Real> z, Real radius, uint32_t sides) {
    if (!(radius > Real(0))) return {Real(0), Real(0)};
    const double turn = 2.0 * 3.14159265358979323846 / double(sides);
    double best = -1.0, nx = 1.0, ny = 0.0;
    for (uint32_t k = 0; k < sides; ++k) {
        const double angle = (double(k) + 0.5) * turn, c = std::cos(angle), s = std::sin(angle);
        if (c * double(z.x) + s * double(z.y) <= best) continue;
        best = c * double(z.x) + s * double(z.y);
        nx = c;
        ny = s;
    }
    const double height = double(radius) * std::cos(0.5 * turn), half = double(radius) * std::sin(0.5 * turn);
    if (best <= height) return z;
    const double along = std::clamp(nx * double(z.y) - ny * double(z.x), -half, half);
    return {Real(nx * height - ny * along), Real(ny * height + nx * along)};
}

template <class Real>
Real2<Real> project(FrictionSet set, Real2<Real> z, Real radius) {
    return set == FrictionSet::disk ? project_disk(z, radius) : project_box(z, radius);
}

namespace detail {

/// |x(t)| = radius for x_i = h_i / (d_i + t), t > 0, d1 >= d2 >= 0.
template <class Real>
Real solve_secular(Real d1, Real d2, Real h1, Real h2, Real radius) {
    // |h|/(d1+t) <= |x(t)| <= |h|/(d2+t) brackets the root. Newton runs on 1/radius - 1/|x(t)|, which is
    // almost straight in t, so that three steps do; on |x|^2 - radius^2 it would crawl where that curve is flat.
    const Real reach = std::sqrt(h1 * h1 + h2 * h2) / radius;
    Real low = std::max(Real(0), reach - d1), high = std::max(low, reach - d2);
    Real t = low;
    for (int k = 0; k < 30; ++k) {
        if (!(d2 + t > Real(0))) t = Real(0.5) * (low + high);
        const Real x1 = h1 / (d1 + t), x2 = h2 / (d2 + t);
        const Real squared = x1 * x1 + x2 * x2, length = std::sqrt(squared);
        const Real error = length - radius;
        if (std::abs(error) <= Real(4) * std::numeric_limits<Real>::epsilon() * radius) break;
        (error > Real(0) ? low : high) = t;
        const Real slope = x1 * x1 / (d1 + t) + x2 * x2 / (d2 + t);  // -|x| d|x|/dt
        Real next = t + (squared / slope) * (error / radius);
        if (!(next > low && next < high)) next = Real(0.5) * (low + high);
        if (next == t) break;
        t = next;
    }
    return t;
}

}  // namespace detail

/// The tangent impulse of one contact that satisfies Coulomb's law exactly while everything else stands
/// still: min over |x| <= radius of 1/2 (x-l)^T W (x-l) + v^T (x-l), from the present impulse l and velocity
/// v. The optimum has new velocity v + W (x-l) = -t x with t >= 0: sliding straight against the force.
/// Projecting l - W^-1 v onto the disk in the plain metric would bias the direction of sliding wherever W is
/// not a multiple of I.
template <class Real>
Real2<Real> solve_disk(const TangentBlock<Real>& w, Real2<Real> l, Real2<Real> v, Real radius) {
    if (!(radius > Real(0))) return {Real(0), Real(0)};
    // W = Q diag(d1, d2) Q^T, d1 >= d2, first axis (c, s).
    const Real d1 = largest_eigenvalue(w);
    if (!(d1 > Real(0))) return project_disk(l, radius);
    const Real trace = w.t11 + w.t22;
    Real d2 = std::max(Real(0), trace - d1);
    if (d2 <= Real(8) * std::numeric_limits<Real>::epsilon() * d1) d2 = Real(0);
    Real c = w.t11 >= w.t22 ? d1 - w.t22 : w.t12;
    Real s = w.t11 >= w.t22 ? w.t12 : d1 - w.t11;
    // A block that is round but for rounding has an axis whose square is none: of floats 1e-23 is one, 1e-46 is not.
    if (const Real size = std::max(std::abs(c), std::abs(s)); size > Real(0)) {
        c /= size;
        s /= size;
        const Real axis = std::sqrt(c * c + s * s);
        c /= axis;
        s /= axis;
    } else {
        c = Real(1);
        s = Real(0);
    }
    const Real l1 = c * l.x + s * l.y, l2 = c * l.y - s * l.x;
    const Real v1 = c * v.x + s * v.y, v2 = c * v.y - s * v.x;
    // Stick: the velocity can be stopped inside the disk. Written as a change of l, so that v = 0 changes nothing.
    // Along an axis that cannot move (d2 = 0) no impulse helps, and none is added when there is no velocity either.
    const bool stuck_axis = d2 == Real(0);
    const bool movable = !stuck_axis || std::abs(v2) <= std::numeric_limits<Real>::epsilon() * std::abs(v1);
    if (movable) {
        const Real2<Real> stick{l1 - v1 / d1, stuck_axis ? l2 : l2 - v2 / d2};
        if (stick.x * stick.x + stick.y * stick.y <= radius * radius)
            return {c * stick.x - s * stick.y, s * stick.x + c * stick.y};
    }
    // Slip: (W + t I) x = W l - v with |x| = radius.
    const Real h1 = d1 * l1 - v1, h2 = d2 * l2 - v2;
    const Real t = detail::solve_secular(d1, d2, h1, h2, radius);
    const Real x1 = h1 / (d1 + t), x2 = d2 + t > Real(0) ? h2 / (d2 + t) : Real(0);
    const Real2<Real> x{c * x1 - s * x2, s * x1 + c * x2};
    const Real length = std::sqrt(x.x * x.x + x.y * x.y);
    if (!(length > Real(0))) return project_disk(l, radius);
    return {x.x * (radius / length), x.y * (radius / length)};
}

}  // namespace proxima::physics
