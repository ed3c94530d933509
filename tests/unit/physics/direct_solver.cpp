// SPDX-License-Identifier: MIT
// Islands that are solved directly: who gets in, what is kept, what the answer is worth.
#include <cmath>
#include <vector>

#include "engine/simd/simd_level.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// Cubes of side 1 on a floor, one on the other, each `ratio` times as heavy as the one below it.
std::vector<Entity> build_stack(TestWorld& t, int count, float ratio = 1.0f, float x = 0.0f, float gap = 0.0f) {
    std::vector<Entity> cubes;
    float density = 100.0f;
    for (int i = 0; i < count; ++i, density *= ratio)
        cubes.push_back(t.body(TestWorld::box({0.5f, 0.5f, 0.5f}),
                               {.position = {x, 0.5f + float(i) * (1.0f + gap), 0.0f}, .density = density}));
    return cubes;
}

TestWorld& without_sleep(TestWorld& t) {
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    return t;
}

/// What the floor gives in a step, in N s: normal impulses of all contacts with it.
float floor_impulse(TestWorld& t, Entity floor) {
    float sum = 0.0f;
    for (const ContactView& pair : t.world.contacts(floor))
        if (pair.body_a == floor || pair.body_b == floor)
            for (uint32_t i = 0; i < pair.manifold->count; ++i) sum += pair.manifold->points[i].impulse.x;
    return sum;
}

}  // namespace

TEST_CASE("a stack that is made at rest is solved directly from its first step, and stays where it is") {
    TestWorld t;
    without_sleep(t);
    const Entity floor = t.floor();
    const std::vector<Entity> cubes = build_stack(t, 12);
    float weight = 0.0f;
    t.step();
    CHECK(t.world.report().direct_islands == 1);
    CHECK(t.world.report().direct_bodies == 12);
    t.run(3.0f);
    CHECK(t.world.report().direct_islands == 1);
    CHECK(t.world.report().direct_failures == 0);
    CHECK(t.world.report().residual_max < 1e-3);
    for (size_t i = 0; i < cubes.size(); ++i) {
        weight += t.mass(cubes[i]).mass * kG;
        CHECK(std::abs(t.pose(cubes[i]).position.y - (0.5f + float(i))) < 0.0005f);
    }
    // The floor carries the whole stack, step by step.
    CHECK(std::abs(floor_impulse(t, floor) - weight * kDt) < 1e-4f * weight * kDt);
}

TEST_CASE("a body a thousand times as heavy rests on light ones") {
    for (const bool direct : {true, false}) {
        CAPTURE(direct);
        TestWorld t;
        StepSettings s = t.settings();
        s.sleeping = false;
        s.direct_islands = direct;
        t.set(s);
        t.floor();
        std::vector<Entity> cubes = build_stack(t, 4);
        const Entity heavy =
            t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 4.5f, 0.0f}, .density = 100000.0f});
        t.run(4.0f);
        const float sunk = std::abs(t.pose(heavy).position.y - 4.5f);
        if (direct)
            CHECK(sunk < 0.0005f);
        else
            CHECK(sunk > 0.05f);  // what sweeps make of it
        CHECK((t.world.report().direct_islands > 0) == direct);
    }
}

TEST_CASE("what falls is swept, and solved directly when it has come to rest; then its sag goes away") {
    TestWorld t;
    without_sleep(t);
    t.floor();
    const std::vector<Entity> cubes = build_stack(t, 8, 1.0f, 0.0f, 0.03f);
    t.step();
    CHECK(t.world.report().direct_islands == 0);
    t.run(12.0f);
    CHECK(t.world.report().direct_islands == 1);
    CHECK(t.world.report().penetration_max < 0.0011f);
    CHECK(std::abs(t.pose(cubes.back()).position.y - 7.5f) < 0.006f);
    CHECK(glm::length(t.velocity(cubes.back()).linear) < 1e-3f);
}

TEST_CASE("three bodies are left to the sweeps, and so is everything when the setting says so") {
    for (const bool direct : {true, false}) {
        TestWorld t;
        StepSettings s = t.settings();
        s.sleeping = false;
        s.direct_islands = direct;
        t.set(s);
        t.floor();
        build_stack(t, direct ? 3 : 10);
        t.run(0.5f);
        CHECK(t.world.report().direct_islands == 0);
    }
}

TEST_CASE(
    "friction is Coulomb's: a stack holds below the limit of the slope and slides above it at the right "
    "rate") {
    // Four flat slabs, mu 0.5: the limit is 26.565 degrees.
    for (const float degrees : {25.5f, 28.0f}) {
        CAPTURE(degrees);
        TestWorld t;
        without_sleep(t);
        const Quat slope = turn({0.0f, 0.0f, 1.0f}, degrees);
        t.body(TestWorld::box({40.0f, 1.0f, 40.0f}), {.type = BodyType::fixed,
                                                      .position = slope * Vec3(0.0f, -1.0f, 0.0f),
                                                      .rotation = slope,
                                                      .friction = 0.5f});
        std::vector<Entity> slabs;
        for (int i = 0; i < 4; ++i)
            slabs.push_back(t.body(TestWorld::box({0.5f, 0.05f, 0.5f}),
                                   {.position = slope * Vec3(0.0f, 0.05f + 0.1f * float(i), 0.0f),
                                    .rotation = slope,
                                    .friction = i == 0 ? 0.5f : 1.0f}));
        const Vec3 start = t.pose(slabs[0]).position;
        t.step();
        CHECK(t.world.report().direct_islands == 1);
        t.run(1.0f);
        const float moved = glm::length(t.pose(slabs[0]).position - start);
        if (degrees < 26.565f) {
            CHECK(moved < 0.0005f);
        } else {
            const float angle = glm::radians(degrees);
            const float acceleration = kG * (std::sin(angle) - 0.5f * std::cos(angle));
            const float speed = glm::length(t.velocity(slabs[0]).linear);
            CHECK(std::abs(speed - acceleration * (1.0f + kDt)) < 0.03f * speed);
        }
    }
}

