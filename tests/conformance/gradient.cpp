// SPDX-License-Identifier: MIT
// The convex relaxation and its solver: what it shares with Coulomb's law, what it gets wrong on purpose, and
// the optimum found a second time by plain arithmetic.
#include "physics/contact/residual.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

const Law kRelaxed{FrictionSet::disk, true};

SolveSettings accurate(double tolerance = 1e-11) {
    SolveSettings settings;
    settings.iterations = 20000;
    settings.tolerance = tolerance;
    return settings;
}

/// The optimum by projected gradients with one short step for all, l <- P_K(l - (W l + q) / trace W): slow,
/// and nothing in common with the solver but the problem. The cone is projected on from its formula.
std::vector<double> plain_optimum(const Dense& d, int passes) {
    double trace = 0.0;
    for (size_t r = 0; r < d.rows(); ++r) trace += d.at(r, r);
    std::vector<double> l(d.rows(), 0.0);
    for (int k = 0; k < passes; ++k) {
        const auto v = d.velocities(l);
        for (size_t i = 0; i < d.contacts(); ++i) {
            const double mu = d.mu[i], n = l[3 * i] - v[3 * i] / trace, x = l[3 * i + 1] - v[3 * i + 1] / trace,
                         y = l[3 * i + 2] - v[3 * i + 2] / trace, slip = std::hypot(x, y);
            double pn = n, scale = 1.0;
            if (!(n >= 0.0 && slip <= mu * n)) {
                pn = std::max(0.0, (n + mu * slip) / (1.0 + mu * mu));
                scale = slip > 0.0 ? mu * pn / slip : 0.0;
            }
            l[3 * i] = pn;
            l[3 * i + 1] = scale * x;
            l[3 * i + 2] = scale * y;
        }
    }
    return l;
}

}  // namespace

TEST_CASE("apgd finds the optimum of the convex model") {
    for (uint32_t seed = 1; seed <= 8; ++seed)
        for (const double mu : {0.0, 0.3, 0.8, 2.0}) {
            CAPTURE(seed);
            CAPTURE(mu);
            const Dense dense = random_problem(6, 700 + seed, mu);
            const DelassusProblem problem = dense.problem();
            DelassusSystem system(problem);
            const SolveReport report = solver_named("apgd").solve_matrix(system, accurate());
            CHECK(report.stop == StopReason::tolerance);
            CHECK(measure_residual(system, kRelaxed).max < 1e-9);
            CHECK(relative_residual(system, kRelaxed, system.q_norm()) <= 1e-11);
            const auto l = impulses(system), expected = plain_optimum(dense, 4000);
            for (size_t r = 0; r < l.size(); ++r) CHECK(std::abs(l[r] - expected[r]) < 1e-8);
            // v in the dual cone, at a right angle to l: the conditions of the optimum, by hand.
            const auto v = dense.velocities(l);
            for (size_t i = 0; i < dense.contacts(); ++i) {
                CHECK(v[3 * i] >= mu * std::hypot(v[3 * i + 1], v[3 * i + 2]) - 1e-9);
                CHECK(std::abs(l[3 * i] * v[3 * i] + l[3 * i + 1] * v[3 * i + 1] + l[3 * i + 2] * v[3 * i + 2]) < 1e-9);
            }
        }
}

TEST_CASE("a sliding block lifts off in the convex model, with mu times its speed") {
    const Dense dense = one_contact({1, 0, 1}, {3, 4}, 0.5);
    const DelassusProblem problem = dense.problem();
    DelassusSystem system(problem);
    CHECK(solver_named("apgd").solve_matrix(system, accurate()).stop == StopReason::tolerance);
    // W = 1: the answer is the nearest point of the cone to -q.
    const auto l = impulses(system);
    CHECK(l[0] == doctest::Approx(2.8));
    CHECK(l[1] == doctest::Approx(-0.84));
    CHECK(l[2] == doctest::Approx(-1.12));
    const Real2<double> v = system.tangent_velocity(0);
    CHECK(system.normal_velocity(0) == doctest::Approx(1.8));
    CHECK(system.normal_velocity(0) == doctest::Approx(0.5 * std::hypot(v.x, v.y)));
    CHECK(measure_residual(system, kRelaxed).max < 1e-9);
    CHECK(measure_residual(system).max > 1.0);  // Coulomb's residual sees the lift-off
    CHECK(find_solver("apgd")->model == Model::ccp);
}

TEST_CASE("where everything sticks or opens the convex model is Coulomb's law") {
    for (uint32_t seed = 1; seed <= 6; ++seed) {
        CAPTURE(seed);
        Dense dense = random_problem(6, 800 + seed, 0.7);
        std::mt19937 random(seed);
        const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
        // Sticking: v = 0 with impulses inside their cones. Every third contact opens instead.
        std::vector<double> l(18, 0.0), v(18, 0.0);
        for (size_t i = 0; i < 6; ++i) {
            if (i % 3 == 2) {
                v[3 * i] = 1.0;
                v[3 * i + 1] = 0.5 * number();
            } else {
                l[3 * i] = 1.5 + number();
                l[3 * i + 1] = 0.4 * number() * l[3 * i];
                l[3 * i + 2] = 0.4 * number() * l[3 * i];
            }
        }
        for (size_t r = 0; r < 18; ++r) {
            dense.q[r] = v[r];
            for (size_t c = 0; c < 18; ++c) dense.q[r] -= dense.at(r, c) * l[c];
        }
        const DelassusProblem problem = dense.problem();
        const auto relaxed = solve(solver_named("apgd"), problem, accurate()),
                   coulomb = solve(solver_named("staggered"), problem, accurate());
        for (size_t r = 0; r < 18; ++r) {
            CHECK(std::abs(relaxed[r] - l[r]) < 1e-8);
            CHECK(std::abs(coulomb[r] - l[r]) < 1e-8);
        }
    }
}

