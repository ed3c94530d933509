// SPDX-License-Identifier: MIT
#include "physics/shapes/shape.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

using namespace proxima;
using namespace proxima::physics;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

ShapeDesc box(const Vec3& h) {
    ShapeDesc d;
    d.type = ShapeType::box;
    d.half_extents = h;
    return d;
}
ShapeDesc sphere(float r) {
    ShapeDesc d;
    d.type = ShapeType::sphere;
    d.radius = r;
    return d;
}
ShapeDesc capsule(float r, float h) {
    ShapeDesc d;
    d.type = ShapeType::capsule;
    d.radius = r;
    d.half_height = h;
    return d;
}

bool is_sentence(const std::string& text) { return text.size() > 20 && text.back() == '.'; }

}  // namespace

TEST_CASE("sizes that are not positive finite lengths are refused with a sentence") {
    ShapeLibrary library;
    for (float bad : {0.0f, -1.0f, kNan, kInf, -kInf, 1e-9f, 1e9f}) {
        CAPTURE(bad);
        for (const ShapeDesc& desc : {sphere(bad), box({1.0f, bad, 1.0f}), box({bad, 1.0f, 1.0f}),
                                      box({1.0f, 1.0f, bad}), capsule(bad, 1.0f)}) {
            const Result<ShapeId> made = library.add(desc);
            REQUIRE_FALSE(made.ok());
            CHECK(is_sentence(made.error()));
        }
    }
    for (float bad : {-1.0f, kNan, kInf}) CHECK_FALSE(library.add(capsule(0.5f, bad)).ok());
    CHECK(library.size() == 0);
    CHECK(library.add(sphere(-2.0f)).error() == "The radius of the sphere is -2 m; it must be greater than zero.");
}

TEST_CASE("sizes that differ by more than a million to one are refused") {
    ShapeLibrary library;
    CHECK(library.add(box({1.0f, 1.0f, 2e-6f})).ok());
    CHECK_FALSE(library.add(box({3.0f, 1.0f, 2e-6f})).ok());
    CHECK_FALSE(library.add(capsule(2e-6f, 3.0f)).ok());
    CHECK(library.add(box({3.0f, 1.0f, 2e-6f})).error().find("million") != std::string::npos);
    CHECK(library.add(capsule(0.5f, 0.0f)).ok());  // a ball
}

TEST_CASE("a scale must be positive, and uniform for round shapes") {
    ShapeLibrary library;
    CHECK_FALSE(library.add_scaled(box(Vec3(1.0f)), {1.0f, 0.0f, 1.0f}).ok());
    CHECK_FALSE(library.add_scaled(box(Vec3(1.0f)), {1.0f, kNan, 1.0f}).ok());
    CHECK_FALSE(library.add_scaled(box(Vec3(1.0f)), {-1.0f, 1.0f, 1.0f}).ok());
    CHECK_FALSE(library.add_scaled(sphere(1.0f), {1.0f, 2.0f, 1.0f}).ok());
    CHECK_FALSE(library.add_scaled(capsule(1.0f, 1.0f), {1.0f, 2.0f, 1.0f}).ok());
    CHECK(library.size() == 0);

    const Shape& stretched = library.get(*library.add_scaled(box(Vec3(1.0f)), {1.0f, 2.0f, 3.0f}));
    CHECK(stretched.half_extents == Vec3(1.0f, 2.0f, 3.0f));
    CHECK(stretched.mass.volume == doctest::Approx(48.0));
    const Shape& pill = library.get(*library.add_scaled(capsule(0.5f, 1.0f), Vec3(2.0f)));
    CHECK(pill.radius == 1.0f);
    CHECK(pill.half_height == 2.0f);

    ShapeDesc hull;
    hull.type = ShapeType::hull;
    hull.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const Shape& tetrahedron = library.get(*library.add_scaled(hull, {2.0f, 3.0f, 4.0f}));
    CHECK(tetrahedron.mass.volume == doctest::Approx(4.0));
    CHECK(tetrahedron.mass.center.x == doctest::Approx(0.5));
    CHECK(tetrahedron.mass.center.y == doctest::Approx(0.75));
    CHECK(tetrahedron.mass.center.z == doctest::Approx(1.0));
}

