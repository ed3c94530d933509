// SPDX-License-Identifier: MIT
// One-way surfaces: open in one direction, whole in the other, whatever moves how slowly.
#include <cmath>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const Vec3 kUp{0.0f, 1.0f, 0.0f};

Entity platform(TestWorld& t, const Vec3& at, const Quat& rotation = Quat(1.0f, 0.0f, 0.0f, 0.0f),
                BodyType type = BodyType::fixed, const Vec3& half = {2.0f, 0.25f, 2.0f}) {
    const Entity body = t.body(TestWorld::box(half), {.type = type, .position = at, .rotation = rotation});
    REQUIRE(t.world.set_contact_rules(body, {.one_way = 3.0f * kUp}).ok());
    return body;
}

void weightless(TestWorld& t) {
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
}

ShapeDesc mover(int kind, float size) {
    if (kind == 0) return TestWorld::sphere(size);
    if (kind == 1) return TestWorld::box(size * Vec3(1.0f, 0.8f, 0.6f));
    if (kind == 2) return TestWorld::capsule(0.5f * size, 0.5f * size);
    ShapeDesc wedge;
    wedge.type = ShapeType::hull;
    wedge.points = {size * Vec3(-1.0f, -0.5f, -0.8f), size * Vec3(1.0f, -0.5f, -0.8f), size * Vec3(1.0f, -0.5f, 0.8f),
                    size * Vec3(-1.0f, -0.5f, 0.8f), size * Vec3(0.0f, 1.0f, 0.0f)};
    return wedge;
}

}  // namespace

TEST_CASE("what comes with the direction passes without feeling anything, however slow or fast, at every tilt") {
    Random random{11};
    for (int i = 0; i < 60; ++i) {
        TestWorld t;
        weightless(t);
        const int kind = int(random.below(4));
        const float size = random.between(0.1f, 0.8f), angle = random.between(0.0f, 180.0f);
        const float speed = i % 3 == 0 ? random.between(0.02f, 0.2f) : random.between(0.5f, 40.0f);
        CAPTURE(i);
        CAPTURE(speed);
        const Quat tilt = turn({random.between(-1.0f, 1.0f), 0.3f, 1.0f}, angle);
        const Entity open = platform(t, Vec3(0.0f), tilt);
        (void)open;
        const Vec3 way = tilt * kUp;
        const float start = 0.3f + 2.0f * size;
        const Vec3 aside = tilt * Vec3(random.between(-2.2f, 2.2f), 0.0f, random.between(-1.0f, 1.0f));
        const Velocity v{.linear = speed * way, .angular = i % 2 ? Vec3(0.3f, 0.1f, -0.2f) * speed : Vec3(0.0f)};
        const Entity body =
            t.body(mover(kind, size), {.position = aside - start * way, .rotation = tilt, .velocity = v});
        const float dt = std::min(kDt, 0.02f / speed * 4.0f) > 1e-3f ? kDt : kDt;
        const int steps = int(2.2f * start / (speed * dt)) + 2;
        for (int k = 0; k < steps; ++k) {
            t.step(dt);
            REQUIRE(t.world.events().begin.empty());
        }
        CHECK(glm::dot(t.velocity(body).linear, way) == doctest::Approx(speed).epsilon(1e-5));
        CHECK(glm::dot(t.pose(body).position - aside, way) > 0.9f * start);
    }
}

TEST_CASE("what comes against the direction is stopped, at every tilt, speed, shape and size") {
    Random random{23};
    for (int i = 0; i < 60; ++i) {
        TestWorld t;
        weightless(t);
        const int kind = int(random.below(4));
        const float size = random.between(0.1f, 0.8f),
                    speed = i % 3 ? random.between(0.1f, 3.0f) : random.between(5.0f, 30.0f);
        CAPTURE(i);
        CAPTURE(kind);
        CAPTURE(speed);
        const Quat tilt = turn({random.between(-1.0f, 1.0f), 0.3f, 1.0f}, random.between(0.0f, 180.0f));
        platform(t, Vec3(0.0f), tilt);
        const Vec3 way = tilt * kUp;
        const float start = 0.6f + 2.0f * size;
        const Vec3 aside = tilt * Vec3(random.between(-1.0f, 1.0f), 0.0f, random.between(-1.0f, 1.0f));
        const Entity body =
            t.body(mover(kind, size), {.position = aside + start * way,
                                       .rotation = tilt * turn({1.0f, 0.2f, 0.4f}, 70.0f * float(i % 2)),
                                       .velocity = {.linear = -speed * way, .angular = {}}});
        t.run(3.0f * start / speed + 0.2f);
        CHECK(glm::dot(t.pose(body).position, way) > 0.2f);
        CHECK(glm::dot(t.velocity(body).linear, way) > -0.02f * speed);
    }
}

TEST_CASE("jumping: through from below, up to an apex, and standing; too short a jump falls back through") {
    for (const int kind : {0, 1, 2, 3})
        for (const float above : {-0.6f, -0.3f, -0.05f, 0.05f, 0.3f, 1.0f}) {
            CAPTURE(kind);
            CAPTURE(above);
            TestWorld t;
            t.floor();
            platform(t, {0.0f, 3.0f, 0.0f});
            const Entity body = t.body(mover(kind, 0.4f), {.position = {0.0f, 1.0f, 0.0f}});
            t.run(1.5f);
            const float rest = t.pose(body).position.y;  // height of the middle over what it stands on
            // The lowest point gets so far above the top at 3.25.
            const float rise = 3.25f + above;
            REQUIRE(
                t.world.set_velocity(body, {.linear = {0.0f, std::sqrt(2.0f * kG * rise), 0.0f}, .angular = {}}).ok());
            t.run(4.0f);
            const float stands = t.pose(body).position.y;
            CHECK(stands == doctest::Approx(above > 0.0f ? 3.25f + rest : rest).epsilon(0.02));
            CHECK(glm::length(t.velocity(body).linear) < 0.05f);
            if (above < 0.0f) continue;
            // Once more, from the platform.
            t.velocity(body).linear.y = 3.0f;
            t.run(3.0f);
            CHECK(t.pose(body).position.y == doctest::Approx(3.25f + rest).epsilon(0.02));
        }
}

