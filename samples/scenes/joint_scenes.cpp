// SPDX-License-Identifier: MIT
// Joints at work: what hangs, swings, turns and is driven, each with what must come of it.
#include <cmath>

#include "samples/scenes/disturbed.h"

namespace proxima::samples {

using namespace physics;

namespace {

constexpr double kDegree = 0.017453292519943295;

}  // namespace

/// Links of 20 cm and 1 kg, level in the beginning, and a ball of 1000 kg at their end.
SceneWithGoal chain(const std::string& name, double links) {
    constexpr double kLink = 0.2, kRadius = 0.03, kBall = 0.3;
    DisturbedBuilder b(name, "A chain is let go level; its end is 1000 times as heavy as a link");
    const double top = links * kLink + 2.0;
    b.fixed(b.box({0.1, 0.1, 0.1}), {0.0, top, 0.0}).name = "beam";
    uint32_t above = b.last_body();
    const uint32_t link = b.capsule(kRadius, 0.5 * kLink - kRadius), ball = b.sphere(kBall);
    const Quatd level = axis_angle({0.0, 0.0, 1.0}, 90.0 * kDegree);
    for (int i = 0; i < int(links); ++i) {
        const bool last = i + 1 == int(links);
        const double start = kLink * i, middle = last ? start + kBall : start + 0.5 * kLink;
        SceneBody& body = b.dynamic(last ? ball : link, {middle, top, 0.0}, last ? Quatd{} : level);
        body.name = last ? "load" : "link " + std::to_string(i + 1);
        body.mass = last ? 1000.0f : 1.0f;
        b.ball_joint(above, b.last_body(), {start, top, 0.0});
        above = b.last_body();
    }
    b.run_for(600, 1);
    b.goal.joint_error = 0.005;
    b.goal.lift = 0.01 * links * kLink;  // a hundredth of the chain: no energy is won
    return b.finish();
}

SceneWithGoal wrecking_ball(const std::string& name, double) {
    constexpr double kLink = 0.4;
    constexpr int kLinks = 14;
    DisturbedBuilder b(name, "A ball of 500 kg on a chain of links of 5 kg swings into a wall of boxes");
    b.fixed(b.box({0.2, 0.2, 0.2}), {0.0, 8.0, 0.0}).name = "jib";
    uint32_t above = b.last_body();
    const double lean = 60.0 * kDegree;
    const Vec3d down{-std::sin(lean), -std::cos(lean), 0.0};
    const Quatd turned = axis_angle({0.0, 0.0, 1.0}, -lean);
    const uint32_t link = b.capsule(0.05, 0.5 * kLink - 0.05), ball = b.sphere(0.5);
    Vec3d at{0.0, 8.0, 0.0};
    for (int i = 0; i < kLinks; ++i) {
        SceneBody& body = b.dynamic(link, at + down * (0.5 * kLink), turned);
        body.name = "link " + std::to_string(i + 1);
        body.mass = 5.0f;
        b.ball_joint(above, b.last_body(), at);
        above = b.last_body();
        at = at + down * kLink;
    }
    b.dynamic(ball, at + down * 0.5).mass = 500.0f;
    b.ball_joint(above, b.last_body(), at);
    const uint32_t brick = b.box({0.25, 0.25, 0.25});
    for (int row = 0; row < 6; ++row)
        for (int i = 0; i < 6; ++i)
            b.dynamic(brick, {1.2, 0.25 + 0.5 * row, (i - 2.5) * 0.5}, {}, 200.0).name = "brick";
    b.run_for(600, 300);
    b.goal.joint_error = 0.005;
    b.goal.min_travel = 1.5;
    return b.finish();
}

SceneWithGoal bridge(const std::string& name, double planks) {
    constexpr double kPlank = 0.5, kHalf = 0.22;
    const int count = int(planks);
    DisturbedBuilder b(name, "A hanging bridge of planks with crates on it");
    const uint32_t post = b.box({0.3, 0.3, 1.0}), plank = b.box({kHalf, 0.05, 0.9});
    const double half_span = 0.48 * kPlank * planks, height = 0.3 * planks;
    // The planks lie on an arc that is longer than the span: a parabola is near enough, the joints close what is left.
    const double sag = half_span * std::sqrt(1.5 * (1.0 / 0.96 - 1.0));
    const auto curve = [&](double s) { return Vec3d{half_span * s, height + sag * (s * s - 1.0), 0.0}; };
    b.fixed(post, {-half_span - 0.3, height, 0.0});
    const uint32_t left = b.last_body();
    b.fixed(post, {half_span + 0.3, height, 0.0});
    const uint32_t right = b.last_body();
    uint32_t before = left;
    Vec3d middle{};
    for (int i = 0; i < count; ++i) {
        const Vec3d from = curve(-1.0 + 2.0 * i / count), to = curve(-1.0 + 2.0 * (i + 1) / count), way = to - from;
        b.dynamic(plank, (from + to) * 0.5, axis_angle({0.0, 0.0, 1.0}, std::atan2(way.y, way.x)), 500.0).name =
            "plank";
        for (const double side : {-0.8, 0.8}) b.ball_joint(before, b.last_body(), from + Vec3d{0.0, 0.0, side});
        before = b.last_body();
        if (i == count / 2) middle = (from + to) * 0.5;
    }
    for (const double side : {-0.8, 0.8}) b.ball_joint(before, right, curve(1.0) + Vec3d{0.0, 0.0, side});
    const uint32_t crate = b.box({0.3, 0.3, 0.3});
    for (int i = 0; i < 3; ++i) b.dynamic(crate, middle + Vec3d{(i - 1) * 0.8, 0.6, 0.0}, {}, 400.0).name = "crate";
    b.run_for(900, 600);
    b.goal.joint_error = 0.02;
    b.goal.drift = 0.02;
    return b.finish();
}

SceneWithGoal net(const std::string& name, double side) {
    constexpr double kMesh = 0.25, kRadius = 0.04;
    const int n = int(side);
    DisturbedBuilder b(name, "A net of joined balls in a frame catches boxes");
    const uint32_t knot = b.sphere(kRadius);
    const double height = 0.4 * kMesh * side + 1.0;
    const auto at = [&](double i, double k) {
        return Vec3d{(i - 0.5 * (side - 1)) * kMesh, height, (k - 0.5 * (side - 1)) * kMesh};
    };
    const uint32_t first = b.last_body() + 1;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            b.dynamic(knot, at(i, k)).mass = 0.2f;
            b.scene().bodies.back().linear_damping = 0.2f;
        }
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            const uint32_t own = first + uint32_t(i * n + k);
            if (i + 1 < n) b.ball_joint(own, own + uint32_t(n), at(i + 0.5, k));
            if (k + 1 < n) b.ball_joint(own, own + 1, at(i, k + 0.5));
        }
    b.fixed(b.box({0.1, 0.1, 0.1}), {0.0, 0.1, 0.0}).name = "frame";
    const uint32_t frame = b.last_body();
    for (int i = 0; i < n; ++i)
        for (const int k : {0, n - 1}) {
            const double out = k == 0 ? -0.5 : 0.5;
            b.ball_joint(frame, first + uint32_t(i * n + k), at(i, k + out));
            b.ball_joint(frame, first + uint32_t(k * n + i), at(k + out, i));
        }
    const uint32_t crate = b.box({0.25, 0.25, 0.25});
    for (int i = 0; i < 4; ++i)
        b.dynamic(crate, {(i % 2 - 0.5) * 1.2, height + 0.5, (i / 2 - 0.5) * 1.2}, {}, 60.0).name = "crate";
    b.run_for(600, 500);
    b.goal.joint_error = 0.05;
    return b.finish();
}