TEST_CASE("a sphere of radius 2 has the textbook mass") {
    ShapeLibrary library;
    const MassProperties& m = library.get(*library.add(sphere(2.0f))).mass;
    CHECK(m.volume == doctest::Approx(33.510321638));
    CHECK(m.inertia.xx == doctest::Approx(53.616514621));
    CHECK(m.inertia.yy == m.inertia.xx);
    CHECK(m.inertia.zz == m.inertia.xx);
}

TEST_CASE("a box of 2 x 4 x 6 has the textbook mass, in closed form and by integration") {
    ShapeLibrary library;
    const Shape& shape = library.get(*library.add(box({1.0f, 2.0f, 3.0f})));
    for (const MassProperties& m : {shape.mass, polytope_mass(shape.polytope)}) {
        CHECK(m.volume == doctest::Approx(48.0));
        CHECK(m.inertia.xx == doctest::Approx(208.0));  // 48/12 (16 + 36)
        CHECK(m.inertia.yy == doctest::Approx(160.0));
        CHECK(m.inertia.zz == doctest::Approx(80.0));
        CHECK(std::abs(m.inertia.xy) < 1e-4f);
        CHECK(glm::length(m.center) < 1e-6f);
    }
}

TEST_CASE("the mass of a capsule agrees with a sum over thin slices") {
    ShapeLibrary library;
    const double r = 0.7, h = 1.3;
    const MassProperties& m = library.get(*library.add(capsule(float(r), float(h)))).mass;
    // Discs across the axis: dV = pi q^2 dy, about the axis q^2/2, across it q^2/4 + y^2.
    double volume = 0.0, axial = 0.0, across = 0.0;
    const int count = 20000;
    const double dy = 2.0 * (h + r) / count;
    for (int i = 0; i < count; ++i) {
        const double y = -(h + r) + (i + 0.5) * dy, beyond = std::max(std::abs(y) - h, 0.0);
        const double q2 = r * r - beyond * beyond, dv = 3.14159265358979 * q2 * dy;
        volume += dv;
        axial += dv * q2 / 2.0;
        across += dv * (q2 / 4.0 + y * y);
    }
    CHECK(m.volume == doctest::Approx(volume).epsilon(1e-5));
    CHECK(m.inertia.yy == doctest::Approx(axial).epsilon(1e-5));
    CHECK(m.inertia.xx == doctest::Approx(across).epsilon(1e-5));
    CHECK(m.inertia.zz == m.inertia.xx);
}

TEST_CASE("the corner tetrahedron has volume 1/6 and its inertia by hand") {
    const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const MassProperties m = polytope_mass(*cook_hull(points));
    CHECK(m.volume == doctest::Approx(1.0 / 6.0));
    CHECK(m.center.x == doctest::Approx(0.25));
    // int x^2 = 1/60, int x y = 1/120 about the corner; moved to the centre: 1/160 and -1/480.
    CHECK(m.inertia.xx == doctest::Approx(1.0 / 80.0));
    CHECK(m.inertia.xy == doctest::Approx(1.0 / 480.0));
}

TEST_CASE("mass properties move with the points of a hull") {
    std::vector<Vec3> points = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 3}, {1, 1, 1}};
    const MassProperties at_home = polytope_mass(*cook_hull(points));
    const Vec3 shift(10.0f, -20.0f, 5.0f);
    for (Vec3& p : points) p += shift;
    const MassProperties moved = polytope_mass(*cook_hull(points));
    CHECK(moved.volume == doctest::Approx(at_home.volume).epsilon(1e-5));
    CHECK(glm::length(moved.center - shift - at_home.center) < 1e-5f);
    CHECK(moved.inertia.xx == doctest::Approx(at_home.inertia.xx).epsilon(1e-4));
    CHECK(moved.inertia.yz == doctest::Approx(at_home.inertia.yz).epsilon(1e-3));
}

