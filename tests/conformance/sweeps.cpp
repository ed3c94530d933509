// SPDX-License-Identifier: MIT
// Iterates and rates of convergence against theory and against sweeps written out on full matrices.
#include "physics/solvers/friction_set.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

SolveSettings sweeps(uint32_t count) {
    SolveSettings settings;
    settings.iterations = count;
    settings.rollback = false;
    return settings;
}

/// Sweeps until max |l_n - exact| <= relative * max |exact|.
uint32_t sweeps_to_error(const Dense& dense, const std::vector<double>& exact, double relative) {
    const DelassusProblem problem = dense.problem();
    DelassusSystem system(problem);
    const double largest = *std::max_element(exact.begin(), exact.end());
    for (uint32_t k = 1; k <= 20000; ++k) {
        solver_named("pgs").solve_matrix(system, sweeps(1));
        double error = 0.0;
        for (uint32_t i = 0; i < system.size(); ++i) error = std::max(error, std::abs(system.impulse(i).n - exact[i]));
        if (error <= relative * largest) return k;
    }
    return 0;
}

std::vector<double> weights(const std::vector<double>& mass) {
    std::vector<double> w(mass.size());
    double sum = 0.0;
    for (size_t i = mass.size(); i-- > 0;) w[i] = sum += mass[i];
    return w;
}

/// One split sweep on a full matrix, every row from the latest velocities: friction of a group, then its
/// normals; a group of several contacts begins with its normals as well.
void dense_sweep(const Dense& d, std::vector<double>& l, size_t group, bool disk) {
    const size_t n = d.contacts();
    const auto velocity = [&](size_t r) {
        double v = d.q[r];
        for (size_t c = 0; c < d.rows(); ++c) v += d.at(r, c) * l[c];
        return v;
    };
    const auto normals = [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) l[3 * i] = std::max(0.0, l[3 * i] - velocity(3 * i) / d.at(3 * i, 3 * i));
    };
    for (size_t g = 0; g < n; g += group) {
        const size_t end = std::min(n, g + group);
        if (end - g > 1) normals(g, end);
        for (size_t i = g; i < end; ++i) {
            const double radius = d.mu[i] * l[3 * i];
            if (disk) {
                const double a = d.at(3 * i + 1, 3 * i + 1), c = d.at(3 * i + 2, 3 * i + 2);
                const double r = 2.0 / (a + c + std::hypot(a - c, 2.0 * d.at(3 * i + 1, 3 * i + 2)));
                const double z1 = l[3 * i + 1] - r * velocity(3 * i + 1), z2 = l[3 * i + 2] - r * velocity(3 * i + 2);
                const double s = std::hypot(z1, z2) > radius ? radius / std::hypot(z1, z2) : 1.0;
                l[3 * i + 1] = s * z1;
                l[3 * i + 2] = s * z2;
            } else {
                for (size_t r = 3 * i + 1; r < 3 * i + 3; ++r)
                    l[r] = std::max(-radius, std::min(radius, l[r] - velocity(r) / d.at(r, r)));
            }
        }
        normals(g, end);
    }
}

}  // namespace

TEST_CASE("Gauss-Seidel makes the iterates of the textbook") {
    const DelassusProblem problem = lcp({{2, 1}, {1, 2}}, {-5, -6}).problem();
    const double expected[3][2] = {{2.5, 1.75}, {1.625, 2.1875}, {1.40625, 2.296875}};
    for (const char* name : {"pgs", "prox_gs"}) {
        DelassusSystem system(problem);
        for (const auto& x : expected) {
            solver_named(name).solve_matrix(system, sweeps(1));
            CHECK(system.impulse(0).n == x[0]);
            CHECK(system.impulse(1).n == x[1]);
        }
    }
}

