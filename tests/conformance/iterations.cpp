// SPDX-License-Identifier: MIT
// What conjugate directions and Newton save against plain sweeps, on stacks of boxes with redundant contacts.
#include "tests/conformance/box_stack.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

SolveReport run(const char* name, const DelassusProblem& problem, uint32_t iterations) {
    SolveSettings settings;
    settings.iterations = iterations;
    settings.tolerance = 1e-6;
    SolveReport report;
    solve(solver_named(name), problem, settings, &report);
    return report;
}

/// For 1e-6 each method needs a fifth of the sweeps of projected Gauss-Seidel, or less: that one is not there
/// yet after five times their iterations.
void check_five_times_fewer(const DelassusProblem& problem) {
    for (const char* name : {"nncg", "newton_min", "newton_fb", "newton_cone"}) {
        const SolveReport fast = run(name, problem, 5000);
        CAPTURE(std::string(name));
        CAPTURE(fast.iterations);
        CHECK(fast.stop == StopReason::tolerance);
        CHECK(fast.iterations > 1);
        CHECK(run("pgs", problem, 5 * fast.iterations).stop == StopReason::iterations);
    }
}

}  // namespace

TEST_CASE("a resting stack of ten boxes costs conjugate gradients and Newton a fifth of the iterations") {
    check_five_times_fewer(box_stack(std::vector<double>(10, 1.0), 0.5));
}

TEST_CASE("a stack whose top is pushed costs them a fifth of the iterations") {
    check_five_times_fewer(box_stack(std::vector<double>(10, 1.0), 0.5, 0.3));
}

TEST_CASE("a thousand on one costs them a fifth of the iterations, resting and pushed") {
    check_five_times_fewer(box_stack({1.0, 1000.0}, 0.5));
    check_five_times_fewer(box_stack({1.0, 1000.0}, 0.5, 0.3));
}

TEST_CASE("Newton does not feel the masses of a stack, sweeps and conjugate gradients do") {
    std::vector<double> heavy_top(10, 1.0);
    heavy_top.back() = 1000.0;
    const DelassusProblem problem = box_stack(heavy_top, 0.5);
    CHECK(run("newton_min", problem, 30).stop == StopReason::tolerance);
    CHECK(run("newton_fb", problem, 60).stop == StopReason::tolerance);
    CHECK(run("pgs", problem, 3000).stop == StopReason::iterations);
    CHECK(run("nncg", problem, 3000).stop == StopReason::iterations);
}
