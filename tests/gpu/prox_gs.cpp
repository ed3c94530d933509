// SPDX-License-Identifier: MIT
// Coloured Gauss-Seidel on the GPU against prox_gs on the CPU over the groups in the order of their colours.
#include "compute/prox_gs_gpu.h"

#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tests/gpu/problem_solvers.h"

using namespace proxima;
using namespace proxima::test;
using compute::ProxGsGpu;
using physics::RStrategy;
using physics::SolveReport;
using physics::SolveSettings;
using physics::StopReason;

namespace {

/// The groups in the order of `visited`, contacts with them; after it contact i was contact indices[i].
std::vector<uint32_t> reorder(OwnProblem& p, std::span<const uint32_t> visited) {
    std::vector<uint32_t> indices;
    std::vector<physics::Contact> contacts;
    std::vector<physics::ContactGroup> groups;
    for (const uint32_t g : visited) {
        const physics::ContactGroup old = p.problem.groups[g];
        groups.push_back({uint32_t(contacts.size()), uint32_t(contacts.size()) + old.end - old.begin});
        for (uint32_t i = old.begin; i < old.end; ++i) {
            contacts.push_back(p.problem.contacts[i]);
            indices.push_back(i);
        }
    }
    p.problem.contacts = contacts;
    p.problem.groups = groups;
    return indices;
}

/// The twin: on the CPU in the order of the device, impulses put back where they were.
SolveReport solve_twin(const ProxGsGpu& solver, OwnProblem& p, const SolveSettings& settings) {
    OwnProblem ordered(p);
    const std::vector<uint32_t> indices = reorder(ordered, solver.visited());
    const SolveReport report = ordered.solve_on_cpu("prox_gs", settings);
    for (size_t i = 0; i < indices.size(); ++i)
        p.problem.contacts[indices[i]].lambda = ordered.problem.contacts[i].lambda;
    std::copy(ordered.velocity.begin(), ordered.velocity.end(), p.velocity.begin());
    return report;
}

}  // namespace

TEST_CASE("fifty coloured sweeps on the GPU give the impulses of Gauss-Seidel in the same order") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxGsGpu>(gpu);
    for (const char* scene : {"pyramid10", "arch25", "tower10"}) {
        const physics::ContactDump dump = capture(scene, 20);
        for (const RStrategy strategy : {RStrategy::local, RStrategy::blocked})
            for (const bool rollback : {false, true})
                for (const bool warm : {false, true}) {
                    CAPTURE(scene);
                    CAPTURE(int(strategy));
                    CAPTURE(rollback);
                    CAPTURE(warm);
                    OwnProblem on_gpu(dump);
                    if (warm)
                        on_gpu.apply_warm_start();
                    else
                        for (physics::Contact& c : on_gpu.problem.contacts) c.lambda = Vec3(0.0f);
                    OwnProblem cpu(on_gpu);
                    const SolveSettings settings = sweeps(50, strategy, rollback);
                    const SolveReport b = solve_on_gpu(*solver, on_gpu, settings);
                    const SolveReport a = solve_twin(*solver, cpu, settings);
                    CHECK(difference(cpu, on_gpu) < 1e-4);
                    CHECK(b.iterations == a.iterations);
                    CHECK(b.stop == a.stop);
                    // At rest, where only rounding is left, that of the device is its own.
                    if (rollback && a.residual > 1e-4) {
                        CHECK(b.rejected == a.rejected);
                        CHECK(b.residual == doctest::Approx(a.residual).epsilon(1e-2));
                    }
                    CHECK(solver->cost().counts.submits == 1);
                }
    }
}

TEST_CASE("groups of one colour share no body that moves, and every group has one colour") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxGsGpu>(gpu);
    OwnProblem p(capture("pyramid10", 20));
    p.apply_warm_start();
    solve_on_gpu(*solver, p, sweeps(1, RStrategy::local, false));
    CHECK(!solver->kept_colours());
    CHECK(std::set<uint32_t>(solver->visited().begin(), solver->visited().end()).size() == p.problem.groups.size());
    REQUIRE(solver->colours().back() == p.problem.groups.size());
    REQUIRE(solver->colours().size() == solver->cost().colours + 1);
    for (size_t k = 0; k + 1 < solver->colours().size(); ++k) {
        std::set<uint32_t> seen;
        for (uint32_t v = solver->colours()[k]; v < solver->colours()[k + 1]; ++v) {
            const physics::Contact& c = p.problem.contacts[p.problem.groups[solver->visited()[v]].begin];
            for (const uint32_t body : {c.a, c.b})
                if (p.mass[body].mass > 0.0f) CHECK(seen.insert(body).second);
        }
    }
    // The same groups keep their colours, others do not.
    solve_on_gpu(*solver, p, sweeps(1, RStrategy::local, false));
    CHECK(solver->kept_colours());
    p.problem.groups.pop_back();
    p.problem.contacts.resize(p.problem.groups.back().end);
    solve_on_gpu(*solver, p, sweeps(1, RStrategy::local, false));
    CHECK(!solver->kept_colours());
}

