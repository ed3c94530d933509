// SPDX-License-Identifier: MIT
// What hangs on joints sleeps when it hangs still, and not at the turning point of a swing.
#include <cmath>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

// README and docs/joints.md: what swings by more than a hundredth of its length stays awake. The offset at which it
// falls asleep is measured against that, with room for what a step moves it by.
constexpr float kSmallSwing = 0.012f;

/// A ball on a string of no mass that is let go at rest, `angle` off the plumb line.
struct Pendulum : TestWorld {
    Entity bob;
    explicit Pendulum(float length, float angle, bool direct = true) {
        StepSettings s = settings();
        s.direct_islands = direct;
        set(s);
        const Entity anchor = world.create_body({.type = BodyType::fixed}).value();
        const Quat turned = glm::angleAxis(angle, Vec3(0.0f, 0.0f, 1.0f));
        const Vec3 up(0.0f, length, 0.0f);
        bob = body(sphere(0.1f * length), {.position = -(turned * up), .rotation = turned});
        world.create_joint(BallJoint{.body_a = anchor, .body_b = bob, .anchor_b = up}).value();
    }
    float angle() const {
        const Vec3 at = world.pose(bob).position;
        return std::abs(std::atan2(std::hypot(at.x, at.z), -at.y));
    }
};

}  // namespace

TEST_CASE("a pendulum of any length does not fall asleep at its turning point") {
    Random random;
    for (int k = 0; k < 60; ++k) {
        const float length = std::pow(10.0f, random.between(-3.0f, 2.0f));
        // From a fiftieth of its length to nearly horizontal.
        const float angle = 0.02f * std::pow(70.0f, random.between(0.0f, 1.0f));
        const bool direct = k % 4 != 0;
        CAPTURE(length);
        CAPTURE(angle);
        CAPTURE(direct);
        Pendulum p(length, angle, direct);
        const float period = 2.0f * 3.14159265f * std::sqrt(length / 9.81f);
        const float seconds = std::max(6.0f, 2.0f * period);
        for (int i = 0; i < int(seconds / kDt) && !p.world.is_asleep(p.bob); ++i) p.step();
        // Short ones lose their swing to the length of sub-steps, and may sleep when it is gone.
        if (p.world.is_asleep(p.bob)) CHECK(p.angle() < kSmallSwing);
        if (direct && length > 0.1f) CHECK_FALSE(p.world.is_asleep(p.bob));
    }
}

TEST_CASE("the pendulums that an outside try found asleep off plumb swing on") {
    for (const float length : {1.0f, 3.0f, 10.0f})
        for (const float angle : {0.02f, 0.05f, 0.1f, 0.2f}) {
            CAPTURE(length);
            CAPTURE(angle);
            Pendulum p(length, angle);
            for (int i = 0; i < 20 * 60; ++i) {
                p.step();
                REQUIRE_FALSE(p.world.is_asleep(p.bob));
            }
        }
}

TEST_CASE("a pendulum that hangs still falls asleep, whatever its length") {
    Random random;
    for (int k = 0; k < 24; ++k) {
        const float length = std::pow(10.0f, random.between(-3.0f, 2.0f));
        const bool direct = k % 3 != 0;
        CAPTURE(length);
        CAPTURE(direct);
        Pendulum p(length, 0.0f, direct);
        p.run(3.0f);
        CHECK(p.world.is_asleep(p.bob));
    }
}

TEST_CASE("a chain of any size that hangs still falls asleep, and one that swings does not") {
    for (const float size : {0.01f, 0.1f, 1.0f})
        for (const int count : {3, 20, 80})
            for (const bool swings : {false, true}) {
                // Contacts are looked for within 2 cm: links of 1 cm have some, are swept, and long chains of them
                // tremble.
                if (size == 0.01f && count == 80) continue;
                CAPTURE(size);
                CAPTURE(count);
                CAPTURE(swings);
                TestWorld t;
                Entity above = t.world.create_body({.type = BodyType::fixed}).value();
                std::vector<Entity> links;
                for (int i = 0; i < count; ++i) {
                    const Entity link = t.body(TestWorld::capsule(0.2f * size, 0.3f * size),
                                               {.position = {0.0f, -size * (float(i) + 0.5f), 0.0f}});
                    const Vec3 low = i == 0 ? Vec3(0.0f) : Vec3(0.0f, -0.5f * size, 0.0f);
                    t.world
                        .create_joint(BallJoint{
                            .body_a = above, .body_b = link, .anchor_a = low, .anchor_b = {0, 0.5f * size, 0}})
                        .value();
                    links.push_back(link);
                    above = link;
                }
                // Half a length of the chain in the time that it takes to swing.
                const float speed = 0.5f * std::sqrt(9.81f * size * float(count));
                if (swings) t.velocity(links.back()).linear.x = speed;
                t.run(4.0f);
                for (const Entity link : links) CHECK(t.world.is_asleep(link) == !swings);
            }
}
