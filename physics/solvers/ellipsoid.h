// SPDX-License-Identifier: MIT
// Friction sets with different radii along different axes: the nearest point of an ellipse or ellipsoid, and
// the exact answer of one contact's friction over an ellipsoid in the metric of its own block. Always in
// double: few contacts have such sets, and squares of radii would leave the range of float.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "physics/contact/symmetric3.h"
#include "physics/contact/system.h"
#include "physics/solvers/friction_set.h"

namespace proxima::physics {

using Axes3 = std::array<double, 3>;

namespace detail {

/// |x(t)| = radius for x_i = h_i / (d_i + t), t > 0, d_i >= 0; |x(0)| > radius. As solve_secular: Newton on
/// 1/radius - 1/|x(t)| from the left end of the bracket, where it is monotone, bisection where rounding
/// throws it out.
template <size_t N>
double solve_secular_axes(const std::array<double, N>& d, const std::array<double, N>& h, double radius) {
    double squared_h = 0.0, least = d[0], most = d[0];
    for (size_t i = 0; i < N; ++i) {
        squared_h += h[i] * h[i];
        least = std::min(least, d[i]);
        most = std::max(most, d[i]);
    }
    const double reach = std::sqrt(squared_h) / radius;
    double low = std::max(0.0, reach - most), high = std::max(low, reach - least);
    double t = low;
    for (int k = 0; k < 100; ++k) {
        double squared = 0.0, slope = 0.0;
        for (size_t i = 0; i < N; ++i) {
            if (h[i] == 0.0) continue;  // an axis without extent: 0 / 0 at t = 0
            const double x = h[i] / (d[i] + t);
            squared += x * x;
            slope += x * x / (d[i] + t);
        }
        const double error = std::sqrt(squared) - radius;
        if (std::abs(error) <= 2.0 * std::numeric_limits<double>::epsilon() * radius) break;
        (error > 0.0 ? low : high) = t;
        double next = t + (squared / slope) * (error / radius);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next == t || !(high > low)) break;
        t = next;
    }
    return t;
}

}  // namespace detail

/// Nearest point of the ellipsoid sum (x_i / radii_i)^2 <= 1; along axes whose radius is not positive only
/// zero is allowed. Points inside come back as they are. Outside, x_i = a_i^2 z_i / (a_i^2 + t) with the one
/// t > 0 that puts x on the boundary.
template <size_t N>
std::array<double, N> project_ellipsoid(std::array<double, N> z, std::array<double, N> radii) {
    double largest = 0.0, inside = 0.0;
    for (size_t i = 0; i < N; ++i) {
        if (!(radii[i] > 0.0)) radii[i] = z[i] = 0.0;
        largest = std::max(largest, radii[i]);
    }
    if (!(largest > 0.0)) return z;
    for (size_t i = 0; i < N; ++i)
        if (radii[i] > 0.0) inside += (z[i] / radii[i]) * (z[i] / radii[i]);
    if (inside <= 1.0) return z;
    std::array<double, N> d{}, h{};
    for (size_t i = 0; i < N; ++i) {
        const double a = radii[i] / largest;
        d[i] = a * a;
        h[i] = a * (z[i] / largest);
    }
    const double t = detail::solve_secular_axes(d, h, 1.0);
    for (size_t i = 0; i < N; ++i) z[i] = radii[i] > 0.0 ? z[i] * (d[i] / (d[i] + t)) : 0.0;
    return z;
}

/// The ellipse whose axes are the two tangents; with equal radii the disk, to the last bit.
template <class Real>
Real2<Real> project_ellipse(Real2<Real> z, Real radius1, Real radius2) {
    if (radius1 == radius2) return project_disk(z, radius1);
    const auto x = project_ellipsoid<2>({double(z.x), double(z.y)}, {double(radius1), double(radius2)});
    return {Real(x[0]), Real(x[1])};
}

