// SPDX-License-Identifier: MIT
// Moving and pushing bodies through the world's functions, against what mechanics says.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();

bool says(const std::string& error, const char* words) { return error.find(words) != std::string::npos; }

Vec3 any_vector(Random& random, float size) {
    return {random.between(-size, size), random.between(-size, size), random.between(-size, size)};
}
Quat any_rotation(Random& random) {
    return glm::normalize(Quat(random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f),
                               random.between(-1.0f, 1.0f)));
}

void set_gravity(TestWorld& t, const Vec3& gravity) {
    StepSettings s = t.settings();
    s.gravity = gravity;
    t.set(s);
}

/// A turned body of two boxes: its centre of mass is not its origin, and its inertia has three values and no axis of
/// the world.
Entity lopsided(TestWorld& t) {
    const ShapeId bar = t.shape(TestWorld::box({0.8f, 0.1f, 0.3f})), block = t.shape(TestWorld::box(Vec3(0.25f)));
    return t.world
        .create_body({.pose = {{1.0f, -2.0f, 0.5f}, turn({1.0f, 2.0f, -0.5f}, 70.0f)},
                      .velocity = {.linear = {0.3f, -0.2f, 0.1f}, .angular = {0.5f, 1.0f, -0.7f}},
                      .colliders = {{.shape = bar, .local = {{0.4f, 0.1f, 0.0f}, turn({0.0f, 1.0f, 0.3f}, 25.0f)}},
                                    {.shape = block, .local = {.position = {-0.5f, 0.3f, 0.6f}}}}})
        .value();
}

Vec3 centre(const PhysicsWorld& world, Entity body) {
    return world.pose(body).position + world.pose(body).rotation * world.mass(body).center;
}
Vec3 spin_momentum(const PhysicsWorld& world, Entity body) {
    const Quat q = world.pose(body).rotation;
    return q * (world.mass(body).inertia * (glm::conjugate(q) * world.velocity(body).angular));
}

/// An entity that is nothing, a collider, a fixed and a kinematic body: what cannot be pushed.
struct Unpushable {
    Entity nothing = kNoEntity, collider, fixed, kinematic;
    explicit Unpushable(TestWorld& t) {
        fixed = t.body(TestWorld::box(Vec3(0.5f)), {.type = BodyType::fixed, .position = {100.0f, 0.0f, 0.0f}});
        kinematic = t.body(TestWorld::box(Vec3(0.5f)), {.type = BodyType::kinematic, .position = {110.0f, 0.0f, 0.0f}});
        collider = t.world.colliders(fixed)[0];
    }
};

}  // namespace

// ---- impulses

TEST_CASE("an impulse changes momentum by itself, and the angular momentum by its lever") {
    for (const bool stepped : {false, true}) {
        CAPTURE(stepped);
        TestWorld t;
        set_gravity(t, Vec3(0.0f));
        const Entity body = lopsided(t);
        if (stepped) t.step();
        Random random;
        for (int i = 0; i < 20; ++i) {
            const Vec3 impulse = any_vector(random, 500.0f), point = centre(t.world, body) + any_vector(random, 1.0f);
            const Vec3 twist = any_vector(random, 100.0f);
            const float mass = t.world.mass(body).mass;
            const Vec3 linear = mass * t.world.velocity(body).linear, spin = spin_momentum(t.world, body);
            REQUIRE(t.world.apply_impulse_at(body, impulse, point).ok());
            // Rounding of sums of hundreds of N s, through an inverse and back.
            CHECK(glm::length(mass * t.world.velocity(body).linear - linear - impulse) < 2e-3f);
            const Vec3 lever = glm::cross(point - centre(t.world, body), impulse);
            CHECK(glm::length(spin_momentum(t.world, body) - spin - lever) < 2e-3f + 4e-6f * glm::length(spin));

            const Vec3 turning = t.world.velocity(body).angular;
            REQUIRE(t.world.apply_impulse(body, -impulse).ok());
            CHECK(t.world.velocity(body).angular == turning);
            CHECK(glm::length(mass * t.world.velocity(body).linear - linear) < 2e-3f);

            const Vec3 moving = t.world.velocity(body).linear, before = spin_momentum(t.world, body);
            REQUIRE(t.world.apply_angular_impulse(body, twist).ok());
            CHECK(t.world.velocity(body).linear == moving);
            CHECK(glm::length(spin_momentum(t.world, body) - before - twist) < 2e-3f + 4e-6f * glm::length(before));
        }
    }
}

