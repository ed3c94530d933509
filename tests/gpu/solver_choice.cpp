// SPDX-License-Identifier: MIT
#include "compute/solver_choice.h"

#include <doctest/doctest.h>

#include "compute/prox_gs_gpu.h"
#include "tests/gpu/contact_problems.h"
#include "tests/gpu/gpu_test.h"
#include "tests/gpu/problem_solvers.h"

using namespace proxima;
using namespace proxima::test;
using compute::JacobiSolver;
using physics::SolveSettings;

namespace {

SolveSettings thirty_sweeps() {
    SolveSettings settings;
    settings.iterations = 30;
    return settings;
}

}  // namespace

TEST_CASE("without a device the twin on the CPU solves, and says why") {
    OwnProblem p(capture("tower4", 10));
    p.apply_warm_start();
    OwnProblem twin(p);
    JacobiSolver solver("gpu", {"libvulkan_that_is_not_there.so", false});
    CHECK(!solver.on_gpu());
    CHECK(solver.device() == "cpu");
    CHECK(solver.why().find("There is no Vulkan loader") != std::string::npos);
    CHECK(solver.solve(p.problem, thirty_sweeps()).iterations == 30);
    twin.solve_on_cpu("prox_jacobi", thirty_sweeps());
    CHECK(difference(p, twin) < 1e-5);
    CHECK(JacobiSolver("cpu").why().empty());
}

TEST_CASE("a device that is lost in the middle of a game is replaced by the CPU, and nothing is lost") {
    if (GpuRig gpu; !gpu) return;
    OwnProblem p(capture("tower4", 10));
    p.apply_warm_start();
    OwnProblem twin(p), before(p);
    JacobiSolver solver("gpu", {{}, true});
    REQUIRE(solver.on_gpu());
    CHECK(solver.why().empty());
    solver.solve(before.problem, thirty_sweeps());
    CHECK(solver.on_gpu());
    solver.gpu()->device().api_for_tests().vkQueueSubmit2 = [](VkQueue, uint32_t, const VkSubmitInfo2*, VkFence) {
        return VK_ERROR_DEVICE_LOST;
    };
    CHECK(solver.solve(p.problem, thirty_sweeps()).iterations == 30);
    CHECK(!solver.on_gpu());
    CHECK(solver.why().find("the device was lost") != std::string::npos);
    twin.solve_on_cpu("prox_jacobi", thirty_sweeps());
    CHECK(difference(p, twin) < 1e-5);
    CHECK(difference(before, twin) < 1e-4);
}

TEST_CASE("a problem with joints is refused by a device with a sentence, and solved on the CPU") {
    GpuRig gpu;
    if (!gpu) return;
    OwnProblem p(capture("tower4", 10));
    p.apply_warm_start();
    p.problem.set_bilateral(3, 0.1f, 0.0f);
    OwnProblem twin(p), before(p);
    const auto refuse = [&](auto& solver) {
        const Result<physics::SolveReport> report = solver.solve(p.problem, thirty_sweeps());
        REQUIRE_FALSE(report.ok());
        CHECK(report.error() == "Bilateral blocks (joints) are not solved on a device; compute on the cpu.");
        CHECK(difference(p, before) == 0.0);
    };
    refuse(*make_solver<compute::ProxGsGpu>(gpu));
    refuse(*make_solver<compute::ProxJacobiGpu>(gpu));

    JacobiSolver solver("gpu", {{}, true});
    REQUIRE(solver.on_gpu());
    CHECK(solver.solve(p.problem, thirty_sweeps()).iterations == 30);
    CHECK(solver.on_gpu());  // for problems that it knows
    twin.solve_on_cpu("prox_jacobi", thirty_sweeps());
    CHECK(difference(p, twin) == 0.0);
    CHECK(difference(p, before) > 0.0);
}

TEST_CASE("without a device the threads that are handed in solve, and what they do not know one thread solves") {
    OwnProblem p(capture("pyramid10", 20));
    p.apply_warm_start();
    OwnProblem two(p), points(p), serial(p);
    JacobiSolver alone("cpu"), threaded("cpu");
    const auto jobs = engine::make_threaded_jobs(2);
    threaded.use_jobs(*jobs);
    alone.solve(p.problem, thirty_sweeps());
    threaded.solve(two.problem, thirty_sweeps());
    CHECK(difference(p, two) == 0.0);
    SolveSettings by_points = thirty_sweeps();
    by_points.jacobi_blocks = physics::JacobiBlocks::points;
    threaded.solve(points.problem, by_points);
    serial.solve_on_cpu("prox_jacobi", by_points);
    CHECK(difference(points, serial) == 0.0);
    CHECK(difference(points, two) > 0.0);
}
