// SPDX-License-Identifier: MIT
// The same laws on moving bodies: the matrix-free system in single precision, against answers and against the matrix.
#include "physics/contact/residual.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

SolveSettings accurate(RStrategy strategy, double tolerance = 2e-6) {
    SolveSettings settings;
    settings.iterations = 5000;
    settings.tolerance = tolerance;
    settings.r_strategy = strategy;
    return settings;
}

/// Two boxes of different mass, one on the other, sliding and turning, four contact points each; one group per pair.
Bodies two_boxes(float mu) {
    Bodies w;
    const uint32_t lower = w.add(2.0f, Vec3(1.5f, -1.0f, 0.5f), 0.4f),
                   upper = w.add(1.0f, Vec3(-0.5f, -1.2f, 0.3f), 0.2f);
    w.velocity[lower].angular = Vec3(0.3f, -0.2f, 0.1f);
    w.velocity[upper].angular = Vec3(-0.1f, 0.4f, 0.2f);
    for (int k = 0; k < 4; ++k) {
        const Vec3 corner(k & 1 ? 0.5f : -0.5f, 0.0f, k & 2 ? 0.5f : -0.5f), half(0.0f, 0.5f, 0.0f);
        w.touch(0, lower, mu, Vec3(0.0f), corner - half);
    }
    for (int k = 0; k < 4; ++k) {
        const Vec3 corner(k & 1 ? 0.4f : -0.4f, 0.0f, k & 2 ? 0.4f : -0.4f), half(0.0f, 0.5f, 0.0f);
        w.touch(lower, upper, mu, corner + half, corner - half);
    }
    w.problem.groups = {{0, 4}, {4, 8}};
    return w;
}

/// W and q of a body system, by trying unit impulses.
Dense assemble(Bodies& w) {
    BodySystem system = w.system();
    const uint32_t n = system.size();
    Dense d(n);
    const auto read = [&](size_t r) {
        const uint32_t i = uint32_t(r / 3);
        return double(r % 3 == 0   ? system.normal_velocity(i)
                      : r % 3 == 1 ? system.tangent_velocity(i).x
                                   : system.tangent_velocity(i).y);
    };
    for (size_t r = 0; r < d.rows(); ++r) d.q[r] = read(r);
    for (size_t c = 0; c < d.rows(); ++c) {
        system.save();
        if (c % 3 == 0)
            system.add_normal(uint32_t(c / 3), 1.0f);
        else
            system.add_tangent(uint32_t(c / 3), {c % 3 == 1 ? 1.0f : 0.0f, c % 3 == 2 ? 1.0f : 0.0f});
        for (size_t r = 0; r < d.rows(); ++r) d.at(r, c) = read(r) - d.q[r];
        system.restore();
    }
    for (uint32_t i = 0; i < n; ++i) d.mu[i] = system.friction(i);
    return d;
}

}  // namespace

TEST_CASE("every solver slides and stops a particle on the ground as Coulomb says") {
    for (const Solver& solver : exact_solvers())
        for (RStrategy strategy : kStrategies) {
            CAPTURE(solver.name);
            CAPTURE(name_of(strategy));
            Bodies sliding;
            const uint32_t p = sliding.add(1.0f, Vec3(3, -1, 4));
            sliding.touch(0, p, 0.5f);
            BodySystem system = sliding.system();
            const SolveReport report = solver.solve_bodies(system, accurate(strategy));
            CHECK(report.stop == StopReason::tolerance);
            const bool disk = solver.set == FrictionSet::disk;
            CHECK(system.impulse(0).n == doctest::Approx(1.0));
            CHECK(system.impulse(0).t1 == doctest::Approx(disk ? -0.3 : -0.5));
            CHECK(system.impulse(0).t2 == doctest::Approx(disk ? -0.4 : -0.5));
            CHECK(sliding.velocity[p].linear.x == doctest::Approx(disk ? 2.7 : 2.5));
            CHECK(std::abs(sliding.velocity[p].linear.y) < 1e-6f);

            Bodies sticking;
            const uint32_t s = sticking.add(1.0f, Vec3(0.3f, -1, 0.1f));
            sticking.touch(0, s, 0.5f);
            BodySystem still = sticking.system();
            solver.solve_bodies(still, accurate(strategy));
            CHECK(glm::length(sticking.velocity[s].linear) < 4e-6f);
        }
}

