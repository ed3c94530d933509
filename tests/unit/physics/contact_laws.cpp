// SPDX-License-Identifier: MIT
// The small laws of contact: softness, combined materials, the blocks of W, impulses and momentum.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "physics/contact/material.h"
#include "physics/contact/problem.h"
#include "physics/contact/softness.h"

using namespace proxima;
using namespace proxima::physics;

TEST_CASE("stiffness and damping become ERP and CFM and come back") {
    for (const float h : {0.001f, 1.0f / 60.0f}) {
        for (const float k : {100.0f, 1e6f}) {
            for (const float b : {10.0f, 1e5f}) {
                const ErpCfm soft = to_erp_cfm(k, b, h);
                const SpringDamper back = to_spring_damper(soft, h);
                CHECK(back.stiffness == doctest::Approx(k).epsilon(1e-3));
                CHECK(back.damping == doctest::Approx(b).epsilon(1e-3));
            }
        }
    }
    // The tutorial's numbers: k = 1e6, b = 1e5, h = 1/60.
    const ErpCfm tutorial = to_erp_cfm(1e6f, 1e5f, 1.0f / 60.0f);
    CHECK(tutorial.erp == doctest::Approx(0.1429f).epsilon(1e-3));
    CHECK(tutorial.cfm == doctest::Approx(5.14e-4f).epsilon(1e-2));
}

TEST_CASE("limits of softness: a spring without damper removes all error, a damper without spring none") {
    CHECK(to_erp_cfm(1000.0f, 0.0f, 0.01f).erp == 1.0f);
    CHECK(to_erp_cfm(1000.0f, 0.0f, 0.01f).cfm == doctest::Approx(10.0f));
    CHECK(to_erp_cfm(0.0f, 50.0f, 0.01f).erp == 0.0f);
    CHECK(to_erp_cfm(0.0f, 0.0f, 0.01f).cfm == std::numeric_limits<float>::infinity());
}

TEST_CASE("frequency and damping ratio are the same law as k = m w^2, b = 2 zeta m w") {
    const float h = 1.0f / 480.0f, hertz = 45.0f, zeta = 10.0f, w_nn = 0.008f;
    const float w = 2.0f * kPi * hertz, m = 1.0f / w_nn;
    const ErpCfm direct = to_erp_cfm(m * w * w, 2.0f * zeta * m * w, h);
    const SoftContact soft = make_soft_contact(hertz, zeta, h);
    CHECK(soft.push_rate * h == doctest::Approx(direct.erp).epsilon(1e-4));
    CHECK(soft.compliance_factor * w_nn == doctest::Approx(direct.cfm).epsilon(1e-4));
}

TEST_CASE("materials combine by average, minimum, maximum, product and geometric mean") {
    CHECK(combine(0.2f, 0.8f, Combine::average) == doctest::Approx(0.5f));
    CHECK(combine(0.2f, 0.8f, Combine::minimum) == 0.2f);
    CHECK(combine(0.2f, 0.8f, Combine::maximum) == 0.8f);
    CHECK(combine(0.2f, 0.8f, Combine::multiply) == doctest::Approx(0.16f));
    CHECK(combine(0.2f, 0.8f, Combine::geometric_mean) == doctest::Approx(0.4f));
    CHECK(combine(0.6f, 0.6f, Combine::geometric_mean) == 0.6f);
}

TEST_CASE("when two combine modes meet the later one in the list decides, whoever comes first") {
    Material average{.friction = 0.2f, .friction_combine = Combine::average};
    Material largest{.friction = 0.8f, .friction_combine = Combine::maximum};
    CHECK(combine_friction(average, largest) == 0.8f);
    CHECK(combine_friction(largest, average) == 0.8f);
    Material dull{.restitution = 0.0f}, lively{.restitution = 0.9f};
    CHECK(combine_restitution(dull, lively) == 0.9f);  // maximum by default
}

namespace {

/// Two bodies and a contact between them, all random.
struct RandomPair {
    std::vector<BodyVelocity> velocity{2};
    std::vector<BodyInverseMass> inverse_mass{2};
    ContactProblem problem;
    BodySystem::Scratch scratch;