TEST_CASE("a body with a hundred contacts gets a hundred colours, and the twin still agrees") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxGsGpu>(gpu);
    // A plate that moves, with a hundred small bodies on it.
    constexpr uint32_t kSmall = 100;
    OwnProblem p;
    p.velocity.assign(kSmall + 1, {});
    physics::BodyInverseMass light, plate;
    light.mass = 1.0f;
    light.inertia = {6.0f, 6.0f, 6.0f, 0.0f, 0.0f, 0.0f};
    plate.mass = 0.01f;
    plate.inertia = {0.01f, 0.01f, 0.01f, 0.0f, 0.0f, 0.0f};
    p.mass.assign(kSmall + 1, light);
    p.mass[0] = plate;
    for (uint32_t k = 0; k < kSmall; ++k) {
        p.velocity[k + 1].linear = Vec3(0.3f, -1.0f - 0.01f * float(k), 0.1f);
        physics::Contact c;
        c.a = 0;
        c.b = k + 1;
        c.normal = Vec3(0.0f, 1.0f, 0.0f);
        c.tangent1 = Vec3(1.0f, 0.0f, 0.0f);
        c.tangent2 = Vec3(0.0f, 0.0f, 1.0f);
        c.arm_a = Vec3(0.1f * float(k % 10), 0.1f, 0.1f * float(k / 10));
        c.arm_b = Vec3(0.0f, -0.1f, 0.0f);
        c.friction = 0.4f;
        p.problem.contacts.push_back(c);
        p.problem.groups.push_back({k, k + 1});
    }
    p.connect();
    for (physics::Contact& c : p.problem.contacts) p.problem.compute_blocks(c);
    OwnProblem cpu(p);
    const SolveSettings settings = sweeps(50, RStrategy::local, false);
    solve_on_gpu(*solver, p, settings);
    CHECK(solver->cost().colours == kSmall);
    solve_twin(*solver, cpu, settings);
    CHECK(difference(cpu, p) < 1e-4);
}

TEST_CASE("coloured sweeps measure the exact residual, stop at their tolerance and repeat their bits") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxGsGpu>(gpu);
    OwnProblem p(capture("tower4", 30));
    p.apply_warm_start();
    for (physics::Contact& c : p.problem.contacts) p.problem.velocity[c.b].linear.y -= 0.01f;
    OwnProblem again(p), history(p);
    SolveSettings settings = sweeps(2000, RStrategy::local, true);
    settings.tolerance = 1e-4;
    const SolveReport report = solve_on_gpu(*solver, p, settings);
    CHECK(report.stop == StopReason::tolerance);
    CHECK(report.iterations > 0);
    CHECK(physics::measure_residual(p.system()).max <= 1.01e-4);
    solve_on_gpu(*solver, again, settings);
    CHECK(same_bits(p, again));
    std::vector<double> residuals;
    SolveSettings watched = sweeps(10, RStrategy::local, false);
    watched.history = &residuals;
    const double before = physics::measure_residual(history.system()).max;
    solve_on_gpu(*solver, history, watched);
    REQUIRE(residuals.size() == 11);
    CHECK(residuals[0] == doctest::Approx(before).epsilon(1e-3));
    CHECK(residuals[10] == doctest::Approx(physics::measure_residual(history.system()).max).epsilon(1e-2));
}

TEST_CASE("coloured sweeps add a warm start themselves") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxGsGpu>(gpu);
    const OwnProblem cold(capture("pyramid10", 20));
    for (const bool rollback : {false, true}) {
        OwnProblem host(cold), device(cold);
        host.apply_warm_start();
        const SolveSettings settings = sweeps(20, RStrategy::local, rollback);
        solve_on_gpu(*solver, host, settings);
        compute::GpuSolveOptions options;
        options.apply_warm_start = true;
        solve_on_gpu(*solver, device, settings, options);
        CHECK(difference(host, device) < 1e-5);
    }
}

TEST_CASE("what coloured sweeps do not know is refused with a sentence, and the problem stays as it was") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxGsGpu>(gpu);
    OwnProblem p(capture("tower4", 10));
    p.apply_warm_start();
    const OwnProblem before(p);
    const auto global = solver->solve(p.problem, sweeps(5, RStrategy::global, true));
    REQUIRE(!global.ok());
    CHECK(global.error().back() == '.');
    physics::ExtraFriction x;
    x.across = 0.2f;
    p.problem.add_extra(0, x);
    CHECK(!solver->solve(p.problem, sweeps(5, RStrategy::local, true)).ok());
    CHECK(same_bits(p, before));
}
