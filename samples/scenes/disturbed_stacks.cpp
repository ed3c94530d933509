// SPDX-License-Identifier: MIT
// Structures of boxes that do not start at rest: dropped, hit, overlapping, leaning.
#include <numbers>

#include "samples/scenes/disturbed.h"
#include "samples/scenes/families.h"

namespace proxima::samples {

using physics::SceneBody;

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

void move_body(SceneBody& body, const Vec3d& by) { body.position += to_float(by); }

Vec3d position_of(const SceneBody& body) {
    return {double(body.position.x), double(body.position.y), double(body.position.z)};
}

}  // namespace

SceneWithGoal drop_tower(const std::string& name, double number) {
    DisturbedBuilder b(name, "Cubes above each other, off by up to 5 mm, close gaps of 7 cm and must stand");
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    Random random(2024);
    for (int i = 0; i < int(number); ++i) {
        const double x = random.symmetric() * 0.005, z = random.symmetric() * 0.005;
        b.dynamic(cube, {x, 0.5 + i + 0.07 * (i + 1), z});
        b.ends_at({x, 0.5 + i, z});
    }
    b.settles(0.005);
    b.run_for(900, 480);
    b.must_stand(0.07 * number + 0.5);
    return b.finish();
}

SceneWithGoal drop_heavy(const std::string& name, double number) {
    DisturbedBuilder b(name, "A cube of 10 t falls 20 cm, 8 cm off centre, on four that are R times lighter");
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    for (int i = 0; i < 4; ++i) {
        b.dynamic(cube, {0.0, 0.5 + i, 0.0}, {}, 1e4 / number);
        b.ends_at({0.0, 0.5 + i, 0.0});
    }
    b.dynamic(cube, {0.08, 4.7, -0.03}, {}, 1e4).name = "heavy";
    b.ends_at({0.08, 4.5, -0.03});
    b.settles(0.005);
    b.run_for(720, 360);
    b.must_stand(0.5);
    return b.finish();
}

SceneWithGoal drop_cards(const std::string& name, double number) {
    DisturbedBuilder b(name, "A house of cards is let down on the ground from 4 mm", 0.7);
    build_cards(b, int(number));
    for (uint32_t i = 1; i < b.scene().bodies.size(); ++i) {
        b.goal.targets.push_back({i, position_of(b.scene().bodies[i])});
        move_body(b.scene().bodies[i], {0.0, 0.004, 0.0});
    }
    b.settles(0.02);
    b.run_for(720, 360);
    b.must_stand(0.2);
    return b.finish();
}

SceneWithGoal drop_arch(const std::string& name, double number) {
    DisturbedBuilder b(name, "The stones of an arch start 5 mm apart, close up and must carry each other");
    const int wedges = int(number);
    build_arch_ring(b, wedges, 8.0, 10.0, 1.0, 0.0);
    // Outwards along the radius of each: faces of neighbours turn by pi / n, so 5 mm between them is n / pi
    // as much outwards.
    const double outwards = 0.005 * wedges / std::numbers::pi;
    for (uint32_t i = 1; i < b.scene().bodies.size(); ++i) {
        const Vec3d at = position_of(b.scene().bodies[i]);
        move_body(b.scene().bodies[i], at * (outwards / length(at)));
        b.goal.targets.push_back({i, at});
    }
    // Feet stay where they land, wider apart than the stones were cut for: the crown has to come down a little.
    b.settles(0.25);
    b.run_for(900, 480);
    b.must_stand(0.5);
    return b.finish();
}

SceneWithGoal hit_pyramid(const std::string& name, double number) {
    DisturbedBuilder b(name, "A block of 2 t hits a wall of cubes at 12 m/s; what is left must come to rest");
    const int n = int(number);
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    for (int row = 0; row < n; ++row)
        for (int j = 0; j < n - row; ++j) b.dynamic(cube, {(j - (n - row - 1) / 2.0) * 1.05, 0.5 + row, 0.0});
    SceneBody& block = b.dynamic(cube, {-0.525 * n - 3.0, 1.0 + 0.3 * n, 0.2}, {}, 2000.0);
    block.name = "block";
    block.linear_velocity = {12.0f, 2.0f, 0.0f};
    b.comes_to_rest(0.02, 0.005, 0.010);
    b.goal.min_travel = 1.0;
    b.run_for(900, 720);
    return b.finish();
}

SceneWithGoal hit_tower(const std::string& name, double number) {
    DisturbedBuilder b(name, "A ball of 20 kg hits the upper part of a tower at 8 m/s and must not topple it");
    const int n = int(number);
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    for (int i = 0; i < n; ++i) {
        b.dynamic(cube, {0.0, 0.5 + i, 0.0});
        b.ends_at({0.0, 0.5 + i, 0.0});
    }
    SceneBody& ball = b.dynamic(b.sphere(0.25), {-2.5, 0.5 + 0.75 * n, 0.1});
    ball.name = "ball";
    ball.mass = 20.0f;
    ball.linear_velocity = {8.0f, 1.5f, 0.0f};
    // 160 N s on a cube of 1 t are 0.16 m/s, which friction of 0.6 stops within 2.2 mm.
    b.settles(0.02);
    b.run_for(720, 360);
    return b.finish();
}

