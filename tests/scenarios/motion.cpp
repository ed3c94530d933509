// SPDX-License-Identifier: MIT
// Free motion, impacts and rest against closed forms.
#include <cmath>
#include <random>
#include <vector>

#include "physics/contact/softness.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

StepSettings plain(const TestWorld& t, uint32_t substeps = 1) {
    StepSettings s = t.settings();
    s.sleeping = false;
    s.substeps = substeps;
    return s;
}

}  // namespace

TEST_CASE("free fall drops by g t^2 / 2, whatever the steps, swept and on the general path") {
    for (const uint32_t substeps : {1u, 7u})
        for (const bool simd : {true, false}) {
            TestWorld t;
            StepSettings s = plain(t, substeps);
            s.simd_kernels = simd;
            t.set(s);
            const Entity ball = t.body(TestWorld::sphere(0.5f), {});
            const int n = 30;
            for (int i = 0; i < n; ++i) t.step(0.01f);
            CHECK(t.velocity(ball).linear.y == doctest::Approx(-kG * 0.01f * n));
            CHECK(t.pose(ball).position.y == doctest::Approx(-kG * 1e-4f * n * n / 2).epsilon(1e-5));
        }
}

TEST_CASE("Moreau's mid-point free fall is exact") {
    for (const uint32_t substeps : {1u, 4u}) {
        TestWorld t;
        StepSettings s = plain(t, substeps);
        s.stepping = Stepping::moreau_midpoint;
        t.set(s);
        const Entity ball = t.body(TestWorld::sphere(0.5f),
                                   {.velocity = {.linear = {1.0f, 2.0f, 0.0f}, .angular = {0.0f, 0.0f, 0.0f}}});
        for (int i = 0; i < 50; ++i) t.step(0.02f);
        CHECK(t.pose(ball).position.x == doctest::Approx(1.0f).epsilon(1e-5));
        CHECK(t.pose(ball).position.y == doctest::Approx(2.0f - 0.5f * kG).epsilon(1e-4));
    }
}

TEST_CASE("one step of spin about z turns by exactly 2 atan(w h / 2)") {
    TestWorld t;
    StepSettings s = plain(t);
    s.gravity = Vec3(0.0f);
    t.set(s);
    const Entity ball =
        t.body(TestWorld::sphere(0.5f), {.velocity = {.linear = {0.0f, 0.0f, 0.0f}, .angular = {0.0f, 0.0f, 3.0f}}});
    t.step(0.1f);
    const Quat q = t.pose(ball).rotation;
    CHECK(2.0f * std::atan2(q.z, q.w) == doctest::Approx(2.0f * std::atan(0.15f)).epsilon(1e-5));
    CHECK(glm::length(q) == doctest::Approx(1.0f));
}

TEST_CASE(
    "a free tumbling body keeps its angular momentum within 0.1 % over ten seconds, and its energy within 1 "
    "%") {
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
    // Spin about the middle axis: the motion that turns over and over.
    const Entity book = t.body(TestWorld::box({0.2f, 0.5f, 1.0f}),
                               {.velocity = {.linear = {0.0f, 0.0f, 0.0f}, .angular = {0.05f, 5.0f, 0.02f}}});
    t.step();
    const Vec3 before = t.spin_momentum(book);
    const float energy = t.kinetic_energy(book);
    float worst_tilt = 1.0f;
    for (int i = 0; i < 600; ++i) {
        t.step();
        worst_tilt = std::min(worst_tilt, (t.pose(book).rotation * Vec3(0.0f, 1.0f, 0.0f)).y);
    }
    CHECK(worst_tilt < -0.9f);  // it did turn over
    CHECK(glm::length(t.spin_momentum(book) - before) < 1e-3f * glm::length(before));
    CHECK(t.kinetic_energy(book) == doctest::Approx(energy).epsilon(0.01));
}

TEST_CASE("the gyroscopic term turns the spin of a long box and leaves a cube's alone") {
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
    const Velocity spin{.linear = {0.0f, 0.0f, 0.0f}, .angular = {3.0f, 2.0f, 1.0f}};
    const Entity rod = t.body(TestWorld::box({0.1f, 0.2f, 1.0f}), {.velocity = spin});
    const Entity cube = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {9.0f, 0.0f, 0.0f}, .velocity = spin});
    t.run(1.0f);
    CHECK(glm::length(t.velocity(rod).angular - spin.angular) > 0.5f);
    CHECK(glm::length(t.velocity(cube).angular - spin.angular) < 1e-5f);
}

TEST_CASE("equal balls meeting head-on without restitution stop") {
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
    const Entity a = t.body(TestWorld::sphere(0.5f), {.position = {-1.0f, 0.0f, 0.0f},
                                                      .velocity = {.linear = {2.0f, 0.0f, 0.0f}, .angular = {}}});
    const Entity b = t.body(TestWorld::sphere(0.5f), {.position = {1.0f, 0.0f, 0.0f},
                                                      .velocity = {.linear = {-2.0f, 0.0f, 0.0f}, .angular = {}}});
    t.run(1.0f);
    CHECK(std::abs(t.velocity(a).linear.x) < 1e-4f);
    CHECK(std::abs(t.velocity(b).linear.x) < 1e-4f);
}

