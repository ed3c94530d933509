// SPDX-License-Identifier: MIT
// Joints as debug drawing sees them: where their coordinates are and between which bounds, of every type.
#include <cmath>

#include "physics/debug/debug_frame.h"
#include "physics/joints/joint_types.h"
#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// Two bodies without gravity or colliders at places drawn at random, and a joint whose frames were one before b was moved.
struct JointPair : TestWorld {
    Entity a = kNoEntity, b = kNoEntity;
    DebugFrame frame;
    Pose pose_a;
    Vec3 point{0.3f, 1.1f, -0.4f}, axis;
    Random random;

    explicit JointPair(uint32_t seed) : random{seed} {
        pose_a = {vector(2.0f), turn(vector(1.0f), random.between(0.0f, 180.0f))};
        axis = glm::normalize(vector(1.0f));
        a = world.create_body({.type = BodyType::fixed, .pose = pose_a}).value();
        b = world.create_body({.pose = {vector(2.0f), turn(vector(1.0f), random.between(0.0f, 180.0f))}}).value();
    }
    Vec3 vector(float size) {
        return Vec3(random.between(-size, size), random.between(-size, size), random.between(0.1f, size));
    }
    template <class Joint>
    void place(Joint& joint) {
        const JointAnchors frames = joint_anchors(pose_a, world.pose(b), point, axis).value();
        joint.body_a = a;
        joint.body_b = b;
        joint.anchor_a = frames.anchor_a;
        joint.anchor_b = frames.anchor_b;
        joint.rotation_a = frames.rotation_a;
        joint.rotation_b = frames.rotation_b;
    }
    /// Turns b about a direction at the point, then moves it.
    void move_b(const Quat& by, const Vec3& way = Vec3(0.0f)) {
        const Pose before = world.pose(b);
        REQUIRE(world.set_pose(b, {point + by * (before.position - point) + way, by * before.rotation}).ok());
    }
    template <class Joint>
    const DebugJoint& collect(const Joint& joint) {
        const auto made = world.create_joint(joint);
        REQUIRE_MESSAGE(made.ok(), made.error());
        collect_debug(world, kDebugJoints, frame);
        REQUIRE(frame.joints.size() == 1);
        CHECK(frame.joints[0].type == Joint::kTypeName);
        CHECK(frame.joints[0].joint == made.value());
        return frame.joints[0];
    }
};

/// The row of an axis with a law; it must be there.
uint32_t row_of(const DebugJoint& joint, JointAxis axis, JointLaw law) {
    for (uint32_t i = 0; i < joint.row_count; ++i)
        if (joint.rows[i].axis == axis && joint.rows[i].law == law) return i;
    FAIL("there is no such row");
    return 0;
}

constexpr float kTight = 2e-5f;  // of turns and ways of about 1 that went through the rotations of two bodies in floats

}  // namespace

TEST_CASE("a hinge shows its angle, its range and its motor wherever its bodies are") {
    for (uint32_t seed = 1; seed < 20; ++seed) {
        JointPair t(seed);
        RevoluteJoint joint;
        t.place(joint);
        joint.limit = {.enabled = 1, .lower = -0.5f, .upper = 2.0f};
        joint.motor = {.enabled = 1, .speed = 3.0f, .max_force = 10.0f};
        const float angle = t.random.between(-3.0f, 3.0f);
        t.move_b(glm::angleAxis(angle, t.axis));
        const DebugJoint& seen = t.collect(joint);
        CHECK(seen.has_axes);
        CHECK(!seen.broken);
        CHECK(glm::distance(seen.anchor_a, t.point) < kTight);
        CHECK(glm::distance(seen.anchor_b, t.point) < kTight);
        CHECK(glm::distance(seen.rotation_a * Vec3(1.0f, 0.0f, 0.0f), t.axis) < kTight);
        CHECK(glm::distance(seen.rotation_b * Vec3(1.0f, 0.0f, 0.0f), t.axis) < kTight);
        const uint32_t limit = row_of(seen, JointAxis::twist, JointLaw::limit);
        CHECK(seen.rows[limit].lower == -0.5f);
        CHECK(seen.rows[limit].upper == 2.0f);
        CHECK(std::abs(seen.values[limit] - angle) < kTight);
        CHECK(seen.rows[row_of(seen, JointAxis::twist, JointLaw::motor)].speed == 3.0f);
    }
}