TEST_CASE("a rod that is struck at its end turns about the point two thirds along it") {
    // The centre of percussion of a thin rod of length L struck at one end is L/3 from the other.
    TestWorld t;
    set_gravity(t, Vec3(0.0f));
    const Entity rod = t.body(TestWorld::box({0.005f, 0.5f, 0.005f}), {});
    REQUIRE(t.world.apply_impulse_at(rod, {1.0f, 0.0f, 0.0f}, {0.0f, 0.5f, 0.0f}).ok());
    const Velocity v = t.world.velocity(rod);
    const Vec3 still = v.linear + glm::cross(v.angular, Vec3(0.0f, -0.5f + 1.0f / 3.0f, 0.0f));
    // Its thickness, 1 % of its length, moves the point by (1/100)^2 of it.
    CHECK(glm::length(still) < 2e-4f * glm::length(v.linear));
}

// ---- forces

TEST_CASE("forces and torques act through the next step only, and add up") {
    TestWorld t;
    set_gravity(t, Vec3(0.0f));
    const Entity body = t.body(TestWorld::box(Vec3(0.5f)), {.mass = 10.0f});
    REQUIRE(t.world.apply_force(body, {60.0f, 0.0f, 0.0f}).ok());
    REQUIRE(t.world.apply_force(body, {0.0f, 30.0f, 0.0f}).ok());
    REQUIRE(t.world.apply_torque(body, {0.0f, 0.0f, 5.0f}).ok());
    REQUIRE(t.world.apply_torque(body, {0.0f, 0.0f, 5.0f}).ok());
    t.step();
    const Velocity after = t.world.velocity(body);
    CHECK(glm::length(after.linear - Vec3(60.0f, 30.0f, 0.0f) * kDt / 10.0f) < 1e-6f);
    CHECK(after.angular.z == doctest::Approx(10.0f * kDt / t.mass(body).inertia.zz).epsilon(1e-5));
    t.step();
    CHECK(t.world.velocity(body).linear == after.linear);
}

TEST_CASE("a force at a point of the world gives the momentum of its lever about the centre of mass") {
    TestWorld t;
    set_gravity(t, Vec3(0.0f));
    const Entity body = lopsided(t);
    REQUIRE(t.world.set_velocity(body, {}).ok());
    const Vec3 force(300.0f, -200.0f, 100.0f), point(1.5f, -1.5f, 0.5f);
    const Vec3 linear = t.world.mass(body).mass * t.world.velocity(body).linear, spin = spin_momentum(t.world, body);
    const Vec3 arm = point - centre(t.world, body);
    REQUIRE(t.world.apply_force_at(body, force, point).ok());
    CHECK(t.world.registry().get<Force>(body).linear == force);
    t.step();
    CHECK(glm::length(t.world.mass(body).mass * t.world.velocity(body).linear - linear - force * kDt) < 1e-3f);
    // The torque stays that of the start while the body begins to turn.
    const Vec3 change = glm::cross(arm, force) * kDt;
    CHECK(glm::length(spin_momentum(t.world, body) - spin - change) < 0.002f * glm::length(change));
}

