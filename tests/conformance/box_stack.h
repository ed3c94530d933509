// SPDX-License-Identifier: MIT
// A stack of boxes on the ground, four contacts a face, as a contact problem in full double precision.
#pragma once

#include <array>
#include <vector>

#include "tests/conformance/canonical.h"

namespace proxima::physics::test {

/// Unit cubes of the given masses, bottom first, after a step of gravity g h = 1 from rest. `push` is added
/// to the velocity of the top box along tangent 1.
inline DelassusProblem box_stack(const std::vector<double>& mass, double mu, double push = 0.0) {
    const size_t contacts = 4 * mass.size();
    Dense d(contacts);
    // Velocity of contact row r by body k: linear then angular part. The frame is normal y, tangents x and z.
    const auto row = [&](size_t r, size_t k) {
        std::array<double, 6> j{};
        const size_t contact = r / 3, layer = contact / 4;  // between box layer - 1 (or the ground) and layer
        if (k != layer && k + 1 != layer) return j;
        const double sign = k == layer ? 1.0 : -1.0;
        const double x = contact % 2 ? 0.5 : -0.5, z = contact % 4 / 2 ? 0.5 : -0.5, y = -0.5 * sign;
        const std::array<double, 3> f = r % 3 == 0   ? std::array{0.0, 1.0, 0.0}
                                        : r % 3 == 1 ? std::array{1.0, 0.0, 0.0}
                                                     : std::array{0.0, 0.0, 1.0};
        j = {sign * f[0],
             sign * f[1],
             sign * f[2],
             sign * (y * f[2] - z * f[1]),
             sign * (z * f[0] - x * f[2]),
             sign * (x * f[1] - y * f[0])};
        return j;
    };
    for (size_t r = 0; r < d.rows(); ++r) {
        for (size_t k = 0; k < mass.size(); ++k) {
            const auto j = row(r, k);
            d.q[r] += -j[1] + (k + 1 == mass.size() ? push * j[0] : 0.0);
            const double m = 1.0 / mass[k], i = 6.0 / mass[k];  // a cube: m / 6
            for (size_t c = 0; c < d.rows(); ++c) {
                const auto other = row(c, k);
                d.at(r, c) += m * (j[0] * other[0] + j[1] * other[1] + j[2] * other[2]) +
                              i * (j[3] * other[3] + j[4] * other[4] + j[5] * other[5]);
            }
        }
        d.mu[r / 3] = mu;
    }
    DelassusProblem problem = d.problem();
    for (uint32_t g = 0; g < mass.size(); ++g) problem.groups.push_back({4 * g, 4 * g + 4});
    return problem;
}

}  // namespace proxima::physics::test
