// SPDX-License-Identifier: MIT
// A solver and a tolerance for single islands, changed while the world runs; stronger solvers where a
// tolerance is missed; islands of all ways in one step.
#include <cmath>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

std::vector<Entity> build_stack(TestWorld& t, int count, float x, float mass_ratio = 1.0f) {
    std::vector<Entity> cubes;
    for (int i = 0; i < count; ++i)
        cubes.push_back(
            t.body(TestWorld::box({0.5f, 0.5f, 0.5f}),
                   {.position = {x, 0.5f + float(i), 0.0f}, .density = i + 1 == count ? 100.0f * mass_ratio : 100.0f}));
    return cubes;
}

void without_sleep(TestWorld& t, bool direct = true) {
    StepSettings s = t.settings();
    s.sleeping = false;
    s.direct_islands = direct;
    t.set(s);
}

}  // namespace

TEST_CASE("an island is given a solver of its own, and the others are solved as before") {
    TestWorld t;
    without_sleep(t, false);
    t.floor();
    const std::vector<Entity> left = build_stack(t, 4, 0.0f), right = build_stack(t, 4, 5.0f);
    REQUIRE(t.world.set_solver(left[2], "nncg", 1e-5f, 50).ok());
    t.run(1.0f);
    REQUIRE(t.world.island(left[0]).has_value());
    CHECK(t.world.island(left[0])->solver == "nncg");
    CHECK(t.world.island(left[0])->bodies == 4);
    CHECK(t.world.island(left[0])->constraints == 4);
    CHECK(t.world.island(right[3])->solver == "prox_gs");
    CHECK(t.world.report().general_islands == 1);
    CHECK(t.world.report().islands == 2);
    for (const Entity cube : left) CHECK(glm::length(t.velocity(cube).linear) < 0.01f);
    for (const Entity cube : right) CHECK(glm::length(t.velocity(cube).linear) < 0.01f);
    // The first step after the change starts from the impulses of the last: nothing jumps.
    t.world.clear_solver(left[2]);
    t.step();
    CHECK(t.world.island(left[0])->solver == "prox_gs");
    CHECK(t.world.report().general_islands == 0);
    for (const Entity cube : left) CHECK(glm::length(t.velocity(cube).linear) < 0.01f);
}

TEST_CASE("solvers take turns on a standing stack without a jump") {
    TestWorld t;
    without_sleep(t);
    t.floor();
    const std::vector<Entity> cubes = build_stack(t, 3, 0.0f);
    t.run(1.0f);
    for (const char* solver : {"prox_gs", "nncg", "pgs", "newton_min", "staggered", "psor", "prox_jacobi"}) {
        CAPTURE(solver);
        REQUIRE(t.world.set_solver(cubes[0], solver, 0.0f, 20).ok());
        for (int i = 0; i < 5; ++i) {
            t.step();
            for (const Entity cube : cubes) CHECK(glm::length(t.velocity(cube).linear) < 0.02f);
        }
        CHECK(t.world.island(cubes[1])->solver == solver);
        // Those of the solve, not of the relaxing after it.
        if (find_solver(solver)->family == Family::splitting) CHECK(t.world.island(cubes[1])->iterations == 20);
    }
    CHECK(std::abs(t.pose(cubes.back()).position.y - 2.5f) < 0.005f);
}

TEST_CASE("an island that misses its tolerance is handed to a stronger solver, unless that is forbidden") {
    double residual[2] = {};
    for (const bool escalate : {false, true}) {
        CAPTURE(escalate);
        TestWorld t;
        without_sleep(t, false);
        StepSettings s = t.settings();
        s.escalate = escalate;
        t.set(s);
        t.floor();
        const std::vector<Entity> cubes = build_stack(t, 6, 0.0f, 20.0f);
        REQUIRE(t.world.set_solver(cubes[0], "prox_gs", 1e-4f, 4).ok());
        uint32_t escalated = 0;
        for (int i = 0; i < 30; ++i) {
            t.step();
            escalated += t.world.report().escalated_islands;
            residual[escalate] = std::max(residual[escalate], t.world.island(cubes[0])->residual);
        }
        CHECK((escalated > 0) == escalate);
    }
    CHECK(residual[1] < residual[0]);
}

