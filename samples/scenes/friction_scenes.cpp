// SPDX-License-Identifier: MIT
// Scenes of surfaces whose friction is more than one coefficient: rolling friction, torsional friction, a
// grain. Where their bodies must end is known from the laws (docs/friction.md).
#include <cmath>
#include <numbers>

#include "samples/scenes/disturbed.h"

namespace proxima::samples {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kGravity = 9.81;

physics::Material& material_of(physics::SceneBody& body) { return body.colliders[0].material; }

}  // namespace

SceneWithGoal felt(const std::string& name, double) {
    DisturbedBuilder b(name, "Balls roll out on felt and stop where rolling friction says; two more spin in place",
                       0.8);
    const double radius = 0.2, rolling = 0.02, torsion = 0.02;
    const uint32_t ball = b.sphere(radius);
    // (I + m R^2) dw/dt = -r N: a ball that rolls loses r g / (1.4 R) of its speed a second.
    const double rate = rolling * kGravity / (1.4 * radius);
    for (int k = 0; k < 5; ++k) {
        const double speed = 0.4 * (k + 1), z = 0.6 * (k - 2);
        physics::SceneBody& body = b.dynamic(ball, {-2.0, radius, z});
        body.linear_velocity = {float(speed), 0.0f, 0.0f};
        body.angular_velocity = {0.0f, 0.0f, float(-speed / radius)};
        material_of(body).rolling_friction = float(rolling);
        b.ends_at({-2.0 + speed * speed / (2.0 * rate), radius, z});
    }
    for (const double spin : {10.0, -20.0}) {
        physics::SceneBody& body = b.dynamic(ball, {-2.6, radius, spin / 20.0});
        body.angular_velocity = {0.0f, float(spin), 0.0f};
        material_of(body).torsional_friction = float(torsion);
        material_of(body).rolling_friction = float(rolling);
        b.ends_at({-2.6, radius, spin / 20.0});
    }
    b.run_for(480, 360);
    b.settles(0.01);
    b.goal.speed = 0.002;
    return b.finish();
}

SceneWithGoal roll_slope(const std::string& name, double degrees) {
    // The normal force acts at most r ahead of the contact: its moment r N holds m g R sin a, so tan a = r / R.
    const double radius = 0.25, rolling = 0.05, angle = degrees * kDegree;
    DisturbedBuilder b(name, "Balls on a slope, held by rolling friction of 5 cm below 11.3 degrees", 0.8);
    b.scene().bodies.clear();  // the slope is the ground
    const Quatd tilt = axis_angle({0.0, 0.0, 1.0}, angle);
    b.fixed(b.box({20.0, 1.0, 20.0}), rotate(tilt, {0.0, -1.0, 0.0}), tilt).name = "slope";
    const uint32_t ball = b.sphere(radius);
    const bool holds = std::tan(angle) < rolling / radius;
    for (int k = 0; k < 5; ++k) {
        const Vec3d place = rotate(tilt, {0.7 * k, radius, 0.6 * (k % 2)});
        material_of(b.dynamic(ball, place)).rolling_friction = float(rolling);
        if (holds) b.ends_at(place);
    }
    b.run_for(holds ? 600 : 120, holds ? 120 : 60);
    if (holds) {
        b.settles(0.005);
        b.must_stand(0.1);
    } else {
        b.goal.moves_at_least = 0.02;
    }
    return b.finish();
}

SceneWithGoal sledges(const std::string& name, double) {
    const double along = 0.05, across = 0.9, angle = 20.0 * kDegree;
    DisturbedBuilder b(name, "Sledges on a slope of 20 degrees: those across the fall stay, one glides down", across);
    b.scene().bodies.clear();
    const Quatd tilt = axis_angle({0.0, 0.0, 1.0}, angle);
    b.fixed(b.box({60.0, 1.0, 20.0}), rotate(tilt, {0.0, -1.0, 0.0}), tilt).name = "slope";
    const uint32_t sledge = b.box({0.5, 0.1, 0.2});
    const auto place_one = [&](const Vec3d& at, double heading) -> Vec3d {
        const Vec3d place = rotate(tilt, at);
        physics::Material& m =
            material_of(b.dynamic(sledge, place, multiply(tilt, axis_angle({0.0, 1.0, 0.0}, heading * kDegree))));
        m.friction = float(along);
        m.friction_across = float(across);
        m.friction_direction = {1.0f, 0.0f, 0.0f};
        return place;
    };
    for (int k = 0; k < 4; ++k) {
        const Vec3d place = place_one({0.8 * k, 0.1, 0.0}, 90.0);
        b.ends_at(place);
    }
    // Down the fall with g (sin a - mu cos a) from rest.
    place_one({0.0, 0.1, 3.0}, 0.0);
    const double seconds = 2.0, fall = kGravity * (std::sin(angle) - along * std::cos(angle));
    b.ends_at(rotate(tilt, {-0.5 * fall * seconds * seconds, 0.1, 3.0}));
    b.run_for(uint32_t(60 * seconds), 60);
    b.goal.off_place = 0.02;
    return b.finish();
}

}  // namespace proxima::samples
