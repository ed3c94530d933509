// SPDX-License-Identifier: MIT
#include "render/extract/extract_joints.h"

#include <algorithm>
#include <cmath>

#include "render/extract/extract_debug.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;
using namespace proxima::render;

namespace {

constexpr Vec3 kEye{0.0f, 0.0f, 20.0f};

/// Both frames at (1, 2, 3), along the axes of the world.
DebugJoint plain_joint() {
    DebugJoint joint;
    joint.anchor_a = joint.anchor_b = {1.0f, 2.0f, 3.0f};
    joint.center_a = {0.0f, 2.0f, 3.0f};
    joint.center_b = {1.0f, 1.0f, 3.0f};
    joint.has_axes = true;
    return joint;
}
void add_row(DebugJoint& joint, const JointRow& row, float value) {
    joint.rows[joint.row_count] = row;
    joint.values[joint.row_count++] = value;
}
std::vector<Line> lines_of(const DebugJoint& joint) {
    std::vector<Line> lines;
    add_joint(joint, 1.0f, kEye, lines);
    return lines;
}
/// Those that are there with the joint and not without its row.
std::vector<Line> lines_of_row(const JointRow& row, float value, DebugJoint joint = plain_joint()) {
    const size_t before = lines_of(joint).size();
    add_row(joint, row, value);
    std::vector<Line> lines = lines_of(joint);
    // Without rows the anchors have a line between them, too.
    lines.erase(lines.begin(), lines.begin() + std::ptrdiff_t(before - (joint.row_count == 1 ? 1 : 0)));
    return lines;
}
bool ends_at(const std::vector<Line>& lines, const Vec3& point) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const Line& line) { return glm::distance(line.to, point) < 1e-5f; });
}

}  // namespace

TEST_CASE("the range of a hinge is an arc about its axis from one end to the other, and a hand where it is") {
    const std::vector<Line> lines =
        lines_of_row({.axis = JointAxis::twist, .law = JointLaw::limit, .lower = -0.5f, .upper = 1.2f}, 0.7f);
    const Vec3 at{1.0f, 2.0f, 3.0f};
    REQUIRE(lines.size() > 4);
    float least = 10.0f, most = -10.0f;
    for (const Line& line : lines) {
        const Vec3 reach = line.to - at;
        CHECK(std::abs(reach.x) < 1e-6f);
        const float angle = std::atan2(reach.z, reach.y);
        least = std::min(least, angle);
        most = std::max(most, angle);
    }
    CHECK(least == doctest::Approx(-0.5f));
    CHECK(most == doctest::Approx(1.2f));
    CHECK(ends_at(lines, at + 1.15f * Vec3(0.0f, std::cos(0.7f), std::sin(0.7f))));
}

TEST_CASE("swings are drawn about the axes that they turn about") {
    const Vec3 at{1.0f, 2.0f, 3.0f};
    const auto end_of = [&](JointAxis axis) {
        return lines_of_row({.axis = axis, .law = JointLaw::limit, .lower = -0.3f, .upper = 0.9f}, 0.0f);
    };
    CHECK(ends_at(end_of(JointAxis::swing_y),
                  at + turn({0.0f, 1.0f, 0.0f}, glm::degrees(0.9f)) * Vec3(1.0f, 0.0f, 0.0f)));
    CHECK(ends_at(end_of(JointAxis::swing_z),
                  at + turn({0.0f, 0.0f, 1.0f}, glm::degrees(0.9f)) * Vec3(1.0f, 0.0f, 0.0f)));
}

TEST_CASE("a cone is a circle about the x axis at its angle, also one wider than a right angle") {
    for (const float angle : {0.4f, 2.0f}) {
        const std::vector<Line> lines =
            lines_of_row({.axis = JointAxis::cone, .law = JointLaw::limit, .lower = -4.0f, .upper = angle}, 0.0f);
        size_t on_it = 0;
        for (const Line& line : lines) {
            const Vec3 reach = line.to - Vec3(1.0f, 2.0f, 3.0f);
            on_it += std::abs(std::acos(std::clamp(reach.x / glm::length(reach), -1.0f, 1.0f)) - angle) < 1e-4f;
        }
        CHECK(on_it == lines.size() - 1);  // all but the hand, which lies along the axis
    }
}