namespace {

/// Fifteen parts and fourteen joints, 1.7 m tall and about 70 kg, standing on `feet`.
void add_ragdoll(DisturbedBuilder& b, const Vec3d& feet, const Quatd& turn) {
    const auto at = [&](const Vec3d& p) { return feet + rotate(turn, p); };
    const auto dir = [&](const Vec3d& p) { return rotate(turn, p); };
    const auto part = [&](uint32_t shape, const Vec3d& p, float mass, const Quatd& own = {}) {
        SceneBody& body = b.dynamic(shape, at(p), multiply(turn, own));
        body.mass = mass;
        body.angular_damping = 0.2f;
        return b.last_body();
    };
    const Quatd side = axis_angle({0.0, 0.0, 1.0}, 90.0 * kDegree);
    const uint32_t torso = b.box({0.17, 0.2, 0.1}), hips = b.box({0.16, 0.08, 0.1}), skull = b.sphere(0.11),
                   upper_arm = b.capsule(0.05, 0.1), forearm = b.capsule(0.04, 0.1), hand = b.sphere(0.05),
                   thigh = b.capsule(0.07, 0.14), shin = b.capsule(0.05, 0.14), foot = b.box({0.05, 0.04, 0.12});
    const uint32_t pelvis = part(hips, {0.0, 0.95, 0.0}, 14.0f), chest = part(torso, {0.0, 1.25, 0.0}, 22.0f),
                   head = part(skull, {0.0, 1.59, 0.0}, 5.0f);
    const auto ball = [&](uint32_t x, uint32_t y, const Vec3d& p, const Vec3d& axis, double cone, double twist) {
        SphericalJoint& joint = b.joint<SphericalJoint>(x, y, at(p), dir(axis));
        joint.cone_angle = float(cone);
        joint.twist = {.enabled = 1, .lower = float(-twist), .upper = float(twist)};
        joint.friction = 0.3f;
    };
    const auto hinge = [&](uint32_t x, uint32_t y, const Vec3d& p, double lower, double upper) {
        RevoluteJoint& joint = b.joint<RevoluteJoint>(x, y, at(p), dir({1.0, 0.0, 0.0}));
        joint.limit = {.enabled = 1, .lower = float(lower), .upper = float(upper)};
        joint.friction = 0.3f;
    };
    ball(pelvis, chest, {0.0, 1.04, 0.0}, {0.0, 1.0, 0.0}, 0.6, 0.5);
    ball(chest, head, {0.0, 1.465, 0.0}, {0.0, 1.0, 0.0}, 0.6, 0.8);
    for (const double s : {-1.0, 1.0}) {
        const uint32_t arm = part(upper_arm, {s * 0.34, 1.4, 0.0}, 2.5f, side),
                       lower = part(forearm, {s * 0.6, 1.4, 0.0}, 1.5f, side),
                       fist = part(hand, {s * 0.79, 1.4, 0.0}, 0.5f);
        ball(chest, arm, {s * 0.2, 1.4, 0.0}, {s, 0.0, 0.0}, 1.2, 0.7);
        RevoluteJoint& elbow = b.joint<RevoluteJoint>(arm, lower, at({s * 0.47, 1.4, 0.0}), dir({0.0, 1.0, 0.0}));
        elbow.limit = {.enabled = 1, .lower = s > 0.0 ? -2.2f : 0.0f, .upper = s > 0.0 ? 0.0f : 2.2f};
        elbow.friction = 0.2f;
        ball(lower, fist, {s * 0.74, 1.4, 0.0}, {s, 0.0, 0.0}, 0.6, 0.4);
        const uint32_t leg = part(thigh, {s * 0.1, 0.68, 0.0}, 8.0f), calf = part(shin, {s * 0.1, 0.28, 0.0}, 4.0f),
                       toe = part(foot, {s * 0.1, 0.04, 0.05}, 1.0f);
        ball(pelvis, leg, {s * 0.1, 0.88, 0.0}, {0.0, -1.0, 0.0}, 0.9, 0.4);
        hinge(leg, calf, {s * 0.1, 0.48, 0.0}, 0.0, 2.2);
        hinge(calf, toe, {s * 0.1, 0.08, 0.0}, -0.5, 0.5);
    }
}

}  // namespace

