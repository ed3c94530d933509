// SPDX-License-Identifier: MIT
// The loop around the sweeps: what it accepts, what it takes back, when it stops.
#include "physics/solvers/iterate.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

/// A sweep on one contact with a fixed step for its tangents, as a too bold solver would do it.
auto bold_sweep(DelassusSystem& system, double r) {
    return [&system, r](double scale) {
        const auto l = system.impulse(0);
        const auto v = system.tangent_velocity(0);
        const auto next =
            project_disk(Real2<double>{l.t1 - r * scale * v.x, l.t2 - r * scale * v.y}, system.friction(0) * l.n);
        system.add_tangent(0, {next.x - l.t1, next.y - l.t2});
    };
}

/// Random contacts whose W is nearly singular.
Dense stiff_problem(size_t contacts, uint32_t seed, double mu) {
    Dense dense = random_problem(contacts, seed, mu);
    for (size_t r = 0; r < dense.rows(); ++r) dense.at(r, r) -= 0.19;
    return dense;
}

double largest_error(const Dense& dense, const DelassusSystem& system) {
    const auto v = dense.velocities(impulses(system));
    double error = 0.0;
    for (uint32_t i = 0; i < system.size(); ++i) {
        error = std::max({error, std::abs(system.normal_velocity(i) - v[3 * i]),
                          std::abs(system.tangent_velocity(i).x - v[3 * i + 1]),
                          std::abs(system.tangent_velocity(i).y - v[3 * i + 2])});
    }
    return error;
}

}  // namespace

TEST_CASE("a cycle of constant residual is noticed, and shorter steps solve the problem") {
    // r = 1 jumps between (1, 0) and (0, -1) for ever; the answer is (1, -1)/sqrt(2).
    const Dense dense = one_contact({2, 1, 2}, {-1, 1}, 1.0);
    const DelassusProblem problem = dense.problem();
    for (const uint32_t patience : {1u, 30u})
        for (const double shrink : {0.5, 0.9}) {
            CAPTURE(patience);
            CAPTURE(shrink);
            DelassusSystem system(problem);
            system.set_impulses(std::vector<double>{1, 0, 1});
            SolveSettings settings;
            settings.iterations = 5000;
            settings.tolerance = 1e-9;
            settings.patience = patience;
            const SolveReport report = iterate(system, FrictionSet::disk, settings, shrink, bold_sweep(system, 1.0));
            CHECK(report.stop == StopReason::tolerance);
            CHECK(report.rejected >= 1);
            CHECK(report.iterations < 5000);
            CHECK(system.impulse(0).t1 == doctest::Approx(std::sqrt(0.5)));
            CHECK(system.impulse(0).t2 == doctest::Approx(-std::sqrt(0.5)));
        }
    DelassusSystem system(problem);
    system.set_impulses(std::vector<double>{1, 0, 1});
    SolveSettings settings;
    settings.iterations = 5000;
    settings.tolerance = 1e-9;
    settings.rollback = false;
    CHECK(iterate(system, FrictionSet::disk, settings, 0.5, bold_sweep(system, 1.0)).stop == StopReason::iterations);
}

TEST_CASE("with patience one, accepted residuals fall strictly") {
    const DelassusProblem problem = one_contact({2, 1, 2}, {-1, 1}, 1.0).problem();
    DelassusSystem system(problem);
    system.set_impulses(std::vector<double>{1, 0, 1});
    SolveSettings settings;
    std::vector<double> history;
    settings.patience = 1;
    settings.tolerance = 1e-9;
    settings.history = &history;
    const SolveReport report = iterate(system, FrictionSet::disk, settings, 0.5, bold_sweep(system, 1.0));
    REQUIRE(history.size() == report.iterations + 1);
    double best = history[0];
    uint32_t rejected = 0;
    for (size_t k = 1; k < history.size(); ++k) {
        if (history[k] < best)
            best = history[k];
        else
            ++rejected;
    }
    CHECK(rejected == report.rejected);
    CHECK(report.residual == best);
}

