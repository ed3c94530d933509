// SPDX-License-Identifier: MIT
// Friction on supports that stand, tilt, turn and accelerate.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "samples/laws/law_world.h"

namespace proxima::samples {

using namespace physics;

namespace {

/// A direction of the ground plane.
Vec3 heading_vector(float degrees) {
    const float a = glm::radians(degrees);
    return {std::cos(a), 0.0f, std::sin(a)};
}
Quat about(const Vec3& axis, float degrees) { return glm::angleAxis(glm::radians(degrees), glm::normalize(axis)); }

/// Seconds after which something that began to slide with an acceleration that grows by `jerk` has gone `way`.
double time_of_cubic(double way, double jerk) { return std::cbrt(6.0 * way / jerk); }

// ---- still

/// Moved along a fixed slope within a second, from rest.
double slide_on_slope(LawTries& tries, float size, float mu, float slope, float heading, float yaw) {
    LawWorld w(tries.options());
    w.set_dt(step_for(tries.options(), size));
    const Vec3 down = heading_vector(heading), axis = glm::cross(Vec3(0.0f, 1.0f, 0.0f), down);
    const Quat tilt = about(axis, slope);
    const Vec3 normal = tilt * Vec3(0.0f, 1.0f, 0.0f), along = tilt * down;
    w.box(size * Vec3(20.0f, 0.5f, 20.0f),
          {.type = BodyType::fixed, .position = -0.5f * size * normal, .rotation = tilt, .friction = mu});
    const Entity box =
        w.box(size * Vec3(0.5f, 0.2f, 0.5f),
              {.position = 0.2f * size * normal, .rotation = tilt * about({0.0f, 1.0f, 0.0f}, yaw), .friction = mu});
    const Vec3 start = w.position(box);
    const float time = std::sqrt(size);
    w.run(time);
    return double(glm::dot(w.position(box) - start, along)) / double(size);
}

void slope_threshold(LawTries& tries) {
    for (int k = 0; k < 36; ++k) {
        const float mu = k < 4 ? 0.1f + 0.2f * float(k) : tries.draw(0.05f, 0.9f);
        const float size = k % 3 == 0 ? 1.0f : tries.draw_log(0.01f, 100.0f);
        const float heading = 10.0f * float(k), yaw = tries.draw(0.0f, 90.0f);
        const double limit = std::atan(double(mu)) * kRadian;
        for (const double off : {-0.2, 0.2}) {
            const double angle = (limit + off) / kRadian;
            const double accelerates = double(kG) * (std::sin(angle) - double(mu) * std::cos(angle));
            const double expected = off < 0.0 ? 0.0 : 0.5 * accelerates;  // of its size, within sqrt(size) seconds
            const double measured = slide_on_slope(tries, size, mu, float(limit + off), heading, yaw);
            tries.add(fmt::format("{:.3g} m, mu {:.2f}, heading {:.0f}, {:+.1f} deg", size, mu, heading, off), expected,
                      measured, 0.5 * double(kG) * 0.1 / kRadian);
        }
    }
}

// ---- tilting

struct Ramp {
    Vec3 axis;
    Entity plate;
};
/// A plate that turns about an axis through the middle of its upper face.
Ramp add_ramp(LawWorld& w, float size, float mu, float heading) {
    const Vec3 axis = glm::cross(Vec3(0.0f, 1.0f, 0.0f), heading_vector(heading));
    const Entity plate = w.box(size * Vec3(5.0f, 0.25f, 5.0f),
                               {.type = BodyType::kinematic, .position = {0.0f, -0.25f * size, 0.0f}, .friction = mu});
    return {-axis, plate};
}

/// Degrees at which a box on a ramp that tilts by `rate` degrees a second has slid by a fiftieth of its size.
void tilting_ramp(LawTries& tries) {
    for (int k = 0; k < 12; ++k) {
        const float mu = k == 0 ? 0.1f : tries.draw(0.05f, 0.8f), size = k < 4 ? 1.0f : tries.draw_log(0.01f, 50.0f);
        const float heading = 30.0f * float(k), yaw = k == 0 ? 0.0f : tries.draw(0.0f, 90.0f);
        const float rate = (k == 0 ? 1.0f : tries.draw(0.5f, 4.0f)) / std::sqrt(size);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        const Ramp ramp = add_ramp(w, size, mu, heading);
        const Entity box =
            w.box(size * Vec3(0.5f, 0.2f, 0.5f),
                  {.position = {0.0f, 0.2f * size, 0.0f}, .rotation = about({0.0f, 1.0f, 0.0f}, yaw), .friction = mu});
        w.run(0.2f * std::sqrt(size));
        const float turn = glm::radians(rate);
        Vec3 start(0.0f);
        bool begun = false;
        double slipped = 90.0;
        for (float degrees = 0.0f; degrees < 60.0f; degrees += rate * w.dt()) {
            // Its upper face stays where it is in the middle: the centre of the plate goes round it.
            const Vec3 arm = w.position(ramp.plate);
            w.set_velocity(ramp.plate, glm::cross(turn * ramp.axis, arm), turn * ramp.axis);
            w.step();
            const Vec3 local = glm::conjugate(w.rotation(ramp.plate)) * (w.position(box) - w.position(ramp.plate));
            if (!begun) start = local, begun = true;
            const Vec3 moved = local - start;
            if (std::sqrt(moved.x * moved.x + moved.z * moved.z) > 0.02f * size) {
                slipped = double(degrees + rate * w.dt());
                break;
            }
        }
        const double limit = std::atan(double(mu)), jerk = double(kG) / std::cos(limit) * double(turn);
        const double expected = limit * kRadian + double(rate) * time_of_cubic(0.02 * double(size), jerk);
        tries.add(fmt::format("{:.3g} m, mu {:.2f}, heading {:.0f}, {:.2g} deg/s", size, mu, heading, rate), expected,
                  slipped, 0.2);
    }
}

/// Degrees at which a slender block on a tilting ramp has turned by one degree on its edge.
void tipping_on_ramp(LawTries& tries) {
    for (int k = 0; k < 12; ++k) {
        const float slender = k == 0 ? 0.1f : tries.draw(0.05f, 0.5f),
                    size = k < 3 ? 1.0f : tries.draw_log(0.02f, 50.0f), heading = 30.0f * float(k);
        const float rate = 1.0f / std::sqrt(size), turn = glm::radians(rate);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        const Ramp ramp = add_ramp(w, size, 1.0f, heading);
        const Entity block = w.box(
            size * Vec3(0.5f * slender, 0.5f, 0.4f),
            {.position = {0.0f, 0.5f * size, 0.0f}, .rotation = about({0.0f, 1.0f, 0.0f}, -heading), .friction = 1.0f});
        w.run(0.2f * std::sqrt(size));
        const Quat straight = glm::conjugate(w.rotation(block)) * w.rotation(ramp.plate);
        double tipped = 90.0;
        for (float degrees = 0.0f; degrees < 60.0f; degrees += rate * w.dt()) {
            w.set_velocity(ramp.plate, glm::cross(turn * ramp.axis, w.position(ramp.plate)), turn * ramp.axis);
            w.step();
            const Quat relative = glm::conjugate(w.rotation(ramp.plate)) * w.rotation(block) * straight;
            if (2.0 * std::asin(std::min(1.0f, glm::length(Vec3(relative.x, relative.y, relative.z)))) * kRadian >
                1.0) {
                tipped = double(degrees + rate * w.dt());
                break;
            }
        }
        // The block turns about its edge: p'' = 3 g / (4 R) sin(ramp - limit + p).
        const double limit = std::atan(double(slender)), radius = 0.5 * double(size) * std::hypot(1.0, double(slender));
        double angle = limit, p = 0.0, speed = 0.0;
        const double step = 1e-4 * std::sqrt(double(size));
        while (p < 1.0 / kRadian) {
            speed += step * 0.75 * double(kG) / radius * std::sin(angle - limit + p);
            p += step * speed;
            angle += step * double(turn);
        }
        tries.add(fmt::format("{:.3g} m, width / height {:.2f}, heading {:.0f}", size, slender, heading),
                  angle * kRadian, tipped, 0.3);
    }
}

// ---- turning

/// rad/s at which a box on a turntable that gets faster has slid by a fiftieth of its radius.
void turntable(LawTries& tries) {
    for (int k = 0; k < 10; ++k) {
        const float mu = k == 0 ? 0.5f : tries.draw(0.1f, 0.9f), r = k < 3 ? 1.0f : tries.draw_log(0.05f, 20.0f);
        const float half = r * (k == 0 ? 0.1f : tries.draw(0.05f, 0.2f)),
                    phase = k == 0 ? 0.0f : tries.draw(0.0f, 360.0f);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), half));
        const Entity table = w.box(r * Vec3(1.6f, 0.1f, 1.6f),
                                   {.type = BodyType::kinematic, .position = {0.0f, -0.1f * r, 0.0f}, .friction = mu});
        const Entity box =
            w.box(half * Vec3(1.0f, 0.3f, 1.0f),
                  {.position = r * heading_vector(phase) + Vec3(0.0f, 0.3f * half, 0.0f), .friction = mu});
        const double limit = std::sqrt(double(mu) * double(kG) / double(r));
        const float growth = float(0.01 * limit * limit);
        const Vec3 start = w.position(box);
        float speed = 0.7f * float(limit);
        // It is carried along from the first step on.
        w.set_velocity(box, glm::cross(Vec3(0.0f, speed, 0.0f), start), {0.0f, speed, 0.0f});
        double slipped = 10.0 * limit;
        for (; speed < 2.0f * float(limit); speed += growth * w.dt()) {
            w.set_velocity(table, Vec3(0.0f), {0.0f, speed, 0.0f});
            w.step();
            const Vec3 local = glm::conjugate(w.rotation(table)) * (w.position(box) - w.position(table));
            if (glm::length(local - start - Vec3(0.0f, 0.1f * r, 0.0f)) > 0.02f * r) {
                slipped = double(speed);
                break;
            }
        }
        const double lag = time_of_cubic(0.02 * double(r), 2.0 * limit * double(growth) * double(r));
        tries.add(fmt::format("r {:.3g} m, mu {:.2f}, box {:.2g} m", r, mu, half), limit + double(growth) * lag,
                  slipped, 0.02 * limit);
    }
}

