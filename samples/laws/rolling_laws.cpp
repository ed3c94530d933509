// SPDX-License-Identifier: MIT
// Round bodies that roll or slip, faces that spin, and floors of several pieces.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "samples/laws/law_world.h"

namespace proxima::samples {

using namespace physics;

namespace {

Quat about_z(double angle) { return glm::angleAxis(float(angle), Vec3(0.0f, 0.0f, 1.0f)); }

/// Slip speed of the point that touches over g sin(slope) t, after a second: 1 - (1 + 1 / k) mu / tan(slope) where that
/// is positive, k = I / (m r^2). A box does not turn: its k is infinite.
void rolling_threshold(LawTries& tries) {
    enum { ball, capsule, box };
    constexpr std::array<const char*, 3> kNames = {"ball", "lying capsule", "box"};
    for (int k = 0; k < 12; ++k) {
        const int what = k % 3;
        const float r = k < 3 ? 0.5f : tries.draw_log(0.01f, 20.0f), degrees = tries.draw(8.0f, 35.0f),
                    mass = k < 6 ? 0.0f : tries.draw_log(0.1f, 1000.0f);
        const float core = r * tries.draw(0.3f, 2.0f);
        const double angle = double(degrees) / kRadian, h = double(core / r);
        // A capsule is a cylinder, 1/2, and a ball, 2/5, in parts of their volumes.
        const double inertia = what == ball ? 0.4 : (2.0 * h * 0.5 + 4.0 / 3.0 * 0.4) / (2.0 * h + 4.0 / 3.0);
        const double lever = what == box ? 1.0 : 1.0 + 1.0 / inertia;
        for (const double share : {0.97, 1.1}) {
            const float mu = float(std::tan(angle) / (share * lever));
            LawWorld w(tries.options());
            w.set_dt(step_for(tries.options(), r));
            const Quat tilt = about_z(-angle);
            const Vec3 along = tilt * Vec3(1.0f, 0.0f, 0.0f), normal = tilt * Vec3(0.0f, 1.0f, 0.0f);
            w.ground({.rotation = tilt, .friction = mu});
            LawBody body{.position = r * normal, .rotation = tilt, .friction = mu, .mass = mass};
            if (what == capsule) body.rotation = tilt * glm::angleAxis(1.5707964f, Vec3(1.0f, 0.0f, 0.0f));
            if (what == box) body.position = 0.3f * r * normal;
            const Entity rolls = what == ball      ? w.sphere(r, body)
                                 : what == capsule ? w.capsule(r, core, body)
                                                   : w.box({r, 0.3f * r, r}, body);
            w.run(std::sqrt(r / 0.5f));
            const double turning = what == box ? 0.0 : double(w.spin(rolls).z) * double(r),
                         slip = double(glm::dot(w.velocity(rolls), along)) + turning;
            tries.add(fmt::format("{} r {:.3g} m, {:.0f} deg, mu {:.2f}, {:.2f} of the limit", kNames[size_t(what)], r,
                                  degrees, mu, share),
                      std::max(0.0, 1.0 - 1.0 / share), slip / (double(kG) * std::sin(angle) * double(w.time())),
                      0.005);
        }
    }
}

/// Time over a w / (mu g) in which friction stops the spin of a box that lies on a square side of 2 a. Which share of
/// the weight each part of that side bears is not known to a theory of rigid bodies: all of it at the corners makes
/// sqrt(2) / 3, and the same everywhere 2 / (sqrt(2) + asinh(1)).
void spinning_box(LawTries& tries) {
    const double quickest = std::sqrt(2.0) / 3.0, slowest = 2.0 / (std::sqrt(2.0) + std::asinh(1.0));
    for (int k = 0; k < 8; ++k) {
        const float a = k < 2 ? 0.5f : tries.draw_log(0.01f, 20.0f), mu = tries.draw(0.1f, 0.8f),
                    spin = tries.draw(2.0f, 8.0f) / std::sqrt(a), mass = k < 4 ? 0.0f : tries.draw_log(0.1f, 1000.0f);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), a));
        w.ground({.friction = mu});
        const Entity box =
            w.box({a, 0.3f * a, a},
                  {.position = {0.0f, 0.3f * a, 0.0f}, .spin = {0.0f, spin, 0.0f}, .friction = mu, .mass = mass});
        const double unit = double(a) * double(spin) / (double(mu) * double(kG));
        double stopped = 9.0, before = double(spin);
        while (double(w.time()) < 3.0 * unit) {
            w.step();
            const double now = double(w.spin(box).y);
            // The rest of a steady slowdown, where it ends within a step.
            if (now < 0.01 * double(spin)) {
                stopped =
                    (double(w.time()) - double(w.dt()) + double(w.dt()) * std::min(1.0, before / (before - now))) /
                    unit;
                break;
            }
            before = now;
        }
        tries.add(fmt::format("{:.3g} m, mu {:.2f}, {:.1f} rad/s", 2.0f * a, mu, spin), 0.5 * (quickest + slowest),
                  stopped, 0.5 * (slowest - quickest) + 0.02 * quickest);
    }
}

