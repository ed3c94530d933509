// SPDX-License-Identifier: MIT
// What stands under a direct solve comes to exact rest: it is left as it is, and solved again as soon as anything about it
// changes. A world that was restored has nothing to leave as it is, so the two tell whether leaving it changes a bit.
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

struct Stacks : TestWorld {
    Entity floor_body{};
    std::vector<Entity> cubes;  // three towers of five, then a pyramid of ten
    Entity paddle{};            // far away, kinematic

    Stacks() {
        StepSettings s = settings();
        s.sleeping = false;
        set(s);
        floor_body = floor();
        const ShapeDesc cube = box({0.5f, 0.5f, 0.5f});
        for (int tower = 0; tower < 3; ++tower)
            for (int i = 0; i < 5; ++i)
                cubes.push_back(body(cube, {.position = {4.0f * float(tower), 0.5f + float(i), 0.0f}}));
        for (int row = 0; row < 4; ++row)
            for (int i = 0; i < 4 - row; ++i)
                cubes.push_back(
                    body(cube, {.position = {0.55f * float(row) + 1.1f * float(i), 0.5f + float(row), 6.0f}}));
        paddle =
            body(box({0.2f, 0.2f, 0.2f}), {.type = BodyType::kinematic, .position = {-1.2f, 0.5f, 0.0f}, .mass = 1.0f});
    }
    float floor_load() {
        float sum = 0.0f;
        for (const ContactView& pair : world.contacts(floor_body))
            for (uint32_t i = 0; i < pair.manifold->count; ++i) sum += pair.manifold->points[i].impulse.x;
        return sum;
    }
};

}  // namespace

TEST_CASE("what stands comes to exact rest and is not solved again") {
    Stacks t;
    t.run(6.0f);
    REQUIRE(t.world.report().direct_islands == 4);
    CHECK(t.world.report().resting_islands == 4);
    CHECK(t.world.report().residual_max < 1e-3);
    CHECK(t.world.report().loaded_points > 0);
    std::vector<Pose> poses;
    for (const Entity cube : t.cubes) poses.push_back(t.pose(cube));
    const float carried = t.floor_load();
    t.run(2.0f);
    CHECK(t.world.report().resting_islands == 4);
    for (size_t i = 0; i < t.cubes.size(); ++i) {
        CHECK(t.pose(t.cubes[i]).position == poses[i].position);
        CHECK(t.pose(t.cubes[i]).rotation == poses[i].rotation);
    }
    CHECK(t.floor_load() == carried);
    float weight = 0.0f;
    for (const Entity cube : t.cubes) weight += t.mass(cube).mass * kG;
    CHECK(carried == doctest::Approx(weight * kDt).epsilon(1e-3));
}

