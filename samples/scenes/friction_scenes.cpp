// SPDX-License-Identifier: MIT
// Scenes of surfaces whose friction is more than one coefficient: rolling friction, torsional friction, a
// grain; and of surfaces that move. Where their bodies must end is known from the laws (docs/friction.md).
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
        const Vec3d position = rotate(tilt, {0.7 * k, radius, 0.6 * (k % 2)});
        material_of(b.dynamic(ball, position)).rolling_friction = float(rolling);
        if (holds) b.ends_at(position);
    }
    b.run_for(holds ? 600 : 120, holds ? 120 : 60);
    if (holds) {
        b.settles(0.005);
        b.must_stand(0.1);
    } else {
        b.goal.min_travel = 0.02;
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
        const Vec3d position = rotate(tilt, at);
        physics::Material& m =
            material_of(b.dynamic(sledge, position, multiply(tilt, axis_angle({0.0, 1.0, 0.0}, heading * kDegree))));
        m.friction = float(along);
        m.friction_across = float(across);
        m.friction_direction = {1.0f, 0.0f, 0.0f};
        return position;
    };
    for (int k = 0; k < 4; ++k) {
        const Vec3d position = place_one({0.8 * k, 0.1, 0.0}, 90.0);
        b.ends_at(position);
    }
    // Down the fall with g (sin a - mu cos a) from rest.
    place_one({0.0, 0.1, 3.0}, 0.0);
    const double seconds = 2.0, fall = kGravity * (std::sin(angle) - along * std::cos(angle));
    b.ends_at(rotate(tilt, {-0.5 * fall * seconds * seconds, 0.1, 3.0}));
    b.run_for(uint32_t(60 * seconds), 60);
    b.goal.position_error = 0.02;
    return b.finish();
}

SceneWithGoal conveyor(const std::string& name, double) {
    const double mu = 0.5, seconds = 3.0, half = 0.15, top = 0.6;
    DisturbedBuilder b(name, "Belts carry boxes at 0.5, 1 and 1.5 m/s and up a slope; balls get 2/7 of the speed", mu);
    const uint32_t bed = b.box({4.0, 0.1, 0.4}), roller = b.capsule(0.1, 0.32), box = b.box({half, half, half}),
                   ball = b.sphere(half);
    const Quatd aside = axis_angle({1.0, 0.0, 0.0}, 90.0 * kDegree);
    const auto add_belt = [&](double z, double speed, double angle) {
        const Quatd tilt = axis_angle({0.0, 0.0, 1.0}, angle);
        const Vec3d middle{0.0, top - 0.1 + 4.0 * std::sin(angle), z};
        physics::SceneBody& belt = b.fixed(bed, middle, tilt);
        belt.name = "belt";
        belt.type = physics::BodyType::kinematic;  // drawn in another colour than the ground
        material_of(belt).surface_velocity = {float(speed), 0.0f, 0.0f};
        for (const double end : {-4.0, 4.0}) b.fixed(roller, middle + rotate(tilt, {end, 0.0, 0.0}), aside);
    };
    // From rest: a = mu g cos - g sin until it has the speed v of the belt, or 2/7 of it where it rolls; v t - v^2 / (2 a).
    const auto add_load = [&](uint32_t shape, double z, double speed, double angle) {
        const Quatd tilt = axis_angle({0.0, 0.0, 1.0}, angle);
        const double gains = kGravity * (mu * std::cos(angle) - std::sin(angle)),
                     last = shape == ball ? 2.0 / 7.0 * speed : speed;
        for (const double x : {-3.6, -2.8, -2.0}) {
            const Vec3d foot{0.0, top - 0.1 + 4.0 * std::sin(angle), z};
            const double way = last * seconds - last * last / (2.0 * gains);
            b.dynamic(shape, foot + rotate(tilt, {x, 0.1 + half, 0.0}), tilt);
            b.ends_at(foot + rotate(tilt, {x + way, 0.1 + half, 0.0}));
        }
    };
    const double slope = 15.0 * kDegree;
    for (int k = 0; k < 3; ++k) add_belt(2.4 - 1.2 * k, 0.5 * (k + 1), 0.0);
    add_belt(-1.2, 1.5, 0.0);
    add_belt(-2.4, 1.0, slope);
    for (int k = 0; k < 3; ++k) add_load(box, 2.4 - 1.2 * k, 0.5 * (k + 1), 0.0);
    add_load(ball, -1.2, 1.5, 0.0);
    add_load(box, -2.4, 1.0, slope);
    b.run_for(uint32_t(60 * seconds), 60);
    b.goal.position_error = 0.01;
    b.goal.penetration = 0.002;
    return b.finish();
}

}  // namespace proxima::samples