TEST_CASE("forces and impulses are refused where they make no sense, and change nothing") {
    TestWorld t;
    const Unpushable odd(t);
    const Entity body = t.body(TestWorld::box(Vec3(0.5f)), {});
    t.step();
    const Velocity before = t.world.velocity(body);
    const Vec3 good(1.0f, 0.0f, 0.0f), bad(0.0f, kNan, 0.0f);
    const auto refused = [](const Result<void>& result, const char* words) {
        CHECK_FALSE(result.ok());
        CHECK_MESSAGE(says(result.error(), words), result.error());
    };
    const auto check_all = [&](Entity e, const Vec3& value, const char* words) {
        refused(t.world.apply_force(e, value), words);
        refused(t.world.apply_torque(e, value), words);
        refused(t.world.apply_force_at(e, value, good), words);
        refused(t.world.apply_impulse(e, value), words);
        refused(t.world.apply_angular_impulse(e, value), words);
        refused(t.world.apply_impulse_at(e, value, good), words);
    };
    check_all(odd.nothing, good, "existing body");
    check_all(odd.collider, good, "existing body");
    check_all(odd.fixed, good, "fixed");
    check_all(odd.kinematic, good, "kinematic");
    check_all(body, bad, "finite");
    refused(t.world.apply_force_at(body, good, bad), "point");
    refused(t.world.apply_impulse_at(body, good, bad), "point");
    refused(t.world.apply_impulse(body, Vec3(3e38f, 3e38f, 3e38f) * 1000.0f), "finite");
    const Entity feather = t.body(TestWorld::sphere(0.5f), {.position = {20.0f, 0.0f, 0.0f}, .mass = 0.01f});
    refused(t.world.apply_impulse(feather, Vec3(3e38f, 0.0f, 0.0f)), "The impulse is too large");
    CHECK(t.world.velocity(body).linear == before.linear);
    CHECK(t.world.velocity(body).angular == before.angular);
    CHECK(t.world.registry().get<Force>(body).linear == Vec3(0.0f));
    CHECK(t.world.registry().get<Force>(body).angular == Vec3(0.0f));
    t.world.registry().emplace<Quarantined>(body);
    check_all(body, good, "quarantined");
}

// ---- poses and velocities

TEST_CASE("a body is put where it is told, with the velocity that it is given") {
    TestWorld t;
    set_gravity(t, Vec3(0.0f));
    const Entity body = lopsided(t);
    t.step();
    const Pose there{{5.0f, 6.0f, 7.0f}, turn({0.0f, 1.0f, 0.0f}, 30.0f)};
    const Velocity still = t.world.velocity(body);
    REQUIRE(t.world.set_pose(body, there).ok());
    CHECK(t.world.pose(body).position == there.position);
    CHECK(t.world.velocity(body).linear == still.linear);
    REQUIRE(t.world.set_velocity(body, {{1.0f, 0.0f, 0.0f}, Vec3(0.0f)}).ok());
    t.step();
    CHECK(glm::length(t.world.pose(body).position - there.position - Vec3(kDt, 0.0f, 0.0f)) < 1e-6f);
}

