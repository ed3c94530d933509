// SPDX-License-Identifier: MIT
// Joints of every type made between two bodies, their frames moved, and the ends of their ranges drawn.
#include "samples/editor/model/joint_tool.h"

#include <cmath>

#include "tests/editor/editor_test.h"
#include "tests/support/random.h"

using namespace proxima;
using namespace proxima::test;
using namespace proxima::editor;

namespace {

struct Pair {
    Document document;
    ItemId a, b;
    physics::Pose pose_a{{-1.0f, 2.0f, 0.5f}, glm::angleAxis(0.7f, glm::normalize(Vec3(1.0f, 2.0f, 3.0f)))};
    physics::Pose pose_b{{1.5f, 1.0f, -0.5f}, glm::angleAxis(-1.3f, glm::normalize(Vec3(3.0f, 1.0f, -2.0f)))};

    Pair() {
        a = take(document.create_body(box_shape(), BodyType::dynamic, pose_a.position));
        b = take(document.create_body(box_shape(), BodyType::dynamic, pose_b.position));
        const ItemId ids[] = {a, b};
        done(document.edit_bodies("turn", ids, [&](BodyRecord& body) -> Result<void> {
            body.desc.rotation = body.id == a ? pose_a.rotation : pose_b.rotation;
            return {};
        }));
    }
};

constexpr Vec3 kPoint{0.2f, 1.4f, 0.1f}, kAxis{0.0f, 0.0f, 1.0f};
constexpr float kTight = 1e-5f;  // m, of a metre through rotations in floats

Vec3 x_of(const Transform& frame) { return frame.rotation * Vec3(1.0f, 0.0f, 0.0f); }

Ray ray_to(const Vec3& eye, const Vec3& point) { return {eye, 3.0f * (point - eye)}; }

}  // namespace

TEST_CASE("a joint of every type is made between two bodies, undone, saved, and holds still in a play") {
    for (const std::string_view type : joint_type_names()) {
        CAPTURE(type);
        Pair p;
        const physics::AnyJoint joint = take(new_joint(type, p.pose_a, p.pose_b, kPoint, kAxis));
        CHECK(std::visit([](const auto& j) { return j.kTypeName; }, joint) == type);
        const std::string before = text_of(p.document);
        done(p.document.join(p.a, p.b, joint));
        const std::string joined = text_of(p.document);
        CHECK(joined != before);
        done(p.document.undo());
        CHECK(text_of(p.document) == before);
        done(p.document.redo());
        CHECK(text_of(p.document) == joined);
        const auto again = physics::parse_scene(joined, "joined");
        REQUIRE_MESSAGE(again.ok(), again.error());
        // Without gravity nothing pulls: a joint that were not at rest as it was made would move its bodies.
        physics::SceneDesc scene = again.value();
        scene.settings.gravity = Vec3(0.0f);
        physics::PhysicsWorld world;
        REQUIRE(physics::instantiate(scene, world).ok());
        for (int i = 0; i < 30; ++i) REQUIRE(world.step(1.0f / 60.0f).ok());
        CHECK(world.report().joints == 1);
        for (const Entity body : world.bodies()) {
            const Vec3 at = world.pose(body).position;
            CHECK(std::min(glm::distance(at, p.pose_a.position), glm::distance(at, p.pose_b.position)) < 1e-3f);
        }
    }
    Pair p;
    CHECK(has(new_joint("hinge", p.pose_a, p.pose_b, kPoint, kAxis).error(), "'hinge'"));
    CHECK_FALSE(new_joint("revolute", p.pose_a, p.pose_b, kPoint, Vec3(0.0f)).ok());
}

TEST_CASE("the frames of a joint are where it was asked for, and follow a move and a turn on both bodies") {
    for (const char* type : {"revolute", "prismatic", "spherical", "weld", "wheel", "six_dof", "gear", "ball"}) {
        CAPTURE(type);
        Pair p;
        const physics::AnyJoint joint = take(new_joint(type, p.pose_a, p.pose_b, kPoint, kAxis));
        const Quat turn = glm::angleAxis(0.8f, glm::normalize(Vec3(1.0f, -1.0f, 0.5f)));
        const Vec3 move{0.3f, -0.2f, 0.7f};
        const physics::AnyJoint moved = moved_joint(joint, p.pose_a, p.pose_b, JointEnd::both, move, turn);
        for (const JointEnd end : {JointEnd::a, JointEnd::b}) {
            const Transform was = joint_frame(joint, p.pose_a, p.pose_b, end),
                            is = joint_frame(moved, p.pose_a, p.pose_b, end);
            CHECK(glm::distance(was.position, kPoint) < kTight);
            CHECK(glm::distance(is.position, kPoint + move) < kTight);
            if (std::string_view(type) == "ball") continue;
            CHECK(glm::distance(x_of(was), kAxis) < kTight);
            CHECK(glm::distance(x_of(is), turn * kAxis) < kTight);
        }
        // One end alone leaves the other.
        const physics::AnyJoint one = moved_joint(joint, p.pose_a, p.pose_b, JointEnd::b, move, turn);
        CHECK(glm::distance(joint_frame(one, p.pose_a, p.pose_b, JointEnd::a).position, kPoint) < kTight);
        CHECK(glm::distance(joint_frame(one, p.pose_a, p.pose_b, JointEnd::b).position, kPoint + move) < kTight);
    }
}

