// SPDX-License-Identifier: MIT
// Newton solvers: their functions against worked numbers, Jacobians against differences, and how fast they end.
#include "physics/contact/residual.h"
#include "physics/solvers/newton/contact_map.h"
#include "physics/solvers/newton/linear_system.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;
using newton::Complementarity;
using newton::ContactMap;
using physics::detail::ContactState;
using physics::detail::state_of;

namespace {

using Psi = Complementarity (*)(double, double);
constexpr Psi kFunctions[] = {newton::minimum, newton::fischer_burmeister};
constexpr const char* kNewtons[] = {"newton_min", "newton_fb"};
constexpr const char* kAll[] = {"newton_min", "newton_fb", "newton_cone"};

/// Newton on psi(c, r l) = 0 with c = l/4 - 1/8; returns the iterates after the start.
std::vector<double> one_row(Psi psi, double l, double r, int steps) {
    std::vector<double> iterates;
    for (int k = 0; k < steps; ++k) {
        const Complementarity f = psi(0.25 * l - 0.125, r * l);
        l -= f.value / (f.by_a * 0.25 + f.by_b * r);
        iterates.push_back(l);
    }
    return iterates;
}

double& unknown(ContactState& s, int k) {
    double* const all[] = {&s.l_n, &s.l_t.x, &s.l_t.y, &s.v_n, &s.v_t.x, &s.v_t.y};
    return *all[k];
}

SolveSettings to(double tolerance, uint32_t iterations = 500) {
    SolveSettings settings;
    settings.iterations = iterations;
    settings.tolerance = tolerance;
    return settings;
}

/// W = J J^T with fewer columns than rows: contacts that can share their load in many ways.
Dense redundant_problem(size_t contacts, size_t freedoms, uint32_t seed, double mu) {
    std::mt19937 random(seed);
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
    Dense d(contacts);
    std::vector<double> j(d.rows() * freedoms), u(freedoms);
    for (double& x : j) x = number();
    for (double& x : u) x = number();
    // Every normal sees a common push, so that most contacts close.
    for (size_t i = 0; i < contacts; ++i) j[3 * i * freedoms] = 1.0 + 0.3 * number();
    u[0] = -1.0;
    for (size_t r = 0; r < d.rows(); ++r)
        for (size_t k = 0; k < freedoms; ++k) {
            d.q[r] += j[r * freedoms + k] * u[k];
            for (size_t c = 0; c < d.rows(); ++c) d.at(r, c) += j[r * freedoms + k] * j[c * freedoms + k];
        }
    for (double& m : d.mu) m = mu;
    return d;
}

/// A tower of `n` masses whose contacts have friction; bottom and top are pushed sideways.
DelassusProblem tall_tower(uint32_t n, double ratio) {
    std::vector<BlockEntry> entries;
    std::vector<double> q(3 * n, 0.0), mu(n, 0.4);
    const auto inverse = [&](uint32_t k) { return k % 2 ? 1.0 / ratio : 1.0; };
    const auto scaled = [](double x) {
        Block3 b;
        for (int k = 0; k < 3; ++k) b.m[k][k] = x;
        return b;
    };
    for (uint32_t i = 0; i < n; ++i) {
        entries.push_back({i, i, scaled(inverse(i) + (i ? inverse(i - 1) : 0.0))});
        if (i + 1 < n) {
            entries.push_back({i, i + 1, scaled(-inverse(i))});
            entries.push_back({i + 1, i, scaled(-inverse(i))});
        }
    }
    q[0] = -1.0;
    q[1] = 0.3;
    q[3 * n - 2] = 2.0;
    auto made = make_problem(entries, q, mu);
    REQUIRE_MESSAGE(made.ok(), made.error());
    return *made;
}

}  // namespace