TEST_CASE("roll-back takes impulses and velocities back together") {
    const Dense dense = random_problem(6, 4, 0.5);
    const DelassusProblem problem = dense.problem();
    DelassusSystem system(problem);
    SolveSettings settings;
    settings.iterations = 3000;
    settings.tolerance = 1e-10;
    settings.patience = 1;
    // Over-relaxed by three: every sweep diverges until the steps have shrunk.
    const SolveReport report = iterate(system, FrictionSet::disk, settings, 0.9, [&](double scale) {
        for (uint32_t i = 0; i < system.size(); ++i) {
            const double l = system.impulse(i).n;
            system.add_normal(i,
                              std::max(0.0, l - 3.0 * scale * system.normal_velocity(i) / system.normal_block(i)) - l);
            const auto x = system.impulse(i);
            const auto v = system.tangent_velocity(i);
            const double r = 3.0 * scale * system.tangent_step(i);
            const auto next = project_disk(Real2<double>{x.t1 - r * v.x, x.t2 - r * v.y}, 0.5 * x.n);
            system.add_tangent(i, {next.x - x.t1, next.y - x.t2});
        }
    });
    CHECK(report.rejected > 0);
    CHECK(report.stop == StopReason::tolerance);
    CHECK(largest_error(dense, system) < 1e-13);
    CHECK(dense_residual(dense, impulses(system), true).e < 2e-10);
}

TEST_CASE("a sweep that only does harm ends as stalled, with what was given") {
    const Dense dense = one_contact({1, 0, 1}, {3, 4}, 0.5);
    const DelassusProblem problem = dense.problem();
    DelassusSystem system(problem);
    const std::vector<double> start{1.0, -0.3, -0.39};
    system.set_impulses(start);
    SolveSettings settings;
    settings.iterations = 100000;
    settings.tolerance = 1e-9;
    const SolveReport report =
        iterate(system, FrictionSet::disk, settings, 0.5, [&](double) { system.add_normal(0, 1.0); });
    CHECK(report.stop == StopReason::stalled);
    CHECK(report.iterations < 5000);  // rejected sweeps count, the floor ends it
    CHECK(impulses(system) == start);
    CHECK(largest_error(dense, system) == 0.0);
    CHECK(report.residual == doctest::Approx(dense_residual(dense, start, true).e));
}

TEST_CASE("a sweep that produces not-a-number is taken back at once") {
    const DelassusProblem problem = lcp({{2}}, {-4}).problem();
    DelassusSystem system(problem);
    SolveSettings settings;
    settings.tolerance = 1e-9;
    bool first = true;
    const SolveReport report = iterate(system, FrictionSet::disk, settings, 0.5, [&](double) {
        system.add_normal(0, first ? std::numeric_limits<double>::quiet_NaN() : 2.0);
        first = false;
    });
    CHECK(report.stop == StopReason::tolerance);
    CHECK(report.iterations == 2);
    CHECK(report.rejected == 1);
    CHECK(system.impulse(0).n == 2.0);
}

TEST_CASE("out of iterations, the best iterate is returned, not the last") {
    const DelassusProblem problem = lcp({{1}}, {-1}).problem();
    DelassusSystem system(problem);
    SolveSettings settings;
    settings.iterations = 3;
    const double targets[] = {0.5, 0.9, 0.2};
    int k = 0;
    const SolveReport report = iterate(system, FrictionSet::disk, settings, 0.5,
                                       [&](double) { system.add_normal(0, targets[k++] - system.impulse(0).n); });
    CHECK(report.iterations == 3);
    CHECK(report.stop == StopReason::iterations);
    CHECK(system.impulse(0).n == doctest::Approx(0.9));
    CHECK(report.residual == doctest::Approx(0.1));
}

