// SPDX-License-Identifier: MIT
// Step lengths (r-factors) shared by the PROX solvers: how much they shrink, and the one number of the global
// strategy.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "physics/contact/system.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

/// What roll-back multiplies the steps with: careful where every contact has its own step, bold where one serves all.
inline double shrink_factor(RStrategy strategy) { return strategy == RStrategy::local ? 0.9 : 0.5; }

/// lambda_max(W + C) by the power method, asking nothing of the system but velocities that follow impulses.
/// Impulses and velocities are as before afterwards. Uses system.scratch().work.
template <class S>
requires ContactSystem<S>
typename S::Real estimate_largest_eigenvalue(S& system) {
    using Real = typename S::Real;
    const uint32_t n = system.size();
    const bool bilateral = system.has_bilateral();
    Real largest_block = 0, largest_velocity = 0;
    for (uint32_t i = 0; i < n; ++i)
        largest_block = std::max({largest_block, system.normal_block(i) + system.compliance(i),
                                  largest_eigenvalue(system.tangent_block(i))});
    if (!(largest_block > Real(0))) return Real(0);

    auto& work = system.scratch().work;
    if (work.size() < 6 * size_t(n)) work.resize(6 * size_t(n));
    Real* x = work.data();
    Real* before = work.data() + 3 * size_t(n);
    for (uint32_t i = 0; i < n; ++i) {
        const auto t = system.tangent_velocity(i);
        before[3 * i] = system.normal_velocity(i);
        before[3 * i + 1] = t.x;
        before[3 * i + 2] = t.y;
        for (int k = 0; k < 3; ++k) largest_velocity = std::max(largest_velocity, std::abs(before[3 * i + k]));
        // A start that no symmetry of the scene makes orthogonal to the wanted vector.
        x[3 * i] = Real(1) + Real(0.1) * Real(i % 7);
        x[3 * i + 1] = Real(0.5) - Real(0.1) * Real(i % 5);
        x[3 * i + 2] = Real(0.3) + Real(0.1) * Real(i % 3);
    }
    // Trial impulses change velocities by about as much as there is, so that the difference keeps its digits.
    const Real amplitude = (Real(1) + largest_velocity) / largest_block;
    Real eigenvalue = largest_block;
    system.save();
    for (int step = 0; step < 30; ++step) {
        Real squared = 0;
        for (uint32_t i = 0; i < 3 * n; ++i) squared += x[i] * x[i];
        const Real scale = amplitude / std::sqrt(squared);
        if (!std::isfinite(scale)) break;
        for (uint32_t i = 0; i < n; ++i) {
            system.add_normal(i, x[3 * i] * scale);
            system.add_tangent(i, {x[3 * i + 1] * scale, x[3 * i + 2] * scale});
        }
        Real grown = 0;
        for (uint32_t i = 0; i < n; ++i) {
            const auto t = system.tangent_velocity(i);
            Real y[3] = {system.normal_velocity(i) - before[3 * i] + system.compliance(i) * x[3 * i] * scale,
                         t.x - before[3 * i + 1], t.y - before[3 * i + 2]};
            if (bilateral && system.is_bilateral(i))
                for (int k = 1; k < 3; ++k) y[k] += system.compliance(i) * x[3 * i + k] * scale;
            for (int k = 0; k < 3; ++k) {
                x[3 * i + k] = y[k];
                grown += y[k] * y[k];
            }
        }
        system.restore();
        eigenvalue = std::max(eigenvalue, std::sqrt(grown) / amplitude);  // |W x| / |x| never passes lambda_max
    }
    return eigenvalue;
}

}  // namespace proxima::physics