namespace detail {

/// W = Q diag(d) Q^T by Jacobi rotations; columns of q are the axes.
struct Eigen3 {
    Axes3 d;
    double q[3][3];
};
inline Eigen3 eigen_of(const Symmetric3& w) {
    double a[3][3] = {{w.xx, w.xy, w.xz}, {w.xy, w.yy, w.yz}, {w.xz, w.yz, w.zz}};
    Eigen3 e{{0.0, 0.0, 0.0}, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    constexpr int kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int sweep = 0; sweep < 20; ++sweep) {
        bool done = true;
        for (const auto& pair : kPairs) {
            const int i = pair[0], j = pair[1];
            // Small beside both of its diagonals: a plain bound by the largest one would lose small axes.
            if (a[i][j] * a[i][j] <= 1e-34 * std::abs(a[i][i] * a[j][j])) continue;
            done = false;
            const double half = 0.5 * (a[j][j] - a[i][i]) / a[i][j];
            const double tangent = (half >= 0.0 ? 1.0 : -1.0) / (std::abs(half) + std::sqrt(half * half + 1.0));
            const double c = 1.0 / std::sqrt(tangent * tangent + 1.0), s = tangent * c;
            const double moved = tangent * a[i][j];
            a[i][i] -= moved;
            a[j][j] += moved;
            a[i][j] = a[j][i] = 0.0;
            const int k = 3 - i - j;
            const double ki = a[k][i], kj = a[k][j];
            a[k][i] = a[i][k] = c * ki - s * kj;
            a[k][j] = a[j][k] = s * ki + c * kj;
            for (auto& row : e.q) {
                const double qi = row[i], qj = row[j];
                row[i] = c * qi - s * qj;
                row[j] = s * qi + c * qj;
            }
        }
        if (done) break;
    }
    for (size_t i = 0; i < 3; ++i) e.d[i] = a[i][i];
    return e;
}
inline Axes3 into_axes(const Eigen3& e, const Axes3& x) {
    Axes3 y;
    for (size_t i = 0; i < 3; ++i) y[i] = e.q[0][i] * x[0] + e.q[1][i] * x[1] + e.q[2][i] * x[2];
    return y;
}
inline Axes3 out_of_axes(const Eigen3& e, const Axes3& y) {
    Axes3 x;
    for (size_t i = 0; i < 3; ++i) x[i] = e.q[i][0] * y[0] + e.q[i][1] * y[1] + e.q[i][2] * y[2];
    return x;
}

}  // namespace detail

/// The friction of one contact that satisfies its law exactly while everything else stands still: min over the
/// ellipsoid of 1/2 (x-l)^T W (x-l) + v^T (x-l), from the present impulse l and velocity v. With x_i = radii_i y_i
/// the set is the unit ball and the block radii_i W_ij radii_j: what solve_disk does, in three dimensions. Stopping
/// where the velocity can be stopped, otherwise (W' + t) y = W' l' - v' with |y| = 1.
inline Axes3 solve_ellipsoid(const Symmetric3& w, const Axes3& l, Axes3 v, Axes3 radii) {
    const double full[3][3] = {{w.xx, w.xy, w.xz}, {w.xy, w.yy, w.yz}, {w.xz, w.yz, w.zz}};
    double largest = 0.0;
    for (size_t i = 0; i < 3; ++i) {
        if (radii[i] > 0.0) {
            largest = std::max(largest, radii[i]);
            continue;
        }
        // An axis without extent: its impulse goes, and the velocities follow before the others are solved.
        radii[i] = 0.0;
        for (size_t j = 0; j < 3; ++j) v[j] -= full[j][i] * l[i];
    }
    if (!(largest > 0.0)) return {0.0, 0.0, 0.0};
    Axes3 from{}, speed{};
    for (size_t i = 0; i < 3; ++i) {
        from[i] = radii[i] > 0.0 ? l[i] / radii[i] : 0.0;
        speed[i] = v[i] * radii[i];
    }
    const detail::Eigen3 e =
        detail::eigen_of({w.xx * radii[0] * radii[0], w.yy * radii[1] * radii[1], w.zz * radii[2] * radii[2],
                          w.xy * radii[0] * radii[1], w.xz * radii[0] * radii[2], w.yz * radii[1] * radii[2]});
    const double most = std::max({e.d[0], e.d[1], e.d[2]});
    if (!(most > 0.0)) return project_ellipsoid(l, radii);
    const Axes3 l1 = detail::into_axes(e, from), v1 = detail::into_axes(e, speed);
    const double fastest = std::max({std::abs(v1[0]), std::abs(v1[1]), std::abs(v1[2])});
    Axes3 d = e.d, change{}, h{};
    double stick = 0.0;
    bool can_stick = true;
    for (size_t i = 0; i < 3; ++i) {
        if (d[i] <= 1e-15 * most) {  // nothing moves along this axis
            d[i] = 0.0;
            can_stick = can_stick && std::abs(v1[i]) <= 1e-15 * fastest;
        } else {
            change[i] = -v1[i] / d[i];
        }
        h[i] = d[i] * l1[i] - v1[i];
        stick += (l1[i] + change[i]) * (l1[i] + change[i]);
    }
    if (can_stick && stick <= 1.0) {  // as a change of l, so that no velocity means no change
        const Axes3 step = detail::out_of_axes(e, change);
        Axes3 x;
        for (size_t i = 0; i < 3; ++i) x[i] = radii[i] > 0.0 ? l[i] + radii[i] * step[i] : 0.0;
        return x;
    }
    const double t = detail::solve_secular_axes(d, h, 1.0);
    Axes3 y{};
    double squared = 0.0;
    for (size_t i = 0; i < 3; ++i) {
        y[i] = h[i] != 0.0 ? h[i] / (d[i] + t) : 0.0;
        squared += y[i] * y[i];
    }
    if (!(squared > 0.0)) return project_ellipsoid(l, radii);
    const double scale = 1.0 / std::sqrt(squared);
    Axes3 x = detail::out_of_axes(e, y);
    for (size_t i = 0; i < 3; ++i) x[i] *= scale * radii[i];
    return x;
}

}  // namespace proxima::physics
