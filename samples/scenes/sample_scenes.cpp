// SPDX-License-Identifier: MIT
// Scenes to look at: what contact and friction are for.
#include <numbers>

#include "samples/scenes/builder.h"
#include "samples/scenes/families.h"

namespace proxima::samples {

using physics::SceneBody;
using physics::SceneDesc;

SceneDesc dominoes(const std::string& name, double) {
    SceneBuilder b(name, "A row of dominoes with a half turn in it; the first one is already falling", 0.4);
    b.ground();
    const double half_thickness = 0.1, half_height = 0.5, pitch = 0.45;
    const uint32_t domino = b.box({half_thickness, half_height, 0.25});

    // The first one is tipping over its front edge, fast enough to take its neighbour along: it turns at 3
    // rad/s, and its centre moves with that, v = w x r.
    const double lean = 8.0 * std::numbers::pi / 180.0, turning_speed = -3.0;
    const Quatd leaning = axis_angle({0.0, 0.0, 1.0}, -lean);
    const Vec3d arm = rotate(leaning, {-half_thickness, half_height, 0.0});
    SceneBody& first = b.dynamic(domino, Vec3d{half_thickness, 0.0, 0.0} + arm, leaning);
    first.name = "first";
    first.angular_velocity = {0.0f, 0.0f, float(turning_speed)};
    first.linear_velocity = to_float(cross({0.0, 0.0, turning_speed}, arm));

    // Straight on along x, half a circle, and straight back.
    const int straight = 12, turning = 28;
    const double radius = turning * pitch / std::numbers::pi;
    const double end_x = straight * pitch;
    for (int i = 1; i <= straight; ++i) b.dynamic(domino, {i * pitch, half_height, 0.0});
    for (int i = 1; i <= turning; ++i) {
        const double angle = std::numbers::pi * i / turning;
        b.dynamic(domino, {end_x + radius * std::sin(angle), half_height, radius * (1.0 - std::cos(angle))},
                  axis_angle({0.0, 1.0, 0.0}, -angle));
    }
    for (int i = 1; i <= straight; ++i)
        b.dynamic(domino, {end_x - i * pitch, half_height, 2.0 * radius},
                  axis_angle({0.0, 1.0, 0.0}, std::numbers::pi));
    b.run_for(900, 720);
    return b.take();
}

SceneDesc card_house(const std::string& name, double) {
    SceneBuilder b(name, "A house of cards, three levels, held by friction alone", 0.7);
    b.ground();
    build_cards(b, 3);
    b.run_for(600, 120);
    b.must_stand(0.2);
    return b.take();
}

SceneDesc arch(const std::string& name, double) {
    SceneBuilder b(name, "A stone arch of 15 wedges on two piers; friction and weight carry its thrust", 0.6);
    b.ground();
    const uint32_t block = b.box({1.0, 0.5, 0.75});
    for (const double side : {-1.0, 1.0})
        for (int i = 0; i < 2; ++i) b.dynamic(block, {side * 3.75, 0.5 + i, 0.0}).name = "pier";
    build_arch_ring(b, 15, 3.0, 4.0, 0.75, 2.0);
    b.run_for(600, 120);
    b.must_stand(0.2);
    return b.take();
}

SceneDesc spinning_top(const std::string& name, double) {
    SceneBuilder b(name, "A tilted top on the floor turns about the vertical instead of falling", 0.3);
    b.scene().settings.sleeping = false;
    b.ground();
    // Tip at the origin, a wide rim above it, a small cap: low and flat, so that 40 rad/s is far above the
    // speed that keeps it upright, w^2 > 4 m g l I1 / I3^2.
    std::vector<Vec3d> points{{0.0, 0.0, 0.0}};
    const int sides = 16;
    for (const auto& [radius, height] : {std::pair(0.5, 0.25), std::pair(0.5, 0.32), std::pair(0.1, 0.42)})
        for (int i = 0; i < sides; ++i) {
            const double angle = 2.0 * std::numbers::pi * i / sides;
            points.push_back({radius * std::cos(angle), height, radius * std::sin(angle)});
        }
    const Quatd tilt = axis_angle({0.0, 0.0, 1.0}, 8.0 * std::numbers::pi / 180.0);
    const Vec3d center = make_convex(points).centroid;
    for (Vec3d& p : points) p = p - center;
    SceneBody& top = b.dynamic(b.hull(points), rotate(tilt, center), tilt);
    top.name = "top";
    top.angular_velocity = to_float(rotate(tilt, {0.0, 40.0, 0.0}));
    b.run_for(600, 120);
    return b.take();
}

SceneDesc turntable(const std::string& name, double) {
    const double mu = 0.5, spin = 1.8, size = 0.15, top = 1.0;
    SceneBuilder b(name, "Boxes go round on a turntable; beyond mu g / w^2 = 1.51 m friction cannot hold them", mu);
    b.scene().settings.sleeping = false;
    b.ground();
    std::vector<Vec3d> rim;
    for (const double y : {-0.1, 0.1})
        for (int i = 0; i < 32; ++i) {
            const double angle = 2.0 * std::numbers::pi * i / 32;
            rim.push_back({3.2 * std::cos(angle), y, 3.2 * std::sin(angle)});
        }
    SceneBody& table = b.fixed(b.hull(rim), {0.0, top - 0.1, 0.0});
    table.name = "table";
    table.type = physics::BodyType::kinematic;
    const Vec3 turning(0.0f, float(spin), 0.0f);
    table.angular_velocity = turning;
    const uint32_t box = b.box({size, size, size});
    for (const double radius : {0.6, 1.0, 1.4, 1.8, 2.2, 2.6})
        for (int i = 0; i < 8; ++i) {
            const double angle = 2.0 * std::numbers::pi * (i + radius) / 8;
            const Vec3d at{radius * std::cos(angle), top + size, radius * std::sin(angle)};
            SceneBody& body = b.dynamic(box, at, axis_angle({0.0, 1.0, 0.0}, -angle));
            body.angular_velocity = turning;
            body.linear_velocity = {float(spin * at.z), 0.0f, float(-spin * at.x)};
        }
    b.run_for(600, 300);
    return b.take();
}

SceneDesc tilting_ramp(const std::string& name, double) {
    SceneBuilder b(name, "A ramp tilts by 5 degrees a second; boxes with mu from 0.1 to 0.8 slip at atan(mu) each",
                   1.0);
    b.scene().settings.sleeping = false;
    b.ground();
    const Vec3d half{4.0, 0.15, 2.6};
    SceneBody& ramp = b.fixed(b.box(half), {0.0, 2.6, 0.0});
    ramp.name = "ramp";
    ramp.type = physics::BodyType::kinematic;
    ramp.angular_velocity = {0.0f, 0.0f, float(-5.0 * std::numbers::pi / 180.0)};
    const uint32_t box = b.box({0.25, 0.25, 0.25});
    for (int i = 1; i <= 8; ++i) {
        SceneBody& body = b.dynamic(box, {-2.5, 2.6 + half.y + 0.25, 0.6 * i - 2.7});
        body.name = "mu 0." + std::to_string(i);
        body.colliders[0].material.friction = 0.1f * float(i);
    }
    b.run_for(600, 300);
    return b.take();
}

}  // namespace proxima::samples
