// SPDX-License-Identifier: MIT
// What makes no sense gets a sentence or a defined, finite behaviour: never a crash, a hang or a silent clamp.
#include <cmath>
#include <limits>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

bool says(const std::string& error, const char* word) { return error.find(word) != std::string::npos; }

bool all_finite(TestWorld& t) {
    for (auto [e, pose, velocity] : t.world.registry().view<Pose, Velocity>().each())
        if (!is_finite(pose.position) || !is_finite(pose.rotation) || !is_finite(velocity.linear) ||
            !is_finite(velocity.angular))
            return false;
    return true;
}

}  // namespace

TEST_CASE("a step of zero, negative, infinite or not-a-number seconds is refused and nothing moves") {
    TestWorld t;
    const Entity ball = t.body(TestWorld::sphere(0.5f), {.velocity = {.linear = {1.0f, 0.0f, 0.0f}, .angular = {}}});
    for (const float dt : {0.0f, -0.01f, kNan, kInf, 1e-30f}) {
        const auto done = t.world.step(dt);
        CHECK_FALSE(done.ok());
        CHECK(says(done.error(), "step"));
    }
    CHECK(t.pose(ball).position == Vec3(0.0f));
    CHECK(t.world.report().step == 0);
}

TEST_CASE("masses, densities, materials and poses that make no sense are refused with a sentence") {
    TestWorld t;
    for (const float mass : {kNan, -1.0f, kInf, 1e-45f}) {
        BodyDesc b;
        b.mass = mass;
        const auto made = t.world.create_body(b);
        CHECK_FALSE(made.ok());
        CHECK(says(made.error(), "mass"));
    }
    BodyDesc bad_pose;
    bad_pose.pose.position.x = kNan;
    CHECK_FALSE(t.world.create_body(bad_pose).ok());
    bad_pose.pose = {};
    bad_pose.pose.rotation = Quat(0.0f, 0.0f, 0.0f, 0.0f);
    CHECK(says(t.world.create_body(bad_pose).error(), "unit quaternion"));

    const Entity body = t.world.create_body({}).value();
    Collider c;
    CHECK(says(t.world.add_collider(body, c).error(), "shape"));
    c.shape = t.shape(TestWorld::sphere(0.5f));
    CHECK(says(t.world.add_collider(kNoEntity, c).error(), "body"));
    Collider odd = c;
    odd.density = -5.0f;
    CHECK(says(t.world.add_collider(body, odd).error(), "density"));
    odd = c;
    odd.material.friction = kNan;
    CHECK(says(t.world.add_collider(body, odd).error(), "Friction"));
    odd = c;
    odd.material.restitution = 1.5f;
    CHECK(says(t.world.add_collider(body, odd).error(), "Restitution"));
    odd = c;
    odd.shape = t.shape(TestWorld::half_space());
    CHECK(says(t.world.add_collider(body, odd).error(), "fixed body"));
}

TEST_CASE("settings that make no sense are refused and the old ones stay") {
    TestWorld t;
    const auto refused = [&](auto change, const char* word) {
        StepSettings s = t.settings();
        change(s);
        const auto set = t.world.set_settings(s);
        CHECK_FALSE(set.ok());
        CHECK_MESSAGE(says(set.error(), word), set.error());
    };
    refused([](StepSettings& s) { s.solver = "gauss"; }, "prox_gs");
    refused([](StepSettings& s) { s.substeps = 0; }, "substeps");
    refused([](StepSettings& s) { s.gravity.y = kNan; }, "gravity");
    refused([](StepSettings& s) { s.contact_hertz = kNan; }, "contact_hertz");
    refused([](StepSettings& s) { s.tolerance = -1.0; }, "tolerance");
    refused([](StepSettings& s) { s.sleep_time = kInf; }, "sleep_time");
    CHECK(t.settings().solver == "prox_gs");
}

TEST_CASE("a body that is made non-finite is quarantined and named, and the others go on") {
    for (const int how : {0, 1, 2, 3}) {
        CAPTURE(how);
        TestWorld t;
        t.floor();
        const Entity sick = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
        const Entity well = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 1.5f, 0.0f}});
        t.run(0.5f);
        if (how == 0) t.velocity(sick).linear.x = kNan;
        if (how == 1) t.pose(sick).position.y = kInf;
        if (how == 2) t.world.registry().get<Force>(sick).linear.z = kNan;
        if (how == 3) t.velocity(sick).linear.x = 3e38f;  // finite, but not after a step
        t.step();
        bool named = false;
        for (const StepWarning& w : t.world.report().warnings) named |= w.entity == sick;
        CHECK(named);
        CHECK(t.world.registry().all_of<Quarantined>(sick));
        t.run(1.0f);
        CHECK(all_finite(t));
        if (how < 3) CHECK_FALSE(t.world.registry().all_of<Quarantined>(well));
    }
}

TEST_CASE("a quarantined body comes back when its component is removed") {
    TestWorld t;
    const Entity ball = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 3.0f, 0.0f}});
    t.step();
    t.velocity(ball).linear.x = kNan;
    t.step();
    REQUIRE(t.world.registry().all_of<Quarantined>(ball));
    const float y = t.pose(ball).position.y;
    t.run(0.2f);
    CHECK(t.pose(ball).position.y == y);
    t.world.registry().remove<Quarantined>(ball);
    t.run(0.2f);
    CHECK(t.pose(ball).position.y < y);
}

TEST_CASE("a thousand bodies spawned in one point stay finite and come apart") {
    TestWorld t;
    t.floor();
    for (int i = 0; i < 1000; ++i)
        t.body(i % 2 ? TestWorld::sphere(0.1f) : TestWorld::box({0.1f, 0.1f, 0.1f}), {.position = {0.0f, 3.0f, 0.0f}});
    for (int i = 0; i < 3; ++i) t.step();
    CHECK(all_finite(t));
    CHECK(t.world.report().pairs > 100000);
    for (const StepWarning& w : t.world.report().warnings) FAIL_CHECK(w.message);
    for (auto [e, v] : t.world.registry().view<Velocity>().each()) CHECK(glm::length(v.linear) < 100.0f);
}

TEST_CASE("bodies whose sizes differ by a million rest on each other or are refused") {
    TestWorld t;
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    t.body(TestWorld::box({500.0f, 10.0f, 500.0f}), {.type = BodyType::fixed, .position = {0.0f, -10.0f, 0.0f}});
    const Entity grain = t.body(TestWorld::box({0.0005f, 0.0005f, 0.0005f}), {.position = {0.0f, 0.0005f, 0.0f}});
    t.run(1.0f);
    CHECK(all_finite(t));
    CHECK(std::abs(t.pose(grain).position.y) < 0.002f);
    CHECK_FALSE(t.world.shapes().add(TestWorld::box({1.0f, 1.0f, 3e-7f})).ok());
}

TEST_CASE("a body without colliders falls, and a world without bodies steps") {
    TestWorld empty;
    empty.run(0.1f);
    CHECK(empty.world.report().bodies == 0);
    TestWorld t;
    const Entity e = t.world.create_body({}).value();
    t.run(0.5f);
    CHECK(t.velocity(e).linear.y == doctest::Approx(-0.5f * kG));
    CHECK(t.mass(e).mass == 1.0f);
}
