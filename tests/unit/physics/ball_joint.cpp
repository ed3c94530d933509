// SPDX-License-Identifier: MIT
// Ball joints: laws of pendulums and chains, sleep, snapshots, and what a game may do to them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

constexpr float kStep = 1.0f / 60.0f;

/// A ball of 1 kg on a string of no mass: its centre is `length` below the anchor when it hangs.
struct Pendulum : TestWorld {
    Entity anchor, bob, joint;
    float radius = 0.0f;
    explicit Pendulum(float length, float angle, float hertz = 0.0f) {
        StepSettings s = settings();
        s.sleeping = false;
        set(s);
        anchor = world.create_body({.type = BodyType::fixed}).value();
        const Vec3 at(length * std::sin(angle), -length * std::cos(angle), 0.0f);
        bob = world.create_body({.pose = {.position = at}, .mass = 1.0f}).value();
        // An anchor more than some hundred sizes away from its body is beyond single precision.
        radius = std::max(0.05f, 0.005f * length);
        REQUIRE(world.add_collider(bob, {.shape = shape(TestWorld::sphere(radius))}).ok());
        BallJoint desc{.body_a = anchor, .body_b = bob};
        desc.anchor_b = -at;  // the body's frame has the world's axes at the start
        desc.hertz = hertz;
        joint = world.create_joint(desc).value();
    }
};

/// Links of 0.2 m that hang from a fixed body, with a ball of `ratio` times their mass at the end.
struct Chain : TestWorld {
    std::vector<Entity> links, joints;
    Entity anchor, end;
    explicit Chain(int count, float ratio) {
        anchor = world.create_body({.type = BodyType::fixed}).value();
        const ShapeId link = shape(TestWorld::capsule(0.03f, 0.07f)), ball = shape(TestWorld::sphere(0.2f));
        Entity above = anchor;
        for (int i = 0; i <= count; ++i) {
            const bool last = i == count;
            const float half = last ? 0.2f : 0.1f;
            const Entity body = world
                                    .create_body({.pose = {.position = {0.0f, -0.2f * float(i) - half, 0.0f}},
                                                  .mass = last ? 0.5f * ratio : 0.5f})
                                    .value();
            REQUIRE(world.add_collider(body, {.shape = last ? ball : link}).ok());
            BallJoint joint{.body_a = above, .body_b = body};
            joint.anchor_a = above == anchor ? Vec3(0.0f) : Vec3(0.0f, -0.1f, 0.0f);
            joint.anchor_b = {0.0f, half, 0.0f};
            joints.push_back(world.create_joint(joint).value());
            links.push_back(body);
            above = body;
        }
        end = links.back();
    }
};

/// Seconds between the first and the last time that the bob passes below its anchor from left to right, over how often.
float period_of(Pendulum& p, float seconds) {
    float before = p.pose(p.bob).position.x, first = -1.0f, last = -1.0f;
    int passes = 0;
    for (int i = 1; i <= int(seconds / kStep); ++i) {
        p.step();
        const float now = p.pose(p.bob).position.x;
        if (before < 0.0f && now >= 0.0f) {
            const float at = (float(i) - now / (now - before)) * kStep;
            if (first < 0.0f) first = at;
            last = at;
            ++passes;
        }
        before = now;
    }
    REQUIRE(passes > 2);
    return (last - first) / float(passes - 1);
}

}  // namespace

TEST_CASE("a small pendulum swings with the period of its length, and keeps it") {
    for (const float length : {0.3f, 1.0f, 4.0f}) {
        CAPTURE(length);
        Pendulum p(length, 0.1f);
        // The ball turns with the string: I = m (l^2 + 2/5 r^2); 0.06 % more for an amplitude of 0.1 rad.
        const float expected = 2.0f * 3.14159265f *
                               std::sqrt((length * length + 0.4f * 0.05f * 0.05f) / (9.81f * length)) *
                               (1.0f + 0.1f * 0.1f / 16.0f);
        // Eight sub-steps of an integrator of first order: a fraction of a per cent.
        CHECK(period_of(p, 20.0f) == doctest::Approx(expected).epsilon(0.003));
        CHECK(p.world.report().joint_error_max < 1e-3f);
    }
}

