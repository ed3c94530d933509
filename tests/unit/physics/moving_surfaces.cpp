// SPDX-License-Identifier: MIT
// Conveyor belts: surfaces that move along themselves while their bodies stay. samples/laws has the textbook answers; here
// is what they do to the rest of a world.
#include <cmath>
#include <limits>

#include "physics/contact/capture.h"
#include "physics/scene/scene.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

Collider& collider_of(TestWorld& t, Entity body) {
    return t.world.registry().get<Collider>(t.world.colliders(body).front());
}

/// A floor whose surface moves.
Entity belt(TestWorld& t, const Vec3& velocity, float friction = 0.5f, float restitution = 0.0f) {
    const Entity floor = t.floor(friction, restitution);
    collider_of(t, floor).material.surface_velocity = velocity;
    return floor;
}
Entity box_on(TestWorld& t, float friction = 0.5f) {
    return t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}, .friction = friction});
}

void set_simd(TestWorld& t, bool simd) {
    StepSettings s = t.settings();
    s.simd_kernels = simd;
    t.set(s);
}

}  // namespace

TEST_CASE("a belt of a millimetre a second carries a box as far in a minute, and the box does not sleep") {
    for (const bool simd : {true, false}) {
        CAPTURE(simd);
        TestWorld t;
        set_simd(t, simd);
        belt(t, {0.001f, 0.0f, 0.0f});
        const Entity box = box_on(t);
        t.run(60.0f);
        CHECK_FALSE(t.world.is_asleep(box));
        CHECK(t.pose(box).position.x == doctest::Approx(0.06).epsilon(0.01));
        CHECK(std::abs(t.pose(box).position.z) < 1e-4f);
    }
}

TEST_CASE("what lies on a belt that stands sleeps, starting the belt wakes it, and stopping it lets it sleep again") {
    TestWorld t;
    const Entity floor = belt(t, Vec3(0.0f)), box = box_on(t);
    t.run(3.0f);
    REQUIRE(t.world.is_asleep(box));
    collider_of(t, floor).material.surface_velocity = {0.0f, 0.0f, 1.0f};
    t.step();
    CHECK_FALSE(t.world.is_asleep(box));
    t.run(2.0f);
    CHECK(t.velocity(box).linear.z == doctest::Approx(1.0).epsilon(0.001));
    collider_of(t, floor).material.surface_velocity = Vec3(0.0f);
    t.run(4.0f);
    CHECK(t.world.is_asleep(box));
}

TEST_CASE("a belt keeps nothing awake that does not press on it, has no friction with it, or meets it head on") {
    TestWorld t;
    const Entity floor = t.floor();
    (void)floor;
    // Beside the box, at half the distance within which points count; and with its velocity into the face that touches.
    const Entity beside =
        t.body(TestWorld::box(Vec3(0.5f)), {.type = BodyType::fixed, .position = {1.005f, 0.5f, 0.0f}});
    collider_of(t, beside).material.surface_velocity = {0.0f, 1.0f, 0.0f};
    const Entity before = t.body(TestWorld::box(Vec3(0.5f)), {.type = BodyType::fixed, .position = {0.0f, 0.5f, 1.0f}});
    collider_of(t, before).material.surface_velocity = {0.0f, 0.0f, 1.0f};
    const Entity box = box_on(t);
    const Entity smooth = t.body(TestWorld::box({2.0f, 0.5f, 2.0f}),
                                 {.type = BodyType::fixed, .position = {20.0f, 0.5f, 0.0f}, .friction = 0.0f});
    collider_of(t, smooth).material.surface_velocity = {1.0f, 0.0f, 0.0f};
    const Entity above = t.body(TestWorld::box(Vec3(0.5f)), {.position = {20.0f, 1.5f, 0.0f}, .friction = 0.0f});
    t.run(4.0f);
    CHECK(t.world.is_asleep(box));
    CHECK(t.world.is_asleep(above));
    CHECK(std::abs(t.pose(above).position.x - 20.0f) < 1e-3f);
}

