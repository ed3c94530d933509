// SPDX-License-Identifier: MIT
// What a sleeper wakes for, how long it then stays awake, and what may not fall asleep because it can be seen to turn.
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("a sleeping body that is nudged is awake for a whole sleep time, however slow it is") {
    TestWorld t;
    t.floor();
    const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
    t.run(3.0f);
    REQUIRE(t.world.is_asleep(box));
    t.velocity(box).linear = {0.01f, 0.0f, 0.0f};  // a fifth of the sleep speed
    for (int i = 0; i < 29; ++i) {                 // half a second, less one step
        CAPTURE(i);
        t.step();
        REQUIRE_FALSE(t.world.is_asleep(box));
    }
    t.run(0.1f);
    CHECK(t.world.is_asleep(box));
}

TEST_CASE("a torque that is written on a sleeping body wakes it and turns it") {
    TestWorld t;
    t.floor(0.0f);
    const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}, .friction = 0.0f});
    t.run(3.0f);
    REQUIRE(t.world.is_asleep(box));
    t.world.registry().get<Force>(box).angular = {0.0f, 1000.0f, 0.0f};
    t.step();
    CHECK_FALSE(t.world.is_asleep(box));
    // A cube of 1000 kg: I = m / 6. Nothing but the torque acts about the vertical.
    CHECK(t.velocity(box).angular.y == doctest::Approx(1000.0f * kDt * 6.0f / 1000.0f).epsilon(1e-3));
}

TEST_CASE("a cross of two capsules that turns about one of them does not fall asleep: it can be seen to turn") {
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
    t.floor(0.0f);
    // It stands on the tip of the upright one, 1 mm above a floor without friction.
    const ShapeId bar = t.shape(TestWorld::capsule(0.1f, 0.4f));
    for (const bool upright_last : {true, false}) {
        CAPTURE(upright_last);
        Collider across{.shape = bar, .local = {.rotation = turn({0.0f, 0.0f, 1.0f}, 90.0f)}}, upright{.shape = bar};
        across.material.friction = upright.material.friction = 0.0f;
        const Entity cross =
            t.world
                .create_body({.pose = {.position = {0.0f, 0.501f, 0.0f}},
                              .velocity = {.angular = {0.0f, 0.3f, 0.0f}},
                              .colliders = upright_last ? std::vector{across, upright} : std::vector{upright, across}})
                .value();
        t.run(4.0f);
        CHECK(t.world.report().contacts > 0);
        CHECK_FALSE(t.world.is_asleep(cross));
        CHECK(t.velocity(cross).angular.y == doctest::Approx(0.3).epsilon(1e-4));
        t.world.destroy_body(cross);
    }
}

TEST_CASE("what sleeps under one gravity wakes under another, and goes where that pulls") {
    TestWorld t;
    t.floor(0.1f);
    const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}, .friction = 0.1f});
    t.run(3.0f);
    REQUIRE(t.world.is_asleep(box));
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f, 2.0f, 0.0f);
    t.set(s);
    t.run(0.5f);
    // Free: steps add up to g t, but for what is left of the contact in the first one.
    CHECK(t.velocity(box).linear.y == doctest::Approx(1.0).epsilon(0.02));
}