TEST_CASE("apgd carries towers, a heavy mass on a light one included") {
    for (const std::vector<double>& mass : {std::vector<double>(10, 1.0), std::vector<double>{1.0, 1000.0}}) {
        const DelassusProblem problem = tower(mass).problem();
        SolveReport report;
        const auto l = solve(solver_named("apgd"), problem, accurate(), &report);
        CHECK(report.stop == StopReason::tolerance);
        double above = 0.0;
        for (size_t i = mass.size(); i-- > 0;) {
            above += mass[i];
            CHECK(l[3 * i] == doctest::Approx(above).epsilon(1e-6));
        }
    }
    // Sweeps need 271 for three digits of ten masses and 6912 for the heavy one.
    SolveReport ten, heavy;
    solve(solver_named("apgd"), tower(std::vector<double>(10, 1.0)).problem(), accurate(1e-6), &ten);
    solve(solver_named("apgd"), tower({1.0, 1000.0}).problem(), accurate(1e-6), &heavy);
    CHECK(ten.iterations < 200);
    CHECK(heavy.iterations < 1000);
}

TEST_CASE("apgd bears redundant contacts, soft ones, immovable ones and none") {
    const Dense shared = lcp(std::vector(4, std::vector(4, 1.0)), {-1, -1, -1, -1});
    SolveReport report;
    auto l = solve(solver_named("apgd"), shared.problem(), accurate(), &report);
    CHECK(report.stop == StopReason::tolerance);
    CHECK(l[0] + l[3] + l[6] + l[9] == doctest::Approx(1.0));

    DelassusProblem soft = lcp({{1}}, {-1}).problem();
    soft.compliance = {1.0};
    CHECK(solve(solver_named("apgd"), soft, accurate())[0] == doctest::Approx(0.5));

    Dense stuck(2);
    for (size_t r = 0; r < 3; ++r) stuck.set(r, r, 1.0);  // contact 1 has an empty block
    stuck.q = {-1, 0.1, 0.2, -5, 1, 1};
    stuck.mu = {0.5, 0.5};
    SolveSettings settings = accurate(0.0);
    settings.iterations = 50;
    l = solve(solver_named("apgd"), stuck.problem(), settings);
    CHECK(l[0] == doctest::Approx(1.0));
    for (size_t r = 3; r < 6; ++r) CHECK(l[r] == 0.0);

    const auto none = make_problem(std::vector<double>{}, std::vector<double>{}, std::vector<double>{});
    REQUIRE(none.ok());
    CHECK(solve(solver_named("apgd"), *none, accurate(), &report).empty());
    CHECK(report.stop == StopReason::tolerance);
}

TEST_CASE("apgd starts from what it is given, and gives nothing worse back") {
    const DelassusProblem problem = random_problem(10, 41, 0.5).problem();
    SolveReport cold;
    const auto l = solve(solver_named("apgd"), problem, accurate(1e-9), &cold);
    DelassusSystem again(problem);
    again.set_impulses(l);
    SolveReport report = solver_named("apgd").solve_matrix(again, accurate(1.1e-9));
    CHECK(report.iterations == 0);
    CHECK(impulses(again) == l);
    // Its first steps from a good start are not monotone; the best comes back.
    for (uint32_t steps = 1; steps <= 12; ++steps) {
        DelassusSystem few(problem);
        few.set_impulses(l);
        SolveSettings settings = accurate(1e-16);
        settings.iterations = steps;
        report = solver_named("apgd").solve_matrix(few, settings);
        CHECK(report.residual <= cold.residual);
        CHECK(relative_residual(few, kRelaxed, few.q_norm()) == doctest::Approx(report.residual).epsilon(1e-6));
    }
    // A little more load: most of the way is done already.
    DelassusProblem heavier = problem;
    for (double& q : heavier.q) q *= 1.0 + 1e-6;
    DelassusSystem warm(heavier);
    warm.set_impulses(l);
    CHECK(2 * solver_named("apgd").solve_matrix(warm, accurate(1e-9)).iterations <= cold.iterations);
}

TEST_CASE("apgd says why it stops and what it went through") {
    const DelassusProblem problem = random_problem(10, 42, 0.5).problem();
    std::vector<double> history;
    SolveSettings settings = accurate(1e-9);
    settings.history = &history;
    SolveReport report;
    solve(solver_named("apgd"), problem, settings, &report);
    CHECK(report.stop == StopReason::tolerance);
    REQUIRE(history.size() == report.iterations + 1);
    CHECK(history.back() <= 1e-9);
    settings = accurate(1e-9);
    settings.iterations = 3;
    solve(solver_named("apgd"), problem, settings, &report);
    CHECK(report.stop == StopReason::iterations);
    CHECK(report.iterations == 3);
    settings = accurate(1e-16);
    settings.time_limit = 1e-9;
    solve(solver_named("apgd"), problem, settings, &report);
    CHECK(report.stop == StopReason::time);
}

TEST_CASE("apgd moves bodies as it moves their matrix") {
    Bodies bodies;
    const uint32_t ball = bodies.add(1.0f, Vec3(3, -1, 4));
    bodies.touch(0, ball, 0.5f);
    BodySystem system = bodies.system();
    const SolveReport report = solver_named("apgd").solve_bodies(system, accurate(2e-6));
    CHECK(report.stop == StopReason::tolerance);
    CHECK(bodies.velocity[ball].linear.y == doctest::Approx(1.8).epsilon(1e-4));
    CHECK(bodies.velocity[ball].linear.x == doctest::Approx(2.16).epsilon(1e-4));
    CHECK(bodies.velocity[ball].linear.z == doctest::Approx(2.88).epsilon(1e-4));
}