TEST_CASE("Gauss-Seidel on a tower of equal masses converges with cos^2(pi/2N)") {
    struct Case {
        size_t masses;
        uint32_t sweeps;
    };
    for (const Case c : {Case{2, 10}, Case{5, 68}, Case{10, 271}, Case{20, 1086}}) {
        const std::vector<double> mass(c.masses, 1.0);
        CHECK(sweeps_to_error(tower(mass), weights(mass), 1e-3) == c.sweeps);
    }
    // The rate itself, once the slowest mode is alone.
    const std::vector<double> mass(10, 1.0);
    const DelassusProblem problem = tower(mass).problem();
    DelassusSystem system(problem);
    solver_named("pgs").solve_matrix(system, sweeps(300));
    const double before = 10.0 - system.impulse(0).n;
    solver_named("pgs").solve_matrix(system, sweeps(1));
    const double after = 10.0 - system.impulse(0).n;
    CHECK(after / before == doctest::Approx(std::pow(std::cos(3.14159265358979 / 20.0), 2)).epsilon(1e-6));
}

TEST_CASE("Gauss-Seidel with a heavy mass on a light one converges with k/(1+k)") {
    struct Case {
        double ratio;
        uint32_t sweeps;
    };
    for (const Case c : {Case{1, 10}, Case{10, 73}, Case{100, 695}, Case{1000, 6912}}) {
        const std::vector<double> mass{1.0, c.ratio};
        CHECK(sweeps_to_error(tower(mass), weights(mass), 1e-3) == c.sweeps);
    }
}

TEST_CASE("four contacts that share one mass are solved by Jacobi in one pass") {
    // With steps 1/W_ii Jacobi would jump between 0 and four times the answer for ever.
    const Dense dense = lcp(std::vector(4, std::vector(4, 1.0)), {-1, -1, -1, -1});
    const auto l = solve(solver_named("prox_jacobi"), dense.problem(), sweeps(1));
    for (size_t i = 0; i < 4; ++i) CHECK(l[3 * i] == doctest::Approx(0.25));
}

TEST_CASE("sweeps equal sweeps written out on the full matrix, alone and in groups") {
    for (const size_t group : {1, 3})
        for (const char* name : {"pgs", "prox_gs"}) {
            const bool disk = std::string(name) == "prox_gs";
            const Dense dense = random_problem(8, 21, 0.5);
            DelassusProblem problem = dense.problem();
            for (uint32_t g = 0; g < 8; g += uint32_t(group))
                problem.groups.push_back({g, std::min(8u, g + uint32_t(group))});
            DelassusSystem system(problem);
            std::vector<double> l(24, 0.0);
            for (int k = 0; k < 25; ++k) {
                dense_sweep(dense, l, group, disk);
                solver_named(name).solve_matrix(system, sweeps(1));
                const auto x = impulses(system);
                for (size_t r = 0; r < l.size(); ++r) REQUIRE(std::abs(x[r] - l[r]) < 1e-12);
            }
        }
}

TEST_CASE("a Jacobi pass does not depend on the order of the contacts") {
    const Dense dense = random_problem(7, 3, 0.5);
    Dense turned(7);
    const auto other = [](size_t r) { return 3 * (6 - r / 3) + r % 3; };
    for (size_t r = 0; r < 21; ++r) {
        turned.q[other(r)] = dense.q[r];
        for (size_t c = 0; c < 21; ++c) turned.at(other(r), other(c)) = dense.at(r, c);
    }
    turned.mu = dense.mu;
    const Solver& jacobi = solver_named("prox_jacobi");
    const auto x = solve(jacobi, dense.problem(), sweeps(10)), y = solve(jacobi, turned.problem(), sweeps(10));
    for (size_t r = 0; r < 21; ++r) CHECK(std::abs(x[r] - y[other(r)]) < 1e-13);
}

TEST_CASE("velocities stay W l + q after thousands of sweeps") {
    const Dense dense = random_problem(10, 9, 0.7);
    const DelassusProblem problem = dense.problem();
    DelassusSystem system(problem);
    solver_named("prox_gs").solve_matrix(system, sweeps(5000));
    const auto v = dense.velocities(impulses(system));
    for (uint32_t i = 0; i < system.size(); ++i) {
        CHECK(std::abs(system.normal_velocity(i) - v[3 * i]) < 1e-14);
        CHECK(std::abs(system.tangent_velocity(i).x - v[3 * i + 1]) < 1e-14);
        CHECK(std::abs(system.tangent_velocity(i).y - v[3 * i + 2]) < 1e-14);
    }
}