SceneWithGoal ragdolls(const std::string& name, double number) {
    DisturbedBuilder b(name, "Ragdolls of 15 parts fall on a heap and come to rest");
    b.scene().settings.sleeping = true;
    Random random(7);
    const int count = int(number), wide = std::max(1, int(std::sqrt(number / 4.0)));
    b.pit(1.8 * wide + 1.0, 4.0);
    for (int i = 0; i < count; ++i) {
        const int layer = i / (wide * wide), row = i / wide % wide, column = i % wide;
        const Vec3d at{(column - 0.5 * (wide - 1)) * 1.8 + 0.1 * random.symmetric(), 0.6 + 2.2 * layer,
                       (row - 0.5 * (wide - 1)) * 1.8 + 0.1 * random.symmetric()};
        add_ragdoll(b, at, axis_angle({0.0, 1.0, 0.0}, 3.14 * random.symmetric()));
    }
    b.run_for(600, 599);
    b.goal.joint_error = 0.05;  // for a moment, where one falls on another
    b.goal.joint_turn = 0.7;
    b.goal.speed = 0.3;
    b.goal.lift = 0.01;
    return b.finish();
}

SceneWithGoal crane(const std::string& name, double) {
    DisturbedBuilder b(name, "A motor turns a jib by a quarter, and a winch lifts a load of 300 kg on a rope");
    b.fixed(b.box({0.4, 3.0, 0.4}), {0.0, 3.0, 0.0}).name = "tower";
    const uint32_t tower = b.last_body();
    b.dynamic(b.box({3.0, 0.2, 0.2}), {2.0, 6.3, 0.0}).name = "jib";
    const uint32_t jib = b.last_body();
    b.scene().bodies.back().mass = 800.0f;
    RevoluteJoint& slew = b.joint<RevoluteJoint>(tower, jib, {0.0, 6.05, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0});
    slew.motor = {.enabled = 1, .target = 1.5707963f, .hertz = 0.2f, .damping_ratio = 1.5f};
    const uint32_t slewing = b.last_joint();
    b.dynamic(b.box({0.4, 0.4, 0.4}), {4.5, 1.5, 0.0}).name = "load";
    b.scene().bodies.back().mass = 300.0f;
    b.scene().bodies.back().linear_damping = 0.3f;
    b.scene().bodies.back().angular_damping = 0.5f;
    DistanceJoint rope;
    rope.anchor_a = {2.5f, -0.2f, 0.0f};
    rope.anchor_b = {0.0f, 0.4f, 0.0f};
    rope.max_length = 10.0f;
    rope.motor = {.enabled = 1, .target = 2.0f, .hertz = 4.0f, .damping_ratio = 20.0f};
    b.scene().joints.push_back({jib, b.last_body(), rope});
    b.run_for(1800, 1700);
    b.goal.joint_error = 0.001;
    b.goal.joint_turn = 0.2 * kDegree;
    // The rope's drive is a spring: the load draws it out a little.
    b.goal.joint_targets = {{slewing, 1.5707963, 0.01}, {b.last_joint(), 2.03, 0.03}};
    return b.finish();
}

