// SPDX-License-Identifier: MIT
// Colours of manifolds in the solver stage of a world on the device: proper, few, and nobody is lost without one.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/gpu/solver_rig.h"

using namespace proxima;
using namespace proxima::test;
using compute::world::SolveMethod;
using compute::world::SolverSettings;

TEST_CASE("colours are proper for random manifolds, and stay so when half of them are replaced") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    HostStep step = random_contacts(700, 2000, 1);
    SolverSettings settings = settings_of(SolveMethod::gauss_seidel, 1, 1, 0);
    rig.run(step, settings);
    CHECK(check_colours(step) == step.status.uncoloured);
    CHECK(step.status.uncoloured == 0);
    uint32_t highest = 0;
    for (const HostManifold& m : step.manifolds) highest = std::max(highest, m.colour + 1);
    CHECK(step.status.colours == highest);
    CHECK(highest < 24);

    const HostStep other = random_contacts(700, 2000, 2);
    std::vector<uint32_t> kept(step.manifolds.size(), cw::kNone);
    for (size_t p = 0; p < step.manifolds.size(); p += 2) step.manifolds[p] = other.manifolds[p];
    for (size_t p = 1; p < step.manifolds.size(); p += 2) kept[p] = step.manifolds[p].colour;
    rig.run(step, settings);
    CHECK(check_colours(step) == step.status.uncoloured);
    for (size_t p = 1; p < step.manifolds.size(); p += 2) CHECK(step.manifolds[p].colour == kept[p]);
    // Rounds may leave some; they have their turn in the next step.
    for (uint32_t k = 0; k < 3; ++k) {
        rig.run(step, settings);
        CHECK(check_colours(step) == step.status.uncoloured);
    }
    CHECK(step.status.uncoloured == 0);
}

TEST_CASE("colours that are not needed are given up one after the other") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    HostStep step;
    for (uint32_t i = 0; i < 21; ++i)
        add_body(step, 1.0f, {0.2f, 0.2f, 0.2f, 0.0f, 0.0f, 0.0f}, {float(i), 0.0f, 0.0f});
    for (uint32_t i = 0; i < 20; ++i) {
        HostManifold m;
        m.a = i;
        m.b = i + 1;
        m.colour = i;  // of a chain, two would do
        m.normal = {1.0f, 0.0f, 0.0f};
        m.points.push_back({{0.5f, 0.0f, 0.0f}, 0.0f, {}});
        m.shift = {-1.0f, 0.0f, 0.0f};
        step.manifolds.push_back(m);
    }
    step.status.colours = 20;
    SolverSettings settings = settings_of(SolveMethod::gauss_seidel, 1, 1, 0);
    for (uint32_t k = 0; k < 8; ++k) {
        rig.run(step, settings);
        CHECK(check_colours(step) == 0);
        CHECK(step.status.uncoloured == 0);
    }
    CHECK(step.status.colours == 18);
}

TEST_CASE("manifolds without a colour are solved as well") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    // Forty boxes on one body that moves: more than there are colours.
    HostStep step;
    add_body(step, 50.0f, {40.0f, 80.0f, 40.0f, 0.0f, 0.0f, 0.0f}, Vec3(0.0f));
    for (uint32_t i = 0; i < 40; ++i) {
        add_body(step, 1.0f, {0.2f, 0.2f, 0.2f, 0.0f, 0.0f, 0.0f}, {float(i % 8) - 3.5f, 1.0f, float(i / 8) - 3.5f});
        HostManifold m;
        m.a = 0;
        m.b = i + 1;
        m.points.push_back({{float(i % 8) - 3.5f, 0.5f, float(i / 8) - 3.5f}, 0.0f, {}});
        m.shift = to_vec3(step.poses[0]) - to_vec3(step.poses[2 * m.b]);
        step.manifolds.push_back(m);
        step.velocities[2 * m.b] = {0.0f, -1.0f, 0.0f, 0.0f};
    }
    const HostStep start = step;
    SolverSettings settings = settings_of(SolveMethod::gauss_seidel, 1, 200, 0);
    settings.colours = cw::kMaxColours;
    settings.gravity = Vec3(0.0f);
    settings.softness.soft = false;
    rig.run(step, settings);
    CHECK(step.status.colours == cw::kMaxColours);
    CHECK(check_colours(step) == 40 - cw::kMaxColours);
    CHECK(step.status.uncoloured == 40 - cw::kMaxColours);
    CHECK(bits(step.status.residual_max) < 1e-3f);

    // So are manifolds of colours that no dispatch was recorded for.
    step = start;
    settings.colours = 8;
    rig.run(step, settings);
    CHECK(cw::SolverStage::recorded_colours(settings) < step.status.colours);
    CHECK(check_colours(step) == step.status.uncoloured);
    CHECK(bits(step.status.residual_max) < 1e-3f);
}
