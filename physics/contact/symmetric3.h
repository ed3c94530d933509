// SPDX-License-Identifier: MIT
// The largest eigenvalue of a symmetric 3x3 matrix in double precision, as a safe upper bound.
#pragma once

#include <algorithm>
#include <cmath>

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

}  // namespace proxima::physics