TEST_CASE("complementarity functions have their worked values and derivatives") {
    const auto fb = newton::fischer_burmeister(3, 4);
    CHECK(fb.value == doctest::Approx(2.0));
    CHECK(fb.by_a == doctest::Approx(0.4));
    CHECK(fb.by_b == doctest::Approx(0.2));
    CHECK(newton::fischer_burmeister(0, 5).value == 0.0);
    CHECK(newton::fischer_burmeister(-3, 4).value == doctest::Approx(-4.0));
    CHECK(newton::fischer_burmeister(1, 1).value == doctest::Approx(2.0 - std::sqrt(2.0)));
    const auto corner = newton::fischer_burmeister(0, 0);
    CHECK(corner.value == 0.0);
    CHECK(corner.by_a == 0.0);
    CHECK(corner.by_b == 1.0);
    // Where a + b - sqrt(a^2 + b^2) would lose every digit.
    CHECK(newton::fischer_burmeister(1.0, 1e-18).value == doctest::Approx(1e-18));
    CHECK(newton::minimum(1, 2).by_a == 1.0);
    CHECK(newton::minimum(2, 1).by_a == 0.0);
    CHECK(newton::minimum(2, 1).value == 1.0);
}

TEST_CASE("Newton on one row makes the iterates of the textbook") {
    const auto fb = one_row(newton::fischer_burmeister, 2.0, 1.0, 4);
    const double expected[] = {0.46126, 0.49957, 0.49999995, 0.5};
    for (size_t k = 0; k < 4; ++k) CHECK(std::abs(fb[k] - expected[k]) < (k < 2 ? 5e-6 : 5e-9));
    const auto plain = one_row(newton::minimum, -1.0, 1.0, 2);
    CHECK(plain[0] == 0.0);
    CHECK(plain[1] == 0.5);
    // r = dc/dl makes both branches parallel: one step from anywhere.
    for (const double start : {-100.0, -1.0, 0.0, 0.3, 7.0})
        CHECK(one_row(newton::minimum, start, 0.25, 1)[0] == doctest::Approx(0.5));
}

TEST_CASE("Jacobians of the contact maps agree with central differences away from kinks") {
    std::mt19937 random(31);
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
    int cases[2] = {};
    for (int trial = 0; trial < 600; ++trial) {
        ContactState s{
            0.2 + 0.4 * std::abs(number()), 0.5 + std::abs(number()), 0.5 + std::abs(number()), number(), number(),
            {number(), number()},           {number(), number()}};
        if (trial % 3 == 0) s.l_n = 3.0 + number();  // sticks
        const double reach = std::hypot(s.l_t.x - s.v_t.x / s.w_t, s.l_t.y - s.v_t.y / s.w_t);
        if (std::abs(s.v_n - s.w_nn * s.l_n) < 1e-2 || std::abs(s.mu * s.l_n - reach) < 1e-2 ||
            std::abs(s.l_n) < 1e-2 || reach < 1e-2)
            continue;
        for (int f = 0; f < 2; ++f) {
            const ContactMap m = newton::contact_map(s, kFunctions[f]);
            for (int k = 0; k < 6; ++k) {
                const double h = 1e-6;
                ContactState up = s, down = s;
                unknown(up, k) += h;
                unknown(down, k) -= h;
                const ContactMap a = newton::contact_map(up, kFunctions[f]),
                                 b = newton::contact_map(down, kFunctions[f]);
                for (int r = 0; r < 3; ++r) {
                    const double exact = k < 3 ? m.by_l[r][k] : m.by_v[r][k - 3];
                    REQUIRE(std::abs((a.f[r] - b.f[r]) / (2.0 * h) - exact) < 1e-6 * std::max(1.0, std::abs(exact)));
                }
            }
            ++cases[f];
        }
    }
    CHECK(cases[0] > 400);
    CHECK(cases[1] > 400);
}

