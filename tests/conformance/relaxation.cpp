// SPDX-License-Identifier: MIT
// What the convex relaxation does to a sliding block: it lifts off, and floats at the height that the law of
// the relaxation says. Coulomb's law keeps it on the ground.
#include "tests/conformance/canonical.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

std::vector<Solver> solvers_of(Model model) {
    std::vector<Solver> rows;
    for (const Solver& solver : solver_table())
        if (solver.model == model && solver.set == FrictionSet::disk) rows.push_back(solver);
    return rows;
}

SolveSettings accurate() {
    SolveSettings settings;
    settings.iterations = 20000;
    settings.tolerance = 1e-12;
    return settings;
}

/// Mean height of a block of 0.1 m half height above where it rests, while it slides with `speed`.
double floating_height(const char* solver, float mu, float speed, uint32_t substeps) {
    proxima::test::TestWorld t;
    StepSettings s = t.settings();
    s.solver = solver;
    s.substeps = substeps;
    s.iterations = 200;
    s.tolerance = 1e-6;
    s.sleeping = false;
    t.set(s);
    t.floor(mu);
    const Entity block =
        t.body(t.box({0.5f, 0.1f, 0.5f}),
               {.position = {-20.0f, 0.1f, 0.0f}, .velocity = {{speed, 0.0f, 0.0f}, {}}, .friction = mu});
    t.run(0.1f);
    double sum = 0.0;
    for (int k = 0; k < 6; ++k) {
        t.step();
        t.velocity(block).linear.x = speed;
        sum += double(t.pose(block).position.y) - 0.1;
    }
    return sum / 6.0;
}

}  // namespace

TEST_CASE(
    "a sliding particle lifts off with mu times its speed in the convex relaxation, and not by Coulomb's "
    "law") {
    for (const double mu : {0.1, 0.5, 1.0}) {
        // Unit mass, falling with 1 and sliding with 5 m/s.
        const Dense d = one_contact({1, 0, 1}, {3.0, 4.0}, mu);
        CAPTURE(mu);
        for (const Solver& solver : solvers_of(Model::ncp)) {
            CAPTURE(solver.name);
            const auto v = d.velocities(solve(solver, d.problem(), accurate()));
            CHECK(std::abs(v[0]) < 1e-10);
            CHECK(std::hypot(v[1], v[2]) == doctest::Approx(5.0 - mu));
        }
        REQUIRE(!solvers_of(Model::ccp).empty());
        for (const Solver& solver : solvers_of(Model::ccp)) {
            CAPTURE(solver.name);
            const auto l = solve(solver, d.problem(), accurate());
            const auto v = d.velocities(l);
            // v_n = mu |v_t| and |l_t| = mu l_n: l_n = (1 + 5 mu) / (1 + mu^2)
            CHECK(l[0] == doctest::Approx((1.0 + 5.0 * mu) / (1.0 + mu * mu)).epsilon(1e-9));
            CHECK(v[0] == doctest::Approx(mu * std::hypot(v[1], v[2])).epsilon(1e-9));
            CHECK(v[0] > 0.05);
        }
    }
}

TEST_CASE("a sticking particle is the same in both models") {
    const Dense d = one_contact({1, 0, 1}, {0.2, 0.1}, 0.5);
    for (const Model model : {Model::ncp, Model::ccp})
        for (const Solver& solver : solvers_of(model)) {
            CAPTURE(solver.name);
            const auto v = d.velocities(solve(solver, d.problem(), accurate()));
            for (const double x : v) CHECK(std::abs(x) < 1e-10);
        }
}

TEST_CASE("a block that slides through a relaxed world floats at sub-step times mu times speed") {
    // Resting height: 0 <= s/h + v_n - mu |v_t| with v_n = 0 gives s = h mu |v_t|.
    for (const uint32_t substeps : {8u, 2u}) {
        CAPTURE(substeps);
        const double h = 1.0 / 60.0 / substeps, expected = h * 0.5 * 2.0;
        CHECK(floating_height("apgd", 0.5f, 2.0f, substeps) == doctest::Approx(expected).epsilon(0.1));
        CHECK(std::abs(floating_height("prox_gs", 0.5f, 2.0f, substeps)) < 2e-4);
    }
}
