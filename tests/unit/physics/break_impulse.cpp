// SPDX-License-Identifier: MIT
// Colliders that break: their contacts give no more than their break impulse, whoever solves them, and what goes through
// keeps the rest of its momentum.
#include <cmath>
#include <string>
#include <thread>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

struct Solvers {
    const char* solver;
    bool simd, direct;
};
constexpr Solvers kSolvers[] = {
    {"prox_gs", true, true}, {"prox_gs", false, true}, {"prox_jacobi", false, false}, {"pgs", false, false}};

void prepare(TestWorld& t, const Solvers& how, const Vec3& gravity = Vec3(0.0f)) {
    StepSettings s = t.settings();
    s.gravity = gravity;
    s.solver = how.solver;
    s.simd_kernels = how.simd;
    s.direct_islands = how.direct;
    t.set(s);
}

/// A pane across the x axis at x = 0, 10 cm thick.
Entity pane(TestWorld& t, float break_impulse, float at = 0.0f, BodyType type = BodyType::fixed) {
    const Entity body =
        t.body(TestWorld::box({0.05f, 2.0f, 2.0f}), {.type = type, .position = {at, 0.0f, 0.0f}, .friction = 0.0f});
    REQUIRE(t.world.set_contact_rules(body, {.break_impulse = break_impulse}).ok());
    return body;
}

Vec3 momentum(TestWorld& t, Entity body) { return t.world.mass(body).mass * t.velocity(body).linear; }

}  // namespace

TEST_CASE("what flies through glass loses exactly the break impulse, for every shape, speed, bounce and solver") {
    Random random{31};
    for (const Solvers& how : kSolvers)
        for (int i = 0; i < 24; ++i) {
            CAPTURE(how.solver);
            CAPTURE(how.simd);
            CAPTURE(i);
            TestWorld t;
            prepare(t, how);
            const float size = random.between(0.1f, 0.5f), speed = random.between(0.5f, 25.0f);
            const float bounce = i % 3 == 0 ? 0.0f : random.between(0.0f, 1.0f);
            const ShapeDesc shape =
                i % 2 ? TestWorld::sphere(size) : TestWorld::box(Vec3(size, 0.7f * size, 0.9f * size));
            const Entity ball = t.body(shape, {.position = {-1.5f, 0.0f, 0.0f},
                                               .velocity = {.linear = {speed, 0.0f, 0.0f}, .angular = {}},
                                               .friction = 0.0f,
                                               .restitution = bounce});
            const float p = t.world.mass(ball).mass * speed;
            const bool breaks = i % 4 != 3;
            const float limit = breaks ? random.between(0.05f, 0.95f) * p : 1.02f * (1.0f + bounce) * p;
            const Entity glass = pane(t, limit);
            int told = 0;
            for (int k = 0; k < int(3.0f / (speed * kDt)) + 40; ++k) {
                t.step();
                for (const ContactBreak& e : t.world.events().broken) {
                    ++told;
                    CHECK(e.body == glass);
                    CHECK(e.other_body == ball);
                    CHECK(e.collider == t.world.colliders(glass)[0]);
                    CHECK(e.other_collider == t.world.colliders(ball)[0]);
                    CHECK(e.impulse == limit);
                    CHECK(e.unbroken_impulse > limit);
                    CHECK(e.normal.x == doctest::Approx(-1.0f));
                    CHECK(e.point.x == doctest::Approx(-0.05f).epsilon(0.0).scale(1.0).epsilon(speed * kDt));
                }
            }
            CHECK(told == int(breaks));
            if (breaks) {
                CHECK(momentum(t, ball).x == doctest::Approx(p - limit).epsilon(2e-5));
                CHECK(t.world.contact_rules(t.world.colliders(glass)[0]).broken == 1);
                CHECK(t.world.report().contacts == 0);
            } else {
                CHECK(momentum(t, ball).x == doctest::Approx(-bounce * p).epsilon(0.02).scale(p));
                CHECK(t.world.contact_rules(t.world.colliders(glass)[0]).broken == 0);
            }
        }
}

