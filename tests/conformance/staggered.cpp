// SPDX-License-Identifier: MIT
// Staggered projections against the numbers that can be worked out by hand: one leaning rod to all digits,
// the friction that two leaning cards need, what every round leaves behind, and what a warm start saves.
#include "physics/solvers/staggered/staggered.h"

#include "physics/contact/residual.h"
#include "physics/solvers/staggered/anderson.h"
#include "tests/conformance/canonical.h"
#include "tests/conformance/planar.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

/// A rod of mass 1 and length 2, leaning at 45 degrees, hits the floor with its lower end.
Dense leaning_rod(double mu, double v_n, double v_t) {
    Dense d(1);
    d.set(0, 0, 2.5);
    d.set(0, 1, -1.5);
    d.set(1, 1, 2.5);
    d.set(2, 2, 1.0);
    d.q = {v_n, v_t, 0.0};
    d.mu = {mu};
    return d;
}

SolveSettings rounds(uint32_t count) {
    SolveSettings settings;
    settings.iterations = count;
    settings.rollback = false;
    return settings;
}
SolveSettings accurate(double tolerance = 1e-10) {
    SolveSettings settings;
    settings.iterations = 2000;
    settings.tolerance = tolerance;
    return settings;
}

/// Friction after 0, 1, 2, ... rounds from nothing.
std::vector<double> friction_of_rounds(const DelassusProblem& problem, uint32_t count) {
    std::vector<double> f{0.0};
    for (uint32_t k = 1; k <= count; ++k) {
        DelassusSystem system(problem);
        staggered_matrix(system, rounds(k));
        f.push_back(system.impulse(0).t1);
    }
    return f;
}

/// Two cards of weight 1, leaning against each other at `angle` to the floor, with a load on the apex.
Planar card_house(double angle, double load, double mu) {
    Planar p;
    const double c = std::cos(angle), s = std::sin(angle);
    const uint32_t left = p.rod({-0.5 * c, 0.5 * s}, 1.0, 1.0), right = p.rod({0.5 * c, 0.5 * s}, 1.0, 1.0);
    p.touch(Planar::kGround, left, {-c, 0.0}, {0.0, 1.0}, mu);
    p.touch(Planar::kGround, right, {c, 0.0}, {0.0, 1.0}, mu);
    p.touch(left, right, {0.0, s}, {1.0, 0.0}, 0.8);
    p.pull({0.0, -1.0});
    p.push(left, {0.0, s}, {0.0, -0.5 * load});
    p.push(right, {0.0, s}, {0.0, -0.5 * load});
    return p;
}

/// Wedges of a half circle of mean radius 1, two contacts a joint; `pull` is what gravity does in a step.
Planar arch(uint32_t blocks, double thickness, double mu, Planar::Vec pull) {
    Planar p;
    const double pi = 3.14159265358979323846, wedge = pi / blocks;
    for (uint32_t k = 0; k < blocks; ++k) {
        const double at = pi - (k + 0.5) * wedge;
        p.rod({std::cos(at), std::sin(at)}, 1.0, std::hypot(wedge, thickness));
    }
    for (uint32_t k = 0; k <= blocks; ++k) {
        const double at = pi - k * wedge;
        const Planar::Vec along{std::sin(at), -std::cos(at)};  // from block k-1 to block k
        for (const double r : {1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness}) {
            const Planar::Vec point{r * std::cos(at), r * std::sin(at)};
            if (k == 0)
                p.touch(Planar::kGround, 0, point, along, mu);
            else if (k == blocks)
                p.touch(Planar::kGround, k - 1, point, {-along.x, -along.y}, mu);
            else
                p.touch(k - 1, k, point, along, mu);
        }
    }
    p.pull(pull);
    return p;
}

double fastest(const DelassusSystem& system) {
    double v = 0.0;
    for (uint32_t i = 0; i < system.size(); ++i)
        v = std::max({v, std::abs(system.normal_velocity(i)), std::abs(system.tangent_velocity(i).x),
                      std::abs(system.tangent_velocity(i).y)});
    return v;
}

}  // namespace

