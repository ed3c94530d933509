// SPDX-License-Identifier: MIT
// Contacts with solids that lie flush: what their neighbours hide is no contact, and real edges stay real.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// A world whose bodies slide without friction unless they say otherwise.
struct TileWorld : TestWorld {
    TileWorld() {
        StepSettings s = settings();
        s.sleeping = false;
        set(s);
    }
    Entity tile(const Vec3& position, const Vec3& half, const Quat& rotation = Quat(1, 0, 0, 0)) {
        return body(box(half), {.type = BodyType::fixed, .position = position, .rotation = rotation, .friction = 0.0f});
    }
    /// Boxes of 2 m along x, tops at y = 0, from x = -1 on.
    void row(int count, float gap = 0.0f) {
        for (int i = 0; i < count; ++i) tile({float(i) * (2.0f + gap), -0.5f, 0.0f}, {1.0f, 0.5f, 3.0f});
    }
    Entity slider(const ShapeDesc& shape, const Vec3& position, const Vec3& velocity) {
        return body(shape, {.position = position, .velocity = {velocity, Vec3(0.0f)}, .friction = 0.0f});
    }
    Entity cube(const Vec3& position, const Vec3& velocity) { return slider(box(Vec3(0.5f)), position, velocity); }
    Entity ball(const Vec3& position, const Vec3& velocity) { return slider(sphere(0.5f), position, velocity); }

    float x(Entity e) { return pose(e).position.x; }
    float y(Entity e) { return pose(e).position.y; }
    /// The largest x within a time.
    float farthest(Entity e, float seconds) {
        float most = x(e);
        for (float end = seconds; end > 0.0f; end -= kDt) {
            step();
            most = std::max(most, x(e));
        }
        return most;
    }
    float speed(Entity e) { return velocity(e).linear.x; }
};

ShapeDesc hull_of(std::vector<Vec3> points) {
    ShapeDesc d;
    d.type = ShapeType::hull;
    d.points = std::move(points);
    return d;
}
Vec3 direction(Random& random) {
    Vec3 v(0.0f);
    while (glm::length(v) < 0.1f)
        v = {random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f)};
    return glm::normalize(v);
}
ShapeDesc pyramid() {
    return hull_of(
        {{-0.5f, 0.0f, -0.5f}, {0.5f, 0.0f, -0.5f}, {-0.5f, 0.0f, 0.5f}, {0.5f, 0.0f, 0.5f}, {0.0f, 1.0f, 0.0f}});
}

}  // namespace

TEST_CASE("a cube and a ball go over a row of flush boxes at the speed they had") {
    for (const bool round : {false, true}) {
        TileWorld t;
        t.row(10);
        const Entity e =
            round ? t.ball({0.0f, 0.5f, 0.0f}, {4.0f, 0.0f, 0.0f}) : t.cube({0.0f, 0.5f, 0.0f}, {4.0f, 0.0f, 0.0f});
        for (int i = 0; i < 240; ++i) {
            t.step();
            CHECK(t.speed(e) == doctest::Approx(4.0).epsilon(1e-4));
            CHECK(std::abs(t.y(e) - 0.5f) < 0.003f);  // sag
        }
        CHECK(t.x(e) == doctest::Approx(16.0).epsilon(1e-3));
    }
}

TEST_CASE("a cube that is turned goes over flush boxes and does not turn") {
    TileWorld t;
    for (int i = 0; i < 10; ++i)
        for (int k = -2; k <= 2; ++k) t.tile({float(i), -0.5f, float(k)}, Vec3(0.5f));
    const Entity e = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.1f},
                                                         .rotation = turn({0.0f, 1.0f, 0.0f}, 25.0f),
                                                         .velocity = {{3.0f, 0.0f, 0.3f}, Vec3(0.0f)},
                                                         .friction = 0.0f});
    t.run(2.5f);
    CHECK(t.speed(e) == doctest::Approx(3.0).epsilon(1e-3));
    CHECK(glm::length(t.velocity(e).angular) < 1e-2f);
}