TEST_CASE("several that strike one pane in the same step lose the break impulse together") {
    for (const int count : {2, 3, 5}) {
        CAPTURE(count);
        TestWorld t;
        prepare(t, kSolvers[0]);
        std::vector<Entity> balls;
        float before = 0.0f;
        for (int i = 0; i < count; ++i) {
            balls.push_back(t.body(TestWorld::sphere(0.15f + 0.02f * float(i)),
                                   {.position = {-0.4f + 0.02f * float(i), 0.8f * float(i) - 1.6f, 0.0f},
                                    .velocity = {.linear = {8.0f, 0.0f, 0.0f}, .angular = {}},
                                    .friction = 0.0f}));
            before += momentum(t, balls.back()).x;
        }
        const float limit = 0.6f * before;  // no one of them breaks it alone
        pane(t, limit);
        size_t told = 0;
        // They come in different steps; what the first ones lost to the pane in the step before counts.
        float last = 0.0f, lost = 0.0f, sum = before;
        for (int k = 0; k < 20 && told == 0; ++k) {
            t.step();
            float now = 0.0f;
            for (const Entity ball : balls) now += momentum(t, ball).x;
            last = lost;
            lost = sum - now;
            sum = now;
            told += t.world.events().broken.size();
        }
        CHECK(last + lost == doctest::Approx(limit).epsilon(1e-4));
        CHECK(told == 1);
    }
    // All in the same instant.
    TestWorld t;
    prepare(t, kSolvers[0]);
    std::vector<Entity> balls;
    for (int i = 0; i < 4; ++i)
        balls.push_back(t.body(TestWorld::sphere(0.2f), {.position = {-0.4f, 0.8f * float(i) - 1.2f, 0.0f},
                                                         .velocity = {.linear = {8.0f, 0.0f, 0.0f}, .angular = {}},
                                                         .friction = 0.0f}));
    const float each = momentum(t, balls[0]).x;
    pane(t, 3.0f * each);
    t.run(0.2f);
    for (const Entity ball : balls) CHECK(momentum(t, ball).x == doctest::Approx(each / 4.0f).epsilon(1e-4));
}

TEST_CASE("glass that can move takes what it gives: momentum is kept, turning included") {
    Random random{5};
    for (int i = 0; i < 12; ++i) {
        CAPTURE(i);
        TestWorld t;
        prepare(t, kSolvers[i % 4]);
        const Entity ball = t.body(TestWorld::sphere(0.2f), {.position = {-1.0f, random.between(-1.0f, 1.0f), 0.0f},
                                                             .velocity = {.linear = {10.0f, 0.0f, 0.0f}, .angular = {}},
                                                             .friction = 0.4f});
        const Entity glass = pane(t, random.between(5.0f, 100.0f), 0.0f, BodyType::dynamic);
        t.velocity(glass).angular = {0.0f, 0.2f, 0.1f};
        const auto turning = [&](Entity e) {
            return t.spin_momentum(e) + glm::cross(t.pose(e).position, momentum(t, e));
        };
        const Vec3 linear = momentum(t, ball) + momentum(t, glass), angular = turning(ball) + turning(glass);
        size_t told = 0;
        for (int k = 0; k < 40; ++k) {
            t.step();
            told += t.world.events().broken.size();
        }
        CHECK(told == 1);
        const Vec3 now = momentum(t, ball) + momentum(t, glass), turned = turning(ball) + turning(glass);
        CHECK(glm::length(now - linear) < 1e-4f * glm::length(linear));
        CHECK(glm::length(turned - angular) < 5e-3f * glm::length(angular));
    }
}

TEST_CASE("one pane behind the other: each takes its own, and the one that holds stops what is left") {
    TestWorld t;
    prepare(t, kSolvers[0]);
    const Entity ball = t.body(TestWorld::sphere(0.3f), {.position = {-1.0f, 0.0f, 0.0f},
                                                         .velocity = {.linear = {30.0f, 0.0f, 0.0f}, .angular = {}}});
    const float p = momentum(t, ball).x;
    for (int i = 0; i < 4; ++i) pane(t, 0.2f * p, 0.2f * float(i));
    pane(t, 2.0f * p, 0.8f);
    size_t told = 0;
    float least = p;
    for (int k = 0; k < 30; ++k) {
        t.step();
        told += t.world.events().broken.size();
        if (momentum(t, ball).x > 0.01f * p) least = std::min(least, momentum(t, ball).x);
    }
    CHECK(told == 4);
    CHECK(least == doctest::Approx(0.2f * p).epsilon(1e-3));
    CHECK(momentum(t, ball).x <= 0.0f);
    CHECK(t.pose(ball).position.x < 0.5f);
}

