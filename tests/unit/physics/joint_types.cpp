// SPDX-License-Identifier: MIT
// Joints of every type against laws with known answers, at parameters drawn at random.
#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/joints/joint_types.h"
#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

constexpr float kStep = 1.0f / 60.0f, kGravity = 9.81f;

struct JointWorld : TestWorld {
    JointWorld() {
        StepSettings s = settings();
        s.sleeping = false;
        set(s);
    }
    Entity ground(const Vec3& at = Vec3(0.0f)) {
        return world.create_body({.type = BodyType::fixed, .pose = {.position = at}}).value();
    }
    Entity box(const Vec3& at, const Vec3& half, float mass, const Quat& rotation = Quat(1, 0, 0, 0)) {
        const Entity body = world.create_body({.pose = {.position = at, .rotation = rotation}, .mass = mass}).value();
        REQUIRE(world.add_collider(body, {.shape = shape(TestWorld::box(half))}).ok());
        return body;
    }
    /// A joint between two bodies as they are placed now, at a point of the world with an axis there.
    template <class Joint>
    Entity join(Joint joint, Entity a, Entity b, const Vec3& point, const Vec3& axis) {
        joint.body_a = a;
        joint.body_b = b;
        return world.create_joint(with_anchors(joint, joint_anchors(world.pose(a), world.pose(b), point, axis).value()))
            .value();
    }
    const JointState& state(Entity joint) { return world.registry().get<JointState>(joint); }
    void gravity_off() {
        StepSettings s = settings();
        s.gravity = Vec3(0.0f);
        set(s);
    }
};

Vec3 random_direction(Random& random) {
    for (;;) {
        const Vec3 v(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1));
        const float length = glm::length(v);
        if (length > 0.1f && length < 1.0f) return v / length;
    }
}

}  // namespace

TEST_CASE("a rod on a hinge swings with the period of a physical pendulum, and keeps its axis") {
    Random random{3};
    for (int k = 0; k < 8; ++k) {
        const float size = std::pow(10.0f, random.between(-1.0f, 1.0f)), amplitude = random.between(0.05f, 0.3f);
        CAPTURE(size);
        CAPTURE(amplitude);
        JointWorld t;
        const Vec3 half(0.05f * size, 0.5f * size, 0.08f * size);
        const Quat tilt = glm::angleAxis(amplitude, Vec3(0, 0, 1));
        const Entity rod = t.box(tilt * Vec3(0.0f, -0.4f * size, 0.0f), half, 2.0f, tilt);
        const Entity hinge = t.join(RevoluteJoint{}, t.ground(), rod, Vec3(0.0f), {0, 0, 1});
        const float inertia = t.mass(rod).inertia.zz + 2.0f * 0.16f * size * size;
        const float expected =
            2.0f * kPi * std::sqrt(inertia / (2.0f * kGravity * 0.4f * size)) * (1.0f + amplitude * amplitude / 16.0f);
        float first = -1.0f, last = -1.0f, before = 1.0f;
        int passes = 0;
        for (int i = 1; i <= 1200; ++i) {
            t.step();
            const float angle = std::atan2(t.pose(rod).position.x, -t.pose(rod).position.y);
            if (before < 0.0f && angle >= 0.0f) {
                last = (float(i) - angle / (angle - before)) * kStep;
                if (first < 0.0f) first = last;
                ++passes;
            }
            before = angle;
            REQUIRE(t.state(hinge).error < 2e-5f * size + 1e-6f);
            REQUIRE(t.state(hinge).angular_error < 1e-4f);
        }
        REQUIRE(passes > 2);
        CHECK((last - first) / float(passes - 1) == doctest::Approx(expected).epsilon(0.005));
    }
}

