// SPDX-License-Identifier: MIT
// What must stand, and what must settle, on the device; with the settings that compute/README.md names.
#include <doctest/doctest.h>

#include "compute/world/gpu_world.h"
#include "tests/gpu/gpu_test.h"
#include "tests/gpu/world_scenes.h"

using namespace proxima;
using namespace proxima::test;
using compute::GpuWorld;

namespace {

struct Verdict {
    bool stands = false;
    double displacement = 0.0, drift = 0.0, penetration = 0.0;
};

/// `steps` on the device; drift is that of the second half.
Verdict run_on_device(const GpuRig& gpu, SceneWorld& s, uint32_t steps) {
    Verdict out;
    auto made = GpuWorld::create(gpu.device);
    REQUIRE(made.ok());
    REQUIRE(made.value()->upload(s.world).ok());
    REQUIRE(made.value()->step(s.dt(), steps / 2).ok());
    REQUIRE(made.value()->download(s.world).ok());
    const std::vector<physics::Pose> half = s.poses();
    REQUIRE(made.value()->step(s.dt(), steps - steps / 2).ok());
    REQUIRE(made.value()->download(s.world).ok());
    const std::vector<physics::Pose> end = s.poses();
    const samples::Evaluator evaluator(s.scene);
    out.stands = evaluator.stands(s.start, end).value_or(false);
    out.displacement = evaluator.motion(s.start, end).max;
    out.drift = evaluator.motion(half, end).max;
    out.penetration = evaluator.penetration(end).max;
    return out;
}

}  // namespace

TEST_CASE("pyramid20, tower10 and arch25 stand on the device, by Gauss-Seidel and by Jacobi") {
    GpuRig gpu;
    if (!gpu) return;
    for (const char* name : {"pyramid20", "tower10", "arch25"})
        for (const char* solver : {"prox_gs", "prox_jacobi"}) {
            CAPTURE(name);
            CAPTURE(solver);
            SceneWorld s(name, solver);
            const Verdict v = run_on_device(gpu, s, 240);
            CAPTURE(v.displacement);
            CAPTURE(v.drift);
            CHECK(v.stands);
            CHECK(v.displacement < 0.08);
            CHECK(v.drift < 0.01);
            CHECK(v.penetration < 0.01);
        }
}

TEST_CASE("high towers, large pyramids and heavy on light are held by the device as by the sweeps of the cpu") {
    GpuRig gpu;
    if (!gpu) return;
    const struct {
        const char* name;
        uint32_t steps;
    } cases[] = {{"tower30", 90}, {"mass100", 90}, {"pyramid60", 24}};
    for (const auto& [name, steps] : cases) {
        CAPTURE(name);
        SceneWorld s(name), cpu(name);
        const Verdict v = run_on_device(gpu, s, steps);
        physics::StepSettings settings = cpu.world.settings();
        settings.large_island_substeps = settings.substeps;  // as on the device
        REQUIRE(cpu.world.set_settings(settings).ok());
        for (uint32_t k = 0; k < steps; ++k) REQUIRE(cpu.world.step(cpu.dt()).ok());
        const double twin = samples::Evaluator(cpu.scene).motion(cpu.start, cpu.poses()).max;
        CAPTURE(v.displacement);
        CAPTURE(twin);
        CHECK(v.stands);
        // The order of the sweeps is that of other colours.
        CHECK(v.displacement < 1.1 * twin + 1e-3);
        CHECK(v.displacement > 0.9 * twin - 1e-3);
    }
}

TEST_CASE("a heap settles on the device and does not sink into itself afterwards") {
    GpuRig gpu;
    if (!gpu) return;
    SceneWorld s("heap600");
    auto made = GpuWorld::create(gpu.device);
    REQUIRE(made.ok());
    REQUIRE(made.value()->upload(s.world).ok());
    const samples::Evaluator evaluator(s.scene);
    double before = 0.0;
    for (const uint32_t steps : {240u, 60u, 60u}) {
        const Result<void> stepped = made.value()->step(s.dt(), steps);
        REQUIRE_MESSAGE(stepped.ok(), stepped.error());
        REQUIRE(made.value()->download(s.world).ok());
        const std::vector<physics::Pose> now = s.poses();
        const samples::PenetrationResult p = evaluator.penetration(now);
        CAPTURE(steps);
        CHECK(evaluator.lost(now) == 0);
        CHECK(p.max < 0.03);
        CHECK(p.mean < 0.003);
        if (before > 0.0) CHECK(p.mean < 1.1 * before + 1e-5);
        before = p.mean;
    }
}
