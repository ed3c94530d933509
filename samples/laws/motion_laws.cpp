// SPDX-License-Identifier: MIT
// Free motion, momentum, and rigid bodies that turn.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "samples/laws/law_world.h"

namespace proxima::samples {

using namespace physics;

namespace {

/// Height lost in a fall over g t^2 / 2.
void free_fall(LawTries& tries) {
    for (int k = 0; k < 6; ++k) {
        const float v = k == 0 ? 0.0f : tries.draw(-10.0f, 10.0f), time = tries.draw(0.3f, 2.0f);
        LawWorld w(tries.options());
        const Entity ball = w.sphere(0.5f, {.velocity = {1.0f, v, 0.0f}});
        w.run(time);
        const double t = double(w.time());
        tries.add(fmt::format("{:.2g} m/s, {:.2f} s", v, t), 0.0,
                  double(w.position(ball).y) - (double(v) * t - 0.5 * double(kG) * t * t), 2e-4 * t);
    }
}

/// Change of the angular momentum of a cloud of bodies that collide, over the sum of its parts. The later ones have
/// densities of 1 : 100.
void cloud(LawTries& tries) {
    for (int k = 0; k < 6; ++k) {
        const float size = k < 2 ? 1.0f : tries.draw_log(0.05f, 10.0f), e = k == 0 ? 0.0f : tries.draw(0.0f, 0.9f),
                    mu = tries.draw(0.2f, 0.8f);
        LawWorld w(tries.options(), Vec3(0.0f));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        double parts = 0.0;
        for (int i = 0; i < 216; ++i) {
            const Vec3 at = 2.0f * size * (Vec3(float(i % 6), float(i / 6 % 6), float(i / 36)) - Vec3(2.5f));
            LawBody body{.position = at, .friction = mu, .restitution = e};
            const Vec3 noise(tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f));
            body.velocity = -1.0f * at / std::sqrt(size) + 1.5f * std::sqrt(size) * noise +
                            glm::cross(Vec3(0.0f, 0.3f / std::sqrt(size), 0.0f), at);
            body.spin =
                Vec3(tries.draw(-3.0f, 3.0f), tries.draw(-3.0f, 3.0f), tries.draw(-3.0f, 3.0f)) / std::sqrt(size);
            if (k > 3) body.mass = 400.0f * size * size * size * tries.draw_log(0.1f, 10.0f);
            if (i % 3 == 0)
                w.sphere(0.5f * size, body);
            else
                w.box(size * Vec3(0.3f, 0.4f + 0.1f * float(i % 2), 0.5f), body);
            parts += double(glm::length(at) * glm::length(body.velocity)) * 600.0 * std::pow(double(size), 3.0);
        }
        const Vec3 start = w.angular_momentum(), pushed = w.momentum();
        w.run(4.0f * std::sqrt(size));
        const Vec3 lost = w.angular_momentum() - start;
        const char* apart = k > 3 ? ", densities 1 : 100" : "";
        tries.add(fmt::format("{:.3g} m, e {:.1f}, mu {:.1f}{}, angular", size, e, mu, apart), 0.0,
                  double(glm::length(lost)) / double(glm::length(start)), 5e-4);
        tries.add(fmt::format("{:.3g} m, e {:.1f}, mu {:.1f}{}, linear", size, e, mu, apart), 0.0,
                  double(glm::length(w.momentum() - pushed)) / (parts / double(size)), 1e-5);
    }
}

/// Change of the energy of a box that spins freely for ten seconds, the fastest by two radians a step, over it, and of its
/// angular momentum.
void free_spin(LawTries& tries) {
    for (int k = 0; k < 12; ++k) {
        const float size = k < 2 ? 0.2f : tries.draw_log(0.01f, 5.0f), rate = tries.draw_log(0.05f, 2.0f);
        LawWorld w(tries.options(), Vec3(0.0f));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        const Vec3 half = size * Vec3(tries.draw_log(0.03f, 1.0f), tries.draw_log(0.03f, 1.0f), 0.5f);
        Vec3 spin(tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f));
        spin *= rate / (w.dt() * glm::length(spin));
        w.box(half, {.spin = spin});
        const double start = w.energy();
        const Vec3 momentum = w.angular_momentum();
        w.run(600.0f * w.dt());
        const std::string what = fmt::format("{:.2g} x {:.2g} x {:.2g} m, {:.2g} rad a step", 2.0f * half.x,
                                             2.0f * half.y, 2.0f * half.z, rate);
        tries.add(what + ", energy", 0.0, w.energy() / start - 1.0, 2e-3);
        tries.add(what + ", momentum", 0.0,
                  double(glm::length(w.angular_momentum() - momentum) / glm::length(momentum)), 1e-3);
    }
}

