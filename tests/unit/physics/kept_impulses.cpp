// SPDX-License-Identifier: MIT
// What a contact keeps and tells from step to step: impulses follow the length of the step, speeds are of the points.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("a swept stack at rest does not jump when the length of the step changes") {
    for (const bool wide : {true, false}) {
        CAPTURE(wide);
        TestWorld t;
        StepSettings s = t.settings();
        s.sleeping = false;
        s.direct_islands = false;
        s.simd_kernels = wide;
        t.set(s);
        t.floor();
        std::vector<Entity> boxes;
        for (int i = 0; i < 6; ++i)
            boxes.push_back(t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f + float(i), 0.0f}}));
        t.run(4.0f);
        t.step(kDt / 4.0f);
        float fastest = 0.0f;
        for (const Entity box : boxes) fastest = std::max(fastest, std::abs(t.velocity(box).linear.y));
        // Sag changes with the stiffness, which the sub-step limits, by micrometres in a step of 4 ms; impulses of the
        // longer step would throw the boxes up at g (dt - dt / 4), 0.12 m/s.
        CHECK(fastest < 5e-3f);
    }
}

TEST_CASE("the approach speed of every contact point is that of its own before the step, spin included") {
    for (const bool wide : {true, false}) {
        CAPTURE(wide);
        TestWorld t;
        StepSettings s = t.settings();
        s.simd_kernels = wide;
        t.set(s);
        t.floor();
        const Entity box = t.body(TestWorld::box({0.5f, 0.2f, 0.4f}),
                                  {.position = {0.0f, 0.21f, 0.0f},
                                   .velocity = {.linear = {0.3f, -2.0f, 0.1f}, .angular = {0.7f, 0.4f, -0.9f}}});
        const Velocity before = t.velocity(box);
        const Pose at = t.pose(box);
        t.step();
        const auto contacts = t.world.contacts(box);
        REQUIRE(contacts.size() == 1);
        const Manifold& m = *contacts[0].manifold;
        REQUIRE(m.count == 4);
        for (uint32_t i = 0; i < m.count; ++i) {
            const Vec3 arm =
                at.rotation * m.points[i].anchor_b;  // the corner; the impulse acts between it and the floor
            const float closing = -glm::dot(m.normal, before.linear + glm::cross(before.angular, arm));
            CHECK(m.points[i].approach_speed == doctest::Approx(closing).epsilon(1e-5));  // rounding
        }
    }
}
