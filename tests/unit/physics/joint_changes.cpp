// SPDX-License-Identifier: MIT
// Joints that a game changes, restores or steps otherwise than before: what sleeps, wakes and goes on as it was.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

bool asleep(TestWorld& t, Entity e) { return t.world.registry().get<SleepState>(e).asleep != 0; }

/// Balls of 1 kg, one below the other 0.5 m apart, that hang from a fixed body.
struct HangingBalls : TestWorld {
    std::vector<Entity> balls, joints;
    explicit HangingBalls(int count) { hang(count); }
    HangingBalls(int count, const StepSettings& s) {
        set(s);
        hang(count);
    }
    void hang(int count) {
        Entity above = world.create_body({.type = BodyType::fixed}).value();
        for (int i = 0; i < count; ++i) {
            const Vec3 at(0.0f, -0.5f * float(i + 1), 0.0f);
            balls.push_back(body(sphere(0.1f), {.position = at, .mass = 1.0f}));
            const BallJoint joint{.body_a = above, .body_b = balls.back(), .anchor_b = {0.0f, 0.5f, 0.0f}};
            joints.push_back(world.create_joint(joint).value());
            above = balls.back();
        }
    }
};

}  // namespace

TEST_CASE("a joint that becomes a spring wakes what hangs on it, which sinks by m g / k") {
    HangingBalls t(1);
    t.run(4.0f);
    REQUIRE(asleep(t, t.balls[0]));
    t.world.registry().get<BallJoint>(t.joints[0]).hertz = 2.0f;
    t.step();
    CHECK_FALSE(asleep(t, t.balls[0]));
    t.run(6.0f);
    // Twelve periods of critical damping leave nothing of the motion; half a per cent for the implicit spring, as for
    // one that was made so.
    const float w = 2.0f * 3.14159265f * 2.0f;
    CHECK(-0.5f - t.pose(t.balls[0]).position.y == doctest::Approx(kG / (w * w)).epsilon(0.005));
}

TEST_CASE("what hangs asleep goes on sleeping when a body far away goes, though all bodies change their slots") {
    TestWorld t;
    const Entity other = t.body(TestWorld::sphere(0.5f), {.type = BodyType::fixed, .position = {50.0f, 0.0f, 0.0f}});
    const Entity top = t.world.create_body({.type = BodyType::fixed}).value();
    const Entity last = t.body(TestWorld::sphere(0.5f), {.type = BodyType::fixed, .position = {60.0f, 0.0f, 0.0f}});
    const Entity ball = t.body(TestWorld::sphere(0.1f), {.position = {0.0f, -0.5f, 0.0f}});
    REQUIRE(t.world.create_joint(BallJoint{.body_a = top, .body_b = ball, .anchor_b = {0.0f, 0.5f, 0.0f}}).ok());
    t.run(4.0f);
    REQUIRE(asleep(t, ball));
    // First both bodies of the joint get other slots, then one of them alone.
    for (const Entity gone : {other, last}) {
        t.world.destroy_body(gone);
        t.step();
        CHECK(asleep(t, ball));
        CHECK(t.world.report().bodies == 0);
    }
}

TEST_CASE("bodies that a joint connects do not meet in a restored world either") {
    const auto build = [](TestWorld& t) {
        const Entity a = t.body(TestWorld::box(Vec3(0.5f)), {});
        const Entity b = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.9f, 0.0f, 0.0f}});
        REQUIRE(t.world
                    .create_joint(BallJoint{
                        .body_a = a, .body_b = b, .anchor_a = {0.45f, 0.0f, 0.0f}, .anchor_b = {-0.45f, 0.0f, 0.0f}})
                    .ok());
    };
    TestWorld t, other;
    build(t);
    build(other);
    for (int i = 0; i < 3; ++i) t.step();
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    REQUIRE(other.world.restore(snapshot).ok());
    for (int i = 0; i < 3; ++i) {
        t.step();
        other.step();
        CHECK(other.world.contacts().empty());
        REQUIRE(other.world.state_hash() == t.world.state_hash());
    }
}

TEST_CASE("two bodies that a joint connects do not fall asleep in the air at the top of their flight") {
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f, -0.01f, 0.0f);
    t.set(s);
    const Entity a = t.body(TestWorld::sphere(0.2f), {}),
                 b = t.body(TestWorld::sphere(0.2f), {.position = {1.0f, 0.0f, 0.0f}});
    REQUIRE(t.world.create_joint(BallJoint{.body_a = a, .body_b = b, .anchor_a = {1.0f, 0.0f, 0.0f}}).ok());
    t.run(5.0f);
    CHECK_FALSE(asleep(t, a));
    // g t^2 / 2; steps of 1/480 s add g t h / 2 to it, 0.04 %.
    CHECK(t.pose(a).position.y == doctest::Approx(-0.125).epsilon(0.001));
}

TEST_CASE("a swept chain that hangs still does not jump when the length of the step changes") {
    StepSettings s = TestWorld().settings();
    s.sleeping = false;
    s.direct_islands = false;
    HangingBalls t(8, s);
    t.run(8.0f);
    const auto fastest = [&] {
        float v = 0.0f;
        for (const Entity ball : t.balls) v = std::max(v, glm::length(t.velocity(ball).linear));
        return v;
    };
    REQUIRE(fastest() < 1e-3f);
    t.step(kDt / 4.0f);
    // The stiffness of the springs that keep rigid joints together follows the step too, so that the chain finds
    // another sag, of micrometres; impulses of the longer step would throw the balls up at g dt, 0.16 m/s.
    CHECK(fastest() < 5e-3f);
}

TEST_CASE("anchors are where the joint says in the frames of bodies whose centres of mass are elsewhere") {
    TestWorld t;
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    const ShapeId ball = t.shape(TestWorld::sphere(0.1f));
    const auto with_offset = [&](const Vec3& at, const Vec3& offset) {
        return t.world
            .create_body({.pose = {.position = at}, .colliders = {{.shape = ball, .local = {.position = offset}}}})
            .value();
    };
    const Entity top = t.world.create_body({.type = BodyType::fixed}).value();
    const Entity a = with_offset({0.0f, 0.0f, 0.0f}, {0.3f, -0.2f, 0.0f}),
                 b = with_offset({0.5f, 0.0f, 0.0f}, {0.1f, 0.1f, 0.4f});
    const Vec3 anchor_a(0.5f, 0.0f, 0.0f), anchor_b(0.0f);
    REQUIRE(t.world.create_joint(BallJoint{.body_a = top, .body_b = a}).ok());
    REQUIRE(t.world.create_joint(BallJoint{.body_a = a, .body_b = b, .anchor_a = anchor_a, .anchor_b = anchor_b}).ok());
    for (int i = 0; i < 60; ++i) {
        t.step();
        const Pose &pa = t.pose(a), &pb = t.pose(b);
        // What joints may be apart before they are closed is 0.01 mm; the rest is the rounding of poses.
        REQUIRE(glm::length(pa.position) < 2e-5f);
        REQUIRE(glm::length(pa.position + pa.rotation * anchor_a - pb.position - pb.rotation * anchor_b) < 2e-5f);
    }
}
