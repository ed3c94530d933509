// SPDX-License-Identifier: MIT
// Every field of every public component, written in place without patch(): the next step acts on it, or writes over it.
// docs/components.md is the same as a table.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();

/// A cube that sleeps on a floor under a gravity that is tilted by 0.3 rad, so that only friction (0.6) holds it, and
/// one that flies.
struct Scene {
    TestWorld t;
    Entity floor = kNoEntity, box = kNoEntity, flying = kNoEntity;

    Scene() {
        StepSettings s = t.settings();
        s.gravity = {kG * std::sin(0.3f), -kG * std::cos(0.3f), 0.0f};
        t.set(s);
        floor = t.floor();
        box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
        t.run(3.0f);
        flying = t.body(TestWorld::box({0.2f, 0.3f, 0.4f}), {.position = {0.0f, 1000.0f, 0.0f}});
        t.step();
        REQUIRE(t.world.is_asleep(box));
    }
    template <class Component>
    Component& of(Entity e) {
        return t.world.registry().get<Component>(e);
    }
    void give_rules(Entity body, const ContactRules& rules) {
        t.world.registry().emplace<ContactRules>(t.world.colliders(body)[0], rules);
    }
    Collider& collider(Entity body) { return of<Collider>(t.world.colliders(body)[0]); }
    bool warned(Entity e) const {
        for (const StepWarning& w : t.world.report().warnings)
            if (w.entity == e) return true;
        return false;
    }
    /// After a write to the sleeping box: it is awake, and half a second later it has slid.
    void check_slides() {
        t.step();
        CHECK_FALSE(t.world.is_asleep(box));
        t.run(0.5f);
        CHECK(t.world.velocity(box).linear.x > 0.5f);
    }
};

}  // namespace

// ---- what the game writes

TEST_CASE("written in place: Pose of fixed, kinematic and sleeping dynamic bodies") {
    Scene s;
    s.of<Pose>(s.box).position.y += 1.0f;
    s.t.step();
    CHECK_FALSE(s.t.world.is_asleep(s.box));
    CHECK(s.t.world.velocity(s.box).linear.y < -0.1f);
    s.of<Pose>(s.flying).rotation = turn({0.0f, 0.0f, 1.0f}, 40.0f);
    s.t.step();
    CHECK(std::abs(glm::dot(s.t.world.pose(s.flying).rotation, turn({0.0f, 0.0f, 1.0f}, 40.0f))) > 0.99999f);

    Scene lowered;
    lowered.of<Pose>(lowered.floor).position.y -= 1.0f;
    lowered.t.run(0.3f);
    CHECK(lowered.t.world.pose(lowered.box).position.y < 0.3f);
}

TEST_CASE("written in place: Velocity of dynamic and kinematic bodies, and that of fixed ones is zero again") {
    Scene s;
    s.of<Velocity>(s.box).linear.z = 2.0f;
    s.of<Velocity>(s.flying).angular.y = 3.0f;
    s.of<Velocity>(s.floor).linear.x = 5.0f;
    s.of<Velocity>(s.floor).angular.y = 5.0f;
    s.t.step();
    CHECK(s.t.world.pose(s.box).position.z > 0.01f);
    CHECK(std::abs(s.t.world.pose(s.flying).rotation.y) > 0.02f);
    CHECK(s.of<Velocity>(s.floor).linear == Vec3(0.0f));
    CHECK(s.of<Velocity>(s.floor).angular == Vec3(0.0f));
    CHECK(s.t.world.pose(s.floor).position == Vec3(0.0f, -1.0f, 0.0f));
}

