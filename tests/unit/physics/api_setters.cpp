// SPDX-License-Identifier: MIT
// Checked changes of bodies and colliders: what they do, what they refuse and that nothing has changed then, and that what
// they concern wakes.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();

/// A cube of a metre that sleeps on a floor, with another one on it.
struct Sleepers {
    TestWorld t;
    Entity floor = kNoEntity, below = kNoEntity, above = kNoEntity;

    Sleepers() {
        floor = t.floor();
        below = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
        above = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 1.5f, 0.0f}});
        t.run(3.0f);
        REQUIRE(t.world.is_asleep(below));
        REQUIRE(t.world.is_asleep(above));
    }
    PhysicsWorld& world() { return t.world; }
    Entity collider(Entity body) { return t.world.colliders(body)[0]; }
};

template <class T>
bool same_bytes(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

}  // namespace

TEST_CASE("every change of a body wakes it and what lies on it") {
    using Change = std::function<Result<void>(Sleepers&)>;
    const std::vector<std::pair<const char*, Change>> changes = {
        {"type", [](Sleepers& s) { return s.world().set_type(s.below, BodyType::kinematic); }},
        {"filter", [](Sleepers& s) { return s.world().set_filter(s.collider(s.below), 3, 0xFFFFFFFFu); }},
        {"filter of a body", [](Sleepers& s) { return s.world().set_filter(s.below, 3, 0xFFFFFFFFu); }},
        {"material", [](Sleepers& s) { return s.world().set_material(s.below, Material{.friction = 0.1f}); }},
        {"shape",
         [](Sleepers& s) {
             return s.world().set_shape(s.collider(s.below), s.t.shape(TestWorld::box({0.4f, 0.5f, 0.5f})));
         }},
        {"collider pose",
         [](Sleepers& s) {
             return s.world().set_collider_pose(s.collider(s.below), {{0.05f, 0.0f, 0.0f}});
         }},
        {"density", [](Sleepers& s) { return s.world().set_density(s.collider(s.below), 10.0f); }},
        {"mass", [](Sleepers& s) { return s.world().set_mass(s.below, {.mass = 3.0f, .source = MassSource::total}); }},
        {"damping", [](Sleepers& s) { return s.world().set_damping(s.below, 0.1f, 0.2f); }},
        {"gravity scale", [](Sleepers& s) { return s.world().set_gravity_scale(s.below, 0.9f); }},
        {"may sleep", [](Sleepers& s) { return s.world().set_allow_sleep(s.below, false); }},
        {"speed limits", [](Sleepers& s) { return s.world().set_speed_limits(s.below, 3.0f, 3.0f); }},
        {"locked axes", [](Sleepers& s) { return s.world().set_locked_axes(s.below, kLockRotationX); }},
        {"scale", [](Sleepers& s) { return s.world().set_scale(s.below, 1.1f); }},
        {"gravity",
         [](Sleepers& s) {
             StepSettings settings = s.world().settings();
             settings.gravity = {0.0f, -9.0f, 0.0f};
             return s.world().set_settings(settings);
         }},
        {"type of the floor", [](Sleepers& s) { return s.world().set_type(s.floor, BodyType::kinematic); }},
        {"filter of the floor", [](Sleepers& s) { return s.world().set_filter(s.floor, 3, 0xFFFFFFFFu); }},
        {"material of the floor",
         [](Sleepers& s) { return s.world().set_material(s.floor, Material{.friction = 0.1f}); }},
        {"shape of the floor",
         [](Sleepers& s) {
             return s.world().set_shape(s.collider(s.floor), s.t.shape(TestWorld::box({40.0f, 1.0f, 40.0f})));
         }},
        {"pose of the floor's collider",
         [](Sleepers& s) {
             return s.world().set_collider_pose(s.collider(s.floor), {{0.0f, -0.1f, 0.0f}});
         }},
        {"scale of the floor", [](Sleepers& s) { return s.world().set_scale(s.floor, 1.5f); }},
    };
    for (const auto& [name, change] : changes) {
        CAPTURE(std::string(name));
        Sleepers s;
        const Result<void> done = change(s);
        REQUIRE_MESSAGE(done.ok(), done.error());
        s.t.step();
        CHECK_FALSE(s.world().is_asleep(s.above));
        CHECK(s.world().report().warnings.empty());
    }
}

