// SPDX-License-Identifier: MIT
// Waking and sleeping by hand, and that every change of a sleeping body wakes it and its island.
#include <functional>
#include <string>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

bool says(const std::string& error, const char* words) { return error.find(words) != std::string::npos; }

/// Two cubes on each other on a floor, and a third one far away.
struct Stack {
    TestWorld t;
    Entity floor = kNoEntity, lower = kNoEntity, upper = kNoEntity, other = kNoEntity;

    Stack() {
        floor = t.floor();
        lower = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
        upper = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 1.5f, 0.0f}});
        other = t.body(TestWorld::box(Vec3(0.5f)), {.position = {10.0f, 0.5f, 0.0f}});
    }
    PhysicsWorld& world() { return t.world; }
    void fall_asleep() {
        t.run(3.0f);
        for (const Entity e : {lower, upper, other}) REQUIRE(t.world.is_asleep(e));
    }
};

}  // namespace

TEST_CASE("a body that is told to sleep sleeps at once with its island, and stays where it is") {
    Stack s;
    s.t.run(0.1f);
    REQUIRE_FALSE(s.world().is_asleep(s.lower));
    REQUIRE(s.world().sleep(s.upper).ok());
    CHECK(s.world().is_asleep(s.upper));
    CHECK(s.world().is_asleep(s.lower));
    CHECK_FALSE(s.world().is_asleep(s.other));
    const Pose lower = s.world().pose(s.lower), upper = s.world().pose(s.upper);
    s.t.run(0.2f);
    CHECK(s.world().is_asleep(s.upper));
    CHECK(s.world().is_asleep(s.lower));
    CHECK(s.world().report().sleeping == 2);
    CHECK(s.world().pose(s.lower).position == lower.position);
    CHECK(s.world().pose(s.upper).position == upper.position);
    REQUIRE(s.world().wake(s.lower).ok());
    CHECK_FALSE(s.world().is_asleep(s.lower));
    s.t.step();
    CHECK_FALSE(s.world().is_asleep(s.lower));
    CHECK_FALSE(s.world().is_asleep(s.upper));
}

TEST_CASE("a body in the air that is told to sleep hangs there until it is woken or hit") {
    TestWorld t;
    const Entity ball = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 10.0f, 0.0f}});
    t.step();
    REQUIRE(t.world.sleep(ball).ok());
    CHECK(t.world.velocity(ball).linear == Vec3(0.0f));
    const float height = t.world.pose(ball).position.y;
    t.run(1.0f);
    CHECK(t.world.pose(ball).position.y == height);
    t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 12.0f, 0.0f}});
    t.run(1.0f);
    CHECK(t.world.pose(ball).position.y < height - 0.5f);
}

TEST_CASE("sleep is refused where the next step would end it, with the reason") {
    Stack s;
    const auto refused = [&](const char* words) {
        const Result<void> result = s.world().sleep(s.upper);
        CHECK_FALSE(result.ok());
        CHECK_MESSAGE(says(result.error(), words), result.error());
        CHECK_FALSE(s.world().is_asleep(s.upper));
        CHECK_FALSE(s.world().is_asleep(s.lower));
    };
    refused("first");
    s.t.run(0.1f);
    CHECK(says(s.world().sleep(s.floor).error(), "fixed"));
    s.world().registry().get<RigidBody>(s.lower).allow_sleep = 0;
    refused("allow_sleep");
    s.world().registry().get<RigidBody>(s.lower).allow_sleep = 1;
    REQUIRE(s.world().set_pose(s.lower, {.position = {0.0f, 0.501f, 0.0f}}).ok());
    refused("elsewhere");
    s.t.step();
    StepSettings settings = s.t.settings();
    settings.sleeping = false;
    s.t.set(settings);
    refused("sleeping");
    settings.sleeping = true;
    s.t.set(settings);
    REQUIRE(s.world().set_type(s.floor, BodyType::kinematic).ok());
    REQUIRE(s.world().set_velocity(s.floor, {.linear = {0.1f, 0.0f, 0.0f}}).ok());
    refused("kinematic");
}

TEST_CASE("bodies joined by a joint are one island for sleep") {
    TestWorld t;
    const Entity post = t.body(TestWorld::box(Vec3(0.1f)), {.type = BodyType::fixed, .position = {0.0f, 5.0f, 0.0f}});
    const Entity first = t.body(TestWorld::box(Vec3(0.2f)), {.position = {0.0f, 4.0f, 0.0f}});
    const Entity second = t.body(TestWorld::box(Vec3(0.2f)), {.position = {0.0f, 3.0f, 0.0f}});
    REQUIRE(t.world.create_joint(BallJoint{.body_a = post, .body_b = first, .anchor_b = {0.0f, 1.0f, 0.0f}}).ok());
    REQUIRE(t.world.create_joint(BallJoint{.body_a = first, .body_b = second, .anchor_b = {0.0f, 1.0f, 0.0f}}).ok());
    t.run(0.1f);
    REQUIRE(t.world.sleep(second).ok());
    CHECK(t.world.is_asleep(first));
    t.run(0.2f);
    CHECK(t.world.is_asleep(first));
    CHECK(t.world.is_asleep(second));
}

TEST_CASE("sleep after a restore, before any step, knows the island") {
    Stack s;
    s.t.run(0.1f);
    engine::Snapshot snapshot;
    s.world().save(snapshot);
    REQUIRE(s.world().restore(snapshot).ok());
    REQUIRE(s.world().sleep(s.lower).ok());
    CHECK(s.world().is_asleep(s.upper));
    s.t.run(0.1f);
    CHECK(s.world().is_asleep(s.upper));
    CHECK_FALSE(s.world().is_asleep(s.other));
}