TEST_CASE("whatever changes about what rests, the step is that of a world which solves everything") {
    const struct {
        const char* name;
        int resting;  // islands that are left alone in the step of the change
        std::function<void(Stacks&)> change;
    } cases[] = {
        {"nothing", 4, [](Stacks&) {}},
        {"a push", 3, [](Stacks& t) { t.velocity(t.cubes[4]).linear.x = 0.3f; }},
        {"a force", 3,
         [](Stacks& t) {
             REQUIRE(t.world.apply_force(t.cubes[4], {500.0f, 0.0f, 0.0f}).ok());
         }},
        {"a place", 0, [](Stacks& t) { t.pose(t.cubes[4]).position.x += 0.01f; }},
        {"a gravity scale", 0, [](Stacks& t) { t.world.registry().get<RigidBody>(t.cubes[4]).gravity_scale = 0.5f; }},
        {"friction", 0,
         [](Stacks& t) {
             t.world.registry().patch<Collider>(t.world.colliders(t.cubes[4]).at(0),
                                                [](Collider& c) { c.material.friction = 0.01f; });
         }},
        {"gravity", 0,
         [](Stacks& t) {
             StepSettings s = t.settings();
             s.gravity = {1.0f, -9.0f, 0.0f};
             t.set(s);
         }},
        {"a body taken away", 0, [](Stacks& t) { t.world.destroy_body(t.cubes[2]); }},
        {"a body that arrives", 0,
         [](Stacks& t) {
             const Entity ball = t.cubes.back();
             t.pose(ball).position = {4.0f, 5.6f, 0.1f};
         }},
        {"a paddle that begins to move", 0, [](Stacks& t) { t.velocity(t.paddle).linear.x = 0.5f; }},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        Stacks t, twin;
        t.run(6.0f);
        REQUIRE(t.world.report().resting_islands == 4);
        c.change(t);
        engine::Snapshot snapshot;
        for (int i = 0; i < 90; ++i) {
            CAPTURE(i);
            t.world.save(snapshot);
            t.step();
            REQUIRE(twin.world.restore(snapshot).ok());
            twin.step();
            REQUIRE(twin.world.report().resting_islands == 0);
            REQUIRE(t.world.state_hash() == twin.world.state_hash());
            if (i == 0 && c.resting > 0) CHECK(int(t.world.report().resting_islands) == c.resting);
            const StepReport &own = t.world.report(), &other = twin.world.report();
            REQUIRE(own.residual_max == other.residual_max);
            REQUIRE(own.residual_mean == other.residual_mean);
            REQUIRE(own.sag_mean == other.sag_mean);
            REQUIRE(own.loaded_points == other.loaded_points);
            REQUIRE(own.direct_islands == other.direct_islands);
            REQUIRE(t.floor_load() == twin.floor_load());
        }
    }
}

TEST_CASE("bodies made inside each other part under a direct solve too, where nothing presses on them") {
    for (const int count : {4, 6}) {
        CAPTURE(count);
        TestWorld t;
        StepSettings s = t.settings();
        s.gravity = Vec3(0.0f);
        s.sleeping = false;
        t.set(s);
        std::vector<Entity> cubes;
        for (int i = 0; i < count; ++i)
            cubes.push_back(t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.8f * float(i), 0.0f, 0.0f}}));
        t.run(10.0f);
        for (int i = 1; i < count; ++i) {
            const float apart = t.pose(cubes[size_t(i)]).position.x - t.pose(cubes[size_t(i - 1)]).position.x;
            CHECK(apart > 0.998f);
            CHECK(apart < 1.01f);
        }
        for (const Entity cube : cubes) CHECK(glm::length(t.velocity(cube).linear) < 1e-3f);
    }
}

TEST_CASE("a column that closes its gaps comes to exact rest, and no direct solve is tried in vain on the way") {
    std::mt19937 random(5);
    const auto draw = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
    for (int k = 0; k < 6; ++k) {
        const float size = k < 3 ? 1.0f : draw(0.5f, 5.0f), gap = draw(0.02f, 0.15f) * size;
        const int count = int(draw(6.0f, 25.9f));
        CAPTURE(size);
        CAPTURE(gap);
        CAPTURE(count);
        TestWorld t;
        StepSettings s = t.settings();
        s.sleeping = false;
        t.set(s);
        t.floor();
        std::vector<Entity> cubes;
        for (int i = 0; i < count; ++i)
            cubes.push_back(
                t.body(t.box(Vec3(0.5f * size)), {.position = {0.0f, 0.5f * size + float(i) * (size + gap), 0.0f}}));
        uint32_t failures = 0, steps = 0;
        for (; steps < 400 && t.world.report().resting_islands == 0; ++steps) {
            t.step();
            failures += t.world.report().direct_failures;
        }
        CHECK(failures == 0);
        CHECK(steps < 400);
        for (int i = 0; i < count; ++i) {
            const Vec3 at = t.pose(cubes[size_t(i)]).position;
            CHECK(t.velocity(cubes[size_t(i)]).linear == Vec3(0.0f));
            // overlaps below 0.12 mm are left
            CHECK(std::abs(at.y - (float(i) + 0.5f) * size) < 0.00013f * float(i + 1) * size);
            CHECK(std::hypot(at.x, at.z) < 0.01f * size);
        }
    }
}
