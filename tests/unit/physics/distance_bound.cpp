// SPDX-License-Identifier: MIT
// Pairs without contact say how far apart they are at least; an independent distance in double precision checks it.
#include <array>

#include "tests/unit/physics/exact_distance.h"
#include "tests/unit/physics/shape_poses.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

struct Bounds {
    int separated = 0, too_large = 0, below_margin = 0;
    double sum_bound = 0.0, sum_exact = 0.0;
};

void judge(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
           SatCache* cache, Bounds& t) {
    RawManifold m;
    if (collide(a, pose_a, b, pose_b, margin, m, cache)) return;
    ++t.separated;
    const double exact = exact_distance(a, pose_a, b, pose_b);
    if (double(m.distance) > exact) ++t.too_large;
    const float rounding = 2e-5f * std::min(a.bounding_radius, 2.0f) + 2e-5f * std::min(b.bounding_radius, 2.0f);
    if (m.distance < margin - rounding) ++t.below_margin;
    t.sum_bound += double(m.distance);
    t.sum_exact += exact;
}

}  // namespace

TEST_CASE("pairs without contact are at least as far apart as they say") {
    Random random(81);
    const std::array<Shape, 8> shapes = {
        sphere(0.5f),           box({0.5f, 0.4f, 0.3f}), box({1.0f, 0.02f, 1.0f}), capsule(0.3f, 0.5f),
        random.cloud(16, 0.6f), prism(9, 0.5f, 0.1f),    random.cloud(40, 0.8f),   half_space()};
    for (const Shape& a : shapes)
        for (const Shape& b : shapes) {
            if (a.type == ShapeType::half_space) continue;
            const float reach = b.type == ShapeType::half_space ? 1.0f : a.bounding_radius + b.bounding_radius;
            Bounds t;
            SatCache cache;
            for (int i = 0; i < 150; ++i) {
                const Transform pose_a{random.vector(20.0f), random.rotation()};
                const Transform pose_b{pose_a.position + random.direction() * (reach * random.uniform(0.4f, 1.2f)),
                                       random.rotation()};
                judge(a, pose_a, b, pose_b, 0.01f, i % 2 ? &cache : nullptr, t);
                // Nearly parallel: the products of edges are worst here.
                const Quat tilt = turn(random.uniform(-0.2f, 0.2f), random.direction());
                judge(a, pose_a, b, {pose_b.position, tilt * pose_a.rotation}, 0.01f, i % 2 ? &cache : nullptr, t);
            }
            CAPTURE(to_string(a.type));
            CAPTURE(to_string(b.type));
            CHECK(t.separated > 20);
            CHECK(t.too_large == 0);
            // Where corners pass each other, the axis of a face proves less than the margin.
            CHECK(t.below_margin <= t.separated / 20);
            CHECK(t.sum_bound > 0.4 * t.sum_exact);
        }
}

TEST_CASE("round shapes know their distance exactly") {
    Random random(82);
    const Shape ball = sphere(0.4f), pill = capsule(0.25f, 0.5f), crate = box({0.5f, 0.4f, 0.3f});
    const Shape stone = random.cloud(16, 0.6f);
    const Shape* pairs[][2] = {{&ball, &ball}, {&ball, &pill}, {&ball, &crate}, {&pill, &pill}};
    for (const auto& pair : pairs)
        for (int i = 0; i < 200; ++i) {
            const Transform pose_a{random.vector(1.0f), random.rotation()};
            const Transform pose_b{pose_a.position + random.direction() * 2.0f, random.rotation()};
            RawManifold m;
            if (collide(*pair[0], pose_a, *pair[1], pose_b, 0.01f, m)) continue;
            CHECK(m.distance == doctest::Approx(exact_distance(*pair[0], pose_a, *pair[1], pose_b)).epsilon(1e-4));
        }
}

TEST_CASE("a pair that has contact, or is not finite, promises no distance") {
    const Shape cube = box(Vec3(0.5f));
    RawManifold m;
    m.distance = 7.0f;
    REQUIRE(collide(cube, at(0, 0, 0), cube, at(0, 1.01f, 0), 0.02f, m));
    m.distance = 7.0f;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const Shape& other : {sphere(0.5f), cube, capsule(0.3f, 0.5f), box_hull(Vec3(0.5f)), half_space()}) {
        m.distance = 7.0f;
        if (!collide(cube, at(0, 0, 0), other, at(nan, 0, 0), 0.02f, m)) CHECK(m.distance == 0.0f);
    }
    m.distance = 7.0f;
    CHECK_FALSE(collide(half_space(), at(0, 0, 0), half_space(), at(0, 5, 0), 0.02f, m));
    CHECK(m.distance == 0.0f);
}