TEST_CASE("a box that a wall holds on a running belt stays there, and the belt rubs with mu times its weight") {
    for (const bool simd : {true, false}) {
        CAPTURE(simd);
        TestWorld t;
        set_simd(t, simd);
        belt(t, {2.0f, 0.0f, 0.0f});
        const Entity wall = t.body(TestWorld::box({0.5f, 2.0f, 2.0f}),
                                   {.type = BodyType::fixed, .position = {1.0f, 2.0f, 0.0f}, .friction = 0.0f});
        const Entity box =
            t.body(TestWorld::box({0.5f, 0.2f, 0.5f}), {.position = {0.0f, 0.2f, 0.0f}, .friction = 0.5f});
        t.run(5.0f);
        CHECK(std::abs(t.pose(box).position.x) < 0.005f);
        CHECK(glm::length(t.velocity(box).linear) < 0.002f);
        float pushes = 0.0f;
        for (const ContactView& c : t.world.contacts())
            if (c.body_a == wall || c.body_b == wall)
                for (uint32_t i = 0; i < c.manifold->count; ++i) pushes += c.manifold->points[i].impulse.x;
        CHECK(pushes == doctest::Approx(0.5f * t.mass(box).mass * kG * kDt).epsilon(0.01));
        // The report measures the law that was solved.
        CHECK(t.world.report().residual_max < 0.01f);
    }
}

TEST_CASE("a ball that bounces on a belt gets its spin and speed from the blow") {
    for (const bool simd : {true, false}) {
        CAPTURE(simd);
        TestWorld t;
        set_simd(t, simd);
        belt(t, {1.0f, 0.0f, 0.0f}, 0.9f, 0.5f);
        const Entity ball =
            t.body(TestWorld::sphere(0.2f), {.position = {0.0f, 1.2f, 0.0f}, .friction = 0.9f, .restitution = 0.5f});
        t.run(0.6f);  // it falls for 0.45 s
        REQUIRE(t.velocity(ball).linear.y > 0.0f);
        CHECK(t.velocity(ball).linear.x == doctest::Approx(2.0 / 7.0).epsilon(0.001));
        CHECK(t.velocity(ball).angular.z == doctest::Approx(5.0 / 7.0 / 0.2).epsilon(0.001));
    }
}

TEST_CASE("a heavy box on light ones does on a belt, where it is swept, what it does seen from the belt") {
    const Vec3 speed(0.5f, 0.0f, 0.0f);
    const auto run = [](const Vec3& surface, const Vec3& start) {
        TestWorld t;
        StepSettings s = t.settings();
        s.direct_islands = surface != Vec3(0.0f);  // on the belt it is not taken
        s.sleeping = false;
        t.set(s);
        belt(t, surface);
        Entity top = kNoEntity;
        for (int i = 0; i < 4; ++i)
            top = t.body(TestWorld::box({0.5f, 0.25f, 0.5f}), {.position = {0.0f, 0.25f + 0.5f * float(i), 0.0f},
                                                               .velocity = {start},
                                                               .friction = 0.5f,
                                                               .density = i == 3 ? 20000.0f : 1000.0f});
        t.run(0.1f);
        CHECK(t.world.report().direct_bodies == 0);
        return t.velocity(top).linear;
    };
    const Vec3 on_belt = run(speed, Vec3(0.0f)), on_floor = run(Vec3(0.0f), -speed);
    CHECK(on_belt.x > 0.2f);
    CHECK(glm::length(on_belt - on_floor - speed) < 1e-3f);
}

TEST_CASE("a stack on a running belt is swept, as it is not at rest, and goes with it") {
    TestWorld t;
    belt(t, {0.01f, 0.0f, 0.0f});
    Entity top = kNoEntity;
    for (int i = 0; i < 6; ++i)
        top = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f + float(i), 0.0f}, .friction = 0.5f});
    t.run(10.0f);
    CHECK(t.world.report().direct_bodies == 0);
    CHECK(t.pose(top).position.x == doctest::Approx(0.1).epsilon(0.02));
    CHECK_FALSE(t.world.is_asleep(top));
}

TEST_CASE("the velocity of a surface is told in the collider's frame, which may be turned on its body") {
    for (const bool simd : {true, false}) {
        CAPTURE(simd);
        TestWorld t;
        set_simd(t, simd);
        BodyDesc desc;
        desc.type = BodyType::fixed;
        desc.pose = {{0.0f, -1.0f, 0.0f}, turn({0.0f, 1.0f, 0.0f}, 30.0f)};
        Collider collider{.shape = t.shape(TestWorld::box({20.0f, 1.0f, 20.0f}))};
        collider.local.rotation = turn({0.0f, 1.0f, 0.0f}, 60.0f);
        collider.material.surface_velocity = {1.0f, 0.0f, 0.0f};
        desc.colliders = {collider};
        REQUIRE(t.world.create_body(desc).ok());
        const Entity box = box_on(t);
        t.run(1.0f);
        // x turned by a right angle about y.
        CHECK(t.velocity(box).linear.z == doctest::Approx(-1.0).epsilon(0.001));
        CHECK(std::abs(t.velocity(box).linear.x) < 1e-3f);
    }
}

