// SPDX-License-Identifier: MIT
// Symmetric 3x3 matrices in double precision: the largest eigenvalue as a safe upper bound, and a solve that
// bears matrices without an inverse.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace proxima::physics {

struct Symmetric3 {
    double xx, yy, zz, xy, xz, yz;
};

/// lambda_max of a positive semi-definite matrix, from above: Newton on the characteristic polynomial,
/// started right of all its roots, falls monotonically to the largest. Stopped anywhere it is still a bound,
/// and it needs no trigonometry whose last bit differs between C libraries.
inline double largest_eigenvalue(const Symmetric3& a) {
    const double trace = a.xx + a.yy + a.zz;
    // Gershgorin's circles end right of every eigenvalue; so does the trace when none is negative.
    const double rows = std::max({a.xx + std::abs(a.xy) + std::abs(a.xz), a.yy + std::abs(a.xy) + std::abs(a.yz),
                                  a.zz + std::abs(a.xz) + std::abs(a.yz)});
    double x = std::min(rows, trace);
    if (!(x > 0.0)) return 0.0;
    const double minors = a.xx * a.yy + a.xx * a.zz + a.yy * a.zz - a.xy * a.xy - a.xz * a.xz - a.yz * a.yz;
    const double determinant =
        a.xx * (a.yy * a.zz - a.yz * a.yz) - a.xy * (a.xy * a.zz - a.yz * a.xz) + a.xz * (a.xy * a.yz - a.yy * a.xz);
    for (int k = 0; k < 60; ++k) {
        const double value = ((x - trace) * x + minors) * x - determinant;
        const double slope = (3.0 * x - 2.0 * trace) * x + minors;
        if (!(value > 0.0) || !(slope > 0.0)) break;
        const double step = value / slope;
        if (step <= 1e-7 * x) break;
        x -= step;
    }
    return x;
}

/// x with A x = r for a positive semi-definite A: elimination along the largest diagonal entry that is left.
/// What is left below `least` of the largest entry of A is rounding; along such an axis x is zero, which
/// still solves every system that has a solution.
inline std::array<double, 3> solve_semidefinite(const Symmetric3& a, std::array<double, 3> r, double least) {
    double m[3][3] = {{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
    const double floor = least * std::max({a.xx, a.yy, a.zz});
    size_t order[3] = {0, 1, 2}, rank = 0;
    for (; rank < 3; ++rank) {
        const size_t k = rank;
        size_t pivot = k;
        for (size_t i = k + 1; i < 3; ++i)
            if (m[order[i]][order[i]] > m[order[pivot]][order[pivot]]) pivot = i;
        std::swap(order[k], order[pivot]);
        const size_t p = order[k];
        if (!(m[p][p] > floor)) break;
        for (size_t i = k + 1; i < 3; ++i) {
            const size_t row = order[i];
            const double factor = m[row][p] / m[p][p];
            for (size_t j = k + 1; j < 3; ++j) m[row][order[j]] -= factor * m[p][order[j]];
            r[row] -= factor * r[p];
        }
    }
    std::array<double, 3> x{};
    for (size_t k = rank; k-- > 0;) {
        const size_t p = order[k];
        double sum = r[p];
        for (size_t j = k + 1; j < rank; ++j) sum -= m[p][order[j]] * x[order[j]];
        x[p] = sum / m[p][p];
    }
    return x;
}

}  // namespace proxima::physics
