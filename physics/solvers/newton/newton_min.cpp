// SPDX-License-Identifier: MIT
// Newton on the minimum map: active sets for the normals, the natural map of the disk for friction.
#include "physics/solvers/newton/newton.h"
#include "physics/solvers/newton/newton_loop.h"

namespace proxima::physics {

SolveReport newton_min_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return newton::solve_newton(system, settings, [](const detail::ContactState& state) {
        return newton::contact_map(state, newton::minimum);
    });
}

}  // namespace proxima::physics
