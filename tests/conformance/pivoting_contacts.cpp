// SPDX-License-Identifier: MIT
// Pivoting methods on contacts: bounds that follow the normals, redundant contacts, polygons against the
// disk, and what is refused.
#include <algorithm>
#include <numbers>
#include <string>

#include "physics/contact/residual.h"
#include "physics/solvers/pivoting/box_loop.h"
#include "physics/solvers/pivoting/lemke_lcp.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;
using pivoting::LemkeStop;
using pivoting::PlainLcp;

namespace {

constexpr double kHalfTurn = std::numbers::pi;
constexpr const char* kBoxed[] = {"dantzig", "murty", "bpp"};

SolveSettings accurate(double tolerance = 1e-10) {
    SolveSettings settings;
    settings.iterations = 20000;
    settings.tolerance = tolerance;
    return settings;
}

PlainLcp plain(const std::vector<std::vector<double>>& m, std::vector<double> q) {
    PlainLcp lcp;
    for (const auto& row : m) lcp.m.insert(lcp.m.end(), row.begin(), row.end());
    lcp.q = std::move(q);
    return lcp;
}

/// A unit cube on the ground with four corners of contact, moving as given.
Dense box_on_ground(double mu, double vx, double vy, double vz) {
    Dense d(4);
    const double arms[4][3] = {{-.5, -.5, -.5}, {.5, -.5, -.5}, {-.5, -.5, .5}, {.5, -.5, .5}};
    const double axes[3][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    const double inertia = 1.0 / 6.0;
    const auto turn = [&](size_t r, double out[3]) {
        const double *a = arms[r / 3], *f = axes[r % 3];
        out[0] = a[1] * f[2] - a[2] * f[1];
        out[1] = a[2] * f[0] - a[0] * f[2];
        out[2] = a[0] * f[1] - a[1] * f[0];
    };
    for (size_t r = 0; r < 12; ++r) {
        const double* f = axes[r % 3];
        d.q[r] = f[0] * vx + f[1] * vy + f[2] * vz;
        for (size_t c = 0; c < 12; ++c) {
            double x[3], y[3], sum = 0.0;
            turn(r, x);
            turn(c, y);
            for (size_t k = 0; k < 3; ++k) sum += f[k] * axes[c % 3][k] + x[k] * y[k] / inertia;
            d.at(r, c) = sum;
        }
    }
    std::fill(d.mu.begin(), d.mu.end(), mu);
    return d;
}

double largest_corner_power(double vx, double vy, uint32_t sides) {
    double power = 0.0;
    for (uint32_t k = 0; k < sides; ++k) {
        const double angle = 2.0 * kHalfTurn * k / sides;
        power = std::max(power, -(vx * std::cos(angle) + vy * std::sin(angle)));
    }
    return power;
}

/// How far impulses are from the polygon's law, written from its variational form: friction inside the
/// polygon, and taking the most power that any of its corners could take.
double polygon_error(const Dense& d, const std::vector<double>& l, uint32_t sides) {
    const std::vector<double> v = d.velocities(l);
    double worst = 0.0;
    for (size_t i = 0; i < d.contacts(); ++i) {
        const double *li = &l[3 * i], *vi = &v[3 * i];
        const double radius = d.mu[i] * li[0];
        worst = std::max(worst, std::abs(std::min(li[0], vi[0])));
        for (uint32_t k = 0; k < sides; ++k) {  // sides stand half an angle from the corners
            const double angle = 2.0 * kHalfTurn * (k + 0.5) / sides;
            const double out = li[1] * std::cos(angle) + li[2] * std::sin(angle);
            worst = std::max(worst, out - radius * std::cos(kHalfTurn / sides));
        }
        const double power = -(li[1] * vi[1] + li[2] * vi[2]);
        worst = std::max(worst, std::abs(radius * largest_corner_power(vi[1], vi[2], sides) - power));
    }
    return worst;
}

}  // namespace

TEST_CASE("redundant contacts of a box are solved without softening them") {
    for (const char* name : kBoxed)
        for (const double mu : {0.0, 0.3, 0.8})
            for (int k = 0; k < 12; ++k) {
                CAPTURE(std::string(name));
                CAPTURE(mu);
                CAPTURE(k);
                const double angle = 2.0 * kHalfTurn * k / 12;
                const Dense dense = box_on_ground(mu, 0.5 * std::cos(angle), -1.0, 0.5 * std::sin(angle));
                SolveReport report;
                const auto l = solve(solver_named(name), dense.problem(), accurate(1e-12), &report);
                CHECK(report.stop == StopReason::tolerance);
                CHECK(dense_residual(dense, l, false).max < 1e-10);
                CHECK(l[0] + l[3] + l[6] + l[9] == doctest::Approx(1.0).epsilon(1e-10));
            }
}

TEST_CASE("a tower with a mass ratio of a thousand takes one solve") {
    for (const char* name : kBoxed) {
        CAPTURE(std::string(name));
        SolveReport report;
        const auto l = solve(solver_named(name), tower({1, 1000, 1, 1000}).problem(), accurate(), &report);
        CHECK(report.stop == StopReason::tolerance);
        CHECK(report.iterations <= 2);
        CHECK(l[0] == doctest::Approx(2002.0).epsilon(1e-9));
        CHECK(l[9] == doctest::Approx(1000.0).epsilon(1e-9));
    }
}

TEST_CASE("bounds that follow the normals come to rest, with strong friction too") {
    for (const double mu : {0.3, 1.0, 2.0})
        for (uint32_t seed = 1; seed <= 8; ++seed) {
            const Dense dense = random_problem(10, seed + 40, mu);
            const DelassusProblem problem = dense.problem();
            for (const char* name : kBoxed) {
                CAPTURE(std::string(name));
                CAPTURE(mu);
                CAPTURE(seed);
                SolveReport report;
                const auto l = solve(solver_named(name), problem, accurate(), &report);
                CHECK(report.stop == StopReason::tolerance);
                CHECK(report.iterations < 60);
                CHECK(dense_residual(dense, l, false).e < 2e-10);
            }
        }
}

TEST_CASE("a matrix that is not quite symmetric is solved as it is given") {
    Dense dense = random_problem(8, 4, 0.5);
    std::mt19937 random(5);
    for (double& w : dense.w) w *= 1.0 + 1e-3 * (double(random()) / 2147483648.0 - 1.0);
    for (const char* name : kBoxed) {
        CAPTURE(std::string(name));
        SolveReport report;
        const auto l = solve(solver_named(name), dense.problem(), accurate(), &report);
        CHECK(report.stop == StopReason::tolerance);
        CHECK(dense_residual(dense, l, false).e < 2e-10);
    }
    const auto l = solve(solver_named("lemke"), dense.problem(), accurate());
    CHECK(polygon_error(dense, l, 8) < 1e-10);
}

TEST_CASE("pivoting never returns worse than it was given") {
    for (uint32_t seed = 1; seed <= 6; ++seed) {
        const DelassusProblem problem = random_problem(7, seed, 0.7).problem();
        for (const char* name : {"dantzig", "murty", "bpp", "lemke"})
            for (const uint32_t iterations : {0u, 1u, 2u, 500u}) {
                CAPTURE(std::string(name));
                CAPTURE(iterations);
                const Solver& solver = solver_named(name);
                DelassusSystem system(problem);
                SolveSettings settings;
                settings.iterations = 30;
                solver_named(solver.set == FrictionSet::box ? "pgs" : "prox_gs").solve_matrix(system, settings);
                system.refresh();  // without what the sweeps have gathered in v
                const double before = relative_residual(system, solver.set, system.q_norm());
                std::vector<double> history;
                settings.iterations = iterations;
                settings.history = &history;
                const SolveReport report = solver.solve_matrix(system, settings);
                const double after = relative_residual(system, solver.set, system.q_norm());
                CHECK(after <= before);
                CHECK(report.residual == doctest::Approx(after));
                REQUIRE(!history.empty());
                CHECK(history.front() == doctest::Approx(before));
                CHECK(*std::min_element(history.begin(), history.end()) == doctest::Approx(after));
                if (solver.name != "lemke") CHECK(history.size() == report.iterations + 1);
            }
    }
}

TEST_CASE("what pivoting cannot do is said, and the impulses stay") {
    const auto unchanged = [](const char* name, const DelassusProblem& problem, const SolveSettings& settings,
                              StopReason stop) {
        CAPTURE(std::string(name));
        DelassusSystem system(problem);
        const SolveReport report = solver_named(name).solve_matrix(system, settings);
        CHECK(report.stop == stop);
        CHECK(report.note.empty() == (stop != StopReason::failed));
        CHECK(impulses(system) == std::vector<double>(3 * size_t(problem.size()), 0.0));
    };
    // Many contacts, each for itself.
    std::vector<BlockEntry> entries;
    const uint32_t n = pivoting::kContactLimit + 1;
    for (uint32_t i = 0; i < n; ++i) {
        BlockEntry entry{i, i, {}};
        for (int k = 0; k < 3; ++k) entry.block.m[k][k] = 1.0;
        entries.push_back(entry);
    }
    const auto many = make_problem(entries, std::vector<double>(3 * n, -1.0), std::vector<double>(n, 0.5));
    REQUIRE(many.ok());
    for (const char* name : {"dantzig", "murty", "bpp", "lemke"})
        unchanged(name, *many, accurate(), StopReason::failed);

    const DelassusProblem problem = random_problem(6, 3, 0.5).problem();
    SolveSettings no_time = accurate();
    no_time.time_limit = 1e-12;
    for (const char* name : {"dantzig", "murty", "bpp", "lemke"}) unchanged(name, problem, no_time, StopReason::time);
    SolveSettings few = accurate();
    few.iterations = 3;
    unchanged("lemke", problem, few, StopReason::iterations);
    for (const uint32_t sides : {0u, 2u, 5u, 7u, 18u}) {
        SolveSettings settings = accurate();
        settings.polygon_sides = sides;
        unchanged("lemke", problem, settings, StopReason::failed);
    }
    // Far from positive definite: normals attract each other.
    Dense indefinite = lcp({{1, 3}, {3, 1}}, {-1, -1});
    for (const char* name : kBoxed) {
        CAPTURE(std::string(name));
        SolveReport report;
        const auto l = solve(solver_named(name), indefinite.problem(), accurate(), &report);
        CHECK((report.stop == StopReason::failed || dense_residual(indefinite, l, false).max < 1e-8));
    }
}

TEST_CASE("Lemke's method solves the textbook's small problems, ties and all") {
    struct Known {
        PlainLcp lcp;
        std::vector<double> z;
    };
    const std::vector<std::vector<double>> a0{{2, 1}, {1, 2}};
    const std::vector<Known> all{
        {plain({{2}}, {-4}), {2}},
        {plain({{2}}, {4}), {0}},
        {plain(a0, {-5, -6}), {4.0 / 3.0, 7.0 / 3.0}},
        {plain(a0, {-1, 1}), {0.5, 0}},
        {plain({{11, 14, -6}, {14, 22, -15}, {-6, -15, 18}}, {-1, -4, 5}), {0, 2.0 / 11.0, 0}},
        {plain({{8, -12, -10}, {-12, 22, 19}, {-10, 19, 17}}, {4, -5, -2}), {0, 5.0 / 22.0, 0}},
        {plain({{1, 2}, {2, 5}}, {-4, -5}), {4, 0}},
        // All three rows tie at the first step, and the matrix turns them round.
        {plain({{1, 2, 0}, {0, 1, 2}, {2, 0, 1}}, {-1, -1, -1}), {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}},
    };
    for (size_t k = 0; k < all.size(); ++k) {
        CAPTURE(k);
        std::vector<double> z;
        CHECK(pivoting::solve_lemke(all[k].lcp, z, {}).stop == LemkeStop::solved);
        for (size_t i = 0; i < z.size(); ++i) CHECK(std::abs(z[i] - all[k].z[i]) < 1e-12);
        CHECK(pivoting::natural_residual(all[k].lcp, z) < 1e-12);
    }
    // Twelve unknowns of rank one: every row ties with every other one at every step.
    std::vector<double> z;
    const PlainLcp ties = plain(std::vector(12, std::vector(12, 1.0)), std::vector(12, -1.0));
    CHECK(pivoting::solve_lemke(ties, z, {}).stop == LemkeStop::solved);
    CHECK(pivoting::natural_residual(ties, z) < 1e-12);
    // w = -1 whatever z is.
    CHECK(pivoting::solve_lemke(plain({{0}}, {-1}), z, {}).stop == LemkeStop::ray);
}

TEST_CASE("Lemke's friction lies within the polygon's error of the disk all around the compass") {
    for (uint32_t sides = 4; sides <= 16; sides += 2) {
        const double weakest = std::cos(kHalfTurn / sides);
        for (int degrees = 0; degrees < 360; degrees += 3) {
            CAPTURE(sides);
            CAPTURE(degrees);
            const double angle = degrees * kHalfTurn / 180.0, mu = 0.5;
            SolveSettings settings = accurate();
            settings.polygon_sides = sides;
            // Too fast to be stopped: slides.
            const Dense slides = one_contact({1, 0, 1}, {2 * std::cos(angle), 2 * std::sin(angle)}, mu);
            const auto l = solve(solver_named("lemke"), slides.problem(), settings);
            const auto v = slides.velocities(l);
            const double friction = std::hypot(l[1], l[2]);
            CHECK(l[0] == doctest::Approx(1.0).epsilon(1e-12));
            CHECK(friction <= mu + 1e-12);
            CHECK(friction >= mu * weakest - 1e-12);
            const double cosine = -(l[1] * v[1] + l[2] * v[2]) / (friction * std::hypot(v[1], v[2]));
            CHECK(cosine >= weakest - 1e-12);
            CHECK(polygon_error(slides, l, sides) < 1e-12);
            // Slow enough for the polygon: stops, where the disk does too.
            const double slow = 0.99 * mu * weakest;
            const Dense sticks = one_contact({1, 0, 1}, {slow * std::cos(angle), slow * std::sin(angle)}, mu);
            SolveReport report;
            const auto s = solve(solver_named("lemke"), sticks.problem(), settings, &report);
            CHECK(report.stop == StopReason::tolerance);
            CHECK(std::abs(s[1] + slow * std::cos(angle)) < 1e-12);
            CHECK(std::abs(s[2] + slow * std::sin(angle)) < 1e-12);
        }
    }
}

TEST_CASE("Lemke's method carries a box with four corners down a slope in any direction") {
    for (const uint32_t sides : {4u, 8u, 16u})
        for (int degrees = 0; degrees < 360; degrees += 10) {
            CAPTURE(sides);
            CAPTURE(degrees);
            const double angle = degrees * kHalfTurn / 180.0, mu = 0.3, weakest = std::cos(kHalfTurn / sides);
            SolveSettings settings = accurate();
            settings.polygon_sides = sides;
            // A pull so small that no corner lifts; above the cone it slides, below the polygon it does not.
            for (const double pull : {0.9 * mu * weakest, 1.1 * mu}) {
                const Dense dense = box_on_ground(mu, pull * std::cos(angle), -1.0, pull * std::sin(angle));
                SolveReport report;
                const auto l = solve(solver_named("lemke"), dense.problem(), settings, &report);
                CHECK(polygon_error(dense, l, sides) < 1e-10);
                CHECK(l[0] + l[3] + l[6] + l[9] == doctest::Approx(1.0).epsilon(1e-10));
                double x = 0.0, y = 0.0;
                for (size_t i = 0; i < 4; ++i) {
                    x += l[3 * i + 1];
                    y += l[3 * i + 2];
                }
                const bool slides = pull > mu;
                if (!slides) CHECK(report.stop == StopReason::tolerance);
                if (slides) {
                    CHECK(std::hypot(x, y) <= mu + 1e-10);
                    CHECK(std::hypot(x, y) >= mu * weakest - 1e-10);
                } else {
                    CHECK(std::abs(std::hypot(x, y) - pull) < 1e-10);
                }
            }
        }
}

TEST_CASE("Lemke's answers to random problems satisfy the polygon's law and come nearer to the disk") {
    double coarse = 0.0, fine = 0.0;
    for (uint32_t seed = 1; seed <= 6; ++seed) {
        const Dense dense = random_problem(6, seed, 0.6);
        const DelassusProblem problem = dense.problem();
        const auto disk = solve(solver_named("prox_gs"), problem, accurate());
        for (const uint32_t sides : {4u, 8u, 16u}) {
            CAPTURE(seed);
            CAPTURE(sides);
            SolveSettings settings = accurate();
            settings.polygon_sides = sides;
            SolveReport report;
            const auto l = solve(solver_named("lemke"), problem, settings, &report);
            CHECK(report.stop != StopReason::failed);
            CHECK(polygon_error(dense, l, sides) < 1e-10);
            double away = 0.0;
            for (size_t r = 0; r < l.size(); ++r) away += std::abs(l[r] - disk[r]);
            if (sides == 4) coarse += away;
            if (sides == 16) fine += away;
        }
    }
    CHECK(fine < 0.25 * coarse);
}