TEST_CASE("a hanging chain carries at each joint what hangs below it") {
    Chain c(6, 4.0f);
    StepSettings s = c.settings();
    s.sleeping = false;
    c.set(s);
    c.run(4.0f);
    for (size_t k = 0; k < c.joints.size(); ++k) {
        CAPTURE(k);
        float below = 0.0f;
        for (size_t i = k; i < c.links.size(); ++i) below += c.mass(c.links[i]).mass;
        const JointState& state = c.world.registry().get<JointState>(c.joints[k]);
        CHECK(state.impulse.y == doctest::Approx(below * 9.81f * kStep).epsilon(0.002));
        CHECK(std::abs(state.impulse.x) < 1e-3f * below);
        CHECK(state.error < 2e-5f);  // solved directly: closed to 0.01 mm in every sub-step
    }
}

TEST_CASE("a swinging chain of equal masses stays together, by sweeps and by solvers of the laboratory") {
    for (const char* solver : {"prox_gs", "prox_jacobi", "pgs", "nncg", "newton_min"}) {
        CAPTURE(solver);
        Chain c(8, 1.0f);
        StepSettings s = c.settings();
        s.sleeping = false;
        s.solver = solver;
        s.iterations = 4;
        c.set(s);
        c.velocity(c.end).linear = {1.5f, 0.0f, 0.5f};
        float worst = 0.0f, highest = -10.0f;
        for (int i = 0; i < 300; ++i) {
            c.step();
            REQUIRE(c.world.report().warnings.empty());
            worst = std::max(worst, c.world.report().joint_error_max);
            highest = std::max(highest, c.pose(c.end).position.y);
        }
        CHECK(worst < 5e-3f);    // soft joints of 60 Hz, four sweeps a sub-step
        CHECK(highest < -0.6f);  // it does not gain energy: 1.6 m/s lift the end by 0.13 m, from -1.8 m
        CHECK(c.world.report().joints == 9);
    }
}

TEST_CASE("a chain with a heavy end stays together while it swings, whatever the masses, lengths and speeds") {
    struct Case {
        int links;
        float ratio;
        Vec3 push;
    };
    Random random{14};
    std::vector<Case> cases = {{20, 100.0f, {2.0f, 0.0f, 0.0f}},
                               {20, 1000.0f, {2.0f, 0.0f, 0.0f}},
                               {60, 100.0f, {3.0f, 0.0f, 1.0f}},
                               {20, 1.0f, {15.0f, 0.0f, 0.0f}}};  // over the top, where links meet
    for (int i = 0; i < 6; ++i)
        cases.push_back({2 + int(random.below(24)),
                         std::pow(10.0f, random.between(-1.0f, 3.0f)),
                         {random.between(-2.0f, 2.0f), 0.0f, random.between(-2.0f, 2.0f)}});
    for (const Case& c : cases) {
        CAPTURE(c.links);
        CAPTURE(c.ratio);
        CAPTURE(c.push.x);
        Chain chain(c.links, c.ratio);
        StepSettings s = chain.settings();
        s.sleeping = false;
        chain.set(s);
        chain.velocity(chain.end).linear = c.push;
        const auto energy = [&] {
            double sum = 0.0;
            for (const Entity body : chain.links) {
                const Vec3 v = chain.velocity(body).linear;
                sum += double(chain.mass(body).mass) *
                       (0.5 * double(glm::dot(v, v)) + 9.81 * double(chain.pose(body).position.y));
            }
            return sum;
        };
        const double start = energy();
        const double swing = 0.5 * double(chain.mass(chain.end).mass) * double(glm::dot(c.push, c.push));
        float worst = 0.0f;
        bool touched = false;  // what touches itself is swept for a while
        for (int i = 0; i < 600; ++i) {
            chain.step();
            touched = touched || chain.world.report().contacts > 0;
            worst = std::max(worst, chain.world.report().joint_error_max);
            // Joints do no work, and what the links turn with is not counted. Semi-implicit steps of h = 1/480 s let
            // the sum swing by m g h v / 2.
            const double waver = double(chain.mass(chain.end).mass) * 9.81 / 960.0 * double(glm::length(c.push));
            REQUIRE(energy() < start + 0.05 * swing + waver + 0.05);
        }
        CHECK(worst < (touched ? 0.02f : 1e-3f));
        CHECK(touched == (c.push.x == 15.0f));
    }
}