TEST_CASE("a heavy arm on a hinge stops at its limit, holds there, and tells what it bears") {
    Random random{5};
    for (int k = 0; k < 8; ++k) {
        const float mass = std::pow(10.0f, random.between(-1.0f, 3.0f)), arm = random.between(0.2f, 3.0f);
        const float lower = random.between(-1.2f, -0.1f);
        CAPTURE(mass);
        CAPTURE(arm);
        CAPTURE(lower);
        JointWorld t;
        const Entity body = t.box({arm, 0.0f, 0.0f}, Vec3(0.1f * arm), mass);
        RevoluteJoint joint;
        joint.limit = {.enabled = 1, .lower = lower, .upper = 0.5f};
        const Entity hinge = t.join(joint, t.ground(), body, Vec3(0.0f), {0, 0, 1});
        float lowest = 0.0f;
        for (int i = 0; i < 240; ++i) {
            t.step();
            lowest = std::min(lowest, t.state(hinge).position);
            REQUIRE(t.state(hinge).error < 1e-4f * arm);
            REQUIRE(t.state(hinge).angular_error < 0.0035f);
        }
        CHECK(lowest > lower - 0.5f * kPi / 180.0f);
        CHECK(t.state(hinge).position == doctest::Approx(lower).epsilon(0.002));
        CHECK(t.state(hinge).impulse.y == doctest::Approx(mass * kGravity * kStep).epsilon(0.002));
        CHECK(t.state(hinge).angular_impulse.z ==
              doctest::Approx(mass * kGravity * arm * std::cos(lower) * kStep).epsilon(0.002));
    }
}

TEST_CASE("a motor brings a wheel to its speed with the torque it has, and no more") {
    Random random{7};
    for (int k = 0; k < 6; ++k) {
        const float torque = random.between(0.2f, 5.0f), speed = random.between(1.0f, 12.0f);
        const Vec3 axis = random_direction(random);
        JointWorld t;
        t.gravity_off();
        const Entity body = t.box(Vec3(0.0f), Vec3(0.3f), 4.0f);
        RevoluteJoint joint;
        joint.motor = {.enabled = 1, .speed = speed, .max_force = torque};
        const Entity hinge = t.join(joint, t.ground(), body, Vec3(0.0f), axis);
        const float inertia = t.mass(body).inertia.xx;
        const int steps = int(0.5f * speed * inertia / torque / kStep) + 1;
        for (int i = 0; i < steps; ++i) t.step();
        const float reached = std::min(speed, torque * float(steps) * kStep / inertia);
        CHECK(glm::dot(t.velocity(body).angular, axis) == doctest::Approx(reached).epsilon(0.01));
        t.run(2.0f * speed * inertia / torque);
        CHECK(glm::dot(t.velocity(body).angular, axis) == doctest::Approx(speed).epsilon(1e-4));
        CHECK(std::abs(t.state(hinge).motor_impulse) < 0.01f * torque * kStep);
    }
}

TEST_CASE("a motor to an angle is a spring that gets there; friction holds below its torque and gives way above") {
    JointWorld t;
    t.gravity_off();
    const Entity body = t.box(Vec3(0.0f), Vec3(0.2f), 3.0f), other = t.box({2, 0, 0}, Vec3(0.2f), 3.0f),
                 third = t.box({4, 0, 0}, Vec3(0.2f), 3.0f);
    RevoluteJoint drive;
    drive.motor = {.enabled = 1, .target = 0.8f, .hertz = 2.0f, .damping_ratio = 1.0f};
    const Entity a = t.join(drive, t.ground(), body, Vec3(0.0f), {0, 1, 0});
    RevoluteJoint rub;
    rub.friction = 0.5f;
    const Entity b = t.join(rub, t.ground(), other, {2, 0, 0}, {0, 1, 0}),
                 c = t.join(rub, t.ground(), third, {4, 0, 0}, {0, 1, 0});
    const float inertia = t.mass(other).inertia.yy;
    for (int i = 0; i < 180; ++i) {
        REQUIRE(t.world.apply_torque(other, {0.0f, 0.49f, 0.0f}).ok());
        REQUIRE(t.world.apply_torque(third, {0.0f, 0.6f, 0.0f}).ok());
        t.step();
    }
    CHECK(t.state(a).position == doctest::Approx(0.8f).epsilon(0.001));
    CHECK(std::abs(t.state(b).position) < 1e-4f);
    CHECK(t.velocity(third).angular.y == doctest::Approx(0.1f * 180.0f * kStep / inertia).epsilon(0.01));
    CHECK(t.state(c).motor_impulse == doctest::Approx(-0.5f * kStep).epsilon(0.001));
}