TEST_CASE("a change that makes no sense is refused with a sentence, and nothing has changed") {
    using Change = std::function<Result<void>(Sleepers&)>;
    const auto box = [](Sleepers& s) { return s.collider(s.below); };
    const std::vector<std::pair<const char*, Change>> changes = {
        {"no collider", [](Sleepers& s) { return s.world().set_filter(kNoEntity, 1, 1); }},
        {"a shape for a body", [](Sleepers& s) { return s.world().set_shape(s.below, ShapeId(0)); }},
        {"unknown shape", [&](Sleepers& s) { return s.world().set_shape(box(s), ShapeId(77)); }},
        {"a half-space that moves",
         [&](Sleepers& s) { return s.world().set_shape(box(s), s.t.shape(TestWorld::half_space())); }},
        {"pose",
         [&](Sleepers& s) {
             return s.world().set_collider_pose(box(s), {{kNan, 0.0f, 0.0f}});
         }},
        {"rotation",
         [&](Sleepers& s) {
             return s.world().set_collider_pose(box(s), {{}, Quat(2.0f, 0.0f, 0.0f, 0.0f)});
         }},
        {"density", [&](Sleepers& s) { return s.world().set_density(box(s), 0.0f); }},
        {"density beyond floats", [&](Sleepers& s) { return s.world().set_density(box(s), 1e38f); }},
        {"damping", [](Sleepers& s) { return s.world().set_damping(s.below, -1.0f, 0.0f); }},
        {"angular damping", [](Sleepers& s) { return s.world().set_damping(s.below, 0.0f, kNan); }},
        {"gravity scale", [](Sleepers& s) { return s.world().set_gravity_scale(s.below, 1e9f); }},
        {"speed limit", [](Sleepers& s) { return s.world().set_speed_limits(s.below, -1.0f, 0.0f); }},
        {"locked translation", [](Sleepers& s) { return s.world().set_locked_axes(s.below, 1); }},
        {"scale", [](Sleepers& s) { return s.world().set_scale(s.below, 0.0f); }},
        {"scale beyond sizes", [](Sleepers& s) { return s.world().set_scale(s.below, 1e9f); }},
        {"scale of no body", [](Sleepers& s) { return s.world().set_scale(s.collider(s.below), 2.0f); }},
        {"fixed and fast",
         [](Sleepers& s) {
             return s.world().teleport(s.floor, Pose{}, {{1.0f, 0.0f, 0.0f}, {}});
         }},
        {"teleport to nowhere",
         [](Sleepers& s) {
             return s.world().teleport(s.below, {{kNan, 0.0f, 0.0f}});
         }},
    };
    Sleepers s;
    const Collider collider = s.world().registry().get<Collider>(box(s));
    const RigidBody body = s.world().registry().get<RigidBody>(s.below);
    const Mass mass = s.t.mass(s.below);
    for (const auto& [name, change] : changes) {
        CAPTURE(std::string(name));
        const Result<void> done = change(s);
        REQUIRE_FALSE(done.ok());
        CHECK(done.error().size() > 20);
        CHECK(done.error().back() == '.');
        CHECK(same_bytes(collider, s.world().registry().get<Collider>(box(s))));
        CHECK(same_bytes(body, s.world().registry().get<RigidBody>(s.below)));
        CHECK(same_bytes(mass, s.t.mass(s.below)));
    }
    s.t.step();
    CHECK(s.world().is_asleep(s.below));
    CHECK(s.world().report().warnings.empty());
}

