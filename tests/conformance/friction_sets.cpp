// SPDX-License-Identifier: MIT
// Projections on friction sets, and the exact friction of one contact in the metric of its own block.
#include "physics/solvers/friction_set.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

/// Checks the optimality of x for min over |x| <= radius of 1/2 (x-l)^T W (x-l) + v^T (x-l): new velocity =
/// -t x, t >= 0, and zero inside.
template <class Real>
void check_optimal(TangentBlock<Real> w, Real2<Real> l, Real2<Real> v, Real radius, double tolerance) {
    const Real2<Real> x = solve_disk(w, l, v, radius);
    const double d1 = double(x.x) - l.x, d2 = double(x.y) - l.y;
    const double v1 = v.x + w.t11 * d1 + w.t12 * d2, v2 = v.y + w.t12 * d1 + w.t22 * d2;
    const double length = std::hypot(double(x.x), double(x.y));
    CAPTURE(w.t11);
    CAPTURE(w.t12);
    CAPTURE(w.t22);
    CAPTURE(radius);
    const double scale = 1.0 + std::hypot(double(v.x), double(v.y)) +
                         double(w.t11 + w.t22) * (radius + std::hypot(double(l.x), double(l.y)));
    REQUIRE(length <= radius * (1.0 + 1e-6));
    if (length < radius * (1.0 - 1e-5)) {
        CHECK(std::hypot(v1, v2) <= tolerance * scale);
    } else {
        CHECK(std::abs(x.x * v2 - x.y * v1) <= tolerance * scale * radius);
        CHECK(x.x * v1 + x.y * v2 <= tolerance * scale * radius);
    }
}

}  // namespace

TEST_CASE("disk and box return the nearest point of their set") {
    const auto inside = project_disk(Real2<double>{0.3, 0.4}, 0.6);
    CHECK(inside.x == 0.3);
    CHECK(inside.y == 0.4);
    const auto rim = project_disk(Real2<double>{3.0, 4.0}, 0.5);
    CHECK(rim.x == doctest::Approx(0.3));
    CHECK(rim.y == doctest::Approx(0.4));
    const auto corner = project_box(Real2<double>{3.0, -4.0}, 0.5);
    CHECK(corner.x == 0.5);
    CHECK(corner.y == -0.5);
    for (const double radius : {0.0, -1.0}) {
        CHECK(project_disk(Real2<double>{3.0, 4.0}, radius).x == 0.0);
        CHECK(project_box(Real2<double>{3.0, 4.0}, radius).y == 0.0);
    }
}

TEST_CASE("constant velocity turns the friction impulse by half its angle each pass") {
    // tan(angle') = sin(angle)/(cos(angle) + r/radius) with r = radius
    Real2<double> l{1.0, 0.0};
    for (const double degrees : {45.0, 22.5, 11.25, 5.625}) {
        l = project_disk(Real2<double>{l.x, l.y - 1.0}, 1.0);
        CHECK(std::atan2(l.x, -l.y) * 180.0 / 3.14159265358979 == doctest::Approx(degrees));
    }
}

TEST_CASE("the exact friction of one contact is optimal for any block, radius and start") {
    std::mt19937 random(12);
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
    for (int k = 0; k < 4000; ++k) {
        const double a = number(), b = number(), c = number(), d = number();
        TangentBlock<double> w{a * a + b * b, a * c + b * d, c * c + d * d};
        if (k % 4 == 1) w = {a * a, a * b, b * b};                // singular
        if (k % 4 == 2) w = {a * a + 1e-9, a * b, b * b + 1e-9};  // nearly
        if (k % 4 == 3) w = {std::abs(a), 0.0, std::abs(a)};      // a multiple of the unit matrix
        const Real2<double> l{number(), number()}, v{3.0 * number(), 3.0 * number()};
        const double radius = std::pow(10.0, 3.0 * number());
        check_optimal<double>(w, l, v, radius, 1e-9);
        check_optimal<float>({float(w.t11), float(w.t12), float(w.t22)}, {float(l.x), float(l.y)},
                             {float(v.x), float(v.y)}, float(radius), 1e-4);
    }
}

TEST_CASE("the exact friction of one contact survives degenerate input") {
    const TangentBlock<double> none{0, 0, 0}, one_axis{1, 0, 0};
    CHECK(solve_disk(none, {0.3, 0.4}, {1, 1}, 1.0).x == 0.3);
    CHECK(std::hypot(solve_disk(none, {3, 4}, {1, 1}, 1.0).x, solve_disk(none, {3, 4}, {1, 1}, 1.0).y) ==
          doctest::Approx(1.0));
    CHECK(solve_disk(one_axis, {3, 4}, {1, 1}, 0.0).x == 0.0);
    const auto stick = solve_disk(one_axis, {0.1, 0.2}, {0.5, 0.0}, 1.0);
    CHECK(stick.x == doctest::Approx(-0.4));
    CHECK(stick.y == 0.2);
    const auto still = solve_disk(TangentBlock<float>{3, 1, 2}, {0.3f, 0.2f}, {0.0f, 0.0f}, 1.0f);
    CHECK(still.x == doctest::Approx(0.3f));
    CHECK(still.y == doctest::Approx(0.2f));
}

TEST_CASE("two steps for two tangents would bend the direction of sliding, the block metric does not") {
    // Particle, b_t = (3, 4), radius 0.5, R = diag(1, 0.5): the plain projection has a wrong fixed point.
    Real2<double> biased{0, 0};
    for (int k = 0; k < 200; ++k)
        biased = project_disk(Real2<double>{biased.x - (3 + biased.x), biased.y - 0.5 * (4 + biased.y)}, 0.5);
    CHECK(biased.x == doctest::Approx(-0.4067).epsilon(1e-3));
    CHECK(biased.y == doctest::Approx(-0.2908).epsilon(1e-3));
    // The same steps in their own metric are the block diag(1, 2).
    Real2<double> exact{0, 0};
    for (int k = 0; k < 200; ++k)
        exact = solve_disk(TangentBlock<double>{1, 0, 2}, exact, {3 + exact.x, 4 + exact.y}, 0.5);
    CHECK(exact.x == doctest::Approx(-0.3));
    CHECK(exact.y == doctest::Approx(-0.4));
}