TEST_CASE("the range of a slider is a bar of its length with a mark where it is") {
    const std::vector<Line> lines =
        lines_of_row({.axis = JointAxis::x, .law = JointLaw::limit, .lower = -2.0f, .upper = 3.0f}, 1.0f);
    REQUIRE(!lines.empty());
    CHECK(lines[0].from == Vec3(-1.0f, 2.0f, 3.0f));
    CHECK(lines[0].to == Vec3(4.0f, 2.0f, 3.0f));
    CHECK(ends_at(lines, {2.3f, 2.0f, 3.0f}));  // the cross at 1 m
}

TEST_CASE("a slack rope shows how far it would reach, a taut one and a rod have another colour and no rest") {
    DebugJoint rope = plain_joint();
    rope.has_axes = false;
    rope.anchor_b = {1.0f, 0.0f, 3.0f};
    const JointRow law{.axis = JointAxis::distance, .law = JointLaw::limit, .lower = -1e7f, .upper = 3.0f};
    const std::vector<Line> slack = lines_of_row(law, 2.0f, rope);
    CHECK(slack[0].from == rope.anchor_a);
    CHECK(slack[0].to == rope.anchor_b);
    CHECK(ends_at(slack, {1.0f, -1.0f, 3.0f}));
    for (const Line& line : slack) CHECK(glm::length(line.to) < 10.0f);  // what is out of reach is not drawn
    rope.anchor_b = {1.0f, -1.0f, 3.0f};
    const std::vector<Line> taut = lines_of_row(law, 3.0f, rope);
    CHECK(taut.size() == slack.size() - 1);
    CHECK(taut[0].colour != slack[0].colour);
    const std::vector<Line> rod =
        lines_of_row({.axis = JointAxis::distance, .law = JointLaw::locked, .lower = 3.0f, .upper = 3.0f}, 3.0f, rope);
    CHECK(rod.size() == 1);
    CHECK(rod[0].colour == taut[0].colour);
}

TEST_CASE("the rope of a pulley goes over both of its points") {
    DebugJoint joint = plain_joint();
    joint.ground_a = {1.0f, 5.0f, 3.0f};
    joint.ground_b = {2.0f, 5.0f, 3.0f};
    const std::vector<Line> lines =
        lines_of_row({.axis = JointAxis::pulley, .law = JointLaw::limit, .lower = -1e7f, .upper = 9.0f}, 6.0f, joint);
    REQUIRE(lines.size() >= 3);
    CHECK(lines[0].from == joint.ground_a);
    CHECK(lines[0].to == joint.anchor_a);
    CHECK(lines[1].to == joint.anchor_b);
    CHECK(lines[2].from == joint.ground_a);
    CHECK(lines[2].to == joint.ground_b);
}

TEST_CASE("gears are their two axles and a line between them") {
    DebugJoint joint = plain_joint();
    joint.rotation_b = turn({0.0f, 0.0f, 1.0f}, 90.0f);
    add_row(joint, {.axis = JointAxis::gear}, 0.0f);
    const std::vector<Line> lines = lines_of(joint);
    REQUIRE(lines.size() == 3);
    CHECK(glm::distance(lines[0].to, joint.center_a + Vec3(1.0f, 0.0f, 0.0f)) < 1e-6f);
    CHECK(glm::distance(lines[1].to, joint.center_b + Vec3(0.0f, 1.0f, 0.0f)) < 1e-6f);
    CHECK(lines[2].from == joint.center_a);
    CHECK(lines[2].to == joint.center_b);
}

