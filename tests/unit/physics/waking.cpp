// SPDX-License-Identifier: MIT
// What sleeps wakes when the ground it sleeps on is put elsewhere, however little.
#include <cstring>
#include <functional>
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

TEST_CASE("a world where everything sleeps notices the same writes as one where something far away moves") {
    using Write = std::function<void(SleepingStack&)>;
    const auto collider = [](SleepingStack& s, Entity body) -> Collider& {
        return s.t.world.registry().get<Collider>(s.t.world.colliders(body)[0]);
    };
    const auto of = [](SleepingStack& s, Entity body, auto component) -> decltype(component)& {
        return s.t.world.registry().get<decltype(component)>(body);
    };
    const std::vector<Write> writes = {
        [&](SleepingStack&) {},
        [&](SleepingStack& s) { of(s, s.cubes[1], Pose{}).position.x += 0.01f; },
        [&](SleepingStack& s) { of(s, s.cubes[2], Pose{}).rotation.w *= -1.0f; },
        [&](SleepingStack& s) { of(s, s.cubes[2], Velocity{}).angular.y = 1e-4f; },
        [&](SleepingStack& s) { of(s, s.cubes[0], Force{}).linear.z = 1e-3f; },
        [&](SleepingStack& s) { of(s, s.cubes[0], SleepState{}).asleep = 0; },
        [&](SleepingStack& s) { of(s, s.cubes[1], SleepState{}).timer = 0.1f; },
        [&](SleepingStack& s) { of(s, s.cubes[2], RigidBody{}).gravity_scale = 0.5f; },
        [&](SleepingStack& s) { of(s, s.cubes[2], RigidBody{}).type = BodyType::kinematic; },
        [&](SleepingStack& s) {
            of(s, s.cubes[2], Mass{}).mass *= 0.5f;
            of(s, s.cubes[2], Mass{}).source = MassSource::given;
        },
        [&](SleepingStack& s) { of(s, s.ground, Pose{}).position.y -= 0.01f; },
        [&](SleepingStack& s) { of(s, s.ground, RigidBody{}).gravity_scale = 2.0f; },
        [&](SleepingStack& s) { collider(s, s.ground).material.friction = 0.1f; },
        [&](SleepingStack& s) { collider(s, s.cubes[1]).density = 500.0f; },
        [&](SleepingStack& s) { s.t.world.destroy_body(s.cubes[1]); },
        [&](SleepingStack& s) { REQUIRE(s.t.world.wake(s.cubes[0]).ok()); },
    };
    for (size_t k = 0; k < writes.size(); ++k) {
        CAPTURE(k);
        SleepingStack all(BodyType::fixed, TestWorld::box({5.0f, 1.0f, 5.0f}), 1.0f);
        SleepingStack not_all(BodyType::fixed, TestWorld::box({5.0f, 1.0f, 5.0f}), 1.0f);
        not_all.t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 5000.0f, 0.0f}});
        for (SleepingStack* s : {&all, &not_all}) {
            s->t.run(0.2f);
            writes[k](*s);
        }
        bool woke = false;
        for (int step = 0; step < 40; ++step) {
            all.t.step();
            not_all.t.step();
            for (size_t i = 0; i < 3; ++i) {
                if (!all.t.world.registry().valid(all.cubes[i])) continue;
                const auto same = [&](auto component) {
                    return std::memcmp(&of(all, all.cubes[i], component), &of(not_all, not_all.cubes[i], component),
                                       sizeof component) == 0;
                };
                REQUIRE(same(Pose{}));
                REQUIRE(same(Velocity{}));
                REQUIRE(same(SleepState{}));
                woke = woke || !asleep(all.t, all.cubes[i]);
            }
        }
        // A settled timer, or a setting that fixed bodies have no use for, is no reason to wake.
        CHECK((woke || k == 0 || k == 6 || k == 11));
    }
}