TEST_CASE("written in place: Force acts on dynamic bodies for one step, and is dropped on the others") {
    Scene s;
    const Entity lift =
        s.t.body(TestWorld::box(Vec3(0.5f)), {.type = BodyType::kinematic, .position = {50.0f, 5.0f, 0.0f}});
    s.t.step();
    const float spin = s.t.world.velocity(s.flying).angular.x;
    s.of<Force>(s.box).linear = {0.0f, 0.0f, 20000.0f};
    s.of<Force>(s.flying).angular = {1.0f, 0.0f, 0.0f};
    s.of<Force>(s.floor).linear = {1.0f, 1.0f, 1.0f};
    s.of<Force>(lift).linear = {1.0f, 1.0f, 1.0f};
    s.t.step();
    CHECK(s.t.world.velocity(s.box).linear.z > 0.1f);
    CHECK(s.t.world.velocity(s.flying).angular.x > spin);
    for (const Entity e : {s.box, s.flying, s.floor, lift}) {
        CHECK(s.of<Force>(e).linear == Vec3(0.0f));
        CHECK(s.of<Force>(e).angular == Vec3(0.0f));
    }
    CHECK(s.t.world.velocity(lift).linear == Vec3(0.0f));
}

TEST_CASE("written in place: RigidBody::type of bodies that sleep, fly and carry") {
    Scene s;
    s.of<RigidBody>(s.flying).type = BodyType::fixed;
    s.of<RigidBody>(s.floor).type = BodyType::dynamic;
    const Vec3 flying = s.t.world.pose(s.flying).position;
    s.t.run(0.5f);
    CHECK(s.t.world.pose(s.flying).position == flying);
    CHECK(s.t.world.velocity(s.flying).linear == Vec3(0.0f));
    CHECK(s.t.world.pose(s.floor).position.y < -1.5f);
    CHECK(s.t.world.pose(s.box).position.y < 0.2f);  // what slept on the floor fell with it

    Scene driven;
    driven.of<RigidBody>(driven.box).type = BodyType::kinematic;
    driven.of<Velocity>(driven.box).linear = {0.0f, 1.0f, 0.0f};
    driven.t.run(0.5f);
    CHECK(driven.t.world.pose(driven.box).position.y > 0.9f);
}

TEST_CASE("written in place: gravity scale, damping and allow_sleep, also of a body that sleeps") {
    Scene s;
    s.of<RigidBody>(s.box).gravity_scale = -1.0f;
    s.t.run(0.5f);
    CHECK(s.t.world.pose(s.box).position.y > 1.0f);

    Scene awake;
    awake.of<RigidBody>(awake.box).allow_sleep = 0;
    awake.t.step();
    CHECK_FALSE(awake.t.world.is_asleep(awake.box));
    awake.t.run(3.0f);
    CHECK_FALSE(awake.t.world.is_asleep(awake.box));

    Scene damped;
    damped.of<RigidBody>(damped.flying).linear_damping = 50.0f;
    damped.of<RigidBody>(damped.flying).angular_damping = 50.0f;
    damped.of<Velocity>(damped.flying).angular = {0.0f, 1.0f, 0.0f};
    damped.t.run(0.5f);
    CHECK(glm::length(damped.t.world.velocity(damped.flying).linear) < 1.01f * kG / 50.0f);  // terminal velocity g / c
    CHECK(glm::length(damped.t.world.velocity(damped.flying).angular) < 1e-6f);
    damped.of<RigidBody>(damped.box).linear_damping = 1.0f;
    damped.of<RigidBody>(damped.box).angular_damping = 1.0f;
    damped.t.step();
    CHECK_FALSE(damped.t.world.is_asleep(damped.box));
}

TEST_CASE("written in place: speed limits and locked axes, also of a body that sleeps") {
    Scene s;
    s.of<RigidBody>(s.flying).max_linear_speed = 3.0f;
    s.of<RigidBody>(s.flying).max_angular_speed = 2.0f;
    s.of<Velocity>(s.flying).angular = {0.0f, 10.0f, 0.0f};
    s.t.run(1.0f);
    CHECK(glm::length(s.t.world.velocity(s.flying).linear) == doctest::Approx(3.0f));
    CHECK(glm::length(s.t.world.velocity(s.flying).angular) == doctest::Approx(2.0f).epsilon(1e-3));
    s.of<RigidBody>(s.flying).locked_axes = kLockRotationY;
    s.t.step();
    CHECK(s.t.world.velocity(s.flying).angular.y == 0.0f);
    s.of<RigidBody>(s.box).locked_axes = kLockRotation;
    s.t.step();
    CHECK_FALSE(s.t.world.is_asleep(s.box));
    s.of<Velocity>(s.box).angular = {1.0f, 2.0f, 3.0f};
    s.t.step();
    CHECK(s.t.world.velocity(s.box).angular == Vec3(0.0f));
}