/// Millimetres a metre of radius that a box drifts in a hundred turns at nine tenths of the speed at which it slips.
void turntable_drift(LawTries& tries) {
    for (int k = 0; k < 4; ++k) {
        const float mu = k == 0 ? 0.5f : tries.draw(0.2f, 0.9f), r = k < 2 ? 1.0f : tries.draw_log(0.1f, 10.0f),
                    half = 0.1f * r;
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), half));
        const Entity table = w.box(r * Vec3(1.6f, 0.1f, 1.6f),
                                   {.type = BodyType::kinematic, .position = {0.0f, -0.1f * r, 0.0f}, .friction = mu});
        const Entity box = w.box(half * Vec3(1.0f, 0.3f, 1.0f), {.position = {r, 0.3f * half, 0.0f}, .friction = mu});
        const float speed = 0.9f * std::sqrt(mu * kG / r);
        w.set_velocity(table, Vec3(0.0f), {0.0f, speed, 0.0f});
        w.set_velocity(box, {0.0f, 0.0f, -speed * r}, {0.0f, speed, 0.0f});
        w.run(1.0f);
        const auto local = [&] { return glm::conjugate(w.rotation(table)) * (w.position(box) - w.position(table)); };
        const Vec3 start = local();
        double farthest = 0.0;
        const int steps = int(100.0f * 6.2831853f / speed / w.dt());
        for (int i = 0; i < steps && farthest < 1000.0; ++i) {
            w.step();
            farthest = std::max(farthest, 1000.0 * double(glm::length(local() - start)) / double(r));
        }
        tries.add(fmt::format("r {:.3g} m, mu {:.2f}", r, mu), 0.0, farthest, 1.0);
    }
}