TEST_CASE("a slider falls along its axis only, stops at its limit, and a motor carries it") {
    Random random{11};
    for (int k = 0; k < 8; ++k) {
        Vec3 axis = random_direction(random);
        if (axis.y > 0.0f) axis = -axis;
        const float mass = std::pow(10.0f, random.between(-1.0f, 2.0f));
        CAPTURE(axis.x);
        CAPTURE(axis.y);
        CAPTURE(mass);
        JointWorld t;
        const Entity free = t.box(Vec3(0.0f), {0.1f, 0.2f, 0.3f}, mass), held = t.box({5, 0, 0}, Vec3(0.2f), mass);
        PrismaticJoint joint;
        joint.limit = {.enabled = 1, .lower = -1.0f, .upper = 0.5f};
        const Entity slider = t.join(joint, t.ground(), free, Vec3(0.0f), axis);
        joint.limit.enabled = 0;
        joint.motor = {.enabled = 1, .speed = -0.2f};
        const Entity lift = t.join(joint, t.ground({3, 0, 0}), held, {5, 0, 0}, axis);
        const float along = -kGravity * axis.y;
        const int steps = std::clamp(int(0.6f * std::sqrt(2.0f * 0.5f / along) / kStep), 2, 60);
        for (int i = 0; i < steps; ++i) t.step();
        const float time = float(steps) * kStep;
        // Semi-implicit sub-steps are h / 2 ahead.
        CHECK(t.state(slider).position == doctest::Approx(0.5f * along * time * time).epsilon(0.02));
        CHECK(glm::length(glm::cross(t.pose(free).position, axis)) < 1e-4f);
        t.run(2.0f);
        if (along > 1.0f) CHECK(t.state(slider).position == doctest::Approx(0.5f).epsilon(1e-3));
        CHECK(glm::length(t.velocity(free).angular) < 1e-4f);
        CHECK(t.state(lift).position == doctest::Approx(-0.2f * (time + 2.0f)).epsilon(0.002));
        CHECK(-t.state(lift).motor_impulse == doctest::Approx(mass * along * kStep).epsilon(0.002));
    }
}

TEST_CASE("a weld carries a load on an arm, at every size, and tells force and torque") {
    Random random{13};
    for (int k = 0; k < 10; ++k) {
        const float arm = std::pow(10.0f, random.between(-1.5f, 1.0f)),
                    mass = std::pow(10.0f, random.between(-1.0f, 3.0f));
        CAPTURE(arm);
        CAPTURE(mass);
        JointWorld t;
        const Entity body = t.box({arm, 0.0f, 0.0f}, Vec3(0.2f * arm), mass);
        const Entity weld = t.join(WeldJoint{}, t.ground(), body, Vec3(0.0f), random_direction(random));
        t.run(3.0f);
        CHECK(t.state(weld).error < 1e-3f * arm);
        CHECK(t.state(weld).angular_error < 0.0035f);
        CHECK(t.pose(body).position.y == doctest::Approx(0.0f).epsilon(1e-3 * arm));
        CHECK(t.state(weld).impulse.y == doctest::Approx(mass * kGravity * kStep).epsilon(0.001));
        CHECK(std::abs(t.state(weld).angular_impulse.z) ==
              doctest::Approx(mass * kGravity * arm * kStep).epsilon(0.001));
    }
}

TEST_CASE("a soft weld bends by what its frequency says") {
    JointWorld t;
    const float hertz = 3.0f, w = 2.0f * kPi * hertz;
    const Entity body = t.box({0.0f, 0.0f, 0.0f}, Vec3(0.2f), 5.0f);
    WeldJoint joint;
    joint.linear_hertz = hertz;
    t.join(joint, t.ground(), body, Vec3(0.0f), {1, 0, 0});
    t.run(6.0f);
    CHECK(-t.pose(body).position.y == doctest::Approx(kGravity / (w * w)).epsilon(0.005));
}

TEST_CASE("a spherical joint keeps its cone and its twist, and its spring and friction act") {
    Random random{17};
    for (int k = 0; k < 6; ++k) {
        const float cone = random.between(0.2f, 1.3f), twist = random.between(0.1f, 1.0f);
        CAPTURE(cone);
        CAPTURE(twist);
        JointWorld t;
        const Entity arm = t.box({0.5f, 0.0f, 0.0f}, {0.5f, 0.05f, 0.05f}, 2.0f);
        t.velocity(arm).angular = {random.between(-6, 6), random.between(-2, 2), random.between(-2, 2)};
        t.velocity(arm).linear = glm::cross(t.velocity(arm).angular, Vec3(0.5f, 0.0f, 0.0f));
        SphericalJoint joint;
        joint.cone_angle = cone;
        joint.twist = {.enabled = 1, .lower = -twist, .upper = twist};
        const Entity ball = t.join(joint, t.ground(), arm, Vec3(0.0f), {1, 0, 0});
        for (int i = 0; i < 240; ++i) {
            t.step();
            REQUIRE(t.state(ball).position < cone + 0.0088f);
            REQUIRE(t.state(ball).angular_error < 0.0088f);
            REQUIRE(t.state(ball).error < 1e-4f);
        }
        CHECK(t.state(ball).position > 0.9f * cone);  // it hangs in its cone
    }
}

