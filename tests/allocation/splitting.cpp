// SPDX-License-Identifier: MIT
// Solvers made of sweeps ask for no memory in a world that has done its like before.
#include <doctest/doctest.h>

#include "physics/physics.h"
#include "samples/scenes/scenes.h"
#include "tests/allocation/heap_counter.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;

TEST_CASE("a warm step allocates nothing with any solver made of sweeps") {
    for (const char* name : {"nncg", "psor", "pgs_symmetric", "pgs_backward", "jacobi", "nscd", "shock"}) {
        CAPTURE(std::string(name));
        auto scene = samples::make_scene("pyramid5");
        REQUIRE_MESSAGE(scene.ok(), scene.error());
        scene->settings.solver = name;
        scene->settings.iterations = 8;  // fewer let it creep, and new neighbours are new memory
        PhysicsWorld world;
        REQUIRE(instantiate(scene.value(), world).ok());
        bool ok = true;
        for (int i = 0; i < 60; ++i) ok = world.step(1.0f / 60.0f).ok() && ok;
        const long before = proxima::test::heap_allocations();
        for (int i = 0; i < 60; ++i) ok = world.step(1.0f / 60.0f).ok() && ok;
        CHECK(proxima::test::heap_allocations() == before);
        CHECK(ok);
    }
}

TEST_CASE("a second solve of a chain of joints allocates nothing with any solver made of sweeps") {
    for (const char* name :
         {"prox_gs", "prox_jacobi", "pgs", "nncg", "psor", "pgs_symmetric", "pgs_backward", "jacobi", "nscd"}) {
        CAPTURE(std::string(name));
        physics::test::Bodies chain;
        for (uint32_t k = 0; k < 20; ++k) chain.add(1.0f, Vec3(0.0f, -0.1f, 0.05f), 0.1f);
        for (uint32_t k = 0; k < 20; ++k) chain.touch(k, k + 1, 0.0f, Vec3(0.1f, -0.2f, 0.0f), Vec3(0.0f, 0.2f, 0.1f));
        for (uint32_t k = 0; k < 20; ++k) chain.problem.set_bilateral(k);
        BodySystem system = chain.system();
        SolveSettings settings;
        settings.iterations = 20;
        settings.tolerance = 1e-9;
        const Solver& solver = physics::test::solver_named(name);
        solver.solve_bodies(system, settings);
        for (Contact& c : chain.problem.contacts) c.lambda = Vec3(0.0f);
        for (uint32_t k = 1; k <= 20; ++k) {
            chain.velocity[k].linear = Vec3(0.0f, -0.2f, 0.05f);
            chain.velocity[k].angular = Vec3(0.0f);
        }
        const long before = proxima::test::heap_allocations();
        const SolveReport report = solver.solve_bodies(system, settings);
        CHECK(proxima::test::heap_allocations() == before);
        CHECK(report.iterations > 0);
    }
}

TEST_CASE("a second solve of the same size allocates nothing with any solver made of sweeps, in any order") {
    for (const char* name : {"nncg", "psor", "pgs_symmetric", "pgs_backward", "jacobi", "nscd", "shock"})
        for (const SweepOrder order : {SweepOrder::given, SweepOrder::reversed, SweepOrder::shuffled,
                                       SweepOrder::upward, SweepOrder::downward}) {
            CAPTURE(std::string(name));
            physics::test::Bodies tower;
            for (uint32_t k = 0; k < 20; ++k) tower.add(1.0f, Vec3(0.0f, -0.1f, 0.05f), 0.1f);
            for (uint32_t k = 20; k-- > 0;) tower.touch(k, k + 1, 0.5f, Vec3(0.1f), Vec3(-0.1f));
            BodySystem system = tower.system();
            SolveSettings settings;
            settings.iterations = 20;
            settings.tolerance = 1e-9;
            settings.order = order;
            const Solver& solver = physics::test::solver_named(name);
            solver.solve_bodies(system, settings);
            for (Contact& c : tower.problem.contacts) c.lambda = Vec3(0.0f);
            for (BodyVelocity& v : tower.velocity) v = {};
            for (uint32_t k = 1; k <= 20; ++k) tower.velocity[k].linear = Vec3(0.0f, -0.2f, 0.05f);
            const long before = proxima::test::heap_allocations();
            const SolveReport report = solver.solve_bodies(system, settings);
            CHECK(proxima::test::heap_allocations() == before);
            CHECK(report.iterations > 0);
        }
}
