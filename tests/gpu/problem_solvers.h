// SPDX-License-Identifier: MIT
// Solvers of contact problems on a device, as their tests use them.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <memory>

#include "compute/prox_gpu.h"
#include "tests/gpu/contact_problems.h"
#include "tests/gpu/gpu_test.h"

namespace proxima::test {

template <class Solver>
std::unique_ptr<Solver> make_solver(const GpuRig& gpu) {
    Result<std::unique_ptr<Solver>> made = Solver::create(gpu.device);
    REQUIRE_MESSAGE(made.ok(), made.error());
    return std::move(made.value());
}

template <class Solver>
physics::SolveReport solve_on_gpu(Solver& solver, OwnProblem& p, const physics::SolveSettings& settings,
                                  const compute::GpuSolveOptions& options = {}) {
    const Result<physics::SolveReport> report = solver.solve(p.problem, settings, options);
    REQUIRE_MESSAGE(report.ok(), report.error());
    return report.value();
}

inline physics::SolveSettings sweeps(uint32_t n, physics::RStrategy strategy, bool rollback) {
    physics::SolveSettings s;
    s.iterations = n;
    s.r_strategy = strategy;
    s.rollback = rollback;
    return s;
}

inline bool same_bits(const OwnProblem& a, const OwnProblem& b) {
    for (size_t i = 0; i < a.problem.contacts.size(); ++i)
        if (std::memcmp(&a.problem.contacts[i].lambda, &b.problem.contacts[i].lambda, sizeof(Vec3)) != 0) return false;
    return std::memcmp(a.velocity.data(), b.velocity.data(), a.velocity.size() * sizeof(a.velocity[0])) == 0;
}

}  // namespace proxima::test