TEST_CASE("poses, velocities, types and targets are refused where they make no sense, and change nothing") {
    TestWorld t;
    const Unpushable odd(t);
    const Entity body = t.body(TestWorld::box(Vec3(0.5f)), {});
    t.step();
    const auto refused = [](const Result<void>& result, const char* words) {
        CHECK_FALSE(result.ok());
        CHECK_MESSAGE(says(result.error(), words), result.error());
    };
    const Pose before = t.world.pose(body);
    const Velocity moving = t.world.velocity(body);
    for (const Entity e : {odd.nothing, odd.collider}) {
        refused(t.world.set_pose(e, {}), "existing body");
        refused(t.world.set_velocity(e, {}), "existing body");
        refused(t.world.set_type(e, BodyType::fixed), "existing body");
        refused(t.world.set_mass(e, {.mass = 1.0f, .source = MassSource::total}), "existing body");
        refused(t.world.move_kinematic(e, {}, kDt), "existing body");
        refused(t.world.wake(e), "existing body");
        refused(t.world.sleep(e), "existing body");
    }
    refused(t.world.set_material(kNoEntity, {}), "collider");
    refused(t.world.set_material(body, {.friction = kNan}), "Friction");
    refused(t.world.set_pose(body, {.position = {kNan, 0.0f, 0.0f}}), "position");
    refused(t.world.set_pose(body, {.rotation = {2.0f, 0.0f, 0.0f, 0.0f}}), "rotation");
    refused(t.world.set_velocity(body, {.angular = {kNan, 0.0f, 0.0f}}), "velocity");
    refused(t.world.set_velocity(odd.fixed, {.linear = {1.0f, 0.0f, 0.0f}}), "fixed");
    refused(t.world.set_type(body, BodyType(7)), "type");
    refused(t.world.set_mass(body, {.mass = -1.0f, .source = MassSource::total}), "mass");
    refused(t.world.set_mass(body, {.mass = 1.0f, .source = MassSource::given}), "inertia");
    // A disc has the sum of the two others about its axis, and nothing has more.
    Mass disc{.mass = 1.0f, .source = MassSource::given};
    disc.inertia.xx = disc.inertia.zz = 1.0f;
    disc.inertia.yy = 2.1f;
    refused(t.world.set_mass(body, disc), "principal moment");
    refused(t.world.move_kinematic(body, {}, kDt), "dynamic");
    refused(t.world.move_kinematic(odd.fixed, {}, kDt), "fixed");
    for (const float dt : {0.0f, -1.0f, kNan}) refused(t.world.move_kinematic(odd.kinematic, {}, dt), "time");
    refused(t.world.move_kinematic(odd.kinematic, {.position = {kNan, 0.0f, 0.0f}}, kDt), "position of the target");
    refused(t.world.move_kinematic(odd.kinematic, {.position = {5e6f, 0.0f, 0.0f}}, 1e-3f), "too far");
    CHECK(t.world.pose(body).position == before.position);
    CHECK(t.world.velocity(body).linear == moving.linear);
    CHECK(t.world.velocity(odd.kinematic).linear == Vec3(0.0f));
    CHECK(t.world.registry().get<RigidBody>(body).type == BodyType::dynamic);
    CHECK(t.mass(body).source == MassSource::densities);
}

// ---- kinematic bodies

TEST_CASE("a kinematic body reaches its target in one step, however far and whatever the turn") {
    for (const Stepping stepping : {Stepping::semi_implicit, Stepping::moreau_midpoint})
        for (const char* solver : {"prox_gs", "pgs"}) {
            CAPTURE(solver);
            TestWorld t;
            StepSettings s = t.settings();
            s.stepping = stepping;
            s.solver = solver;
            t.set(s);
            const Entity body = t.body(TestWorld::box({0.4f, 0.2f, 0.1f}), {.type = BodyType::kinematic});
            Random random;
            float largest_turn = 0.0f;
            for (int i = 0; i < 20; ++i) {
                const Pose target{any_vector(random, 5.0f), any_rotation(random)};
                const float alignment = std::abs(glm::dot(target.rotation, t.world.pose(body).rotation));
                largest_turn = std::max(largest_turn, 2.0f * std::acos(std::min(1.0f, alignment)));
                REQUIRE(t.world.move_kinematic(body, target, kDt).ok());
                t.step();
                const Pose now = t.world.pose(body);
                // Rounding: positions of 5 m and the product of velocity and time, then a unit quaternion.
                CHECK(glm::length(now.position - target.position) < 4e-6f);
                const Quat off = now.rotation * glm::conjugate(target.rotation);
                CHECK(glm::length(Vec3(off.x, off.y, off.z)) < 4e-7f);
            }
            CHECK(largest_turn > 2.8f);
        }
}

TEST_CASE("a kinematic body without a new target goes on as it moved, and stops when it is told") {
    TestWorld t;
    const Entity body = t.body(TestWorld::box(Vec3(0.5f)), {.type = BodyType::kinematic});
    REQUIRE(t.world.move_kinematic(body, {.position = {0.1f, 0.0f, 0.0f}}, kDt).ok());
    t.step();
    t.step();
    CHECK(t.world.pose(body).position.x == doctest::Approx(0.2f));
    REQUIRE(t.world.set_velocity(body, {}).ok());
    t.step();
    CHECK(t.world.pose(body).position.x == doctest::Approx(0.2f));
}

