// SPDX-License-Identifier: MIT
// Half-spaces against every shape: which points are within the margin, where they are, and how far the rest is.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "physics/narrowphase/collide.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

struct Shapes {
    ShapeLibrary library;
    const Shape& add(const ShapeDesc& desc) {
        const Result<ShapeId> id = library.add(desc);
        REQUIRE_MESSAGE(id.ok(), id.error());
        return library.get(id.value());
    }
    const Shape& plane = add({.type = ShapeType::half_space});
    const Shape& sphere = add({.type = ShapeType::sphere, .radius = 0.4f});
    const Shape& capsule = add({.type = ShapeType::capsule, .radius = 0.2f, .half_height = 0.6f});
    const Shape& box = add({.type = ShapeType::box, .half_extents = {0.5f, 0.3f, 0.4f}});
    const Shape& hull = add({.type = ShapeType::hull,
                             .points = {{-0.5f, -0.3f, -0.4f},
                                        {0.5f, -0.3f, -0.4f},
                                        {0.5f, -0.3f, 0.4f},
                                        {-0.5f, -0.3f, 0.4f},
                                        {0.0f, 0.5f, 0.0f}}});
};

Quat about(const Vec3& axis, float degrees) { return glm::angleAxis(glm::radians(degrees), glm::normalize(axis)); }

/// Lowest point of a shape below its origin, upright.
float depth_of(const Shape& shape) {
    switch (shape.type) {
        case ShapeType::sphere:
            return shape.radius;
        case ShapeType::capsule:
            return shape.radius + shape.half_height;
        default:
            return 0.3f;
    }
}

// Poses near 10 m and a turned plane: a few units in the last place of 10.
constexpr float kRounding = 8e-6f;

}  // namespace

TEST_CASE("a shape meets a half-space when it is nearer than the margin, and not when it is farther") {
    const Shapes s;
    const Transform planes[] = {{}, {{3.0f, -2.0f, 5.0f}, about({1.0f, 0.3f, -0.5f}, 70.0f)}};
    for (const Shape* shape : {&s.sphere, &s.capsule, &s.box, &s.hull}) {
        CAPTURE(to_string(shape->type));
        for (const Transform& plane : planes) {
            for (const float margin : {0.0f, 0.02f, 0.3f}) {
                CAPTURE(margin);
                for (const float gap : {-0.05f, margin - 1e-3f, margin + 1e-3f, margin + 1.0f}) {
                    CAPTURE(gap);
                    const Transform at = compose(plane, {{1.0f, depth_of(*shape) + gap, 2.0f}, Quat(1, 0, 0, 0)});
                    for (const bool plane_is_b : {true, false}) {
                        CAPTURE(plane_is_b);
                        RawManifold m;
                        const bool meets = plane_is_b ? collide(*shape, at, s.plane, plane, margin, m)
                                                      : collide(s.plane, plane, *shape, at, margin, m);
                        REQUIRE(meets == (gap <= margin));
                        CHECK((m.count > 0) == meets);
                        if (!meets) {  // a lower bound of the distance, and not a poor one
                            CHECK(m.distance <= gap);
                            CHECK(m.distance > gap - 3.0f * kRounding);
                            continue;
                        }
                        const Vec3 up = plane.rotation * Vec3(0.0f, 1.0f, 0.0f);
                        CHECK(glm::length(m.normal - (plane_is_b ? -up : up)) < 1e-6f);
                        for (int i = 0; i < m.count; ++i) {
                            const RawPoint& p = m.points[i];
                            CHECK(std::abs(p.separation - gap) < kRounding);
                            // In the middle of the gap.
                            CHECK(std::abs(glm::dot(up, p.point - plane.position) - 0.5f * gap) < kRounding);
                            CHECK(std::abs(p.base_gap + glm::dot(m.normal, p.core_b - p.core_a) - p.separation) <
                                  kRounding);
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("only those points of a tilted shape count that are within the margin of a half-space") {
    const Shapes s;
    // The box on its lower edge, tilted by 2 degrees: two corners at 0, the two others of its lower face 35 mm up.
    const Quat tilt = about({0.0f, 0.0f, 1.0f}, 2.0f);
    const float low = std::abs((tilt * Vec3(-0.5f, -0.3f, 0.0f)).y), rise = std::sin(glm::radians(2.0f));
    for (const Shape* shape : {&s.box, &s.hull}) {
        for (const bool wide_margin : {false, true}) {
            RawManifold m;
            const float margin = wide_margin ? rise + 1e-3f : rise - 1e-3f;
            REQUIRE(collide(*shape, {{0.0f, low, 0.0f}, tilt}, s.plane, {}, margin, m));
            CHECK(m.count == (wide_margin ? 4 : 2));
            for (int i = 0; i < m.count; ++i) {
                const bool upper = m.points[i].point.x > 0.0f;
                CHECK(std::abs(m.points[i].separation - (upper ? rise : 0.0f)) < 1e-5f);
            }
        }
    }
    // A capsule that leans by 2 degrees on its side: one end at 0, the other 42 mm up.
    const Quat lies = about({0.0f, 0.0f, 1.0f}, 88.0f);
    const float up = 1.2f * std::cos(glm::radians(88.0f)), centre = 0.2f + 0.5f * up;
    for (const bool wide_margin : {false, true}) {
        RawManifold m;
        REQUIRE(
            collide(s.capsule, {{0.0f, centre, 0.0f}, lies}, s.plane, {}, wide_margin ? up + 1e-3f : up - 1e-3f, m));
        REQUIRE(m.count == (wide_margin ? 2 : 1));
        CHECK(std::abs(m.points[0].separation) < 1e-5f);
        if (wide_margin) {
            CHECK(std::abs(m.points[1].separation - up) < 1e-5f);
            CHECK(m.points[0].feature != m.points[1].feature);
        }
    }
}

TEST_CASE("points on a half-space keep their features while a box rocks on it, each corner its own") {
    const Shapes s;
    std::vector<uint32_t> first;
    std::vector<Vec3> corners;
    for (const float degrees : {0.0f, 0.5f, -0.5f}) {
        const Transform at{{0.0f, 0.3f, 0.0f}, about({1.0f, 0.0f, 0.4f}, degrees)};
        RawManifold m;
        REQUIRE(collide(s.box, at, s.plane, {}, 0.1f, m));
        REQUIRE(m.count == 4);
        for (int i = 0; i < 4; ++i) {
            const Vec3 corner = to_local(at, m.points[i].point);
            if (degrees == 0.0f) {
                for (const uint32_t other : first) CHECK(other != m.points[i].feature);
                first.push_back(m.points[i].feature);
                corners.push_back(corner);
                continue;
            }
            bool known = false;
            for (size_t k = 0; k < first.size(); ++k)
                if (first[k] == m.points[i].feature) {
                    known = true;
                    CHECK(glm::length(corners[k] - corner) < 0.02f);  // half the gap under a corner: 8 mm
                }
            CHECK(known);
        }
    }
}

TEST_CASE("two half-spaces never meet") {
    const Shapes s;
    RawManifold m;
    CHECK_FALSE(collide(s.plane, {}, s.plane, {{0.0f, -1.0f, 0.0f}, Quat(1, 0, 0, 0)}, 1.0f, m));
    CHECK(m.count == 0);
}
