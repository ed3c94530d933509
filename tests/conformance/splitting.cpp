// SPDX-License-Identifier: MIT
// Splittings and conjugate gradients over them: iterates of the textbook, sweeps that theory counts, orders.
#include "physics/contact/residual.h"
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

/// Sum of the weights above each contact of a tower, its own upper body included.
std::vector<double> weights(const std::vector<double>& mass) {
    std::vector<double> w(mass.size());
    double sum = 0.0;
    for (size_t i = mass.size(); i-- > 0;) w[i] = sum += mass[i];
    return w;
}

double error_after(const Solver& solver, const DelassusProblem& problem, const std::vector<double>& exact,
                   SolveSettings settings, uint32_t count) {
    settings.iterations = count;
    const auto l = solve(solver, problem, settings);
    double error = 0.0;
    for (size_t i = 0; i < exact.size(); ++i) error = std::max(error, std::abs(l[3 * i] - exact[i]));
    return error / *std::max_element(exact.begin(), exact.end());
}

/// Iterations until max |l_n - exact| <= relative * max |exact|, each count solved from the beginning: a
/// conjugate method is not the same when it is stopped and started again.
uint32_t iterations_to(std::string_view name, const std::vector<double>& mass, double relative,
                       double relaxation = 1.0) {
    const DelassusProblem problem = tower(mass).problem();
    SolveSettings settings = sweeps(0);
    settings.relaxation = relaxation;
    for (uint32_t k = 1; k <= 400; ++k)
        if (error_after(solver_named(name), problem, weights(mass), settings, k) <= relative) return k;
    return 0;
}

}  // namespace

TEST_CASE("over-relaxation by one, and sweeps over one row, are plain Gauss-Seidel") {
    const DelassusProblem problem = lcp({{2, 1}, {1, 2}}, {-5, -6}).problem();
    const double expected[3][2] = {{2.5, 1.75}, {1.625, 2.1875}, {1.40625, 2.296875}};
    for (uint32_t k = 1; k <= 3; ++k) {
        SolveSettings settings = sweeps(k);
        settings.relaxation = 1.0;
        const auto l = solve(solver_named("psor"), problem, settings);
        CHECK(l[0] == expected[k - 1][0]);
        CHECK(l[3] == expected[k - 1][1]);
    }
    // Backwards the second row is the first: 3, then (5 - 3)/2.
    const auto back = solve(solver_named("pgs_backward"), problem, sweeps(1));
    CHECK(back[3] == 3.0);
    CHECK(back[0] == 1.0);
    // Forward to (2.5, 1.75), then the second row again (nothing new) and the first: (5 - 1.75)/2.
    const auto both = solve(solver_named("pgs_symmetric"), problem, sweeps(1));
    CHECK(both[3] == 1.75);
    CHECK(both[0] == 1.625);
    // Jacobi with the safe step 1/3, the largest eigenvalue: 5/3, 2.
    const auto all = solve(solver_named("jacobi"), problem, sweeps(1));
    CHECK(all[0] == doctest::Approx(5.0 / 3.0));
    CHECK(all[3] == doctest::Approx(2.0));
}

TEST_CASE("conjugate gradients need a tenth of the sweeps on towers and mass ratios") {
    struct Case {
        size_t masses;
        uint32_t nncg;
    };
    for (const Case c : {Case{2, 7}, Case{5, 21}, Case{10, 44}, Case{20, 100}}) {
        CAPTURE(c.masses);
        CHECK(iterations_to("nncg", std::vector<double>(c.masses, 1.0), 1e-3) == c.nncg);
    }
    CHECK(iterations_to("nncg", std::vector<double>(10, 1.0), 1e-6) == 86);
    for (const auto& [ratio, count] : {std::pair{1.0, 7u}, {10.0, 22u}, {100.0, 74u}, {1000.0, 238u}}) {
        CAPTURE(ratio);
        CHECK(iterations_to("nncg", {1.0, ratio}, 1e-3) == count);
    }
    std::vector<double> heavy_top(10, 1.0);
    heavy_top.back() = 100.0;
    CHECK(iterations_to("nncg", heavy_top, 1e-3) == 245);
}

TEST_CASE("the best over-relaxation brings a tower of ten to 1e-6 in 53 sweeps") {
    const double omega = 2.0 / (1.0 + std::sin(3.14159265358979323846 / 20.0));
    CHECK(omega == doctest::Approx(1.7295).epsilon(1e-4));
    CHECK(iterations_to("psor", std::vector<double>(10, 1.0), 1e-6, omega) == 53);
}

