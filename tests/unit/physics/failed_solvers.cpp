// SPDX-License-Identifier: MIT
// A laboratory solver that fails in a world says so by name, and its island is swept: nothing is left unsolved in silence.
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

void choose(TestWorld& t, const std::string& solver) {
    StepSettings s = t.settings();
    s.sleeping = false;
    s.solver = solver;
    s.simd_kernels = false;
    t.set(s);
}

/// A wall of bricks with more than 600 contact points, which pivoting methods have no matrix for. Returns its first brick.
Entity build_wall(TestWorld& t) {
    t.floor();
    Entity first = kNoEntity;
    for (int row = 0; row < 8; ++row)
        for (int i = 0; i < 14; ++i) {
            const Entity brick =
                t.body(TestWorld::box({0.5f, 0.25f, 0.25f}),
                       {.position = {1.01f * float(i) + 0.5f * float(row % 2), 0.25f + 0.5f * float(row), 0.0f}});
            if (first == kNoEntity) first = brick;
        }
    return first;
}

}  // namespace

TEST_CASE("a solver that gives up in an island is named once a step, with a body of the island, and sweeps take over") {
    TestWorld lab, swept;
    choose(lab, "bpp");
    choose(swept, "prox_gs");
    const Entity brick = build_wall(lab);
    build_wall(swept);
    for (int i = 0; i < 30; ++i) {
        lab.step();
        swept.step();
        const StepReport& report = lab.world.report();
        REQUIRE(report.contacts > 600);
        CHECK(report.failed_solvers == 1);
        REQUIRE(report.warnings.size() == 1);
        CHECK(report.warnings[0].entity == brick);
        CHECK(report.warnings[0].message.find("'bpp'") != std::string::npos);
        CHECK(report.warnings[0].message.find("600") != std::string::npos);  // why
        REQUIRE(lab.world.island(brick).has_value());
        CHECK(lab.world.island(brick)->solver_failed);
        CHECK(lab.world.island(brick)->solver == "prox_gs");
        CHECK(swept.world.report().failed_solvers == 0);
        CHECK_FALSE(swept.world.island(brick)->solver_failed);
    }
    // From the state before the failed solve: as if it had never been tried.
    CHECK(lab.world.state_hash() == swept.world.state_hash());
}

TEST_CASE("islands in which a solver does not fail keep it") {
    TestWorld t;
    choose(t, "bpp");
    build_wall(t);
    const Entity alone = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 5.0f}});
    for (int i = 0; i < 10; ++i) t.step();
    CHECK(t.world.report().failed_solvers == 1);
    CHECK(t.world.report().warnings.size() == 1);
    REQUIRE(t.world.island(alone).has_value());
    CHECK(t.world.island(alone)->solver == "bpp");
    CHECK_FALSE(t.world.island(alone)->solver_failed);
}

TEST_CASE("no solver of the table lets a heap fall through the floor") {
    for (const Solver& solver : solver_table()) {
        CAPTURE(solver.name);
        TestWorld t;
        choose(t, std::string(solver.name));
        t.floor();
        std::vector<Entity> bodies;
        for (int i = 0; i < 18; ++i)
            bodies.push_back(t.body(i % 3 == 2 ? TestWorld::sphere(0.3f) : TestWorld::box({0.4f, 0.2f, 0.3f}),
                                    {.position = {0.25f * float(i % 4), 0.4f + 0.5f * float(i), 0.2f * float(i % 3)},
                                     .rotation = turn({0.3f, 1.0f, 0.2f}, 25.0f * float(i))}));
        for (int i = 0; i < 60; ++i) t.step();
        for (const Entity body : bodies) {
            CHECK(t.pose(body).position.y > 0.1f);
            CHECK(glm::length(t.velocity(body).linear) < 20.0f);
        }
    }
}