TEST_CASE("written in place: settings of a body that make no sense are set back, with a warning that names it") {
    Scene s;
    s.of<RigidBody>(s.flying) = {BodyType(9), kNan, -1.0f, kNan, 1};
    s.of<Mass>(s.box).source = MassSource(9);
    s.t.step();
    CHECK(s.warned(s.flying));
    CHECK(s.warned(s.box));
    const RigidBody& now = s.of<RigidBody>(s.flying);
    CHECK(now.type == BodyType::dynamic);
    CHECK(now.gravity_scale == 1.0f);
    CHECK(now.linear_damping == 0.0f);
    CHECK(now.angular_damping == 0.0f);
    CHECK(s.of<Mass>(s.box).source == MassSource::densities);
    s.t.step();
    CHECK(s.t.world.report().warnings.empty());
}

TEST_CASE("written in place: Mass, as far as its source makes it the game's") {
    Scene s;
    Mass& mass = s.of<Mass>(s.flying);
    const Mass derived = mass;
    mass.mass = 1.0f;
    mass.center = {1.0f, 1.0f, 1.0f};
    mass.inertia.xx = 7.0f;
    s.t.step();  // from the densities: written over
    CHECK(mass.mass == derived.mass);
    CHECK(mass.center == derived.center);
    CHECK(mass.inertia.xx == derived.inertia.xx);

    mass.source = MassSource::total;
    mass.mass = 2.0f * derived.mass;
    s.t.step();
    CHECK(mass.inertia.xx == doctest::Approx(2.0f * derived.inertia.xx));

    mass.source = MassSource::given;
    mass.mass = 5.0f;
    mass.center = {0.5f, 0.0f, 0.0f};
    mass.inertia = {1.0f, 2.0f, 2.5f, 0.0f, 0.0f, 0.0f};
    s.of<Velocity>(s.flying) = {};
    s.of<Force>(s.flying) = {{300.0f, 0.0f, 0.0f}, {60.0f, 0.0f, 0.0f}};
    s.t.step();
    CHECK(s.t.world.velocity(s.flying).linear.x == doctest::Approx((60.0f + kG * std::sin(0.3f)) * kDt).epsilon(1e-4));
    CHECK(s.t.world.velocity(s.flying).angular.x == doctest::Approx(60.0f * kDt).epsilon(1e-3));
    CHECK(mass.center.x == 0.5f);

    mass.source = MassSource::densities;  // nothing else is written
    s.t.step();
    CHECK(mass.mass == derived.mass);

    s.of<Mass>(s.box).source = MassSource::total;
    s.of<Mass>(s.box).mass = 1.0f;
    s.t.step();
    CHECK_FALSE(s.t.world.is_asleep(s.box));
    CHECK(s.of<Mass>(s.box).inertia.xx == doctest::Approx(1.0f / 6.0f));
}

TEST_CASE("written in place: a mass that makes no sense leaves the body out, and one that makes sense brings it back") {
    Scene s;
    s.of<Mass>(s.flying).source = MassSource::given;
    s.of<Mass>(s.flying).mass = kNan;
    const float height = s.t.world.pose(s.flying).position.y;
    s.t.step();
    CHECK(s.warned(s.flying));
    s.t.run(0.1f);
    CHECK(s.t.world.pose(s.flying).position.y == height);
    s.of<Mass>(s.flying).mass = 3.0f;
    s.t.run(0.1f);
    CHECK(s.t.world.pose(s.flying).position.y < height);
}