TEST_CASE("Mass says what a body weighs at once, before its first step too and after every change") {
    TestWorld t;
    Random random;
    for (int i = 0; i < 30; ++i) {
        const Vec3 half{random.between(0.1f, 1.0f), random.between(0.1f, 1.0f), random.between(0.1f, 1.0f)};
        const float density = random.between(10.0f, 5000.0f);
        const Entity body =
            t.body(TestWorld::box(half), {.position = {0.0f, 10.0f * float(i), 0.0f}, .density = density});
        const float volume = 8.0f * half.x * half.y * half.z;
        const auto weighs = [&](float kg) {
            CHECK(t.mass(body).mass == doctest::Approx(kg));
            CHECK(t.mass(body).inertia.xx > 0.0f);
        };
        weighs(volume * density);
        const Entity collider = t.world.colliders(body)[0];
        REQUIRE(t.world.set_density(collider, 2.0f * density).ok());
        weighs(2.0f * volume * density);
        REQUIRE(t.world.set_shape(collider, t.shape(TestWorld::sphere(half.x))).ok());
        const float ball = 4.0f / 3.0f * kPi * half.x * half.x * half.x * 2.0f * density;
        weighs(ball);
        const float scale = random.between(0.5f, 2.0f);
        REQUIRE(t.world.set_scale(body, scale).ok());
        weighs(ball * scale * scale * scale);
        REQUIRE(t.world.set_collider_pose(collider, {{0.3f, 0.0f, 0.0f}}).ok());
        CHECK(t.mass(body).center.x == doctest::Approx(0.3f));
        const Mass before = t.mass(body);
        t.step();
        CHECK(t.mass(body).mass == doctest::Approx(before.mass));
        CHECK(t.mass(body).inertia.yy == doctest::Approx(before.inertia.yy));
    }
}

TEST_CASE("a scaled body has the size, mass and centre of a body made that large, and comes back to its own") {
    Random random;
    for (int i = 0; i < 12; ++i) {
        const float scale = random.between(0.2f, 4.0f);
        CAPTURE(scale);
        TestWorld t;
        const auto make = [&](float by) {
            BodyDesc desc;
            desc.colliders = {
                {.shape = t.shape(TestWorld::box(by * Vec3(0.3f, 0.2f, 0.4f)))},
                {.shape = t.shape(TestWorld::capsule(by * 0.1f, by * 0.2f)), .local = {by * Vec3(0.5f, 0.1f, 0.0f)}}};
            return t.world.create_body(desc).value();
        };
        const Entity small = make(1.0f), large = make(scale);
        const Mass before = t.mass(small);
        if (i % 2) REQUIRE(t.world.set_scale(small, 0.5f * scale).ok());  // on the way
        REQUIRE(t.world.set_scale(small, scale).ok());
        CHECK(t.world.scale(small) == scale);
        CHECK(t.mass(small).mass == doctest::Approx(t.mass(large).mass).epsilon(1e-4));
        CHECK(t.mass(small).center.x == doctest::Approx(t.mass(large).center.x).epsilon(1e-4));
        CHECK(t.mass(small).inertia.zz == doctest::Approx(t.mass(large).inertia.zz).epsilon(1e-4));
        const size_t shapes = t.world.shapes().size();
        REQUIRE(t.world.set_scale(small, 1.0f).ok());
        CHECK(t.mass(small).mass == doctest::Approx(before.mass).epsilon(1e-5));
        CHECK(t.world.shapes().size() == shapes);  // the shapes that it was made with

        REQUIRE(t.world.set_mass(small, {.mass = 8.0f, .source = MassSource::total}).ok());
        REQUIRE(t.world.set_scale(small, scale).ok());
        CHECK(t.mass(small).mass == doctest::Approx(8.0f * scale * scale * scale).epsilon(1e-4));
        const float inertia = t.mass(small).inertia.xx;
        Mass given = t.mass(small);
        given.source = MassSource::given;
        REQUIRE(t.world.set_mass(small, given).ok());
        REQUIRE(t.world.set_scale(small, 2.0f * scale).ok());
        CHECK(t.mass(small).inertia.xx == doctest::Approx(32.0f * inertia).epsilon(1e-4));
    }
}