/// From the middle of a regular face of so many corners, one of them at `first` rad, to its side in a direction, of its radius.
double reach_of_face(int corners, double first, double direction) {
    const double half = 3.141592653589793 / double(corners);
    double reach = 1e9;
    for (int i = 0; i < corners; ++i) {
        const double cosine = std::cos(first + half * double(2 * i + 1) - direction);
        if (cosine > 1e-3) reach = std::min(reach, std::cos(half) / cosine);
    }
    return reach;
}

/// Degrees at which a prism on a ramp that tilts falls over a side of its face, and by how much of its size it has moved on it
/// at 0.95 of that.
void prism_on_ramp(LawTries& tries) {
    for (int k = 0; k < 16; ++k) {
        const float size = k < 4 ? 1.0f : tries.draw_log(0.02f, 50.0f), heading = tries.draw(0.0f, 360.0f),
                    first = tries.draw(0.0f, 6.0f), half = size * tries.draw(0.8f, 1.5f);
        const int corners = k % 8 == 7 ? 12 : 3 + k % 8;
        const float rate = 2.0f / std::sqrt(size), turn = glm::radians(rate);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        const Ramp ramp = add_ramp(w, size, 1.0f, heading);
        std::vector<Vec3> points;
        for (int i = 0; i < corners; ++i)
            for (const float y : {-half, half}) {
                const float angle = first + 6.2831853f * float(i) / float(corners);
                points.emplace_back(0.5f * size * std::cos(angle), y, 0.5f * size * std::sin(angle));
            }
        const Entity prism = w.hull(points, {.position = {0.0f, half, 0.0f}, .friction = 1.0f});
        w.run(0.2f * std::sqrt(size));
        const Quat straight = glm::conjugate(w.rotation(prism)) * w.rotation(ramp.plate);
        const auto place = [&] {
            return glm::conjugate(w.rotation(ramp.plate)) * (w.position(prism) - w.position(ramp.plate));
        };
        // It falls away from what rises: along the axis of the ramp, crossed with up.
        const Vec3 down = glm::cross(ramp.axis, Vec3(0.0f, 1.0f, 0.0f));
        const double reach = 0.5 * double(size) * reach_of_face(corners, double(first), std::atan2(down.z, down.x)),
                     limit = std::atan2(reach, double(half));
        const Vec3 start = place();
        double tipped = 90.0, crept = 0.0;
        for (float degrees = 0.0f; degrees < 60.0f; degrees += rate * w.dt()) {
            w.set_velocity(ramp.plate, glm::cross(turn * ramp.axis, w.position(ramp.plate)), turn * ramp.axis);
            w.step();
            if (double(degrees) < 0.95 * limit * kRadian) crept = double(glm::length(place() - start) / size);
            const Quat relative = glm::conjugate(w.rotation(ramp.plate)) * w.rotation(prism) * straight;
            if (2.0 * std::asin(std::min(1.0f, glm::length(Vec3(relative.x, relative.y, relative.z)))) * kRadian >
                1.0) {
                tipped = double(degrees + rate * w.dt());
                break;
            }
        }
        // Nearly: p'' = 3 g / (4 R) sin(ramp - limit + p), as of a block whose face has that reach.
        double angle = limit, p = 0.0, speed = 0.0;
        const double step = 1e-4 * std::sqrt(double(size));
        while (p < 1.0 / kRadian) {
            speed += step * 0.75 * double(kG) / std::hypot(reach, double(half)) * std::sin(angle - limit + p);
            p += step * speed;
            angle += step * double(turn);
        }
        tries.add(fmt::format("{:.3g} m, {} corners, heading {:.0f}", size, corners, heading), angle * kRadian, tipped,
                  1.0);
        tries.add(fmt::format("{:.3g} m, {} corners, heading {:.0f}, moved before", size, corners, heading), 0.0, crept,
                  0.005);
    }
}

