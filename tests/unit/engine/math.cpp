// SPDX-License-Identifier: MIT
#include "engine/core/math.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

using namespace proxima;

namespace {

struct Random {
    std::mt19937 bits{7};
    float number() { return std::uniform_real_distribution<float>(-1.0f, 1.0f)(bits); }
    Vec3 vector() { return {number(), number(), number()}; }
    Quat rotation() { return glm::normalize(Quat(number(), number(), number(), number() + 1.5f)); }
};

float distance(const Vec3& a, const Vec3& b) { return glm::length(a - b); }

// The same product with full matrices, for comparison.
Mat3 full(const Sym3& m) { return {m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz}; }

}  // namespace

TEST_CASE("a quaternion is made from w, x, y, z and stored as x, y, z, w") {
    const Quat q(1.0f, 2.0f, 3.0f, 4.0f);
    CHECK(q.w == 1.0f);
    CHECK(q.x == 2.0f);
    CHECK((&q.x)[3] == 1.0f);
    // A quarter turn about z takes x to y.
    const Quat turn(std::sqrt(0.5f), 0.0f, 0.0f, std::sqrt(0.5f));
    CHECK(distance(turn * Vec3(1, 0, 0), Vec3(0, 1, 0)) < 1e-6f);
}

TEST_CASE("to_local undoes to_world, and compose applies the child first") {
    Random random;
    for (int i = 0; i < 100; ++i) {
        const Transform a{random.vector() * 10.0f, random.rotation()}, b{random.vector(), random.rotation()};
        const Vec3 p = random.vector();
        CHECK(distance(to_local(a, to_world(a, p)), p) < 1e-5f);
        CHECK(distance(to_world(compose(a, b), p), to_world(a, to_world(b, p))) < 1e-5f);
    }
}

TEST_CASE("a rotated tensor acts like R m R^T") {
    Random random;
    for (int i = 0; i < 100; ++i) {
        const Sym3 m{random.number() + 3, random.number() + 3, random.number() + 3,
                     random.number(),     random.number(),     random.number()};
        const Quat q = random.rotation();
        const Vec3 v = random.vector();
        const Mat3 r = glm::mat3_cast(q);
        CHECK(distance(rotate(m, q) * v, r * (full(m) * (glm::transpose(r) * v))) < 1e-5f);
        CHECK(distance(m * v, full(m) * v) < 1e-6f);
    }
}

TEST_CASE("the inverse of a tensor undoes it") {
    Random random;
    for (int i = 0; i < 100; ++i) {
        const Sym3 m{random.number() + 3, random.number() + 4, random.number() + 5,
                     random.number(),     random.number(),     random.number()};
        const Vec3 v = random.vector();
        CHECK(distance(inverse(m) * (m * v), v) < 1e-5f);
    }
    // Long thin bodies: determinants far below the smallest float.
    const Sym3 tiny{1e-18f, 2e-18f, 4e-18f, 0, 0, 0};
    CHECK(inverse(tiny).yy == doctest::Approx(5e17f));
}

TEST_CASE("tangents and the normal are a right-handed frame for every direction") {
    Random random;
    for (int i = 0; i < 1000; ++i) {
        Vec3 n = random.vector();
        if (i < 6) n = Vec3(i % 3 == 0, i % 3 == 1, i % 3 == 2) * (i < 3 ? 1.0f : -1.0f);
        if (glm::length(n) < 0.1f) continue;
        n = glm::normalize(n);
        Vec3 t1, t2;
        make_tangents(n, t1, t2);
        CHECK(glm::length(t1) == doctest::Approx(1.0f));
        CHECK(glm::length(t2) == doctest::Approx(1.0f));
        CHECK(std::abs(glm::dot(n, t1)) < 1e-6f);
        CHECK(distance(glm::cross(t1, t2), n) < 1e-5f);
    }
}

TEST_CASE("integrating a rotation turns about the axis by twice the arc tangent and stays a unit") {
    const Vec3 axis = glm::normalize(Vec3(1.0f, 2.0f, -1.0f));
    const float speed = 10.0f, h = 1.0f / 60.0f;
    const Quat start = Quat(0.8f, 0.6f, 0.0f, 0.0f);
    const Quat moved = integrate_rotation(start, axis * speed, h);
    const float angle = 2.0f * std::atan(0.5f * speed * h);
    const Quat expected = Quat(std::cos(angle / 2), axis.x * std::sin(angle / 2), axis.y * std::sin(angle / 2),
                               axis.z * std::sin(angle / 2)) *
                          start;
    CHECK(std::abs(glm::dot(moved, expected)) == doctest::Approx(1.0f).epsilon(1e-6));
    CHECK(glm::dot(moved, moved) == doctest::Approx(1.0f).epsilon(1e-6));
    const Quat still = integrate_rotation(start, Vec3(0.0f), h);
    CHECK(std::abs(glm::dot(still, start)) == doctest::Approx(1.0f).epsilon(1e-6));
}

TEST_CASE("numbers that are not finite are recognised in every component") {
    const float bad[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
    CHECK(is_finite(1.0f));
    CHECK(is_finite(Vec3(1, 2, 3)));
    CHECK(is_finite(Quat(1, 0, 0, 0)));
    for (const float x : bad) {
        CHECK(!is_finite(x));
        for (int i = 0; i < 3; ++i) {
            Vec3 v(0.0f);
            v[i] = x;
            CHECK(!is_finite(v));
        }
        for (int i = 0; i < 4; ++i) {
            Quat q(1, 0, 0, 0);
            q[i] = x;
            CHECK(!is_finite(q));
        }
    }
}

TEST_CASE("boxes overlap when they touch and not when one axis separates them") {
    const Aabb a{{0, 0, 0}, {1, 1, 1}};
    CHECK(overlaps(a, {{1, 1, 1}, {2, 2, 2}}));
    for (int axis = 0; axis < 3; ++axis) {
        Aabb b{{0, 0, 0}, {1, 1, 1}};
        b.lower[axis] = 1.001f;
        b.upper[axis] = 2.0f;
        CHECK(!overlaps(a, b));
        CHECK(!overlaps(b, a));
    }
}