TEST_CASE("a turntable turns by exactly its angular velocity times the time") {
    TestWorld t;
    const Entity table = t.body(TestWorld::box({1.0f, 0.1f, 1.0f}), {.type = BodyType::kinematic});
    REQUIRE(t.world.set_velocity(table, {.angular = {0.0f, 12.0f, 0.0f}}).ok());
    for (int i = 0; i < 60; ++i) t.step();
    const Quat expected = glm::angleAxis(12.0f, Vec3(0.0f, 1.0f, 0.0f));
    // 60 roundings of a rotation, and 1/60 s is not a float.
    CHECK(std::abs(glm::dot(expected, t.world.pose(table).rotation)) > 1.0f - 1e-6f);
}

TEST_CASE("what stands on a kinematic lift is carried up, along and round") {
    TestWorld t;
    const Entity lift = t.body(TestWorld::box({2.0f, 0.1f, 2.0f}), {.type = BodyType::kinematic});
    const Entity box = t.body(TestWorld::box(Vec3(0.25f)), {.position = {1.0f, 0.35f, 0.0f}});
    t.run(0.5f);
    const Vec3 stood =
        glm::conjugate(t.world.pose(lift).rotation) * (t.world.pose(box).position - t.world.pose(lift).position);
    for (int i = 1; i <= 120; ++i) {
        // Smooth at both ends: the strongest acceleration, 1.2 m/s2 across and as much up, is within friction's 0.6 g.
        const float share = 0.5f - 0.5f * std::cos(kPi * float(i) / 120.0f);
        const Pose target{{share, share, 0.0f}, glm::angleAxis(share, Vec3(0.0f, 1.0f, 0.0f))};
        REQUIRE(t.world.move_kinematic(lift, target, kDt).ok());
        t.step();
    }
    const Pose& end = t.world.pose(lift);
    CHECK(glm::length(end.position - Vec3(1.0f, 1.0f, 0.0f)) < 1e-5f);
    const Vec3 stands = glm::conjugate(end.rotation) * (t.world.pose(box).position - end.position);
    CHECK(glm::length(stands - stood) < 0.02f);  // friction of soft contacts creeps by millimetres a second
}

TEST_CASE("a target right after a jump is refused, because a step takes the jump for the end of a motion") {
    TestWorld t;
    const Entity body = t.body(TestWorld::box(Vec3(0.5f)), {.type = BodyType::kinematic});
    REQUIRE(t.world.move_kinematic(body, {.position = {1.0f, 0.0f, 0.0f}}, kDt).ok());  // before any step
    t.step();
    CHECK(t.world.pose(body).position.x == doctest::Approx(1.0f));
    REQUIRE(t.world.set_pose(body, {.position = {5.0f, 0.0f, 0.0f}}).ok());
    const Result<void> refused = t.world.move_kinematic(body, {.position = {6.0f, 0.0f, 0.0f}}, kDt);
    CHECK(says(refused.error(), "elsewhere"));
    REQUIRE(t.world.set_velocity(body, {}).ok());
    t.step();
    REQUIRE(t.world.move_kinematic(body, {.position = {6.0f, 0.0f, 0.0f}}, kDt).ok());
    t.step();
    CHECK(t.world.pose(body).position.x == doctest::Approx(6.0f));
}

// ---- types, masses, materials

TEST_CASE("a body that changes its type goes on moving as it did, or stops when it is fixed") {
    TestWorld t;
    set_gravity(t, Vec3(0.0f));
    const Entity body = lopsided(t);
    t.step();
    const auto velocity_at = [&](const Vec3& point) {
        const Velocity v = t.world.velocity(body);
        const bool dynamic = t.world.registry().get<RigidBody>(body).type == BodyType::dynamic;
        const Vec3 about = dynamic ? centre(t.world, body) : t.world.pose(body).position;
        return v.linear + glm::cross(v.angular, point - about);
    };
    const Vec3 point(0.7f, 0.1f, -0.4f), before = velocity_at(point);
    REQUIRE(t.world.set_type(body, BodyType::kinematic).ok());
    CHECK(glm::length(velocity_at(point) - before) < 1e-6f);
    REQUIRE(t.world.apply_impulse(body, {1.0f, 0.0f, 0.0f}).ok() == false);
    t.step();
    CHECK(glm::length(velocity_at(point) - before) < 0.05f);  // a point of the world, the body has turned by 0.02 rad
    const Vec3 later = velocity_at(point);
    REQUIRE(t.world.set_type(body, BodyType::dynamic).ok());
    CHECK(glm::length(velocity_at(point) - later) < 1e-6f);
    REQUIRE(t.world.set_type(body, BodyType::fixed).ok());
    CHECK(t.world.velocity(body).linear == Vec3(0.0f));
    const Pose pose = t.world.pose(body);
    t.run(0.2f);
    CHECK(t.world.pose(body).position == pose.position);
    CHECK(t.world.report().warnings.empty());
}

