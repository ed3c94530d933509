// SPDX-License-Identifier: MIT
// How far bodies are said to move in a step, and ground that moves below them.
#include <algorithm>
#include <cmath>

#include "physics/simulation.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("the bound on the motion of a body is that of its farthest point: way and chord of the turn") {
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
    const Vec3 half(0.5f, 0.3f, 0.4f);
    for (const Vec3& spin : {Vec3(0.0f), Vec3(0.0f, 6.0f, 0.0f), Vec3(2.0f, 3.0f, -4.0f)}) {
        const Entity box = t.body(TestWorld::box(half), {.velocity = {.linear = {1.0f, -2.0f, 0.5f}, .angular = spin}});
        const Quat before = t.pose(box).rotation;
        t.step();
        const Simulation& sim = t.world.simulation();
        const Quat turned = glm::conjugate(before) * t.pose(box).rotation;
        const float way = glm::length(t.pose(box).position);
        const float chord = 2.0f * glm::length(Vec3(turned.x, turned.y, turned.z)) * glm::length(half);
        const float bound = sim.bodies.unseen_displacement[sim.bodies.slot_of(box)];
        CHECK(bound >= way + chord);
        CHECK(bound < 1.0003f * (way + chord));  // its margin for rounding is a ten-thousandth
        t.world.destroy_body(box);
    }
}

TEST_CASE("a large heap on a lift that rises at a steady speed lies as it does on one that stands") {
    // Galileo: the gaps to the lift are those of the same moment, whatever its speed. A layer of 900 balls that touch
    // each other is one island that is cut into slabs.
    float overlap[2] = {};
    for (const int rises : {0, 1}) {
        TestWorld t;
        StepSettings s = t.settings();
        s.sleeping = false;
        t.set(s);
        const float speed = 2.0f * float(rises);
        const Entity lift = t.body(TestWorld::box({40.0f, 1.0f, 40.0f}), {.type = BodyType::kinematic,
                                                                          .position = {0.0f, -1.0f, 0.0f},
                                                                          .velocity = {.linear = {0.0f, speed, 0.0f}}});
        for (int i = 0; i < 900; ++i)
            t.body(TestWorld::sphere(0.5f), {.position = {0.999f * float(i % 60), 0.5f, 0.999f * float(i / 60)},
                                             .velocity = {.linear = {0.0f, speed, 0.0f}}});
        for (int i = 0; i < 30; ++i) t.step();
        REQUIRE(t.world.simulation().sweep.layout.numbers.slabs > 1);
        float deepest = 0.0f;
        for (const ContactView& c : t.world.contacts(lift))
            deepest = std::min(deepest, c.manifold->points[0].separation);
        overlap[rises] = deepest;
    }
    // A hundredth of a millimetre for the rounding of positions that are tens of metres; a sub-step's way is 4 mm.
    CHECK(std::abs(overlap[1] - overlap[0]) < 1e-5f);
}
