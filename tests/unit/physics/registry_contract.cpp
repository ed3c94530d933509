// SPDX-License-Identifier: MIT
// What a game may do with its registry: make bodies by hand, bring a registry of its own, and write nonsense, of which it
// is told.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();

struct Sprite {
    int picture = 0;
};
struct Label {};

bool warned(const PhysicsWorld& world, Entity of) {
    for (const StepWarning& warning : world.report().warnings)
        if (warning.entity == of) return true;
    return false;
}

}  // namespace

TEST_CASE("a body made with emplace alone falls and lands, without a warning") {
    TestWorld t;
    t.floor();
    entt::registry& r = t.world.registry();
    std::vector<Entity> bodies;
    const ShapeId ball = t.shape(TestWorld::sphere(0.5f));
    for (int i = 0; i < 5; ++i) {
        if (i == 3) t.step();  // some come later
        const Entity e = r.create();
        r.emplace<Pose>(e, Pose{{2.0f * float(i), 2.0f, 0.0f}});
        r.emplace<Velocity>(e);
        if (i % 2) r.emplace<Collider>(e, Collider{.shape = ball});
        r.emplace<RigidBody>(e);
        if (i % 2 == 0) r.emplace<Collider>(e, Collider{.body = e, .shape = ball});
        bodies.push_back(e);
    }
    for (int i = 0; i < 120; ++i) {
        t.step();
        REQUIRE(t.world.report().warnings.empty());
    }
    CHECK(t.world.bodies().size() == 6);
    for (const Entity e : bodies) {
        CHECK(t.pose(e).position.y == doctest::Approx(0.5f).epsilon(0.01));
        CHECK(t.mass(e).mass == doctest::Approx(1000.0f * 4.0f / 3.0f * kPi * 0.125f));
        CHECK(r.get<StableId>(e).value > 0);
    }
    // With a collider of its own entity, as create_body makes it.
    const Entity plain = r.create(), part = r.create();
    r.emplace<RigidBody>(plain, RigidBody{.type = BodyType::kinematic});
    r.emplace<Collider>(part, Collider{.body = plain, .shape = ball});
    t.step();
    CHECK(t.world.report().warnings.empty());
    CHECK(t.world.colliders(plain) == std::vector<Entity>{part});
}

TEST_CASE("bodies that wait for their numbers are in a snapshot, and step the same afterwards") {
    TestWorld t;
    t.floor();
    t.step();
    const Entity e = t.world.registry().create();
    t.world.registry().emplace<Pose>(e, Pose{{0.0f, 3.0f, 0.0f}});
    t.world.registry().emplace<RigidBody>(e);
    t.world.registry().emplace<Collider>(e, Collider{.shape = t.shape(TestWorld::sphere(0.5f))});
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    t.run(0.5f);
    const uint64_t hash = t.world.state_hash();
    CHECK(t.world.bodies().size() == 2);
    REQUIRE(t.world.restore(snapshot).ok());
    t.run(0.5f);
    CHECK(t.world.state_hash() == hash);
}

