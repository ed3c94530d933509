// SPDX-License-Identifier: MIT
// Sleeping, waking, and the events a game reads after the step.
#include <algorithm>
#include <cmath>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

bool asleep(TestWorld& t, Entity e) { return t.world.registry().get<SleepState>(e).asleep != 0; }

}  // namespace

TEST_CASE("a stack comes to rest and sleeps as one, and nothing moves while it does") {
    TestWorld t;
    t.floor();
    std::vector<Entity> boxes;
    for (int i = 0; i < 4; ++i)
        boxes.push_back(t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f + float(i), 0.0f}}));
    t.run(3.0f);
    for (const Entity e : boxes) CHECK(asleep(t, e));
    CHECK(t.world.report().sleeping == 4);
    CHECK(t.world.report().contacts == 0);
    const Pose before = t.pose(boxes[3]);
    t.run(1.0f);
    CHECK(t.pose(boxes[3]).position == before.position);
    CHECK(t.pose(boxes[3]).rotation == before.rotation);
}

TEST_CASE("a ball that hits a sleeping stack wakes all of it") {
    TestWorld t;
    t.floor();
    std::vector<Entity> boxes;
    for (int i = 0; i < 3; ++i)
        boxes.push_back(t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f + float(i), 0.0f}}));
    t.run(3.0f);
    REQUIRE(asleep(t, boxes[0]));
    t.body(TestWorld::sphere(0.3f),
           {.position = {-4.0f, 2.5f, 0.0f}, .velocity = {.linear = {12.0f, 1.5f, 0.0f}, .angular = {}}});
    bool woken = false;
    for (int i = 0; i < 60 && !woken; ++i) {
        t.step();
        woken = !asleep(t, boxes[0]);
    }
    CHECK(woken);
    CHECK_FALSE(asleep(t, boxes[2]));
}

TEST_CASE("a body sleeps no longer when it is pushed, put elsewhere, woken, or loses its ground") {
    for (const int how : {0, 1, 2, 3, 4}) {
        CAPTURE(how);
        TestWorld t;
        const Entity ground = t.floor();
        const Entity box = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
        t.run(3.0f);
        REQUIRE(asleep(t, box));
        if (how == 0) t.velocity(box).linear = Vec3(1.0f, 0.0f, 0.0f);
        if (how == 1) t.world.registry().get<Force>(box).linear = Vec3(0.0f, 5000.0f, 0.0f);
        if (how == 2) t.pose(box).position.y = 2.0f;
        if (how == 3) REQUIRE(t.world.wake(box).ok());
        if (how == 4) t.world.destroy_body(ground);
        t.step();
        CHECK_FALSE(asleep(t, box));
        t.run(0.2f);
        if (how == 2 || how == 4) CHECK(t.velocity(box).linear.y < -1.0f);
    }
}

TEST_CASE("a ball that begins to roll down a gentle slope does not fall asleep on it, nor where it turns") {
    for (const float degrees : {0.1f, 0.2f, 0.5f, 1.5f, 4.0f})
        for (const float turns : {0.0f, 0.3f, 1.0f, 2.0f}) {  // s, that it goes uphill before
            CAPTURE(degrees);
            CAPTURE(turns);
            TestWorld t;
            const float angle = glm::radians(degrees);
            t.body(TestWorld::box({20.0f, 0.5f, 2.0f}),
                   {.type = BodyType::fixed, .rotation = glm::angleAxis(-angle, Vec3(0.0f, 0.0f, 1.0f))});
            const Vec3 up(std::sin(angle), std::cos(angle), 0.0f), down(std::cos(angle), -std::sin(angle), 0.0f);
            // A solid ball that rolls: 5/7 of g sin(angle).
            const float gains = 5.0f / 7.0f * 9.81f * std::sin(angle), push = gains * turns;
            const Entity ball = t.body(
                TestWorld::sphere(0.2f),
                {.position = 0.7f * up, .velocity = {.linear = -push * down, .angular = {0.0f, 0.0f, push / 0.2f}}});
            for (int i = 0; i < 4 * 60; ++i) {
                t.step();
                REQUIRE_FALSE(asleep(t, ball));
            }
            CHECK(glm::dot(t.velocity(ball).linear, down) + push == doctest::Approx(4.0f * gains).epsilon(0.03));
        }
}

TEST_CASE("a box a tenth of a degree past the limit of friction does not fall asleep, and one before it does") {
    for (const float size : {0.01f, 0.1f, 1.0f, 10.0f, 100.0f})
        for (const float past : {0.1f, 0.3f, -0.1f}) {
            CAPTURE(size);
            CAPTURE(past);
            TestWorld t;
            const float angle = std::atan(0.6f) + glm::radians(past);
            const Quat tilt = glm::angleAxis(-angle, Vec3(0.0f, 0.0f, 1.0f));
            t.body(TestWorld::half_space(), {.type = BodyType::fixed, .rotation = tilt, .friction = 0.6f});
            const Entity box =
                t.body(TestWorld::box(size * Vec3(0.5f, 0.2f, 0.5f)),
                       {.position = tilt * Vec3(0.0f, 0.2f * size, 0.0f), .rotation = tilt, .friction = 0.6f});
            t.run(3.0f);
            CHECK(asleep(t, box) == (past < 0.0f));
        }
}