// ---- accelerating

/// Acceleration over mu g at which a block on a platform slides.
void accelerating_platform(LawTries& tries) {
    for (int k = 0; k < 14; ++k) {
        const float mu = k == 0 ? 0.4f : tries.draw(0.1f, 0.9f), size = k < 3 ? 1.0f : tries.draw_log(0.02f, 50.0f);
        // The later ones go up or down faster and faster, too: what presses is g and that.
        const float rise = k < 8 ? 0.0f : kG * tries.draw(-0.6f, 1.0f);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        const Entity plate =
            w.box(size * Vec3(40.0f, 0.25f, 5.0f),
                  {.type = BodyType::kinematic, .position = {0.0f, -0.25f * size, 0.0f}, .friction = mu});
        const Entity box =
            w.box(size * Vec3(0.5f, 0.2f, 0.5f), {.position = {0.0f, 0.2f * size, 0.0f}, .friction = mu});
        const auto step = [&](double along) {
            w.set_velocity(plate, {float(along), rise * (w.time() + 0.5f * w.dt()), 0.0f});
            w.step();
        };
        while (w.time() < 0.2f * std::sqrt(size)) step(0.0);
        const float jerk = 0.5f * mu * (kG + rise) / std::sqrt(size);
        const Vec3 start = w.position(box) - w.position(plate);
        double slipped = 10.0, time = 0.0, way = 0.0;
        const double limit = double(mu * (kG + rise)), dt = double(w.dt()), most = 0.02 * double(size);
        while (double(jerk) * time < 3.0 * limit) {
            // The mean of j t^2 / 2 over the step.
            const double next = time + dt, mean = double(jerk) * (next * next + next * time + time * time) / 6.0;
            step(mean);
            const double before = way;
            way = double(glm::length(w.position(box) - w.position(plate) - start));
            if (way > most) {
                slipped = double(jerk) * (time + dt * (most - before) / (way - before)) / limit;
                break;
            }
            time = next;
        }
        const double lag = time_of_cubic(0.02 * double(size), double(jerk));
        tries.add(fmt::format("{:.3g} m, mu {:.2f}, up with {:.2f} g", size, mu, rise / kG),
                  1.0 + double(jerk) * lag / limit, slipped, 0.02);
    }
}

// ---- belts