SceneWithGoal door_row(const std::string& name, double) {
    DisturbedBuilder b(
        name, "Doors on one, two and three hinges: free, with limits, friction, a spring, and a lock that breaks");
    const uint32_t frame = b.box({0.1, 1.2, 0.1}), panel = b.box({0.5, 1.0, 0.04}), ball = b.sphere(0.2);
    std::vector<uint32_t> hinges;
    for (int i = 0; i < 5; ++i) {
        const double x = 2.0 * i;
        b.fixed(frame, {x - 0.62, 1.2, 0.0});
        const uint32_t post = b.last_body();
        b.dynamic(panel, {x, 1.1, 0.0}, {}, 300.0).name = "door";
        const uint32_t door = b.last_body();
        for (int k = 0; k < (i == 0 ? 1 : i == 1 ? 2 : 3); ++k) {
            const double y = i == 0 ? 1.1 : 0.3 + 0.8 * k;
            RevoluteJoint& hinge =
                b.joint<RevoluteJoint>(post, door, {x - 0.51, y, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0});
            if (k > 0) continue;
            hinges.push_back(b.last_joint());
            hinge.limit = {.enabled = 1, .lower = -1.5f, .upper = 1.5f};
            if (i == 2) hinge.friction = 30.0f;
            if (i == 3) hinge.motor = {.enabled = 1, .target = 0.0f, .hertz = 0.5f, .damping_ratio = 1.0f};
        }
        if (i == 4) {
            b.fixed(frame, {x + 0.62, 1.2, 0.0});
            WeldJoint& lock = b.joint<WeldJoint>(b.last_body(), door, {x + 0.51, 1.1, 0.0}, {1.0, 0.0, 0.0});
            lock.break_force = 500.0f;
        }
        SceneBody& thrown = b.dynamic(ball, {x + 0.3, 1.1, 1.5}, {}, 600.0);
        thrown.linear_velocity = {0.0f, 1.5f, -5.0f};
    }
    b.run_for(900, 700);
    b.goal.joint_error = 0.001;
    b.goal.joint_turn = 0.5 * kDegree;
    b.goal.joints_broken = 1;
    b.goal.joint_targets = {{hinges[3], 0.0, 0.02}};
    b.goal.min_travel = 0.5;
    return b.finish();
}

