// SPDX-License-Identifier: MIT
// Textbook situations: small, with an answer that can be worked out on paper.
#include <numbers>

#include "samples/scenes/builder.h"
#include "samples/scenes/families.h"

namespace proxima::samples {

using physics::SceneBody;
using physics::SceneDesc;

SceneDesc sphere_on_box(const std::string& name, double) {
    SceneBuilder b(name, "A spinning sphere falls on a fixed box, slips, then rolls at 2/7 of its spin", 0.4);
    b.scene().settings.sleeping = false;
    b.fixed(b.box({5.0, 0.2, 5.0}), {0.0, 0.0, 0.0}).name = "box";
    SceneBody& ball = b.dynamic(b.sphere(0.5), {0.0, 4.0, 0.0});
    ball.name = "sphere";
    ball.mass = 1.0f;
    ball.angular_velocity = {10.0f, 0.0f, 0.0f};
    b.run_for(200, 100);  // it would roll off the box after some 240 steps
    return b.take();
}

SceneDesc marble_box(const std::string& name, double) {
    SceneBuilder b(name, "162 marbles of 1 kg fall into an open box made of five fixed ones", 0.4);
    b.fixed(b.box({6.0, 0.2, 6.0}), {0.0, -0.2, 0.0}).name = "floor";
    const uint32_t across_x = b.box({0.2, 2.0, 6.0});
    const uint32_t across_z = b.box({6.0, 2.0, 0.2});
    for (const double side : {-1.0, 1.0}) {
        b.fixed(across_x, {side * 5.8, 2.0, 0.0}).name = "wall";
        b.fixed(across_z, {0.0, 2.0, side * 5.8}).name = "wall";
    }
    const uint32_t marble = b.sphere(0.5);
    Random random(162);
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 9; ++x)
            for (int z = 0; z < 9; ++z) {
                const double jitter_x = random.symmetric() * 0.03;
                const double jitter_z = random.symmetric() * 0.03;
                b.dynamic(marble, {(x - 4) * 1.1 + jitter_x, 2.0 + y * 1.2, (z - 4) * 1.1 + jitter_z}).mass = 1.0f;
            }
    b.run_for(900, 600);
    return b.take();
}

SceneDesc incline(const std::string& name, double degrees) {
    const double friction = 0.4;
    SceneBuilder b(name, "A cube on a tilted plane, mu 0.4: it stays below 21.8 degrees and slides above", friction);
    b.scene().settings.sleeping = false;  // sleep would hide a creeping cube
    const double angle = degrees * std::numbers::pi / 180.0;
    const Quatd tilt = axis_angle({0.0, 0.0, 1.0}, angle);
    b.fixed(b.half_space(), {0.0, 0.0, 0.0}, tilt).name = "plane";
    b.dynamic(b.box({0.5, 0.5, 0.5}), rotate(tilt, {0.0, 0.5, 0.0}), tilt).name = "cube";
    b.run_for(300, 60);
    if (std::tan(angle) < friction) b.must_stand(0.05);
    return b.take();
}

SceneDesc leaning_rod(const std::string& name, double) {
    // Ladder at angle t to the floor, friction mu at both ends: it stays while tan t >= (1 - mu^2) / (2 mu).
    const double friction = 0.5, angle = 60.0 * std::numbers::pi / 180.0;
    SceneBuilder b(name, "A plank leans on a wall at 60 degrees, mu 0.5: above 36.9 degrees it stays", friction);
    b.scene().settings.sleeping = false;
    b.ground();
    b.fixed(b.box({0.5, 2.5, 2.0}), {0.5, 2.5, 0.0}).name = "wall";
    const double half_thickness = 0.05, half_length = 1.5;
    // Turned clockwise from upright; its lower right corner touches the floor, its upper right one the wall x = 0.
    const double turn = std::numbers::pi / 2.0 - angle;
    const double reach = half_length * std::sin(turn) + half_thickness * std::cos(turn);
    const double rise = half_length * std::cos(turn) + half_thickness * std::sin(turn);
    b.dynamic(b.box({half_thickness, half_length, 0.2}), {-reach, rise, 0.0}, axis_angle({0.0, 0.0, 1.0}, -turn)).name =
        "plank";
    b.run_for(600, 60);
    b.must_stand(0.1);
    return b.take();
}

SceneDesc newtons_cradle(const std::string& name, double) {
    SceneBuilder b(name, "Without gravity and friction a ball hits four in a line: the last one carries its speed on",
                   0.0);
    b.scene().settings.gravity = {0.0f, 0.0f, 0.0f};
    b.scene().settings.sleeping = false;
    const uint32_t ball = b.sphere(0.5);
    // Gaps of 5 cm, so that one impact follows the other: at once, restitution alone does not decide who leaves.
    for (int i = 0; i < 5; ++i) {
        SceneBody& body = b.dynamic(ball, {i == 0 ? -2.0 : (i - 1) * 1.05, 0.0, 0.0});
        body.name = "ball" + std::to_string(i + 1);
        body.colliders[0].material.restitution = 1.0f;
        if (i == 0) body.linear_velocity = {2.0f, 0.0f, 0.0f};
    }
    b.run_for(240, 120);
    return b.take();
}

SceneDesc spin(const std::string& name, double) {
    SceneBuilder b(name, "A free box spins about its middle axis and tumbles; energy and momentum must not change",
                   0.6);
    b.scene().settings.gravity = {0.0f, 0.0f, 0.0f};
    b.scene().settings.sleeping = false;
    SceneBody& body = b.dynamic(b.box({0.5, 0.3, 0.1}), {0.0, 0.0, 0.0});
    body.name = "box";
    body.angular_velocity = {0.01f, 5.0f, 0.0f};
    b.run_for(1200, 0);
    return b.take();
}

/// Twenty links of 20 cm and half a kilogram, and a ball of a hundred times that at their end.
SceneDesc ball_chain(const std::string& name, double) {
    constexpr double kLink = 0.2, kRadius = 0.03, kBall = 0.3, kTop = 5.0, kLinkMass = 0.5;
    constexpr int kLinks = 20;
    SceneBuilder b(name, "Twenty links hang from a beam and carry a ball 100 times as heavy as each; it swings", 0.5);
    b.scene().settings.sleeping = false;
    b.ground();
    b.fixed(b.box({0.4, 0.1, 0.1}), {0.0, kTop + 0.1, 0.0}).name = "beam";
    uint32_t above = b.last_body();
    const uint32_t link = b.capsule(kRadius, 0.5 * kLink - kRadius);
    for (int i = 0; i < kLinks; ++i) {
        const double top = kTop - i * kLink;
        physics::SceneBody& body = b.dynamic(link, {0.0, top - 0.5 * kLink, 0.0});
        body.name = "link " + std::to_string(i + 1);
        body.mass = float(kLinkMass);
        b.ball_joint(above, b.last_body(), {0.0, top, 0.0});
        above = b.last_body();
    }
    const double bottom = kTop - kLinks * kLink;
    physics::SceneBody& ball = b.dynamic(b.sphere(kBall), {0.0, bottom - kBall, 0.0});
    ball.name = "ball";
    ball.mass = float(100.0 * kLinkMass);
    ball.linear_velocity = {2.0f, 0.0f, 0.0f};
    b.ball_joint(above, b.last_body(), {0.0, bottom, 0.0});
    b.run_for(3600, 600);
    return b.take();
}

}  // namespace proxima::samples