TEST_CASE("a box stands and sleeps on a one-way platform, and a snapshot in the middle of a passage goes on with it") {
    TestWorld t;
    t.floor();
    platform(t, {0.0f, 2.0f, 0.0f});
    const Entity stands = t.body(TestWorld::box(Vec3(0.4f)), {.position = {1.0f, 2.65f, 0.0f}});
    const Entity jumps = t.body(TestWorld::box(Vec3(0.3f)), {.position = {-1.0f, 0.3f, 0.0f}});
    t.run(2.0f);
    CHECK(t.world.is_asleep(stands));
    CHECK(t.pose(stands).position.y == doctest::Approx(2.65f).epsilon(0.005));
    REQUIRE(t.world.set_velocity(jumps, {.linear = {0.0f, 5.9f, 0.0f}, .angular = {}}).ok());
    for (int i = 0; i < 120; ++i) {
        engine::Snapshot snapshot;
        t.world.save(snapshot);
        t.step();
        const uint64_t next = t.world.state_hash();
        REQUIRE(t.world.restore(snapshot).ok());
        t.step();
        REQUIRE(t.world.state_hash() == next);
    }
    CHECK(t.world.is_asleep(stands));
    CHECK(t.pose(jumps).position.y == doctest::Approx(0.3f).epsilon(0.02));  // its apex was within the platform
}

TEST_CASE("a platform that moves carries what stands on it, and lets through what it comes down on") {
    for (const float speed : {0.2f, 1.0f, 4.0f}) {
        CAPTURE(speed);
        TestWorld t;
        t.floor();
        const Entity lift = platform(t, {0.0f, 4.0f, 0.0f}, Quat(1.0f, 0.0f, 0.0f, 0.0f), BodyType::kinematic);
        const Entity rider = t.body(TestWorld::box(Vec3(0.3f)), {.position = {1.0f, 4.55f, 0.0f}});
        const Entity below = t.body(TestWorld::box(Vec3(0.3f)), {.position = {-1.0f, 0.3f, 0.0f}});
        t.run(0.5f);
        // Down over the one below, as far as its middle, and up again.
        for (const float direction : {-1.0f, 1.0f}) {
            t.velocity(lift).linear = {0.0f, direction * speed, 0.0f};
            t.run(3.4f / speed);
            t.velocity(lift).linear = Vec3(0.0f);
            t.run(1.0f);
            CHECK(t.pose(rider).position.y - t.pose(lift).position.y == doctest::Approx(0.55f).epsilon(0.02));
            CHECK(t.pose(below).position.y == doctest::Approx(0.3f).epsilon(0.01));
        }
        CHECK(t.pose(rider).position.x == doctest::Approx(1.0f).epsilon(0.01));
    }
}

TEST_CASE("balls and boxes go along a row of one-way tiles as along one, and pass through it from below") {
    for (const int kind : {0, 1}) {
        TestWorld t;
        for (int i = 0; i < 10; ++i)
            platform(t, {float(i) - 4.5f, 0.0f, 0.0f}, Quat(1.0f, 0.0f, 0.0f, 0.0f), BodyType::fixed,
                     {0.5f, 0.25f, 1.0f});
        const Entity body = t.body(mover(kind, 0.3f), {.position = {-4.0f, kind == 0 ? 0.55f : 0.49f, 0.0f},
                                                       .velocity = {.linear = {6.0f, 0.0f, 0.0f}, .angular = {}},
                                                       .friction = 0.0f});
        for (int i = 0; i < 70; ++i) {
            t.step();
            REQUIRE(std::abs(t.velocity(body).linear.y) < 0.02f);
        }
        CHECK(t.velocity(body).linear.x == doctest::Approx(6.0f).epsilon(1e-3));
        const Entity riser = t.body(mover(kind, 0.3f), {.position = {0.0f, -1.0f, 0.0f},
                                                        .velocity = {.linear = {0.0f, 8.0f, 0.0f}, .angular = {}}});
        t.run(2.5f);
        CHECK(t.pose(riser).position.y == doctest::Approx(kind == 0 ? 0.55f : 0.49f).epsilon(0.01));
        CHECK(std::abs(t.pose(riser).position.x) < 0.05f);
    }
}

TEST_CASE("a body of several colliders passes as a whole, and is not left hanging") {
    for (const float apex : {0.2f, 0.5f, 0.8f}) {  // of the height of the body that gets above
        CAPTURE(apex);
        TestWorld t;
        t.floor();
        platform(t, {0.0f, 4.0f, 0.0f});
        BodyDesc b;
        b.pose.position = {0.0f, 0.3f, 0.0f};
        const ShapeId ball = t.shape(TestWorld::sphere(0.3f));
        for (int i = 0; i < 3; ++i)
            b.colliders.push_back(
                {.shape = ball, .local = {{0.0f, 0.8f * float(i), 0.0f}, Quat(1.0f, 0.0f, 0.0f, 0.0f)}});
        b.velocity.linear.y = std::sqrt(2.0f * kG * (4.25f - 2.2f * (1.0f - apex)));
        const Entity man = t.world.create_body(b).value();
        t.run(1.6f);
        CHECK(t.pose(man).position.y < 2.0f);
    }
}