    explicit RandomPair(unsigned seed) {
        std::mt19937 random(seed);
        const auto sym = [&] { return float(random()) / 2147483648.0f - 1.0f; };
        const auto vec = [&] { return Vec3(sym(), sym(), sym()); };
        for (int i = 0; i < 2; ++i) {
            velocity[size_t(i)].linear = vec();
            velocity[size_t(i)].angular = vec();
            inverse_mass[size_t(i)].mass = 1.5f + sym();
            inverse_mass[size_t(i)].inertia = {2.0f + sym(), 2.0f + sym(), 2.0f + sym(),
                                               0.3f * sym(), 0.3f * sym(), 0.3f * sym()};
        }
        problem.velocity = velocity;
        problem.inverse_mass = inverse_mass;
        Contact c;
        c.a = 0;
        c.b = 1;
        c.normal = glm::normalize(vec());
        make_tangents(c.normal, c.tangent1, c.tangent2);
        c.arm_a = vec();
        c.arm_b = vec();
        problem.compute_blocks(c);
        problem.contacts = {c};
        problem.groups = {{0, 1}};
    }
    BodySystem system() { return BodySystem(problem, 0, 1, {}, scratch); }
};

}  // namespace

TEST_CASE("a unit impulse changes the contact's velocity by its block of W") {
    for (unsigned seed = 1; seed <= 50; ++seed) {
        RandomPair pair(seed);
        BodySystem system = pair.system();
        const float n0 = system.normal_velocity(0);
        const Real2<float> t0 = system.tangent_velocity(0);
        system.add_normal(0, 1.0f);
        CHECK(system.normal_velocity(0) - n0 == doctest::Approx(system.normal_block(0)).epsilon(1e-3));
        RandomPair other(seed);
        BodySystem again = other.system();
        again.add_tangent(0, {1.0f, 0.0f});
        CHECK(again.tangent_velocity(0).x - t0.x == doctest::Approx(again.tangent_block(0).t11).epsilon(1e-3));
        CHECK(again.tangent_velocity(0).y - t0.y ==
              doctest::Approx(again.tangent_block(0).t12).epsilon(1e-2).scale(1.0));
    }
}

TEST_CASE("a contact impulse changes neither the momentum of the pair nor its angular momentum about the contact") {
    for (unsigned seed = 1; seed <= 50; ++seed) {
        RandomPair pair(seed);
        const std::vector<BodyVelocity> before = pair.velocity;
        BodySystem system = pair.system();
        system.add_normal(0, 2.0f);
        system.add_tangent(0, {-0.7f, 0.4f});
        const Contact& c = pair.problem.contacts[0];
        Vec3 linear(0.0f), angular(0.0f);
        for (size_t i = 0; i < 2; ++i) {
            const Vec3 p = (pair.velocity[i].linear - before[i].linear) / pair.inverse_mass[i].mass;
            const Vec3 spin = inverse(pair.inverse_mass[i].inertia) * (pair.velocity[i].angular - before[i].angular);
            linear += p;
            // About the contact point the centre of mass of a body lies at minus its arm.
            angular += spin + glm::cross(-(i == 0 ? c.arm_a : c.arm_b), p);
        }
        CHECK(glm::length(linear) < 1e-5f);
        CHECK(glm::length(angular) < 1e-4f);
    }
}

TEST_CASE("warm starting gives the velocities that adding the same impulses one by one gives") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        RandomPair added(seed), started(seed);
        BodySystem system = added.system();
        system.add_normal(0, 1.5f);
        system.add_tangent(0, {0.3f, -0.2f});
        started.problem.contacts[0].lambda = {1.5f, 0.3f, -0.2f};
        started.problem.apply_warm_start(0, 1);
        for (size_t i = 0; i < 2; ++i) {
            CHECK(glm::length(added.velocity[i].linear - started.velocity[i].linear) < 1e-5f);
            CHECK(glm::length(added.velocity[i].angular - started.velocity[i].angular) < 1e-5f);
        }
    }
}

TEST_CASE("save and restore bring back impulses and velocities together") {
    RandomPair pair(7);
    const uint32_t bodies[] = {0, 1};
    BodySystem system(pair.problem, 0, 1, bodies, pair.scratch);
    system.add_normal(0, 0.5f);
    const float before = system.normal_velocity(0);
    system.save();
    system.add_normal(0, 1.0f);
    system.add_tangent(0, {1.0f, 1.0f});
    system.restore();
    CHECK(system.impulse(0).n == 0.5f);
    CHECK(system.impulse(0).t1 == 0.0f);
    CHECK(system.normal_velocity(0) == before);
}