TEST_CASE("a slack chain that falls into its own links and is pulled tight does not tear, and recovers") {
    Chain chain(20, 100.0f);
    StepSettings s = chain.settings();
    s.sleeping = false;
    chain.set(s);
    chain.velocity(chain.end).linear = {12.0f, 0.0f, 0.0f};  // up, over, and down into its own links
    float worst = 0.0f;
    for (int i = 0; i < 1200; ++i) {
        chain.step();
        worst = std::max(worst, chain.world.report().joint_error_max);
    }
    CHECK(worst < 0.2f);  // a link: 50 kg at 10 m/s stopped by links of half a kilogram within one sub-step
    CHECK(chain.world.report().joint_error_max < 1e-3f);
}

TEST_CASE("two joined bodies that spin in free space keep momentum, angular momentum and energy") {
    for (const float spin : {1.0f, 3.0f, 10.0f, 30.0f})
        for (const float size : {0.02f, 1.0f, 20.0f}) {
            CAPTURE(spin);
            CAPTURE(size);
            TestWorld t;
            StepSettings s = t.settings();
            s.gravity = Vec3(0.0f);
            s.sleeping = false;
            t.set(s);
            std::vector<Entity> balls;
            for (const float side : {-1.0f, 1.0f}) {
                const Entity ball =
                    t.body(TestWorld::sphere(0.2f * size), {.position = {0.5f * side * size, 0.0f, 0.0f}});
                t.velocity(ball) = {{0.0f, 0.5f * side * size * spin, 0.0f}, {0.0f, 0.0f, spin}};
                balls.push_back(ball);
            }
            BallJoint joint{.body_a = balls[0], .body_b = balls[1]};
            joint.anchor_a = {0.5f * size, 0.0f, 0.0f};
            joint.anchor_b = {-0.5f * size, 0.0f, 0.0f};
            const Entity made = t.world.create_joint(joint).value();
            t.step();
            const auto turning = [&] {
                double sum = 0.0;
                for (const Entity ball : balls) {
                    const Vec3 x = t.pose(ball).position, v = t.velocity(ball).linear;
                    sum += double(t.mass(ball).mass) * double(x.x * v.y - x.y * v.x) +
                           double(t.mass(ball).inertia.zz) * double(t.velocity(ball).angular.z);
                }
                return sum;
            };
            const double before = turning();
            t.run(10.0f);
            CHECK(turning() == doctest::Approx(before).epsilon(1e-3));  // 4800 sub-steps in floats
            const float mass = t.mass(balls[0]).mass, lever = 0.5f * size;
            // The centripetal force, whose direction turns by w dt in a step; 1 % because the way back of a sub-step is
            // a few micrometres, which floats at 10 m round to one.
            const float half = 0.5f * spin * kStep;
            CHECK(glm::length(t.world.registry().get<JointState>(made).impulse) ==
                  doctest::Approx(mass * spin * spin * lever * kStep * std::sin(half) / half).epsilon(0.01));
            CHECK(t.world.report().joint_error_max < 1e-4f * size);
        }
}

TEST_CASE("a pendulum keeps its energy at every size") {
    for (const float length : {0.1f, 1.0f, 10.0f, 100.0f})
        for (const float angle : {0.3f, 1.5f, 2.8f}) {
            CAPTURE(length);
            CAPTURE(angle);
            Pendulum p(length, angle);
            const auto energy = [&] {
                const Vec3 v = p.velocity(p.bob).linear, w = p.velocity(p.bob).angular;
                return 0.5 * double(glm::dot(v, v)) + 0.5 * double(p.mass(p.bob).inertia.zz) * double(glm::dot(w, w)) +
                       9.81 * double(p.pose(p.bob).position.y);
            };
            const double depth = 9.81 * double(length) * (1.0 - std::cos(double(angle)));
            p.step();
            const double start = energy();
            double least = 0.0, most = 0.0;
            for (int i = 0; i < 1200; ++i) {
                p.step();
                least = std::min(least, energy() - start);
                most = std::max(most, energy() - start);
            }
            // Semi-implicit steps of h let it swing by g h v / 2 (1 % at 10 cm) about what is kept.
            const double bound = (0.01 + 0.02 * std::sqrt(0.1 / double(length))) * depth;
            CHECK(most < bound);
            CHECK(least > -bound);
        }
}