TEST_CASE("tiles may be hulls, and lie flush in a half-space") {
    TileWorld t;
    t.body(TestWorld::half_space(), {.type = BodyType::fixed, .friction = 0.0f});
    std::vector<Vec3> corners;
    for (int i = 0; i < 8; ++i) corners.push_back({i & 1 ? 1.0f : -1.0f, i & 2 ? 0.0f : -1.0f, i & 4 ? 3.0f : -3.0f});
    for (int i = 1; i < 4; ++i)
        t.body(hull_of(corners),
               {.type = BodyType::fixed, .position = {2.0f * float(i), 0.0f, 0.0f}, .friction = 0.0f});
    const Entity a = t.cube({0.0f, 0.5f, -1.0f}, {4.0f, 0.0f, 0.0f}),
                 b = t.ball({0.0f, 0.5f, 1.0f}, {4.0f, 0.0f, 0.0f});
    t.run(2.5f);
    CHECK(t.speed(a) == doctest::Approx(4.0).epsilon(1e-3));
    CHECK(t.speed(b) == doctest::Approx(4.0).epsilon(1e-3));
}

TEST_CASE("a step of a twentieth stops what runs into it, a box, a ball, and the toe of a pyramid") {
    for (const ShapeDesc& shape : {TestWorld::box(Vec3(0.5f)), pyramid()}) {
        TileWorld t;
        t.tile({0.0f, -0.5f, 0.0f}, {2.0f, 0.5f, 3.0f});
        t.tile({4.0f, -0.45f, 0.0f}, {2.0f, 0.5f, 3.0f});  // its top is at 0.05
        const Entity e = t.slider(shape, {0.0f, shape.type == ShapeType::box ? 0.5f : 0.0f, 0.0f}, {2.0f, 0.0f, 0.0f});
        // The blow is far below its centre: it rocks, and comes back.
        CHECK(t.farthest(e, 1.5f) < 1.6f);
        CHECK(t.speed(e) < 1.0f);
    }
    // A slow ball is not lifted over it.
    TileWorld t;
    t.tile({0.0f, -0.5f, 0.0f}, {2.0f, 0.5f, 3.0f});
    t.tile({4.0f, -0.45f, 0.0f}, {2.0f, 0.5f, 3.0f});
    CHECK(t.farthest(t.ball({0.0f, 0.5f, 0.0f}, {0.5f, 0.0f, 0.0f}), 5.0f) < 1.85f);
}

TEST_CASE("a step of half a hundredth is no step") {
    TileWorld t;
    t.tile({0.0f, -0.5f, 0.0f}, {2.0f, 0.5f, 3.0f});
    t.tile({4.0f, -0.495f, 0.0f}, {2.0f, 0.5f, 3.0f});
    const Entity e = t.cube({0.0f, 0.5f, 0.0f}, {2.0f, 0.0f, 0.0f});
    t.run(2.0f);
    CHECK(t.speed(e) == doctest::Approx(2.0).epsilon(0.01));
    CHECK(t.y(e) == doctest::Approx(0.505).epsilon(2e-3));
}

TEST_CASE("the end of a lone tile stops what hits it, and so does the end of a row") {
    for (const int tiles : {1, 3}) {
        TileWorld t;
        t.body(TestWorld::half_space(), {.type = BodyType::fixed, .friction = 0.0f});
        for (int i = 0; i < tiles; ++i) t.tile({4.0f + 2.0f * float(i), 0.5f, 0.0f}, {1.0f, 0.5f, 3.0f});
        const Entity a = t.cube({0.0f, 0.5f, -1.5f}, {3.0f, 0.0f, 0.0f}),
                     b = t.ball({0.0f, 0.5f, 0.0f}, {3.0f, 0.0f, 0.0f}),
                     c = t.slider(pyramid(), {0.0f, 0.0f, 1.5f}, {3.0f, 0.0f, 0.0f});
        CHECK(t.farthest(c, 2.0f) ==
              doctest::Approx(2.5).epsilon(0.01));  // and comes back a little: it was hit at its toe
        for (const Entity e : {a, b}) {
            CHECK(t.x(e) == doctest::Approx(2.5).epsilon(0.01));
            CHECK(std::abs(t.speed(e)) < 0.05f);
            CHECK(std::abs(t.pose(e).rotation.w) > 0.999f);
        }
    }
}

TEST_CASE("a gap between tiles is a gap: a ball falls through one, and rests on one that is smaller") {
    TileWorld t;
    t.row(2, 1.2f);
    const Entity falls = t.ball({1.6f, 0.5f, 0.0f}, Vec3(0.0f));
    t.run(1.0f);
    CHECK(t.y(falls) < -2.0f);
    for (const float gap : {0.001f, 0.004f, 0.02f, 0.2f}) {
        CAPTURE(gap);
        TileWorld w;
        w.row(2, gap);
        const Entity rests = w.ball({1.0f + 0.5f * gap, 0.5f, 0.0f}, Vec3(0.0f));
        w.run(2.0f);
        CHECK(w.y(rests) == doctest::Approx(std::sqrt(0.25 - 0.25 * double(gap * gap))).epsilon(0.004));
    }
}