TEST_CASE("bodies and their matrix give the same impulses") {
    for (const float mu : {0.0f, 0.3f, 0.8f}) {
        Bodies proto = two_boxes(mu);
        const Dense dense = assemble(proto);
        DelassusProblem problem = dense.problem();
        problem.groups = {{0, 4}, {4, 8}};
        for (const Solver& solver : exact_solvers()) {
            CAPTURE(mu);
            CAPTURE(solver.name);
            Bodies bodies = two_boxes(mu);
            BodySystem system = bodies.system();
            DelassusSystem matrix(problem);
            // Sweeps do the same step by step, but for Jacobi's, whose safe steps differ: masses are split in
            // one, norms added in the other, and of shock, which holds bodies. Direct methods choose among
            // the impulses of redundant contacts.
            const bool sweeping = solver.family == Family::prox || solver.family == Family::splitting;
            if (sweeping && !solver.name.ends_with("jacobi") && solver.name != "shock") {
                SolveSettings sweeps;
                sweeps.iterations = 12;
                sweeps.rollback = false;
                solver.solve_bodies(system, sweeps);
                solver.solve_matrix(matrix, sweeps);
                for (uint32_t i = 0; i < system.size(); ++i) {
                    CHECK(std::abs(system.impulse(i).n - matrix.impulse(i).n) < 2e-5);
                    CHECK(std::abs(system.impulse(i).t1 - matrix.impulse(i).t1) < 2e-5);
                    CHECK(std::abs(system.impulse(i).t2 - matrix.impulse(i).t2) < 2e-5);
                }
            }
            // Four points under a box carry more impulses than there are laws, so converged velocities are
            // compared. With friction how they share the load changes how the box turns: there are many
            // answers, and Newton's jumps end at different ones for a matrix and its rounded copy, as do
            // staggered projections with strong friction, and shock, which begins differently.
            // Of Jacobi's blocks a matrix knows points only: manifolds end at another of them.
            SolveSettings coarse = accurate(RStrategy::local, 1e-5), fine = accurate(RStrategy::local, 1e-9);
            coarse.jacobi_blocks = fine.jacobi_blocks = JacobiBlocks::points;
            const SolveReport report = solver.solve_bodies(system, coarse);
            solver.solve_matrix(matrix, fine);
            CHECK(report.stop == StopReason::tolerance);
            if ((solver.family == Family::newton || solver.name == "shock") && mu > 0.0f) continue;
            if (solver.name == "staggered" && mu > 0.5f) continue;
            for (uint32_t i = 0; i < system.size(); ++i) {
                CHECK(std::abs(system.normal_velocity(i) - matrix.normal_velocity(i)) < 3e-3);
                CHECK(std::abs(system.tangent_velocity(i).x - matrix.tangent_velocity(i).x) < 3e-3);
            }
        }
    }
}

TEST_CASE("all ways to choose steps bring two sliding boxes to the law") {
    for (const Solver& solver : exact_solvers())
        for (RStrategy strategy : kStrategies) {
            CAPTURE(solver.name);
            CAPTURE(name_of(strategy));
            Bodies bodies = two_boxes(0.4f);
            BodySystem system = bodies.system();
            const SolveReport report = solver.solve_bodies(system, accurate(strategy, 1e-5));
            CHECK(report.stop == StopReason::tolerance);
            CHECK(measure_residual(system, solver.set).max <= 1e-5);
        }
}

TEST_CASE("Jacobi over points and over manifolds, with and without momentum, obeys the law") {
    for (const float mu : {0.0f, 0.3f, 0.8f}) {
        uint32_t passes[2][2];
        for (const bool manifolds : {false, true})
            for (const bool momentum : {false, true}) {
                CAPTURE(mu);
                CAPTURE(manifolds);
                CAPTURE(momentum);
                Bodies bodies = two_boxes(mu);
                BodySystem system = bodies.system();
                SolveSettings settings = accurate(RStrategy::local, 1e-5);
                settings.jacobi_blocks = manifolds ? JacobiBlocks::manifolds : JacobiBlocks::points;
                settings.momentum = momentum;
                const SolveReport report = find_solver("prox_jacobi")->solve_bodies(system, settings);
                CHECK(report.stop == StopReason::tolerance);
                CHECK(measure_residual(system).max <= 1e-5);
                passes[manifolds][momentum] = report.iterations;
            }
        CHECK(passes[1][0] < passes[0][0]);
        CHECK(passes[0][1] < passes[0][0]);
        CHECK(passes[1][1] < passes[0][0]);
    }
}

TEST_CASE("after any solve, velocities are the free velocities plus what the impulses do") {
    for (const Solver& solver : exact_solvers())
        for (const bool rollback : {false, true}) {
            CAPTURE(solver.name);
            Bodies bodies = two_boxes(0.4f);
            const std::vector<BodyVelocity> free = bodies.velocity;
            BodySystem system = bodies.system();
            SolveSettings settings = accurate(RStrategy::global, 1e-9);  // below what floats reach: ends by roll-backs
            settings.iterations = 400;
            settings.rollback = rollback;
            solver.solve_bodies(system, settings);
            const std::vector<BodyVelocity> after = bodies.velocity;
            bodies.velocity = free;
            bodies.problem.velocity = bodies.velocity;
            bodies.problem.apply_warm_start(0, 8);
            for (uint32_t b : bodies.movable) {
                CHECK(glm::length(bodies.velocity[b].linear - after[b].linear) < 2e-5f);
                CHECK(glm::length(bodies.velocity[b].angular - after[b].angular) < 2e-5f);
            }
        }
}