/// Time between two flips of a body that spins about its middle axis, over theory.
void middle_axis(LawTries& tries) {
    for (int k = 0; k < 4; ++k) {
        const float size = tries.draw_log(0.1f, 10.0f), spin = tries.draw(4.0f, 12.0f);
        const Vec3 half = size * Vec3(0.5f, 0.3f, 0.1f);  // moments grow from x to z; y is the middle one
        LawWorld w(tries.options(), Vec3(0.0f));
        const double nudge = 0.01;
        const Entity box = w.box(half, {.spin = {float(nudge) * spin, spin, 0.0f}});
        const double i1 = double(half.y) * half.y + double(half.z) * half.z,
                     i2 = double(half.x) * half.x + double(half.z) * half.z,
                     i3 = double(half.x) * half.x + double(half.y) * half.y;
        // Euler's equations, integrated finely.
        double a = nudge * double(spin), b = double(spin), c = 0.0, t = 0.0, first = 0.0, expected = 0.0;
        const double h = 1e-5;
        for (double before = b; t < 60.0; t += h, before = b) {
            const auto rate = [&](double x, double y, double z, double* out) {
                out[0] = (i2 - i3) / i1 * y * z;
                out[1] = (i3 - i1) / i2 * z * x;
                out[2] = (i1 - i2) / i3 * x * y;
            };
            double d[3], m[3];
            rate(a, b, c, d);
            rate(a + 0.5 * h * d[0], b + 0.5 * h * d[1], c + 0.5 * h * d[2], m);
            a += h * m[0], b += h * m[1], c += h * m[2];
            if (before * b >= 0.0) continue;
            if (first > 0.0) {
                expected = t - first;
                break;
            }
            first = t;
        }
        double before = double(spin), seen = 0.0, measured = 0.0;
        for (int i = 0; i < 6000; ++i) {
            w.step();
            const Vec3 local = glm::conjugate(w.rotation(box)) * w.spin(box);
            if (before * double(local.y) < 0.0) {
                const double at = double(w.time());
                if (seen > 0.0) {
                    measured = at - seen;
                    break;
                }
                seen = at;
            }
            before = double(local.y);
        }
        tries.add(fmt::format("{:.2g} m, {:.1f} rad/s", size, spin), 1.0, measured / expected,
                  0.03 + double(w.dt()) / expected);
    }
}

/// Seconds until a block that leans a little beyond its edge has fallen to 45 degrees, over theory.
void falling_block(LawTries& tries) {
    for (int k = 0; k < 6; ++k) {
        const float size = k < 2 ? 1.0f : tries.draw_log(0.05f, 20.0f), slender = tries.draw(0.1f, 0.4f),
                    beyond = tries.draw(1.0f, 3.0f);
        LawWorld w(tries.options());
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        w.ground({.friction = 1.0f});
        const float half = 0.5f * size, radius = half * std::hypot(1.0f, slender);
        const double limit = std::atan(double(slender)), lean = limit + double(beyond) / kRadian;
        // It leans about the edge at the origin, towards +x.
        const Quat turn = glm::angleAxis(-float(lean), Vec3(0.0f, 0.0f, 1.0f));
        const Entity block =
            w.box({slender * half, half, 0.4f * size},
                  {.position = turn * Vec3(-slender * half, half, 0.0f), .rotation = turn, .friction = 1.0f});
        double p = double(beyond) / kRadian, speed = 0.0, expected = 0.0;
        const double h = 1e-5 * std::sqrt(double(size)), goal = 45.0 / kRadian - limit;
        while (p < goal) {
            speed += h * 0.75 * double(kG) / double(radius) * std::sin(p);
            p += h * speed;
            expected += h;
        }
        double measured = 0.0, before = lean;
        for (int i = 0; i < 20000; ++i) {
            w.step();
            const Quat q = w.rotation(block);
            const double now = 2.0 * double(std::abs(std::atan2(q.z, q.w)));
            if (now >= 45.0 / kRadian) {
                measured = double(w.time()) - double(w.dt()) * (now - 45.0 / kRadian) / std::max(now - before, 1e-9);
                break;
            }
            before = now;
        }
        tries.add(fmt::format("{:.3g} m, width / height {:.2f}, {:.1f} deg beyond", size, slender, beyond), 1.0,
                  measured / expected, 0.03);
    }
}