struct Carried {
    double time, slip, off;
};
/// Time over v / (mu g) in which a box on a belt gets its speed, way over v^2 / (2 mu g) that it slips, and the farthest that
/// its velocity is from that of the belt in the time after that, in parts of it.
Carried put_on_belt(LawWorld& w, float size, float mu, const Vec3& belt, Entity box) {
    const double v = double(glm::length(belt)), unit = v / double(mu * kG);
    const Vec3 start = w.position(box), along = belt / float(v);
    Carried out{9.0, 9.0, 0.0};
    // As the last step says in which it slips to the end.
    while (double(w.time()) < 3.0 * unit) {
        const double time = double(w.time()), before = double(glm::dot(w.velocity(box), along));
        w.step();
        const double now = double(glm::dot(w.velocity(box), along));
        if (out.time > 8.0 && now > 0.9999 * v)
            out.time = std::min(time * v / std::max(before, 1e-9 * v), double(w.time())) / unit;
    }
    out.slip = (v * double(w.time()) - double(glm::dot(w.position(box) - start, along))) / (0.5 * v * unit);
    for (int n = int(10.0f * std::max(std::sqrt(size), 0.3f) / w.dt()); n > 0; --n) {
        w.step();
        const Vec3 off = w.velocity(box) - belt;
        out.off = std::max(out.off, double(glm::length(Vec3(off.x, 0.0f, off.z))) / v);
    }
    return out;
}
void carried_box(LawTries& tries, int k) {
    const float mu = k == 0 ? 0.5f : tries.draw(0.1f, 0.8f), size = k < 2 ? 1.0f : tries.draw_log(0.01f, 20.0f),
                heading = tries.draw(0.0f, 360.0f), yaw = tries.draw(0.0f, 90.0f);
    LawWorld w(tries.options());
    w.set_dt(step_for(tries.options(), size));
    // It slips for at least fifteen steps: sub-steps are as long as the hundredth that is allowed in fewer than seven.
    const float speed = mu * kG * tries.draw(15.0f, 60.0f) * w.dt() * std::max(1.0f, std::sqrt(size));
    const Vec3 belt = speed * heading_vector(heading);
    // A plane, or a box that is turned: the velocity is told in its frame.
    const Quat turn = about({0.0f, 1.0f, 0.0f}, -heading);
    if (k % 2 == 0)
        w.ground({.friction = mu, .belt = belt});
    else
        w.box({15.0f * speed * std::max(std::sqrt(size), 0.3f), 0.5f * size, 2.0f * size},
              {.type = BodyType::fixed,
               .position = {0.0f, -0.5f * size, 0.0f},
               .rotation = turn,
               .friction = mu,
               .belt = {speed, 0.0f, 0.0f}});
    const Entity box =
        w.box(size * Vec3(0.5f, 0.1f, 0.5f),
              {.position = {0.0f, 0.1f * size, 0.0f}, .rotation = about({0.0f, 1.0f, 0.0f}, yaw), .friction = mu});
    const Carried got = put_on_belt(w, size, mu, belt, box);
    const std::string name = fmt::format("box of {:.3g} m, mu {:.2f}, {:.2g} m/s", size, mu, speed);
    tries.add(name + ", time", 1.0, got.time, 0.01);
    tries.add(name + ", slip", 1.0, got.slip, 0.01);
    tries.add(name + ", off its speed", 0.0, got.off, 0.001);
}
/// Friction turns a ball until the point that touches has the speed of the belt: 2/7 of it are the ball's.
void ball_on_belt(LawTries& tries, int k) {
    const float mu = tries.draw(0.1f, 0.8f), r = k < 2 ? 0.5f : tries.draw_log(0.01f, 20.0f),
                heading = tries.draw(0.0f, 360.0f), speed = tries.draw(0.5f, 5.0f) * std::sqrt(r);
    LawWorld w(tries.options());
    w.set_dt(step_for(tries.options(), r));
    w.ground({.friction = mu, .belt = speed * heading_vector(heading)});
    const Entity ball = w.sphere(r, {.position = {0.0f, r, 0.0f}, .friction = mu});
    w.run(0.5f * 2.0f / 7.0f * speed / (mu * kG));
    const auto along = [&] { return double(glm::dot(w.velocity(ball), heading_vector(heading))); };
    const std::string name = fmt::format("ball of {:.3g} m, mu {:.2f}, {:.2g} m/s", r, mu, speed);
    tries.add(name + ", slips", 1.0, along() / (double(mu * kG) * double(w.time())), 0.01);
    w.run(3.0f * speed / (mu * kG));
    tries.add(name + ", rolls", 2.0 / 7.0, along() / double(speed), 0.003);
}
/// Speed of a box on a belt that goes up a slope: that of the belt, or what it slides down with.
void belt_on_slope(LawTries& tries, int k) {
    const float mu = tries.draw(0.2f, 0.9f), size = k < 2 ? 1.0f : tries.draw_log(0.01f, 20.0f),
                speed = tries.draw(0.5f, 2.0f) * std::sqrt(size);
    const bool holds = k % 2 == 0;
    const double limit = std::atan(double(mu)),
                 angle = limit * (holds ? double(tries.draw(0.2f, 0.8f)) : double(tries.draw(1.1f, 1.4f)));
    LawWorld w(tries.options());
    w.set_dt(step_for(tries.options(), size));
    const Quat tilt = about({0.0f, 0.0f, 1.0f}, float(angle * kRadian));
    const Vec3 normal = tilt * Vec3(0.0f, 1.0f, 0.0f), up = tilt * Vec3(1.0f, 0.0f, 0.0f);
    w.box(size * Vec3(40.0f, 0.5f, 2.0f), {.type = BodyType::fixed,
                                           .position = -0.5f * size * normal,
                                           .rotation = tilt,
                                           .friction = mu,
                                           .belt = {speed, 0.0f, 0.0f}});
    const Entity box =
        w.box(size * Vec3(0.5f, 0.1f, 0.5f), {.position = 0.1f * size * normal, .rotation = tilt, .friction = mu});
    const double gains = double(kG) * (double(mu) * std::cos(angle) - std::sin(angle));
    w.run(holds ? float(1.5 * double(speed) / gains) : std::sqrt(size));
    const double measured = double(glm::dot(w.velocity(box), up)),
                 expected = holds ? double(speed) : gains * double(w.time());
    tries.add(fmt::format("slope of {:.0f} deg, {:.3g} m, mu {:.2f}, {}", angle * kRadian, size, mu,
                          holds ? "carried" : "slides"),
              1.0, measured / expected, holds ? 0.002 : 0.01);
}
/// Way off the one that a point of the belt goes, in sizes, of a box on a belt on a table that turns: R(w t) (r + s t).
void belt_that_turns(LawTries& tries, int k) {
    const float size = k == 0 ? 1.0f : tries.draw_log(0.02f, 20.0f), mu = tries.draw(0.4f, 0.9f),
                heading = tries.draw(0.0f, 360.0f);
    // Half of what friction can do, half of that against the turn.
    const float turn = 0.5f * std::sqrt(mu * kG / (4.0f * size)), speed = 0.1f * mu * kG / turn;
    LawWorld w(tries.options());
    w.set_dt(step_for(tries.options(), size));
    const Vec3 belt = speed * heading_vector(heading), spin(0.0f, turn, 0.0f);
    const Entity table = w.box(size * Vec3(20.0f, 0.5f, 20.0f), {.type = BodyType::kinematic,
                                                                 .position = {0.0f, -0.5f * size, 0.0f},
                                                                 .spin = spin,
                                                                 .friction = mu,
                                                                 .belt = belt});
    const Vec3 start = -1.5f * size * heading_vector(heading) + Vec3(0.0f, 0.1f * size, 0.0f);
    const Entity box =
        w.box(size * Vec3(0.5f, 0.1f, 0.5f),
              {.position = start, .velocity = glm::cross(spin, start) + belt, .spin = spin, .friction = mu});
    double off = 0.0;
    while (speed * w.time() < 3.0f * size) {
        w.step();
        const Vec3 local = glm::conjugate(w.rotation(table)) * w.position(box), on = start + w.time() * belt;
        off = std::max(off, double(glm::length(Vec3(local.x - on.x, 0.0f, local.z - on.z)) / size));
    }
    tries.add(fmt::format("{:.3g} m, on a table that turns by {:.2g} rad/s, off its way", size, turn), 0.0, off, 0.005);
}
/// A box whose own lower side is a belt, on another belt; and a belt on a plank that can move.
void belts_on_bodies(LawTries& tries, int k) {
    const float size = k == 0 ? 1.0f : tries.draw_log(0.01f, 20.0f), mu = tries.draw(0.2f, 0.8f),
                unit = std::sqrt(size), heading = tries.draw(0.0f, 360.0f), yaw = tries.draw(0.0f, 90.0f);
    {
        const Vec3 floor = tries.draw(0.3f, 2.0f) * unit * heading_vector(heading),
                   own = tries.draw(0.3f, 2.0f) * unit * heading_vector(heading + 100.0f);
        const Quat turn = about({0.0f, 1.0f, 0.0f}, yaw);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        w.ground({.friction = mu, .belt = floor});
        const Entity box = w.box(size * Vec3(0.5f, 0.1f, 0.5f), {.position = {0.0f, 0.1f * size, 0.0f},
                                                                 .rotation = turn,
                                                                 .friction = mu,
                                                                 .belt = glm::conjugate(turn) * own});
        w.run(1.5f * glm::length(floor - own) / (mu * kG));
        tries.add(fmt::format("{:.3g} m, mu {:.2f}, belt on belt, off its speed", size, mu), 0.0,
                  double(glm::length(w.velocity(box) - (floor - own)) / glm::length(floor - own)), 0.002);
    }
    const float speed = tries.draw(0.3f, 1.0f) * unit, mass = 100.0f * size * size * size,
                plank_mass = mass * tries.draw(0.5f, 5.0f);
    LawWorld w(tries.options());
    w.set_dt(step_for(tries.options(), size));
    w.ground({});
    const Entity plank =
        w.box(size * Vec3(8.0f, 0.1f, 2.0f),
              {.position = {0.0f, 0.1f * size, 0.0f}, .friction = mu, .mass = plank_mass, .belt = {speed, 0.0f, 0.0f}});
    const Entity box =
        w.box(size * Vec3(0.5f, 0.1f, 0.5f), {.position = {0.0f, 0.3f * size, 0.0f}, .friction = mu, .mass = mass});
    w.run(1.5f * speed / (mu * kG));
    const double share = double(plank_mass / (plank_mass + mass));
    const std::string name =
        fmt::format("{:.3g} m, mu {:.2f}, belt on a plank of {:.2g} times its load", size, mu, plank_mass / mass);
    tries.add(name + ", load", share, double(w.velocity(box).x / speed), 0.01);
    tries.add(name + ", plank", share - 1.0, double(w.velocity(plank).x / speed), 0.01);
}
void conveyor(LawTries& tries) {
    for (int k = 0; k < 6; ++k) carried_box(tries, k);
    for (int k = 0; k < 6; ++k) ball_on_belt(tries, k);
    for (int k = 0; k < 8; ++k) belt_on_slope(tries, k);
    for (int k = 0; k < 4; ++k) belt_that_turns(tries, k);
    for (int k = 0; k < 4; ++k) belts_on_bodies(tries, k);
}