SceneWithGoal gears_and_pulleys(const std::string& name, double) {
    DisturbedBuilder b(name,
                       "A motor drives three gears and a rack; two loads balance over a pulley and a block and tackle");
    const uint32_t wall = [&] {
        b.fixed(b.box({4.0, 3.0, 0.1}), {0.0, 3.0, -0.5});
        return b.last_body();
    }();
    const double radius[3] = {0.4, 0.8, 0.5};
    double x = -2.5;
    std::vector<uint32_t> wheels;
    for (int i = 0; i < 3; ++i) {
        std::vector<Vec3d> points;
        for (int k = 0; k < 12; ++k)
            for (const double z : {-0.08, 0.08})
                points.push_back({0.97 * radius[i] * std::cos(k * 30.0 * kDegree),
                                  0.97 * radius[i] * std::sin(k * 30.0 * kDegree), z});
        if (i > 0) x += radius[i - 1] + radius[i];
        b.dynamic(b.hull(points), {x, 3.5, 0.0}, {}, 800.0).name = "gear";
        wheels.push_back(b.last_body());
        RevoluteJoint& axle = b.joint<RevoluteJoint>(wall, wheels.back(), {x, 3.5, 0.0}, {0.0, 0.0, 1.0});
        if (i == 0) axle.motor = {.enabled = 1, .speed = 2.0f, .max_force = 2000.0f};
        if (i > 0) {
            GearJoint& gear =
                b.joint<GearJoint>(wheels[size_t(i - 1)], wheels.back(), {x - radius[i], 3.5, 0.0}, {0.0, 0.0, 1.0});
            gear.ratio = float(radius[i - 1] / radius[i]);
        }
    }
    b.dynamic(b.box({0.6, 0.1, 0.08}), {x + 0.3, 3.5 - 0.5 - 0.1, 0.0}, {}, 500.0).name = "rack";
    const uint32_t rack = b.last_body();
    PrismaticJoint& slide = b.joint<PrismaticJoint>(wall, rack, {x + 0.3, 2.9, 0.0}, {1.0, 0.0, 0.0});
    slide.limit = {.enabled = 1, .lower = -1.2f, .upper = 1.2f};
    const uint32_t sliding = b.last_joint();
    GearJoint teeth;
    const JointAnchors about_z = joint_anchors({}, {}, Vec3(0.0f), {0.0f, 0.0f, 1.0f}).value();
    teeth.rotation_a = about_z.rotation_a;
    teeth.ratio = -0.5f;  // m per rad: the rack lies below the axle
    teeth.rack = 1;
    b.scene().joints.push_back({wheels[2], rack, teeth});
    // The same load twice over a pulley, one pushed down a little; and a tackle that halves.
    const uint32_t weight = b.box({0.2, 0.2, 0.2});
    const auto pulley = [&](double at, double mass_b, double ratio) {
        b.dynamic(weight, {at, 3.0, 1.0}).mass = 20.0f;
        const uint32_t left = b.last_body();
        b.dynamic(weight, {at + 1.0, 3.0, 1.0}).mass = float(mass_b);
        PulleyJoint rope;
        rope.ground_a = {float(at), 6.0f, 1.0f};
        rope.ground_b = {float(at + 1.0), 6.0f, 1.0f};
        rope.anchor_a = rope.anchor_b = {0.0f, 0.2f, 0.0f};
        rope.ratio = float(ratio);
        rope.length = float(2.8 * (1.0 + ratio));
        b.scene().joints.push_back({left, b.last_body(), rope});
    };
    pulley(-2.0, 20.0, 1.0);
    pulley(1.0, 40.0, 2.0);
    b.run_for(900, 700);
    b.goal.joint_error = 0.002;
    b.goal.joint_turn = 0.2 * kDegree;
    // The third gear turns as the first, times the ratio of their radii: the rack goes to its end and stops the motor.
    b.goal.joint_targets = {{sliding, 1.2, 0.01}};
    return b.finish();
}