TEST_CASE("a leaning rod that sticks gains a factor 0.36 a round") {
    const DelassusProblem problem = leaning_rod(1.0, -1.0, 0.0).problem();
    const auto f = friction_of_rounds(problem, 8);
    CHECK(f[1] == doctest::Approx(0.24).epsilon(1e-12));
    CHECK(f[2] == doctest::Approx(0.3264).epsilon(1e-12));
    for (size_t k = 1; k < f.size(); ++k)
        CHECK((0.375 - f[k]) / (0.375 - f[k - 1]) == doctest::Approx(0.36).epsilon(1e-9));
    SolveReport report;
    const auto l = solve(solver_named("staggered"), problem, accurate(1e-12), &report);
    CHECK(report.stop == StopReason::tolerance);
    CHECK(std::abs(l[0] - 0.625) < 1e-11);
    CHECK(std::abs(l[1] - 0.375) < 1e-11);
    CHECK(l[2] == 0.0);
}

TEST_CASE("rounds tell the relative change of friction and what it does to the normals") {
    const DelassusProblem problem = leaning_rod(1.0, -1.0, 0.0).problem();
    DelassusSystem system(problem);
    std::vector<StaggeredRound> told;
    staggered_traced(system, rounds(6), &told);
    REQUIRE(told.size() == 6);
    CHECK(std::isinf(told[0].relative_change));
    CHECK(told[1].relative_change == doctest::Approx(std::pow(0.0864 / 0.24, 2)).epsilon(1e-9));
    // Friction 0.24 on top of the normal impulse 0.4 lifts with v_n = -1.5 * 0.24.
    CHECK(told[0].complementarity == doctest::Approx(0.4 * 0.36).epsilon(1e-9));
    for (size_t k = 2; k < told.size(); ++k) {
        // 0.36^2, and a little for the norm of friction that has grown meanwhile
        const double ratio = told[k].relative_change / told[k - 1].relative_change;
        CHECK(ratio < 0.1297);
        CHECK(ratio > 0.06);
        CHECK(told[k].complementarity < 0.45 * told[k - 1].complementarity);
    }
    // Telling changes nothing.
    DelassusSystem silent(problem);
    staggered_matrix(silent, rounds(6));
    for (size_t r = 0; r < 3; ++r) CHECK(impulses(silent)[r] == doctest::Approx(impulses(system)[r]).epsilon(1e-14));
}

TEST_CASE("a leaning rod that slides gains a factor 0.3 a round, and sticks from mu 0.6 on") {
    const DelassusProblem problem = leaning_rod(0.5, -1.0, 0.0).problem();
    const auto f = friction_of_rounds(problem, 6);
    for (size_t k = 1; k < f.size(); ++k)
        CHECK((2.0 / 7.0 - f[k]) / (2.0 / 7.0 - f[k - 1]) == doctest::Approx(0.3).epsilon(1e-9));
    DelassusSystem system(problem);
    staggered_matrix(system, accurate(1e-12));
    CHECK(std::abs(system.impulse(0).n - 4.0 / 7.0) < 1e-11);
    CHECK(std::abs(system.impulse(0).t1 - 2.0 / 7.0) < 1e-11);
    CHECK(std::abs(system.tangent_velocity(0).x + 1.0 / 7.0) < 1e-11);

    for (const double mu : {0.59, 0.599, 0.601, 0.61}) {
        CAPTURE(mu);
        const DelassusProblem near = leaning_rod(mu, -1.0, 0.0).problem();
        DelassusSystem rod(near);
        CHECK(staggered_matrix(rod, accurate(1e-12)).stop == StopReason::tolerance);
        CHECK((std::abs(rod.tangent_velocity(0).x) < 1e-10) == (mu > 0.6));
    }
}

TEST_CASE("a rod that friction drives into the floor grows its impulses until it jams") {
    const DelassusProblem problem = leaning_rod(2.0, -1.0, -10.0).problem();
    const auto f = friction_of_rounds(problem, 3);  // mu l_n with l_n = 0.4, 0.88, 1.456
    CHECK(f[1] == doctest::Approx(0.8).epsilon(1e-12));
    CHECK(f[2] == doctest::Approx(1.76).epsilon(1e-12));
    CHECK(f[3] == doctest::Approx(2.912).epsilon(1e-12));
    DelassusSystem system(problem);
    CHECK(staggered_matrix(system, accurate(1e-12)).stop == StopReason::tolerance);
    CHECK(std::abs(system.impulse(0).n - 4.375) < 1e-10);
    CHECK(std::abs(system.impulse(0).t1 - 6.625) < 1e-10);
    CHECK(fastest(system) < 1e-10);
}