/// Seconds until a block that leans on an edge, less than it may, has come back onto its face, over theory. For slender
/// ones a quarter of Housner's period, arccosh(1 / (1 - lean / limit)) / p; here the pendulum itself is integrated.
void rocking_block(LawTries& tries) {
    for (int k = 0; k < 6; ++k) {
        const float size = k < 2 ? 1.0f : tries.draw_log(0.05f, 20.0f), slender = tries.draw(0.1f, 0.4f),
                    share = k == 0 ? 0.5f : tries.draw(0.2f, 0.9f), mass = k < 4 ? 0.0f : tries.draw_log(0.1f, 1000.0f);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        w.ground({.friction = 1.0f});
        const double half = 0.5 * double(size), limit = std::atan(double(slender)), lean = double(share) * limit,
                     radius = half * std::hypot(1.0, double(slender));
        // About the edge at the origin, towards +x.
        const Quat turn = glm::angleAxis(-float(lean), Vec3(0.0f, 0.0f, 1.0f));
        const Entity block = w.box({slender * float(half), float(half), 0.4f * size},
                                   {.position = turn * Vec3(-slender * float(half), float(half), 0.0f),
                                    .rotation = turn,
                                    .friction = 1.0f,
                                    .mass = mass});
        double p = lean, speed = 0.0, expected = 0.0;
        for (const double h = 1e-5 * std::sqrt(double(size)); p > 0.0; expected += h) {
            speed -= h * 0.75 * double(kG) / radius * std::sin(limit - p);
            p += h * speed;
        }
        const double goal = 0.02 * lean;  // soft contacts slow it down before the face is flat
        double measured = 0.0, before = lean;
        while (measured == 0.0 && double(w.time()) < 5.0 * expected) {
            w.step();
            const Quat q = w.rotation(block);
            const double now = -2.0 * std::atan2(double(q.z), double(q.w));
            if (now <= goal) measured = double(w.time()) + double(w.dt()) * now / std::max(before - now, 1e-9);
            before = now;
        }
        tries.add(fmt::format("{:.3g} m, width / height {:.2f}, {:.2f} of its limit", size, slender, share), 1.0,
                  measured / expected, 0.03);
    }
}

/// Change of the momentum of boxes that fall in a row and strike each other, less what gravity gives, over the sum of
/// what they have.
void falling_row(LawTries& tries) {
    for (int k = 0; k < 4; ++k) {
        const float size = k < 2 ? 1.0f : tries.draw_log(0.02f, 20.0f), e = k == 0 ? 0.0f : tries.draw(0.0f, 0.9f);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        double parts = 0.0, mass = 0.0;
        for (int i = 0; i < 8; ++i) {
            // The upper ones fall faster, a little beside each other and turned.
            const float kg = 1000.0f * size * size * size * tries.draw_log(0.1f, 10.0f);
            LawBody body{.position = size * Vec3(tries.draw(-0.2f, 0.2f), 1.6f * float(i), tries.draw(-0.2f, 0.2f)),
                         .velocity = std::sqrt(size) * Vec3(tries.draw(-0.3f, 0.3f), -1.5f * float(i), 0.0f),
                         .friction = 0.5f,
                         .restitution = e,
                         .mass = kg};
            body.rotation =
                glm::normalize(Quat(1.0f, tries.draw(-0.3f, 0.3f), tries.draw(-0.3f, 0.3f), tries.draw(-0.3f, 0.3f)));
            w.box(size * Vec3(0.5f, 0.3f, 0.5f), body);
            mass += double(kg);
            parts += double(kg) * double(glm::length(body.velocity));
        }
        const Vec3 start = w.momentum();
        w.run(2.0f * std::sqrt(size));
        const Vec3 given(0.0f, -float(mass * double(kG) * double(w.time())), 0.0f);
        // Speeds are rounded in each of a thousand sub-steps, by half of 1.2e-7 at most.
        tries.add(fmt::format("{:.3g} m, e {:.1f}", size, e), 0.0,
                  double(glm::length(w.momentum() - start - given)) / (parts + double(glm::length(given))), 6e-5);
    }
}