TEST_CASE("every function that changes a body that sleeps wakes it and its island, and nobody else") {
    using Change = std::function<Result<void>(Stack&)>;
    const std::vector<std::pair<const char*, Change>> changes = {
        {"wake", [](Stack& s) { return s.world().wake(s.lower); }},
        {"set_pose",
         [](Stack& s) {
             Pose p = s.world().pose(s.lower);
             p.position.x += 0.01f;
             return s.world().set_pose(s.lower, p);
         }},
        {"set_velocity",
         [](Stack& s) {
             return s.world().set_velocity(s.lower, {.linear = {0.1f, 0.0f, 0.0f}});
         }},
        {"set_type", [](Stack& s) { return s.world().set_type(s.lower, BodyType::kinematic); }},
        {"set_mass", [](Stack& s) { return s.world().set_mass(s.lower, {.mass = 3.0f, .source = MassSource::total}); }},
        {"set_material", [](Stack& s) { return s.world().set_material(s.lower, {.friction = 0.1f}); }},
        {"apply_force",
         [](Stack& s) {
             return s.world().apply_force(s.lower, {1.0f, 0.0f, 0.0f});
         }},
        {"apply_torque",
         [](Stack& s) {
             return s.world().apply_torque(s.lower, {1.0f, 0.0f, 0.0f});
         }},
        {"apply_force_at",
         [](Stack& s) {
             return s.world().apply_force_at(s.lower, {1.0f, 0.0f, 0.0f}, Vec3(1.0f));
         }},
        {"apply_impulse",
         [](Stack& s) {
             return s.world().apply_impulse(s.lower, {1.0f, 0.0f, 0.0f});
         }},
        {"apply_angular_impulse", [](Stack& s) { return s.world().apply_angular_impulse(s.lower, Vec3(1.0f)); }},
        {"apply_impulse_at", [](Stack& s) { return s.world().apply_impulse_at(s.lower, Vec3(1.0f), Vec3(1.0f)); }},
        {"add_collider",
         [](Stack& s) -> Result<void> {
             const Collider ball{.shape = s.t.shape(TestWorld::sphere(0.1f)),
                                 .local = {.position = {0.6f, 0.0f, 0.0f}}};
             if (const auto added = s.world().add_collider(s.lower, ball); !added) return Error{added.error()};
             return {};
         }},
        {"remove_collider", [](Stack& s) { return s.world().remove_collider(s.world().colliders(s.lower)[0]); }},
    };
    for (const auto& [name, change] : changes) {
        CAPTURE(std::string(name));
        Stack s;
        s.fall_asleep();
        const Result<void> done = change(s);
        REQUIRE_MESSAGE(done.ok(), done.error());
        s.t.step();
        CHECK_FALSE(s.world().is_asleep(s.lower));
        CHECK_FALSE(s.world().is_asleep(s.upper));
        CHECK(s.world().is_asleep(s.other));
    }
}

TEST_CASE("another gravity wakes everything, and the same one nobody") {
    Stack s;
    s.fall_asleep();
    StepSettings settings = s.t.settings();
    settings.substeps = 4;
    s.t.set(settings);
    s.t.step();
    CHECK(s.world().is_asleep(s.other));
    settings.gravity = {0.0f, 1.0f, 0.0f};
    s.t.set(settings);
    s.t.run(1.0f);
    for (const Entity e : {s.lower, s.upper, s.other}) CHECK(s.world().pose(e).position.y > 0.8f);
}

TEST_CASE("gravity that is turned just before a ball falls asleep lets it roll, whatever the step") {
    for (int before = 0; before < 8; ++before) {
        CAPTURE(before);
        // The step in which it falls asleep when nothing changes, and the same again with a turn some steps before.
        int asleep_at = 0;
        for (const bool turns : {false, true}) {
            TestWorld t;
            t.floor();
            const Entity ball = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 0.5f, 0.0f}});
            for (int i = 0; i < 200; ++i) {
                if (turns && i == asleep_at - before) {
                    StepSettings s = t.settings();
                    const float slope = 0.1f * kPi / 180.0f;
                    s.gravity = kG * Vec3(std::sin(slope), -std::cos(slope), 0.0f);
                    t.set(s);
                }
                t.step();
                if (!turns && t.world.is_asleep(ball)) {
                    asleep_at = i;
                    break;
                }
            }
            if (!turns) REQUIRE(asleep_at > 10);
            if (turns) {
                CHECK_FALSE(t.world.is_asleep(ball));
                CHECK(t.pose(ball).position.x > 0.01f);
            }
        }
    }
}

TEST_CASE("boxes that overlap part before they sleep") {
    for (const float overlap : {0.01f, 0.02f, 0.04f, 0.08f}) {
        CAPTURE(overlap);
        TestWorld t;
        t.floor();
        std::vector<Entity> boxes;
        for (int i = 0; i < 6; ++i)
            boxes.push_back(t.body(TestWorld::box(Vec3(0.5f)),
                                   {.position = {0.0f, 0.5f - overlap + (1.0f - overlap) * float(i), 0.0f}}));
        t.run(10.0f);
        for (size_t i = 0; i < boxes.size(); ++i) {
            CHECK(t.world.is_asleep(boxes[i]));
            CHECK(std::abs(t.pose(boxes[i]).position.y - 0.5f - float(i)) < 0.005f);
        }
    }
}
