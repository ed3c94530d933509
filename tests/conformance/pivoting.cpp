// SPDX-License-Identifier: MIT
// Pivoting on boxed complementarity problems: pivots and answers of the textbook, and what every answer must satisfy.
#include "physics/solvers/pivoting/boxed_lcp.h"

#include <algorithm>
#include <string>

#include "physics/solvers/pivoting/box_loop.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::pivoting;
using proxima::physics::test::Dense;
using proxima::physics::test::solver_named;

namespace {

struct Method {
    std::string name;
    PivotMethod solve;
};
const std::vector<Method> kMethods{{"dantzig", solve_dantzig}, {"murty", solve_murty}, {"bpp", solve_block_pivoting}};

BoxedLcp boxed(const std::vector<std::vector<double>>& a, std::vector<double> b) {
    BoxedLcp problem;
    for (const auto& row : a) problem.a.insert(problem.a.end(), row.begin(), row.end());
    problem.lower.assign(b.size(), 0.0);
    problem.upper.assign(b.size(), kInfinity);
    problem.b = std::move(b);
    return problem;
}

PivotState start(const BoxedLcp& problem, Label label) {
    const size_t n = problem.size();
    return {std::vector(n, 0.0), std::vector(n, 0.0), std::vector(n, label)};
}

void check_answer(const PivotState& state, const std::vector<double>& x, const std::vector<double>& v) {
    for (size_t i = 0; i < x.size(); ++i) {
        CHECK(std::abs(state.x[i] - x[i]) < 1e-12);
        CHECK(std::abs(state.v[i] - v[i]) < 1e-12);
    }
}

struct Numbers {
    std::mt19937 random;
    explicit Numbers(uint32_t seed) : random(seed) {}
    double operator()() { return double(random()) / 2147483648.0 - 1.0; }
};

/// A = J J^T / k + shift I with two-sided, one-sided and closed bounds.
BoxedLcp random_boxed(uint32_t n, uint32_t columns, double shift, uint32_t seed) {
    Numbers number(seed);
    BoxedLcp problem;
    std::vector<double> j(n * columns);
    for (double& x : j) x = number();
    problem.a.assign(n * n, 0.0);
    for (uint32_t r = 0; r < n; ++r)
        for (uint32_t c = 0; c < n; ++c) {
            for (uint32_t k = 0; k < columns; ++k)
                problem.a[r * n + c] += j[r * columns + k] * j[c * columns + k] / double(columns);
            if (r == c) problem.a[r * n + c] += shift;
        }
    for (uint32_t i = 0; i < n; ++i) {
        problem.b.push_back(2.0 * number());
        const double width = std::abs(number());
        problem.lower.push_back(i % 3 == 0 ? 0.0 : -width);
        problem.upper.push_back(i % 3 == 0 ? kInfinity : i % 7 == 1 ? -width : width);
    }
    return problem;
}

/// Projected Gauss-Seidel, for answers found in another way.
std::vector<double> gauss_seidel(const BoxedLcp& problem, int sweeps) {
    std::vector<double> x(problem.size(), 0.0);
    for (int k = 0; k < sweeps; ++k)
        for (uint32_t i = 0; i < problem.size(); ++i) {
            double v = problem.b[i];
            for (uint32_t c = 0; c < problem.size(); ++c) v += problem.at(i, c) * x[c];
            x[i] = std::clamp(x[i] - v / problem.at(i, i), problem.lower[i], problem.upper[i]);
        }
    return x;
}

double scale_of(const BoxedLcp& problem) {
    return std::abs(*std::max_element(problem.b.begin(), problem.b.end(),
                                      [](double x, double y) { return std::abs(x) < std::abs(y); }));
}

}  // namespace

TEST_CASE("pivoting methods give the textbook's answers from any labels") {
    struct Known {
        BoxedLcp problem;
        std::vector<double> x, v;
    };
    const std::vector<std::vector<double>> a0{{2, 1}, {1, 2}};
    std::vector<Known> all{
        {boxed({{2}}, {-4}), {2}, {0}},
        {boxed({{2}}, {4}), {0}, {4}},
        {boxed(a0, {-5, -6}), {4.0 / 3.0, 7.0 / 3.0}, {0, 0}},
        {boxed(a0, {-1, 1}), {0.5, 0}, {0, 1.5}},
        {boxed({{11, 14, -6}, {14, 22, -15}, {-6, -15, 18}}, {-1, -4, 5}),
         {0, 2.0 / 11.0, 0},
         {17.0 / 11.0, 0, 25.0 / 11.0}},
        {boxed({{8, -12, -10}, {-12, 22, 19}, {-10, 19, 17}}, {4, -5, -2}),
         {0, 5.0 / 22.0, 0},
         {4.0 - 60.0 / 22.0, 0, 95.0 / 22.0 - 2.0}},
        {boxed({{1, 2}, {2, 5}}, {-4, -5}), {4, 0}, {0, 3}},
    };
    Known bounded{boxed(a0, {-5, -6}), {1, 2.5}, {-0.5, 0}};
    bounded.problem.upper[0] = 1.0;
    all.push_back(bounded);
    for (size_t k = 0; k < all.size(); ++k)
        for (const Method& method : kMethods)
            for (const Label label : {Label::free, Label::lower}) {
                CAPTURE(k);
                CAPTURE(method.name);
                PivotState state = start(all[k].problem, label);
                CHECK(method.solve(all[k].problem, state, {}).stop == PivotStop::solved);
                check_answer(state, all[k].x, all[k].v);
                CHECK(natural_residual(all[k].problem, state.x) < 1e-12);
            }
    PivotState state = start(bounded.problem, Label::free);
    solve_murty(bounded.problem, state, {});
    CHECK(state.label == std::vector<Label>{Label::upper, Label::free});
}