TEST_CASE("written in place: every part of Collider, on the body that sleeps and on the floor below it") {
    using Write = std::function<void(Scene&)>;
    const std::vector<std::pair<const char*, Write>> slides = {
        {"friction of the box", [](Scene& s) { s.collider(s.box).material.friction = 0.0f; }},
        {"friction of the floor", [](Scene& s) { s.collider(s.floor).material.friction = 0.0f; }},
        {"friction across a grain",
         [](Scene& s) {
             s.collider(s.box).material.friction_direction = {0.0f, 0.0f, 1.0f};
             s.collider(s.box).material.friction_across = 0.0f;
         }},
        {"combine mode",
         [](Scene& s) {
             s.collider(s.floor).material.friction = 0.0f;
             s.collider(s.floor).material.friction_combine = Combine::multiply;
         }},
        {"velocity of the floor's surface",
         [](Scene& s) {
             s.collider(s.floor).material.surface_velocity = {3.0f, 0.0f, 0.0f};
         }},
        {"velocity of the box's surface",
         [](Scene& s) {
             s.collider(s.box).material.surface_velocity = {-3.0f, 0.0f, 0.0f};
         }},
    };
    for (const auto& [name, write] : slides) {
        CAPTURE(std::string(name));
        Scene s;
        write(s);
        s.check_slides();
    }
    const std::vector<std::pair<const char*, Write>> wakes = {
        {"restitution", [](Scene& s) { s.collider(s.box).material.restitution = 0.5f; }},
        {"restitution mode", [](Scene& s) { s.collider(s.box).material.restitution_combine = Combine::minimum; }},
        {"moment mode", [](Scene& s) { s.collider(s.box).material.moment_combine = Combine::minimum; }},
        {"torsional friction", [](Scene& s) { s.collider(s.box).material.torsional_friction = 0.1f; }},
        {"rolling friction", [](Scene& s) { s.collider(s.box).material.rolling_friction = 0.1f; }},
        {"density", [](Scene& s) { s.collider(s.box).density = 500.0f; }},
    };
    for (const auto& [name, write] : wakes) {
        CAPTURE(std::string(name));
        Scene s;
        write(s);
        s.t.step();
        CHECK_FALSE(s.t.world.is_asleep(s.box));
    }
    const std::vector<std::pair<const char*, Write>> falls = {
        {"layer", [](Scene& s) { s.collider(s.box).layer = 0; }},
        {"mask", [](Scene& s) { s.collider(s.floor).mask = 0; }},
        {"local pose", [](Scene& s) { s.collider(s.floor).local.position.y = -3.0f; }},
        {"shape",
         [](Scene& s) {
             s.collider(s.floor).shape = s.t.shape(TestWorld::box({50.0f, 0.2f, 50.0f}));
         }},
        {"body", [](Scene& s) { s.collider(s.floor).body = s.flying; }},
        {"group", [](Scene& s) { s.collider(s.floor).group = s.collider(s.box).group = -5; }},
        {"sensor of the floor", [](Scene& s) { s.collider(s.floor).is_sensor = 1; }},
        {"sensor of the box", [](Scene& s) { s.collider(s.box).is_sensor = 1; }},
        {"broken", [](Scene& s) { s.give_rules(s.floor, {.broken = 1}); }},
        {"break impulse", [](Scene& s) { s.give_rules(s.box, {.break_impulse = 1e-3f}); }},
    };
    for (const auto& [name, write] : falls) {
        CAPTURE(std::string(name));
        Scene s;
        write(s);
        s.t.run(0.6f);
        CHECK(s.t.world.pose(s.box).position.y < -0.2f);
    }
}