TEST_CASE("a fixed plank becomes dynamic and falls, and a plane cannot") {
    TestWorld t;
    t.floor();
    const Entity plank =
        t.body(TestWorld::box({1.0f, 0.1f, 0.2f}), {.type = BodyType::fixed, .position = {0.0f, 2.0f, 0.0f}});
    const Entity box = t.body(TestWorld::box(Vec3(0.2f)), {.position = {0.0f, 2.3f, 0.0f}});
    t.run(3.0f);
    REQUIRE(t.world.is_asleep(box));
    REQUIRE(t.world.set_type(plank, BodyType::dynamic).ok());
    t.step();
    CHECK_FALSE(t.world.is_asleep(box));
    t.run(2.0f);
    CHECK(t.world.pose(plank).position.y == doctest::Approx(0.1f).epsilon(0.02));
    CHECK(t.world.pose(box).position.y < 1.0f);

    const Entity plane = t.body(TestWorld::half_space(), {.type = BodyType::fixed, .position = {0.0f, -5.0f, 0.0f}});
    const Result<void> refused = t.world.set_type(plane, BodyType::dynamic);
    CHECK(says(refused.error(), "fixed body"));
    CHECK(t.world.registry().get<RigidBody>(plane).type == BodyType::fixed);
}

TEST_CASE("a mass that is set is the mass that the next step moves") {
    TestWorld t;
    set_gravity(t, Vec3(0.0f));
    const Entity body = t.body(TestWorld::box(Vec3(0.5f)), {});
    t.step();
    REQUIRE(t.world.set_mass(body, {.mass = 5.0f, .source = MassSource::total}).ok());
    CHECK(t.world.mass(body).inertia.xx == doctest::Approx(5.0f / 6.0f));
    REQUIRE(t.world.apply_force(body, {30.0f, 0.0f, 0.0f}).ok());
    t.step();
    CHECK(t.world.velocity(body).linear.x == doctest::Approx(6.0f * kDt));
    REQUIRE(t.world.set_mass(body, {}).ok());  // back to the densities
    t.step();
    CHECK(t.mass(body).mass == doctest::Approx(1000.0f));
}

TEST_CASE("a material of one collider or of all colliders of a body counts from the next step on") {
    TestWorld t;
    set_gravity(t, {kG * std::sin(0.3f), -kG * std::cos(0.3f), 0.0f});  // a slope of 0.3 rad, tan 0.31
    const Entity floor = t.floor();
    const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
    t.run(3.0f);
    REQUIRE(t.world.is_asleep(box));  // it sticks: friction is 0.6
    REQUIRE(t.world.set_material(t.world.colliders(box)[0], {.friction = 0.0f}).ok());
    t.run(0.5f);
    CHECK(t.world.velocity(box).linear.x == doctest::Approx(0.5f * kG * std::sin(0.3f)).epsilon(0.02));
    REQUIRE(t.world.set_material(box, {.friction = 0.6f}).ok());
    REQUIRE(t.world.set_velocity(box, {}).ok());
    t.run(3.0f);
    REQUIRE(t.world.is_asleep(box));
    // The floor's own: what sleeps on it wakes.
    REQUIRE(t.world.set_material(floor, {.friction = 0.0f}).ok());
    t.run(0.5f);
    CHECK(t.world.velocity(box).linear.x == doctest::Approx(0.5f * kG * std::sin(0.3f)).epsilon(0.02));
}

