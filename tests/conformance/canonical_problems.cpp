// SPDX-License-Identifier: MIT
// Every solver of the table, with every choice of steps, against problems whose answers are known.
#include "physics/contact/residual.h"
#include "tests/conformance/known_problems.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

SolveSettings accurate(RStrategy strategy) {
    SolveSettings settings;
    settings.iterations = 20000;
    settings.tolerance = 1e-10;
    settings.r_strategy = strategy;
    return settings;
}

}  // namespace

TEST_CASE("every solver finds the known answers of small problems with every choice of steps") {
    for (const Known& known : known_problems()) {
        if (known.by_velocity || known.stiff) continue;
        for (const Solver& solver : exact_solvers())
            for (RStrategy strategy : kStrategies) {
                if (known.is_refused_by(solver)) continue;
                CAPTURE(known.name);
                CAPTURE(solver.name);
                CAPTURE(name_of(strategy));
                SolveSettings settings = accurate(strategy);
                settings.iterations = 300000;
                settings.tolerance = 1e-10;
                DelassusSystem system(known.problem);
                const SolveReport report = solver.solve_matrix(system, settings);
                CHECK(report.stop == StopReason::tolerance);
                CHECK(measure_residual(system, solver.set).max < 1e-8);
                const auto l = impulses(system), expected = known.answer(solver);
                double size = 1.0;
                for (double x : expected) size = std::max(size, x);
                for (size_t i = 0; i < l.size(); ++i) CHECK(std::abs(l[i] - expected[i]) <= 1e-6 * size);
            }
    }
}

TEST_CASE("every solver solves random problems, and the steps do not change the answer") {
    for (uint32_t seed = 1; seed <= 5; ++seed) {
        const Dense dense = random_problem(6, seed, 0.6);
        const DelassusProblem problem = dense.problem();
        for (const Solver& solver : exact_solvers()) {
            std::vector<double> first;
            for (RStrategy strategy : kStrategies) {
                CAPTURE(seed);
                CAPTURE(solver.name);
                CAPTURE(name_of(strategy));
                const auto l = solve(solver, problem, accurate(strategy));
                CHECK(dense_residual(dense, l, solver.set == FrictionSet::disk).e < 2e-10);
                if (first.empty()) first = l;
                for (size_t i = 0; i < l.size(); ++i) CHECK(l[i] == doctest::Approx(first[i]).epsilon(1e-6));
            }
        }
    }
}

TEST_CASE("sliding goes straight against friction even where the tangent block is no multiple of the unit matrix") {
    const Dense dense = one_contact({1.0, 0.3, 4.0}, {3.0, 4.0}, 0.5);
    const DelassusProblem problem = dense.problem();
    for (const char* name : {"prox_gs", "prox_jacobi"})
        for (RStrategy strategy : kStrategies) {
            CAPTURE(std::string(name));
            CAPTURE(name_of(strategy));
            const auto l = solve(solver_named(name), problem, accurate(strategy));
            const auto v = dense.velocities(l);
            CHECK(std::hypot(l[1], l[2]) == doctest::Approx(0.5));
            CHECK(std::abs(l[1] * v[2] - l[2] * v[1]) < 1e-8);  // parallel
            CHECK(l[1] * v[1] + l[2] * v[2] < 0.0);             // and opposed
        }
}

TEST_CASE("friction takes the most power of all forces in its set") {
    const Dense dense = random_problem(5, 77, 0.5);
    const DelassusProblem problem = dense.problem();
    for (const Solver& solver : exact_solvers()) {
        CAPTURE(solver.name);
        const auto l = solve(solver, problem, accurate(RStrategy::local));
        const auto v = dense.velocities(l);
        for (size_t i = 0; i < 5; ++i) {
            const double radius = 0.5 * l[3 * i];
            const double power = l[3 * i + 1] * v[3 * i + 1] + l[3 * i + 2] * v[3 * i + 2];
            for (int k = 0; k < 32; ++k) {
                const double angle = k * 6.283185307179586 / 32;
                const auto other = project(solver.set, Real2<double>{9 * std::cos(angle), 9 * std::sin(angle)}, radius);
                CHECK(power <= other.x * v[3 * i + 1] + other.y * v[3 * i + 2] + 1e-8);
            }
        }
    }
}

TEST_CASE("a solved problem given back as a start needs no sweep") {
    const DelassusProblem problem = random_problem(8, 5, 0.4).problem();
    for (const Solver& solver : exact_solvers()) {
        CAPTURE(solver.name);
        const auto l = solve(solver, problem, accurate(RStrategy::local));
        DelassusSystem again(problem);
        again.set_impulses(l);
        SolveSettings settings = accurate(RStrategy::local);
        settings.tolerance = 1.1e-10;
        const SolveReport report = solver.solve_matrix(again, settings);
        CHECK(report.iterations == 0);
        CHECK(report.stop == StopReason::tolerance);
        CHECK(impulses(again) == l);
    }
}

TEST_CASE("a soft contact gives way in proportion to its load") {
    // v + c l = 0 with v = l - 1 and c = 1: l = 1/2
    DelassusProblem problem = lcp({{1}}, {-1}).problem();
    problem.compliance = {1.0};
    for (const Solver& solver : exact_solvers())
        for (RStrategy strategy : kStrategies) {
            CAPTURE(solver.name);
            CAPTURE(name_of(strategy));
            CHECK(solve(solver, problem, accurate(strategy))[0] == doctest::Approx(0.5));
        }
}

TEST_CASE("a contact that nothing can move is left alone and disturbs nobody") {
    Dense dense(2);
    for (size_t r = 0; r < 3; ++r) dense.set(r, r, 1.0);  // contact 1 has an empty block
    dense.q = {-1, 3, 4, -5, 1, 1};
    dense.mu = {0.5, 0.5};
    const DelassusProblem problem = dense.problem();
    for (const Solver& solver : exact_solvers())
        for (RStrategy strategy : kStrategies) {
            CAPTURE(solver.name);
            CAPTURE(name_of(strategy));
            SolveSettings settings = accurate(strategy);
            settings.tolerance = 0.0;
            settings.iterations = 50;
            settings.rollback = false;
            const auto l = solve(solver, problem, settings);
            CHECK(l[0] == doctest::Approx(1.0));
            for (size_t i = 3; i < 6; ++i) CHECK(l[i] == 0.0);
            DelassusSystem system(problem);
            system.set_impulses(l);
            CHECK(measure_residual(system, solver.set).max < 1e-12);
        }
}

TEST_CASE("a problem without contacts is solved") {
    const auto problem = make_problem(std::vector<double>{}, std::vector<double>{}, std::vector<double>{});
    REQUIRE(problem.ok());
    for (const Solver& solver : exact_solvers())
        for (RStrategy strategy : kStrategies) {
            SolveReport report;
            CHECK(solve(solver, *problem, accurate(strategy), &report).empty());
            CHECK(report.stop == StopReason::tolerance);
        }
}

TEST_CASE("solvers are found by name and describe themselves") {
    CHECK(find_solver("no_such_solver") == nullptr);
    for (const Solver& solver : solver_table()) {
        CHECK(find_solver(solver.name) == &solver);
        CHECK(!solver.solves.empty());
        CHECK(!solver.guarantees.empty());
        CHECK(!solver.costs.empty());
        CHECK(bool(solver.solve_bodies));
        CHECK(bool(solver.solve_matrix));
    }
}