TEST_CASE("written in place: contact rules, which wake what lies on them, and whose events") {
    Scene s;
    const Entity collider = s.t.world.colliders(s.floor)[0];
    s.give_rules(s.floor, {.force_threshold = 1.0f});
    s.t.step();
    CHECK_FALSE(s.t.world.is_asleep(s.box));
    CHECK(s.t.world.events().force.size() == 1);
    ContactRules& rules = s.t.world.registry().get<ContactRules>(collider);
    rules.force_threshold = 1e9f;
    s.t.step();
    CHECK(s.t.world.events().force.empty());
    rules.force_threshold = 1.0f;
    s.t.step();
    CHECK(s.t.world.events().force.size() == 1);
    s.t.world.registry().remove<ContactRules>(collider);
    s.t.step();
    CHECK(s.t.world.events().force.empty());
    s.collider(s.floor).events = s.collider(s.box).events = 0;
    REQUIRE(s.t.world.set_velocity(s.box, {.linear = {0.0f, 3.0f, 0.0f}, .angular = {}}).ok());
    for (int i = 0; i < 60; ++i) {
        s.t.step();
        CHECK(s.t.world.events().end.empty());
        CHECK(s.t.world.events().hit.empty());
    }
}

TEST_CASE("written in place: restitution and density do what they say") {
    TestWorld t;
    t.floor();
    const Entity ball = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 3.0f, 0.0f}});
    t.step();
    Collider& collider = t.world.registry().get<Collider>(t.world.colliders(ball)[0]);
    collider.material.restitution = 0.8f;
    collider.density = 250.0f;
    t.step();
    CHECK(t.mass(ball).mass == doctest::Approx(250.0f * 4.0f / 3.0f * kPi * 0.125f));
    float up = 0.0f;
    for (int i = 0; i < 90; ++i) {
        t.step();
        up = std::max(up, t.world.velocity(ball).linear.y);
    }
    CHECK(up > 5.0f);  // 0.8 of the 7 m/s of a fall of 2.5 m
}

TEST_CASE("written in place: a collider that makes no sense is left out with a warning, beside other changes too") {
    Scene s;
    s.collider(s.box).material.friction = kNan;
    s.t.world.destroy_body(s.flying);  // lists change in the same step
    s.t.step();
    CHECK(s.warned(s.t.world.colliders(s.box)[0]));
    s.collider(s.box).material.friction = 0.6f;
    s.t.step();
    CHECK(s.t.world.report().warnings.empty());

    Scene other;
    other.collider(other.box).material.friction = 0.0f;
    other.t.world.destroy_body(other.flying);
    other.check_slides();
}

TEST_CASE("written in place: SolverChoice decides in the next step, and one that makes no sense is named") {
    Scene s;
    REQUIRE(s.t.world.wake(s.box).ok());
    REQUIRE(s.t.world.set_solver(s.box, "pgs").ok());
    s.t.step();
    CHECK(s.t.world.island(s.box)->solver == "pgs");
    SolverChoice& choice = s.of<SolverChoice>(s.box);
    std::memset(choice.solver, 0, sizeof(choice.solver));
    std::memcpy(choice.solver, "nncg", 4);
    choice.iterations = 12;
    s.t.step();
    CHECK(s.t.world.island(s.box)->solver == "nncg");
    CHECK(s.t.world.island(s.box)->iterations <= 12);
    choice.iterations = 200;
    choice.tolerance = 1e-3f;
    s.t.step();
    CHECK(s.t.world.island(s.box)->stop == StopReason::tolerance);
    choice.tolerance = kNan;
    s.t.step();
    CHECK(s.warned(s.box));
    choice.tolerance = 0.0f;
    choice.solver[0] = 'x';
    s.t.step();
    CHECK(s.warned(s.box));
}

