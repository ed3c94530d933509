// SPDX-License-Identifier: MIT
// An island as a matrix is the same problem as the island: same velocities, same answers.
#include "physics/contact/island_matrix.h"

#include "physics/contact/residual.h"
#include "physics/solvers/newton/newton.h"
#include "physics/solvers/solver_rows.h"
#include "tests/conformance/canonical.h"
#include "tests/support/random.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;
using proxima::test::Random;

namespace {

/// Bodies with unequal masses in a heap of made-up contacts; the first body cannot move.
struct Heap {
    std::vector<BodyVelocity> velocity;
    std::vector<BodyInverseMass> inverse_mass;
    std::vector<uint32_t> moving;
    ContactProblem problem;
    BodySystem::Scratch scratch;

    Heap(uint32_t bodies, uint32_t contacts, uint32_t seed) : velocity(bodies), inverse_mass(bodies) {
        Random random{seed};
        const auto vector = [&] {
            return Vec3(random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f));
        };
        for (uint32_t i = 1; i < bodies; ++i) {
            moving.push_back(i);
            velocity[i].linear = vector();
            velocity[i].angular = vector();
            inverse_mass[i].mass = random.between(0.5f, 2.0f);
            inverse_mass[i].inertia = {
                random.between(1.0f, 3.0f), random.between(1.0f, 3.0f), random.between(1.0f, 3.0f), 0.2f, 0.1f, -0.3f};
        }
        problem.velocity = velocity;
        problem.inverse_mass = inverse_mass;
        for (uint32_t k = 0; k < contacts; ++k) {
            Contact c;
            c.a = random.below(bodies);
            do c.b = random.below(bodies);
            while (c.b == c.a);
            c.normal = glm::normalize(vector() + Vec3(0.0f, 1.5f, 0.0f));
            c.tangent1 = glm::normalize(glm::cross(c.normal, Vec3(1.0f, 0.2f, 0.0f)));
            c.tangent2 = glm::cross(c.normal, c.tangent1);
            c.arm_a = vector();
            c.arm_b = vector();
            c.friction = random.between(0.2f, 0.8f);
            c.bias = random.between(-0.1f, 0.1f);
            c.compliance = k % 3 == 0 ? 0.05f : 0.0f;
            problem.compute_blocks(c);
            problem.contacts.push_back(c);
            problem.groups.push_back({k, k + 1});
        }
    }
    BodySystem system() { return {problem, 0, uint32_t(problem.groups.size()), moving, scratch}; }
};

}  // namespace

TEST_CASE("velocities of the matrix are those of the bodies, whatever the impulses") {
    for (uint32_t seed = 1; seed <= 8; ++seed) {
        Heap heap(6, 14, seed);
        BodySystem system = heap.system();
        Random random{seed + 100};
        const DelassusProblem problem = make_island_matrix(system);
        REQUIRE(problem.size() == system.size());
        std::vector<double> impulses;
        for (uint32_t i = 0; i < system.size(); ++i) {
            const float n = random.between(0.0f, 2.0f), x = random.between(-1.0f, 1.0f),
                        y = random.between(-1.0f, 1.0f);
            system.add_normal(i, n);
            system.add_tangent(i, {x, y});
            impulses.insert(impulses.end(), {double(n), double(x), double(y)});
        }
        DelassusSystem matrix(problem);
        matrix.set_impulses(impulses);
        for (uint32_t i = 0; i < system.size(); ++i) {
            CHECK(matrix.normal_velocity(i) == doctest::Approx(system.normal_velocity(i)).epsilon(1e-4));
            CHECK(matrix.tangent_velocity(i).x == doctest::Approx(system.tangent_velocity(i).x).epsilon(1e-4));
            CHECK(matrix.tangent_velocity(i).y == doctest::Approx(system.tangent_velocity(i).y).epsilon(1e-4));
            CHECK(matrix.normal_block(i) == doctest::Approx(system.normal_block(i)).epsilon(1e-5));
            CHECK(matrix.tangent_block(i).t12 == doctest::Approx(system.tangent_block(i).t12).epsilon(1e-4));
        }
        // Made from the loaded system it is the same problem.
        const DelassusProblem loaded = make_island_matrix(system);
        for (size_t k = 0; k < problem.q.size(); ++k) CHECK(loaded.q[k] == doctest::Approx(problem.q[k]).epsilon(1e-4));
    }
}

TEST_CASE("a matrix solver leaves the bodies with the velocities of its answer") {
    for (uint32_t seed = 1; seed <= 5; ++seed) {
        Heap by_bodies(5, 6, seed), by_matrix(5, 6, seed);
        BodySystem a = by_bodies.system(), b = by_matrix.system();
        SolveSettings settings;
        settings.iterations = 5000;
        settings.tolerance = 1e-5;
        prox_gs_bodies(a, settings);
        const SolveReport report = bodies_by_matrix<prox_gs_matrix>(b, settings);
        CHECK(report.stop == StopReason::tolerance);
        CHECK(measure_residual(b).max < 2e-5);
        for (uint32_t i = 0; i < a.size(); ++i) {
            CHECK(b.normal_velocity(i) == doctest::Approx(a.normal_velocity(i)).epsilon(1e-3));
        }
    }
}

TEST_CASE("the sides of the bodies make up the matrix") {
    Heap heap(6, 14, 5);
    const BodySystem system = heap.system();
    const DelassusProblem problem = make_island_matrix(system);
    CHECK(problem.body_count == 5);
    for (uint32_t i = 0; i < problem.size(); ++i)
        for (uint32_t k = problem.row_begin[i]; k < problem.row_begin[i + 1]; ++k) {
            Block3 sum;
            for (const ContactSide& a : problem.sides)
                for (const ContactSide& b : problem.sides)
                    if (a.contact == i && b.contact == problem.column[k] && a.body == b.body)
                        for (int r = 0; r < 3; ++r)
                            for (int c = 0; c < 3; ++c)
                                for (int x = 0; x < 6; ++x) sum.m[r][c] += a.direction[r][x] * b.response[c][x];
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    CHECK(sum.m[r][c] == doctest::Approx(problem.block[k].m[r][c]).epsilon(1e-12));
        }
}

TEST_CASE("a Newton step for the bodies is the step for their contacts") {
    for (uint32_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Heap heap(5, 20, seed);  // fewer bodies than contacts: redundant ones among them
        const BodySystem system = heap.system();
        DelassusProblem problem = make_island_matrix(system);
        REQUIRE(2 * problem.body_count < problem.size());
        DelassusProblem alone = problem;
        alone.sides.clear();
        for (const auto solve : {newton_min_matrix, newton_fb_matrix}) {
            DelassusSystem by_bodies(problem), by_contacts(alone);
            SolveSettings settings;
            settings.iterations = 1;
            settings.rollback = false;
            std::vector<double> start(3 * size_t(problem.size()), 0.0);
            for (uint32_t i = 0; i < problem.size(); ++i) start[3 * i] = 0.2 + 0.01 * i;
            by_bodies.set_impulses(start);
            by_contacts.set_impulses(start);
            solve(by_bodies, settings);
            solve(by_contacts, settings);
            for (uint32_t i = 0; i < problem.size(); ++i) {
                const double scale = 1e-4;  // impulses are about 1
                CHECK(std::abs(by_bodies.impulse(i).n - by_contacts.impulse(i).n) < scale);
                CHECK(std::abs(by_bodies.impulse(i).t1 - by_contacts.impulse(i).t1) < scale);
                CHECK(std::abs(by_bodies.impulse(i).t2 - by_contacts.impulse(i).t2) < scale);
            }
        }
    }
}
