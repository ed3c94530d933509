// SPDX-License-Identifier: MIT
#include "physics/query.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::physics;
using proxima::test::TestWorld;

namespace {

/// How far a point of the shape's frame lies inside; negative outside. Not a distance, but zero on the
/// surface and nowhere else.
double depth_inside(const Shape& shape, const glm::dvec3& p) {
    switch (shape.type) {
        case ShapeType::sphere:
            return double(shape.radius) - glm::length(p);
        case ShapeType::box: {
            const glm::dvec3 d = glm::dvec3(shape.half_extents) - glm::abs(p);
            return std::min({d.x, d.y, d.z});
        }
        case ShapeType::capsule: {
            const double y = std::clamp(p.y, -double(shape.half_height), double(shape.half_height));
            return double(shape.radius) - glm::length(p - glm::dvec3(0.0, y, 0.0));
        }
        case ShapeType::hull: {
            double least = 1e30;
            for (const Polytope::Face& face : shape.polytope.faces)
                least = std::min(least, double(face.offset) - glm::dot(glm::dvec3(face.normal), p));
            return least;
        }
        case ShapeType::half_space:
            return -p.y;
        case ShapeType::compound:  // tested in compound.cpp
            break;
    }
    return 0.0;
}

glm::dvec3 local_point(const Transform& pose, const glm::dvec3& p) {
    const glm::dquat q(pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z);
    return glm::conjugate(q) * (p - glm::dvec3(pose.position));
}

std::vector<ShapeDesc> shapes_to_try() {
    ShapeDesc hull;
    hull.type = ShapeType::hull;
    test::Random random{99};
    for (int i = 0; i < 24; ++i)
        hull.points.emplace_back(random.between(-0.8f, 0.8f), random.between(-0.5f, 0.5f), random.between(-0.6f, 0.6f));
    return {TestWorld::sphere(0.7f), TestWorld::box({0.3f, 0.6f, 0.9f}), TestWorld::capsule(0.3f, 0.5f), hull,
            TestWorld::half_space()};
}

}  // namespace

TEST_CASE("a ray meets every shape on its surface, and nothing of it lies before") {
    ShapeLibrary library;
    test::Random random{7};
    for (const ShapeDesc& desc : shapes_to_try()) {
        const Shape& shape = library.get(library.add(desc).value());
        CAPTURE(to_string(shape.type));
        int hits = 0, misses = 0;
        for (int k = 0; k < 400; ++k) {
            const auto vector = [&](float size) {
                return Vec3(random.between(-size, size), random.between(-size, size), random.between(-size, size));
            };
            const Transform pose{vector(2.0f),
                                 test::turn(vector(1.0f) + Vec3(0.0f, 0.01f, 0.0f), random.between(0.0f, 360.0f))};
            const Vec3 from = vector(4.0f);
            const Ray ray{from, pose.position + vector(1.0f) - from};
            const glm::dvec3 o(ray.origin), d = glm::normalize(glm::dvec3(ray.direction));
            const auto inside = [&](double t) { return depth_inside(shape, local_point(pose, o + t * d)); };
            const auto hit = ray_cast(shape, pose, ray);
            const double end = hit ? double(hit->distance) : 20.0;
            const bool starts_inside = inside(0.0) > 0.0;
            if (starts_inside) {
                REQUIRE(hit.has_value());
                CHECK(hit->distance == 0.0f);
                CHECK(glm::dot(Vec3(d), hit->normal) == doctest::Approx(-1.0));
                CHECK_FALSE(ray_cast(shape, pose, ray, kNoRayLimit, RayStart::passes).has_value());
                continue;
            }
            for (int i = 0; i < 100; ++i) CHECK(inside(end * i / 100.0) < 1e-6);
            if (!hit) {
                ++misses;
                continue;
            }
            ++hits;
            CHECK(std::abs(inside(end)) < 2e-6);
            CHECK(inside(end + 1e-4) > -1e-6);
            CHECK(glm::length(Vec3(o + end * d) - hit->position) < 1e-5f * (1.0f + hit->distance));
            CHECK(glm::length(hit->normal) == doctest::Approx(1.0));
            CHECK(glm::dot(Vec3(d), hit->normal) <= 1e-6f);
            // The normal leads out of the shape, and moving along the surface stays on it.
            CHECK(depth_inside(shape, local_point(pose, glm::dvec3(hit->position + 1e-3f * hit->normal))) < 0.0);
            CHECK_FALSE(ray_cast(shape, pose, ray, hit->distance * 0.999f).has_value());
            CHECK(ray_cast(shape, pose, ray, hit->distance * 1.001f).has_value());
        }
        CHECK(hits > 40);
        CHECK(misses > 10);
    }
}