TEST_CASE("an elastic head-on collision keeps momentum to rounding and energy within 1 %") {
    for (const float ratio : {1.0f, 3.0f, 100.0f}) {
        CAPTURE(ratio);
        TestWorld t;
        StepSettings s = t.settings();
        s.gravity = Vec3(0.0f);
        t.set(s);
        const Entity a = t.body(TestWorld::sphere(0.5f), {.position = {-1.0f, 0.0f, 0.0f},
                                                          .velocity = {.linear = {2.0f, 0.0f, 0.0f}, .angular = {}},
                                                          .restitution = 1.0f,
                                                          .mass = ratio});
        const Entity b = t.body(TestWorld::sphere(0.5f), {.position = {1.0f, 0.0f, 0.0f},
                                                          .velocity = {.linear = {-1.0f, 0.0f, 0.0f}, .angular = {}},
                                                          .restitution = 1.0f,
                                                          .mass = 1.0f});
        const float momentum = 2.0f * ratio - 1.0f, energy = 0.5f * (4.0f * ratio + 1.0f);
        t.run(1.0f);
        CHECK(ratio * t.velocity(a).linear.x + t.velocity(b).linear.x == doctest::Approx(momentum).epsilon(1e-6));
        CHECK(t.kinetic_energy(a) + t.kinetic_energy(b) == doctest::Approx(energy).epsilon(0.01));
        CHECK(t.velocity(b).linear.x - t.velocity(a).linear.x == doctest::Approx(3.0f).epsilon(0.005));
    }
}

TEST_CASE("a dropped ball rises to e^2 of its height") {
    for (const float e : {0.5f, 0.8f, 1.0f}) {
        CAPTURE(e);
        TestWorld t;
        StepSettings s = t.settings();
        s.sleeping = false;
        t.set(s);
        t.floor(0.5f, e);
        const Entity ball = t.body(TestWorld::sphere(0.25f), {.position = {0.0f, 2.25f, 0.0f}, .restitution = e});
        float highest = 0.0f;
        bool bounced = false;
        for (int i = 0; i < 120; ++i) {
            t.step();
            bounced |= t.velocity(ball).linear.y > 0.1f;
            if (bounced) highest = std::max(highest, t.pose(ball).position.y - 0.25f);
            if (bounced && t.velocity(ball).linear.y < 0.0f) break;
        }
        CHECK(highest == doctest::Approx(e * e * 2.0f).epsilon(0.03));
    }
}

TEST_CASE("an impact travels through a row of touching balls and only the last one leaves") {
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
    std::vector<Entity> balls;
    for (int i = 0; i < 5; ++i)
        balls.push_back(t.body(TestWorld::sphere(0.5f),
                               {.position = {float(i), 0.0f, 0.0f}, .friction = 0.0f, .restitution = 1.0f}));
    const Entity hammer = t.body(TestWorld::sphere(0.5f), {.position = {-2.0f, 0.0f, 0.0f},
                                                           .velocity = {.linear = {3.0f, 0.0f, 0.0f}, .angular = {}},
                                                           .friction = 0.0f,
                                                           .restitution = 1.0f});
    t.run(1.0f);
    CHECK(t.velocity(balls[4]).linear.x == doctest::Approx(3.0f).epsilon(0.01));
    CHECK(std::abs(t.velocity(hammer).linear.x) < 0.03f);
    for (int i = 0; i < 4; ++i) CHECK(std::abs(t.velocity(balls[i]).linear.x) < 0.03f);
}

TEST_CASE("a resting box pushes the floor with its weight, and the impulses of a step add up to m g dt") {
    TestWorld t;
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    t.floor();
    const Entity box = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    t.run(2.0f);
    float sum = 0.0f;
    for (const ContactView& view : t.world.contacts())
        for (uint32_t i = 0; i < view.manifold->count; ++i) sum += view.manifold->points[i].impulse.x;
    CHECK(sum == doctest::Approx(t.mass(box).mass * kG * kDt).epsilon(1e-3));
    CHECK(glm::length(t.velocity(box).linear) < 1e-4f);
}

TEST_CASE("a soft contact sinks by F / (m_c w^2), and post-step projection leaves no more than its slop") {
    TestWorld soft;
    StepSettings s = soft.settings();
    s.sleeping = false;
    soft.set(s);
    soft.floor();
    const Entity a = soft.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    soft.run(3.0f);
    // A cube's corner on a floor: W_nn = (1 + 3 r_x^2/... ) / m; the sag law holds for the four corners together.
    const float w = 2.0f * kPi * 2.0f * s.contact_hertz;
    const float w_nn = 4.0f;  // m W_nn of a corner: 1 + 0.5^2 * 6 + 0.5^2 * 6
    CHECK(0.5f - soft.pose(a).position.y == doctest::Approx(kG / 4.0f * w_nn / (w * w)).epsilon(0.05));

    TestWorld hard;
    s.stabilisation = Stabilisation::projection;
    s.substeps = 1;
    s.iterations = 20;
    hard.set(s);
    hard.floor();
    const Entity b = hard.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.45f, 0.0f}});
    hard.run(2.0f);
    CHECK(hard.pose(b).position.y == doctest::Approx(0.5f).epsilon(2e-3));
    CHECK(glm::length(hard.velocity(b).linear) < 1e-3f);
}