TEST_CASE("a world in the game's registry steps as one in its own, and leaves alone what is the game's") {
    entt::registry r;
    const Entity sprite = r.create();
    r.emplace<Sprite>(sprite, Sprite{7});
    const Entity bare = r.create();
    // A body that was there before the world.
    const Entity early = r.create();
    r.emplace<Sprite>(early, Sprite{8});
    r.emplace<Pose>(early, Pose{{5.0f, 3.0f, 0.0f}});
    r.emplace<RigidBody>(early);
    int made = 0;
    {
        PhysicsWorld world(r);
        TestWorld own;
        const ShapeId ball = world.shapes().add(TestWorld::sphere(0.5f)).value();
        REQUIRE(own.shape(TestWorld::sphere(0.5f)) == ball);
        BodyDesc desc;
        desc.pose.position = {0.0f, 4.0f, 0.0f};
        desc.colliders = {{.shape = ball}};
        const Entity here = world.create_body(desc).value(), there = own.world.create_body(desc).value();
        r.emplace<Label>(here);
        engine::Snapshot snapshot;
        world.save(snapshot);
        for (int i = 0; i < 30; ++i) {
            REQUIRE(world.step(kDt).ok());
            own.step();
            REQUIRE(r.get<Pose>(here).position == own.pose(there).position);
        }
        CHECK(world.report().warnings.empty());
        CHECK(world.bodies().size() == 2);
        CHECK(r.get<Pose>(early).position.y < 2.0f);
        const Vec3 fell = r.get<Pose>(here).position;

        // Back to the snapshot: what physics made since goes, what the game made stays.
        const Entity late = world.create_body(desc).value();
        const Entity later = world.create_body(desc).value();
        r.emplace<Sprite>(later, Sprite{9});
        const Entity other = r.create();
        r.emplace<Sprite>(other, Sprite{10});
        const Result<void> restored = world.restore(snapshot);
        REQUIRE_MESSAGE(restored.ok(), restored.error());
        CHECK_FALSE(r.valid(late));
        CHECK(r.valid(later));
        CHECK(r.get<Sprite>(later).picture == 9);
        CHECK_FALSE(r.any_of<RigidBody, Pose, StableId>(later));
        CHECK(r.get<Sprite>(sprite).picture == 7);
        CHECK(r.get<Sprite>(other).picture == 10);
        CHECK(r.valid(bare));
        CHECK(r.all_of<Label>(here));
        for (int i = 0; i < 30; ++i) REQUIRE(world.step(kDt).ok());
        CHECK(r.get<Pose>(here).position == fell);

        // One that is gone comes back, unless its index is somebody else's.
        world.save(snapshot);
        world.destroy_body(here);
        REQUIRE(world.restore(snapshot).ok());
        CHECK(r.valid(here));
        world.destroy_body(here);
        const Entity thief = r.create();
        REQUIRE(entt::to_entity(thief) == entt::to_entity(here));
        r.emplace<Sprite>(thief);
        const Result<void> refused = world.restore(snapshot);
        REQUIRE_FALSE(refused.ok());
        CHECK(refused.error().find(std::to_string(entt::to_entity(thief))) != std::string::npos);
        r.destroy(thief);
        REQUIRE(world.restore(snapshot).ok());
        made = int(world.bodies().size());
    }
    // The world is gone: nobody listens any more, and another one takes over what is there.
    const Entity after = r.create();
    r.emplace<RigidBody>(after);
    PhysicsWorld next(r);
    REQUIRE(next.step(kDt).ok());
    CHECK(int(next.bodies().size()) == made + 1);
}

TEST_CASE("what is written in vain is named in a warning, once") {
    TestWorld t;
    const Entity floor = t.floor();
    const Entity lift =
        t.body(TestWorld::box(Vec3(0.5f)), {.type = BodyType::kinematic, .position = {50.0f, 5.0f, 0.0f}});
    const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 5.0f, 0.0f}});
    t.run(0.1f);
    entt::registry& r = t.world.registry();
    using Write = std::function<void()>;
    const std::vector<std::pair<Entity, Write>> writes = {
        {floor, [&] { r.get<Force>(floor).linear.x = 1.0f; }},
        {floor, [&] { r.get<Force>(floor).angular.x = kNan; }},
        {lift, [&] { r.get<Force>(lift).angular.y = 1.0f; }},
        {floor, [&] { r.get<Velocity>(floor).linear.z = 1.0f; }},
        {floor, [&] { r.patch<Velocity>(floor, [](Velocity& v) { v.angular.z = 1.0f; }); }},
        {box, [&] { r.get<Mass>(box).mass = 3.0f; }},
        {box, [&] { r.patch<Mass>(box, [](Mass& m) { m.center.x = 1.0f; }); }},
    };
    for (size_t k = 0; k < writes.size(); ++k) {
        CAPTURE(k);
        writes[k].second();
        t.step();
        CHECK(warned(t.world, writes[k].first));
        CHECK(t.world.report().warnings.size() == 1);
        t.step();
        CHECK(t.world.report().warnings.empty());
        t.step();
    }
    CHECK(t.mass(box).mass == doctest::Approx(1000.0f));
    CHECK(t.pose(floor).position == Vec3(0.0f, -1.0f, 0.0f));
    // What loses its motion because its type changes was not written in vain.
    r.get<Force>(box).linear.y = 1.0f;
    r.get<RigidBody>(box).type = BodyType::fixed;
    t.step();
    CHECK(t.world.report().warnings.empty());
    CHECK(t.velocity(box).linear == Vec3(0.0f));
}