TEST_CASE("rays along the axes of a capsule and past its edges are decided exactly") {
    ShapeLibrary library;
    const Shape& capsule = library.get(library.add(TestWorld::capsule(0.5f, 1.0f)).value());
    const auto along = ray_cast(capsule, {}, {{0.25f, 10.0f, 0.0f}, {0.0f, -3.0f, 0.0f}});
    REQUIRE(along.has_value());
    CHECK(along->distance == doctest::Approx(10.0 - 1.0 - std::sqrt(0.25 - 0.0625)));
    const auto side = ray_cast(capsule, {}, {{5.0f, 0.9f, 0.0f}, {-1.0f, 0.0f, 0.0f}});
    REQUIRE(side.has_value());
    CHECK(side->distance == doctest::Approx(4.5));
    CHECK(side->normal.x == doctest::Approx(1.0));
    CHECK_FALSE(ray_cast(capsule, {}, {{0.51f, 10.0f, 0.0f}, {0.0f, -1.0f, 0.0f}}).has_value());
    CHECK_FALSE(ray_cast(capsule, {}, {{5.0f, 1.51f, 0.0f}, {-1.0f, 0.0f, 0.0f}}).has_value());
}

TEST_CASE("a small sphere far away is met where it is") {
    ShapeLibrary library;
    const Shape& ball = library.get(library.add(TestWorld::sphere(0.01f)).value());
    const auto hit = ray_cast(ball, {{0.0f, 0.0f, -1000.0f}}, {{0.0f, 0.0f, 1000.0f}, {0.0f, 0.0f, -1.0f}});
    REQUIRE(hit.has_value());
    CHECK(hit->distance == doctest::Approx(1999.99).epsilon(1e-7));
    CHECK_FALSE(ray_cast(ball, {{0.011f, 0.0f, -1000.0f}}, {{0.0f, 0.0f, 1000.0f}, {0.0f, 0.0f, -1.0f}}).has_value());
}

TEST_CASE("a ray without direction or with nonsense in it meets nothing") {
    ShapeLibrary library;
    const Shape& ball = library.get(library.add(TestWorld::sphere(1.0f)).value());
    CHECK_FALSE(ray_cast(ball, {}, {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}}).has_value());
    CHECK_FALSE(ray_cast(ball, {}, {{NAN, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}}).has_value());
    CHECK_FALSE(ray_cast(ball, {}, {{0.0f, 0.0f, 0.0f}, {0.0f, INFINITY, 1.0f}}).has_value());
}

TEST_CASE("a world gives the first of its colliders, and of equals the oldest") {
    TestWorld t;
    const Entity floor = t.floor();
    const Entity near = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 2.0f, 0.0f}});
    const Entity far = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 4.0f, 0.0f}});
    const Entity twin = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 4.0f, 0.0f}});
    const Ray down{{0.0f, 10.0f, 0.0f}, {0.0f, -1.0f, 0.0f}};
    const auto first = ray_cast(t.world, down);
    REQUIRE(first.has_value());
    CHECK(first->body == far);
    CHECK(first->hit.distance == doctest::Approx(5.5));
    t.world.destroy_body(far);
    CHECK(ray_cast(t.world, down)->body == twin);
    t.pose(twin).position.x = 3.0f;  // by hand, without a step
    CHECK(ray_cast(t.world, down)->body == near);
    CHECK(ray_cast(t.world, {{0.7f, 10.0f, 0.0f}, {0.0f, -1.0f, 0.0f}})->body == floor);
    CHECK_FALSE(ray_cast(t.world, down, 7.0f).has_value());
    CHECK_FALSE(ray_cast(t.world, down, kNoRayLimit, 2u).has_value());
    CHECK_FALSE(ray_cast(t.world, {{0.0f, 10.0f, 0.0f}, {0.0f, 1.0f, 0.0f}}).has_value());
}
