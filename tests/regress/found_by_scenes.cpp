// SPDX-License-Identifier: MIT
// One test per bug that a scene or another test once found, named by what it looked like.
#include <cmath>
#include <vector>

#include "samples/scenes/evaluate.h"
#include "samples/scenes/scenes.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("a ball that arrives exactly at the end of a step still bounces") {
    // The relax sweep after the last sub-step saw a closed gap and stopped the ball before its impact was looked at.
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
    t.body(TestWorld::box({1.0f, 1.0f, 1.0f}),
           {.type = BodyType::fixed, .position = {2.0f, 0.0f, 0.0f}, .restitution = 1.0f});
    // Touches the wall at x = 1 after exactly ten steps of 1/64 s, in binary fractions.
    const Entity ball = t.body(TestWorld::sphere(0.5f), {.position = {0.5f - 10.0f * 4.0f / 64.0f, 0.0f, 0.0f},
                                                         .velocity = {.linear = {4.0f, 0.0f, 0.0f}},
                                                         .restitution = 1.0f});
    for (int i = 0; i < 20; ++i) t.step(1.0f / 64.0f);
    CHECK(t.velocity(ball).linear.x == doctest::Approx(-4.0f).epsilon(1e-3));
}

TEST_CASE("a wall of thirty rows does not creep") {
    // Swept along the order of creation, or with one pass over the normals of a manifold, its corners walked
    // outwards.
    auto scene = samples::make_scene("pyramid30");
    REQUIRE(scene.ok());
    PhysicsWorld world;
    const auto bodies = instantiate(scene.value(), world);
    REQUIRE(bodies.ok());
    const auto poses = [&] {
        std::vector<Pose> out;
        for (const Entity e : bodies.value()) out.push_back(world.registry().get<Pose>(e));
        return out;
    };
    for (int i = 0; i < 200; ++i) REQUIRE(world.step(1.0f / 60.0f).ok());
    const std::vector<Pose> before = poses();
    for (int i = 0; i < 300; ++i) REQUIRE(world.step(1.0f / 60.0f).ok());
    CHECK(samples::Evaluator(scene.value()).motion(before, poses()).max < 0.001);
    CHECK(world.report().residual_mean < 1e-4);
}

TEST_CASE("a snapshot does not change because the library got another shape") {
    TestWorld t;
    t.floor();
    t.run(0.1f);
    engine::Snapshot before, after;
    t.world.save(before);
    t.shape(TestWorld::sphere(0.25f));
    t.world.save(after);
    CHECK(before.bytes == after.bytes);
}

TEST_CASE("a spin so fast that its quaternion overflows is quarantined, not turned into no rotation at all") {
    TestWorld t;
    const Entity ball = t.body(TestWorld::sphere(0.5f), {});
    t.step();
    t.velocity(ball).angular = Vec3(1e25f, 0.0f, 0.0f);
    t.step();
    CHECK(t.world.registry().all_of<Quarantined>(ball));
    CHECK(glm::length(t.pose(ball).rotation) == doctest::Approx(1.0f));
}

TEST_CASE("falling asleep does not look like being put elsewhere, which woke the body again") {
    TestWorld t;
    t.floor();
    const Entity rod = t.body(TestWorld::capsule(0.2f, 0.5f),
                              {.position = {0.0f, 0.25f, 0.0f}, .rotation = turn({0.0f, 0.0f, 1.0f}, 90.0f)});
    t.run(5.0f);
    REQUIRE(t.world.registry().get<SleepState>(rod).asleep == 1);
    const Pose pose = t.pose(rod);
    for (int i = 0; i < 60; ++i) {
        t.step();
        CHECK(t.world.registry().get<SleepState>(rod).asleep == 1);
    }
    CHECK(t.pose(rod).position == pose.position);
}

TEST_CASE("a rod that spins faster than the step can follow does not gain energy, free or on the floor") {
    // With its momentum kept exactly, its energy went up with every step until it flew off at 2000 rad/s.
    for (const bool on_floor : {false, true}) {
        for (const float speed : {30.0f, 300.0f, 3000.0f}) {
            CAPTURE(on_floor);
            CAPTURE(speed);
            TestWorld t;
            StepSettings s = t.settings();
            s.substeps = 1;
            s.sleeping = false;
            if (!on_floor) s.gravity = Vec3(0.0f);
            t.set(s);
            if (on_floor) t.floor();
            const Vec3 axis = glm::normalize(Vec3(0.3f, 1.0f, 0.2f));
            const Entity rod = t.body(TestWorld::capsule(0.1f, 0.3f), {.position = {0.0f, 0.6f, 0.0f},
                                                                       .rotation = turn({0.0f, 0.0f, 1.0f}, 70.0f),
                                                                       .velocity = {.angular = speed * axis}});
            t.step();
            const float most = t.kinetic_energy(rod) + t.mass(rod).mass * kG;
            for (int i = 0; i < 300; ++i) t.step();
            CHECK(t.kinetic_energy(rod) <= 1.001f * most);
        }
    }
}