TEST_CASE("a step that starts with the impulses of its answer needs no sweep") {
    for (const Solver& solver : exact_solvers()) {
        CAPTURE(solver.name);
        Bodies bodies = two_boxes(0.4f);
        const std::vector<BodyVelocity> free = bodies.velocity;
        BodySystem system = bodies.system();
        REQUIRE(solver.solve_bodies(system, accurate(RStrategy::local, 1e-5)).stop == StopReason::tolerance);
        bodies.velocity = free;
        BodySystem again = bodies.system();
        bodies.problem.apply_warm_start(0, 8);
        const SolveReport report = solver.solve_bodies(again, accurate(RStrategy::local, 3e-5));
        CHECK(report.iterations == 0);
    }
}

TEST_CASE("a tower carries its weight: impulses add up to mass times g h") {
    for (const Solver& solver : exact_solvers()) {
        CAPTURE(solver.name);
        Bodies tower;
        uint32_t below = 0;
        for (int k = 0; k < 6; ++k) {
            const uint32_t body = tower.add(1.0f, Vec3(0, -0.1f, 0));
            tower.touch(below, body, 0.5f);
            below = body;
        }
        BodySystem system = tower.system();
        solver.solve_bodies(system, accurate(RStrategy::local));
        for (uint32_t i = 0; i < 6; ++i) CHECK(system.impulse(i).n == doctest::Approx(0.1 * (6 - i)).epsilon(1e-3));
    }
}

TEST_CASE("Jacobi's safe steps split a body's mass among its contacts") {
    Bodies table;
    const uint32_t top = table.add(2.0f, Vec3(0, -1, 0));
    for (int k = 0; k < 4; ++k) table.touch(0, top, 0.0f);
    BodySystem system = table.system();
    std::vector<float> bounds(4);
    system.splitting_bounds(bounds);
    for (float b : bounds)
        CHECK(b == doctest::Approx(4.0 * 0.5));  // four contacts on 1/m = 0.5; the ground adds nothing
    SolveSettings one;
    one.iterations = 1;
    one.rollback = false;
    solver_named("prox_jacobi").solve_bodies(system, one);
    for (uint32_t i = 0; i < 4; ++i) CHECK(system.impulse(i).n == doctest::Approx(0.5));
}

TEST_CASE("contacts between bodies that cannot move are skipped") {
    for (const Solver& solver : exact_solvers())
        for (RStrategy strategy : kStrategies) {
            CAPTURE(solver.name);
            Bodies bodies;
            const uint32_t wall = bodies.add(0.0f, Vec3(0, -3, 0)), ball = bodies.add(1.0f, Vec3(1, -1, 0));
            bodies.touch(0, wall, 0.5f);
            bodies.touch(0, ball, 0.5f);
            BodySystem system = bodies.system();
            const SolveReport report = solver.solve_bodies(system, accurate(strategy));
            CHECK(report.stop == StopReason::tolerance);
            CHECK(system.impulse(0).n == 0.0f);
            CHECK(system.impulse(1).n == doctest::Approx(1.0));
            CHECK(bodies.velocity[wall].linear.y == -3.0f);
        }
}

TEST_CASE("bias and compliance make a contact push out softly") {
    // v_n + bias + c l = 0, v_n = l: l = -bias/(1 + c)
    for (const Solver& solver : exact_solvers()) {
        CAPTURE(solver.name);
        Bodies bodies;
        const uint32_t ball = bodies.add(1.0f, Vec3(0, 0, 0));
        Contact& contact = bodies.touch(0, ball, 0.5f);
        contact.bias = -0.5f;
        contact.compliance = 0.25f;
        BodySystem system = bodies.system();
        solver.solve_bodies(system, accurate(RStrategy::local));
        CHECK(bodies.velocity[ball].linear.y == doctest::Approx(0.4));
    }
}

TEST_CASE("a part of a problem is solved alone, with bodies and impulses of the rest untouched") {
    Bodies bodies;
    const uint32_t left = bodies.add(1.0f, Vec3(1, -1, 0)), right = bodies.add(1.0f, Vec3(1, -1, 0));
    bodies.touch(0, left, 0.5f);
    bodies.touch(0, right, 0.5f);
    bodies.system();
    const std::vector<uint32_t> movable{right};
    BodySystem half(bodies.problem, 1, 2, movable, bodies.scratch);
    REQUIRE(half.size() == 1);
    for (const Solver& solver : exact_solvers()) {
        solver.solve_bodies(half, accurate(RStrategy::local));
        CHECK(bodies.velocity[left].linear == Vec3(1, -1, 0));
        CHECK(bodies.problem.contacts[0].lambda == Vec3(0, 0, 0));
        CHECK(bodies.problem.contacts[1].lambda.x == doctest::Approx(1.0));
    }
}