TEST_CASE("a crate that is made larger while it sleeps comes out of the ground and rests at its new height") {
    for (const float scale : {1.2f, 1.5f, 2.0f, 3.0f}) {
        CAPTURE(scale);
        TestWorld t;
        t.floor();
        const Entity crate = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
        t.run(3.0f);
        REQUIRE(t.world.is_asleep(crate));
        REQUIRE(t.world.set_scale(crate, scale).ok());
        t.run(4.0f);
        CHECK(t.pose(crate).position.y == doctest::Approx(0.5f * scale).epsilon(0.01));
    }
}

TEST_CASE("a body does not turn about a locked axis of the world, in flight, in contact or pushed") {
    for (uint32_t seed = 1; seed <= 8; ++seed) {
        CAPTURE(seed);
        Random random{seed};
        TestWorld t;
        t.floor();
        std::vector<std::pair<Entity, uint32_t>> bodies;
        for (int i = 0; i < 12; ++i) {
            const Vec3 at{random.between(-1.0f, 1.0f), random.between(0.5f, 4.0f), random.between(-1.0f, 1.0f)};
            const Quat rotation = turn({1.0f, random.between(-1.0f, 1.0f), 0.4f}, random.between(0.0f, 90.0f));
            const Entity body = t.body(TestWorld::box({0.3f, 0.1f, 0.2f}), {.position = at, .rotation = rotation});
            const uint32_t axes = (1 + random.below(7)) * kLockRotationX;
            REQUIRE(t.world.set_locked_axes(body, axes).ok());
            bodies.emplace_back(body, axes);
            (void)t.world.apply_angular_impulse(body, {1.0f, -2.0f, 3.0f});
        }
        std::vector<Quat> start;
        for (const auto& [body, axes] : bodies) start.push_back(t.pose(body).rotation);
        for (int i = 0; i < 240; ++i) {
            if (i == 60) (void)t.world.apply_impulse_at(bodies[0].first, {3.0f, 1.0f, -2.0f}, {0.1f, 0.2f, 0.3f});
            t.step();
            for (size_t k = 0; k < bodies.size(); ++k) {
                const auto [body, axes] = bodies[k];
                const Vec3 w = t.velocity(body).angular;
                REQUIRE(((axes & kLockRotationX) == 0 || w.x == 0.0f));
                REQUIRE(((axes & kLockRotationY) == 0 || w.y == 0.0f));
                REQUIRE(((axes & kLockRotationZ) == 0 || w.z == 0.0f));
                if (axes == kLockRotation) REQUIRE(std::abs(glm::dot(t.pose(body).rotation, start[k]) - 1.0f) < 1e-6f);
            }
        }
    }
}

TEST_CASE("a body with one free axis turns about it by the moment about that axis") {
    Random random;
    for (int i = 0; i < 20; ++i) {
        TestWorld t;
        StepSettings s = t.settings();
        s.gravity = Vec3(0.0f);
        t.set(s);
        const Quat rotation =
            turn({random.between(-1.0f, 1.0f), 1.0f, random.between(-1.0f, 1.0f)}, random.between(0.0f, 180.0f));
        const Entity body = t.body(TestWorld::box({0.5f, 0.1f, 0.2f}), {.rotation = rotation});
        REQUIRE(t.world.set_locked_axes(body, kLockRotationX | kLockRotationZ).ok());
        t.step();
        const float moment = rotate(t.mass(body).inertia, rotation).yy, torque = random.between(1.0f, 20.0f);
        REQUIRE(t.world.apply_torque(body, {5.0f, torque, -7.0f}).ok());
        t.step();
        CHECK(t.velocity(body).angular.y == doctest::Approx(torque / moment * kDt).epsilon(1e-3));
        CHECK(t.velocity(body).angular.x == 0.0f);
    }
}