TEST_CASE("a box that spins on a belt does what it does seen from the belt, whichever body the frame turns with") {
    for (const bool simd : {true, false})
        for (const bool belt_first : {true, false}) {
            CAPTURE(simd);
            CAPTURE(belt_first);
            const Vec3 speed(3.0f, 0.0f, 0.0f);
            const auto run = [&](const Vec3& surface, const Vec3& start) {
                TestWorld t;
                set_simd(t, simd);
                if (belt_first) belt(t, surface);
                const Entity box = t.body(
                    TestWorld::box({0.5f, 0.1f, 0.5f}),
                    {.position = {0.0f, 0.1f, 0.0f}, .velocity = {start, {0.0f, 12.0f, 0.0f}}, .friction = 0.5f});
                if (!belt_first) belt(t, surface);
                t.run(0.2f);
                return t.velocity(box);
            };
            const Velocity on_belt = run(speed, Vec3(0.0f)), on_floor = run(Vec3(0.0f), -speed);
            CHECK(on_belt.linear.x > 0.1f);
            CHECK(on_belt.angular.y < 11.0f);
            // Where the frame turns with the box its points stay with the floor for a step (ContactHead::follows), which the box
            // leaves by 5 cm there and not here.
            CHECK(glm::length(on_belt.linear - on_floor.linear - speed) < (belt_first ? 1e-3f : 2e-2f));
            CHECK(glm::length(on_belt.angular - on_floor.angular) < (belt_first ? 1e-2f : 5e-2f));
        }
}

TEST_CASE("a world with a belt goes on from a snapshot to the last bit, and the belt is part of it") {
    TestWorld t;
    const Entity floor = belt(t, {0.7f, 0.0f, 0.2f});
    const Entity box = box_on(t);
    t.run(0.1f);
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    collider_of(t, floor).material.surface_velocity = Vec3(0.0f);
    t.run(1.0f);
    CHECK(glm::length(t.velocity(box).linear) < 0.01f);
    REQUIRE(t.world.restore(snapshot).ok());
    CHECK(collider_of(t, floor).material.surface_velocity == Vec3(0.7f, 0.0f, 0.2f));
    t.run(1.0f);
    const uint64_t once = t.world.state_hash();
    REQUIRE(t.world.restore(snapshot).ok());
    t.run(1.0f);
    CHECK(t.world.state_hash() == once);
    CHECK(t.velocity(box).linear.x == doctest::Approx(0.7).epsilon(0.001));
}

TEST_CASE("the velocity of a surface has bounds, and a scene file keeps it") {
    const float bad[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 2e6f};
    for (const float value : bad) {
        TestWorld t;
        BodyDesc desc;
        desc.colliders = {
            {.shape = t.shape(TestWorld::sphere(1.0f)), .material = {.surface_velocity = {0.0f, value, 0.0f}}}};
        const auto made = t.world.create_body(desc);
        REQUIRE_FALSE(made.ok());
        CHECK(made.error().find("The velocity of a surface must be") != std::string::npos);
        // Written in place it leaves the collider out, with a warning.
        const Entity floor = t.floor();
        t.step();
        collider_of(t, floor).material.surface_velocity.x = value;
        t.step();
        CHECK(t.world.report().warnings.size() == 1);
    }
    SceneDesc scene;
    scene.shapes.push_back(TestWorld::box({1, 1, 1}));
    scene.bodies.resize(1);
    scene.bodies[0].colliders.resize(1);
    scene.bodies[0].colliders[0].material.surface_velocity = {0.5f, 0.0f, -2.0f};
    const auto read = parse_scene(write_scene(scene), "test");
    REQUIRE_MESSAGE(read.ok(), read.error());
    CHECK(read.value().bodies[0].colliders[0].material.surface_velocity == Vec3(0.5f, 0.0f, -2.0f));
    scene.bodies[0].colliders[0].material.surface_velocity.y = bad[0];
    const auto checked = check(scene);
    REQUIRE_FALSE(checked.ok());
    CHECK(checked.error().find("material.surface_velocity") != std::string::npos);
}

TEST_CASE("a contact problem cannot be captured where a surface moves, and the sentence says so") {
    TestWorld t;
    belt(t, {1.0f, 0.0f, 0.0f});
    box_on(t);
    t.step();
    const auto captured = t.world.capture(kDt);
    REQUIRE_FALSE(captured.ok());
    CHECK(captured.error().find("surface_velocity") != std::string::npos);
}