TEST_CASE("written in place: BallJoint") {
    TestWorld t;
    const Entity post = t.body(TestWorld::box(Vec3(0.1f)), {.type = BodyType::fixed, .position = {0.0f, 5.0f, 0.0f}});
    const Entity other = t.body(TestWorld::box(Vec3(0.1f)), {.type = BodyType::fixed, .position = {3.0f, 5.0f, 0.0f}});
    const Entity bob = t.body(TestWorld::box(Vec3(0.2f)), {.position = {0.0f, 4.0f, 0.0f}});
    const Entity joint =
        t.world.create_joint(BallJoint{.body_a = post, .body_b = bob, .anchor_b = {0.0f, 1.0f, 0.0f}}).value();
    t.run(4.0f);
    REQUIRE(t.world.is_asleep(bob));
    BallJoint& written = t.world.registry().get<BallJoint>(joint);
    const auto anchors_apart = [&] {
        const Pose a = t.world.pose(written.body_a), b = t.world.pose(written.body_b);
        return glm::length(a.position + a.rotation * written.anchor_a - b.position - b.rotation * written.anchor_b);
    };
    written.anchor_a.y = -0.5f;
    t.step();
    CHECK_FALSE(t.world.is_asleep(bob));
    t.run(5.0f);
    CHECK(anchors_apart() < 0.01f);
    written.anchor_b.y = 0.7f;
    t.run(5.0f);
    CHECK(anchors_apart() < 0.01f);
    written.body_a = other;
    t.run(5.0f);
    CHECK(anchors_apart() < 0.02f);
    CHECK(t.world.pose(bob).position.x > 1.0f);
    const float rigid = anchors_apart();
    written.hertz = 0.5f;
    written.damping_ratio = 0.5f;
    t.run(1.0f);
    CHECK(anchors_apart() > rigid + 0.05f);
    const Entity wall = t.body(TestWorld::box(Vec3(0.3f)), {.position = {10.0f, 0.0f, 0.0f}});
    written.body_b = wall;
    t.step();
    CHECK(t.world.report().joints == 1);
}

TEST_CASE("written in place: whether the bodies of a joint collide") {
    TestWorld t;
    const Entity a = t.body(TestWorld::box(Vec3(0.5f)), {.type = BodyType::fixed});
    const Entity b = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.9f, 0.0f}});
    const Entity joint =
        t.world.create_joint(BallJoint{.body_a = a, .body_b = b, .anchor_a = {0.0f, 0.9f, 0.0f}}).value();
    t.step();
    CHECK(t.world.contacts(b).empty());
    t.world.registry().get<BallJoint>(joint).collide_connected = 1;
    t.step();
    CHECK_FALSE(t.world.contacts(b).empty());
}

// ---- what the step writes

TEST_CASE("written over by the step: SleepState of a body that moves") {
    Scene s;
    SleepState& state = s.of<SleepState>(s.flying);
    const SleepState before = state;
    state.timer = 100.0f;
    state.asleep = 1;
    state.direct_steps = 9;
    state.still_steps = 99;
    state.mean_linear = Vec3(1000.0f);
    s.t.step();
    CHECK(state.asleep == 0);
    CHECK(state.timer == 0.0f);
    CHECK(state.direct_steps == 0);
    CHECK(state.still_steps != 99);
    CHECK(state.mean_linear != Vec3(1000.0f));
    CHECK(before.asleep == 0);
    s.of<SleepState>(s.box).asleep = 0;  // as wake() does, both
    s.of<SleepState>(s.box).timer = 0.0f;
    s.t.step();
    CHECK_FALSE(s.t.world.is_asleep(s.box));
}

TEST_CASE("written over by the step: StableId, also when the body ends before it") {
    Scene s;
    const uint32_t id = s.of<StableId>(s.box).value, collider = s.of<StableId>(s.t.world.colliders(s.box)[0]).value;
    const Entity box_collider = s.t.world.colliders(s.box)[0];
    s.of<StableId>(s.box).value = 4000;
    s.of<StableId>(box_collider).value = 1;
    s.t.step();
    CHECK(s.of<StableId>(s.box).value == id);
    CHECK(s.of<StableId>(box_collider).value == collider);
    CHECK(s.warned(s.box));
    CHECK(s.warned(box_collider));
    s.of<StableId>(s.box).value = 4000;
    s.t.world.destroy_body(s.box);
    CHECK(s.t.world.bodies().size() == 2);
    s.t.step();
    CHECK(s.t.world.bodies().size() == 2);
}

