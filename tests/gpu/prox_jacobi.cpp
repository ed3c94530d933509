// SPDX-License-Identifier: MIT
// The GPU solver against its twin on the CPU, on problems of running scenes.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "compute/prox_jacobi_gpu.h"
#include "tests/gpu/problem_solvers.h"

using namespace proxima;
using namespace proxima::test;
using compute::ProxJacobiGpu;
using physics::FrictionSet;
using physics::JacobiBlocks;
using physics::RStrategy;
using physics::SolveReport;
using physics::SolveSettings;
using physics::StopReason;

namespace {

/// The velocities must be those that the impulses make.
double velocity_error(const physics::ContactDump& dump, const OwnProblem& solved) {
    OwnProblem again(dump);
    for (size_t i = 0; i < again.problem.contacts.size(); ++i)
        again.problem.contacts[i].lambda = solved.problem.contacts[i].lambda;
    again.apply_warm_start();
    double max_difference = 0.0;
    for (size_t b = 0; b < again.velocity.size(); ++b)
        max_difference =
            std::max({max_difference, double(glm::length(again.velocity[b].linear - solved.velocity[b].linear)),
                      double(glm::length(again.velocity[b].angular - solved.velocity[b].angular))});
    return max_difference;
}

}  // namespace

TEST_CASE("fifty sweeps on the GPU give the impulses of the CPU twin") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    for (const char* scene : {"pyramid10", "arch25", "tower10"}) {
        const physics::ContactDump dump = capture(scene, 20);
        struct Variant {
            RStrategy strategy;
            JacobiBlocks blocks;
            bool momentum;
        };
        for (const Variant variant : {Variant{RStrategy::local, JacobiBlocks::manifolds, true},
                                      Variant{RStrategy::local, JacobiBlocks::manifolds, false},
                                      Variant{RStrategy::local, JacobiBlocks::points, true},
                                      Variant{RStrategy::local, JacobiBlocks::points, false},
                                      Variant{RStrategy::global, JacobiBlocks::points, true},
                                      Variant{RStrategy::global, JacobiBlocks::points, false},
                                      Variant{RStrategy::blocked, JacobiBlocks::points, true}})
            for (const bool rollback : {false, true})
                for (const bool warm : {false, true}) {
                    CAPTURE(scene);
                    CAPTURE(int(variant.strategy));
                    CAPTURE(int(variant.blocks));
                    CAPTURE(variant.momentum);
                    CAPTURE(rollback);
                    CAPTURE(warm);
                    OwnProblem cpu(dump);
                    if (warm)
                        cpu.apply_warm_start();
                    else
                        for (physics::Contact& c : cpu.problem.contacts) c.lambda = Vec3(0.0f);
                    OwnProblem on_gpu(cpu);
                    SolveSettings settings = sweeps(50, variant.strategy, rollback);
                    settings.jacobi_blocks = variant.blocks;
                    settings.momentum = variant.momentum;
                    const SolveReport a = cpu.solve_on_cpu("prox_jacobi", settings);
                    const SolveReport b = solve_on_gpu(*solver, on_gpu, settings);
                    CHECK(difference(cpu, on_gpu) < 1e-4);
                    CHECK(velocity_error(dump, on_gpu) < 1e-4);
                    CHECK(b.iterations == a.iterations);
                    CHECK(b.stop == a.stop);
                    // Below a few micrometres a second a residual is rounding, and so is whether a sweep helps.
                    const bool is_measured = a.residual > 5e-6;
                    if (is_measured) CHECK(b.rejected == a.rejected);
                    if (rollback) CHECK(b.residual == doctest::Approx(a.residual).epsilon(1e-3));
                    CHECK(solver->cost().counts.submits == 1);
                    CHECK(solver->cost().dispatches_per_pass <= 3);
                }
    }
}

TEST_CASE("the GPU gives the same bits in every run, through staging copies as well") {
    GpuRig gpu;
    if (!gpu) return;
    const physics::ContactDump dump = capture("pyramid10", 20);
    const SolveSettings settings = sweeps(30, RStrategy::local, true);
    OwnProblem first(dump);
    first.apply_warm_start();
    const OwnProblem start(first);
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    solve_on_gpu(*solver, first, settings);
    for (int repeat = 0; repeat < 5; ++repeat) {
        OwnProblem again(start);
        solve_on_gpu(*solver, again, settings);
        CHECK(same_bits(first, again));
    }
    engine::GpuDeviceOptions options;
    options.force_staging = true;
    GpuRig staged(options);
    const auto other = make_solver<ProxJacobiGpu>(staged);
    OwnProblem again(start);
    solve_on_gpu(*other, again, settings);
    CHECK(same_bits(first, again));
    CHECK(other->cost().counts.copies > 0);
}