TEST_CASE("a chain on a turning, moving body follows it") {
    // The anchor circles at 3 rad/s, 1 m from its axis: a pendulum bob settles where the forces balance.
    TestWorld t;
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    const Entity arm = t.world.create_body({.type = BodyType::kinematic}).value();
    t.velocity(arm).angular = {0.0f, 3.0f, 0.0f};
    const Entity bob = t.world.create_body({.pose = {.position = {1.0f, -1.0f, 0.0f}}, .mass = 2.0f}).value();
    REQUIRE(t.world.add_collider(bob, {.shape = t.shape(TestWorld::sphere(0.05f))}).ok());
    BallJoint joint{.body_a = arm, .body_b = bob, .anchor_a = {1.0f, 0.0f, 0.0f}, .anchor_b = {0.0f, 1.0f, 0.0f}};
    REQUIRE(t.world.create_joint(joint).ok());
    t.world.registry().patch<RigidBody>(bob, [](RigidBody& body) { body.linear_damping = 0.5f; });
    float worst = 0.0f;
    for (int i = 0; i < 1800; ++i) {
        t.step();
        worst = std::max(worst, t.world.report().joint_error_max);
    }
    CHECK(worst < 1e-3f);
    // m w^2 r = T sin, m g = T cos, and the damping, which leans it back: solved for the angle outwards by bisection
    // of tan(a) = w^2 (1 + sin a) / g, which damping of 0.5/s changes by less than 2 per cent.
    double low = 0.0, high = 1.5;
    for (int i = 0; i < 60; ++i) {
        const double a = 0.5 * (low + high);
        (std::tan(a) < 9.0 * (1.0 + std::sin(a)) / 9.81 ? low : high) = a;
    }
    const Vec3 at = t.pose(bob).position;
    CHECK(std::hypot(at.x, at.z) == doctest::Approx(1.0 + std::sin(low)).epsilon(0.02));
}

TEST_CASE("an island with joints whose solver does not know them is solved all the same, and the report says so") {
    Chain c(3, 1.0f);
    StepSettings s = c.settings();
    s.solver = "lemke";
    c.set(s);
    c.step();
    REQUIRE(c.world.report().warnings.size() == 1);
    CHECK(c.world.report().warnings[0].message.find("does not know joints") != std::string::npos);
    c.run(1.0f);
    CHECK(c.world.report().joint_error_max < 1e-3f);
}

TEST_CASE("a soft joint is a spring: m g / k below its anchor, k = m (2 pi f)^2") {
    for (const float hertz : {1.0f, 2.0f, 5.0f}) {
        CAPTURE(hertz);
        Pendulum p(0.0f, 0.0f, hertz);
        p.run(12.0f / hertz);
        const float w = 2.0f * 3.14159265f * hertz;
        CHECK(-p.pose(p.bob).position.y == doctest::Approx(9.81f / (w * w)).epsilon(0.005));
    }
}

TEST_CASE("bodies that a joint connects do not meet, unless the joint says so") {
    for (const bool meet : {false, true}) {
        CAPTURE(meet);
        TestWorld t;
        const Entity a = t.body(TestWorld::box(Vec3(0.5f)), {});
        const Entity b = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.9f, 0.0f, 0.0f}});
        BallJoint joint{.body_a = a, .body_b = b, .anchor_a = {0.45f, 0.0f, 0.0f}, .anchor_b = {-0.45f, 0.0f, 0.0f}};
        joint.collide_connected = meet;
        const Entity made = t.world.create_joint(joint).value();
        t.step();
        CHECK(t.world.contacts().empty() == !meet);
        t.world.destroy_joint(made);
        t.step();
        t.step();
        CHECK(!t.world.contacts().empty());
    }
}