TEST_CASE("incremental pivoting drives the worst law first and adds up what an unknown was moved by") {
    std::vector<PivotEvent> trace;
    PivotLimits limits;
    limits.trace = &trace;
    const BoxedLcp two = boxed({{2, 1}, {1, 2}}, {-5, -6});
    PivotState state = start(two, Label::lower);
    CHECK(solve_dantzig(two, state, limits).pivots == 2);
    REQUIRE(trace.size() == 2);
    CHECK(trace[0].index == 1);
    CHECK(trace[0].step == doctest::Approx(3.0).epsilon(1e-14));
    CHECK(trace[1].index == 0);
    CHECK(trace[1].step == doctest::Approx(4.0 / 3.0).epsilon(1e-14));

    // The second unknown enters, and leaves again while the first one is driven: 2.5 + 1.5 = 4.
    trace.clear();
    const BoxedLcp leaves = boxed({{1, 2}, {2, 5}}, {-4, -5});
    state = start(leaves, Label::lower);
    CHECK(solve_dantzig(leaves, state, limits).pivots == 3);
    REQUIRE(trace.size() == 3);
    const double steps[3] = {1.0, 2.5, 1.5};
    const uint32_t blocking[3] = {1, 1, 0};
    for (int k = 0; k < 3; ++k) {
        CHECK(trace[size_t(k)].index == blocking[k]);
        CHECK(trace[size_t(k)].step == doctest::Approx(steps[k]).epsilon(1e-14));
    }
    check_answer(state, {4, 0}, {0, 3});
}

TEST_CASE("block pivoting drops the opening row in one flip") {
    std::vector<PivotEvent> trace;
    PivotLimits limits;
    limits.trace = &trace;
    const BoxedLcp problem = boxed({{2, 1}, {1, 2}}, {-1, 1});
    PivotState state = start(problem, Label::free);
    const PivotReport report = solve_block_pivoting(problem, state, limits);
    CHECK(report.solves == 2);
    REQUIRE(trace.size() == 1);
    CHECK(trace[0].index == 1);
    CHECK(trace[0].free == 2);
    CHECK(state.label == std::vector<Label>{Label::free, Label::lower});
}

TEST_CASE("where flipping all labels cycles, the least index ends in seven solves and block pivoting ends too") {
    const BoxedLcp problem = boxed({{11, 14, -6}, {14, 22, -15}, {-6, -15, 18}}, {-1, -4, 5});
    PivotState state = start(problem, Label::free);
    const PivotReport least = solve_murty(problem, state, {});
    CHECK(least.stop == PivotStop::solved);
    CHECK(least.solves == 7);
    CHECK(least.pivots == 6);

    // Sets of free unknowns without fall-back: {1,2,3}, {2,3}, none, {1,2}, and then the same ones again.
    std::vector<std::vector<Label>> met;
    PivotState blind = start(problem, Label::free);
    bool cycled = false;
    for (int k = 0; k < 20 && !cycled; ++k) {
        FreeFactor factor(problem);
        REQUIRE(solve_labels(problem, factor, blind));
        cycled = std::find(met.begin(), met.end(), blind.label) != met.end();
        met.push_back(blind.label);
        std::vector<Label> next = blind.label;
        Label flipped = Label::free;
        for (uint32_t i = 0; i < 3; ++i)
            if (violates(problem, blind, i, 1e-12, flipped)) next[i] = flipped;
        REQUIRE(next != blind.label);
        blind.label = next;
    }
    CHECK(cycled);
    using enum Label;
    REQUIRE(met.size() >= 4);
    CHECK(met[0] == std::vector<Label>{free, free, free});
    CHECK(met[1] == std::vector<Label>{lower, free, free});
    CHECK(met[2] == std::vector<Label>{lower, lower, lower});
    CHECK(met[3] == std::vector<Label>{free, free, lower});

    state = start(problem, Label::free);
    const PivotReport block = solve_block_pivoting(problem, state, {});
    CHECK(block.stop == PivotStop::solved);
    CHECK(block.solves < 20);
    CHECK(state.label == std::vector<Label>{lower, free, lower});

    const BoxedLcp second = boxed({{8, -12, -10}, {-12, 22, 19}, {-10, 19, 17}}, {4, -5, -2});
    state = start(second, Label::free);
    CHECK(solve_murty(second, state, {}).solves == 3);
}

