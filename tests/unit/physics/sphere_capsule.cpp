// SPDX-License-Identifier: MIT
#include "tests/unit/physics/shape_poses.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

TEST_CASE("two overlapping spheres touch in the middle of their overlap") {
    const Shape unit = sphere(1.0f);
    RawManifold m;
    REQUIRE(collide(unit, at(0, 0, 0), unit, at(1.5f, 0, 0), 0.0f, m));
    CHECK(m.count == 1);
    CHECK(m.points[0].separation == doctest::Approx(-0.5));
    CHECK(near(m.normal, {1, 0, 0}));
    CHECK(near(m.points[0].point, {0.75f, 0, 0}));
    CHECK(m.points[0].base_gap == doctest::Approx(-2.0));
    CHECK(m.points[0].core_a == Vec3(0.0f));
    CHECK(m.points[0].core_b == Vec3(1.5f, 0, 0));

    CHECK(collide(unit, at(0, 0, 0), unit, at(2.0f, 0, 0), 0.0f, m));  // touching counts
    CHECK(m.points[0].separation == doctest::Approx(0.0));
    CHECK_FALSE(collide(unit, at(0, 0, 0), unit, at(2.1f, 0, 0), 0.0f, m));
    CHECK(m.count == 0);
    REQUIRE(collide(unit, at(0, 0, 0), unit, at(2.1f, 0, 0), 0.2f, m));
    CHECK(m.points[0].separation == doctest::Approx(0.1));
    CHECK(near(m.points[0].point, {1.05f, 0, 0}));
}

TEST_CASE("coincident spheres get a finite unit normal and their full depth") {
    const Shape a = sphere(1.0f), b = sphere(0.25f);
    RawManifold m;
    REQUIRE(collide(a, at(3, 4, 5), b, at(3, 4, 5), 0.0f, m));
    CHECK(sound(m, 0.0f));
    CHECK(m.points[0].separation == doctest::Approx(-1.25));
}

TEST_CASE("a sphere on a box: face, corner, and centre inside") {
    const Shape cube = box(Vec3(1.0f)), cooked = box_hull(Vec3(1.0f));
    RawManifold m;
    for (const Shape* target : {&cube, &cooked}) {
        REQUIRE(collide(sphere(0.5f), at(0, 1.4f, 0), *target, at(0, 0, 0), 0.0f, m));
        CHECK(m.points[0].separation == doctest::Approx(-0.1));
        CHECK(near(m.normal, {0, -1, 0}));
        CHECK(near(m.points[0].core_a, {0, 1.4f, 0}));
        CHECK(near(m.points[0].core_b, {0, 1, 0}));
        CHECK(near(m.points[0].point, {0, 0.95f, 0}));
        CHECK(m.points[0].base_gap == doctest::Approx(-0.5));

        REQUIRE(collide(sphere(0.4f), at(1.2f, 1.2f, 1.2f), *target, at(0, 0, 0), 0.0f, m));
        CHECK(m.points[0].separation == doctest::Approx(-0.0535898).epsilon(1e-4));
        CHECK(near(m.normal, Vec3(-0.5773503f)));
        CHECK(near(m.points[0].core_b, Vec3(1.0f)));

        REQUIRE(collide(sphere(0.5f), at(-0.8f, 0.1f, 0), *target, at(0, 0, 0), 0.0f, m));
        CHECK(m.points[0].separation == doctest::Approx(-0.7));
        CHECK(near(m.normal, {1, 0, 0}));

        REQUIRE(collide(sphere(0.5f), at(0, 0, 0), *target, at(0, 0, 0), 0.0f, m));  // centres coincide
        CHECK(sound(m, 0.0f));
        CHECK(m.points[0].separation == doctest::Approx(-1.5));
        CHECK_FALSE(collide(sphere(0.4f), at(1.3f, 1.3f, 1.3f), *target, at(0, 0, 0), 0.1f, m));
    }
}

TEST_CASE("depth and normal are continuous while a sphere sinks through a face") {
    const Shape cube = box(Vec3(1.0f)), cooked = box_hull(Vec3(1.0f)), ball = sphere(0.5f);
    for (const Shape* target : {&cube, &cooked}) {
        float before = 0.0f;
        for (int i = 0; i <= 400; ++i) {
            const float y = 1.2f - 0.001f * float(i);
            RawManifold m;
            REQUIRE(collide(ball, at(0.3f, y, 0.2f), *target, at(0, 0, 0), 0.0f, m));
            CHECK(near(m.normal, {0, -1, 0}, 1e-4f));
            if (i > 0) CHECK(m.points[0].separation - before == doctest::Approx(-0.001).epsilon(1e-2));
            before = m.points[0].separation;
        }
    }
}