TEST_CASE("where the law has two answers, the friction given decides") {
    const DelassusProblem problem = leaning_rod(2.0, 0.0, -10.0).problem();
    DelassusSystem untouched(problem);
    CHECK(staggered_matrix(untouched, accurate()).stop == StopReason::tolerance);
    CHECK(impulses(untouched) == std::vector<double>{0, 0, 0});
    DelassusSystem jammed(problem);
    jammed.set_impulses(std::vector<double>{0, 1, 0});
    CHECK(staggered_matrix(jammed, accurate()).stop == StopReason::tolerance);
    CHECK(jammed.impulse(0).n == doctest::Approx(3.75).epsilon(1e-8));
    CHECK(jammed.impulse(0).t1 == doctest::Approx(6.25).epsilon(1e-8));
}

TEST_CASE("two leaning cards stand exactly when their feet have the friction that statics asks for") {
    for (const double degrees : {45.0, 60.0, 75.0})
        for (const double load : {0.0, 1.0, 3.0}) {
            const double angle = degrees * 3.14159265358979323846 / 180.0;
            const double needed = (1.0 + load) / ((2.0 + load) * std::tan(angle));
            for (const double share : {0.9, 0.998, 1.002, 1.1}) {
                CAPTURE(degrees);
                CAPTURE(load);
                CAPTURE(share);
                const DelassusProblem problem = card_house(angle, load, share * needed).dense().problem();
                DelassusSystem system(problem);
                const SolveReport report = staggered_matrix(system, accurate());
                CHECK(report.stop == StopReason::tolerance);
                CHECK((fastest(system) < 1e-8) == (share > 1.0));
                if (share > 1.0)  // the feet carry both cards and the load
                    CHECK(system.impulse(0).n + system.impulse(1).n == doctest::Approx(2.0 + load));
            }
        }
}

TEST_CASE("however few rounds, contacts do not approach and push only where they touch") {
    for (uint32_t seed = 1; seed <= 6; ++seed)
        for (const uint32_t count : {1u, 2u, 5u, 50u})
            for (const bool rollback : {false, true}) {
                CAPTURE(seed);
                CAPTURE(count);
                const Dense dense = random_problem(12, 400 + seed, 0.9);
                const DelassusProblem problem = dense.problem();
                DelassusSystem system(problem);
                SolveSettings settings = rounds(count);
                settings.rollback = rollback;
                staggered_matrix(system, settings);
                const auto v = dense.velocities(impulses(system));
                for (uint32_t i = 0; i < system.size(); ++i) {
                    CHECK(v[3 * i] >= -1e-9);
                    CHECK(system.impulse(i).n >= 0.0);
                    CHECK(std::abs(v[3 * i] * system.impulse(i).n) <= 1e-9);
                }
            }
}

TEST_CASE("rounds that are cut short do not add energy, whatever friction they were given") {
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        const Dense dense = random_problem(6, 500 + seed, 0.7);
        const DelassusProblem problem = dense.problem();
        std::mt19937 random(seed);
        std::vector<double> stale(18, 0.0);
        for (size_t r = 0; r < 18; ++r)
            if (r % 3) stale[r] = 20.0 * (double(random()) / 2147483648.0 - 1.0);
        for (const uint32_t count : {1u, 3u}) {
            DelassusSystem system(problem);
            system.set_impulses(stale);
            staggered_matrix(system, rounds(count));
            const auto l = impulses(system), v = dense.velocities(l);
            double work = 0.0;
            for (size_t r = 0; r < 18; ++r) work += 0.5 * l[r] * (v[r] + dense.q[r]);
            CHECK(work <= 1e-9);
        }
    }
}

TEST_CASE("starting from the answer, staggered projections stay there") {
    const DelassusProblem problem = arch(7, 0.3, 0.6, {0.0, -1.0}).dense().problem();
    DelassusSystem system(problem);
    REQUIRE(staggered_matrix(system, accurate(1e-9)).stop == StopReason::tolerance);
    const auto l = impulses(system);
    std::vector<StaggeredRound> told;
    SolveSettings one = rounds(1);
    staggered_traced(system, one, &told);
    REQUIRE(told.size() == 1);
    CHECK(told[0].relative_change < 1e-8);
    for (size_t r = 0; r < l.size(); ++r) CHECK(std::abs(impulses(system)[r] - l[r]) < 1e-4);
}

TEST_CASE("what comes back is never worse than what was given") {
    for (uint32_t seed = 1; seed <= 10; ++seed)
        for (const double mu : {0.5, 2.0, 5.0}) {
            CAPTURE(seed);
            CAPTURE(mu);
            const DelassusProblem problem = random_problem(5, 600 + seed, mu).problem();
            DelassusSystem system(problem);
            SolveSettings settings;
            settings.iterations = 5000;
            settings.tolerance = 1e-3;
            solver_named("prox_gs").solve_matrix(system, settings);
            const double before = relative_residual(system, Law{}, system.q_norm());
            settings.iterations = 2;
            settings.tolerance = 1e-14;
            const SolveReport report = staggered_matrix(system, settings);
            CHECK(relative_residual(system, Law{}, system.q_norm()) <= before);
            CHECK(report.residual == doctest::Approx(relative_residual(system, Law{}, system.q_norm())).epsilon(1e-6));
        }
}