// ---- sliding and rolling

/// Way over v^2 / (2 mu g) of a box that is thrown onto a plane.
void braking(LawTries& tries) {
    for (int k = 0; k < 10; ++k) {
        const float mu = tries.draw(0.1f, 0.8f), size = k < 4 ? 1.0f : tries.draw_log(0.02f, 50.0f),
                    heading = tries.draw(0.0f, 360.0f);
        const float speed = tries.draw(1.0f, 6.0f) * std::sqrt(size);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        w.ground({.friction = mu});
        const Entity box =
            w.box(size * Vec3(0.5f, 0.1f, 0.5f), {.position = {0.0f, 0.1f * size, 0.0f},
                                                  .rotation = about({0.0f, 1.0f, 0.0f}, tries.draw(0.0f, 90.0f)),
                                                  .velocity = speed * heading_vector(heading),
                                                  .friction = mu});
        const Vec3 start = w.position(box);
        w.run(1.5f * speed / (mu * kG));
        const Vec3 way = w.position(box) - start;
        tries.add(
            fmt::format("{:.3g} m, mu {:.2f}, {:.2g} m/s", size, mu, speed), 1.0,
            double(glm::length(Vec3(way.x, 0.0f, way.z))) / (double(speed) * double(speed) / (2.0 * double(mu * kG))),
            0.01);
    }
}

