// SPDX-License-Identifier: MIT
// What sleeps wakes when the ground it sleeps on is put elsewhere, however little.
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

bool asleep(TestWorld& t, Entity e) { return t.world.registry().get<SleepState>(e).asleep != 0; }

/// A slab with its top at y = 0 and three cubes of side 1 on it that have fallen asleep.
struct SleepingStack {
    TestWorld t;
    Entity ground = kNoEntity;
    std::vector<Entity> cubes;

    SleepingStack(BodyType type, const ShapeDesc& shape, float top) {
        ground = t.body(shape, {.type = type, .position = {0.0f, -top, 0.0f}});
        for (int i = 0; i < 3; ++i)
            cubes.push_back(t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f + float(i), 0.0f}}));
        t.run(3.0f);
        for (const Entity cube : cubes) REQUIRE(asleep(t, cube));
    }
};

void check_follows(BodyType type, const ShapeDesc& shape, float top, float down) {
    CAPTURE(down);
    SleepingStack s(type, shape, top);
    const float before = s.t.pose(s.cubes[2]).position.y;
    s.t.pose(s.ground).position.y -= down;
    s.t.step();
    for (const Entity cube : s.cubes) CHECK_FALSE(asleep(s.t, cube));
    s.t.run(3.0f);
    // It lies as it lay before, on the ground where that is now: sag depends on the load alone, which is the
    // same, and is 0.1 mm a joint at most when swept.
    CHECK(std::abs(before - down - s.t.pose(s.cubes[2]).position.y) < 0.0005f);
}

}  // namespace

TEST_CASE("a stack that sleeps on a fixed slab follows it when the slab is lowered by centimetres") {
    for (const float down : {0.005f, 0.01f, 0.015f})
        check_follows(BodyType::fixed, TestWorld::box({5.0f, 1.0f, 5.0f}), 1.0f, down);
}

TEST_CASE("a stack that sleeps on a slab follows it also further than contacts are looked for") {
    for (const float down : {0.03f, 0.05f, 0.2f})
        check_follows(BodyType::fixed, TestWorld::box({5.0f, 1.0f, 5.0f}), 1.0f, down);
}

TEST_CASE("a stack that sleeps on a kinematic lift follows it when the lift is set down") {
    for (const float down : {0.01f, 0.05f})
        check_follows(BodyType::kinematic, TestWorld::box({5.0f, 1.0f, 5.0f}), 1.0f, down);
}

TEST_CASE("a stack that sleeps on a half-space follows it when the half-space is lowered") {
    for (const float down : {0.01f, 0.05f}) check_follows(BodyType::fixed, TestWorld::half_space(), 0.0f, down);
}

TEST_CASE("ground that tilts under a sleeper wakes it, and ground that moves elsewhere does not") {
    SleepingStack s(BodyType::fixed, TestWorld::box({5.0f, 1.0f, 5.0f}), 1.0f);
    const Entity other =
        s.t.body(TestWorld::box({1.0f, 1.0f, 1.0f}), {.type = BodyType::fixed, .position = {20.0f, 0.0f, 0.0f}});
    s.t.step();
    s.t.pose(other).position.y -= 0.01f;
    s.t.step();
    for (const Entity cube : s.cubes) CHECK(asleep(s.t, cube));
    s.t.pose(s.ground).rotation = turn({0.0f, 0.0f, 1.0f}, 0.2f);
    s.t.step();
    for (const Entity cube : s.cubes) CHECK_FALSE(asleep(s.t, cube));
}

TEST_CASE("a fixed body that is only read, or written with the pose it has, wakes nobody") {
    SleepingStack s(BodyType::fixed, TestWorld::box({5.0f, 1.0f, 5.0f}), 1.0f);
    const Pose same = s.t.pose(s.ground);
    for (int i = 0; i < 5; ++i) {
        s.t.pose(s.ground) = same;
        s.t.step();
        REQUIRE(s.t.world.report().sleeping == 3);
    }
}
