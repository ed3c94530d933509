// SPDX-License-Identifier: MIT
// Scenes of the rules of contacts: surfaces that are open one way, sensors, and what breaks (physics/docs/rules.md).
#include <cmath>
#include <numbers>

#include "samples/scenes/disturbed.h"

namespace proxima::samples {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kGravity = 9.81;

physics::SceneCollider& collider_of(physics::SceneBody& body) { return body.colliders[0]; }

}  // namespace

SceneWithGoal one_way(const std::string& name, double) {
    DisturbedBuilder b(name, "Boxes and balls jump through platforms that are open from below, and stand on them", 0.8);
    const double half = 0.2, thick = 0.15;
    const uint32_t slab = b.box({1.2, 0.5 * thick, 1.0}), box = b.box({half, half, half}), ball = b.sphere(half);
    const auto open = [&](physics::SceneBody& body) { collider_of(body).rules.one_way = {0.0f, 1.0f, 0.0f}; };
    const double tops[] = {1.5, 3.0, 4.5};
    // A jump so high that the feet come to `apex`, and the place where it ends.
    const auto jump = [&](uint32_t shape, double x, double apex, double stands_on) {
        physics::SceneBody& body = b.dynamic(shape, {x, half, 0.0});
        body.linear_velocity = {0.0f, float(std::sqrt(2.0 * kGravity * apex)), 0.0f};
        b.ends_at({x, stands_on + half, 0.0});
    };
    for (int tower = 0; tower < 5; ++tower)
        for (const double top : tops) open(b.fixed(slab, {3.0 * tower - 6.0, top - 0.5 * thick, 0.0}));
    for (const double dx : {-0.5, 0.5}) {
        const uint32_t shape = dx < 0.0 ? box : ball;
        jump(shape, -6.0 + dx, 1.3, 0.0);  // its feet stay below the first top
        jump(shape, -3.0 + dx, 1.8, 1.5);
        jump(shape, 0.0 + dx, 2.92, 1.5);  // within the second one: back through it, onto the first
        jump(shape, 3.0 + dx, 3.6, 3.0);
        jump(shape, 6.0 + dx, 5.5, 4.5);  // through all three
    }
    // One that leans stands in the way of nobody from below, and holds a box by friction.
    const Quatd tilt = axis_angle({0.0, 0.0, 1.0}, 20.0 * kDegree);
    open(b.fixed(slab, {-3.0, 1.5, 3.0}, tilt));
    const Vec3d rest = Vec3d{-3.0, 1.5, 3.0} + rotate(tilt, {0.0, 0.5 * thick + half, 0.0});
    b.dynamic(box, rest, tilt);
    b.ends_at(rest);
    // A lift comes down over one box, and takes another along on its top.
    physics::SceneBody& lift = b.fixed(slab, {3.0, 4.0, 3.0});
    lift.type = physics::BodyType::kinematic;
    lift.linear_velocity = {0.0f, -0.5f, 0.0f};
    open(lift);
    const double seconds = 6.0, end = 4.0 - 0.5 * seconds;
    b.dynamic(box, {2.5, 4.0 + 0.5 * thick + half, 3.0}).linear_velocity = {0.0f, -0.5f, 0.0f};
    b.ends_at({2.5, end + 0.5 * thick + half, 3.0});
    const double pillar = 1.2;  // so high that the lift comes to the middle of the box on it
    b.fixed(b.box({half, 0.5 * pillar - 0.1, half}), {3.5, 0.5 * pillar - 0.1, 3.0});
    b.dynamic(box, {3.5, pillar - 0.2 + half, 3.0});
    b.ends_at({3.5, pillar - 0.2 + half, 3.0});
    b.run_for(uint32_t(60 * seconds), 300);
    b.goal.position_error = 0.03;
    return b.finish();
}

SceneWithGoal sensors(const std::string& name, double) {
    DisturbedBuilder b(name, "A gate, a basket and an eye that comes by: sensors count, and nothing feels them", 0.6);
    b.scene().settings.sleeping = true;
    const auto sees = [&](physics::SceneBody& body) { collider_of(body).sensor = true; };
    // Five fall through the gate, and three of them into the basket.
    sees(b.fixed(b.box({3.0, 0.25, 1.0}), {0.0, 3.0, 0.0}));
    const uint32_t box = b.box({0.2, 0.2, 0.2});
    for (int k = 0; k < 5; ++k) {
        b.dynamic(box, {1.0 * k - 2.0, 4.0 + 0.4 * k, 0.0});
        b.ends_at({1.0 * k - 2.0, 0.2, 0.0});
    }
    sees(b.fixed(b.box({1.3, 0.5, 1.0}), {0.0, 0.6, 0.0}));
    // The eye comes by when all of them sleep, and sees each of them, and the posts at the end of its way, fixed as they are.
    physics::SceneBody& eye = b.fixed(b.sphere(0.3), {-9.0, 0.5, 0.0});
    eye.type = physics::BodyType::kinematic;
    eye.linear_velocity = {1.5f, 0.0f, 0.0f};
    sees(eye);
    const uint32_t post = b.box({0.1, 0.5, 0.1});
    for (const double x : {4.0, 5.0}) b.fixed(post, {x, 0.5, 0.0});
    b.run_for(60 * 12, 240);
    b.settles(0.01);
    b.goal.sensor_begins = 5 + 3 + 5 + 2;
    b.goal.sensor_ends = 5 + 0 + 5 + 2;
    return b.finish();
}

SceneWithGoal glass_wall(const std::string& name, double) {
    DisturbedBuilder b(name, "Balls go through panes and lose exactly what those take; the last pane holds", 0.0);
    b.scene().settings.gravity = {0.0f, 0.0f, 0.0f};
    const double radius = 0.25, mass = 50.0, thick = 0.05, seconds = 3.0, height = 1.0;
    const uint32_t ball = b.sphere(radius), pane = b.box({0.5 * thick, 0.6, 0.6});
    int breaks = 0;
    // Panes every metre from x = 0 on, each of the same strength, N s.
    const auto lane = [&](double z, double speed, int panes, double strength, double bounce) {
        for (int k = 0; k < panes; ++k) {
            physics::SceneBody& body = b.fixed(pane, {double(k), height, z});
            body.name = "pane";
            collider_of(body).rules.break_impulse = float(strength);
        }
        const double start = -2.0, reach = radius + 0.5 * thick;
        physics::SceneBody& body = b.dynamic(ball, {start, height, z});
        body.mass = float(mass);
        body.linear_velocity = {float(speed), 0.0f, 0.0f};
        collider_of(body).material.restitution = float(bounce);
        double x = start, left = seconds, v = speed;
        for (int k = 0; k < panes; ++k) {
            const double way = k - reach - x;
            if (v <= 0.0 || way / v > left) break;
            left -= way / v;
            x += way;
            const bool gives_way = (1.0 + bounce) * mass * v > strength;
            v = gives_way ? v - strength / mass : -bounce * v;
            breaks += gives_way;
        }
        b.ends_at({x + v * left, height, z});
    };
    lane(0.0, 4.0, 1, 60.0, 0.0);
    lane(1.5, 6.0, 3, 75.0, 0.0);
    lane(3.0, 5.0, 4, 60.0, 0.5);
    lane(4.5, 4.0, 1, 500.0, 0.5);  // holds
    lane(6.0, 8.0, 5, 30.0, 1.0);
    b.run_for(uint32_t(60 * seconds), 60);
    b.goal.position_error = 0.08;  // a pane gives its impulse at the start of the step in which it is met
    b.goal.breaks = breaks;
    return b.finish();
}

}  // namespace proxima::samples