TEST_CASE("a sphere meets a capsule at its side, its cap and on its core") {
    const Shape pill = capsule(0.5f, 1.0f), ball = sphere(0.25f);
    RawManifold m;
    REQUIRE(collide(ball, at(0.7f, 0.5f, 0), pill, at(0, 0, 0), 0.0f, m));
    CHECK(m.points[0].separation == doctest::Approx(-0.05));
    CHECK(near(m.normal, {-1, 0, 0}));
    CHECK(near(m.points[0].core_b, {0, 0.5f, 0}));
    REQUIRE(collide(ball, at(0, 1.7f, 0), pill, at(0, 0, 0), 0.0f, m));
    CHECK(m.points[0].separation == doctest::Approx(-0.05));
    CHECK(near(m.normal, {0, -1, 0}));
    REQUIRE(collide(ball, at(0, 0.2f, 0), pill, at(0, 0, 0), 0.0f, m));
    CHECK(sound(m, 0.0f));
    CHECK(m.points[0].separation == doctest::Approx(-0.75));
    CHECK(std::abs(m.normal.y) < 1e-6f);
}

TEST_CASE("parallel capsules touch in two points, crossed ones in one") {
    const Shape pill = capsule(0.5f, 1.0f);
    RawManifold m;
    REQUIRE(collide(pill, at(0, 0, 0), pill, at(0.9f, 0.5f, 0), 0.0f, m));
    REQUIRE(m.count == 2);
    CHECK(near(m.normal, {1, 0, 0}));
    CHECK(m.points[0].separation == doctest::Approx(-0.1));
    CHECK(m.points[1].separation == doctest::Approx(-0.1));
    CHECK(m.points[0].core_a.y == doctest::Approx(-0.5));
    CHECK(m.points[1].core_a.y == doctest::Approx(1.0));
    CHECK(sound(m, 0.0f));

    REQUIRE(collide(pill, at(0, 0, 0), pill, {{0.9f, 0, 0}, turn(90, {1, 0, 0})}, 0.0f, m));
    CHECK(m.count == 1);
    CHECK(near(m.points[0].point, {0.45f, 0, 0}));
    CHECK(m.points[0].separation == doctest::Approx(-0.1));

    REQUIRE(collide(pill, at(0, 0, 0), pill, at(0, 2.9f, 0), 0.0f, m));  // in line, cap to cap
    CHECK(m.count == 1);
    CHECK(near(m.normal, {0, 1, 0}));
    CHECK(m.points[0].separation == doctest::Approx(-0.1));
}

TEST_CASE("degenerate capsules give finite unit normals") {
    const Shape pill = capsule(0.5f, 1.0f), ball_like = capsule(0.5f, 0.0f), cube = box(Vec3(1.0f));
    const Shape tetra = hull({{0, 1, 0}, {1, -1, 1}, {-1, -1, 1}, {0, -1, -1}});
    RawManifold m;
    for (const Quat& q : {turn(0, {1, 0, 0}), turn(90, {1, 0, 0}), turn(30, {1, 2, 3})})
        for (const Shape* a : {&pill, &ball_like})
            for (const Shape* b : {&pill, &ball_like, &cube, &tetra}) {
                REQUIRE(collide(*a, {Vec3(0.0f), q}, *b, at(0, 0, 0), 0.0f, m));
                CHECK(sound(m, 0.0f));
                REQUIRE(collide(*b, at(0, 0, 0), *a, {Vec3(0.0f), q}, 0.0f, m));
                CHECK(sound(m, 0.0f));
            }
}

