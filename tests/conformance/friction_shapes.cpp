// SPDX-License-Identifier: MIT
// Polygon, ellipse and ellipsoid: nearest points against brute force and their own optimality, and the exact
// friction of one contact over an ellipsoid.
#include "physics/solvers/ellipsoid.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

double number(std::mt19937& random) { return double(random()) / 2147483648.0 - 1.0; }

/// z - x is a nonnegative multiple of the outward normal (x_i / a_i^2) of the ellipsoid at x, and x is on it;
/// or z was inside and came back.
template <size_t N>
void check_nearest(std::array<double, N> z, std::array<double, N> a) {
    const std::array<double, N> x = project_ellipsoid(z, a);
    double inside = 0.0, level = 0.0, slope = 0.0, both = 0.0;
    for (size_t i = 0; i < N; ++i) {
        if (a[i] > 0.0) {
            inside += z[i] / a[i] * (z[i] / a[i]);
            level += x[i] / a[i] * (x[i] / a[i]);
            const double normal = x[i] / (a[i] * a[i]);
            slope += normal * normal;
            both += (z[i] - x[i]) * normal;
        } else {
            CHECK(x[i] == 0.0);
        }
    }
    if (inside <= 1.0) {
        for (size_t i = 0; i < N; ++i)
            if (a[i] > 0.0) CHECK(x[i] == z[i]);
        return;
    }
    CHECK(std::abs(level - 1.0) <= 1e-12);
    CHECK(both >= 0.0);
    // the part of z - x across the normal
    double across = 0.0;
    for (size_t i = 0; i < N; ++i) {
        if (!(a[i] > 0.0)) continue;
        const double rest = (z[i] - x[i]) - both / slope * (x[i] / (a[i] * a[i]));
        across += rest * rest;
    }
    double size = 0.0;
    for (size_t i = 0; i < N; ++i) size += z[i] * z[i];
    CHECK(std::sqrt(across) <= 1e-12 * std::sqrt(size));
}

double distance(Real2<double> a, Real2<double> b) { return std::hypot(a.x - b.x, a.y - b.y); }

struct Block {
    Symmetric3 w;
    Axes3 l, v, radii;
};
/// Optimality of x: inside, no velocity is left; on the boundary, the velocity points straight inwards.
void check_optimal(const Block& b, double tolerance) {
    const Axes3 x = solve_ellipsoid(b.w, b.l, b.v, b.radii);
    const double full[3][3] = {{b.w.xx, b.w.xy, b.w.xz}, {b.w.xy, b.w.yy, b.w.yz}, {b.w.xz, b.w.yz, b.w.zz}};
    Axes3 v = b.v;
    double level = 0.0, scale = 1e-30;
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) {
            v[i] += full[i][j] * (x[j] - b.l[j]);
            scale += std::abs(full[i][j]) * (std::abs(x[j]) + std::abs(b.l[j]));
        }
        scale += std::abs(b.v[i]);
        if (b.radii[i] > 0.0)
            level += x[i] / b.radii[i] * (x[i] / b.radii[i]);
        else
            CHECK(x[i] == 0.0);
    }
    REQUIRE(level <= 1.0 + 1e-12);
    // In the coordinates y = x / radii the set is the ball: -v' = s y, s >= 0, and s = 0 inside.
    double along = 0.0;
    for (size_t i = 0; i < 3; ++i)
        if (b.radii[i] > 0.0) along += v[i] * x[i];
    const bool inside = level < 1.0 - 1e-9;
    if (!inside) CHECK(along <= tolerance * scale * std::max({b.radii[0], b.radii[1], b.radii[2]}));
    for (size_t i = 0; i < 3; ++i) {
        if (!(b.radii[i] > 0.0)) continue;
        const double rest = v[i] * b.radii[i] - (inside ? 0.0 : along * x[i] / b.radii[i]);
        CHECK(std::abs(rest) <= tolerance * scale * std::max({b.radii[0], b.radii[1], b.radii[2]}));
    }
}

}  // namespace

