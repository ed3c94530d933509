// SPDX-License-Identifier: MIT
// Where a tensor of inertia stops being a multiple of the identity, and that the step asks no other question.
#include <cmath>
#include <utility>

#include "physics/shapes/inertia.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// All six orders of three principal moments.
template <class Check>
void in_every_order(float a, float b, float c, const Check& check) {
    const float m[3] = {a, b, c};
    for (const auto [i, j, k] : {std::array{0, 1, 2}, std::array{0, 2, 1}, std::array{1, 0, 2}, std::array{1, 2, 0},
                                 std::array{2, 0, 1}, std::array{2, 1, 0}})
        check(Sym3{m[i], m[j], m[k], 0.0f, 0.0f, 0.0f});
}

}  // namespace

TEST_CASE("moments that differ by a hundred thousandth of the largest are equal, in every order of the axes") {
    for (const float scale : {0x1p-20f, 1.0f, 0x1p20f}) {  // powers of two: the same digits
        CAPTURE(scale);
        const float largest = scale, edge = largest - 1e-5f * largest;
        // Floats below one are 6e-8 apart: what is called the edge is it within half a percent.
        const float inside = edge + 1e-7f * largest, outside = edge - 2e-7f * largest;
        in_every_order(largest, largest, inside, [](const Sym3& m) { CHECK(is_isotropic(m)); });
        in_every_order(largest, inside, inside, [](const Sym3& m) { CHECK(is_isotropic(m)); });
        in_every_order(largest, largest, outside, [](const Sym3& m) { CHECK_FALSE(is_isotropic(m)); });
        in_every_order(largest, outside, outside, [](const Sym3& m) { CHECK_FALSE(is_isotropic(m)); });
        // One above the middle and one below, each by 0.6e-5: neither is far from the middle, but from each other.
        in_every_order(largest, largest - 0.6e-5f * largest, largest - 1.2e-5f * largest,
                       [](const Sym3& m) { CHECK_FALSE(is_isotropic(m)); });
    }
}

TEST_CASE("products of inertia count like differences of moments, whatever their sign") {
    for (float Sym3::*product : {&Sym3::xy, &Sym3::xz, &Sym3::yz}) {
        for (const float sign : {1.0f, -1.0f}) {
            Sym3 m{1.0f, 1.0f, 1.0f, 0.0f, 0.0f, 0.0f};
            m.*product = sign * 0.99e-5f;
            CHECK(is_isotropic(m));
            m.*product = sign * 1.01e-5f;
            CHECK_FALSE(is_isotropic(m));
        }
    }
}

TEST_CASE("balls and cubes are isotropic as they are cooked, and what is one percent longer is not") {
    ShapeLibrary shapes;
    const auto inertia = [&](const ShapeDesc& desc) { return shapes.get(shapes.add(desc).value()).mass.inertia; };
    for (const float size : {1e-3f, 0.3f, 1.0f, 7.7f, 1e3f}) {
        CAPTURE(size);
        CHECK(is_isotropic(inertia(TestWorld::sphere(size))));
        CHECK(is_isotropic(inertia(TestWorld::box(Vec3(size)))));
        ShapeDesc cube;
        cube.type = ShapeType::hull;
        for (const float x : {-size, size})
            for (const float y : {-size, size})
                for (const float z : {-size, size}) cube.points.push_back({x, y, z});
        CHECK(is_isotropic(inertia(cube)));
        CHECK_FALSE(is_isotropic(inertia(TestWorld::box({size, size, 1.01f * size}))));
        CHECK_FALSE(is_isotropic(inertia(TestWorld::capsule(size, 0.01f * size))));
    }
}

TEST_CASE("a body whose two smaller moments are near each other still has its gyroscopic motion") {
    // A top of moments 1, 1 + s, 1 - s turns over: with s beyond the edge its spin changes, within it it does not.
    for (const float s : {0.4e-5f, 0.9e-5f, 1e-3f}) {
        CAPTURE(s);
        TestWorld t;
        StepSettings settings = t.settings();
        settings.gravity = Vec3(0.0f);
        settings.sleeping = false;
        t.set(settings);
        const Entity body = t.world.create_body({.velocity = {.angular = {1.0f, 5.0f, 5.0f}}}).value();
        t.world.registry().patch<Mass>(body, [&](Mass& m) {
            m.source = MassSource::given;
            m.mass = 1.0f;
            m.inertia = {1.0f, 1.0f + s, 1.0f - s, 0.0f, 0.0f, 0.0f};
        });
        const Vec3 before = t.velocity(body).angular;
        t.run(1.0f);
        // Euler's equations: the first component changes by 2 s w_y w_z = 50 s in a second.
        const bool changes = t.velocity(body).angular != before;
        CHECK(changes == (2.0f * s > 1e-5f));
        if (s == 1e-3f) CHECK(std::abs(t.velocity(body).angular.x - before.x) == doctest::Approx(0.05f).epsilon(0.2));
    }
}