TEST_CASE("a fast ball does not sink into the floor when it lands") {
    TestWorld t;
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    t.floor();
    const Entity ball = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 8.0f, 0.0f}});
    float lowest = 1e9f;
    for (int i = 0; i < 180; ++i) {
        t.step();
        lowest = std::min(lowest, t.pose(ball).position.y);
    }
    CHECK(lowest > 0.5f - 0.01f);
    CHECK(t.pose(ball).position.y == doctest::Approx(0.5f).epsilon(0.005));
}

TEST_CASE(
    "a heavy cube that falls turned and off-centre on four light ones flings none, and up to 1000 : 1 stays on them") {
    std::mt19937 random(7);
    const auto draw = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
    for (int k = 0; k < 12; ++k) {
        const float ratio = k < 8 ? 1000.0f : 10000.0f, size = std::exp(draw(std::log(0.1f), std::log(3.0f))),
                    half = 1.2f * size, drop = size * draw(0.3f, 1.0f), mass = 500.0f * size * size * size;
        CAPTURE(ratio);
        CAPTURE(size);
        TestWorld t;
        t.floor();
        std::vector<Entity> light;
        for (const float x : {-0.7f, 0.7f})
            for (const float z : {-0.7f, 0.7f})
                light.push_back(
                    t.body(TestWorld::box(Vec3(0.5f * size)), {.position = size * Vec3(x, 0.5f, z), .mass = mass}));
        const Vec3 axis = glm::normalize(Vec3(draw(-1.0f, 1.0f), 0.3f, draw(-1.0f, 1.0f)));
        const float height = size + 1.1f * half + drop;
        const Entity heavy = t.body(TestWorld::box(Vec3(half)),
                                    {.position = {size * draw(-0.3f, 0.3f), height, size * draw(-0.3f, 0.3f)},
                                     .rotation = glm::angleAxis(draw(-0.15f, 0.15f), axis),
                                     .mass = ratio * mass});
        const float impact = std::sqrt(2.0f * 9.81f * (drop + 0.3f * size));
        float fastest = 0.0f;
        for (int i = 0; i < int(300.0f * std::sqrt(size)); ++i) {
            t.step();
            for (const Entity cube : light) fastest = std::max(fastest, glm::length(t.velocity(cube).linear));
        }
        CHECK(fastest < impact);
        if (k < 8) CHECK(t.pose(heavy).position.y > 0.95f * (size + half));
    }
}

TEST_CASE("a kinematic platform carries a box and is not pushed") {
    TestWorld t;
    const Entity lift =
        t.body(TestWorld::box({2.0f, 0.1f, 2.0f}), {.type = BodyType::kinematic,
                                                    .position = {0.0f, -0.1f, 0.0f},
                                                    .velocity = {.linear = {0.5f, 0.25f, 0.0f}, .angular = {}}});
    const Entity box = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    t.run(4.0f);
    CHECK(t.pose(lift).position.x == doctest::Approx(2.0f).epsilon(1e-4));
    CHECK(t.pose(lift).position.y == doctest::Approx(0.9f).epsilon(1e-4));
    CHECK(t.velocity(box).linear.x == doctest::Approx(0.5f).epsilon(0.01));
    CHECK(t.pose(box).position.y - t.pose(lift).position.y == doctest::Approx(0.6f).epsilon(0.01));
}

TEST_CASE("a body of two colliders balances about its common centre of mass") {
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
    Collider heavy, light;
    heavy.shape = t.shape(TestWorld::box({0.5f, 0.5f, 0.5f}));
    heavy.density = 3000.0f;
    light.shape = heavy.shape;
    light.local.position = {2.0f, 0.0f, 0.0f};
    const Entity e =
        t.world.create_body({.velocity = {.linear = {}, .angular = {0.0f, 0.0f, 1.0f}}, .colliders = {heavy, light}})
            .value();
    t.step();
    CHECK(t.mass(e).mass == doctest::Approx(4000.0f));
    CHECK(t.mass(e).center.x == doctest::Approx(0.5f));
    CHECK(t.mass(e).inertia.xx == doctest::Approx(4000.0f / 6.0f));
    CHECK(t.mass(e).inertia.zz == doctest::Approx(4000.0f / 6.0f + 3000.0f * 0.25f + 1000.0f * 2.25f));
    // Spinning freely, the centre of mass stays where it is and the frame goes round it.
    t.run(kPi);
    const Vec3 center = t.pose(e).position + t.pose(e).rotation * t.mass(e).center;
    CHECK(glm::length(center - Vec3(0.5f, 0.0f, 0.0f)) < 1e-3f);
    CHECK(t.pose(e).position.x > 0.9f);
}