TEST_CASE("with the minimum the friction map is the natural map of the disk") {
    std::mt19937 random(5);
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
    for (int k = 0; k < 300; ++k) {
        const ContactState s{std::abs(number()),  1.0,      0.5 + std::abs(number()),
                             std::abs(number()),  number(), {number(), number()},
                             {number(), number()}};
        const ContactMap m = newton::contact_map(s, newton::minimum);
        const auto p = project_disk(Real2<double>{s.l_t.x - s.v_t.x / s.w_t, s.l_t.y - s.v_t.y / s.w_t}, s.mu * s.l_n);
        CHECK(m.f[1] == doctest::Approx(s.w_t * (s.l_t.x - p.x)).epsilon(1e-12));
        CHECK(m.f[2] == doctest::Approx(s.w_t * (s.l_t.y - p.y)).epsilon(1e-12));
    }
}

TEST_CASE("both functions are zero exactly at the answer, sliding, sticking and open") {
    const ContactState slides{0.5, 1, 1, 1, 0, {-0.3, -0.4}, {2.7, 3.6}};
    const ContactState sticks{0.5, 1, 1, 1, 0, {-0.3, -0.1}, {0, 0}};
    const ContactState opens{0.5, 1, 1, 0, 1, {0, 0}, {3, 4}};
    for (const Psi psi : kFunctions)
        for (const auto& answer : {slides, sticks, opens}) {
            for (const double f : newton::contact_map(answer, psi).f) CHECK(std::abs(f) < 1e-15);
            ContactState off = answer;
            off.l_t.x += 0.1;
            off.v_t.x += 0.1;
            const ContactMap m = newton::contact_map(off, psi);
            CHECK(std::hypot(m.f[1], m.f[2]) > 1e-3);
        }
}

TEST_CASE("the step solves the linearised law, with a full matrix and with a sparse one") {
    for (const uint32_t contacts : {12u, 130u}) {
        const DelassusProblem problem =
            contacts < 100 ? random_problem(contacts, 3, 0.5).problem() : tall_tower(contacts, 3.0);
        DelassusSystem system(problem);
        std::mt19937 random(7);
        std::vector<double> l(3 * contacts);
        for (size_t r = 0; r < l.size(); ++r) l[r] = (r % 3 ? 0.2 : 1.0) * double(random()) / 4294967296.0;
        const auto values = [&](const std::vector<double>& at, std::vector<ContactMap>& maps) {
            system.set_impulses(at);
            maps.clear();
            for (uint32_t i = 0; i < contacts; ++i)
                maps.push_back(newton::contact_map(state_of(system, i), newton::fischer_burmeister));
        };
        std::vector<ContactMap> maps, moved;
        values(l, maps);
        newton::LinearSystem linear(system);
        std::vector<double> step(l.size());
        REQUIRE(linear.solve(maps, 0.0, step));
        // F(l + t step) = (1 - t) F(l) + O(t^2)
        double size = 0.0;
        for (const double x : step) size = std::max(size, std::abs(x));
        const double t = 1e-6 / size;
        std::vector<double> near = l;
        for (size_t r = 0; r < l.size(); ++r) near[r] += t * step[r];
        values(near, moved);
        for (uint32_t i = 0; i < contacts; ++i)
            for (int r = 0; r < 3; ++r) REQUIRE(std::abs(moved[i].f[r] - (1.0 - t) * maps[i].f[r]) < 1e-9);
    }
}

TEST_CASE("Newton ends quadratically: from 1e-3 to 1e-10 in a few steps") {
    for (const char* name : kNewtons)
        for (uint32_t seed = 1; seed <= 20; ++seed) {
            CAPTURE(std::string(name));
            CAPTURE(seed);
            const DelassusProblem problem = random_problem(15, 300 + seed, 0.5).problem();
            std::vector<double> history;
            SolveSettings settings = to(1e-10);
            settings.history = &history;
            SolveReport report;
            solve(solver_named(name), problem, settings, &report);
            REQUIRE(report.stop == StopReason::tolerance);
            CHECK(report.iterations <= 20);
            CHECK(history.size() == report.iterations + 1);
            size_t near = 0;
            while (history[near] > 1e-3) ++near;
            CHECK(history.size() - 1 - near <= 4);
        }
}