TEST_CASE("sliders, wheels and six axes show how far they are along the axes of frame a") {
    for (uint32_t seed = 1; seed < 20; ++seed) {
        JointPair t(seed);
        const float way = t.random.between(-2.0f, 2.0f);
        PrismaticJoint slider;
        t.place(slider);
        slider.limit = {.enabled = 1, .lower = -1.0f, .upper = 1.0f};
        t.move_b(Quat(1.0f, 0.0f, 0.0f, 0.0f), way * t.axis);
        const DebugJoint& seen = t.collect(slider);
        CHECK(std::abs(seen.values[row_of(seen, JointAxis::x, JointLaw::limit)] - way) < kTight);

        JointPair w(seed);
        WheelJoint wheel;
        w.place(wheel);
        wheel.travel = {.enabled = 1, .lower = -0.2f, .upper = 0.2f};
        wheel.steering = 0.4f;
        const Vec3 up = w.pose_a.rotation * wheel.rotation_a * Vec3(0.0f, 1.0f, 0.0f);
        w.move_b(Quat(1.0f, 0.0f, 0.0f, 0.0f), 0.1f * up);
        const DebugJoint& turned = w.collect(wheel);
        CHECK(std::abs(turned.values[row_of(turned, JointAxis::y, JointLaw::limit)] - 0.1f) < kTight);
        // The axle is where it is steered to.
        CHECK(glm::distance(turned.rotation_a * Vec3(1.0f, 0.0f, 0.0f), glm::angleAxis(0.4f, up) * w.axis) < kTight);

        JointPair s(seed);
        SixDofJoint six;
        s.place(six);
        for (JointFreedom& axis : six.axis)
            axis = {.locked = 0, .limit = {.enabled = 1, .lower = -1.0f, .upper = 1.0f}};
        const Quat frame = s.pose_a.rotation * six.rotation_a;
        const float swing = s.random.between(-1.0f, 1.0f);
        s.move_b(glm::angleAxis(swing, frame * Vec3(0.0f, 0.0f, 1.0f)), frame * Vec3(0.1f, 0.2f, 0.3f));
        const DebugJoint& all = s.collect(six);
        CHECK(all.row_count == 6);
        CHECK(std::abs(all.values[row_of(all, JointAxis::z, JointLaw::limit)] - 0.3f) < kTight);
        CHECK(std::abs(all.values[row_of(all, JointAxis::swing_z, JointLaw::limit)] - swing) < kTight);
        CHECK(std::abs(all.values[row_of(all, JointAxis::swing_y, JointLaw::limit)]) < kTight);
    }
}

TEST_CASE("cones, ropes and pulleys show what their range is of") {
    for (uint32_t seed = 1; seed < 20; ++seed) {
        JointPair t(seed);
        SphericalJoint ball;
        t.place(ball);
        ball.cone_angle = 1.0f;
        const float lean = t.random.between(0.1f, 2.0f);
        t.move_b(glm::angleAxis(lean, glm::normalize(glm::cross(t.axis, Vec3(0.0f, 1.0f, 0.0f)))));
        const DebugJoint& seen = t.collect(ball);
        CHECK(std::abs(seen.values[row_of(seen, JointAxis::cone, JointLaw::limit)] - lean) < kTight);

        JointPair r(seed);
        const DistanceJoint rope{.body_a = r.a, .body_b = r.b, .max_length = 20.0f};
        const float length = glm::distance(r.pose_a.position, r.world.pose(r.b).position);
        const DebugJoint& slack = r.collect(rope);
        CHECK(!slack.has_axes);
        CHECK(std::abs(slack.values[row_of(slack, JointAxis::distance, JointLaw::limit)] - length) < kTight);

        JointPair p(seed);
        const PulleyJoint pulley{.body_a = p.a,
                                 .body_b = p.b,
                                 .ground_a = {0.0f, 9.0f, 0.0f},
                                 .ground_b = {1.0f, 9.0f, 0.0f},
                                 .ratio = 2.0f,
                                 .length = 50.0f};
        const float both = glm::distance(p.pose_a.position, pulley.ground_a) +
                           2.0f * glm::distance(p.world.pose(p.b).position, pulley.ground_b);
        const DebugJoint& line = p.collect(pulley);
        CHECK(line.ground_b == pulley.ground_b);
        CHECK(std::abs(line.values[row_of(line, JointAxis::pulley, JointLaw::limit)] - both) < 4.0f * kTight);
    }
}

TEST_CASE("gears and welds have frames; a broken joint is still listed, and says so") {
    JointPair g(3);
    GearJoint gear;
    g.place(gear);
    gear.ratio = 2.0f;
    const DebugJoint& teeth = g.collect(gear);
    CHECK(teeth.has_axes);
    CHECK(teeth.rows[0].axis == JointAxis::gear);

    TestWorld w;
    const Entity top = w.world.create_body({.type = BodyType::fixed}).value();
    const Entity load = w.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, -1.0f, 0.0f}});
    const Entity made = w.world
                            .create_joint(WeldJoint{
                                .body_a = top, .body_b = load, .anchor_b = {0.0f, 1.0f, 0.0f}, .break_force = 100.0f})
                            .value();
    w.run(0.1f);
    DebugFrame frame;
    collect_debug(w.world, kDebugJoints, frame);
    REQUIRE(frame.joints.size() == 1);
    CHECK(frame.joints[0].joint == made);
    CHECK(frame.joints[0].broken);
    CHECK(frame.joints[0].row_count == 6);
}

TEST_CASE("a joint whose numbers a game made nonsense of has no rows to draw") {
    JointPair t(4);
    RevoluteJoint joint;
    t.place(joint);
    t.collect(joint);
    t.world.registry().get<RevoluteJoint>(t.frame.joints[0].joint).rotation_a = Quat(0.0f, 0.0f, 0.0f, 0.0f);
    collect_debug(t.world, kDebugJoints, t.frame);
    REQUIRE(t.frame.joints.size() == 1);
    CHECK(t.frame.joints[0].row_count == 0);
    CHECK(!t.frame.joints[0].has_axes);
}
