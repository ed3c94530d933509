// SPDX-License-Identifier: MIT
// Joints that hang together, solved as one: chains with heavy ends, mechanisms with more joints than they need, joints beside
// contacts, and what is put elsewhere.
#include <algorithm>
#include <cmath>
#include <vector>

#include "physics/joints/joint_types.h"
#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// Links of 20 cm and 1 kg, hanging or level, and an end of `ratio` kg.
struct LongChain : TestWorld {
    std::vector<Entity> links;
    float length = 0.0f;
    LongChain(int count, float ratio, bool level, const ShapeDesc& shape_of_link) {
        StepSettings s = settings();
        s.sleeping = false;
        set(s);
        const ShapeId link = shape(shape_of_link), ball = shape(TestWorld::sphere(0.09f));
        const Quat turned = level ? glm::angleAxis(0.5f * kPi, Vec3(0, 0, 1)) : Quat(1, 0, 0, 0);
        Entity above = world.create_body({.type = BodyType::fixed}).value();
        for (int i = 0; i < count; ++i) {
            const bool end = i + 1 == count;
            BodyDesc desc;
            desc.pose = {turned * Vec3(0.0f, -0.2f * (float(i) + 0.5f), 0.0f), turned};
            desc.mass = end ? ratio : 1.0f;
            desc.colliders = {{.shape = end && ratio > 1.0f ? ball : link}};
            const Entity body = world.create_body(desc).value();
            BallJoint joint{.body_a = above, .body_b = body};
            joint.anchor_a = i == 0 ? Vec3(0.0f) : Vec3(0.0f, -0.1f, 0.0f);
            joint.anchor_b = {0.0f, 0.1f, 0.0f};
            REQUIRE(world.create_joint(joint).ok());
            links.push_back(body);
            above = body;
        }
        length = 0.2f * float(count);
    }
    /// How much longer it is, as a part.
    float stretch() {
        const Pose end = pose(links.back());
        return glm::length(end.position + end.rotation * Vec3(0.0f, -0.1f, 0.0f)) / length - 1.0f;
    }
    double energy() {
        double sum = 0.0;
        for (const Entity body : links) {
            const Mass m = mass(body);
            const Velocity v = velocity(body);
            const Vec3 w = glm::conjugate(pose(body).rotation) * v.angular;
            sum +=
                double(m.mass) * (0.5 * double(glm::dot(v.linear, v.linear)) + 9.81 * double(pose(body).position.y)) +
                0.5 * double(glm::dot(w, m.inertia * w));
        }
        return sum;
    }
};

}  // namespace

TEST_CASE("a chain of a hundred links carries a thousand times their mass, hanging, and let go level") {
    for (const bool level : {false, true})
        for (const bool boxes : {false, true}) {
            CAPTURE(level);
            CAPTURE(boxes);
            LongChain c(100, 1000.0f, level,
                        boxes ? TestWorld::box({0.03f, 0.09f, 0.03f}) : TestWorld::capsule(0.03f, 0.06f));
            c.step();
            const double start = c.energy();
            float longest = 0.0f, gap = 0.0f;
            double most = start;
            for (int i = 0; i < (level ? 240 : 60); ++i) {
                c.step();
                longest = std::max(longest, c.stretch());
                gap = std::max(gap, c.world.report().joint_error_max);
                most = std::max(most, c.energy());
            }
            CHECK(longest < 1e-4f);
            CHECK(gap < 1e-4f);
            // 206 kJ fall; semi-implicit steps of h let the sum waver by m g h v / 2.
            CHECK(most < start + 200.0);
        }
}