TEST_CASE("the residual of the device is that of the CPU") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    OwnProblem p(capture("pyramid10", 20));
    p.apply_warm_start();
    std::vector<double> history;
    SolveSettings settings = sweeps(40, RStrategy::local, false);
    settings.history = &history;
    OwnProblem one(p), cpu(p);
    const double before = physics::measure_residual(p.system()).max;
    const SolveReport report = solve_on_gpu(*solver, p, settings);
    REQUIRE(history.size() == 41);
    CHECK(history[0] == doctest::Approx(before).epsilon(1e-4));
    CHECK(report.residual == doctest::Approx(physics::measure_residual(p.system()).max).epsilon(1e-3));
    CHECK(history[40] == report.residual);
    std::vector<double> twin;
    settings.history = &twin;
    cpu.solve_on_cpu("prox_jacobi", settings);
    for (size_t i = 0; i < twin.size(); ++i) CHECK(history[i] == doctest::Approx(twin[i]).epsilon(1e-2));
    settings.history = &history;
    settings.iterations = 1;
    solve_on_gpu(*solver, one, settings);
    CHECK(history.size() == 2);
}

TEST_CASE("a solve on the GPU stops at its tolerance and not before") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    OwnProblem p(capture("tower4", 30));
    p.apply_warm_start();
    OwnProblem cpu(p);
    SolveSettings settings = sweeps(3000, RStrategy::local, true);
    settings.tolerance = 1e-4;
    const SolveReport report = solve_on_gpu(*solver, p, settings);
    CHECK(report.stop == StopReason::tolerance);
    CHECK(report.residual <= 1e-4);
    CHECK(report.iterations < 3000);
    CHECK(physics::measure_residual(p.system()).max <= 1.01e-4);
    const SolveReport twin = cpu.solve_on_cpu("prox_jacobi", settings);
    CHECK(twin.stop == StopReason::tolerance);
    CHECK(std::abs(int(twin.iterations) - int(report.iterations)) <= 2 + int(twin.iterations) / 20);
    // What is solved already takes no sweep.
    OwnProblem solved(p);
    settings.tolerance = 1e-3;
    const SolveReport again = solve_on_gpu(*solver, solved, settings);
    CHECK(again.iterations == 0);
    CHECK(again.stop == StopReason::tolerance);
    CHECK(same_bits(solved, p));
}

TEST_CASE("steps that do not help are shortened on the device as on the CPU") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    OwnProblem p(capture("tower10", 20));
    for (physics::Contact& c : p.problem.contacts) c.lambda = Vec3(0.0f);
    const OwnProblem start(p);
    const double before = physics::measure_residual(p.system()).max;
    struct Variant {
        RStrategy strategy;
        JacobiBlocks blocks;
        bool momentum;
        uint32_t least;  // returns to the best: momentum is given up with the first
    };
    for (const Variant variant : {Variant{RStrategy::local, JacobiBlocks::points, false, 6},
                                  Variant{RStrategy::blocked, JacobiBlocks::points, false, 6},
                                  Variant{RStrategy::local, JacobiBlocks::points, true, 1},
                                  Variant{RStrategy::local, JacobiBlocks::manifolds, true, 1}}) {
        CAPTURE(int(variant.blocks));
        CAPTURE(variant.momentum);
        OwnProblem cpu(start), on_gpu(start);
        SolveSettings settings = sweeps(60, variant.strategy, true);
        settings.jacobi_blocks = variant.blocks;
        settings.momentum = variant.momentum;
        settings.patience = 1;  // every sweep must improve
        const SolveReport a = cpu.solve_on_cpu("prox_jacobi", settings);
        const SolveReport b = solve_on_gpu(*solver, on_gpu, settings);
        CHECK(a.rejected >= variant.least);
        CHECK(b.rejected == a.rejected);
        CHECK(b.iterations == a.iterations);
        CHECK(b.stop == a.stop);
        CHECK(difference(cpu, on_gpu) < 1e-4);
        CHECK(b.residual < before);
        CHECK(b.residual == doctest::Approx(physics::measure_residual(on_gpu.system()).max).epsilon(1e-3));
    }
}

