// SPDX-License-Identifier: MIT
// The residual against the same formulas on full matrices, its parts, and numbers that are none.
#include "physics/contact/residual.h"
#include "physics/contact/symmetric3.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

TEST_CASE("the residual agrees with an evaluation on the full matrix") {
    std::mt19937 random(8);
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        Dense dense = random_problem(7, seed, 0.5);
        for (double& mu : dense.mu) mu = seed % 3 == 0 ? 0.0 : 0.5 + 0.5 * number();
        std::vector<double> l(21);
        for (double& x : l) x = number();
        const DelassusProblem problem = dense.problem();
        DelassusSystem system(problem);
        system.set_impulses(l);
        for (const FrictionSet set : {FrictionSet::disk, FrictionSet::box}) {
            const DenseResidual expected = dense_residual(dense, l, set == FrictionSet::disk);
            const Residual measured = measure_residual(system, set);
            CHECK(measured.max == doctest::Approx(expected.max).epsilon(1e-12));
            CHECK(measured.mean == doctest::Approx(expected.mean).epsilon(1e-12));
            CHECK(contact_residual(system, measured.worst, set).total() == measured.max);
            CHECK(relative_residual(system, set, system.q_norm()) == doctest::Approx(expected.e).epsilon(1e-12));
        }
    }
}

TEST_CASE("each part of the residual sees its own mistake") {
    const DelassusProblem problem = one_contact({1, 0, 1}, {3, 4}, 0.5).problem();
    DelassusSystem system(problem);
    const auto measure = [&](std::vector<double> l) {
        system.set_impulses(l);
        return contact_residual(system, 0);
    };
    const ContactResidual right = measure({1, -0.3, -0.4});
    CHECK(right.total() < 1e-15);
    const ContactResidual approach = measure({0.9, -0.27, -0.36});  // still approaching with 0.1 m/s
    CHECK(approach.normal == doctest::Approx(0.1));
    CHECK(approach.tangent < 1e-15);
    CHECK(approach.cone < 1e-15);
    const ContactResidual outside = measure({1, -0.6, -0.8});  // right direction, twice too strong
    CHECK(outside.cone == doctest::Approx(0.5));
    CHECK(outside.sliding < 1e-15);
    CHECK(outside.tangent == doctest::Approx(0.5));
    const ContactResidual turned = measure({1, -0.5, 0});  // right strength, wrong direction
    CHECK(turned.cone < 1e-15);
    CHECK(turned.sliding > 0.1);
    const ContactResidual pulling = measure({-0.1, 0, 0});
    CHECK(pulling.normal == doctest::Approx(1.1));
    CHECK(pulling.cone == doctest::Approx(0.1));
}

TEST_CASE("not-a-number anywhere makes the residual infinite, never small") {
    const Dense dense = random_problem(3, 2, 0.5);
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    for (const double bad : {nan, inf, -inf})
        for (size_t r = 0; r < 9; ++r)
            for (const FrictionSet set : {FrictionSet::disk, FrictionSet::box}) {
                const DelassusProblem problem = dense.problem();
                DelassusSystem system(problem);
                std::vector<double> l(9, 0.1);
                l[r] = bad;
                system.set_impulses(l);
                CHECK(measure_residual(system, set).max == inf);
                CHECK(measure_residual(system, set).mean == inf);
                CHECK(relative_residual(system, set, system.q_norm()) == inf);
            }
    for (const Solver& solver : solver_table()) {
        const DelassusProblem problem = dense.problem();
        DelassusSystem system(problem);
        std::vector<double> l(9, 0.1);
        l[0] = nan;
        system.set_impulses(l);
        SolveSettings settings;
        settings.tolerance = 1e-3;
        const SolveReport report = solver.solve_matrix(system, settings);
        CHECK(report.stop == StopReason::stalled);
        CHECK(report.residual == inf);
    }
}

TEST_CASE("the cone projection returns the nearest point of the cone") {
    std::mt19937 random(3);
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
    for (int k = 0; k < 500; ++k) {
        const double mu = k % 5 == 0 ? 0.0 : std::abs(number());
        const Real3<double> z{number(), number(), number()};
        const Real3<double> p = project_cone(z, mu);
        CHECK(std::hypot(p.t1, p.t2) <= mu * p.n + 1e-14);
        // (z - p) is in the polar cone and at a right angle to p.
        const Real3<double> d{z.n - p.n, z.t1 - p.t1, z.t2 - p.t2};
        CHECK(std::abs(d.n * p.n + d.t1 * p.t1 + d.t2 * p.t2) < 1e-14);
        CHECK(d.n + mu * std::hypot(d.t1, d.t2) <= 1e-14);
    }
    const Real3<double> below = project_cone({-4.0, 0.0, 0.0}, 0.0);
    CHECK(below.n == 0.0);
}

TEST_CASE("the largest eigenvalue of a symmetric matrix is found from above") {
    CHECK(largest_eigenvalue(Symmetric3{1, 2, 3, 0, 0, 0}) == doctest::Approx(3.0));
    CHECK(largest_eigenvalue(Symmetric3{2, 2, 2, 0, 0, 0}) == doctest::Approx(2.0));
    CHECK(largest_eigenvalue(Symmetric3{1, 1, 1, 1, 1, 1}) == doctest::Approx(3.0));
    CHECK(largest_eigenvalue(Symmetric3{2, 2, 1, 1, 0, 0}) == doctest::Approx(3.0));
    CHECK(largest_eigenvalue(Symmetric3{0, 0, 0, 0, 0, 0}) == 0.0);
    CHECK(largest_eigenvalue(TangentBlock<double>{2, 1, 2}) == doctest::Approx(3.0));
    std::mt19937 random(4);
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
    for (int k = 0; k < 100; ++k) {
        double j[3][3], w[3][3] = {};
        for (auto& row : j)
            for (double& x : row) x = number();
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                for (int i = 0; i < 3; ++i) w[r][c] += j[r][i] * j[c][i];
        const double top = largest_eigenvalue(Symmetric3{w[0][0], w[1][1], w[2][2], w[0][1], w[0][2], w[1][2]});
        double x[3] = {1, 0.7, 0.4}, rayleigh = 0.0;
        for (int step = 0; step < 2000; ++step) {
            double y[3] = {}, norm = 0.0;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) y[r] += w[r][c] * x[c];
            for (double v : y) norm += v * v;
            norm = std::sqrt(norm);
            for (int r = 0; r < 3; ++r) x[r] = y[r] / norm;
            rayleigh = norm;
        }
        CHECK(top == doctest::Approx(rayleigh).epsilon(1e-6));
        CHECK(top >= rayleigh * (1.0 - 1e-12));
    }
}