/// Speed over theirs of round bodies on slopes after a second: those that roll, and those that slip.
void rolling(LawTries& tries) {
    for (int k = 0; k < 12; ++k) {
        const float radius = k < 4 ? 0.5f : tries.draw_log(0.01f, 20.0f), slope = tries.draw(2.0f, 40.0f);
        const double angle = double(slope) / kRadian;
        const bool rolls = k % 2 == 0;
        // A sphere rolls while tan < 7/2 mu.
        const float mu =
            float(std::tan(angle) * 2.0 / 7.0) * (rolls ? tries.draw(1.05f, 3.0f) : tries.draw(0.2f, 0.95f));
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), radius));
        const Quat tilt = about({0.0f, 0.0f, 1.0f}, -slope);
        const Vec3 normal = tilt * Vec3(0.0f, 1.0f, 0.0f), along = tilt * Vec3(1.0f, 0.0f, 0.0f);
        w.ground({.rotation = tilt, .friction = mu});
        const Entity ball = w.sphere(radius, {.position = radius * normal, .friction = mu});
        const float time = std::sqrt(radius / 0.5f);
        w.run(time);
        const double g = double(kG), expected = rolls ? 5.0 / 7.0 * g * std::sin(angle)
                                                      : g * (std::sin(angle) - double(mu) * std::cos(angle));
        tries.add(fmt::format("r {:.3g} m, {:.1f} deg, mu {:.2f}, {}", radius, slope, mu, rolls ? "rolls" : "slips"),
                  1.0, double(glm::dot(w.velocity(ball), along)) / (expected * double(w.time())), 0.01);
    }
}