TEST_CASE("random boxed problems have one answer, whoever finds it") {
    for (uint32_t seed = 1; seed <= 30; ++seed) {
        const uint32_t n = 1 + (seed * 7) % 50;
        const BoxedLcp problem = random_boxed(n, n, 0.2, seed);
        const std::vector<double> swept = gauss_seidel(problem, 1500);
        for (const Method& method : kMethods)
            for (const Label label : {Label::free, Label::lower}) {
                CAPTURE(seed);
                CAPTURE(method.name);
                PivotState state = start(problem, label);
                REQUIRE(method.solve(problem, state, {}).stop == PivotStop::solved);
                CHECK(natural_residual(problem, state.x) < 1e-11 * scale_of(problem));
                for (uint32_t i = 0; i < n; ++i) {
                    CHECK(state.x[i] >= problem.lower[i]);
                    CHECK(state.x[i] <= problem.upper[i]);
                    CHECK(std::abs(state.x[i] - swept[i]) < 1e-6);
                }
            }
    }
}

TEST_CASE("unknowns at a bound with no velocity make no pivoting method flip for ever") {
    // b = -A x for an x that has unknowns at their bounds and v = 0 everywhere: all labels there fit.
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        const uint32_t n = 12;
        BoxedLcp problem = random_boxed(n, n, 0.3, seed + 50);
        std::vector<double> x(n);
        for (uint32_t i = 0; i < n; ++i) {
            problem.lower[i] = i % 3 == 0 ? 0.0 : -1.0;
            problem.upper[i] = i % 3 == 0 ? kInfinity : 1.0;
            x[i] = i % 2 == 0 ? problem.lower[i] : i % 3 == 0 ? 0.5 : i % 5 == 0 ? 1.0 : 0.25;
        }
        for (uint32_t r = 0; r < n; ++r) {
            problem.b[r] = 0.0;
            for (uint32_t c = 0; c < n; ++c) problem.b[r] -= problem.at(r, c) * x[c];
        }
        for (const Method& method : kMethods)
            for (const Label label : {Label::free, Label::lower}) {
                CAPTURE(seed);
                CAPTURE(method.name);
                PivotState state = start(problem, label);
                const PivotReport report = method.solve(problem, state, {});
                CHECK(report.stop == PivotStop::solved);
                CHECK(report.pivots < 200);
                for (uint32_t i = 0; i < n; ++i) CHECK(std::abs(state.x[i] - x[i]) < 1e-9);
            }
    }
}

TEST_CASE("the factor follows free unknowns that come and go") {
    const uint32_t n = 30;
    const BoxedLcp problem = random_boxed(n, n, 0.1, 3);
    FreeFactor factor(problem);
    std::mt19937 random(8);
    for (int k = 0; k < 400; ++k) {
        const uint32_t i = random() % n;
        if (factor.contains(i))
            factor.remove(i);
        else
            REQUIRE(factor.append(i));
        const auto members = factor.members();
        std::vector<double> y(members.size());
        for (size_t m = 0; m < y.size(); ++m) y[m] = problem.b[members[m]];
        factor.solve(y);
        for (size_t r = 0; r < y.size(); ++r) {
            double sum = -problem.b[members[r]];
            for (size_t c = 0; c < y.size(); ++c) sum += problem.at(members[r], members[c]) * y[c];
            REQUIRE(std::abs(sum) < 1e-11);
        }
    }
}

TEST_CASE("redundant unknowns are called singular, and a shifted diagonal cures them") {
    BoxedLcp problem = random_boxed(12, 5, 0.0, 4);
    for (double& u : problem.upper) u = kInfinity;
    for (double& l : problem.lower) l = -kInfinity;
    for (const Method& method : kMethods) {
        CAPTURE(method.name);
        PivotState state = start(problem, Label::free);
        CHECK(method.solve(problem, state, {}).stop == PivotStop::singular);
        BoxedLcp shifted = problem;
        for (uint32_t i = 0; i < 12; ++i) shifted.a[i * 13] *= 1.001;
        state = start(shifted, Label::free);
        CHECK(method.solve(shifted, state, {}).stop == PivotStop::solved);
    }
}

TEST_CASE("a limit of pivots and a caller's clock end a solve") {
    const BoxedLcp problem = random_boxed(20, 20, 0.2, 9);
    PivotLimits few, now;
    few.pivots = 1;
    SolveSettings no_time;
    no_time.time_limit = 1e-12;
    const TimeLimit passed(no_time);
    now.time = &passed;
    for (const Method& method : kMethods) {
        CAPTURE(method.name);
        PivotState state = start(problem, Label::lower);
        CHECK(method.solve(problem, state, few).stop == PivotStop::limit);
        state = start(problem, Label::lower);
        CHECK(method.solve(problem, state, now).stop == PivotStop::aborted);
    }
}