TEST_CASE("an end of a range that is drawn to a point of its arc or its bar has the value of that point") {
    Pair p;
    Random random;
    physics::AnyJoint hinge = take(new_joint("revolute", p.pose_a, p.pose_b, kPoint, kAxis));
    std::get<physics::RevoluteJoint>(hinge).limit = {.enabled = 1, .lower = -0.4f, .upper = 0.9f};
    const auto ends = limit_handles(hinge, p.pose_a, p.pose_b, 0.7f);
    REQUIRE(ends.size() == 2);
    CHECK(ends[0].key == "limit_lower");
    CHECK(ends[1].value == 0.9f);
    CHECK(glm::distance(ends[1].position, kPoint) == doctest::Approx(0.7f));
    for (int i = 0; i < 50; ++i) {
        const Vec3 eye =
            kPoint + Vec3(random.between(-4.0f, 4.0f), random.between(-4.0f, 4.0f), random.between(1.0f, 5.0f));
        const float angle = random.between(-3.0f, 3.0f);
        const Vec3 target = ends[1].origin + 1.3f * (std::cos(angle) * ends[1].x + std::sin(angle) * ends[1].y);
        const auto value = drag_limit(ends[1], ray_to(eye, target), angle + 0.1f);
        REQUIRE(value);
        CHECK(*value == doctest::Approx(angle).epsilon(1e-4));
    }
    // The hand on the arc is what debug drawing shows: b turned by the value has its y axis there.
    const auto handle = drag_limit(ends[1], ray_to(kPoint + kAxis * 5.0f, ends[1].position), 0.9f);
    REQUIRE(handle);
    CHECK(*handle == doctest::Approx(0.9f).epsilon(1e-4));

    physics::AnyJoint slider = take(new_joint("prismatic", p.pose_a, p.pose_b, kPoint, kAxis));
    std::get<physics::PrismaticJoint>(slider).limit = {.enabled = 1, .lower = -1.0f, .upper = 2.0f};
    const auto bar = limit_handles(slider, p.pose_a, p.pose_b, 0.7f);
    REQUIRE(bar.size() == 2);
    CHECK(glm::distance(bar[1].position, kPoint + 2.0f * kAxis) < kTight);
    for (int i = 0; i < 50; ++i) {
        const Vec3 eye =
            kPoint + Vec3(random.between(1.0f, 4.0f), random.between(-4.0f, 4.0f), random.between(-4.0f, 4.0f));
        const float way = random.between(-3.0f, 3.0f);
        const auto value = drag_limit(bar[1], ray_to(eye, kPoint + way * kAxis), 0.0f);
        REQUIRE(value);
        CHECK(std::abs(*value - way) < 1e-4f);
    }
    Snap snap;
    snap.on = true;
    CHECK(drag_limit(bar[1], ray_to({5.0f, 1.0f, 0.0f}, kPoint + 1.1f * kAxis), 0.0f, snap) == doctest::Approx(1.0f));
    CHECK(!drag_limit(ends[1], {kPoint + Vec3(5.0f, 0.0f, 0.0f), {1.0f, 0.0f, 0.0f}}, 0.0f));
}

TEST_CASE("every limit has two ends that can be drawn, and what would make no sense stays") {
    Pair p;
    const auto count = [&](const physics::AnyJoint& joint) {
        return limit_handles(joint, p.pose_a, p.pose_b, 1.0f).size();
    };
    physics::SixDofJoint six;
    for (physics::JointFreedom& axis : six.axis)
        axis = {.locked = 0, .limit = {.enabled = 1, .lower = -0.1f, .upper = 0.1f}};
    CHECK(count(six) == 12);
    six.axis[4].locked = 1;
    six.axis[5].limit.enabled = 0;
    CHECK(count(six) == 8);
    CHECK(count(physics::WheelJoint{.travel = {.enabled = 1, .lower = -0.1f, .upper = 0.1f}}) == 2);
    CHECK(count(physics::SphericalJoint{.cone_angle = 0.5f, .twist = {.enabled = 1}}) == 3);
    CHECK(count(physics::DistanceJoint{}) == 1);
    CHECK(count(physics::RevoluteJoint{}) == 0);
    CHECK(count(physics::BallJoint{}) == 0);

    const physics::RevoluteJoint hinge{.limit = {.enabled = 1, .lower = -0.4f, .upper = 0.9f}};
    const auto wider = with_number(hinge, "limit_upper", 1.5f);
    REQUIRE(wider);
    CHECK(std::get<physics::RevoluteJoint>(*wider).limit.upper == 1.5f);
    CHECK(std::get<physics::RevoluteJoint>(*wider).limit.lower == -0.4f);
    CHECK(!with_number(hinge, "limit_upper", -0.5f));  // below the lower one
    CHECK(!with_number(hinge, "limit_upper", 4.0f));   // beyond half a turn
}