TEST_CASE("a rod is a pendulum, a rope falls freely until it is taut, and a spring has its frequency") {
    JointWorld t;
    const Entity bob = t.box({0.3f, -1.0f, 0.0f}, Vec3(0.02f), 1.0f),
                 slack = t.box({5.0f, -0.5f, 0.0f}, Vec3(0.05f), 1.0f),
                 hung = t.box({9.0f, -1.0f, 0.0f}, Vec3(0.05f), 1.0f);
    const float length = std::sqrt(0.09f + 1.0f);
    DistanceJoint rod{.body_a = t.ground(), .body_b = bob};
    rod.min_length = rod.max_length = length;
    DistanceJoint rope{.body_a = t.ground({5, 0, 0}), .body_b = slack};
    rope.max_length = 1.0f;
    DistanceJoint spring{.body_a = t.ground({9, 0, 0}), .body_b = hung};
    spring.min_length = spring.max_length = 1.0f;
    spring.hertz = 2.0f;
    const Entity a = t.world.create_joint(rod).value(), b = t.world.create_joint(rope).value();
    REQUIRE(t.world.create_joint(spring).ok());
    const float start = t.pose(bob).position.y;
    for (int i = 1; i <= 600; ++i) {
        t.step();
        REQUIRE(std::abs(t.state(a).position - length) < 1e-4f);
        REQUIRE(t.state(b).position < 1.0f + 1e-4f);
        // Half a second of free fall would be 1.2 m: it is taut after 0.32 s.
        if (i == 15)
            CHECK(t.pose(slack).position.y == doctest::Approx(-0.5f - 0.5f * kGravity * 0.0625f).epsilon(0.01));
    }
    CHECK(t.pose(slack).position.y == doctest::Approx(-1.0f).epsilon(1e-4));
    const float speed = glm::length(t.velocity(bob).linear),
                energy = 0.5f * speed * speed + kGravity * t.pose(bob).position.y;
    CHECK(energy == doctest::Approx(kGravity * start).epsilon(0.005));
    CHECK(-t.pose(hung).position.y - 1.0f == doctest::Approx(kGravity / std::pow(4.0f * kPi, 2.0f)).epsilon(0.005));
}

TEST_CASE("gears keep their ratio, a rack its way, and the rope of a pulley its length") {
    for (const float ratio : {1.0f, 2.5f, -0.4f}) {
        CAPTURE(ratio);
        JointWorld t;
        const Entity ground = t.ground();
        const Entity small = t.box(Vec3(0.0f), Vec3(0.2f), 1.0f), large = t.box({1, 0, 0}, Vec3(0.3f), 5.0f),
                     bar = t.box({0, 2, 0}, {0.5f, 0.1f, 0.1f}, 2.0f);
        const Entity h1 = t.join(RevoluteJoint{}, ground, small, Vec3(0.0f), {0, 0, 1});
        t.join(RevoluteJoint{}, ground, large, {1, 0, 0}, {0, 0, 1});
        const Entity slide = t.join(PrismaticJoint{}, ground, bar, {0, 2, 0}, {1, 0, 0});
        const Quat about_z = joint_anchors({}, {}, Vec3(0.0f), {0, 0, 1}).value().rotation_a;
        GearJoint gear{.body_a = small, .body_b = large, .rotation_a = about_z, .rotation_b = about_z, .ratio = ratio};
        GearJoint rack{.body_a = small, .body_b = bar, .rotation_a = about_z, .ratio = 0.3f, .rack = 1};
        REQUIRE(t.world.create_joint(gear).ok());
        REQUIRE(t.world.create_joint(rack).ok());
        float turned = 0.0f;
        for (int i = 0; i < 600; ++i) {
            REQUIRE(t.world.apply_torque(small, {0.0f, 0.0f, 0.2f * std::sin(0.02f * float(i))}).ok());
            t.step();
            turned += t.velocity(small).angular.z * kStep;
            REQUIRE(t.velocity(large).angular.z == doctest::Approx(-ratio * t.velocity(small).angular.z).epsilon(1e-3));
        }
        CHECK(std::abs(turned) > 0.5f);
        // b turns by -ratio times a: seen in its angle, whatever the number of turns.
        const float wrapped = std::remainder(-ratio * turned, 2.0f * kPi);
        const Quat q = t.pose(large).rotation;
        CHECK(std::remainder(2.0f * std::atan2(q.z, q.w) - wrapped, 2.0f * kPi) == doctest::Approx(0.0f).epsilon(0.01));
        CHECK(t.state(slide).position == doctest::Approx(-0.3f * turned).epsilon(0.01));
        CHECK(t.state(h1).error < 1e-4f);
    }
    for (const float ratio : {1.0f, 2.0f}) {
        CAPTURE(ratio);
        JointWorld t;
        const Entity left = t.box({-1, 0, 0}, Vec3(0.1f), 3.0f), right = t.box({1, 0, 0}, Vec3(0.1f), 1.0f);
        PulleyJoint joint{
            .body_a = left, .body_b = right, .ground_a = {-1, 5, 0}, .ground_b = {1, 5, 0}, .ratio = ratio};
        joint.length = 5.0f * (1.0f + ratio);
        const Entity pulley = t.world.create_joint(joint).value();
        t.run(0.5f);
        // Atwood: with tension T on a and ratio T on b, a moves down by x, b up by x / ratio.
        const float a = kGravity * (3.0f * ratio - 1.0f) * ratio / (3.0f * ratio * ratio + 1.0f);
        CHECK(-t.velocity(left).linear.y == doctest::Approx(0.5f * a).epsilon(0.01));
        CHECK(t.velocity(right).linear.y == doctest::Approx(0.5f * a / ratio).epsilon(0.01));
        CHECK(t.state(pulley).position == doctest::Approx(joint.length).epsilon(1e-5));
    }
}