TEST_CASE("the box on the GPU obeys the law of the box") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    OwnProblem p(capture("pyramid10", 20));
    p.apply_warm_start();
    compute::GpuSolveOptions options;
    options.set = FrictionSet::box;
    const double before = physics::measure_residual(p.system(), FrictionSet::box).max;
    const SolveReport report = solve_on_gpu(*solver, p, sweeps(400, RStrategy::local, true), options);
    const double after = physics::measure_residual(p.system(), FrictionSet::box).max;
    CHECK(report.residual == doctest::Approx(after).epsilon(1e-2));
    CHECK(after < before);
    for (const physics::Contact& c : p.problem.contacts) {
        const float radius = c.friction * c.lambda.x * 1.00001f;
        REQUIRE(c.lambda.x >= 0.0f);
        REQUIRE(std::abs(c.lambda.y) <= radius);
        REQUIRE(std::abs(c.lambda.z) <= radius);
    }
}

TEST_CASE("ellipses, torsion and rolling on the GPU are those of the CPU twin") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    OwnProblem start(capture("pyramid10", 20));
    // Bodies that slide and turn, on contacts of every kind of friction.
    for (size_t b = 0; b < start.velocity.size(); ++b)
        if (start.mass[b].mass > 0.0f) {
            start.velocity[b].linear += Vec3(1.0f, -0.5f, 0.3f * float(b % 3));
            start.velocity[b].angular += Vec3(0.2f, 1.0f + float(b % 2), -0.3f);
        }
    for (uint32_t i = 0; i < start.problem.contacts.size(); ++i) {
        physics::Contact& c = start.problem.contacts[i];
        c.friction = 0.5f;
        physics::ExtraFriction x;
        x.across = i % 2 == 0 ? 0.5f : 0.2f;
        x.torsion_radius = i % 3 == 0 ? 0.05f : 0.0f;
        x.rolling_radius = i % 4 == 0 ? 0.02f : 0.0f;
        x.lambda = Vec3(0.0f);
        if (i % 5 == 0) continue;
        start.problem.compute_blocks(x, c);
        start.problem.add_extra(i, x);
    }
    for (const RStrategy strategy : {RStrategy::local, RStrategy::global, RStrategy::blocked})
        for (const bool rollback : {false, true}) {
            CAPTURE(int(strategy));
            CAPTURE(rollback);
            OwnProblem cpu(start), on_gpu(start);
            cpu.apply_warm_start();
            const SolveSettings settings = sweeps(50, strategy, rollback);
            const SolveReport a = cpu.solve_on_cpu("prox_jacobi", settings);
            compute::GpuSolveOptions options;
            options.apply_warm_start = true;
            const SolveReport b = solve_on_gpu(*solver, on_gpu, settings, options);
            CHECK(a.iterations == b.iterations);
            CHECK(difference(cpu, on_gpu) < 1e-4);
            double most = 0.0, max_difference = 0.0;
            for (size_t k = 0; k < cpu.problem.extras.size(); ++k) {
                most = std::max(most, double(glm::length(cpu.problem.extras[k].lambda)));
                max_difference =
                    std::max(max_difference,
                             double(glm::length(cpu.problem.extras[k].lambda - on_gpu.problem.extras[k].lambda)));
            }
            CHECK(most > 0.0);
            CHECK(max_difference < 1e-4 * most);
            if (!rollback) continue;
            CHECK(b.residual == doctest::Approx(a.residual).epsilon(1e-2));
            const physics::Law law(FrictionSet::disk, false, true);
            CHECK(b.residual == doctest::Approx(physics::measure_residual(on_gpu.system(), law).max).epsilon(1e-2));
        }
}

TEST_CASE("the device adds the effect of a warm start to velocities itself") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    const OwnProblem cold(capture("pyramid10", 20));
    for (const bool rollback : {false, true}) {
        OwnProblem host(cold), device(cold);
        host.apply_warm_start();
        compute::GpuSolveOptions options;
        const SolveSettings settings = sweeps(20, RStrategy::local, rollback);
        solve_on_gpu(*solver, host, settings, options);
        options.apply_warm_start = true;
        solve_on_gpu(*solver, device, settings, options);
        CHECK(difference(host, device) < 1e-5);
    }
}

TEST_CASE("broken numbers, no contacts and bodies that cannot move do not disturb the GPU") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    const physics::ContactDump dump = capture("tower4", 10);
    OwnProblem broken(dump);
    broken.velocity[broken.problem.contacts[0].b].linear.y = std::numeric_limits<float>::quiet_NaN();
    const SolveReport report = solve_on_gpu(*solver, broken, sweeps(20, RStrategy::local, true));
    CHECK(report.stop == StopReason::stalled);
    CHECK(report.iterations == 0);

    OwnProblem fixed(dump);
    std::fill(fixed.mass.begin(), fixed.mass.end(), physics::BodyInverseMass{});
    for (physics::Contact& c : fixed.problem.contacts) fixed.problem.compute_blocks(c);
    const OwnProblem before(fixed);
    for (const RStrategy strategy : {RStrategy::local, RStrategy::global, RStrategy::blocked}) {
        const SolveReport still = solve_on_gpu(*solver, fixed, sweeps(5, strategy, true));
        CHECK(still.residual == 0.0);
        CHECK(same_bits(fixed, before));
    }

    OwnProblem empty;
    empty.connect();
    CHECK(solve_on_gpu(*solver, empty, sweeps(5, RStrategy::local, true)).residual == 0.0);
}