TEST_CASE("a body is no faster than its limits after a step, and as fast as without below them") {
    for (const float limit : {0.5f, 2.0f, 7.0f}) {
        TestWorld t;
        const Entity limited = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 100.0f, 0.0f}});
        const Entity free = t.body(TestWorld::sphere(0.5f), {.position = {5.0f, 100.0f, 0.0f}});
        REQUIRE(t.world.set_speed_limits(limited, limit, 2.0f * limit).ok());
        t.velocity(limited).angular = t.velocity(free).angular = {0.0f, 30.0f, 0.0f};
        for (int i = 0; i < 90; ++i) {
            t.step();
            const float speed = glm::length(t.velocity(limited).linear);
            REQUIRE(speed <= limit * 1.00001f);
            REQUIRE(glm::length(t.velocity(limited).angular) <= 2.0f * limit * 1.00001f);
            if (kG * kDt * float(i + 1) < limit) REQUIRE(t.velocity(limited).linear == t.velocity(free).linear);
        }
        CHECK(glm::length(t.velocity(limited).linear) == doctest::Approx(limit));
        CHECK(t.velocity(limited).angular.y == doctest::Approx(2.0f * limit));
    }
}

TEST_CASE("teleport puts a body elsewhere at rest, or with the velocity that is given") {
    Sleepers s;
    REQUIRE(s.world().set_velocity(s.above, {{1.0f, 0.0f, 0.0f}, {}}).ok());
    REQUIRE(s.world().teleport(s.above, {{10.0f, 5.0f, 0.0f}}).ok());
    s.t.step();
    CHECK(s.t.velocity(s.above).linear.x == 0.0f);
    CHECK(s.t.pose(s.above).position.x == 10.0f);
    REQUIRE(s.world().teleport(s.above, {{0.0f, 5.0f, 0.0f}}, {{0.0f, 0.0f, 3.0f}, {}}).ok());
    s.t.step();
    CHECK(s.t.pose(s.above).position.z == doctest::Approx(3.0f * kDt));
}

TEST_CASE("a shape is removed when nothing has it, and its id is given to no other") {
    TestWorld t;
    const ShapeId spare = t.shape(TestWorld::sphere(0.3f));
    const Entity body = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 5.0f, 0.0f}});
    const Entity collider = t.world.colliders(body)[0];
    const ShapeId used = t.world.registry().get<Collider>(collider).shape;
    t.step();
    CHECK_FALSE(t.world.remove_shape(used).ok());
    CHECK_FALSE(t.world.remove_shape(ShapeId(99)).ok());
    REQUIRE(t.world.remove_shape(spare).ok());
    CHECK_FALSE(t.world.shapes().contains(spare));
    CHECK_FALSE(t.world.remove_shape(spare).ok());
    CHECK_FALSE(t.world.set_shape(collider, spare).ok());
    CHECK(t.shape(TestWorld::sphere(0.3f)) != spare);

    t.world.registry().get<Collider>(collider).shape = spare;  // written, not asked
    t.step();
    REQUIRE(t.world.report().warnings.size() == 1);
    CHECK(t.world.report().warnings[0].entity == collider);
    CHECK(t.world.remove_shape(used).ok());  // no list has it any more
    t.world.destroy_body(body);
    const Entity other = t.body(TestWorld::sphere(0.2f), {.position = {0.0f, 5.0f, 0.0f}});
    t.step();
    const ShapeId gone = t.world.registry().get<Collider>(t.world.colliders(other)[0]).shape;
    t.world.destroy_body(other);
    CHECK_FALSE(t.world.remove_shape(gone).ok());  // the last step had it
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    t.step();
    CHECK(t.world.remove_shape(gone).ok());
    CHECK_FALSE(t.world.restore(snapshot).ok());  // it needs what is gone
    t.step();
}
