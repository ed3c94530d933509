// SPDX-License-Identifier: MIT
// Solvers made of sweeps ask for no memory in a world that has done its like before.
#include <doctest/doctest.h>

#include "physics/physics.h"
#include "samples/scenes/scenes.h"
#include "tests/allocation/heap_counter.h"

using namespace proxima;
using namespace proxima::physics;

TEST_CASE("a warm step allocates nothing with any solver made of sweeps") {
    for (const char* name : {"nncg", "psor", "pgs_symmetric", "pgs_backward", "jacobi", "nscd", "shock"}) {
        CAPTURE(std::string(name));
        auto scene = samples::make_scene("pyramid5");
        REQUIRE_MESSAGE(scene.ok(), scene.error());
        scene->settings.solver = name;
        scene->settings.iterations = 4;
        PhysicsWorld world;
        REQUIRE(instantiate(scene.value(), world).ok());
        bool ok = true;
        for (int i = 0; i < 60; ++i) ok = world.step(1.0f / 60.0f).ok() && ok;
        const long before = test::heap_allocations();
        for (int i = 0; i < 60; ++i) ok = world.step(1.0f / 60.0f).ok() && ok;
        CHECK(test::heap_allocations() == before);
        CHECK(ok);
    }
}