TEST_CASE("a stack that is hit hard is swept again, and nothing is lost") {
    TestWorld t;
    without_sleep(t);
    t.floor();
    const std::vector<Entity> cubes = build_stack(t, 10);
    t.run(1.0f);
    REQUIRE(t.world.report().direct_islands == 1);
    const Entity ball =
        t.body(TestWorld::sphere(0.5f),
               {.position = {-4.0f, 5.0f, 0.0f}, .velocity = {.linear = {20.0f, 0.0f, 0.0f}}, .density = 300.0f});
    bool swept = false;
    for (int i = 0; i < 120; ++i) {
        t.step();
        swept |= t.world.report().direct_islands == 0;
        REQUIRE(t.world.report().warnings.empty());
    }
    CHECK(swept);
    CHECK(t.pose(cubes.back()).position.y < 8.0f);  // it fell
    CHECK(std::isfinite(t.pose(ball).position.x));
}

TEST_CASE("a stack of round and pointed bodies in a frame is solved directly") {
    TestWorld t;
    without_sleep(t);
    t.floor();
    // Four balls in a square, a tray on them, and a ball in the dip of four more.
    std::vector<Entity> bodies;
    for (const float x : {-0.5f, 0.5f})
        for (const float z : {-0.5f, 0.5f}) {
            bodies.push_back(t.body(TestWorld::sphere(0.5f), {.position = {x, 0.5f, z}}));
            // posts hold the balls of the lowest layer
            t.body(TestWorld::box({0.1f, 0.5f, 0.1f}),
                   {.type = BodyType::fixed, .position = {x * 2.9f, 0.5f, z * 2.9f}});
        }
    bodies.push_back(t.body(TestWorld::box({1.0f, 0.1f, 1.0f}), {.position = {0.0f, 1.1f, 0.0f}, .density = 4000.0f}));
    t.run(1.0f);
    CHECK(t.world.report().direct_islands == 1);
    t.run(3.0f);
    CHECK(std::abs(t.pose(bodies.back()).position.y - 1.1f) < 0.002f);
    CHECK(glm::length(t.velocity(bodies.back()).linear) < 0.01f);
}

TEST_CASE("a restored snapshot of directly solved stacks has the same future, bit for bit") {
    for (const int steps : {1, 2, 30}) {
        CAPTURE(steps);
        TestWorld t;
        without_sleep(t);
        t.floor();
        build_stack(t, 9);
        build_stack(t, 6, 3.0f, 5.0f);
        const std::vector<Entity> falling = build_stack(t, 5, 1.0f, 10.0f, 0.02f);
        for (int i = 0; i < steps; ++i) t.step();
        engine::Snapshot snapshot;
        t.world.save(snapshot);
        t.run(1.5f);
        const uint64_t future = t.world.state_hash();
        REQUIRE(t.world.restore(snapshot).ok());
        t.run(1.5f);
        CHECK(t.world.state_hash() == future);
        // Saved once more right after restoring, and restored again.
        REQUIRE(t.world.restore(snapshot).ok());
        engine::Snapshot again;
        t.world.save(again);
        REQUIRE(t.world.restore(again).ok());
        t.run(1.5f);
        CHECK(t.world.state_hash() == future);
    }
}

TEST_CASE("a snapshot of stacks that sleep has the same future after they are woken") {
    TestWorld t;
    t.floor();
    const std::vector<Entity> cubes = build_stack(t, 6);
    t.run(2.0f);
    REQUIRE(t.world.report().sleeping == 6);
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    const auto wake_and_run = [&] {
        t.step();
        REQUIRE(t.world.wake(cubes[3]).ok());
        t.velocity(cubes[5]).linear.x = 0.05f;
        t.run(0.5f);
        return t.world.state_hash();
    };
    const uint64_t future = wake_and_run();
    REQUIRE(t.world.restore(snapshot).ok());
    CHECK(wake_and_run() == future);
}

TEST_CASE("directly solved stacks are the same at every vector width and for any number of threads") {
    uint64_t first = 0;
    const engine::SimdLevel before = engine::simd_level();
    for (const engine::SimdLevel level : {engine::SimdLevel::one, engine::SimdLevel::four, engine::SimdLevel::eight})
        for (const uint32_t threads : {1u, 3u}) {
            engine::set_simd_level(level);
            TestWorld t(threads);
            without_sleep(t);
            t.floor();
            for (int k = 0; k < 4; ++k)
                build_stack(t, 5 + k, k == 3 ? 4.0f : 1.0f, 3.0f * float(k), k == 2 ? 0.01f : 0.0f);
            t.run(1.5f);
            CHECK(t.world.report().direct_islands >= 3);
            if (first == 0) first = t.world.state_hash();
            CHECK(t.world.state_hash() == first);
        }
    engine::set_simd_level(before);
}

TEST_CASE("a stack changes from one method to the other between two steps without a jump") {
    TestWorld t;
    without_sleep(t);
    t.floor();
    const std::vector<Entity> cubes = build_stack(t, 6);
    t.run(0.5f);
    for (int turn = 0; turn < 6; ++turn) {
        StepSettings s = t.settings();
        s.direct_islands = turn % 2 == 1;
        t.set(s);
        for (int i = 0; i < 5; ++i) {
            t.step();
            // Without support a step gives 0.16 m/s; the springs of the sweeps begin to sag with a third of it.
            for (const Entity cube : cubes) CHECK(glm::length(t.velocity(cube).linear) < 0.07f);
        }
    }
}