TEST_CASE("a motor is an arrow the way that it drives; a servo that has arrived, and friction, have none") {
    const auto motor = [](JointAxis axis, float speed) {
        return JointRow{.axis = axis, .law = JointLaw::motor, .speed = speed, .max_force = 5.0f};
    };
    const auto servo = [](JointAxis axis, float target) {
        return JointRow{.axis = axis, .law = JointLaw::motor, .lower = target, .hertz = 1.0f};
    };
    const Vec3 at{1.0f, 2.0f, 3.0f};
    CHECK(ends_at(lines_of_row(motor(JointAxis::x, 2.0f), 0.0f), at + Vec3(1.0f, 0.0f, 0.0f)));
    CHECK(ends_at(lines_of_row(motor(JointAxis::x, -2.0f), 0.0f), at - Vec3(1.0f, 0.0f, 0.0f)));
    CHECK(ends_at(lines_of_row(servo(JointAxis::x, 5.0f), 1.0f), at + Vec3(4.0f, 0.0f, 0.0f)));
    CHECK(ends_at(lines_of_row(servo(JointAxis::twist, 1.0f), 0.2f),
                  at + 0.75f * Vec3(0.0f, std::cos(1.0f), std::sin(1.0f))));
    const auto right = lines_of_row(motor(JointAxis::twist, 1.0f), 0.0f),
               left = lines_of_row(motor(JointAxis::twist, -1.0f), 0.0f);
    REQUIRE(!right.empty());
    REQUIRE(!left.empty());
    CHECK(right[0].to.z > at.z);
    CHECK(left[0].to.z < at.z);
    CHECK(lines_of_row(servo(JointAxis::x, 1.0f), 1.0f).empty());
    CHECK(lines_of_row(servo(JointAxis::twist, 1.0f), 1.0f).empty());
    CHECK(lines_of_row(motor(JointAxis::twist, 0.0f), 1.0f).empty());
}

TEST_CASE("anchors that a joint holds together have a red line between them where they came apart; others have none") {
    DebugJoint joint = plain_joint();
    joint.anchor_b.x += 0.1f;
    const auto torn = [](const std::vector<Line>& lines) {
        return std::count_if(lines.begin(), lines.end(),
                             [](const Line& line) { return line.colour == rgba(255, 60, 60); });
    };
    for (const JointAxis axis : {JointAxis::world_x, JointAxis::world_y, JointAxis::world_z})
        add_row(joint, {.axis = axis}, 0.1f);
    CHECK(torn(lines_of(joint)) == 1);
    DebugJoint slider = plain_joint();
    slider.anchor_b.x += 0.1f;
    for (const JointAxis axis : {JointAxis::y, JointAxis::z}) add_row(slider, {.axis = axis}, 0.0f);
    CHECK(torn(lines_of(slider)) == 0);
}

TEST_CASE("a broken joint has one colour of its own, no drive and no force") {
    DebugJoint joint = plain_joint();
    joint.impulse = {0.0f, 1.0f, 0.0f};
    add_row(joint, {.axis = JointAxis::twist, .law = JointLaw::limit, .lower = -1.0f, .upper = 1.0f}, 0.0f);
    add_row(joint, {.axis = JointAxis::twist, .law = JointLaw::motor, .speed = 1.0f}, 0.0f);
    DebugFrame frame;
    frame.joints = {joint};
    DebugStyle style;
    style.joints = true;
    DrawList whole, broken;
    whole.camera.eye = broken.camera.eye = kEye;
    extract_debug(frame, style, whole);
    frame.joints[0].broken = true;
    extract_debug(frame, style, broken);
    CHECK(broken.lines_on_top.size() < whole.lines_on_top.size());
    for (const Line& line : broken.lines_on_top) CHECK(line.colour == broken.lines_on_top[0].colour);
    for (const Line& line : whole.lines_on_top) CHECK(line.colour != broken.lines_on_top[0].colour);
}
