// SPDX-License-Identifier: MIT
// Coulomb's law on an incline and on the flat, against the textbook.
#include <cmath>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// Gravity leans instead of the floor: the same physics, any heading, no change of the geometry.
Vec3 leaning_gravity(float degrees, float heading_degrees) {
    const float a = glm::radians(degrees), b = glm::radians(heading_degrees);
    return kG * Vec3(std::sin(a) * std::cos(b), -std::cos(a), std::sin(a) * std::sin(b));
}

/// A flat box on a slope for two seconds; how far it came.
float slide_distance(float degrees, float heading, float mu, const StepSettings* base = nullptr) {
    TestWorld t;
    StepSettings s = base ? *base : t.settings();
    s.sleeping = false;
    s.gravity = leaning_gravity(degrees, heading);
    t.set(s);
    t.floor(mu);
    const Entity box = t.body(TestWorld::box({0.5f, 0.1f, 0.5f}), {.position = {0.0f, 0.1f, 0.0f}, .friction = mu});
    t.run(2.0f);
    const Vec3 p = t.pose(box).position;
    return std::sqrt(p.x * p.x + p.z * p.z);
}

}  // namespace

TEST_CASE(
    "a box on an incline holds half a degree below atan(mu) and slides half a degree above, for 16 "
    "headings") {
    const float mu = 0.4f;
    const float limit = glm::degrees(std::atan(mu));
    for (int k = 0; k < 16; ++k) {
        const float heading = 22.5f * float(k) + 3.0f;
        CAPTURE(heading);
        CHECK(slide_distance(limit - 0.5f, heading, mu) < 0.002f);
        // a = g (sin - mu cos) over two seconds, half a degree above the limit: about 0.18 m
        CHECK(slide_distance(limit + 0.5f, heading, mu) > 0.1f);
    }
}

TEST_CASE("a box on a geometrically tilted plane holds and slides as the law says") {
    const float mu = 0.5f, limit = glm::degrees(std::atan(mu));
    for (const float off : {-0.5f, 0.5f}) {
        for (const float heading : {0.0f, 37.0f, 135.0f, 250.0f}) {
            CAPTURE(off);
            CAPTURE(heading);
            TestWorld t;
            StepSettings s = t.settings();
            s.sleeping = false;
            t.set(s);
            const Quat q = turn({0.0f, 1.0f, 0.0f}, heading) * turn({0.0f, 0.0f, 1.0f}, limit + off);
            t.body(TestWorld::half_space(), {.type = BodyType::fixed, .rotation = q, .friction = mu});
            const Vec3 start = q * Vec3(0.0f, 0.1f, 0.0f);
            const Entity box =
                t.body(TestWorld::box({0.5f, 0.1f, 0.5f}), {.position = start, .rotation = q, .friction = mu});
            t.run(2.0f);
            const float moved = glm::length(t.pose(box).position - start);
            if (off < 0.0f)
                CHECK(moved < 0.002f);
            else
                CHECK(moved > 0.1f);
        }
    }
}

TEST_CASE("a sliding box accelerates with g (sin a - mu cos a)") {
    for (const float mu : {0.0f, 0.2f, 0.5f}) {
        for (const float heading : {0.0f, 20.0f, 45.0f}) {
            CAPTURE(mu);
            CAPTURE(heading);
            TestWorld t;
            StepSettings s = t.settings();
            s.sleeping = false;
            s.gravity = leaning_gravity(35.0f, heading);
            t.set(s);
            t.floor(mu);
            const Entity box =
                t.body(TestWorld::box({0.5f, 0.1f, 0.5f}), {.position = {0.0f, 0.1f, 0.0f}, .friction = mu});
            t.run(0.5f);  // past the settling of the soft contact
            const float v0 = glm::length(t.velocity(box).linear);
            t.run(1.0f);
            const float measured = glm::length(t.velocity(box).linear) - v0;
            const float a = glm::radians(35.0f);
            const float expected = kG * (std::sin(a) - mu * std::cos(a));
            CHECK(measured == doctest::Approx(expected).epsilon(0.01));
        }
    }
}

TEST_CASE("a box sliding at 2 m/s stops after v^2 / (2 mu g)") {
    for (const float mu : {0.2f, 0.6f}) {
        for (const float heading : {0.0f, 30.0f, 45.0f}) {
            CAPTURE(mu);
            CAPTURE(heading);
            TestWorld t;
            StepSettings s = t.settings();
            s.sleeping = false;
            t.set(s);
            t.floor(mu);
            const Entity box =
                t.body(TestWorld::box({0.5f, 0.1f, 0.5f}), {.position = {0.0f, 0.1f, 0.0f}, .friction = mu});
            t.run(1.0f);
            const Vec3 start = t.pose(box).position;
            const float b = glm::radians(heading);
            t.velocity(box).linear = Vec3(2.0f * std::cos(b), 0.0f, 2.0f * std::sin(b));
            t.run(3.0f);
            const Vec3 d = t.pose(box).position - start;
            CHECK(std::sqrt(d.x * d.x + d.z * d.z) == doctest::Approx(4.0f / (2.0f * mu * kG)).epsilon(0.02));
            CHECK(glm::length(t.velocity(box).linear) < 1e-3f);
        }
    }
}

TEST_CASE("a solid sphere thrown without spin ends up rolling at 5/7 of its speed") {
    TestWorld t;
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    t.floor(0.3f);
    const Entity ball = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 0.5f, 0.0f}, .friction = 0.3f});
    t.run(0.5f);
    t.velocity(ball).linear = Vec3(7.0f, 0.0f, 0.0f);
    t.run(2.0f);
    CHECK(t.velocity(ball).linear.x == doctest::Approx(5.0f).epsilon(0.01));
    CHECK(-t.velocity(ball).angular.z * 0.5f == doctest::Approx(5.0f).epsilon(0.01));
}

TEST_CASE("without friction a box keeps sliding and without a spin row a ball keeps turning about the normal") {
    TestWorld t;
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    t.floor(0.0f);
    const Entity box = t.body(TestWorld::box({0.5f, 0.1f, 0.5f}), {.position = {0.0f, 0.1f, 0.0f}, .friction = 0.0f});
    const Entity ball = t.body(TestWorld::sphere(0.5f), {.position = {5.0f, 0.5f, 0.0f}, .friction = 0.5f});
    t.run(0.5f);
    t.velocity(box).linear = Vec3(1.0f, 0.0f, 0.0f);
    t.velocity(ball).angular = Vec3(0.0f, 3.0f, 0.0f);
    t.run(2.0f);
    CHECK(t.velocity(box).linear.x == doctest::Approx(1.0f).epsilon(1e-4));
    CHECK(t.velocity(ball).angular.y == doctest::Approx(3.0f).epsilon(1e-3));
}