TEST_CASE("numbers beyond what single precision can step are refused with the limit, and change nothing") {
    TestWorld t;
    t.floor();
    const Entity body = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
    const Entity driver =
        t.body(TestWorld::box(Vec3(0.5f)), {.type = BodyType::kinematic, .position = {5.0f, 0.5f, 0.0f}});
    const Entity anchor = t.world.create_body({.type = BodyType::fixed}).value();
    const ShapeId box = t.shape(TestWorld::box(Vec3(0.5f)));
    t.run(0.1f);
    engine::Snapshot before;
    t.world.save(before);
    const auto refused = [](const auto& result, const char* words) {
        CHECK_FALSE(result.ok());
        CHECK_MESSAGE(says(result.error(), words), result.error());
    };
    for (const float huge : {1.1e7f, 1e30f, 3e38f}) {
        CAPTURE(huge);
        const Vec3 far(0.0f, -huge, 0.0f);
        refused(t.world.step(huge), "100 s");
        refused(t.world.set_pose(body, {.position = far}), "10,000 km");
        refused(t.world.move_kinematic(driver, {.position = far}, kDt), "10,000 km");
        refused(t.world.move_kinematic(driver, {.position = {5.0f, 0.5f, 0.0f}}, huge), "100 s");
        refused(t.world.set_velocity(body, {.linear = far}), "1,000,000 m/s");
        refused(t.world.set_velocity(body, {.angular = far}), "1,000,000 m/s");
        refused(t.world.apply_impulse(body, far * 1000.0f), huge > 1e30f ? "finite" : "1,000,000 m/s");
        refused(t.world.create_body({.pose = {.position = far}}), "10,000 km");
        refused(t.world.create_body({.velocity = {.linear = far}}), "1,000,000 m/s");
        refused(t.world.create_body({.gravity_scale = huge}), "1,000,000");
        refused(t.world.add_collider(body, {.shape = box, .local = {.position = far}}), "10,000 km");
        refused(t.world.set_material(body, {.friction = huge}), "1,000,000");
        refused(t.world.set_material(body, {.rolling_friction = huge}), "1,000,000 m");
        refused(t.world.create_joint(BallJoint{.body_a = anchor, .body_b = body, .anchor_b = far}), "10,000 km");
        refused(t.world.shapes().add(TestWorld::sphere(huge)), "1e6 m");
        StepSettings settings = t.settings();
        settings.gravity.y = huge;
        refused(t.world.set_settings(settings), "1,000,000 m/s2");
    }
    refused(t.world.apply_force(body, Vec3(0.0f, 2e15f, 0.0f)), "1e15 N");
    refused(t.world.apply_torque(body, Vec3(0.0f, 3e38f, 0.0f)), "1e15 N");
    refused(t.world.set_mass(body, {.mass = 2e24f, .source = MassSource::total}), "1e24 kg");
    refused(t.world.set_mass(body, {.mass = 1e-19f, .source = MassSource::total}), "1e-18 kg");
    refused(t.world.create_body({.mass = 1e30f}), "1e24 kg");
    for (const float dt : {0.0f, -kDt, kNan, std::numeric_limits<float>::infinity(), 1e-30f})
        CHECK_FALSE(t.world.step(dt).ok());
    engine::Snapshot after;
    t.world.save(after);
    CHECK(after.bytes == before.bytes);

    // What lies just within is taken, and a step of it leaves every number finite.
    REQUIRE(t.world.set_velocity(body, {.linear = {0.0f, 9e5f, 0.0f}, .angular = {9e5f, 0.0f, 0.0f}}).ok());
    REQUIRE(t.world.apply_force(body, Vec3(9e14f, 0.0f, 0.0f)).ok());
    t.step();
    REQUIRE(t.world.set_pose(body, {.position = {9e6f, 0.0f, 0.0f}}).ok());
    t.step(99.0f);
    CHECK(is_finite(t.world.pose(body).position));
    CHECK(is_finite(t.world.velocity(body).linear));
}