TEST_CASE("a double pendulum follows what much shorter steps make of it, and keeps its energy") {
    const auto run = [](float dt, int steps, double& wander) {
        TestWorld t;
        StepSettings s = t.settings();
        s.sleeping = false;
        t.set(s);
        const Entity ground = t.world.create_body({.type = BodyType::fixed}).value();
        const Entity first = t.body(TestWorld::sphere(0.1f), {.position = {0.5f, 0.0f, 0.0f}, .mass = 1.0f}),
                     second = t.body(TestWorld::sphere(0.1f), {.position = {0.9f, 0.3f, 0.0f}, .mass = 2.0f});
        REQUIRE(t.world.create_joint(BallJoint{.body_a = ground, .body_b = first, .anchor_b = {-0.5f, 0, 0}}).ok());
        REQUIRE(t.world.create_joint(BallJoint{.body_a = first, .body_b = second, .anchor_b = {-0.4f, -0.3f, 0}}).ok());
        const auto energy = [&] {
            double sum = 0.0;
            for (const Entity body : {first, second})
                sum +=
                    double(t.kinetic_energy(body)) + double(t.mass(body).mass) * 9.81 * double(t.pose(body).position.y);
            return sum;
        };
        REQUIRE(t.world.step(dt).ok());
        const double start = energy();
        double most = 0.0;
        for (int i = 1; i < steps; ++i) {
            REQUIRE(t.world.step(dt).ok());
            most = std::max(most, std::abs(energy() - start));
        }
        wander = most;
        return t.pose(second).position;
    };
    double wander = 0.0, fine_wander = 0.0;
    const Vec3 usual = run(1.0f / 60.0f, 60, wander), fine = run(1.0f / 960.0f, 960, fine_wander);
    CHECK(glm::length(usual - fine) < 0.02f);  // after a second; chaos makes more of it later
    run(1.0f / 60.0f, 3600, wander);
    CHECK(wander < 0.01 * 3.0 * 9.81 * 2.0);  // a hundredth of what 3 kg gain over two metres, in a minute
}

TEST_CASE("mechanisms with more hinges than they need hold and turn: four bars, a door on three hinges") {
    Random random{4};
    for (int trial = 0; trial < 6; ++trial) {
        const float size = std::pow(10.0f, random.between(-1.0f, 1.0f));
        CAPTURE(size);
        TestWorld t;
        StepSettings s = t.settings();
        s.sleeping = false;
        t.set(s);
        const Vec3 axis(0, 0, 1),
            at[4] = {Vec3(0.0f), size * Vec3(0, 0.4f, 0), size * Vec3(1.1f, 0.9f, 0), size * Vec3(1.1f, 0, 0)};
        const Entity ground = t.world.create_body({.type = BodyType::fixed}).value();
        std::vector<Entity> bars = {ground};
        for (int k = 0; k < 3; ++k) {
            const Vec3 way = at[k + 1] - at[k];
            const Quat turned = glm::angleAxis(std::atan2(way.y, way.x), axis);
            bars.push_back(t.body(TestWorld::box({0.45f * glm::length(way), 0.02f * size, 0.02f * size}),
                                  {.position = 0.5f * (at[k] + at[k + 1]), .rotation = turned}));
        }
        bars.push_back(ground);
        for (size_t k = 0; k < 4; ++k) {
            const JointAnchors f = joint_anchors(t.world.pose(bars[k]), t.world.pose(bars[k + 1]), at[k], axis).value();
            RevoluteJoint hinge{.body_a = bars[k],
                                .body_b = bars[k + 1],
                                .anchor_a = f.anchor_a,
                                .anchor_b = f.anchor_b,
                                .rotation_a = f.rotation_a,
                                .rotation_b = f.rotation_b};
            if (k == 0) hinge.motor = {.enabled = 1, .speed = 2.0f};
            REQUIRE(t.world.create_joint(hinge).ok());
        }
        for (int i = 0; i < 400; ++i) {
            t.step();
            REQUIRE(t.world.report().joint_error_max < 2e-4f * size);
        }
        CHECK(t.velocity(bars[1]).angular.z == doctest::Approx(2.0f).epsilon(0.02));
        CHECK(t.world.report().warnings.empty());
    }
}