SceneWithGoal four_bar(const std::string& name, double) {
    DisturbedBuilder b(
        name, "Linkages of three bars with four hinges, one of them driven: every hinge is one too many for space");
    for (int k = 0; k < 4; ++k) {
        const double z = 1.5 * k, crank = 0.4, coupler = 1.2, rocker = 0.9, base = 1.1;
        b.fixed(b.box({0.1, 0.1, 0.1}), {0.0, 2.0, z});
        const uint32_t left = b.last_body();
        b.fixed(b.box({0.1, 0.1, 0.1}), {base, 2.0, z});
        const uint32_t right = b.last_body();
        const Vec3d a{0.0, 2.0 + crank, z};
        // Where circles about the end of the crank and the foot of the rocker meet.
        const double dx = base, dy = -crank, d2 = dx * dx + dy * dy, d = std::sqrt(d2);
        const double along = (coupler * coupler - rocker * rocker + d2) / (2.0 * d),
                     up = std::sqrt(coupler * coupler - along * along);
        const Vec3d c{a.x + (along * dx - up * dy) / d, a.y + (along * dy + up * dx) / d, z};
        const Vec3d foot{base, 2.0, z}, start{0.0, 2.0, z};
        const auto bar = [&](const Vec3d& from, const Vec3d& to, double depth) {
            const Vec3d way = to - from;
            b.dynamic(b.box({0.5 * length(way), 0.05, 0.03}), (from + to) * 0.5 + Vec3d{0.0, 0.0, depth},
                      axis_angle({0.0, 0.0, 1.0}, std::atan2(way.y, way.x)), 800.0);
            return b.last_body();
        };
        const uint32_t first = bar(start, a, 0.1), second = bar(a, c, 0.2), third = bar(c, foot, 0.1);
        RevoluteJoint& drive = b.joint<RevoluteJoint>(left, first, start, {0.0, 0.0, 1.0});
        drive.motor = {.enabled = 1, .speed = 2.0f + float(k), .max_force = 3000.0f};
        b.joint<RevoluteJoint>(first, second, a, {0.0, 0.0, 1.0});
        b.joint<RevoluteJoint>(second, third, c, {0.0, 0.0, 1.0});
        b.joint<RevoluteJoint>(third, right, foot, {0.0, 0.0, 1.0});
    }
    b.run_for(900, 700);
    b.goal.joint_error = 0.001;
    b.goal.joint_turn = 0.2 * kDegree;
    b.goal.min_travel = 0.3;
    return b.finish();
}

}  // namespace proxima::samples
