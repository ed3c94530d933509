// SPDX-License-Identifier: MIT
#include "samples/bench/gpu/gpu_suite.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "engine/core/atomic_file.h"
#include "samples/bench/gpu/cpu_sweep.h"
#include "samples/bench/gpu/world_suite.h"
#include "tests/gpu/contact_problems.h"
#include "tests/gpu/gpu_test.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("the plain loop that kernels are compared with computes what the twin computes") {
    OwnProblem p(capture("pyramid10", 20));
    p.apply_warm_start();
    bench::CpuSweep loop(p.problem);
    for (int k = 0; k < 50; ++k) loop.sweep(*engine::make_serial_jobs());
    physics::SolveSettings settings;
    settings.iterations = 50;
    settings.rollback = false;
    settings.jacobi_blocks = physics::JacobiBlocks::points;
    settings.momentum = false;
    p.solve_on_cpu("prox_jacobi", settings);
    double most = 0.0, max_difference = 0.0;
    for (uint32_t i = 0; i < p.problem.contacts.size(); ++i) {
        most = std::max(most, double(glm::length(p.problem.contacts[i].lambda)));
        max_difference = std::max(max_difference, double(glm::length(p.problem.contacts[i].lambda - loop.lambda(i))));
    }
    CHECK(max_difference < 1e-4 * most);
}

TEST_CASE("the GPU is measured, and the tables can be read back") {
    if (GpuRig gpu; !gpu) return;
    bench::GpuSuite suite;
    suite.scenes = {"pyramid10"};
    suite.step = 20;
    suite.sweeps = 10;
    suite.repeats = 1;
    const Result<bench::GpuReport> report = bench::run_gpu(suite, "gpu", {});
    REQUIRE_MESSAGE(report.ok(), report.error());
    REQUIRE(report->rows.size() == 1);
    const bench::GpuMeasurement& m = report->rows[0];
    CHECK(m.contacts > 0);
    CHECK(m.groups > 0);
    CHECK(m.loop_1 > 0.0);
    CHECK(m.twin_2 < 1.0);
    CHECK(m.gs_history.size() == 11);
    CHECK(m.twin_history.size() == 11);
    REQUIRE(m.variants.size() == 4);
    for (const bench::GpuVariant& variant : m.variants) {
        CAPTURE(variant.name);
        CHECK(variant.difference < 1e-4);
        CHECK(variant.repeatable);
        CHECK(variant.sweep > 0.0);
        CHECK(variant.history.size() == 11);
        CHECK(variant.cost.counts.submits == 1);
        CHECK(variant.bytes_up > m.contacts * 80);
    }
    CHECK(m.variant("jacobi_points").cost.counts.dispatches == 21);  // the setup, then two a sweep
    CHECK(m.variant("jacobi_momentum").cost.counts.dispatches == 21);
    const compute::GpuSolveCost& gs = m.variant("gauss_seidel").cost;
    CHECK(gs.colours > 1);
    CHECK(gs.dispatches_per_pass == gs.colours);
    CHECK(gs.counts.dispatches == 2 + 10 * gs.colours);
    for (size_t k = 0; k < m.twin_history.size(); ++k)
        CHECK(m.variant("jacobi_momentum").history[k] == doctest::Approx(m.twin_history[k]).epsilon(1e-2));
    const TemporaryFolder folder;
    REQUIRE(bench::write_gpu(folder.path.string(), report.value(), {}).ok());
    const auto table = bench::parse_csv(read_file(folder.file("gpu.csv")).value());
    REQUIRE_MESSAGE(table.ok(), table.error());
    CHECK(table->rows.size() == 4);
    CHECK(std::stoul(table->rows[0][size_t(table->find("contacts"))]) == m.contacts);
    CHECK(std::stoull(table->rows[0][size_t(table->find("sweep_bytes"))]) == m.variants[0].cost.sweep_bytes);
    CHECK(table->rows[0].back() == "yes");
    CHECK(std::filesystem::exists(folder.path / "gpu_sweeps.svg"));
    CHECK(std::filesystem::exists(folder.path / "gpu_convergence_pyramid10.svg"));
    CHECK(!bench::to_text(report.value()).empty());
}

TEST_CASE("scenes and devices that are not there are refused by the measurement") {
    bench::GpuSuite suite;
    suite.scenes = {"pyramid10"};
    const auto no_device = bench::run_gpu(suite, "gpu:such a device does not exist", {});
    REQUIRE(!no_device.ok());
    CHECK(no_device.error().back() == '.');
    if (GpuRig gpu; !gpu) return;
    suite.scenes = {"pyramd10"};
    CHECK(!bench::run_gpu(suite, "gpu", {}).ok());
}

TEST_CASE("worlds on the device are measured stage by stage, and the table can be read back") {
    if (GpuRig gpu; !gpu) return;
    bench::GpuWorldSuite suite;
    suite.bodies = {40};
    suite.settle = 40;  // they have landed
    suite.steps = 2;
    const Result<bench::GpuWorldReport> report = bench::run_gpu_worlds(suite, "gpu", {});
    REQUIRE_MESSAGE(report.ok(), report.error());
    REQUIRE(report->rows.size() == 1);
    const bench::GpuWorldRow& r = report->rows[0];
    CHECK(r.pairs > 0);
    CHECK(r.device > 0.0);
    CHECK(r.pair_stage + r.contact_stage + r.solver_stage <= r.device);
    CHECK(r.jacobi_stage > 0.0);
    CHECK(r.cpu_1 > 0.0);
    CHECK(r.dispatches > 20);
    CHECK(r.bytes_up == 0);
    CHECK(r.bytes_down == sizeof(compute::world::WorldStatus));
    const TemporaryFolder folder;
    REQUIRE(bench::write_gpu_worlds(folder.path.string(), report.value(), {}).ok());
    const auto table = bench::parse_csv(read_file(folder.file("gpu_worlds.csv")).value());
    REQUIRE_MESSAGE(table.ok(), table.error());
    CHECK(table->rows.size() == 1);
    for (const char* name : {"gpu_worlds_growth.svg", "gpu_worlds_stages.svg"})
        CHECK(std::filesystem::file_size(folder.path / name) > 500);
}