TEST_CASE("a wheel rests on its suspension by g / w^2, turns with its motor and steers with its axle") {
    JointWorld t;
    const Entity car = t.ground(), wheel = t.box({1.0f, 0.0f, 0.0f}, {0.1f, 0.3f, 0.3f}, 10.0f);
    WheelJoint joint;
    joint.hertz = 2.5f;
    joint.motor = {.enabled = 1, .speed = 4.0f, .max_force = 100.0f};
    JointAnchors frames = joint_anchors(t.pose(car), t.pose(wheel), {1, 0, 0}, {1, 0, 0}, {0, 1, 0}).value();
    joint.body_a = car, joint.body_b = wheel;
    joint.anchor_a = frames.anchor_a, joint.anchor_b = frames.anchor_b;
    joint.rotation_a = frames.rotation_a, joint.rotation_b = frames.rotation_b;
    const Entity made = t.world.create_joint(joint).value();
    t.run(4.0f);
    CHECK(t.state(made).position == doctest::Approx(-kGravity / std::pow(2.0f * kPi * 2.5f, 2.0f)).epsilon(0.01));
    CHECK(t.velocity(wheel).angular.x == doctest::Approx(4.0f).epsilon(0.01));
    t.world.registry().get<WheelJoint>(made).steering = 0.4f;
    t.run(1.0f);
    const Vec3 axle = t.pose(wheel).rotation * Vec3(1, 0, 0);
    CHECK(std::atan2(-axle.z, axle.x) == doctest::Approx(0.4f).epsilon(0.01));
}

TEST_CASE("the general joint does what hinges, sliders and welds do") {
    for (int kind = 0; kind < 3; ++kind) {
        CAPTURE(kind);
        JointWorld t;
        const Entity x = t.box({0.4f, 0, 0}, Vec3(0.1f), 2.0f), y = t.box({5.4f, 0, 0}, Vec3(0.1f), 2.0f);
        const Vec3 axis = glm::normalize(Vec3(0.2f, 0.3f, 1.0f));
        SixDofJoint general;
        const JointLimit limit{.enabled = 1, .lower = -0.6f, .upper = 0.6f};
        if (kind < 2) {
            general.axis[kind == 0 ? 3 : 0].locked = 0;
            general.axis[kind == 0 ? 3 : 0].limit = limit;
        }
        t.join(general, t.ground(), x, Vec3(0.0f), axis);
        const Entity ground = t.ground({5, 0, 0});
        if (kind == 0) {
            RevoluteJoint joint;
            joint.limit = limit;
            t.join(joint, ground, y, {5, 0, 0}, axis);
        } else if (kind == 1) {
            PrismaticJoint joint;
            joint.limit = limit;
            t.join(joint, ground, y, {5, 0, 0}, axis);
        } else {
            t.join(WeldJoint{}, ground, y, {5, 0, 0}, axis);
        }
        for (int i = 0; i < 120; ++i) {
            t.step();
            REQUIRE(glm::length(t.pose(x).position + Vec3(5, 0, 0) - t.pose(y).position) < 1e-3f);
        }
    }
}

