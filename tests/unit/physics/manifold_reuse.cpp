// SPDX-License-Identifier: MIT
// A manifold that is kept from step to step says what a new one would say: its frame turns with the bodies.
#include <algorithm>
#include <cmath>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const Manifold& only_manifold(TestWorld& t) {
    const std::vector<ContactView> found = t.world.contacts();
    REQUIRE(found.size() == 1);
    return *found[0].manifold;
}

/// Between two directions without sign, degrees.
float degrees_between_lines(const Vec3& a, const Vec3& b) {
    return glm::degrees(std::acos(std::min(1.0f, std::abs(glm::dot(glm::normalize(a), glm::normalize(b))))));
}

TestWorld& without_sleep(TestWorld& t) {
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    return t;
}

Entity give_grain(TestWorld& t, Entity body) {
    for (const auto [entity, collider] : t.world.registry().view<Collider>().each())
        if (collider.body == body) {
            t.world.registry().patch<Collider>(entity, [](Collider& c) {
                c.material.friction = 0.2f;
                c.material.friction_direction = {1.0f, 0.0f, 0.0f};
                c.material.friction_across = 0.8f;
            });
            return entity;
        }
    return kNoEntity;
}

// Degrees: a frame with a grain is kept for one, and a step turns it by 0.2.
constexpr float kGrainLag = 1.2f;

}  // namespace

TEST_CASE("the grain of the ground follows the ground, while what lies on it is held where it is") {
    // Which of the two has the smaller id decides which is A: both orders, so that the grain is A's or B's.
    for (const bool ground_first : {true, false}) {
        CAPTURE(ground_first);
        TestWorld t;
        without_sleep(t);
        Entity ground = kNoEntity, cube = kNoEntity;
        const auto make_ground = [&] {
            ground =
                t.body(TestWorld::box({5.0f, 1.0f, 5.0f}), {.type = BodyType::fixed, .position = {0.0f, -1.0f, 0.0f}});
        };
        if (ground_first) make_ground();
        cube = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
        if (!ground_first) make_ground();
        give_grain(t, ground);
        t.step();
        const Pose held = t.pose(cube);
        float worst = 0.0f;
        for (int i = 1; i <= 60; ++i) {
            t.pose(ground).rotation = turn({0.0f, 1.0f, 0.0f}, 0.2f * float(i));
            t.pose(cube) = held;
            t.velocity(cube) = {};
            t.step();
            const Vec3 grain = t.pose(ground).rotation * Vec3(1.0f, 0.0f, 0.0f);
            worst = std::max(worst, degrees_between_lines(grain, only_manifold(t).tangent1));
        }
        CHECK(worst < kGrainLag);
    }
}

TEST_CASE("the normal of a contact turns with a plate that tilts, and with the box that rides on it") {
    // Nothing moves relative to the other: only the turn of the two in the world says that the frame is old.
    for (const bool plate_first : {true, false}) {
        CAPTURE(plate_first);
        TestWorld t;
        without_sleep(t);
        Entity plate = kNoEntity, box = kNoEntity;
        const float speed = glm::radians(6.0f);
        const auto make_plate = [&] {
            plate = t.body(TestWorld::box({3.0f, 0.5f, 3.0f}), {.type = BodyType::kinematic,
                                                                .position = {0.0f, -0.5f, 0.0f},
                                                                .velocity = {.angular = {0.0f, 0.0f, speed}},
                                                                .friction = 2.0f});
        };
        if (plate_first) make_plate();
        box = t.body(TestWorld::box({0.5f, 0.2f, 0.5f}), {.position = {0.0f, 0.2f, 0.0f}, .friction = 2.0f});
        if (!plate_first) make_plate();
        float worst = 0.0f;
        for (int i = 0; i < 300; ++i) {  // to 30 degrees; friction holds up to 63
            t.step();
            const Vec3 up = t.pose(plate).rotation * Vec3(0.0f, 1.0f, 0.0f);
            worst = std::max(worst, degrees_between_lines(up, only_manifold(t).normal));
        }
        CHECK(degrees_between_lines(t.pose(plate).rotation * Vec3(0.0f, 1.0f, 0.0f), {0.0f, 1.0f, 0.0f}) > 29.0f);
        // A frame without grain is kept for ten degrees, and a step turns by a tenth of one.
        CHECK(worst < 10.2f);
        // The box rides: it did not slide off.
        const Vec3 on_plate = glm::conjugate(t.pose(plate).rotation) * (t.pose(box).position - t.pose(plate).position);
        CHECK(glm::length(on_plate - Vec3(0.0f, 0.7f, 0.0f)) < 0.1f);
    }
}
