// SPDX-License-Identifier: MIT
// Jacobi on several threads against the solver of the table, and against itself on other numbers of threads.
#include "physics/solvers/prox_jacobi_threads.h"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "physics/contact/residual.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

/// A wall of bricks in half bond: every brick stands on two, with two points on each.
struct Wall {
    std::vector<BodyVelocity> velocity;
    std::vector<BodyInverseMass> mass;
    ContactProblem problem;
    BodySystem::Scratch scratch;
    std::vector<uint32_t> bodies;

    Wall(uint32_t wide, uint32_t high) {
        BodyInverseMass brick;
        brick.mass = 1.0f;
        brick.inertia = {4.0f, 4.0f, 4.0f, 0.0f, 0.0f, 0.0f};
        mass.assign(1 + wide * high, brick);
        mass[0] = {};  // the ground
        velocity.assign(mass.size(), {});
        for (uint32_t b = 1; b < mass.size(); ++b) velocity[b].linear = Vec3(0.02f * float(b % 3), -0.16f, 0.0f);
        for (uint32_t row = 0; row < high; ++row)
            for (uint32_t k = 0; k < wide; ++k) {
                const uint32_t upper = 1 + row * wide + k;
                for (int side = 0; side < 2; ++side) {
                    const uint32_t below = 1 + (row - 1) * wide + std::min(k + uint32_t(side), wide - 1);
                    add(row == 0 ? 0 : below, upper, side == 0 ? -0.25f : 0.25f);
                }
            }
        connect();
        for (Contact& c : problem.contacts) problem.compute_blocks(c);
    }
    Wall(const Wall& other) : velocity(other.velocity), mass(other.mass), problem(other.problem) { connect(); }
    Wall& operator=(const Wall&) = delete;

    void add(uint32_t a, uint32_t b, float middle) {
        const uint32_t begin = uint32_t(problem.contacts.size());
        for (const float x : {middle - 0.2f, middle + 0.2f}) {
            Contact c;
            c.a = a;
            c.b = b;
            c.normal = Vec3(0.0f, 1.0f, 0.0f);
            c.tangent1 = Vec3(1.0f, 0.0f, 0.0f);
            c.tangent2 = Vec3(0.0f, 0.0f, 1.0f);
            c.arm_a = Vec3(-x, 0.2f, 0.0f);
            c.arm_b = Vec3(x, -0.2f, 0.0f);
            c.friction = 0.5f;
            problem.contacts.push_back(c);
        }
        problem.groups.push_back({begin, begin + 2});
    }
    void connect() {
        problem.velocity = velocity;
        problem.inverse_mass = mass;
        bodies.resize(velocity.size());
        std::iota(bodies.begin(), bodies.end(), 0u);
    }
    BodySystem system() { return {problem, 0, uint32_t(problem.groups.size()), bodies, scratch}; }
};

double difference(const Wall& a, const Wall& b) {
    double most = 0.0, max_difference = 0.0;
    for (size_t i = 0; i < a.problem.contacts.size(); ++i) {
        most = std::max(most, double(glm::length(a.problem.contacts[i].lambda)));
        max_difference =
            std::max(max_difference, double(glm::length(a.problem.contacts[i].lambda - b.problem.contacts[i].lambda)));
    }
    return max_difference / most;
}

bool same_bits(const Wall& a, const Wall& b) {
    for (size_t i = 0; i < a.problem.contacts.size(); ++i)
        if (std::memcmp(&a.problem.contacts[i].lambda, &b.problem.contacts[i].lambda, sizeof(Vec3)) != 0) return false;
    return std::memcmp(a.velocity.data(), b.velocity.data(), a.velocity.size() * sizeof(a.velocity[0])) == 0;
}

}  // namespace

TEST_CASE("Jacobi on threads gives the impulses of prox_jacobi, and the same bits on any number of threads") {
    const Wall start(40, 20);  // several blocks of manifolds and of bodies
    for (const bool momentum : {false, true})
        for (const bool rollback : {false, true}) {
            CAPTURE(momentum);
            CAPTURE(rollback);
            SolveSettings settings;
            settings.iterations = 50;
            settings.momentum = momentum;
            settings.rollback = rollback;
            Wall table(start), one(start);
            BodySystem system = table.system();
            const SolveReport a = find_solver("prox_jacobi")->solve_bodies(system, settings);
            ProxJacobiThreads solver;
            REQUIRE(ProxJacobiThreads::can_solve(one.problem, settings));
            const SolveReport b = solver.solve(one.problem, settings, *engine::make_serial_jobs());
            CHECK(difference(table, one) < 1e-4);
            CHECK(b.iterations == a.iterations);
            CHECK(b.rejected == a.rejected);
            if (rollback) {
                CHECK(b.residual == doctest::Approx(a.residual).epsilon(1e-3));
                CHECK(b.residual == doctest::Approx(measure_residual(one.system()).max).epsilon(1e-4));
            }
            for (const uint32_t threads : {2u, 3u}) {
                Wall other(start);
                solver.solve(other.problem, settings, *engine::make_threaded_jobs(threads));
                CHECK(same_bits(one, other));
            }
        }
}

TEST_CASE("Jacobi on threads stops at its tolerance, and at once when numbers are broken") {
    Wall wall(4, 3);
    SolveSettings settings;
    settings.iterations = 5000;
    settings.tolerance = 1e-5;
    ProxJacobiThreads solver;
    const auto jobs = engine::make_serial_jobs();
    const SolveReport report = solver.solve(wall.problem, settings, *jobs);
    CHECK(report.stop == StopReason::tolerance);
    CHECK(report.iterations > 0);
    CHECK(measure_residual(wall.system()).max <= 1.01e-5);
    wall.velocity[3].linear.x = std::numeric_limits<float>::quiet_NaN();
    CHECK(solver.solve(wall.problem, settings, *jobs).stop == StopReason::stalled);
}

TEST_CASE("Jacobi on threads says what it does not know") {
    Wall wall(2, 2);
    SolveSettings settings;
    CHECK(ProxJacobiThreads::can_solve(wall.problem, settings));
    settings.r_strategy = RStrategy::global;
    CHECK(!ProxJacobiThreads::can_solve(wall.problem, settings));
    settings.r_strategy = RStrategy::local;
    settings.jacobi_blocks = JacobiBlocks::points;
    CHECK(!ProxJacobiThreads::can_solve(wall.problem, settings));
    settings.jacobi_blocks = JacobiBlocks::manifolds;
    wall.problem.contacts[1].b = 2;  // a group between three bodies
    CHECK(!ProxJacobiThreads::can_solve(wall.problem, settings));
}