TEST_CASE("a joint breaks when its load goes beyond what it bears, says so once, and can be mended") {
    JointWorld t;
    const Entity body = t.box({1.0f, 0.0f, 0.0f}, Vec3(0.1f), 2.0f);
    WeldJoint joint;
    joint.break_torque = 25.0f;  // 2 kg on an arm of a metre: 19.6 N m
    const Entity weld = t.join(joint, t.ground(), body, Vec3(0.0f), {1, 0, 0});
    t.run(1.0f);
    REQUIRE(t.state(weld).broken == 0);
    REQUIRE(t.world.apply_force(body, {0.0f, -10.0f, 0.0f}).ok());
    t.step();
    REQUIRE(t.world.joint_breaks().size() == 1);
    CHECK(t.world.joint_breaks()[0].joint == weld);
    CHECK(t.world.joint_breaks()[0].torque == doctest::Approx(29.62f).epsilon(0.01));
    t.step();
    CHECK(t.world.joint_breaks().empty());
    t.run(0.5f);
    CHECK(t.pose(body).position.y < -1.0f);
    t.world.registry().get<JointState>(weld).broken = 0;
    t.world.registry().get<WeldJoint>(weld).break_torque = 0.0f;
    t.run(2.0f);
    CHECK(t.state(weld).error < 1e-3f);
    CHECK(t.pose(body).position.y == doctest::Approx(0.0f).epsilon(1e-3));
}

TEST_CASE("joints that make no sense are refused with a sentence, and nothing has changed") {
    JointWorld t;
    const Entity a = t.box(Vec3(0.0f), Vec3(0.1f), 1.0f), b = t.box({1, 0, 0}, Vec3(0.1f), 1.0f), wall = t.ground();
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const size_t before = t.world.registry().storage<JointState>().size();
    const auto refused = [&](auto joint) {
        if (joint.body_a == kNoEntity) joint.body_a = a;
        if (joint.body_b == kNoEntity) joint.body_b = b;
        const Result<Entity> made = t.world.create_joint(joint);
        CHECK_FALSE(made.ok());
        if (!made.ok()) CHECK(made.error().size() > 20);
    };
    refused(RevoluteJoint{.body_b = a});
    refused(RevoluteJoint{.body_a = wall, .body_b = t.ground()});
    refused(RevoluteJoint{.anchor_a = {nan, 0, 0}});
    refused(RevoluteJoint{.rotation_a = Quat(0, 0, 0, 0)});
    refused(RevoluteJoint{.limit = {.enabled = 1, .lower = 0.5f, .upper = -0.5f}});
    refused(RevoluteJoint{.limit = {.enabled = 1, .lower = -4.0f, .upper = 1.0f}});
    refused(RevoluteJoint{.motor = {.enabled = 1, .speed = nan}});
    refused(RevoluteJoint{.motor = {.enabled = 1, .max_force = -1.0f}});
    refused(RevoluteJoint{.motor = {.enabled = 1, .hertz = inf}});
    refused(RevoluteJoint{.friction = -1.0f});
    refused(RevoluteJoint{.break_force = nan});
    refused(PrismaticJoint{.limit = {.enabled = 1, .lower = 1.0f, .upper = nan}});
    refused(WeldJoint{.linear_hertz = -1.0f});
    refused(SphericalJoint{.cone_angle = -0.1f});
    refused(DistanceJoint{.min_length = 2.0f, .max_length = 1.0f});
    refused(DistanceJoint{.min_length = 0.0f, .max_length = 0.0f});
    refused(GearJoint{.ratio = 0.0f});
    refused(GearJoint{.ratio = inf});
    refused(PulleyJoint{.ratio = -1.0f});
    refused(PulleyJoint{.length = nan});
    refused(WheelJoint{.steering = 3.0f});
    SixDofJoint general;
    general.axis[4].locked = 0;
    general.axis[4].limit = {.enabled = 1, .lower = -2.0f, .upper = 2.0f};
    refused(general);
    CHECK_FALSE(joint_anchors({}, {}, Vec3(0.0f), Vec3(0.0f)).ok());
    CHECK_FALSE(joint_anchors({}, {}, Vec3(0.0f), {nan, 0, 0}).ok());
    CHECK(t.world.registry().storage<JointState>().size() == before);
}
