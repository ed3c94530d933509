// SPDX-License-Identifier: MIT
// What events tell beside that something began, ended or hit: where it was, and in which order.
#include <cmath>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("a hit is told at the point where the bodies meet") {
    for (const bool ball_first : {false, true}) {
        CAPTURE(ball_first);
        TestWorld t;
        const TestWorld::Options o{.position = {3.0f, 0.6f, -2.0f}, .velocity = {.linear = {0.0f, -5.0f, 0.0f}}};
        const Entity ball = ball_first ? t.body(TestWorld::sphere(0.5f), o) : kNoEntity;
        t.floor();
        if (!ball_first) t.body(TestWorld::sphere(0.5f), o);
        for (int i = 0; i < 5 && t.world.events().hit.empty(); ++i) t.step();
        REQUIRE(t.world.events().hit.size() == 1);
        const ContactHit& hit = t.world.events().hit[0];
        CHECK((hit.body_a == ball) == ball_first);
        // Straight below its centre, between the surfaces as they were before the step and as they are after it: the
        // ball moved by 5 m/s / 60 at most.
        CHECK(std::abs(hit.point.x - 3.0f) < 1e-5f);
        CHECK(std::abs(hit.point.z + 2.0f) < 1e-5f);
        CHECK(std::abs(hit.point.y) < 5.0f * kDt);
    }
}

TEST_CASE("contacts that end in one step are told in the order of their colliders, not in that of their beginning") {
    TestWorld t;
    const Entity floor = t.floor();
    std::vector<Entity> balls;  // the last one lands first
    for (int i = 0; i < 4; ++i)
        balls.push_back(t.body(TestWorld::sphere(0.5f), {.position = {2.0f * float(i), 1.5f - 0.3f * float(i), 0.0f}}));
    std::vector<Entity> begun;
    for (int i = 0; i < 60; ++i) {
        t.step();
        for (const ContactBegin& begin : t.world.events().begin) begun.push_back(begin.body_b);
    }
    REQUIRE(begun == std::vector<Entity>(balls.rbegin(), balls.rend()));
    t.world.destroy_body(floor);
    t.step();
    REQUIRE(t.world.events().end.size() == balls.size());
    for (size_t i = 0; i < balls.size(); ++i) CHECK(t.world.events().end[i].body_b == balls[i]);
}