/// Final speed over (5 v + 2 r s) / 7 of a ball that is thrown with speed v and spin s.
void backspin(LawTries& tries) {
    for (int k = 0; k < 8; ++k) {
        const float radius = k < 3 ? 0.5f : tries.draw_log(0.01f, 20.0f), mu = tries.draw(0.2f, 0.8f);
        const float v = tries.draw(2.0f, 6.0f) * std::sqrt(radius),
                    s = tries.draw(-1.5f, 1.5f) * v;  // surface speed of the spin
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), radius));
        w.ground({.friction = mu});
        const Entity ball = w.sphere(radius, {.position = {0.0f, radius, 0.0f},
                                              .velocity = {v, 0.0f, 0.0f},
                                              .spin = {0.0f, 0.0f, -s / radius},
                                              .friction = mu});
        w.run(1.5f * std::abs(v - s) / (mu * kG));
        tries.add(fmt::format("r {:.3g} m, mu {:.2f}, spin {:+.2f} v", radius, mu, s / v), 1.0,
                  double(w.velocity(ball).x) / ((5.0 * double(v) + 2.0 * double(s)) / 7.0), 0.01);
    }
}

/// Of its half length, how far the centre of a box that slides off a table is beyond the edge when it has tipped by a
/// tenth of a degree.
void overhang(LawTries& tries) {
    for (int k = 0; k < 6; ++k) {
        const float size = k < 2 ? 1.0f : tries.draw_log(0.05f, 20.0f), half = 0.5f * size;
        const float speed = (k == 0 ? 0.1f : tries.draw(0.05f, 0.3f)) * std::sqrt(size),
                    height = half * (k == 0 ? 1.0f : tries.draw(0.3f, 1.0f));
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        w.box({5.0f * size, size, size}, {.type = BodyType::fixed, .position = {-5.0f * size, -size, 0.0f}});
        const Entity box =
            w.box({half, height, half}, {.position = {-0.2f * size, height, 0.0f}, .velocity = {speed, 0.0f, 0.0f}});
        double beyond = 9.0, lean_before = 0.0, at_before = 0.0;
        const double tip = 0.1 / kRadian;
        for (int i = 0; i < 100000 && w.position(box).x < size; ++i) {
            w.step();
            const double lean = 2.0 * double(std::abs(w.rotation(box).z)), at = double(w.position(box).x / half);
            if (lean > tip) {
                // A step is up to three hundredths of a half length: where it was between the last two, of an angle that
                // grows with the cube of the time.
                const double now = std::cbrt(lean), before = std::cbrt(lean_before);
                beyond = at - (at - at_before) * (now - std::cbrt(tip)) / (now - before);
                break;
            }
            lean_before = lean;
            at_before = at;
        }
        // Without friction: p'' = g x / (k^2 + x^2), k the radius of gyration.
        const double gyration2 = (double(half) * half + double(height) * height) / 3.0;
        double x = 0.0, p = 0.0, turn = 0.0;
        const double step = 1e-4 * std::sqrt(double(size));
        while (p < tip) {
            turn += step * double(kG) * x / (gyration2 + x * x);
            p += step * turn;
            x += step * double(speed);
        }
        tries.add(fmt::format("{:.3g} m, {:.2g} m/s", size, speed), x / double(half), beyond, 0.01);
    }
}

constexpr std::array kLaws = {
    Law{"slope_threshold", "A box on a slope stays below atan(mu) and slides above, whatever its heading",
        "sizes in sqrt(size) s", slope_threshold},
    Law{"tilting_ramp", "A box on a ramp that tilts slips at atan(mu)", "degrees", tilting_ramp},
    Law{"tipping_on_ramp", "A slender block on a ramp that tilts falls over its edge", "degrees", tipping_on_ramp},
    Law{"prism_on_ramp", "A prism on a ramp that tilts falls over a side of its face, however many there are",
        "degrees, or sizes", prism_on_ramp},
    Law{"turntable", "A box on a turntable slips when the centripetal force exceeds friction", "rad/s", turntable},
    Law{"turntable_drift", "Below that speed it stays where it is for a hundred turns", "mm a metre", turntable_drift},
    Law{"accelerating_platform", "A block on a platform slides when it accelerates by mu of what presses", "mu g",
        accelerating_platform},
    Law{"conveyor", "A belt carries what lies on it, up to its own speed and with no more than mu g", "of theory",
        conveyor},
    Law{"braking", "A sliding box stops after v^2 / (2 mu g)", "of it", braking},
    Law{"rolling", "A ball rolls down a slope below tan = 7/2 mu and slips above", "of its speed", rolling},
    Law{"backspin", "Sliding friction turns spin into speed until the ball rolls", "of its speed", backspin},
    Law{"overhang", "A box that slides off a table tips when its centre is beyond the edge", "half lengths", overhang},
};

}  // namespace

std::span<const Law> friction_laws() { return kLaws; }

}  // namespace proxima::samples