TEST_CASE("bounding boxes are tight under any rotation") {
    ShapeLibrary library;
    const Shape& cube = library.get(*library.add(box(Vec3(1.0f))));
    const Shape& ball = library.get(*library.add(sphere(0.5f)));
    const Shape& pill = library.get(*library.add(capsule(0.25f, 1.0f)));
    ShapeDesc hull;
    hull.type = ShapeType::hull;
    hull.points = cube.polytope.vertices;
    const Shape& cooked = library.get(*library.add(hull));

    const Transform turned{{1.0f, 2.0f, 3.0f}, glm::angleAxis(kPi / 4.0f, Vec3(0.0f, 0.0f, 1.0f))};
    const float diagonal = std::sqrt(2.0f);
    const Aabb b = bounding_box(cube, turned);
    CHECK(b.upper.x == doctest::Approx(1.0f + diagonal));
    CHECK(b.lower.y == doctest::Approx(2.0f - diagonal));
    CHECK(b.upper.z == doctest::Approx(4.0));
    const Aabb s = bounding_box(ball, turned);
    CHECK(s.lower == Vec3(0.5f, 1.5f, 2.5f));
    const Aabb c = bounding_box(pill, turned);  // the core points along (-1, 1, 0)/sqrt 2
    CHECK(c.upper.x == doctest::Approx(1.0f + diagonal / 2.0f + 0.25f));
    CHECK(c.upper.z == doctest::Approx(3.25));

    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    for (int i = 0; i < 200; ++i) {
        const Transform pose{{normal(random), normal(random), normal(random)},
                             glm::normalize(Quat(normal(random), normal(random), normal(random), normal(random)))};
        const Aabb closed = bounding_box(cube, pose), vertices = bounding_box(cooked, pose);
        CHECK(glm::length(closed.lower - vertices.lower) < 1e-5f);
        CHECK(glm::length(closed.upper - vertices.upper) < 1e-5f);
    }
}

TEST_CASE("a half-space is unbounded except where its normal is an axis") {
    ShapeLibrary library;
    ShapeDesc desc;
    desc.type = ShapeType::half_space;
    const Shape& ground = library.get(*library.add(desc));
    CHECK(std::isinf(ground.bounding_radius));
    const Aabb flat = bounding_box(ground, {{0.0f, 2.0f, 0.0f}, Quat(1.0f, 0.0f, 0.0f, 0.0f)});
    CHECK(flat.upper == Vec3(kInf, 2.0f, kInf));
    CHECK(flat.lower == Vec3(-kInf));
    const Aabb wall = bounding_box(ground, {{3.0f, 0.0f, 0.0f}, glm::angleAxis(kPi / 2.0f, Vec3(0.0f, 0.0f, 1.0f))});
    CHECK(wall.lower == Vec3(3.0f, -kInf, -kInf));  // +y turned to -x: solid towards +x
    CHECK(wall.upper == Vec3(kInf));
    const Aabb tilted = bounding_box(ground, {Vec3(0.0f), glm::angleAxis(0.01f, Vec3(0.0f, 0.0f, 1.0f))});
    CHECK(tilted.upper == Vec3(kInf));
}

TEST_CASE("the bounding radius reaches the farthest point") {
    ShapeLibrary library;
    CHECK(library.get(*library.add(box({1.0f, 2.0f, 2.0f}))).bounding_radius == doctest::Approx(3.0));
    CHECK(library.get(*library.add(capsule(0.5f, 1.0f))).bounding_radius == doctest::Approx(1.5));
    ShapeDesc hull;
    hull.type = ShapeType::hull;
    hull.points = {{0, 0, 0}, {3, 0, 4}, {0, 1, 0}, {0, 0, 1}};
    CHECK(library.get(*library.add(hull)).bounding_radius == doctest::Approx(5.0));
}

TEST_CASE("references to shapes survive later additions") {
    ShapeLibrary library;
    const Shape* first = &library.get(*library.add(sphere(1.0f)));
    for (int i = 0; i < 2000; ++i) REQUIRE(library.add(sphere(1.0f + float(i))).ok());
    CHECK(first == &library.get(ShapeId{0}));
    CHECK(first->radius == 1.0f);
}
