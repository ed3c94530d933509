// SPDX-License-Identifier: MIT
// Every solver of the table, with every choice of steps, against problems whose answers are known.
#include "physics/contact/residual.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

struct Known {
    std::string name;
    Dense problem;
    std::vector<double> disk, box;  // impulses
};

std::vector<double> normals(std::vector<double> x) {
    std::vector<double> l;
    for (double v : x) l.insert(l.end(), {v, 0.0, 0.0});
    return l;
}

std::vector<Known> known_problems() {
    std::vector<Known> all;
    const auto add = [&](const char* name, Dense d, std::vector<double> disk, std::vector<double> box) {
        all.push_back({name, std::move(d), std::move(disk), std::move(box)});
    };
    const auto add_lcp = [&](const char* name, const std::vector<std::vector<double>>& a,
                             std::vector<double> b,
                             std::vector<double> x) { add(name, lcp(a, b), normals(x), normals(x)); };
    const std::vector<std::vector<double>> a0{{2, 1}, {1, 2}};
    add_lcp("one row pushes", {{2}}, {-4}, {2});
    add_lcp("one row opens", {{2}}, {4}, {0});
    add_lcp("two rows push", a0, {-5, -6}, {4.0 / 3.0, 7.0 / 3.0});
    add_lcp("one of two rows opens", a0, {-1, 1}, {0.5, 0});
    add_lcp("pivoting would cycle here", {{11, 14, -6}, {14, 22, -15}, {-6, -15, 18}}, {-1, -4, 5},
            {0, 2.0 / 11.0, 0});
    add_lcp("second cycling matrix", {{8, -12, -10}, {-12, 22, 19}, {-10, 19, 17}}, {4, -5, -2},
            {0, 5.0 / 22.0, 0});
    add_lcp("a row must open again", {{1, 2}, {2, 5}}, {-4, -5}, {4, 0});

    // An upper bound: tangent 1 of a contact with radius 1 is the bounded unknown, coupled to a second
    // normal.
    Dense bounded(2);
    for (size_t r = 0; r < 6; ++r) bounded.set(r, r, r == 0 ? 1.0 : 2.0);
    bounded.set(1, 3, 1.0);
    bounded.q = {-1, -5, 0, -6, 0, 0};
    bounded.mu = {1, 0};
    add("bounded unknown", bounded, {1, 1, 0, 2.5, 0, 0}, {1, 1, 0, 2.5, 0, 0});

    const TangentBlock<double> unit{1, 0, 1};
    add("sliding particle", one_contact(unit, {3, 4}, 0.5), {1, -0.3, -0.4}, {1, -0.5, -0.5});
    add("sticking particle", one_contact(unit, {0.3, 0.1}, 0.5), {1, -0.3, -0.1}, {1, -0.3, -0.1});
    add("no friction", one_contact(unit, {3, 4}, 0.0), {1, 0, 0}, {1, 0, 0});
    const double s = std::sqrt(0.5);
    add("large steps diverge here", one_contact({2, 1, 2}, {-1, 1}, 1.0), {1, s, -s}, {1, 1, -1});
    Dense open = one_contact(unit, {3, 4}, 0.5);
    open.q[0] = 1.0;
    add("open contact", open, {0, 0, 0}, {0, 0, 0});
    return all;
}

SolveSettings accurate(RStrategy strategy) {
    SolveSettings settings;
    settings.iterations = 20000;
    settings.tolerance = 1e-10;
    settings.r_strategy = strategy;
    return settings;
}

}  // namespace

TEST_CASE("every solver finds the known answers of small problems") {
    for (const Known& known : known_problems()) {
        const DelassusProblem problem = known.problem.problem();
        for (const Solver& solver : exact_solvers())
            for (RStrategy strategy : kStrategies) {
                CAPTURE(known.name);
                CAPTURE(solver.name);
                CAPTURE(name_of(strategy));
                SolveReport report;
                const auto l = solve(solver, problem, accurate(strategy), &report);
                const auto& expected = solver.set == FrictionSet::disk ? known.disk : known.box;
                for (size_t i = 0; i < l.size(); ++i)
                    CHECK(l[i] == doctest::Approx(expected[i]).epsilon(1e-6));
                CHECK(report.stop == StopReason::tolerance);
                CHECK(dense_residual(known.problem, l, solver.set == FrictionSet::disk).max < 1e-8);
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

TEST_CASE(
    "sliding goes straight against friction even where the tangent block is no multiple of the unit matrix") {
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
                const auto other =
                    project(solver.set, Real2<double>{9 * std::cos(angle), 9 * std::sin(angle)}, radius);
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