TEST_CASE("over-relaxation outside (0, 2) is refused and changes nothing") {
    const DelassusProblem problem = lcp({{2}}, {-4}).problem();
    for (const double relaxation : {0.0, 2.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        SolveSettings settings = sweeps(10);
        settings.relaxation = relaxation;
        SolveReport report;
        CHECK(solve(solver_named("psor"), problem, settings, &report)[0] == 0.0);
        CHECK(report.stop == StopReason::failed);
        CHECK(report.note.find("between 0 and 2") != std::string_view::npos);
    }
}

TEST_CASE("a symmetric sweep treats a problem and its mirror image alike once it is linear") {
    // For pushing rows without friction, W e -> one symmetric sweep has a symmetric error matrix in the norm
    // of W: e^T W S f = f^T W S e for any two errors.
    const Dense dense = lcp({{4, 1, 0.5}, {1, 3, -1}, {0.5, -1, 5}}, {-9, -8, -7});
    const DelassusProblem problem = dense.problem();
    const auto exact = [&] {
        SolveSettings settings;
        settings.iterations = 1000;
        settings.tolerance = 1e-15;
        return solve(solver_named("pgs"), problem, settings);
    }();
    const auto swept = [&](const char* name, const std::vector<double>& e) {
        std::vector<double> l = exact;
        for (size_t i = 0; i < 9; ++i) l[i] += e[i];
        DelassusSystem system(problem);
        system.set_impulses(l);
        solver_named(name).solve_matrix(system, sweeps(1));
        auto x = impulses(system);
        for (size_t i = 0; i < 9; ++i) x[i] -= exact[i];
        return x;
    };
    const std::vector<double> e{0.1, 0, 0, -0.05, 0, 0, 0.02, 0, 0}, f{-0.03, 0, 0, 0.04, 0, 0, 0.08, 0, 0};
    const auto product = [&](const std::vector<double>& x, const std::vector<double>& y) {
        double sum = 0.0;
        for (size_t r = 0; r < 9; ++r)
            for (size_t c = 0; c < 9; ++c) sum += x[r] * dense.at(r, c) * y[c];
        return sum;
    };
    const auto gap = [&](const char* name) {
        return std::abs(product(e, swept(name, f)) - product(f, swept(name, e)));
    };
    CHECK(gap("pgs_symmetric") < 1e-12);
    CHECK(gap("pgs_backward") > 1e-4);
}

TEST_CASE("four contacts that share one mass are solved by projected Jacobi in one pass") {
    const Dense dense = lcp(std::vector(4, std::vector(4, 1.0)), {-1, -1, -1, -1});
    const auto l = solve(solver_named("jacobi"), dense.problem(), sweeps(1));
    for (size_t i = 0; i < 4; ++i) CHECK(l[3 * i] == doctest::Approx(0.25));
}

TEST_CASE("another order changes the iterates, the same order repeats them, and none changes the answer") {
    const Dense dense = random_problem(9, 31, 0.5);
    const DelassusProblem problem = dense.problem();
    for (const Solver& solver : solver_table()) {
        if (solver.name != "nncg" && solver.name != "psor" && solver.name != "pgs_symmetric" &&
            solver.name != "pgs_backward" && solver.name != "nscd" && solver.name != "pgs_sm" &&
            solver.name != "shock" && solver.name != "pgs" && solver.name != "prox_gs")
            continue;
        CAPTURE(solver.name);
        std::vector<std::vector<double>> first;
        std::vector<double> answer;
        for (const SweepOrder order : {SweepOrder::given, SweepOrder::reversed, SweepOrder::shuffled,
                                       SweepOrder::upward, SweepOrder::downward}) {
            SolveSettings settings = sweeps(2);
            settings.order = order;
            first.push_back(solve(solver, problem, settings));
            CHECK(solve(solver, problem, settings) == first.back());
            settings = {};
            settings.order = order;
            settings.iterations = 20000;
            settings.tolerance = 1e-11;
            SolveReport report;
            const auto l = solve(solver, problem, settings, &report);
            CHECK(report.stop == StopReason::tolerance);
            if (answer.empty()) answer = l;
            for (size_t i = 0; i < l.size(); ++i) CHECK(l[i] == doctest::Approx(answer[i]).epsilon(1e-7));
        }
        if (solver.name == "pgs_sm") continue;  // whose linear solve ends at the answer whatever came before
        CHECK(first[1] != first[0]);
        CHECK(first[2] != first[0]);
        CHECK(first[2] != first[1]);
        SolveSettings other = sweeps(2);
        other.order = SweepOrder::shuffled;
        other.seed = 2;
        CHECK(solve(solver, problem, other) != first[2]);
    }
}

TEST_CASE("orders follow the layers of a pile, on bodies and on its matrix") {
    // Weights travel down a tower: a downward sweep hands the whole weight on only after the ground has
    // pushed, an upward sweep carries the push of the ground to the top at once.
    for (const auto& [matrix, name] : {std::pair{false, "psor"},
                                       {true, "psor"},
                                       {false, "pgs"},
                                       {true, "pgs"},
                                       {false, "prox_gs"},
                                       {true, "prox_gs"}})
        for (const SweepOrder order : {SweepOrder::upward, SweepOrder::downward}) {
            CAPTURE(matrix);
            CAPTURE(std::string(name));
            const size_t n = 6;
            // Contacts listed so that the given order is neither.
            const uint32_t height[n] = {3, 0, 5, 1, 4, 2};
            Bodies tower;
            for (size_t k = 0; k < n; ++k) tower.add(1.0f, Vec3(0, -0.1f, 0));
            for (const uint32_t k : height) tower.touch(k, k + 1, 0.0f);
            SolveSettings settings = sweeps(1);
            settings.order = order;
            settings.relaxation = 1.0;
            std::vector<double> l;
            BodySystem system = tower.system();
            if (matrix) {
                Dense dense(n);
                for (size_t i = 0; i < n; ++i) {
                    for (size_t r = 0; r < 3; ++r) dense.set(3 * i + r, 3 * i + r, height[i] ? 2.0 : 1.0);
                    for (size_t j = 0; j < n; ++j)
                        if (height[j] == height[i] + 1)
                            for (size_t r = 0; r < 3; ++r) dense.set(3 * i + r, 3 * j + r, -1.0);
                    dense.q[3 * i] = height[i] ? 0.0 : -0.1;
                }
                const auto x = solve(solver_named(name), dense.problem(), settings);
                for (size_t i = 0; i < n; ++i) l.push_back(x[3 * i]);
            } else {
                solver_named(name).solve_bodies(system, settings);
                for (uint32_t i = 0; i < n; ++i) l.push_back(double(system.impulse(i).n));
            }
            for (size_t i = 0; i < n; ++i) {
                // Upward: each contact passes on half of what the one below it got. Downward: only the ground.
                const double expected = order == SweepOrder::upward ? 0.1 / std::pow(2.0, height[i])
                                        : height[i] == 0            ? 0.1
                                                                    : 0.0;
                CHECK(l[i] == doctest::Approx(expected).epsilon(1e-5));
            }
        }
}

TEST_CASE("solvers of this folder agree with PROX Gauss-Seidel on random problems") {
    for (uint32_t seed = 40; seed < 46; ++seed) {
        const Dense dense = random_problem(12, seed, 0.4);
        const DelassusProblem problem = dense.problem();
        SolveSettings settings;
        settings.iterations = 20000;
        settings.tolerance = 1e-11;
        const auto disk = solve(solver_named("prox_gs"), problem, settings);
        const auto box = solve(solver_named("pgs"), problem, settings);
        for (const Solver& solver : exact_solvers()) {
            if (solver.family != Family::splitting && solver.family != Family::conjugate &&
                solver.family != Family::subspace)
                continue;
            CAPTURE(seed);
            CAPTURE(solver.name);
            const auto l = solve(solver, problem, settings);
            const auto& expected = solver.set == FrictionSet::disk ? disk : box;
            for (size_t i = 0; i < l.size(); ++i) CHECK(l[i] == doctest::Approx(expected[i]).epsilon(1e-7));
        }
    }
}

TEST_CASE("not-a-number in the start stops every solver of this folder") {
    const DelassusProblem problem = random_problem(4, 3, 0.5).problem();
    for (const Solver& solver : exact_solvers()) {
        if (solver.family != Family::splitting && solver.family != Family::conjugate &&
            solver.family != Family::subspace)
            continue;
        CAPTURE(solver.name);
        std::vector<double> start(12, 0.0);
        start[4] = std::numeric_limits<double>::quiet_NaN();
        DelassusSystem system(problem);
        system.set_impulses(start);
        SolveSettings settings;
        settings.tolerance = 1e-8;
        const SolveReport report = solver.solve_matrix(system, settings);
        CHECK((report.stop == StopReason::stalled || report.stop == StopReason::failed));
        CHECK(report.iterations <= 1);
    }
}

TEST_CASE("subspace minimisation solves towers of any height and mass in a few iterations") {
    for (const double ratio : {1.0, 10.0, 1000.0, 1e6})
        for (const size_t n : {2u, 10u, 30u}) {
            CAPTURE(ratio);
            CAPTURE(n);
            std::vector<double> mass(n, 1.0);
            mass.back() = ratio;
            const DelassusProblem problem = tower(mass).problem();
            SolveSettings settings = sweeps(n > 20 ? 6 : 2);  // ten sweeps feel ten contacts of a tall tower
            const auto l = solve(solver_named("pgs_sm"), problem, settings);
            const auto expected = weights(mass);
            for (size_t i = 0; i < n; ++i) CHECK(l[3 * i] == doctest::Approx(expected[i]).epsilon(1e-9));
        }
}

TEST_CASE("subspace minimisation keeps to redundant contacts and to their soft forms") {
    // Four legs under one mass, one of them twice: W has rank one.
    DelassusProblem problem = lcp(std::vector(5, std::vector(5, 1.0)), {-1, -1, -1, -1, -1}).problem();
    SolveSettings settings;
    settings.tolerance = 1e-13;
    SolveReport report;
    auto l = solve(solver_named("pgs_sm"), problem, settings, &report);
    CHECK(report.stop == StopReason::tolerance);
    CHECK(l[0] + l[3] + l[6] + l[9] + l[12] == doctest::Approx(1.0).epsilon(1e-12));
    // With compliance the load is shared evenly: (5 + c) l = 1 for each.
    problem.compliance.assign(5, 0.5);
    l = solve(solver_named("pgs_sm"), problem, settings, &report);
    CHECK(report.stop == StopReason::tolerance);
    for (size_t i = 0; i < 5; ++i) CHECK(l[3 * i] == doctest::Approx(1.0 / 5.5).epsilon(1e-10));
}

TEST_CASE("shock propagation solves a tower of bodies in one iteration, whatever the masses") {
    for (const float ratio : {0.01f, 1.0f, 100.0f, 1000.0f}) {
        CAPTURE(ratio);
        const uint32_t n = 20;
        // From the top down: no order of sweeps helps.
        Bodies bodies;
        std::vector<double> mass;
        for (uint32_t k = 0; k < n; ++k) {
            mass.push_back(k % 2 ? double(ratio) : 1.0);
            bodies.add(float(mass.back()), Vec3(0.0f, -0.1f, 0.0f));
        }
        for (uint32_t k = n; k-- > 0;) bodies.touch(k, k + 1, 0.5f);
        BodySystem system = bodies.system();
        solver_named("shock").solve_bodies(system, sweeps(1));
        const auto expected = weights(mass);
        for (uint32_t k = 0; k < n; ++k)
            CHECK(system.impulse(n - 1 - k).n == doctest::Approx(0.1 * expected[k]).epsilon(1e-4));
        for (const BodyVelocity& v : bodies.velocity) CHECK(std::abs(v.linear.y) < 1e-4f);
        // Gauss-Seidel is far from that after as many sweeps as the pass costs.
        Bodies again;
        for (uint32_t k = 0; k < n; ++k) again.add(float(mass[k]), Vec3(0.0f, -0.1f, 0.0f));
        for (uint32_t k = n; k-- > 0;) again.touch(k, k + 1, 0.5f);
        BodySystem plain = again.system();
        solver_named("prox_gs").solve_bodies(plain, sweeps(21));
        CHECK(measure_residual(plain).max > 1e-3);
    }
}

TEST_CASE("shock propagation keeps momentum and leaves an answer alone") {
    // A pile with a body across two others, hit from the side.
    Bodies bodies;
    const uint32_t left = bodies.add(1.0f, Vec3(0.2f, -0.1f, 0.0f)), right = bodies.add(2.0f, Vec3(-0.1f, -0.1f, 0.0f)),
                   top = bodies.add(5.0f, Vec3(0.3f, -0.5f, 0.1f));
    bodies.touch(right, top, 0.4f);
    bodies.touch(0, left, 0.4f);
    bodies.touch(left, top, 0.4f);
    bodies.touch(0, right, 0.4f);
    const std::vector<BodyVelocity> free = bodies.velocity;
    BodySystem system = bodies.system();
    solver_named("shock").solve_bodies(system, sweeps(1));
    const std::vector<BodyVelocity> after = bodies.velocity;
    bodies.velocity = free;
    bodies.problem.velocity = bodies.velocity;
    bodies.problem.apply_warm_start(0, 4);
    for (const uint32_t b : bodies.movable) CHECK(glm::length(bodies.velocity[b].linear - after[b].linear) < 1e-5f);

    bodies.velocity = after;
    bodies.problem.velocity = bodies.velocity;
    SolveSettings settings;
    settings.iterations = 2000;
    settings.tolerance = 1e-6;
    REQUIRE(solver_named("shock").solve_bodies(system, settings).stop == StopReason::tolerance);
    const std::vector<Contact> solved = bodies.problem.contacts;
    solver_named("shock").solve_bodies(system, sweeps(1));
    for (uint32_t i = 0; i < 4; ++i) CHECK(glm::length(bodies.problem.contacts[i].lambda - solved[i].lambda) < 1e-4f);
}