TEST_CASE("a capsule lies on a box with two points, stands with one, and hangs over its edge") {
    const Shape pill = capsule(0.25f, 0.5f), cube = box(Vec3(1.0f)), cooked = box_hull(Vec3(1.0f));
    for (const Shape* target : {&cube, &cooked}) {
        RawManifold m;
        REQUIRE(collide(pill, {{0, 1.24f, 0}, turn(90, {0, 0, 1})}, *target, at(0, 0, 0), 0.01f, m));
        REQUIRE(m.count == 2);
        CHECK(near(m.normal, {0, -1, 0}));
        for (int i = 0; i < 2; ++i) {
            CHECK(m.points[i].separation == doctest::Approx(-0.01).epsilon(1e-3));
            CHECK(std::abs(std::abs(m.points[i].point.x) - 0.5f) < 1e-5f);
            CHECK(m.points[i].core_b.y == doctest::Approx(1.0));
            CHECK(m.points[i].base_gap == doctest::Approx(-0.25));
        }
        REQUIRE(collide(pill, at(0, 1.74f, 0), *target, at(0, 0, 0), 0.01f, m));
        CHECK(m.count == 1);
        CHECK(near(m.normal, {0, -1, 0}));
        CHECK(m.points[0].separation == doctest::Approx(-0.01).epsilon(1e-3));

        REQUIRE(collide(pill, {{0.9f, 1.24f, 0}, turn(90, {0, 0, 1})}, *target, at(0, 0, 0), 0.01f, m));
        REQUIRE(m.count == 2);  // clipped where the box ends
        CHECK(std::max(m.points[0].point.x, m.points[1].point.x) == doctest::Approx(1.0).epsilon(0.01));

        // Beside the edge x = y = 1 and along it: two points, normal from the edge.
        REQUIRE(collide(pill, {{1.15f, 1.15f, 0}, turn(90, {1, 0, 0})}, *target, at(0, 0, 0), 0.01f, m));
        REQUIRE(m.count == 2);
        CHECK(near(m.normal, Vec3(-0.7071068f, -0.7071068f, 0), 1e-4f));
        CHECK(m.points[0].separation == doctest::Approx(0.2121320 - 0.25).epsilon(1e-3));

        // Across the edge at 45 degrees: one point.
        const Quat across = turn(45, {0, 0, 1});
        REQUIRE(collide(pill, {{1.15f, 1.15f, 0}, across}, *target, at(0, 0, 0), 0.01f, m) == true);
        CHECK(sound(m, 0.01f));
    }
}

TEST_CASE("a capsule whose core enters a box is pushed out the shortest way") {
    const Shape pill = capsule(0.25f, 0.5f), cube = box({2.0f, 1.0f, 2.0f});
    RawManifold m;
    REQUIRE(collide(pill, {{0, 0.9f, 0}, turn(90, {0, 0, 1})}, cube, at(0, 0, 0), 0.0f, m));
    CHECK(near(m.normal, {0, -1, 0}));
    CHECK(m.count == 2);
    CHECK(deepest(m) == doctest::Approx(-0.35));
    // Through the edge: the core crosses the edge of the box at right angles, 0.1 deep along the diagonal.
    const Shape unit = box(Vec3(1.0f)), longer = capsule(0.25f, 3.0f);
    const Vec3 position = Vec3(1, 1, 0) - 0.1f * Vec3(0.7071068f, 0.7071068f, 0);
    REQUIRE(collide(longer, {position, turn(45, {0, 0, 1})}, unit, at(0, 0, 0), 0.0f, m));
    CHECK(near(m.normal, Vec3(-0.7071068f, -0.7071068f, 0), 1e-4f));
    CHECK(deepest(m) == doctest::Approx(-0.35).epsilon(1e-4));
}

TEST_CASE("every shape rests on a half-space") {
    const Shape ground = half_space();
    const Transform floor = at(0, 2, 0);
    RawManifold m;
    REQUIRE(collide(sphere(0.5f), at(1, 2.4f, 1), ground, floor, 0.0f, m));
    CHECK(near(m.normal, {0, -1, 0}));
    CHECK(m.points[0].separation == doctest::Approx(-0.1));
    CHECK(near(m.points[0].core_b, {1, 2, 1}));

    REQUIRE(collide(capsule(0.5f, 1.0f), {{0, 2.45f, 0}, turn(90, {0, 0, 1})}, ground, floor, 0.0f, m));
    CHECK(m.count == 2);
    CHECK(sound(m, 0.0f));

    for (const Shape& shape : {box(Vec3(0.5f)), box_hull(Vec3(0.5f)), prism(24, 0.7f, 0.5f)}) {
        REQUIRE(collide(shape, at(0, 2.49f, 0), ground, floor, 0.02f, m));
        CHECK(m.count == 4);
        CHECK(sound(m, 0.02f));
        for (int i = 0; i < 4; ++i) CHECK(m.points[i].separation == doctest::Approx(-0.01).epsilon(1e-3));
        REQUIRE(collide(ground, floor, shape, at(0, 2.49f, 0), 0.02f, m));
        CHECK(near(m.normal, {0, 1, 0}));
        CHECK_FALSE(collide(shape, at(0, 2.53f, 0), ground, floor, 0.02f, m));
    }
    // A plate thinner than the margin stands on its lower side only.
    REQUIRE(collide(box({0.5f, 0.005f, 0.5f}), at(0, 2.004f, 0), ground, floor, 0.02f, m));
    CHECK(m.count == 4);
    for (int i = 0; i < 4; ++i) CHECK(m.points[i].separation == doctest::Approx(-0.001).epsilon(1e-2));
    CHECK_FALSE(collide(ground, floor, ground, floor, 1.0f, m));
}