SceneWithGoal hit_arch(const std::string& name, double number) {
    DisturbedBuilder b(name, "A block of 3 t falls on the keystone of an arch, which must bear it");
    build_arch_ring(b, int(number), 8.0, 10.0, 1.0, 0.0);
    for (uint32_t i = 1; i < b.scene().bodies.size(); ++i)
        b.goal.targets.push_back({i, position_of(b.scene().bodies[i])});
    SceneBody& block = b.dynamic(b.box({0.5, 0.5, 0.5}), {0.05, 11.2, 0.0}, {}, 3000.0);
    block.name = "block";
    block.linear_velocity = {0.0f, -3.0f, 0.0f};
    b.settles(0.1);
    b.run_for(900, 480);
    return b.finish();
}

SceneWithGoal overlap_tower(const std::string& name, double number) {
    DisturbedBuilder b(name, "Cubes start 5 cm inside each other; they must part without being thrown up");
    const uint32_t cube = b.box({0.4, 0.4, 0.4});
    for (int i = 0; i < int(number); ++i) {
        b.dynamic(cube, {0.0, 0.4 + 0.75 * i - 0.05, 0.0});
        b.ends_at({0.0, 0.4 + 0.8 * i, 0.0});
    }
    b.settles(0.02);
    b.goal.overshoot = 0.05;
    b.goal.penetration = 0.005;
    b.run_for(720, 480);
    b.must_stand(0.05 * number + 0.5);
    return b.finish();
}

SceneWithGoal overlap_pyramid(const std::string& name, double number) {
    DisturbedBuilder b(name, "A wall of cubes shrunk by 2 %: every cube starts 2 cm inside those below it");
    const int n = int(number);
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    for (int row = 0; row < n; ++row)
        for (int j = 0; j < n - row; ++j) {
            const Vec3d position{(j - (n - row - 1) / 2.0) * 1.05, 0.5 + row, 0.0};
            b.dynamic(cube, position * 0.98);
            b.ends_at({position.x * 0.98, position.y, 0.0});
        }
    b.settles(0.05);
    b.goal.overshoot = 0.05;
    b.goal.penetration = 0.005;
    b.run_for(720, 480);
    b.must_stand(0.02 * number + 0.5);
    return b.finish();
}

SceneWithGoal lean_tower(const std::string& name, double number) {
    DisturbedBuilder b(name, "A tower starts on its edge, tilted by 3 degrees, and must fall back on its feet");
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    const Quatd tilt = axis_angle({0.0, 0.0, 1.0}, -3.0 * kDegree);
    const Vec3d edge{0.5, 0.0, 0.0};
    for (int i = 0; i < int(number); ++i) {
        const Vec3d position{0.0, 0.5 + i, 0.0};
        b.dynamic(cube, edge + rotate(tilt, position - edge), tilt);
        b.ends_at(position);
    }
    b.settles(0.15);
    // It rocks: what a slender block loses when it falls back on its foot is a few hundredths of its energy.
    b.run_for(1200, 900);
    return b.finish();
}

SceneWithGoal lean_plank(const std::string& name, double degrees) {
    // With both ends at their limit the moments about the foot balance at
    //   tan t = (1 - mu^2) / (2 mu) / (1 + d (1 + mu^2) / (mu l)),
    // d half the thickness and l the length of the plank: its centre lies d behind the line of its contacts.
    const double friction = 0.5, angle = degrees * kDegree, half_thickness = 0.05, half_length = 1.5;
    const double limit = (1.0 - friction * friction) / (2.0 * friction) /
                         (1.0 + half_thickness * (1.0 + friction * friction) / (friction * 2.0 * half_length));
    DisturbedBuilder b(name, "A plank leans on a wall, mu 0.5: above 35.8 degrees it stays, below it slips", friction);
    b.fixed(b.box({0.5, 2.5, 2.0}), {0.5, 2.5, 0.0}).name = "wall";
    const double turn = std::numbers::pi / 2.0 - angle;
    const double reach = half_length * std::sin(turn) + half_thickness * std::cos(turn);
    const double rise = half_length * std::cos(turn) + half_thickness * std::sin(turn);
    b.dynamic(b.box({half_thickness, half_length, 0.2}), {-reach, rise, 0.0}, axis_angle({0.0, 0.0, 1.0}, -turn)).name =
        "plank";
    b.run_for(600, 300);
    if (std::tan(angle) > limit) {
        b.ends_at({-reach, rise, 0.0});
        b.settles(0.005);
        b.must_stand(0.1);
    } else {
        b.goal.min_travel = 0.3;
        b.comes_to_rest(0.01, 0.005, 0.005);
    }
    return b.finish();
}

SceneWithGoal slope_stack(const std::string& name, double degrees) {
    const double friction = 0.5, angle = degrees * kDegree;
    DisturbedBuilder b(name, "Four slabs on a slope, mu 0.5: below 26.57 degrees none slides", friction);
    b.scene().bodies.clear();  // the slope is the ground
    const Quatd tilt = axis_angle({0.0, 0.0, 1.0}, angle);
    b.fixed(b.box({20.0, 1.0, 20.0}), rotate(tilt, {0.0, -1.0, 0.0}), tilt).name = "slope";
    const uint32_t slab = b.box({0.6, 0.12, 0.5});
    const bool holds = std::tan(angle) < friction;
    for (int i = 0; i < 4; ++i) {
        const Vec3d position = rotate(tilt, {0.0, 0.12 + 0.24 * i, 0.0});
        b.dynamic(slab, position, tilt);
        if (holds) b.ends_at(position);
    }
    b.run_for(holds ? 720 : 120, holds ? 120 : 60);
    if (holds) {
        b.settles(0.005);
        b.must_stand(0.5);
    } else {
        b.goal.min_travel = 0.02;
    }
    return b.finish();
}

}  // namespace proxima::samples
