// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "samples/editor/model/drag_spring.h"
#include "samples/editor/model/input_tape.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::editor;
using proxima::test::TestWorld;

namespace {

struct Pull {
    float overshoot = 0.0f;  // beyond the target, of the way
    float late = 0.0f;       // distance from the target in the end
    float quarter = 0.0f;    // distance after 0.25 s
};

/// Pulls a box that hangs in nothing by a corner one metre along x, and looks at the held point.
Pull pull(float mass, const Vec3& half, const Vec3& local, float dt, uint32_t substeps, bool gravity) {
    TestWorld t;
    physics::StepSettings settings = t.settings();
    settings.substeps = substeps;
    if (!gravity) settings.gravity = Vec3(0.0f);
    t.set(settings);
    const physics::Entity body = t.body(TestWorld::box(half), {.mass = mass});
    const std::vector<physics::Entity> bodies{body};
    const std::vector<physics::Mass> masses = masses_of(t.world, bodies);
    CHECK(masses[0].mass == doctest::Approx(mass));
    const Vec3 target = local + Vec3(1.0f, 0.0f, 0.0f);
    Pull out;
    for (float time = 0.0f; time < 4.0f; time += dt) {
        const physics::Force force =
            drag_force({}, t.pose(body), t.velocity(body), masses[0], local, target, settings.gravity, dt);
        t.world.registry().get<physics::Force>(body) = force;
        t.step(dt);
        const Vec3 point = t.pose(body).position + t.pose(body).rotation * local;
        REQUIRE(is_finite(point));
        out.overshoot = std::max(out.overshoot, (point - target).x);
        out.late = glm::length(point - target);
        if (time < 0.25f) out.quarter = out.late;
    }
    return out;
}

}  // namespace

TEST_CASE("a held body comes to its target without swinging over it, whatever it weighs") {
    float least = 1e9f, most = 0.0f;
    for (const float mass : {0.001f, 1.0f, 1e3f, 1e6f}) {
        CAPTURE(mass);
        const Pull p = pull(mass, Vec3(0.5f), Vec3(0.0f), 1.0f / 60.0f, 8, false);
        CHECK(p.overshoot < 0.02f);
        CHECK(p.late < 1e-3f);
        least = std::min(least, p.quarter);
        most = std::max(most, p.quarter);
    }
    CHECK(most - least < 1e-4f);  // all of them at the same pace
    CHECK(most < 0.1f);
}

TEST_CASE("the spring is stable at any step, sub-step, place and shape") {
    for (const float dt : {1.0f / 240.0f, 1.0f / 60.0f, 1.0f / 20.0f, 0.1f})
        for (const uint32_t substeps : {1u, 2u, 8u})
            for (const Vec3& half : {Vec3(0.5f), Vec3(2.0f, 0.05f, 0.05f), Vec3(0.01f, 1.0f, 1.0f)})
                for (const bool gravity : {false, true}) {
                    CAPTURE(dt);
                    CAPTURE(substeps);
                    CAPTURE(half.x);
                    CAPTURE(gravity);
                    const Pull p = pull(3.0f, half, half, dt, substeps, gravity);
                    CHECK(p.overshoot < 0.25f);
                    // At ten steps a second a hanging body still swings, but no more than that.
                    CHECK(p.late < (dt < 0.06f ? 0.08f : 0.25f));
                }
}

TEST_CASE("what cannot be moved is not pulled") {
    TestWorld t;
    const physics::Entity floor = t.floor();
    const std::vector<physics::Entity> bodies{floor};
    const auto masses = masses_of(t.world, bodies);
    CHECK(masses[0].mass == 0.0f);
    const physics::Force force = drag_force({}, t.pose(floor), t.velocity(floor), masses[0], {}, {1.0f, 0.0f, 0.0f},
                                            {0.0f, -9.81f, 0.0f}, 1.0f / 60.0f);
    CHECK(force.linear == Vec3(0.0f));
}

TEST_CASE("masses are what the world itself finds out in its first step") {
    TestWorld t;
    std::vector<physics::Entity> bodies{
        t.body(TestWorld::box({0.3f, 0.2f, 0.1f}), {.density = 700.0f}),
        t.body(TestWorld::capsule(0.2f, 0.5f), {.position = {3.0f, 0.0f, 0.0f}, .mass = 5.0f})};
    physics::Collider knob;
    knob.shape = t.shape(TestWorld::sphere(0.3f));
    knob.local.position = {1.0f, 0.0f, 0.0f};
    REQUIRE(t.world.add_collider(bodies[0], knob).ok());
    const auto masses = masses_of(t.world, bodies);
    t.step();
    for (size_t i = 0; i < bodies.size(); ++i) {
        CHECK(masses[i].mass == t.mass(bodies[i]).mass);
        CHECK(masses[i].center == t.mass(bodies[i]).center);
        CHECK(masses[i].inertia.xx == t.mass(bodies[i]).inertia.xx);
        CHECK(masses[i].inertia.yz == t.mass(bodies[i]).inertia.yz);
    }
}

TEST_CASE("the tape knows what held in every step") {
    InputTape tape;
    CHECK_FALSE(tape.grab_at(5).has_value());
    tape.hold(10, {1, {}, {1.0f, 0.0f, 0.0f}});
    tape.hold(12, {1, {}, {2.0f, 0.0f, 0.0f}});
    tape.hold(12, {1, {}, {3.0f, 0.0f, 0.0f}});
    tape.release(20);
    tape.add({.step = 15, .lane = 1});
    tape.add({.step = 15, .lane = 2});
    CHECK_FALSE(tape.grab_at(9).has_value());
    CHECK(tape.grab_at(10)->target.x == 1.0f);
    CHECK(tape.grab_at(11)->target.x == 1.0f);
    CHECK(tape.grab_at(12)->target.x == 3.0f);
    CHECK(tape.grab_at(19)->target.x == 3.0f);
    CHECK_FALSE(tape.grab_at(20).has_value());
    CHECK_FALSE(tape.grab_at(2000).has_value());
    CHECK(tape.changes_at(15).size() == 2);
    CHECK(tape.changes_at(14).empty());
    CHECK(tape.last_step() == 20);
    tape.truncate_after(12);
    CHECK(tape.grab_at(100)->target.x == 3.0f);
    CHECK(tape.changes_at(15).empty());
    tape.truncate_after(9);
    CHECK_FALSE(tape.grab_at(100).has_value());
    CHECK(tape.last_step() == 0);
}