TEST_CASE("an ellipse and an ellipsoid give the textbook's nearest points") {
    const auto near = [](const Axes3& x, const Axes3& y) {
        for (size_t i = 0; i < 3; ++i) CHECK(x[i] == doctest::Approx(y[i]).epsilon(1e-13));
    };
    near(project_ellipsoid<3>({2, 0, 0}, {1, 1, 1}), {1, 0, 0});
    near(project_ellipsoid<3>({4, 0, 0}, {2, 1, 1}), {2, 0, 0});
    near(project_ellipsoid<3>({1.8, 2.4, 0}, {2, 1, 1}), {1.2, 0.8, 0});
    near(project_ellipsoid<3>({8.0 / 3, 7.0 / 6, 8.0 / 3}, {3, 2, 1}), {2, 2.0 / 3, 2.0 / 3});
    const auto a = project_ellipse(Real2<double>{1, 1}, 0.2, 0.8), b = project_ellipse(Real2<double>{1, 0.1}, 0.2, 0.8);
    CHECK(a.x == doctest::Approx(0.11081).epsilon(1e-4));
    CHECK(a.y == doctest::Approx(0.66599).epsilon(1e-4));
    CHECK(b.x == doctest::Approx(0.19900).epsilon(1e-4));
    CHECK(b.y == doctest::Approx(0.07990).epsilon(1e-4));
}

TEST_CASE("nearest points of ellipses and ellipsoids are optimal, flat ones and long ones too") {
    std::mt19937 random(5);
    for (int k = 0; k < 3000; ++k) {
        const auto size = [&] { return std::pow(10.0, 3.0 * number(random)); };
        Axes3 a{size(), size(), size()};
        const double far = size();
        Axes3 z{far * number(random), far * number(random), far * number(random)};
        if (k % 5 == 1) a[size_t(k) % 3] = 0.0;
        if (k % 7 == 1) a[(size_t(k) + 1) % 3] = 0.0;
        if (k % 3 == 1) z[size_t(k) % 3] = 0.0;
        check_nearest<3>(z, a);
        check_nearest<2>({z[0], z[1]}, {a[0], a[1]});
    }
    const Axes3 nothing = project_ellipsoid<3>({1, 2, 3}, {0, -1, 0});
    CHECK(nothing == Axes3{0.0, 0.0, 0.0});
}

TEST_CASE("nearest points of ellipses and polygons are the nearest of a hundred thousand on the boundary") {
    std::mt19937 random(6);
    constexpr int kSteps = 100000;
    const double turn = 2.0 * 3.14159265358979323846;
    for (int k = 0; k < 12; ++k) {
        const Real2<double> z{2.0 * number(random), 2.0 * number(random)};
        const double a = 0.1 + std::abs(number(random)), b = 0.1 + std::abs(number(random));
        const Real2<double> x = project_ellipse(z, a, b);
        double best = 1e30;
        for (int s = 0; s < kSteps; ++s)
            best = std::min(best, distance(z, {a * std::cos(turn * s / kSteps), b * std::sin(turn * s / kSteps)}));
        if (z.x * z.x / a / a + z.y * z.y / b / b > 1.0) CHECK(std::abs(distance(z, x) - best) < 1e-8);

        const uint32_t sides = 4 + uint32_t(k);
        const Real2<double> p = project_polygon(z, a, sides);
        best = 1e30;
        bool outside = false;
        for (uint32_t side = 0; side < sides; ++side) {
            const double from = turn * side / sides, to = turn * (side + 1) / sides;
            const double middle = 0.5 * (from + to);
            outside = outside || std::cos(middle) * z.x + std::sin(middle) * z.y > a * std::cos(0.5 * (to - from));
            for (int s = 0; s <= kSteps / 16; ++s) {
                const double f = double(s) / (kSteps / 16);
                best = std::min(best, distance(z, {a * ((1 - f) * std::cos(from) + f * std::cos(to)),
                                                   a * ((1 - f) * std::sin(from) + f * std::sin(to))}));
            }
        }
        if (outside)
            CHECK(std::abs(distance(z, p) - best) < 1e-7);
        else
            CHECK((p.x == z.x && p.y == z.y));
        // Twice is once, and corners lie on the circle.
        const Real2<double> twice = project_polygon(p, a, sides);
        CHECK(distance(p, twice) < 1e-15);
        const Real2<double> corner = project_polygon(Real2<double>{5.0, 0.0}, a, sides);
        CHECK(corner.x == doctest::Approx(a).epsilon(1e-14));
    }
    CHECK(project_polygon(Real2<double>{1.0, 1.0}, 0.0, 8).x == 0.0);
}