TEST_CASE("nonsense in a component is named, and what was good before stays or the collider is left out") {
    TestWorld t;
    t.floor();
    const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 5.0f, 0.0f}});
    REQUIRE(t.world.set_damping(box, 0.25f, 0.5f).ok());
    REQUIRE(t.world.set_gravity_scale(box, 0.75f).ok());
    REQUIRE(t.world.set_speed_limits(box, 50.0f, 60.0f).ok());
    REQUIRE(t.world.set_locked_axes(box, kLockRotationY).ok());
    t.step();
    entt::registry& r = t.world.registry();
    const RigidBody good = r.get<RigidBody>(box);
    for (const bool tells : {false, true}) {
        CAPTURE(tells);
        const auto write = [&](RigidBody& b) { b = {BodyType(9), 1e9f, kNan, -1.0f, b.allow_sleep, kNan, -3.0f, 7}; };
        if (tells)
            r.patch<RigidBody>(box, write);
        else
            write(r.get<RigidBody>(box));
        t.step();
        CHECK(warned(t.world, box));
        const RigidBody& now = r.get<RigidBody>(box);
        CHECK(now.type == good.type);
        CHECK(now.gravity_scale == good.gravity_scale);
        CHECK(now.linear_damping == good.linear_damping);
        CHECK(now.angular_damping == good.angular_damping);
        CHECK(now.max_linear_speed == good.max_linear_speed);
        CHECK(now.max_angular_speed == good.max_angular_speed);
        CHECK(now.locked_axes == good.locked_axes);
        t.step();
        CHECK(t.world.report().warnings.empty());
    }
    const Entity collider = t.world.colliders(box)[0];
    const Collider before = r.get<Collider>(collider);
    const ShapeId plane = t.shape(TestWorld::half_space());
    using Write = std::function<void(Collider&)>;
    const std::vector<Write> writes = {[&](Collider& c) { c.shape = plane; },
                                       [](Collider& c) { c.shape = ShapeId(1234); },
                                       [](Collider& c) { c.material.friction = kNan; },
                                       [](Collider& c) { c.material.restitution = 2.0f; },
                                       [](Collider& c) { c.density = -1.0f; },
                                       [](Collider& c) { c.local.rotation = Quat(0.0f, 0.0f, 0.0f, 0.0f); }};
    for (size_t k = 0; k < writes.size(); ++k) {
        CAPTURE(k);
        if (k % 2)
            r.patch<Collider>(collider, writes[k]);
        else
            writes[k](r.get<Collider>(collider));
        t.step();
        CHECK(warned(t.world, collider));
        CHECK(std::isfinite(t.pose(box).position.y));
        r.get<Collider>(collider) = before;
        t.step();
        CHECK(t.world.report().warnings.empty());
        CHECK(t.mass(box).mass == doctest::Approx(1000.0f));
    }
}

TEST_CASE("a body whose pose is no number stays where it was last, quarantined, and goes on from there") {
    for (const bool lopsided : {false, true}) {
        TestWorld t;
        t.floor();
        const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {3.0f, 7.0f, 1.0f}});
        if (lopsided) REQUIRE(t.world.set_collider_pose(t.world.colliders(box)[0], {{0.25f, 0.0f, 0.0f}}).ok());
        t.velocity(box).angular = {0.5f, 0.2f, 0.1f};
        t.run(0.3f);
        const Pose good = t.pose(box);
        t.pose(box).position.x = kNan;
        t.step();
        CHECK(warned(t.world, box));
        CHECK(t.world.registry().all_of<Quarantined>(box));
        CHECK(glm::length(t.pose(box).position - good.position) < 1e-5f);
        CHECK(std::abs(glm::dot(t.pose(box).rotation, good.rotation)) > 0.99999f);
        t.run(0.2f);
        t.pose(box).rotation.w = kNan;  // and while it is left out
        t.step();
        CHECK(glm::length(t.pose(box).position - good.position) < 1e-5f);
        t.world.registry().remove<Quarantined>(box);
        t.run(0.2f);
        CHECK(t.pose(box).position.y < good.position.y - 0.1f);
        CHECK(t.world.report().warnings.empty());
    }
}