TEST_CASE("joints from 1e6 : 1 to 1 : 1e6, and joints that start a metre open, throw nothing") {
    Random random{9};
    for (const float ratio : {1e-6f, 1e-3f, 1e3f, 1e6f}) {
        CAPTURE(ratio);
        TestWorld t;
        StepSettings s = t.settings();
        s.sleeping = false;
        t.set(s);
        const Entity ground = t.world.create_body({.type = BodyType::fixed}).value();
        const Entity first = t.body(TestWorld::box(Vec3(0.1f)), {.position = {0.0f, -0.3f, 0.0f}, .mass = 1.0f}),
                     second = t.body(TestWorld::box(Vec3(0.1f)), {.position = {0.0f, -0.6f, 0.0f}, .mass = ratio});
        REQUIRE(t.world.create_joint(BallJoint{.body_a = ground, .body_b = first, .anchor_b = {0, 0.3f, 0}}).ok());
        REQUIRE(t.world
                    .create_joint(BallJoint{
                        .body_a = first, .body_b = second, .anchor_a = {0, -0.1f, 0}, .anchor_b = {0, 0.2f, 0}})
                    .ok());
        t.velocity(second).linear = {1.0f, 0.0f, 0.0f};
        for (int i = 0; i < 120; ++i) {
            t.step();
            REQUIRE(glm::length(t.velocity(first).linear) < 8.0f);
            REQUIRE(glm::length(t.velocity(second).linear) < 8.0f);
        }
        CHECK(t.world.report().joint_error_max < 1e-3f);
    }
    for (int trial = 0; trial < 8; ++trial) {
        TestWorld t;
        StepSettings s = t.settings();
        s.gravity = Vec3(0.0f);
        s.sleeping = false;
        t.set(s);
        std::vector<Entity> bodies;
        for (int i = 0; i < 4; ++i)
            bodies.push_back(t.body(TestWorld::box({0.1f, 0.15f, 0.2f}),
                                    {.position = {float(i), random.between(-0.5f, 0.5f), 0.0f}}));
        for (size_t i = 0; i + 1 < bodies.size(); ++i)  // a metre is between anchors that should meet
            REQUIRE(
                t.world.create_joint(WeldJoint{.body_a = bodies[i], .body_b = bodies[i + 1], .anchor_a = {0.1f, 0, 0}})
                    .ok());
        t.run(2.0f);
        CHECK(t.world.report().joint_error_max < 1e-3f);
        for (const Entity body : bodies) {
            CHECK(glm::length(t.velocity(body).linear) < 0.05f);
            CHECK(glm::length(t.velocity(body).angular) < 0.2f);
        }
    }
}

TEST_CASE("a body on limbs with hinges stands on the ground, and its joints are as exact there as in the air") {
    TestWorld t;
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    t.body(TestWorld::half_space(), {.type = BodyType::fixed});
    const Entity table = t.body(TestWorld::box({0.5f, 0.05f, 0.3f}), {.position = {0, 0.65f, 0}, .mass = 20.0f});
    std::vector<Entity> joints;
    for (const float x : {-0.45f, 0.45f})
        for (const float z : {-0.25f, 0.25f}) {
            const Entity leg = t.body(TestWorld::box({0.04f, 0.3f, 0.04f}), {.position = {x, 0.3f, z}, .mass = 1.0f});
            const JointAnchors f =
                joint_anchors(t.world.pose(table), t.world.pose(leg), {x, 0.6f, z}, {0, 0, 1}).value();
            RevoluteJoint hinge{.body_a = table,
                                .body_b = leg,
                                .anchor_a = f.anchor_a,
                                .anchor_b = f.anchor_b,
                                .rotation_a = f.rotation_a,
                                .rotation_b = f.rotation_b};
            hinge.limit = {.enabled = 1, .lower = 0.0f, .upper = 0.0f};  // locked by its limits
            joints.push_back(t.world.create_joint(hinge).value());
        }
    t.run(4.0f);
    CHECK(t.pose(table).position.y == doctest::Approx(0.65f).epsilon(0.005));
    CHECK(t.world.report().joint_error_max < 1e-4f);
    float carried = 0.0f;
    for (const Entity joint : joints) carried -= t.world.registry().get<JointState>(joint).impulse.y;
    CHECK(carried == doctest::Approx(20.0f * 9.81f / 60.0f).epsilon(0.001));
    CHECK(t.world.report().residual_max < 1e-5);
}