TEST_CASE("sets keep points inside as they are and never push two points apart") {
    std::mt19937 random(7);
    for (int k = 0; k < 2000; ++k) {
        const Axes3 a{std::abs(number(random)), std::abs(number(random)), std::abs(number(random))};
        const Axes3 y{number(random), number(random), number(random)},
            z{number(random), number(random), number(random)};
        const Axes3 py = project_ellipsoid(y, a), pz = project_ellipsoid(z, a);
        double before = 0.0, after = 0.0;
        for (size_t i = 0; i < 3; ++i) {
            before += (y[i] - z[i]) * (y[i] - z[i]);
            after += (py[i] - pz[i]) * (py[i] - pz[i]);
        }
        CHECK(after <= before * (1.0 + 1e-12));
        const Axes3 again = project_ellipsoid(py, a);
        for (size_t i = 0; i < 3; ++i) CHECK(std::abs(again[i] - py[i]) <= 1e-14);
    }
}

TEST_CASE("an ellipse with equal radii is the disk, to the last bit, in float and double") {
    std::mt19937 random(8);
    for (int k = 0; k < 1000; ++k) {
        const Real2<float> z{float(number(random)), float(number(random))};
        const float radius = float(std::abs(number(random)));
        const Real2<float> a = project_ellipse(z, radius, radius), b = project_disk(z, radius);
        CHECK((a.x == b.x && a.y == b.y));
        const Real2<float> thin = project_ellipse(z, radius, 0.5f * radius);
        const Real2<double> wide =
            project_ellipse(Real2<double>{double(z.x), double(z.y)}, double(radius), double(0.5f * radius));
        CHECK(std::abs(double(thin.x) - wide.x) <= 1e-7);
        CHECK(std::abs(double(thin.y) - wide.y) <= 1e-7);
    }
}

TEST_CASE("the exact friction over an ellipsoid is optimal for any block, radii and start") {
    std::mt19937 random(9);
    for (int k = 0; k < 4000; ++k) {
        // G^T G of a random G, some of lower rank, some with one row far smaller: a thin contact patch.
        double g[3][3];
        for (auto& row : g)
            for (double& x : row) x = number(random);
        if (k % 4 == 1) std::fill(g[2], g[2] + 3, 0.0);
        if (k % 4 == 2)
            for (auto& row : g) row[2] *= 1e-3;
        Block b{};
        const auto entry = [&](int i, int j) { return g[0][i] * g[0][j] + g[1][i] * g[1][j] + g[2][i] * g[2][j]; };
        b.w = {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
        const double reach = std::pow(10.0, 2.0 * number(random));
        for (size_t i = 0; i < 3; ++i) {
            b.l[i] = number(random);
            b.v[i] = 3.0 * number(random);
            b.radii[i] = reach * std::abs(number(random));
        }
        if (k % 5 == 3) b.radii[size_t(k) % 3] = 0.0;
        if (k % 11 == 3) b.radii = {reach, reach, reach};
        CAPTURE(k);
        check_optimal(b, 1e-9);
    }
}

TEST_CASE("the exact friction over an ellipsoid does nothing where nothing is to be done") {
    const Symmetric3 w{2.0, 3.0, 0.5, 0.1, 0.2, 0.3}, none{};
    const Axes3 inside{0.1, -0.2, 0.05};
    CHECK(solve_ellipsoid(w, inside, {0, 0, 0}, {1, 1, 1}) == inside);
    CHECK(solve_ellipsoid(none, inside, {1, 2, 3}, {1, 1, 1}) == inside);
    CHECK(solve_ellipsoid(w, inside, {1, 2, 3}, {0, 0, 0}) == Axes3{0.0, 0.0, 0.0});
    // The disk of solve_disk is the ellipsoid without its third axis.
    const TangentBlock<double> tt{2.0, 0.1, 3.0};
    const Real2<double> disk = solve_disk(tt, Real2<double>{0.1, -0.2}, Real2<double>{1.0, 2.0}, 0.3);
    const Axes3 flat = solve_ellipsoid(w, {0.1, -0.2, 0.0}, {1.0, 2.0, 9.0}, {0.3, 0.3, 0.0});
    CHECK(flat[0] == doctest::Approx(disk.x).epsilon(1e-13));
    CHECK(flat[1] == doctest::Approx(disk.y).epsilon(1e-13));
}