/// Rate of precession of a heavy top on a ball joint over m g l / (I w), tilted by 30 degrees.
void heavy_top(LawTries& tries) {
    for (int k = 0; k < 3; ++k) {
        const float spin = tries.draw(80.0f, 150.0f), radius = 0.3f, lever = 0.4f;
        LawWorld w(tries.options());
        const Entity stand = w.box(Vec3(0.02f), {.type = BodyType::fixed});
        const Quat tilt = glm::angleAxis(glm::radians(30.0f), Vec3(0.0f, 0.0f, 1.0f));
        const Vec3 axis = tilt * Vec3(0.0f, 1.0f, 0.0f);
        const Entity top =
            w.box({radius, 0.04f, radius}, {.position = lever * axis, .rotation = tilt, .spin = spin * axis});
        (void)w.world().create_joint(BallJoint{.body_a = stand, .body_b = top, .anchor_b = {0.0f, -lever, 0.0f}});
        const Mass mass = w.world().mass(top);
        const double i3 = double(mass.inertia.yy),
                     i1 = double(mass.inertia.xx) + double(mass.mass) * double(lever) * double(lever);
        // Slow steady precession: I1 cos W^2 - I3 w W + m g l = 0.
        const double cosine = std::cos(30.0 / kRadian), moment = double(mass.mass) * double(kG) * double(lever),
                     l3 = i3 * double(spin);
        const double aa = (i1 - i3) * cosine;
        const double expected =
            std::abs(aa) < 1e-12 ? moment / l3 : (l3 - std::sqrt(l3 * l3 - 4.0 * aa * moment)) / (2.0 * aa);
        double turned = 0.0, before = std::atan2(double(-w.position(top).z), double(w.position(top).x));
        const float time = 4.0f;
        const int steps = int(time / w.dt());
        for (int i = 0; i < steps; ++i) {
            w.step();
            const double now = std::atan2(double(-w.position(top).z), double(w.position(top).x));
            double d = now - before;
            if (d > 3.14159265) d -= 6.283185307;
            if (d < -3.14159265) d += 6.283185307;
            turned += d;
            before = now;
        }
        tries.add(fmt::format("{:.0f} rad/s", spin), 1.0, turned / double(w.time()) / expected, 0.03);
    }
}

constexpr std::array kLaws = {
    Law{"free_fall", "What falls falls by g t^2 / 2", "m too far", free_fall},
    Law{"cloud", "A cloud of bodies keeps its momentum through collisions and friction", "of it", cloud},
    Law{"free_spin", "What spins freely keeps its energy and its angular momentum", "of it", free_spin},
    Law{"middle_axis", "A spin about the middle axis flips at the period of Euler's equations", "of it", middle_axis},
    Law{"falling_block", "A leaning block falls over its edge in the time of a rigid body", "of it", falling_block},
    Law{"rocking_block", "A block that leans on its edge rocks back in the time of a rigid body", "of it",
        rocking_block},
    Law{"falling_row", "Boxes that fall and strike each other keep their momentum", "of it", falling_row},
    Law{"heavy_top", "A heavy top precesses", "of its rate", heavy_top},
};

}  // namespace

std::span<const Law> motion_laws() { return kLaws; }

}  // namespace proxima::samples