TEST_CASE("a wall on a floor of tiles stops what slides into it, upright, whether it stands on the floor or in it") {
    for (const float foot : {0.0f, -1.0f}) {
        TileWorld t;
        t.row(3);
        t.tile({5.5f, foot + 1.0f, 0.0f}, {0.5f, 1.0f, 3.0f});
        const Entity a = t.cube({0.0f, 0.5f, -1.5f}, {3.0f, 0.0f, 0.0f}),
                     b = t.slider(pyramid(), {0.0f, 0.0f, 1.0f}, {3.0f, 0.0f, 0.0f});
        CHECK(t.farthest(b, 3.0f) == doctest::Approx(4.5).epsilon(0.01));
        CHECK(t.x(a) == doctest::Approx(4.5).epsilon(0.01));
        CHECK(std::abs(t.pose(a).rotation.w) > 0.999f);
    }
}

TEST_CASE("the ridge of a roof and the bottom of a valley hold what lies there") {
    for (const float degrees : {-30.0f, -5.0f, 3.0f, 20.0f}) {  // of the right slab, upwards
        CAPTURE(degrees);
        TileWorld t;
        const float angle = glm::radians(degrees);
        for (const float side : {-1.0f, 1.0f}) {
            // Slabs whose upper edges meet at the origin.
            const Quat rotation = turn({0.0f, 0.0f, 1.0f}, side * degrees);
            t.tile(rotation * Vec3(side * 3.0f, -0.25f, 0.0f), {3.0f, 0.25f, 3.0f}, rotation);
        }
        const float lift = degrees > 0.0f ? 0.5f / std::cos(angle) : 0.5f;
        const Entity e = t.ball({0.0f, lift, 0.0f}, Vec3(0.0f));
        t.run(1.0f);
        if (degrees > 0.0f) {
            CHECK(std::abs(t.x(e)) < 0.01f);
            CHECK(t.y(e) == doctest::Approx(lift).epsilon(0.01));
        } else {  // it rolls off one side, or stays on top: never into the solid
            const float slope = -std::tan(-angle) * std::abs(t.x(e));
            CHECK(t.y(e) > slope + 0.49f);
        }
    }
}

TEST_CASE("what goes from a floor up a ramp, or over a ridge, keeps to the surface") {
    for (const float degrees : {-15.0f, 2.0f, 15.0f}) {
        for (const bool round : {false, true}) {
            CAPTURE(degrees);
            CAPTURE(round);
            TileWorld t;
            t.tile({-3.0f, -0.5f, 0.0f}, {3.0f, 0.5f, 3.0f});
            const Quat rotation = turn({0.0f, 0.0f, 1.0f}, degrees);
            t.tile(rotation * Vec3(5.0f, -0.5f, 0.0f), {5.0f, 0.5f, 3.0f}, rotation);
            const Entity e = round ? t.ball({-2.0f, 0.5f, 0.0f}, {4.0f, 0.0f, 0.0f})
                                   : t.cube({-2.0f, 0.5f, 0.0f}, {4.0f, 0.0f, 0.0f});
            float lowest = 1.0f;
            const Vec3 normal = rotation * Vec3(0.0f, 1.0f, 0.0f);
            for (int i = 0; i < 60; ++i) {
                t.step();
                const Vec3 p = t.pose(e).position;
                // Above the surface: the lower one of two planes for a ridge, the higher one for a valley.
                const float above =
                    degrees > 0.0f ? std::min(p.y, glm::dot(normal, p)) : std::max(p.y, glm::dot(normal, p));
                lowest = std::min(lowest, above);
            }
            CHECK(t.x(e) > 0.5f);
            CHECK(lowest > 0.48f);
        }
    }
}

TEST_CASE("what lands on a seam with a corner is held") {
    for (const float off : {-0.002f, 0.0f, 0.0003f, 0.002f}) {
        CAPTURE(off);
        TileWorld t;
        t.tile({-1.0f, -0.5f, 0.0f}, {1.0f, 0.5f, 3.0f});
        t.tile({1.0f, -0.5f, 0.0f}, {1.0f, 0.5f, 3.0f});
        const Quat on_corner = turn({1.0f, 0.0f, -1.0f}, 54.735610f);
        const Entity e = t.body(TestWorld::box(Vec3(0.5f)),
                                {.position = {off, 1.2f, 0.3f}, .rotation = on_corner, .friction = 0.6f});
        for (int i = 0; i < 180; ++i) {
            t.step();
            CHECK(t.y(e) > 0.49f);
        }
    }
}

