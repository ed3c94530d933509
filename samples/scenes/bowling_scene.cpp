// SPDX-License-Identifier: MIT
// A bowling lane in its real sizes: 18.29 m to the head pin, gutters, a pit, pins of 1.55 kg.
#include <numbers>

#include "samples/scenes/families.h"
#include "samples/scenes/game_scenes.h"

namespace proxima::samples {

using physics::Combine;
using physics::SceneBody;
using physics::SceneCollider;
using physics::SceneDesc;

namespace {

constexpr int kSides = 12;

void add_ring(std::vector<Vec3d>& points, double radius, double height) {
    for (int i = 0; i < kSides; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / kSides;
        points.push_back({radius * std::cos(angle), height, radius * std::sin(angle)});
    }
}

/// Three convex parts of a pin, its foot at the origin: belly from foot to neck, neck, head.
struct PinShapes {
    uint32_t belly, neck, head;
};
constexpr double kHeadRadius = 0.0323;

PinShapes pin_shapes(SceneBuilder& b) {
    std::vector<Vec3d> belly, neck;
    for (const auto& [radius, height] :
         {std::pair(0.0286, 0.0), std::pair(0.0364, 0.019), std::pair(0.0495, 0.0572), std::pair(0.0605, 0.1143),
          std::pair(0.0579, 0.149), std::pair(0.0465, 0.186), std::pair(0.0233, 0.254)})
        add_ring(belly, radius, height);
    add_ring(neck, 0.0233, 0.254);
    add_ring(neck, 0.0290, 0.330);
    return {b.hull(belly), b.hull(neck), b.sphere(kHeadRadius)};
}

void add_pin(SceneBuilder& b, const PinShapes& shapes, const Vec3d& foot) {
    SceneBody& pin = b.dynamic(shapes.belly, foot);
    pin.name = "pin";
    pin.mass = 1.55f;
    SceneCollider& belly = pin.colliders[0];
    belly.material.restitution = 0.5f;
    SceneCollider neck = belly, head = belly;
    neck.shape = shapes.neck;
    head.shape = shapes.head;
    head.position = {0.0f, float(kPinHeight - kHeadRadius), 0.0f};
    pin.colliders.push_back(neck);
    pin.colliders.push_back(head);
}

/// Boards, gutters beside them, a deck under the pins, walls and a cushion around the pit behind.
void add_lane(SceneBuilder& b) {
    const auto slab = [&](const char* name, const Vec3d& lower, const Vec3d& upper, double friction) {
        SceneBody& body = b.fixed(b.box((upper - lower) * 0.5), (lower + upper) * 0.5);
        body.name = name;
        body.colliders[0].material.friction = float(friction);
    };
    const double side = kLaneHalfWidth, out = side + 0.26;
    const double foul = 0.6, dry = -12.0, deck = kHeadPin + 0.4, end = kHeadPin - 1.15, back = end - 1.4;
    slab("oiled boards", {-side, 0.0, dry}, {side, kLaneTop, foul}, 0.05);
    slab("dry boards", {-side, 0.0, deck}, {side, kLaneTop, dry}, 0.2);
    slab("deck", {-side, 0.0, end}, {side, kLaneTop, deck}, 0.45);
    for (const double s : {-1.0, 1.0}) {
        const auto beside = [&](const char* name, double near_x, double far_x, double height, double from, double to,
                                double friction) {
            slab(name, {std::min(s * near_x, s * far_x), 0.0, to}, {std::max(s * near_x, s * far_x), height, from},
                 friction);
        };
        beside("gutter", side, out, kLaneTop - 0.16, foul, end, 0.2);
        beside("kerb", out, out + 0.2, kLaneTop + 0.02, foul, deck + 0.6, 0.3);
        beside("wall", out, out + 0.2, kLaneTop + 0.9, deck + 0.6, back, 0.3);
    }
    slab("cushion", {-out - 0.2, 0.0, back - 0.3}, {out + 0.2, kLaneTop + 0.9, back}, 0.8);
}

}  // namespace

BowlingScene bowling_scene(const std::string& name) {
    SceneBuilder b(name, "A ball with a little spin rolls down a lane into ten pins", 0.45);
    BowlingScene out;
    b.ground();
    add_lane(b);
    const PinShapes shapes = pin_shapes(b);
    out.pins = {uint32_t(b.scene().bodies.size()), 10};
    for (int row = 0; row < 4; ++row)
        for (int i = 0; i <= row; ++i) {
            out.spots.push_back(
                {(i - row / 2.0) * kPinDistance, kLaneTop, kHeadPin - row * kPinDistance * std::sqrt(0.75)});
            add_pin(b, shapes, out.spots.back());
        }
    out.ball = uint32_t(b.scene().bodies.size());
    SceneBody& ball = b.dynamic(b.sphere(kBallRadius), {0.0, kLaneTop + kBallRadius, 0.0});
    ball.name = "ball";
    ball.mass = 6.8f;
    // A ball of 8 m/s goes 3 cm in a step of 1/240 s: a quarter of its radius, so that it meets the pins from
    // outside. Two sub-steps make as many of them a second as other scenes have.
    b.scene().run.dt = 1.0f / 240.0f;
    b.scene().settings.substeps = 2;
    b.run_for(2400, 1800);
    out.scene = b.take();
    return out;
}

SceneDesc bowling(const std::string& name, double) {
    BowlingScene lane = bowling_scene(name);
    SceneBody& ball = lane.scene.bodies[lane.ball];
    ball.position.x = 0.05f;
    ball.linear_velocity = {0.0f, 0.0f, -7.5f};
    ball.angular_velocity = {-40.0f, 0.0f, 0.0f};
    return lane.scene;
}

}  // namespace proxima::samples