TEST_CASE("balls and capsules that swing in the hollows of a heap, and roll on its floor, fall asleep") {
    TestWorld t;
    t.floor();
    for (int side = 0; side < 4; ++side) {
        const Quat turn = glm::angleAxis(1.5707964f * float(side), Vec3(0.0f, 1.0f, 0.0f));
        t.body(TestWorld::box({0.5f, 3.0f, 2.5f}),
               {.type = BodyType::fixed, .position = turn * Vec3(2.0f, 3.0f, 0.0f), .rotation = turn});
    }
    std::vector<Entity> bodies;
    for (int i = 0; i < 96; ++i) {
        const Vec3 at(0.7f * float(i % 4) - 1.0f + 0.01f * float(i % 7), 0.5f + 0.7f * float(i / 16),
                      0.7f * float(i / 4 % 4) - 1.05f);
        const Quat turn = glm::angleAxis(0.3f * float(i), glm::normalize(Vec3(1.0f, 0.4f, 0.2f)));
        bodies.push_back(t.body(i % 2 ? TestWorld::sphere(0.25f) : TestWorld::capsule(0.2f, 0.2f),
                                {.position = at, .rotation = turn}));
    }
    t.run(20.0f);
    for (const Entity body : bodies) CHECK(asleep(t, body));
}

TEST_CASE("a body at the top of its flight does not fall asleep in the air") {
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f, -0.01f, 0.0f);
    t.set(s);
    const Entity ball = t.body(TestWorld::sphere(0.5f), {});
    t.run(5.0f);
    CHECK_FALSE(asleep(t, ball));
    CHECK(t.pose(ball).position.y < -0.1f);
}

TEST_CASE("with sleeping off nothing sleeps, and what slept wakes") {
    TestWorld t;
    t.floor();
    const Entity box = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    t.run(3.0f);
    REQUIRE(asleep(t, box));
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    t.step();
    CHECK_FALSE(asleep(t, box));
    t.run(2.0f);
    CHECK_FALSE(asleep(t, box));
}

TEST_CASE("a landing raises one begin, hits whose impulses are the true ones, and one end when the body leaves") {
    TestWorld t;
    const Entity ground = t.floor();
    const Entity box = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 2.0f, 0.0f}});
    int begins = 0, ends = 0, hits = 0;
    float impulse = 0.0f, speed = 0.0f, momentum = 0.0f;
    for (int i = 0; i < 120; ++i) {
        const float v = t.velocity(box).linear.y;
        t.step();
        begins += int(t.world.events().begin.size());
        ends += int(t.world.events().end.size());
        for (const ContactHit& hit : t.world.events().hit) {
            ++hits;
            impulse += hit.normal_impulse;
            speed = std::max(speed, hit.approach_speed);
            CHECK(hit.body_a == ground);
            CHECK(hit.body_b == box);
            CHECK(hit.normal.y == doctest::Approx(1.0f));
            momentum += t.mass(box).mass * (t.velocity(box).linear.y - v + kG * kDt);
        }
    }
    CHECK(begins == 1);
    CHECK(ends == 0);
    CHECK(hits >= 1);
    CHECK(hits <= 2);  // one sweep may leave a corner closing for a second step
    CHECK(speed == doctest::Approx(std::sqrt(2.0f * kG * 1.5f)).epsilon(0.05));
    CHECK(impulse == doctest::Approx(momentum).epsilon(1e-3));

    t.velocity(box).linear = Vec3(0.0f, 3.0f, 0.0f);
    for (int i = 0; i < 10; ++i) {
        t.step();
        ends += int(t.world.events().end.size());
    }
    CHECK(ends == 1);
}

TEST_CASE("removing a body ends its contacts") {
    TestWorld t;
    t.floor();
    const Entity box = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    t.run(0.5f);
    REQUIRE(t.world.report().pairs == 1);
    t.world.destroy_body(box);
    t.step();
    REQUIRE(t.world.events().end.size() == 1);
    CHECK(t.world.events().end[0].body_b == box);
    CHECK(t.world.report().pairs == 0);
}

TEST_CASE("layers and masks decide which bodies meet") {
    TestWorld t;
    t.floor();
    const Entity a = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    const Entity b = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 1.5f, 0.0f}});
    for (const Entity e : t.world.registry().view<Collider>())
        t.world.registry().patch<Collider>(e, [&](Collider& c) {
            if (c.body == a) c.layer = 2;
            if (c.body == b) c.mask = ~2u;
        });
    t.run(2.0f);
    CHECK(t.pose(b).position.y == doctest::Approx(0.5f).epsilon(0.01));
    CHECK(t.pose(a).position.y == doctest::Approx(0.5f).epsilon(0.01));
}