TEST_CASE("what tumbles without friction over a mosaic of boxes keeps its momentum along the floor") {
    // Directions that lean by less than 0.01 count as those of the floor: a hundredth is what that may cost.
    for (const uint32_t seed : {1u, 2u, 3u, 4u, 5u, 6u})
        for (int what = 0; what < 4; ++what) {
            CAPTURE(seed);
            CAPTURE(what);
            Random random{seed};
            TileWorld t;
            for (float x = -8.0f, width = 0.0f; x < 8.0f; x += width) {
                width = random.between(0.5f, 1.9f);
                for (float z = -4.0f, length = 0.0f; z < 4.0f; z += length) {
                    length = random.between(0.5f, 1.9f);
                    t.tile({x + 0.5f * width, -0.5f, z + 0.5f * length}, {0.5f * width, 0.5f, 0.5f * length});
                }
            }
            std::vector<Vec3> points(14);
            for (Vec3& p : points) p = 0.5f * direction(random);
            const Vec3 start(3.0f, 0.0f, random.between(-0.3f, 0.3f));
            const Entity e = t.body(what == 0   ? TestWorld::box({0.5f, 0.35f, 0.5f})
                                    : what == 1 ? TestWorld::sphere(0.5f)
                                    : what == 2 ? TestWorld::capsule(0.3f, 0.3f)
                                                : hull_of(points),
                                    {.position = {-6.0f, 0.9f, 0.0f},
                                     .rotation = turn(direction(random), random.between(0.0f, 180.0f)),
                                     .velocity = {start, 2.0f * direction(random)},
                                     .friction = 0.0f});
            while (t.x(e) < 6.0f) {
                t.step();
                const Vec3 lost = t.velocity(e).linear - start;
                REQUIRE(std::hypot(lost.x, lost.z) < 0.03f);
                REQUIRE(t.y(e) > 0.05f);
            }
        }
}

TEST_CASE("a neighbour that the body does not collide with hides nothing") {
    TileWorld t;
    t.tile({0.0f, -0.5f, 0.0f}, {2.0f, 0.5f, 3.0f});
    t.tile({4.0f, -0.5f, 0.0f}, {2.0f, 0.5f, 3.0f});
    const Entity above = t.tile({0.0f, 0.5f, 0.0f}, {6.0f, 0.5f, 3.0f});
    t.world.registry().patch<Collider>(t.world.colliders(above).at(0), [](Collider& c) { c.layer = 2; });
    const Entity e = t.cube({0.0f, 0.5f, 0.0f}, {2.0f, 0.0f, 0.0f});
    t.world.registry().patch<Collider>(t.world.colliders(e).at(0), [](Collider& c) { c.mask = ~2u; });
    t.run(1.0f);
    CHECK(t.y(e) == doctest::Approx(0.5).epsilon(0.01));
    CHECK(t.speed(e) == doctest::Approx(2.0).epsilon(1e-3));
}

TEST_CASE("a world on tiles has the same future after a restore, and with more threads") {
    const auto build = [](TestWorld& t) {
        for (int i = 0; i < 8; ++i)
            for (int k = 0; k < 4; ++k)
                t.body(TestWorld::box(Vec3(0.5f)), {.type = BodyType::fixed, .position = {float(i), -0.5f, float(k)}});
        for (int i = 0; i < 12; ++i)
            t.body(i % 3 == 0   ? TestWorld::sphere(0.3f)
                   : i % 3 == 1 ? TestWorld::capsule(0.2f, 0.3f)
                                : TestWorld::box(Vec3(0.3f)),
                   {.position = {0.5f * float(i), 0.6f + 0.1f * float(i), 1.0f + 0.2f * float(i % 5)},
                    .velocity = {{1.0f, 0.0f, 0.5f}, Vec3(0.0f, 1.0f, 2.0f)}});
    };
    TestWorld one(1), three(3);
    build(one);
    build(three);
    one.run(0.5f);
    three.run(0.5f);
    CHECK(one.world.state_hash() == three.world.state_hash());
    engine::Snapshot snapshot;
    one.world.save(snapshot);
    one.run(0.5f);
    const uint64_t expected = one.world.state_hash();
    REQUIRE(one.world.restore(snapshot).ok());
    one.run(0.5f);
    CHECK(one.world.state_hash() == expected);
}