/// Slowest speed over that of the start, and hop in sizes, of what goes over a floor of flush boxes.
void seams(LawTries& tries) {
    for (int k = 0; k < 6; ++k) {
        const bool ball = k % 2 == 1;
        const float size = k < 2 ? 1.0f : tries.draw_log(0.02f, 20.0f),
                    speed = (k == 0   ? 3.0f
                             : k == 1 ? 5.0f
                                      : tries.draw(2.0f, 6.0f)) *
                            std::sqrt(size),
                    tile = size * (k < 2 ? 2.0f : tries.draw(0.7f, 3.0f)), mu = ball ? 0.5f : 0.0f;
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        const int tiles = int(20.0f * size / tile) + 2;
        for (int i = 0; i < tiles; ++i)
            w.box({0.5f * tile, 0.5f * size, 3.0f * size},
                  {.type = BodyType::fixed, .position = {tile * float(i), -0.5f * size, 0.0f}, .friction = mu});
        const float half = 0.5f * size;
        LawBody body{.position = {0.0f, half, 0.1f * size}, .velocity = {speed, 0.0f, 0.0f}, .friction = mu};
        if (ball) body.spin = {0.0f, 0.0f, -speed / half};
        const Entity goes = ball ? w.sphere(half, body) : w.box(Vec3(half), body);
        double slowest = 1.0, hop = 0.0;
        const float way = tile * float(tiles - 2);
        while (w.time() < way / speed) {
            w.step();
            slowest = std::min(slowest, double(w.velocity(goes).x) / double(speed));
            hop = std::max(hop, double(w.position(goes).y - half) / double(size));
        }
        const std::string name =
            fmt::format("{} of {:.3g} m, boxes of {:.3g} m, {:.2g} m/s", ball ? "ball" : "cube", size, tile, speed);
        // Sag makes no more than a hundredth of a size.
        tries.add(name + ", slowest", 1.0, slowest, 0.01);
        tries.add(name + ", hop", 0.0, hop, 0.01);
    }
}

/// A row of boxes along x, flush above y = 0, of lengths between half and twice `tile`; `layers`: one on the other.
std::vector<LawWorld::Piece> make_row(LawTries& tries, float tile, float length, float thick, float half_width,
                                      int layers) {
    std::vector<LawWorld::Piece> pieces;
    for (int layer = 0; layer < layers; ++layer)
        for (float begin = -tile; begin < length;) {
            const float half = 0.5f * tile * tries.draw_log(0.5f, 2.0f);
            pieces.push_back({{begin + half, -thick * (float(layer) + 0.5f), 0.0f}, {half, 0.5f * thick, half_width}});
            begin += 2.0f * half;
        }
    return pieces;
}

/// The same as in seams, for floors of all kinds, and for walls that gravity presses against: seen from a wall, it has
/// a part across it and one along the ground.
void tilings(LawTries& tries) {
    enum Mover { cube, ball, capsule_across, capsule_along, hull, kMovers };
    constexpr std::array<const char*, kMovers> kNames = {"cube", "ball", "rolling capsule", "sliding capsule", "hull"};
    enum Floor { uneven, one_body, kinematic, two_layers, wall, kFloors };
    constexpr std::array<const char*, kFloors> kFloorNames = {"boxes of many lengths", "one fixed body",
                                                              "one kinematic body", "two layers", "a wall"};
    for (int k = 0; k < int(kMovers) * int(kFloors); ++k) {
        const int what = k % kMovers, floor = k / kMovers;
        const bool rolls = (what == ball || what == capsule_across) && floor != wall;
        const float size = k < 4 ? 1.0f : tries.draw_log(0.02f, 20.0f), half = 0.5f * size,
                    speed = tries.draw(2.0f, 6.0f) * std::sqrt(size), tile = size * tries.draw(0.5f, 2.5f),
                    mu = rolls ? 0.5f : 0.0f, way = 16.0f * size;
        // Walls stand to the left of what goes along x: turned about x, the floor of the same pieces is one.
        const Quat turned = floor == wall ? glm::angleAxis(1.5707964f, Vec3(1.0f, 0.0f, 0.0f)) : Quat(1, 0, 0, 0);
        const Vec3 up = turned * Vec3(0.0f, 1.0f, 0.0f);
        LawWorld w(tries.options(), floor == wall ? kG * (-0.5f * up - Vec3(0.0f, 1.0f, 0.0f)) : -kG * up);
        w.set_dt(step_for(tries.options(), size));
        if (floor == wall) w.ground({.position = {0.0f, -half, 0.0f}, .friction = mu});
        const std::vector<LawWorld::Piece> pieces =
            make_row(tries, tile, way + 3.0f * size, floor == two_layers ? 0.3f * size : size, 3.0f * size,
                     floor == two_layers ? 2 : 1);
        // For what rolls, a platform that moves from the first step on would be one that accelerates then.
        const float drift = floor == kinematic && !rolls ? -0.2f * speed : 0.0f;
        if (floor == one_body || floor == kinematic) {
            const bool fixed = floor == one_body;
            w.boxes(pieces, {.type = fixed ? BodyType::fixed : BodyType::kinematic,
                             .velocity = {drift, 0.0f, 0.0f},
                             .friction = mu});
        } else {
            for (const LawWorld::Piece& piece : pieces)
                w.box(
                    piece.half_extents,
                    {.type = BodyType::fixed, .position = turned * piece.position, .rotation = turned, .friction = mu});
        }
        LawBody body{.position = half * up, .velocity = {speed, 0.0f, 0.0f}, .friction = mu};
        if (floor != wall) body.position += Vec3(0.0f, 0.0f, 0.1f * size);
        if (rolls) body.spin = {0.0f, 0.0f, -speed / half};
        if (what == capsule_across || what == capsule_along)
            body.rotation =
                glm::angleAxis(1.5707964f, what == capsule_along ? Vec3(0.0f, 0.0f, 1.0f) : Vec3(1.0f, 0.0f, 0.0f));
        if (floor == wall && what == capsule_across) {  // it stands
            body.rotation = Quat(1, 0, 0, 0);
            body.position.y += half;
        }
        std::vector<Vec3> points;  // a coin of twelve sides that lies on its face
        for (int i = 0; what == hull && i < 24; ++i) {
            const float angle = 6.2831853f / 12.0f * (float(i / 2) + 0.5f), r = half / std::cos(6.2831853f / 24.0f);
            points.push_back({r * std::cos(angle), i % 2 ? half : -half, r * std::sin(angle)});
        }
        const Entity goes = what == cube   ? w.box(Vec3(half), body)
                            : what == ball ? w.sphere(half, body)
                            : what == hull ? w.hull(points, body)
                                           : w.capsule(half, half, body);
        const Vec3 start = w.position(goes);
        double slowest = 1.0, hop = 0.0;
        while (w.time() < way / speed) {
            w.step();
            slowest = std::min(slowest, double(w.velocity(goes).x) / double(speed));
            hop = std::max(hop, double(glm::dot(w.position(goes) - start, up)) / double(size));
        }
        const std::string name = fmt::format("{} of {:.3g} m on {}, about {:.3g} m, {:.2g} m/s", kNames[size_t(what)],
                                             size, kFloorNames[size_t(floor)], tile, speed);
        tries.add(name + ", slowest", 1.0, slowest, 0.01);
        tries.add(name + ", hop", 0.0, hop, 0.01);
    }
}