TEST_CASE("Newton needs no sweeps on small problems and reaches the last digits") {
    for (const char* name : kNewtons) {
        CAPTURE(std::string(name));
        const double s = std::sqrt(0.5);
        SolveReport report;
        auto l = solve(solver_named(name), one_contact({2, 1, 2}, {-1, 1}, 1.0).problem(), to(1e-14), &report);
        CHECK(report.iterations <= 12);
        CHECK(std::abs(l[1] - s) < 1e-12);
        CHECK(std::abs(l[2] + s) < 1e-12);
        l = solve(solver_named(name), one_contact({1, 0, 1}, {3, 4}, 0.5).problem(), to(1e-14), &report);
        CHECK(std::abs(l[1] + 0.3) < 1e-12);
        l = solve(solver_named(name), lcp({{2, 1}, {1, 2}}, {-5, -6}).problem(), to(1e-14), &report);
        CHECK(std::abs(l[0] - 4.0 / 3.0) < 1e-12);
        CHECK(std::abs(l[3] - 7.0 / 3.0) < 1e-12);
        CHECK(report.rejected == 0);
    }
}

TEST_CASE("contacts that can share their load in many ways do no harm") {
    for (const char* name : kAll) {
        CAPTURE(std::string(name));
        // Four points under one mass: the damping chooses the even share.
        const auto l =
            solve(solver_named(name), lcp(std::vector(4, std::vector(4, 1.0)), {-1, -1, -1, -1}).problem(), to(1e-12));
        for (size_t i = 0; i < 4; ++i) CHECK(l[3 * i] == doctest::Approx(0.25));
        for (uint32_t seed = 1; seed <= 15; ++seed)
            for (const double mu : {0.0, 0.4}) {
                CAPTURE(seed);
                CAPTURE(mu);
                const Dense dense = redundant_problem(8, 6, seed, mu);
                SolveReport report;
                const auto x = solve(solver_named(name), dense.problem(), to(1e-9, 5000), &report);
                CHECK(report.stop == StopReason::tolerance);
                CHECK(dense_residual(dense, x, true).e < 1.1e-9);
            }
    }
}

TEST_CASE("without friction Newton agrees with the complementarity problem of the normals") {
    for (const char* name : kAll)
        for (uint32_t seed = 1; seed <= 10; ++seed) {
            CAPTURE(std::string(name));
            const Dense dense = random_problem(10, 40 + seed, 0.0);
            SolveReport report;
            const auto l = solve(solver_named(name), dense.problem(), to(1e-12), &report);
            CHECK(report.stop == StopReason::tolerance);
            const auto v = dense.velocities(l);
            for (size_t i = 0; i < 10; ++i) {
                CHECK(l[3 * i] >= -1e-11);
                CHECK(v[3 * i] >= -1e-11);
                CHECK(std::abs(l[3 * i] * v[3 * i]) < 1e-11);
                CHECK(std::abs(l[3 * i + 1]) + std::abs(l[3 * i + 2]) < 1e-11);
            }
        }
}

TEST_CASE("soft contacts carry l = -b / (W + c)") {
    DelassusProblem problem = lcp({{2, 0}, {0, 4}}, {-3, -3}).problem();
    problem.compliance = {1.0, 0.5};
    for (const char* name : kAll) {
        const auto l = solve(solver_named(name), problem, to(1e-13));
        CHECK(l[0] == doctest::Approx(1.0));
        CHECK(l[3] == doctest::Approx(3.0 / 4.5));
    }
}

TEST_CASE("mass ratios of a thousand cost Newton a fifth of the iterations of sweeps, and less") {
    const DelassusProblem two = tower({1.0, 1000.0}).problem();
    const DelassusProblem many = tall_tower(10, 1000.0);
    for (const DelassusProblem* problem : {&two, &many})
        for (const char* name : kAll) {
            CAPTURE(std::string(name));
            SolveReport report;
            solve(solver_named(name), *problem, to(1e-6, 20000), &report);
            CHECK(report.stop == StopReason::tolerance);
            for (const char* sweeps : {"pgs", "prox_gs"}) {
                SolveReport slow;
                solve(solver_named(sweeps), *problem, to(1e-6, 20000), &slow);
                CHECK(5 * report.iterations <= slow.iterations);
            }
        }
}