TEST_CASE("roll-back does not disturb solvers that converge by themselves") {
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        const DelassusProblem problem = random_problem(10, 100 + seed, 0.7).problem();
        for (const Solver& solver : sweeping_solvers()) {
            CAPTURE(seed);
            CAPTURE(solver.name);
            SolveSettings settings;
            settings.iterations = 5000;
            settings.tolerance = 1e-8;
            SolveReport with, without;
            const auto x = solve(solver, problem, settings, &with);
            settings.rollback = false;
            const auto y = solve(solver, problem, settings, &without);
            CHECK(with.stop == StopReason::tolerance);
            CHECK(with.rejected == 0);
            CHECK(with.iterations == without.iterations);
            CHECK(x == y);
        }
    }
}

TEST_CASE("roll-back cures PROX sweeps that cycle, with every choice of steps") {
    // Strong friction and nearly singular blocks; without roll-back these never end.
    struct Case {
        const char* solver;
        RStrategy strategy;
        size_t contacts;
        uint32_t seed;
    };
    for (const Case c : {Case{"prox_gs", RStrategy::local, 5, 1003}, Case{"prox_gs", RStrategy::local, 5, 1011},
                         Case{"prox_gs", RStrategy::global, 5, 1379}, Case{"prox_gs", RStrategy::blocked, 3, 1041},
                         Case{"prox_jacobi", RStrategy::blocked, 2, 1328}}) {
        CAPTURE(std::string(c.solver));
        CAPTURE(name_of(c.strategy));
        CAPTURE(c.seed);
        const Dense dense = stiff_problem(c.contacts, c.seed, 3.0);
        const DelassusProblem problem = dense.problem();
        SolveSettings settings;
        settings.iterations = 20000;
        settings.tolerance = 1e-9;
        settings.r_strategy = c.strategy;
        SolveReport with, without;
        const auto l = solve(solver_named(c.solver), problem, settings, &with);
        settings.rollback = false;
        solve(solver_named(c.solver), problem, settings, &without);
        CHECK(with.stop == StopReason::tolerance);
        CHECK(with.rejected >= 1);
        CHECK(dense_residual(dense, l, true).e < 2e-9);
        CHECK(without.stop == StopReason::iterations);
    }
}

TEST_CASE("residuals that rise before they fall are not taken for divergence") {
    // From zero impulses with friction 3, the residual passes its first value only after some hundred sweeps.
    for (const char* name : {"prox_gs", "prox_jacobi"})
        for (RStrategy strategy : kStrategies) {
            uint32_t with = 0, without = 0;
            for (uint32_t seed = 1001; seed <= 1030; ++seed) {
                const DelassusProblem problem = stiff_problem(2 + (seed - 1000) % 4, seed, 3.0).problem();
                SolveSettings settings;
                settings.iterations = 10000;
                settings.tolerance = 1e-9;
                settings.r_strategy = strategy;
                SolveReport report;
                solve(solver_named(name), problem, settings, &report);
                with += report.stop == StopReason::tolerance;
                settings.rollback = false;
                solve(solver_named(name), problem, settings, &report);
                without += report.stop == StopReason::tolerance;
            }
            CAPTURE(std::string(name));
            CAPTURE(name_of(strategy));
            CHECK(with + 3 >= without);
            CHECK(with >= 26);
        }
}

TEST_CASE("nothing is measured unless something asks for it") {
    const DelassusProblem problem = random_problem(4, 1, 0.5).problem();
    for (const Solver& solver : sweeping_solvers()) {
        SolveSettings settings;
        settings.iterations = 7;
        settings.rollback = false;
        SolveReport report;
        solve(solver, problem, settings, &report);
        CHECK(report.iterations == 7);
        CHECK(report.residual < 0.0);
        std::vector<double> history;
        settings.history = &history;
        solve(solver, problem, settings, &report);
        CHECK(history.size() == 8);
        CHECK(report.residual == history.back());
    }
}