TEST_CASE("written over by the step: JointState of a joint that takes part") {
    TestWorld t;
    StepSettings settings = t.settings();
    settings.sleeping = false;
    t.set(settings);
    const Entity post = t.body(TestWorld::box(Vec3(0.1f)), {.type = BodyType::fixed, .position = {0.0f, 5.0f, 0.0f}});
    const Entity bob = t.body(TestWorld::box(Vec3(0.2f)), {.position = {0.0f, 4.0f, 0.0f}});
    const Entity joint =
        t.world.create_joint(BallJoint{.body_a = post, .body_b = bob, .anchor_b = {0.0f, 1.0f, 0.0f}}).value();
    t.run(0.5f);
    JointState& state = t.world.registry().get<JointState>(joint);
    const float carried = state.impulse.y;
    CHECK(carried == doctest::Approx(t.mass(bob).mass * kG * kDt).epsilon(0.01));
    state.impulse = Vec3(-1e6f);
    state.error = 1e6f;
    t.step();
    CHECK(state.impulse.y == doctest::Approx(carried).epsilon(0.01));
    CHECK(state.error < 0.01f);
}

TEST_CASE("written in vain: ContactPair, which nothing in the world reads, is right again when the contact changes") {
    Scene s;
    REQUIRE(s.t.world.contacts(s.box).size() == 1);
    const Entity pair = s.t.world.contacts(s.box)[0].pair;
    const ContactPair before = s.of<ContactPair>(pair);
    s.of<ContactPair>(pair) = ContactPair{};
    const ContactView view = s.t.world.contacts(s.box)[0];
    CHECK(view.body_b == s.box);
    CHECK(view.touching);
    REQUIRE(s.t.world.apply_impulse(s.box, {0.0f, 200.0f, 0.0f}).ok());
    std::vector<ContactEnd> ended;
    for (int i = 0; i < 60; ++i) {
        s.t.step();
        for (const ContactEnd& e : s.t.world.events().end) ended.push_back(e);
        if (!ended.empty()) break;
    }
    REQUIRE(ended.size() == 1);
    CHECK(ended[0].collider_a == before.collider_a);
    CHECK(ended[0].body_b == before.body_b);
    if (s.t.world.registry().valid(pair)) CHECK(s.of<ContactPair>(pair).collider_a == before.collider_a);
}

TEST_CASE("a note of the step: Quarantined takes a body out when the game gives it, and brings it back when it goes") {
    Scene s;
    const float height = s.t.world.pose(s.flying).position.y;
    s.t.world.registry().emplace<Quarantined>(s.flying);
    s.t.run(0.1f);
    CHECK(s.t.world.pose(s.flying).position.y == height);
    s.of<Quarantined>(s.flying).step = 12345;  // nobody reads it
    s.t.step();
    CHECK(s.t.world.pose(s.flying).position.y == height);
    s.t.world.registry().remove<Quarantined>(s.flying);
    s.t.run(0.1f);
    CHECK(s.t.world.pose(s.flying).position.y < height);
}

// ---- snapshots

TEST_CASE("what was written in place and not stepped yet is in a snapshot") {
    using Write = std::function<void(Scene&)>;
    const std::vector<std::pair<const char*, Write>> writes = {
        {"gravity scale", [](Scene& s) { s.of<RigidBody>(s.box).gravity_scale = -1.0f; }},
        {"type", [](Scene& s) { s.of<RigidBody>(s.box).type = BodyType::kinematic; }},
        {"mass",
         [](Scene& s) {
             s.of<Mass>(s.box).source = MassSource::total;
             s.of<Mass>(s.box).mass = 3.0f;
         }},
        {"friction", [](Scene& s) { s.collider(s.floor).material.friction = 0.0f; }},
    };
    for (const auto& [name, write] : writes) {
        CAPTURE(std::string(name));
        Scene s;
        write(s);
        engine::Snapshot snapshot;
        s.t.world.save(snapshot);
        s.t.run(0.3f);
        const uint64_t hash = s.t.world.state_hash();
        REQUIRE(s.t.world.restore(snapshot).ok());
        s.t.run(0.3f);
        CHECK(s.t.world.state_hash() == hash);
    }
}
