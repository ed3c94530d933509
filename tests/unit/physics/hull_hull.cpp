// SPDX-License-Identifier: MIT
#include "tests/unit/physics/shape_poses.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

TEST_CASE("boxes cooked as hulls collide like boxes") {
    Random random(61);
    const Vec3 ha(0.5f, 0.7f, 0.4f), hb(0.3f, 0.9f, 0.6f);
    const Shape a = box(ha), b = box(hb), cooked_a = box_hull(ha), cooked_b = box_hull(hb);
    int touching = 0, ties = 0;
    for (int i = 0; i < 3000; ++i) {
        const Transform pa{random.vector(0.6f), random.rotation()}, pb{random.vector(0.6f), random.rotation()};
        RawManifold boxes, hulls, mixed;
        const bool first = collide(a, pa, b, pb, 0.02f, boxes);
        CHECK(first == collide(cooked_a, pa, cooked_b, pb, 0.02f, hulls));
        CHECK(first == collide(a, pa, cooked_b, pb, 0.02f, mixed));
        if (!first) continue;
        ++touching;
        for (const RawManifold* m : {&hulls, &mixed}) {
            CHECK(sound(*m, 0.02f));
            CHECK(std::abs(deepest(*m) - deepest(boxes)) < 3e-3f);
            if (!near(m->normal, boxes.normal, 1e-3f) || m->count != boxes.count ||
                std::abs(deepest(*m) - deepest(boxes)) > 1e-4f)
                ++ties;
        }
    }
    CHECK(touching > 1500);
    CHECK(ties < touching / 100);  // where two axes differ by the slop, to the last bits
}

TEST_CASE("a tetrahedron stands on a box with three points and with its tip in one") {
    const Shape cube = box(Vec3(1.0f));
    const Shape tetra = hull({{0, 1, 0}, {0.5f, 0, 0.5f}, {-0.5f, 0, 0.5f}, {0, 0, -0.5f}});
    RawManifold m;
    REQUIRE(collide(cube, at(0, 0, 0), tetra, at(0, 0.99f, 0), 0.005f, m));
    CHECK(m.count == 3);
    CHECK(near(m.normal, {0, 1, 0}));
    CHECK(deepest(m) == doctest::Approx(-0.01).epsilon(1e-3));
    REQUIRE(collide(cube, at(0, 0, 0), tetra, {{0, 1.99f, 0}, turn(180, {1, 0, 0})}, 0.005f, m));
    CHECK(m.count == 1);
    CHECK(near(m.normal, {0, 1, 0}, 1e-4f));
    CHECK(near(m.points[0].point, {0, 0.995f, 0}, 1e-4f));
}

TEST_CASE("prisms with many sides stand on each other with four spanning points") {
    const Shape wide = prism(60, 1.0f, 0.5f), slim = prism(127, 0.8f, 0.5f);
    RawManifold m;
    for (int degrees = 0; degrees < 90; ++degrees) {
        REQUIRE(collide(wide, at(0, 0, 0), slim, {{0.1f, 0.995f, 0}, turn(float(degrees), {0, 1, 0})}, 0.02f, m));
        CHECK(m.count == 4);
        CHECK(sound(m, 0.02f));
        CHECK(near(m.normal, {0, 1, 0}));
        Vec3 middle(0.0f);
        for (int i = 0; i < 4; ++i) middle += 0.25f * m.points[i].point;
        CHECK(near(middle, {0.1f, 0.4975f, 0}, 0.1f));
    }
}