TEST_CASE("a tower of two hundred contacts is solved by sparse factorisations") {
    const DelassusProblem problem = tall_tower(200, 1.0);
    for (const char* name : kNewtons) {
        CAPTURE(std::string(name));
        SolveReport report;
        const auto l = solve(solver_named(name), problem, to(1e-10), &report);
        CHECK(report.stop == StopReason::tolerance);
        CHECK(report.iterations <= 400);
        CHECK(l[0] == doctest::Approx(200.0));
    }
}

TEST_CASE("stopped at any iteration, Newton returns the best it had, never worse than the start") {
    for (const char* name : kAll)
        for (const uint32_t iterations : {1u, 2u, 5u, 17u}) {
            CAPTURE(std::string(name));
            CAPTURE(iterations);
            const Dense dense = redundant_problem(9, 6, 3, 0.9);
            const DelassusProblem problem = dense.problem();
            DelassusSystem system(problem);
            std::vector<double> start(27, 0.05), history;
            system.set_impulses(start);
            SolveSettings settings = to(1e-15, iterations);
            settings.history = &history;
            const SolveReport report = solver_named(name).solve_matrix(system, settings);
            CHECK(report.iterations <= iterations);
            CHECK(history.size() == report.iterations + 1);
            CHECK(report.residual == *std::min_element(history.begin(), history.end()));
            CHECK(dense_residual(dense, impulses(system), true).e == doctest::Approx(report.residual));
        }
}

TEST_CASE("Newton looks at the time limit between iterations") {
    const DelassusProblem problem = random_problem(20, 9, 0.5).problem();
    for (const char* name : kAll) {
        SolveSettings settings = to(1e-30);
        settings.time_limit = 1e-9;
        SolveReport report;
        solve(solver_named(name), problem, settings, &report);
        CHECK(report.stop == StopReason::time);
        CHECK(report.iterations == 1);
    }
}

TEST_CASE("asked for more than rounding allows, Newton says that it stalls") {
    const DelassusProblem problem = random_problem(6, 2, 0.5).problem();
    for (const char* name : kAll) {
        SolveReport report;
        solve(solver_named(name), problem, to(1e-300, 100000), &report);
        CHECK(report.stop != StopReason::iterations);
        CHECK(report.residual < 1e-13);
    }
}

TEST_CASE("the cone solver finds Coulomb's answer, where the convex problem alone would lift off") {
    // Sliding with (2.7, 3.6) the convex problem would separate with mu |v_t|; the shift takes that away.
    SolveReport report;
    const Dense dense = one_contact({1, 0, 1}, {3, 4}, 0.5);
    const auto l = solve(solver_named("newton_cone"), dense.problem(), to(1e-13), &report);
    CHECK(report.stop == StopReason::tolerance);
    CHECK(std::abs(l[0] - 1.0) < 1e-11);
    CHECK(std::abs(l[1] + 0.3) < 1e-11);
    CHECK(std::abs(l[2] + 0.4) < 1e-11);
    CHECK(std::abs(dense.velocities(l)[0]) < 1e-11);
}

TEST_CASE("the cone solver descends from any start") {
    const Dense dense = random_problem(12, 77, 0.5);
    const DelassusProblem problem = dense.problem();
    for (const double size : {1e-3, 1.0, 1e3, 1e6}) {
        CAPTURE(size);
        std::mt19937 random(3);
        std::vector<double> start(36);
        for (double& x : start) x = size * (double(random()) / 2147483648.0 - 1.0);
        DelassusSystem system(problem);
        system.set_impulses(start);
        const SolveReport report = solver_named("newton_cone").solve_matrix(system, to(1e-9, 2000));
        CHECK(report.stop == StopReason::tolerance);
        CHECK(dense_residual(dense, impulses(system), true).e < 1.1e-9);
    }
}
