// SPDX-License-Identifier: MIT
// What the convex relaxation does to a sliding block: it takes off with mu times its speed and flies.
// Coulomb's law keeps it on the ground.
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

/// A block that cannot be turned slides through a world; how high it gets, and how fast it is after two steps.
struct Slide {
    double height = 0.0, speed = 0.0;
};
Slide slide(const char* solver, float mu, float speed) {
    proxima::test::TestWorld t;
    StepSettings s = t.settings();
    s.solver = solver;
    s.iterations = 200;
    s.tolerance = 1e-6;
    s.sleeping = false;
    t.set(s);
    t.floor(mu);
    const Entity block =
        t.body(t.box({0.5f, 0.1f, 0.5f}),
               {.position = {-20.0f, 0.1f, 0.0f}, .velocity = {{speed, 0.0f, 0.0f}, {}}, .friction = mu});
    t.world.registry().patch<Mass>(block, [](Mass& m) {
        m.source = MassSource::given;
        m.mass = 10.0f;
        m.inertia = {1e5f, 1e5f, 1e5f, 0.0f, 0.0f, 0.0f};
    });
    Slide result;
    for (int k = 0; k < 30; ++k) {
        t.step();
        result.height = std::max(result.height, double(t.pose(block).position.y) - 0.1);
        if (k == 1) result.speed = double(t.velocity(block).linear.x);
    }
    return result;
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

TEST_CASE("a block that slides through a relaxed world takes off and flies") {
    // At once v_n = mu |v_t| with |l_t| = mu l_n: |v_t| = v / (1 + mu^2), v_n = mu v / (1 + mu^2), then free flight.
    for (const float mu : {0.25f, 0.5f, 1.0f}) {
        CAPTURE(mu);
        const double v = 2.0, m = double(mu), rise = m * v / (1.0 + m * m);
        const Slide relaxed = slide("apgd", mu, 2.0f), exact = slide("prox_gs", mu, 2.0f);
        CHECK(std::abs(relaxed.height / (rise * rise / (2.0 * 9.81)) - 1.0) < 0.05);
        CHECK(std::abs(relaxed.speed - v / (1.0 + m * m)) < 0.01);
        CHECK(exact.height < 1e-4);
        CHECK(std::abs(exact.speed - (v - m * 9.81 / 30.0)) < 0.01);
    }
}