TEST_CASE("swept, direct and apart islands live in one world, whatever the number of threads") {
    uint64_t first = 0;
    for (const uint32_t threads : {1u, 2u, 4u}) {
        TestWorld t(threads);
        without_sleep(t);
        t.floor();
        const std::vector<Entity> direct = build_stack(t, 6, 0.0f), apart = build_stack(t, 5, 4.0f);
        const Entity ball = t.body(TestWorld::sphere(0.4f), {.position = {8.0f, 3.0f, 0.0f}, .restitution = 0.5f});
        const Entity driven = t.body(TestWorld::box({1.0f, 0.2f, 1.0f}),
                                     {.type = BodyType::kinematic,
                                      .position = {12.0f, 1.0f, 0.0f},
                                      .velocity = {.linear = {0.1f, 0.0f, 0.0f}, .angular = {0.0f, 0.2f, 0.0f}}});
        const Entity rider = t.body(TestWorld::box({0.3f, 0.3f, 0.3f}), {.position = {12.0f, 1.5f, 0.0f}});
        REQUIRE(t.world.set_solver(apart[0], "nncg", 0.0f, 10).ok());
        REQUIRE(t.world.set_solver(rider, "prox_gs", 0.0f, 4).ok());
        t.run(2.0f);
        CHECK(t.world.report().direct_islands == 1);
        CHECK(t.world.report().general_islands == 2);
        CHECK(t.world.island(direct[0])->solver == "direct");
        CHECK(t.world.island(direct[0])->stop == StopReason::tolerance);
        CHECK(t.world.island(apart[0])->solver == "nncg");
        CHECK(t.world.island(ball)->solver == "prox_gs");
        CHECK_FALSE(t.world.island(driven).has_value());
        // The rider goes along with what carries it, which moved once a step, not twice.
        CHECK(std::abs(t.pose(driven).position.x - 12.2f) < 1e-3f);
        CHECK(std::abs(t.pose(rider).position.x - 12.2f) < 0.02f);
        if (first == 0) first = t.world.state_hash();
        CHECK(t.world.state_hash() == first);
    }
}

TEST_CASE("a choice of solver is part of a snapshot") {
    TestWorld t;
    without_sleep(t);
    t.floor();
    const std::vector<Entity> cubes = build_stack(t, 5, 0.0f);
    build_stack(t, 5, 4.0f);
    REQUIRE(t.world.set_solver(cubes[0], "nncg", 1e-4f).ok());
    t.run(0.5f);
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    t.run(0.5f);
    const uint64_t future = t.world.state_hash();
    t.world.clear_solver(cubes[0]);
    t.run(0.2f);
    REQUIRE(t.world.restore(snapshot).ok());
    t.run(0.5f);
    CHECK(t.world.state_hash() == future);
    CHECK(t.world.island(cubes[0])->solver == "nncg");
}

TEST_CASE("events come from islands of every way") {
    TestWorld t;
    without_sleep(t);
    t.floor();
    const Entity a = t.body(TestWorld::box({0.3f, 0.3f, 0.3f}), {.position = {0.0f, 1.0f, 0.0f}});
    const Entity b = t.body(TestWorld::box({0.3f, 0.3f, 0.3f}), {.position = {3.0f, 1.0f, 0.0f}});
    REQUIRE(t.world.set_solver(a, "nncg").ok());
    int begins_a = 0, begins_b = 0, hits_a = 0, hits_b = 0;
    for (int i = 0; i < 60; ++i) {
        t.step();
        for (const ContactBegin& e : t.world.events().begin) {
            begins_a += e.body_a == a || e.body_b == a;
            begins_b += e.body_a == b || e.body_b == b;
        }
        for (const ContactHit& e : t.world.events().hit) {
            hits_a += e.body_a == a || e.body_b == a;
            hits_b += e.body_a == b || e.body_b == b;
        }
    }
    CHECK(begins_a == 1);
    CHECK(begins_b == 1);
    CHECK(hits_a >= 1);
    CHECK(hits_b >= 1);
}

TEST_CASE("a solver that does not exist, a tolerance that is none, and a body that is gone are refused") {
    TestWorld t;
    t.floor();
    const Entity cube = build_stack(t, 1, 0.0f)[0];
    CHECK(t.world.set_solver(cube, "magic").error().find("magic") != std::string::npos);
    CHECK_FALSE(t.world.set_solver(cube, "nncg", std::nanf("")).ok());
    CHECK_FALSE(t.world.set_solver(cube, "nncg", -1.0f).ok());
    CHECK_FALSE(t.world.set_solver(kNoEntity, "nncg").ok());
    CHECK_FALSE(t.world.island(kNoEntity).has_value());
    t.world.clear_solver(cube);  // nothing to clear
    t.step();
    CHECK(t.world.report().general_islands == 0);
}