TEST_CASE("a glass table holds what it can, solved directly or swept, and gives its impulse once when there is more") {
    for (const Solvers& how : kSolvers)
        for (const bool direct : {true, false}) {
            CAPTURE(how.solver);
            CAPTURE(how.simd);
            CAPTURE(direct);
            TestWorld t;
            Solvers own = how;
            own.direct = direct;
            prepare(t, own, {0.0f, -kG, 0.0f});
            t.body(TestWorld::box({3.0f, 0.5f, 3.0f}), {.type = BodyType::fixed, .position = {0.0f, -3.0f, 0.0f}});
            const Entity table = t.body(TestWorld::box({1.0f, 0.05f, 1.0f}),
                                        {.type = BodyType::fixed, .position = {0.0f, -0.05f, 0.0f}});
            std::vector<Entity> stack;
            float mass = 0.0f;
            for (int i = 0; i < 5; ++i) {
                stack.push_back(t.body(TestWorld::box(Vec3(0.2f)), {.position = {0.0f, 0.2f + 0.4f * float(i), 0.0f}}));
                t.world.registry().get<RigidBody>(stack.back()).allow_sleep = 0;
                mass += t.world.mass(stack.back()).mass;
            }
            const float load = mass * kG * kDt;
            REQUIRE(t.world.set_contact_rules(table, {.break_impulse = 1.3f * load}).ok());
            t.run(1.5f);
            REQUIRE(t.world.contact_rules(t.world.colliders(table)[0]).broken == 0);
            if (own.simd && direct) CHECK(t.world.report().direct_islands + t.world.report().resting_islands > 0);
            // A little more than it holds.
            REQUIRE(t.world.apply_impulse(stack[4], {0.0f, -load, 0.0f}).ok());
            const auto falls = [&] {
                float sum = 0.0f;
                for (const Entity e : stack) sum += momentum(t, e).y;
                return sum;
            };
            size_t told = 0;
            for (int k = 0; k < 5 && told == 0; ++k) {
                const float before = falls();
                t.step();
                told = t.world.events().broken.size();
                if (told == 1) CHECK(falls() - before == doctest::Approx(1.3f * load - load).epsilon(2e-3).scale(load));
            }
            CHECK(told == 1);
            t.run(1.5f);
            CHECK(t.pose(stack[0]).position.y < -2.0f);
            // Mended, it is there again.
            REQUIRE(t.world.set_contact_rules(table, {.break_impulse = 1e9f}).ok());
            const Entity late = t.body(TestWorld::box(Vec3(0.2f)), {.position = {0.0f, 0.5f, 0.0f}});
            t.run(1.5f);
            CHECK(t.pose(late).position.y == doctest::Approx(0.2f).epsilon(0.05));
        }
}

TEST_CASE("a shower of balls through panes is the same for any number of threads, and after a restore") {
    const auto build = [](TestWorld& t) {
        t.floor();
        for (int i = 0; i < 6; ++i) {
            const Entity glass = t.body(TestWorld::box({1.0f, 0.05f, 1.0f}),
                                        {.type = i % 2 ? BodyType::fixed : BodyType::dynamic,
                                         .position = {2.1f * float(i) - 5.0f, i % 2 ? 2.0f : 0.06f, 0.0f}});
            REQUIRE(
                t.world
                    .set_contact_rules(glass, {.force_threshold = 5000.0f, .break_impulse = 60.0f + 30.0f * float(i)})
                    .ok());
        }
        for (int i = 0; i < 60; ++i)
            t.body(i % 2 ? TestWorld::sphere(0.2f) : TestWorld::box(Vec3(0.2f)),
                   {.position = {0.19f * float(i) - 5.5f, 3.0f + 0.37f * float(i % 7), 0.1f * float(i % 5)},
                    .restitution = 0.2f});
    };
    std::vector<uint64_t> first;
    size_t broken = 0;
    for (const uint32_t threads : {1u, 2u, 5u, 8u}) {
        TestWorld t(threads);
        build(t);
        std::vector<uint64_t> hashes;
        for (int i = 0; i < 120; ++i) {
            t.step();
            hashes.push_back(t.world.state_hash());
            if (threads == 1) broken += t.world.events().broken.size();
        }
        if (threads == 1) first = hashes;
        CHECK(hashes == first);
    }
    CHECK(broken >= 3);
    TestWorld t(2);
    build(t);
    for (int i = 0; i < 120; ++i) {
        engine::Snapshot snapshot;
        t.world.save(snapshot);
        TestWorld other;
        build(other);
        if (i % 10 == 0) {
            REQUIRE(other.world.restore(snapshot).ok());
            for (int k = i; k < std::min(i + 10, 120); ++k) {
                other.step();
                REQUIRE(other.world.state_hash() == first[size_t(k)]);
            }
        }
        t.step();
    }
}