TEST_CASE("a time limit ends a solve with the best answer so far") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    OwnProblem p(capture("pyramid10", 20));
    const double before = [&] {
        OwnProblem copy(p);
        return physics::measure_residual(copy.system()).max;
    }();
    SolveSettings settings = sweeps(100000, RStrategy::local, true);
    settings.time_limit = 1e-6;
    const SolveReport report = solve_on_gpu(*solver, p, settings);
    CHECK(report.stop == StopReason::time);
    CHECK(report.iterations > 0);
    CHECK(report.iterations <= 16);
    CHECK(report.residual <= before * 1.0001);
    CHECK(report.residual == doctest::Approx(physics::measure_residual(p.system()).max).epsilon(1e-2));
}

TEST_CASE("bodies that touch nothing stay on the host") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    OwnProblem p(capture("pyramid10", 20));
    p.apply_warm_start();
    // The same bodies, each followed by two that no contact names.
    OwnProblem wide(p);
    wide.velocity.assign(3 * p.velocity.size(), {Vec3(1.0f, 2.0f, 3.0f), 0.0f, Vec3(4.0f, 5.0f, 6.0f), 0.0f});
    wide.mass.assign(3 * p.mass.size(), {{}, 1.0f, 0.0f});
    for (size_t b = 0; b < p.velocity.size(); ++b) {
        wide.velocity[3 * b] = p.velocity[b];
        wide.mass[3 * b] = p.mass[b];
    }
    for (physics::Contact& c : wide.problem.contacts) {
        c.a *= 3;
        c.b *= 3;
    }
    wide.connect();
    const SolveSettings settings = sweeps(20, RStrategy::local, true);
    solve_on_gpu(*solver, p, settings);
    const uint64_t bytes = solver->cost().counts.bytes_up;
    solve_on_gpu(*solver, wide, settings);
    CHECK(solver->cost().counts.bytes_up == bytes);
    CHECK(difference(p, wide) == 0.0);
    for (size_t b = 0; b < wide.velocity.size(); ++b)
        CHECK(wide.velocity[b].linear == (b % 3 == 0 ? p.velocity[b / 3].linear : Vec3(1.0f, 2.0f, 3.0f)));
}

TEST_CASE("thousands of sweeps go out in several submits") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    OwnProblem p(capture("tower4", 10));
    p.apply_warm_start();
    OwnProblem cpu(p);
    const SolveSettings settings = sweeps(2500, RStrategy::local, false);
    CHECK(solve_on_gpu(*solver, p, settings).iterations == 2500);
    CHECK(solver->cost().counts.submits == 3);
    cpu.solve_on_cpu("prox_jacobi", settings);
    CHECK(difference(p, cpu) < 1e-4);
    // As many as there can be: the tolerance ends them.
    SolveSettings endless = sweeps(0xFFFFFFFFu, RStrategy::local, true);
    endless.tolerance = 1e-3;
    OwnProblem again(p);
    for (physics::Contact& c : again.problem.contacts) again.problem.velocity[c.b].linear.y -= 0.01f;
    CHECK(solve_on_gpu(*solver, again, endless).stop == StopReason::tolerance);
}

TEST_CASE("a device that is lost in a solve leaves the problem as it was") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solver = make_solver<ProxJacobiGpu>(gpu);
    OwnProblem p(capture("tower4", 10));
    p.apply_warm_start();
    const OwnProblem before(p);
    const auto submit = gpu.device->api().vkQueueSubmit2;
    gpu.device->api_for_tests().vkQueueSubmit2 = [](VkQueue, uint32_t, const VkSubmitInfo2*, VkFence) {
        return VK_ERROR_DEVICE_LOST;
    };
    const Result<SolveReport> report = solver->solve(p.problem, sweeps(5, RStrategy::local, true));
    gpu.device->api_for_tests().vkQueueSubmit2 = submit;
    REQUIRE(!report.ok());
    CHECK(report.error().find("lost") != std::string::npos);
    CHECK(same_bits(p, before));
    // The twin takes over.
    CHECK(p.solve_on_cpu("prox_jacobi", sweeps(5, RStrategy::local, true)).iterations == 5);
}