TEST_CASE("a chain that hangs still falls asleep, and what loses its joint wakes and falls") {
    Chain c(4, 1.0f);
    c.run(6.0f);
    for (const Entity link : c.links) REQUIRE(c.world.registry().get<SleepState>(link).asleep == 1);
    const float y = c.pose(c.end).position.y;
    c.world.destroy_joint(c.joints[2]);
    c.run(0.5f);
    CHECK(c.pose(c.end).position.y < y - 1.0f);  // 1.2 m in half a second
    CHECK(c.pose(c.links[0]).position.y == doctest::Approx(-0.1f).epsilon(0.05));
}

TEST_CASE(
    "a chain has the same future on any number of threads and after a restore, and a destroyed body takes its joints "
    "along") {
    Chain one(12, 3.0f), other(12, 3.0f);
    other.world.set_jobs(engine::make_threaded_jobs(2));
    for (Chain* c : {&one, &other}) c->velocity(c->end).linear = {2.0f, 0.0f, 1.0f};
    for (int i = 0; i < 40; ++i) {
        one.step();
        other.step();
    }
    CHECK(one.world.state_hash() == other.world.state_hash());
    engine::Snapshot snapshot;
    one.world.save(snapshot);
    REQUIRE(other.world.restore(snapshot).ok());
    one.world.destroy_body(one.links[5]);
    other.world.destroy_body(other.links[5]);
    for (int i = 0; i < 40; ++i) {
        one.step();
        other.step();
        REQUIRE(one.world.state_hash() == other.world.state_hash());
    }
    CHECK(one.world.report().joints == 11);
    CHECK(one.world.report().warnings.empty());
}

TEST_CASE("a joint that is refused changes nothing, and a restored world says nothing of another time") {
    Chain c(2, 1.0f);
    engine::Snapshot before, after;
    c.world.save(before);
    const BallJoint good{.body_a = c.anchor, .body_b = c.end};
    BallJoint alone = good, stiff = good;
    alone.body_b = c.anchor;
    stiff.hertz = -1.0f;
    CHECK_FALSE(c.world.create_joint(alone).ok());
    CHECK_FALSE(c.world.create_joint(stiff).ok());
    c.world.save(after);
    CHECK(after.bytes == before.bytes);

    TestWorld t;
    t.floor();
    t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 3.0f, 0.0f}});
    t.world.save(before);
    for (int i = 0; i < 120 && t.world.events().begin.empty(); ++i) t.step();
    REQUIRE_FALSE(t.world.events().begin.empty());
    REQUIRE(t.world.restore(before).ok());
    CHECK(t.world.events().begin.empty());
    CHECK(t.world.report().step == 0);
}

TEST_CASE("joints that make no sense are refused with a sentence, or left out with a warning") {
    TestWorld t;
    const Entity a = t.body(TestWorld::box(Vec3(0.5f)), {}),
                 b = t.body(TestWorld::box(Vec3(0.5f)), {.position = {2.0f, 0.0f, 0.0f}});
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(t.world.create_joint(BallJoint{.body_a = a, .body_b = a}).error().find("different") != std::string::npos);
    CHECK(t.world.create_joint(BallJoint{.body_a = a}).error().find("existing") != std::string::npos);
    CHECK(t.world.create_joint(BallJoint{.body_a = a, .body_b = b, .anchor_a = {nan, 0.0f, 0.0f}})
              .error()
              .find("finite") != std::string::npos);
    CHECK(t.world.create_joint(BallJoint{.body_a = a, .body_b = b, .hertz = -1.0f}).error().find("frequency") !=
          std::string::npos);
    const Entity joint = t.world.create_joint(BallJoint{.body_a = a, .body_b = b}).value();
    t.world.registry().get<BallJoint>(joint).anchor_b.y = nan;
    t.step();
    REQUIRE(t.world.report().warnings.size() == 1);
    CHECK(t.world.report().warnings[0].entity == joint);
    CHECK(t.world.report().joints == 0);
    t.world.registry().get<BallJoint>(joint).anchor_b.y = 0.0f;
    t.step();
    CHECK(t.world.report().joints == 1);
}
