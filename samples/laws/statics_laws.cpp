// SPDX-License-Identifier: MIT
// Bodies that lean on each other: limits of friction and of shape, below which they stand and above which they go.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "samples/laws/law_world.h"

namespace proxima::samples {

using namespace physics;

namespace {

// ---- ladder

/// A rod between a floor and a wall, as theory has it: half length l of its core, radius r, both rubbing.
///   m x'' = m1 N1 - N2,  m y'' = N1 + m2 N2 - m g,
///   I a'' = N1 l ((s + q) m1 - c) + N2 l ((c + q) m2 + s),   q = r / l, c and s of the angle a to the floor,
/// and x = -l c, y = l s: three equations for a'', N1 and N2.
struct Ladder {
    double floor_friction, wall_friction, half, radius;

    /// a'' at an angle and a rate of it, in a slide down.
    double acceleration(double angle, double rate) const {
        const double c = std::cos(angle), s = std::sin(angle), q = radius / half, g = double(kG);
        // Solid rod with round ends, about the middle across its axis, over its mass.
        const double cylinder = 2.0 * half * radius * radius, ball = 4.0 / 3.0 * radius * radius * radius,
                     all = cylinder + ball;
        const double inertia = (cylinder * (radius * radius / 4.0 + half * half / 3.0) +
                                ball * (0.4 * radius * radius + half * half + 0.75 * radius * half)) /
                               all;
        // N1 and N2 over the mass, for a'' = 0 and for its unit.
        const auto normals = [&](double a2, double* n) {
            const double x2 = half * (s * a2 + c * rate * rate), y2 = half * (c * a2 - s * rate * rate);
            n[0] = (y2 + g + wall_friction * x2) / (1.0 + floor_friction * wall_friction);
            n[1] = floor_friction * n[0] - x2;
        };
        const auto moment = [&](double a2) {
            double n[2];
            normals(a2, n);
            return n[0] * half * ((s + q) * floor_friction - c) + n[1] * half * ((c + q) * wall_friction + s) -
                   inertia * a2;
        };
        const double none = moment(0.0), one = moment(1.0);
        return none / (none - one);
    }
    /// The angle below which it slides.
    double limit() const {
        double low = 0.05, high = 1.5;
        for (int i = 0; i < 60; ++i) {
            const double middle = 0.5 * (low + high);
            (acceleration(middle, 0.0) < 0.0 ? low : high) = middle;
        }
        return low;
    }
};

/// Seconds over theory in which a ladder slides by three degrees from two below its limit, and degrees it goes from one
/// above.
void ladder(LawTries& tries) {
    for (int k = 0; k < 8; ++k) {
        const float size = k < 2 ? 1.0f : tries.draw_log(0.02f, 50.0f);
        const float floor_mu = k == 0 ? 0.4f : tries.draw(0.2f, 0.7f), wall_mu = k == 0 ? 0.3f : tries.draw(0.1f, 0.7f);
        const float half = 0.5f * size, radius = 0.03f * size, mass = k % 2 ? 0.0f : tries.draw_log(0.1f, 1000.0f);
        const Ladder theory{double(floor_mu), double(wall_mu), double(half), double(radius)};
        for (const double off : {1.0, -2.0}) {
            const double angle = theory.limit() + off / kRadian;
            LawWorld w(tries.options());
            w.set_dt(step_for(tries.options(), size));
            w.ground({.friction = floor_mu * floor_mu});
            w.ground({.position = {radius + half * float(std::cos(angle)), 0.0f, 0.0f},
                      .rotation = glm::angleAxis(1.5707964f, Vec3(0.0f, 0.0f, 1.0f)),
                      .friction = wall_mu * wall_mu});
            const Entity rod = w.capsule(radius, half,
                                         {.position = {0.0f, radius + half * float(std::sin(angle)), 0.0f},
                                          .rotation = glm::angleAxis(float(angle) - 1.5707964f, Vec3(0.0f, 0.0f, 1.0f)),
                                          .friction = 1.0f,
                                          .mass = mass});
            const auto now = [&] {
                const Vec3 axis = w.rotation(rod) * Vec3(0.0f, 1.0f, 0.0f);
                return std::atan2(double(axis.y), double(axis.x));
            };
            const std::string name = fmt::format("{:.3g} m, floor {:.2f}, wall {:.2f}", size, floor_mu, wall_mu);
            if (off > 0.0) {
                w.run(3.0f * std::sqrt(size));
                tries.add(name + ", degrees gone", 0.0, std::abs(angle - now()) * kRadian, 0.1);
                continue;
            }
            const double goal = angle - 3.0 / kRadian;
            double expected = 0.0, a = angle, rate = 0.0;
            for (const double h = 1e-5 * std::sqrt(double(size)); a > goal; expected += h) {
                rate += h * theory.acceleration(a, rate);
                a += h * rate;
            }
            double measured = 0.0, before = angle;
            while (measured == 0.0 && w.time() < 5.0f * float(expected)) {
                w.step();
                const double at = now();
                if (at <= goal)
                    measured = double(w.time()) - double(w.dt()) * (goal - at) / std::max(before - at, 1e-9);
                before = at;
            }
            // A step more or less at the start, and a hundredth of friction, which is a third of a degree here.
            tries.add(name + ", time to slide", 1.0, measured / expected, 0.03 + double(w.dt()) / expected);
        }
    }
}

// ---- wedge

/// How far a wedge goes that a block slides down on, over g t^2 / 2.
void wedge(LawTries& tries) {
    for (int k = 0; k < 8; ++k) {
        const float size = k < 2 ? 1.0f : tries.draw_log(0.02f, 50.0f),
                    degrees = k == 0 ? 35.0f : tries.draw(25.0f, 45.0f);
        const double alpha = double(degrees) / kRadian, c = std::cos(alpha), s = std::sin(alpha), g = double(kG);
        const float own_mu = k == 0 ? 0.2f : tries.draw(0.0f, 0.4f), ratio = k == 0 ? 2.0f : tries.draw_log(0.5f, 5.0f);
        const double mu = double(own_mu), m = double(ratio);  // of block on wedge; block over wedge
        const double limit = m * c * (s - mu * c) / (1.0 + m * c * (c + mu * s));
        for (const double share : {1.1, 0.8}) {
            const float floor_mu = float(share * limit);
            // The block presses with N = m (g c - A s) when the wedge gives way with A.
            const double push = s - mu * c - double(floor_mu) * (c + mu * s);
            const double expected = std::max(0.0, (m * c * push - double(floor_mu)) / (1.0 + m * s * push));
            LawWorld w(tries.options());
            w.set_dt(step_for(tries.options(), size));
            w.ground({.friction = floor_mu * floor_mu});
            const float high = size * float(std::tan(alpha)), deep = 0.4f * size, kg = 500.0f * size * size * size;
            std::vector<Vec3> points;
            // A long back keeps it from tipping over.
            for (const float z : {-deep, deep})
                for (const Vec3& corner : {Vec3(-2.0f * size, 0.0f, z), Vec3(size, 0.0f, z), Vec3(0.0f, high, z),
                                           Vec3(-2.0f * size, high, z)})
                    points.push_back(corner);
            const Entity body = w.hull(points, {.friction = 1.0f, .mass = kg});
            const Vec3 down(float(c), -float(s), 0.0f), up(float(s), float(c), 0.0f);
            const float thick = 0.03f * size;
            w.box({0.15f * size, thick, 0.2f * size},
                  {.position = Vec3(0.0f, high, 0.0f) + 0.3f * size * down + thick * up,
                   .rotation = glm::angleAxis(-float(alpha), Vec3(0.0f, 0.0f, 1.0f)),
                   .friction = own_mu * own_mu,
                   .mass = kg * ratio});
            const Vec3 start = w.position(body);
            // Until the block has slid by a third of the size.
            w.run(float(std::sqrt(2.0 * 0.3 * double(size) / (g * (s - mu * c)))) * (k % 2 ? 0.7f : 0.9f));
            const double t = double(w.time());
            tries.add(fmt::format("{:.3g} m, {:.0f} deg, masses {:.2g} : 1, {:.1f} of the limit", size, degrees, ratio,
                                  share),
                      expected, double(start.x - w.position(body).x) / (0.5 * g * t * t), 0.002 + 0.03 * expected);
        }
    }
}

// ---- three cylinders

/// Of its radius, how far a cylinder sinks that lies on two. Friction between them must be tan 15 degrees, that of the
/// floor a third of it.
void three_cylinders(LawTries& tries) {
    const double limit = std::tan(15.0 / kRadian);
    for (int k = 0; k < 4; ++k) {
        const float r = k == 0 ? 0.5f : tries.draw_log(0.01f, 20.0f),
                    mass = k < 2 ? 0.0f : tries.draw_log(0.1f, 1000.0f);
        for (const bool at_floor : {false, true})
            for (const double share : {1.1, 0.9}) {
                const float own = float(at_floor ? 0.6 : share * limit),
                            ground = float(at_floor ? share * limit / 3.0 : 0.3);
                LawWorld w(tries.options());
                w.set_dt(step_for(tries.options(), r));
                w.ground({.friction = ground * ground / own});
                const Quat lying = glm::angleAxis(1.5707964f, Vec3(1.0f, 0.0f, 0.0f));
                Entity top{};
                for (int i = 0; i < 3; ++i)
                    top = w.capsule(r, 2.0f * r,
                                    {.position = i < 2 ? r * Vec3(2.0f * float(i) - 1.0f, 1.0f, 0.0f)
                                                       : r * Vec3(0.0f, 1.0f + std::sqrt(3.0f), 0.0f),
                                     .rotation = lying,
                                     .friction = own,
                                     .mass = mass});
                const float start = w.position(top).y;
                w.run(8.0f * std::sqrt(r));
                const double sunk = double(start - w.position(top).y) / double(r);
                const std::string name = fmt::format("r {:.3g} m, {:.1f} of the limit {}", r, share,
                                                     at_floor ? "at the floor" : "between them");
                // It lies on the floor when it has fallen between the others. Contacts give way before they bear.
                tries.add(name, share > 1.0 ? 0.0 : std::sqrt(3.0), sunk, share > 1.0 ? 0.03 : 0.1);
            }
    }
}

// ---- arch

/// Least thickness over mean radius of a semicircle of stones that stands: some line of thrust lies inside all of its
/// joints (Couplet 1730, Heyman 1969: 0.1075 for many stones; Milankovitch 1907). Joints do not slide.
double arch_limit(int stones) {
    const double wide = 3.141592653589793 / double(stones);
    const auto stands = [&](double t) {
        // Of one half: the thrust at the crown is H at a height such that H height = q; joints are linear in q.
        for (int i = 1; i < 800; ++i) {
            const double thrust = 2e-3 * double(i);  // of the weight of a half
            double low = -1e30, high = 1e30, weight = 0.0, moment = 0.0;
            const double total = 0.5 * double(stones);
            double angle = stones % 2 ? -0.5 * wide : 0.0;
            for (; angle < 1.5707; angle += wide) {
                const double from = std::max(angle, 0.0), to = angle + wide, share = (to - from) / wide / total;
                // A stone has straight sides: its centre is that of a trapezium.
                const double middle = 0.5 * (from + to), half = 0.5 * (to - from), inner = 1.0 - 0.5 * t,
                             outer = 1.0 + 0.5 * t;
                const double radius =
                    2.0 / 3.0 * std::cos(half) * (outer * outer + outer * inner + inner * inner) / (outer + inner);
                weight += share;
                moment += share * radius * std::sin(middle);
                const double x = std::sin(to), y = std::cos(to), normal = thrust * y + weight * x;
                // |thrust y - q + weight x - moment| <= normal t / 2
                const double at = thrust * y + weight * x - moment;
                low = std::max(low, at - 0.5 * normal * t);
                high = std::min(high, at + 0.5 * normal * t);
            }
            // Where the crown is a joint, thrust is inside it too.
            const double edge = 0.5 * t * thrust;
            if (stones % 2 == 0) low = std::max(low, thrust - edge), high = std::min(high, thrust + edge);
            if (low <= high) return true;
        }
        return false;
    };
    double low = 0.02, high = 0.3;
    for (int i = 0; i < 30; ++i) {
        const double middle = 0.5 * (low + high);
        (stands(middle) ? high : low) = middle;
    }
    return high;
}

/// Of its radius, how far the crown of a semicircular arch of stones sinks.
void arch(LawTries& tries) {
    for (int k = 0; k < 4; ++k) {
        const int stones = k == 0 ? 16 : k == 1 ? 25 : int(tries.draw(11.0f, 30.0f));
        const float radius = k < 2 ? 2.0f : tries.draw_log(0.1f, 50.0f);
        const double limit = arch_limit(stones);
        // A ninth above and a sixth below: 0.12 and 0.09 where the limit is 0.1075.
        for (const double share : {0.12 / 0.1075, 0.09 / 0.1075}) {
            const float t = float(share * limit), wide = 3.14159265f / float(stones);
            LawWorld w(tries.options());
            w.set_dt(step_for(tries.options(), t * radius));
            w.ground({.friction = 1.0f});
            std::vector<Entity> line;
            for (int i = 0; i < stones; ++i) {
                const float middle = wide * (float(i) + 0.5f);
                const Vec3 at = radius * Vec3(-std::cos(middle), std::sin(middle), 0.0f);
                std::vector<Vec3> points;
                for (const float end : {middle - 0.5f * wide, middle + 0.5f * wide})
                    for (const float r : {1.0f - 0.5f * t, 1.0f + 0.5f * t})
                        for (const float z : {-0.1f, 0.1f})
                            points.push_back(radius * Vec3(-r * std::cos(end), r * std::sin(end), z) - at);
                line.push_back(w.hull(points, {.position = at, .friction = 1.0f}));
            }
            const Entity crown = line[size_t(stones) / 2];
            const float start = w.position(crown).y;
            w.run(6.0f * std::sqrt(radius));
            const double sunk = std::clamp(double(start - w.position(crown).y) / double(radius), -1.0, 1.0);
            // What has fallen lies on the floor, somewhere in the lowest third.
            tries.add(fmt::format("{} stones, R {:.2g} m, t / R {:.4f}, limit {:.4f}", stones, radius, t, limit),
                      share > 1.0 ? 0.0 : 0.85, sunk, share > 1.0 ? 0.02 : 0.2);
        }
    }
}

constexpr std::array kLaws = {
    Law{"ladder", "A ladder slides below the angle that friction of floor and wall allow", "of its time, or degrees",
        ladder},
    Law{"wedge", "A wedge gives way to a block that slides down on it when the floor cannot hold it", "g t^2 / 2",
        wedge},
    Law{"three_cylinders", "A cylinder lies on two others while friction is above tan 15 degrees, a third at the floor",
        "radii sunk", three_cylinders},
    Law{"arch", "A semicircle of stones stands when a line of thrust lies inside it, and falls when none does",
        "radii sunk", arch},
};

}  // namespace

std::span<const Law> statics_laws() { return kLaws; }

}  // namespace proxima::samples