TEST_CASE("the order of two hulls flips the normal and keeps the depth") {
    Random random(62);
    int touching = 0;
    for (int pair = 0; pair < 20; ++pair) {
        const Shape a = random.cloud(6 + pair, 0.7f), b = random.cloud(30 - pair, 0.7f);
        for (int i = 0; i < 100; ++i) {
            const Transform pa{random.vector(0.5f), random.rotation()}, pb{random.vector(0.5f), random.rotation()};
            RawManifold ab, ba;
            const bool first = collide(a, pa, b, pb, 0.02f, ab);
            CHECK(first == collide(b, pb, a, pa, 0.02f, ba));
            if (!first || ba.count == 0) continue;
            ++touching;
            CHECK(std::abs(deepest(ab) - deepest(ba)) < 3e-3f);
        }
    }
    CHECK(touching > 1000);
}

TEST_CASE("all pairs of types: swapping the bodies flips the normal and exchanges the cores") {
    Random random(63);
    const Shape shapes[] = {sphere(0.5f), box({0.5f, 0.4f, 0.3f}), capsule(0.3f, 0.4f), random.cloud(14, 0.6f),
                            half_space()};
    for (const Shape& a : shapes)
        for (const Shape& b : shapes) {
            if (a.type == b.type) continue;
            int touching = 0;
            for (int i = 0; i < 200; ++i) {
                const Transform pa{random.vector(0.4f), random.rotation()}, pb{random.vector(0.4f), random.rotation()};
                RawManifold ab, ba;
                const bool first = collide(a, pa, b, pb, 0.02f, ab);
                REQUIRE(first == collide(b, pb, a, pa, 0.02f, ba));
                if (!first) continue;
                ++touching;
                CHECK(sound(ab, 0.02f));
                REQUIRE(ab.count == ba.count);
                CHECK(ab.normal == -ba.normal);
                for (int k = 0; k < ab.count; ++k) {
                    CHECK(ab.points[k].separation == ba.points[k].separation);
                    CHECK(ab.points[k].feature == ba.points[k].feature);
                    CHECK(ab.points[k].point == ba.points[k].point);
                    CHECK(ab.points[k].core_a == ba.points[k].core_b);
                }
            }
            CHECK(touching > 50);
        }
}

TEST_CASE("the features of a hull at rest survive small motions") {
    const Shape ground = box({5.0f, 0.5f, 5.0f}), hexagon = prism(6, 0.5f, 0.5f);
    Random random(64);
    for (const Shape* other : {&ground, &hexagon}) {
        std::vector<uint32_t> expected;
        int changes = 0;
        for (int frame = 0; frame < 2000; ++frame) {
            const Transform pose{Vec3(0.013f, 0.9995f, 0.021f) + random.vector(2e-5f),
                                 turn(random.uniform(-0.005f, 0.005f), random.direction()) * turn(10, {0, 1, 0})};
            RawManifold m;
            REQUIRE(collide(*other, at(0, 0, 0), hexagon, pose, 0.02f, m));
            std::vector<uint32_t> ids;
            for (int i = 0; i < m.count; ++i) ids.push_back(m.points[i].feature);
            if (frame == 0) expected = ids;
            if (ids != expected) ++changes;
            CHECK(m.count == 4);
        }
        CHECK(changes == 0);
    }
}

TEST_CASE("poses that are not finite do no harm") {
    Random random(65);
    const float bad[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1e38f};
    const Shape shapes[] = {sphere(0.5f),           box({0.5f, 0.4f, 0.3f}), capsule(0.3f, 0.4f),
                            random.cloud(14, 0.6f), prism(40, 0.5f, 0.5f),   half_space()};
    for (const Shape& a : shapes)
        for (const Shape& b : shapes)
            for (float x : bad)
                for (int k = 0; k < 7; ++k) {
                    Transform pose{random.vector(0.3f), random.rotation()};
                    (k < 3 ? pose.position[k] : pose.rotation[k - 3]) = x;
                    RawManifold m;
                    SatCache cache;
                    collide(a, at(0, 0, 0), b, pose, 0.02f, m, &cache);
                    CHECK(m.count <= kMaxManifoldPoints);
                    collide(a, pose, b, pose, 0.02f, m, &cache);
                    CHECK(m.count <= kMaxManifoldPoints);
                }
}