TEST_CASE("a masonry arch stands, or falls when its ring is too thin") {
    // The thinnest half circle that contains a line of thrust has t/R = 0.1075.
    for (const double thickness : {0.09, 0.15}) {
        CAPTURE(thickness);
        const DelassusProblem problem = arch(11, thickness, 2.0, {0.0, -1.0}).dense().problem();
        DelassusSystem system(problem);
        const SolveReport report = staggered_matrix(system, accurate(1e-7));
        CHECK(report.stop == StopReason::tolerance);
        CHECK((fastest(system) < 1e-4) == (thickness > 0.1075));
    }
}

TEST_CASE("a warm start saves four of five rounds on an arch whose ground tilts slowly") {
    uint32_t cold = 0, warm = 0;
    std::vector<double> last;
    const uint32_t steps = 30;
    for (uint32_t k = 0; k < steps; ++k) {
        const double tilt = 0.05 * std::sin(0.02 * k);
        const DelassusProblem problem = arch(11, 0.25, 0.6, {std::sin(tilt), -std::cos(tilt)}).dense().problem();
        const SolveSettings settings = accurate(1e-3);
        SolveReport report;
        const auto from_nothing = solve(solver_named("staggered"), problem, settings, &report);
        CHECK(report.stop == StopReason::tolerance);
        cold += report.iterations;
        DelassusSystem system(problem);
        if (last.empty()) {
            last = from_nothing;
            continue;
        }
        system.set_impulses(last);
        report = staggered_matrix(system, settings);
        CHECK(report.stop == StopReason::tolerance);
        warm += report.iterations;
        last = impulses(system);
    }
    CAPTURE(cold);
    CAPTURE(warm);
    CHECK(cold >= 4 * warm);
}

TEST_CASE("staggered projections say why they stop") {
    const DelassusProblem problem = random_problem(10, 31, 0.6).problem();
    DelassusSystem system(problem);
    std::vector<double> history;
    SolveSettings settings = accurate(1e-9);
    settings.history = &history;
    SolveReport report = staggered_matrix(system, settings);
    CHECK(report.stop == StopReason::tolerance);
    REQUIRE(history.size() == report.iterations + 1);
    CHECK(report.residual <= 1e-9);
    CHECK(history.front() > history.back());

    DelassusSystem two(problem);
    settings = accurate(1e-9);
    settings.iterations = 2;
    report = staggered_matrix(two, settings);
    CHECK(report.stop == StopReason::iterations);
    CHECK(report.iterations == 2);

    DelassusSystem hurried(problem);
    settings = accurate(1e-15);
    settings.time_limit = 1e-9;
    report = staggered_matrix(hurried, settings);
    CHECK(report.stop == StopReason::time);
    CHECK(report.iterations == 1);
}

TEST_CASE("mixing solves a slow straight iteration in as many steps as it has speeds") {
    // x <- r x + (1 - r) goes to 1 with r = 0.5 .. 0.99, each unknown at its own speed.
    const std::array<double, 4> rate{0.5, 0.9, 0.97, 0.99};
    std::vector<double> x(4, 0.0), g(4);
    AndersonMixing mixing(4);
    mixing.restart(2);
    int mixed = 0;
    for (int k = 0; k < 10; ++k) {
        for (size_t r = 0; r < 4; ++r) g[r] = rate[r] * x[r] + 1.0 - rate[r];
        mixed += mixing.mix(x, g);
        CHECK((mixed > 0) == (k >= 2));
        x = g;
    }
    for (const double value : x) CHECK(std::abs(value - 1.0) < 1e-6);  // alone: 0.99^10 = 0.9 away
}

TEST_CASE("mixing leaves an iteration alone that runs away from where it started") {
    std::vector<double> x(1, 1e-3), g(1);
    AndersonMixing mixing(1);
    mixing.restart(3);
    for (int k = 0; k < 40 && x[0] < 1.0; ++k) {
        g[0] = 1.2 * x[0];  // its fixed point is 0
        CHECK_FALSE(mixing.mix(x, g));
        x = g;
    }
    CHECK(x[0] >= 1.0);
}