/// Of its energy, what a disc that rolls on its edge and settles has more than at its least before.
void eulers_disk(LawTries& tries) {
    for (int k = 0; k < 4; ++k) {
        const float r = k == 0 ? 0.5f : tries.draw_log(0.02f, 10.0f), thick = 0.05f * r,
                    degrees = k == 0 ? 30.0f : tries.draw(15.0f, 45.0f), mu = tries.draw(0.3f, 1.0f);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), r));
        w.ground({.friction = mu});
        std::vector<Vec3> points;
        for (int i = 0; i < 48; ++i)
            for (const float y : {-thick, thick}) {
                const float a = 6.2831853f / 48.0f * float(i);
                points.push_back({r * std::cos(a), y, r * std::sin(a)});
            }
        // It touches at the +x end of its lower face. Its centre stands still when it turns about the line from there
        // to its centre, by w = sqrt(4 g sin(a) / r) (Moffatt 2000).
        const double a = double(degrees) / kRadian;
        const Quat tilt = about_z(-a);
        const float high = r * float(std::sin(a)) + thick * float(std::cos(a));
        const Vec3 line = tilt * Vec3(-1.0f, 0.0f, 0.0f);
        w.hull(points, {.position = {0.0f, high, 0.0f},
                        .rotation = tilt,
                        .spin = float(std::sqrt(4.0 * double(kG) * std::sin(a) / double(r))) * line,
                        .friction = mu});
        const double start = w.energy();
        double least = start, gain = 0.0;
        const int steps = int(12.0f * std::sqrt(r) / w.dt());
        for (int i = 0; i < steps; ++i) {
            w.step();
            const double now = w.energy();
            gain = std::max(gain, now - least);
            least = std::min(least, now);
        }
        tries.add(fmt::format("r {:.3g} m, {:.0f} deg, mu {:.2f}", r, degrees, mu), 0.0, gain / start, 1e-3);
    }
}

constexpr std::array kLaws = {
    Law{"rolling_threshold", "A round body on a slope rolls below tan = (1 + 1 / k) mu and slips above",
        "g sin(slope) t", rolling_threshold},
    Law{"spinning_box", "Friction stops the spin of a box in a time between two models of its pressure", "a w / (mu g)",
        spinning_box},
    Law{"seams", "What goes over a floor of flush boxes keeps its speed and does not hop", "of its speed, or sizes",
        seams},
    Law{"tilings", "What goes over floors and along walls of flush pieces keeps its speed and does not hop",
        "of its speed, or sizes", tilings},
    Law{"eulers_disk", "A disc that rolls on its edge and settles never gains energy", "of its energy", eulers_disk},
};

}  // namespace

std::span<const Law> rolling_laws() { return kLaws; }

}  // namespace proxima::samples
