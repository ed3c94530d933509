// SPDX-License-Identifier: MIT
// The implicit spring of a soft joint: what it loses in a sub-step is what docs/joints.md says.
#include <cmath>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

struct Spring {
    float hertz = 0.0f, damping_ratio = 0.0f, mass = 0.0f, dt = 0.0f;
    uint32_t substeps = 1;
    bool direct = true;
};

/// Where a mass on a spring is, and how fast, after some steps without gravity.
glm::dvec2 state_after(const Spring& spring, float x, float v, int steps) {
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    s.sleeping = false;
    s.substeps = spring.substeps;
    s.direct_islands = spring.direct;
    s.relax_iterations = 0;  // a sweep more would see the position after the last sub-step
    t.set(s);
    const Entity wall = t.world.create_body({.type = BodyType::fixed}).value();
    const Entity body = t.body(TestWorld::sphere(0.1f),
                               {.position = {x, 0.0f, 0.0f}, .velocity = {{v, 0.0f, 0.0f}, {}}, .mass = spring.mass});
    t.world
        .create_joint(
            BallJoint{.body_a = wall, .body_b = body, .hertz = spring.hertz, .damping_ratio = spring.damping_ratio})
        .value();
    for (int i = 0; i < steps; ++i) t.step(spring.dt);
    return {double(t.pose(body).position.x), double(t.velocity(body).linear.x)};
}

}  // namespace

TEST_CASE("a soft joint loses 1 / sqrt(1 + 2 zeta h w + h^2 w^2) of its amplitude in a sub-step") {
    Random random;
    for (int k = 0; k < 24; ++k) {
        Spring spring;
        spring.direct = k % 2 == 0;
        spring.substeps = 1 + random.below(10);
        spring.dt = 1.0f / random.between(30.0f, 240.0f);
        spring.mass = std::pow(10.0f, random.between(-2.0f, 3.0f));
        const float h = spring.dt / float(spring.substeps);
        // From hardly any loss to most of it in a sub-step.
        spring.hertz = std::pow(10.0f, random.between(-2.5f, 0.3f)) / (2.0f * kPi * h);
        spring.damping_ratio = k % 3 == 0 ? 0.0f : random.between(0.0f, 0.5f);
        CAPTURE(spring.direct);
        CAPTURE(spring.substeps);
        CAPTURE(spring.hertz);
        CAPTURE(spring.damping_ratio);
        CAPTURE(h);
        // Backward Euler of x'' = -w^2 x - 2 zeta w x' multiplies (x, v) by a matrix of determinant 1/a. Two motions
        // that span the plane show the determinant, whatever the phase.
        const double w = 2.0 * 3.14159265358979 * double(spring.hertz), hw = double(h) * w;
        const double a = 1.0 + 2.0 * double(spring.damping_ratio) * hw + hw * hw;
        int steps = 1;  // until the product is about a thousandth: below, rounding is seen
        while (steps < 40 && std::pow(a, -double(steps + 1) * spring.substeps) > 1e-3) ++steps;
        const glm::dvec2 p = state_after(spring, 1.0f, 0.0f, steps), q = state_after(spring, 0.0f, float(w), steps);
        const double shrunk = (p.x * q.y - p.y * q.x) / w;
        const double expected = std::pow(a, -double(steps) * spring.substeps);
        // Forty steps of ten sub-steps round four hundred times, by 6e-8 of the larger of two products each.
        CHECK(std::abs(shrunk - expected) < 2e-4 * std::max(expected, 0.05));
    }
}
