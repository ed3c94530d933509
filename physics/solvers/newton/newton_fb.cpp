// SPDX-License-Identifier: MIT
// Newton on the Fischer-Burmeister function: the same law, smooth everywhere but in the corners.
#include "physics/solvers/newton/newton.h"
#include "physics/solvers/newton/newton_loop.h"

namespace proxima::physics {

SolveReport newton_fb_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return newton::solve_newton(system, settings, [](const detail::ContactState& state) {
        return newton::contact_map(state, newton::fischer_burmeister);
    });
}

}  // namespace proxima::physics
