// SPDX-License-Identifier: MIT
// Impacts: rebounds, blows passed on, what a wall stops, overlaps that part.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "samples/laws/law_world.h"

namespace proxima::samples {

using namespace physics;

namespace {

enum class Dropped { ball, box, capsule_lying, capsule_standing, hull };
constexpr std::array<const char*, 5> kDroppedNames = {"ball", "box", "lying capsule", "standing capsule", "hull"};

/// Half its height.
float add_dropped(LawWorld& w, Dropped what, float size, float drop, float e, float mu, Entity& out) {
    const float r = 0.5f * size;
    LawBody body{.friction = mu, .restitution = e};
    float half = r;
    switch (what) {
        case Dropped::ball:
            body.position.y = drop + r;
            out = w.sphere(r, body);
            break;
        case Dropped::box:
            half = 0.6f * r;
            body.position.y = drop + half;
            out = w.box({r, half, 0.8f * r}, body);
            break;
        case Dropped::capsule_lying:
            half = 0.4f * r;
            body.position.y = drop + half;
            body.rotation = glm::angleAxis(1.5707964f, Vec3(0.0f, 0.0f, 1.0f));
            out = w.capsule(half, 0.6f * r, body);
            break;
        case Dropped::capsule_standing:
            body.position.y = drop + r;
            out = w.capsule(0.4f * r, 0.6f * r, body);
            break;
        case Dropped::hull: {  // a prism of six sides
            std::vector<Vec3> points;
            for (int i = 0; i < 6; ++i)
                for (const float y : {-0.5f, 0.5f}) {
                    const float a = 1.0471976f * float(i);
                    points.push_back(r * Vec3(std::cos(a), y, std::sin(a)));
                }
            half = 0.5f * r;
            body.position.y = drop + half;
            out = w.hull(points, body);
            break;
        }
    }
    return half;
}

/// Heights of the rebounds over the height of the drop. An apex is taken from height and speed at the slower one of the two
/// steps around it: later ones may be those of the next rebound.
std::vector<double> rebounds(LawWorld& w, Entity body, float half, float drop, size_t count) {
    std::vector<double> heights;
    double slowest = 1e30, apex = 0.0;
    bool rose = false;
    for (int i = 0; i < 200000 && heights.size() < count; ++i) {
        w.step();
        const double v = double(w.velocity(body).y), y = double(w.position(body).y - half);
        if (v > 0.0 && !rose) rose = true, slowest = 1e30;
        if (rose && std::abs(v) < slowest) slowest = std::abs(v), apex = y + v * v / (2.0 * double(kG));
        if (rose && v < 0.0) {
            heights.push_back(apex / double(drop));
            rose = false;
            slowest = 1e30;
        }
        if (!rose && heights.empty() && w.time() > 10.0f * std::sqrt(drop)) break;
        if (w.time() > 40.0f * std::sqrt(drop)) break;
    }
    heights.resize(count, 0.0);
    return heights;
}

void bounce(LawTries& tries) {
    for (int k = 0; k < 20; ++k) {
        const Dropped what = Dropped(k % 5);
        const float size = k < 5 ? 1.0f : tries.draw_log(0.01f, 10.0f), drawn = size * tries.draw(1.0f, 5.0f);
        const float e = k < 5 ? 1.0f : tries.draw(0.2f, 1.0f), mu = tries.draw(0.0f, 0.8f);
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        // The second rebound rises for a step at least, of those that laws take by default: what is over within a step
        // cannot be seen.
        const float fall = step_for(LawOptions{}, size) / (e * e), drop = std::max(drawn, 0.5f * kG * fall * fall);
        w.ground({.friction = mu, .restitution = e});
        Entity body{};
        const float half = add_dropped(w, what, size, drop, e, mu, body);
        const std::vector<double> heights = rebounds(w, body, half, drop, 2);
        double expected = 1.0;
        for (size_t n = 0; n < heights.size(); ++n) {
            expected *= double(e) * double(e);
            tries.add(fmt::format("{}, {:.3g} m, e {:.2f}, rebound {}", kDroppedNames[size_t(what)], size, e, n + 1),
                      expected, heights[n], 0.01 * std::max(expected, 0.1));
        }
    }
}

/// Tangential speed of the contact point after an impact, over that before, and so for the whole of Coulomb's law.
void oblique(LawTries& tries) {
    for (int k = 0; k < 24; ++k) {
        const float r = k < 4 ? 0.5f : tries.draw_log(0.01f, 10.0f), e = tries.draw(0.0f, 1.0f),
                    mu = tries.draw(0.0f, 0.6f);
        const float vn = tries.draw(2.0f, 10.0f) * std::sqrt(r), vt = tries.draw(-1.0f, 1.0f) * vn,
                    spin = tries.draw(-1.0f, 1.0f) * vn / r;
        LawWorld w(tries.options(), Vec3(0.0f));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(r / 0.1f)));
        if (k < 12)
            w.ground({.friction = mu, .restitution = e});
        else
            w.box(r * Vec3(30.0f, 0.3f * float(k - 11), 30.0f), {.type = BodyType::fixed,
                                                                 .position = {0.0f, -0.3f * r * float(k - 11), 0.0f},
                                                                 .friction = mu,
                                                                 .restitution = e});
        const Entity ball = w.sphere(r, {.position = {0.0f, r + tries.draw(0.5f, 3.0f) * r, 0.0f},
                                         .velocity = {vt, -vn, 0.0f},
                                         .spin = {0.0f, 0.0f, spin},
                                         .friction = mu,
                                         .restitution = e});
        w.run(6.0f * r / vn);
        // The surface moves with vt + r spin; the impulse stops it, or is mu (1 + e) vn.
        const double slip = double(vt) + double(r) * double(spin), most = double(mu) * (1.0 + double(e)) * double(vn);
        const double impulse = -std::copysign(std::min(std::abs(slip) * 2.0 / 7.0, most), slip);
        const char* floor = k < 12 ? "half-space" : "box";
        tries.add(fmt::format("{}, r {:.3g} m, e {:.2f}, mu {:.2f}, speed along", floor, r, e, mu),
                  (double(vt) + impulse) / double(vn), double(w.velocity(ball).x / vn), 0.005);
        tries.add(fmt::format("{}, r {:.3g} m, e {:.2f}, mu {:.2f}, speed away", floor, r, e, mu), double(e),
                  double(w.velocity(ball).y / vn), 0.005);
        tries.add(fmt::format("{}, r {:.3g} m, e {:.2f}, mu {:.2f}, spin", floor, r, e, mu),
                  (double(spin) * double(r) + 2.5 * impulse) / double(vn), double(w.spin(ball).z * r / vn), 0.0125);
    }
}

/// Speed with which a box leaves a plate that it met flush, both turned anyhow, over that with which it came, and its spin, in
/// speeds a size. Every other one meets it within the rounding of the end of a sub-step.
void faces_meet(LawTries& tries) {
    for (int k = 0; k < 24; ++k) {
        const float size = k < 4 ? 1.0f : tries.draw_log(0.01f, 10.0f), e = tries.draw(0.2f, 1.0f),
                    mu = tries.draw(0.0f, 0.6f), v = tries.draw(2.0f, 8.0f) * std::sqrt(size);
        const auto part = [&] { return tries.draw(-1.0f, 1.0f); };
        const float x = part(), y = part(), z = part();
        const Quat turn = glm::normalize(Quat(part(), x, y, z));
        const Vec3 normal = turn * Vec3(0.0f, 1.0f, 0.0f), half = size * Vec3(0.3f, 0.2f, 0.4f);
        LawWorld w(tries.options(), Vec3(0.0f));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        const float substep = w.dt() / float(tries.options().settings.substeps),
                    gap =
                        k % 2 == 0 ? std::round(tries.draw(10.0f, 40.0f)) * substep * v : size * tries.draw(0.2f, 0.5f);
        w.box(size * Vec3(2.0f, 0.5f, 2.0f), {.type = BodyType::fixed,
                                              .position = normal * (-0.5f * size),
                                              .rotation = turn,
                                              .friction = mu,
                                              .restitution = e});
        const Entity box = w.box(half, {.position = normal * (half.y + gap),
                                        .rotation = turn,
                                        .velocity = normal * (-v),
                                        .friction = mu,
                                        .restitution = e});
        w.run(gap / v + 0.2f * size / v + 2.0f * w.dt());
        tries.add(fmt::format("{:.3g} m, e {:.2f}, {:.3g} m/s, after {:.2f} sub-steps, speed", size, e, v,
                              gap / (v * substep)),
                  double(e), double(glm::dot(w.velocity(box), normal) / v), 0.01);
        tries.add(fmt::format("{:.3g} m, e {:.2f}, {:.3g} m/s, after {:.2f} sub-steps, spin", size, e, v,
                              gap / (v * substep)),
                  0.0, double(glm::length(w.spin(box)) * size / v), 0.01);
    }
}

/// Velocities and surface speeds of two balls after they met, off from those that Newton and Coulomb say, as a whole.
void balls_meet(LawTries& tries) {
    for (int k = 0; k < 16; ++k) {
        const float ra = k < 4 ? 0.5f : tries.draw_log(0.01f, 10.0f), rb = ra * tries.draw_log(0.4f, 2.5f),
                    ma = 1000.0f * ra * ra * ra, mb = ma * tries.draw_log(0.1f, 10.0f);
        const float e = k < 2 ? 1.0f : tries.draw(0.0f, 1.0f), mu = k < 2 ? 0.0f : tries.draw(0.0f, 0.6f);
        const float v = tries.draw(2.0f, 10.0f) * std::sqrt(ra), off = tries.draw(0.0f, 0.9f) * (ra + rb);
        const auto spin = [&] {
            return Vec3(tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f));
        };
        const Vec3 wa = spin() * (v / ra), wb = spin() * (v / rb);
        LawWorld w(tries.options(), Vec3(0.0f));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(ra / 0.1f)));
        const float way = tries.draw(0.5f, 3.0f) * ra, along = std::sqrt((ra + rb) * (ra + rb) - off * off);
        const Entity a = w.sphere(ra, {.position = {-along - way, 0.0f, 0.0f},
                                       .velocity = {v, 0.0f, 0.0f},
                                       .spin = wa,
                                       .friction = mu,
                                       .restitution = e,
                                       .mass = ma});
        const Entity b =
            w.sphere(rb, {.position = {0.0f, off, 0.0f}, .spin = wb, .friction = mu, .restitution = e, .mass = mb});
        w.run(way / v + 0.2f * ra / v + 2.0f * w.dt());
        const Vec3 n = Vec3(along, off, 0.0f) / (ra + rb);
        // The bodies are balls of a constant density: 1/m + r^2/I is 7/2 of 1/m along the tangents.
        const float m = ma * mb / (ma + mb);
        const Vec3 u = Vec3(-v, 0.0f, 0.0f) - glm::cross(rb * wb + ra * wa, n), slip = u - n * glm::dot(n, u);
        const float normal = (1.0f + e) * v * n.x * m, stick = glm::length(slip) * m * 2.0f / 7.0f;
        const Vec3 impulse =
            n * normal - (stick > 0.0f ? slip * (std::min(stick, mu * normal) / glm::length(slip)) : Vec3(0.0f));
        const Vec3 va = Vec3(v, 0.0f, 0.0f) - impulse / ma, vb = impulse / mb, moment = glm::cross(n, impulse);
        const Vec3 spin_a = wa - 2.5f / (ma * ra) * moment, spin_b = wb - 2.5f / (mb * rb) * moment;
        const float off_by = glm::length(w.velocity(a) - va) + glm::length(w.velocity(b) - vb) +
                             ra * glm::length(w.spin(a) - spin_a) + rb * glm::length(w.spin(b) - spin_b);
        tries.add(fmt::format("r {:.3g} and {:.3g} m, masses 1 : {:.2g}, e {:.2f}, mu {:.2f}, {:.2f} aside", ra, rb,
                              mb / ma, e, mu, off / (ra + rb)),
                  0.0, double(off_by / v), 0.002);
    }
}

/// Speed of two boxes after an inelastic head-on impact over their common one.
void inelastic(LawTries& tries) {
    for (int k = 0; k < 8; ++k) {
        const float size = k < 3 ? 1.0f : tries.draw_log(0.01f, 50.0f),
                    ratio = k == 0 ? 1.0f : tries.draw_log(0.02f, 50.0f);
        const float v = tries.draw(1.0f, 10.0f) * std::sqrt(size);
        LawWorld w(tries.options(), Vec3(0.0f));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        const Vec3 half = size * Vec3(0.5f);
        const float m = 1000.0f * size * size * size;
        const Entity a = w.box(half, {.position = {-size * tries.draw(1.0f, 2.0f), 0.0f, 0.0f},
                                      .velocity = {v, 0.0f, 0.0f},
                                      .friction = 0.3f,
                                      .mass = m});
        const Entity b = w.box(half, {.position = {size, 0.0f, 0.0f}, .friction = 0.3f, .mass = m * ratio});
        w.run(6.0f * size / v);
        const double common = double(v) / (1.0 + double(ratio));
        tries.add(fmt::format("{:.3g} m, masses 1 : {:.2g}, striker", size, ratio), 1.0,
                  double(w.velocity(a).x) / common, 0.001);
        tries.add(fmt::format("{:.3g} m, masses 1 : {:.2g}, struck", size, ratio), 1.0,
                  double(w.velocity(b).x) / common, 0.001);
    }
}

/// Speed that is left of what a wall stops, in parts of that before.
void stopped_by_wall(LawTries& tries) {
    for (int k = 0; k < 10; ++k) {
        const Dropped what = Dropped(k % 5);
        const float size = k < 5 ? 1.0f : tries.draw_log(0.01f, 20.0f), v = tries.draw(0.5f, 20.0f) * std::sqrt(size);
        LawWorld w(tries.options(), Vec3(0.0f));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        w.ground({.friction = 0.5f});
        Entity body{};
        add_dropped(w, what, size, size * tries.draw(0.2f, 1.0f), 0.0f, 0.5f, body);
        w.set_velocity(body, {0.0f, -v, 0.0f});
        w.run(3.0f * size / v + 2.0f * std::sqrt(size));
        tries.add(fmt::format("{}, {:.3g} m, {:.2g} m/s", kDroppedNames[size_t(what)], size, v), 0.0,
                  double(glm::length(w.velocity(body)) / v), 1e-3);
    }
}

/// Largest speed, in sizes a second, of bodies that were made inside each other, when they have parted.
void overlaps_part(LawTries& tries) {
    for (int k = 0; k < 8; ++k) {
        const float size = k < 4 ? 1.0f : tries.draw_log(0.02f, 20.0f), depth = tries.draw(0.05f, 0.6f);
        LawWorld w(tries.options(), Vec3(0.0f));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        std::vector<Entity> bodies;
        const int count = 2 + k % 3;
        for (int i = 0; i < count; ++i) {
            const Vec3 at = size * Vec3((1.0f - depth) * float(i), 0.05f * float(i), 0.0f);
            bodies.push_back(k % 2 == 0 ? w.box(size * Vec3(0.5f), {.position = at, .friction = 0.4f})
                                        : w.sphere(0.5f * size, {.position = at, .friction = 0.4f}));
        }
        w.run(8.0f * std::sqrt(size));
        double fastest = 0.0;
        for (const Entity body : bodies)
            fastest = std::max(fastest, double(glm::length(w.velocity(body))) / double(size));
        tries.add(fmt::format("{} {} of {:.3g} m, {:.0f} % deep", count, k % 2 == 0 ? "boxes" : "balls", size,
                              100.0f * depth),
                  0.0, fastest, 0.005);
    }
}

/// Speed of the last ball of a row that is struck at its other end, over that of the striker.
void row_of_balls(LawTries& tries) {
    for (int k = 0; k < 4; ++k) {
        const float r = k == 0 ? 0.5f : tries.draw_log(0.01f, 5.0f), v = 2.0f * std::sqrt(r);
        const int count = 3 + 2 * k;
        LawWorld w(tries.options(), Vec3(0.0f));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(r / 0.1f)));
        std::vector<Entity> balls;
        for (int i = 0; i < count; ++i)
            balls.push_back(w.sphere(r, {.position = {2.0f * r * float(i) - (i == 0 ? r : 0.0f), 0.0f, 0.0f},
                                         .velocity = {i == 0 ? v : 0.0f, 0.0f, 0.0f},
                                         .restitution = 1.0f}));
        w.run(4.0f * r / v);
        tries.add(fmt::format("{} balls of {:.3g} m, the last", count, r), 1.0, double(w.velocity(balls.back()).x / v),
                  0.002);
        tries.add(fmt::format("{} balls of {:.3g} m, the first", count, r), 0.0,
                  double(w.velocity(balls.front()).x / v), 0.002);
    }
}

/// Largest energy over that of the start, less one, of elastic bodies in a closed box.
void elastic_cloud(LawTries& tries) {
    for (int k = 0; k < 4; ++k) {
        const float size = k < 2 ? 1.0f : tries.draw_log(0.05f, 5.0f), mu = k % 2 ? 0.3f : 0.0f,
                    v = 5.0f * std::sqrt(size);
        LawWorld w(tries.options(), Vec3(0.0f));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        for (int axis = 0; axis < 3; ++axis)
            for (const float side : {-1.0f, 1.0f}) {
                Vec3 at(0.0f), half = size * Vec3(6.0f);
                at[axis] = side * 4.0f * size;
                half[axis] = size;
                w.box(half, {.type = BodyType::fixed, .position = at, .friction = mu, .restitution = 1.0f});
            }
        for (int i = 0; i < 27; ++i) {
            const Vec3 at = 1.8f * size * Vec3(float(i % 3) - 1.0f, float(i / 3 % 3) - 1.0f, float(i / 9) - 1.0f);
            LawBody body{.position = at, .friction = mu, .restitution = 1.0f};
            body.velocity = v * Vec3(tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f));
            if (i % 2)
                w.sphere(0.4f * size, body);
            else
                w.box(size * Vec3(0.3f, 0.4f, 0.35f), body);
        }
        const double start = w.energy();
        double most = start;
        for (int i = 0; i < 600; ++i) {
            w.step();
            most = std::max(most, w.energy());
        }
        tries.add(fmt::format("{:.3g} m, mu {:.1f}", size, mu), 0.0, most / start - 1.0, 1e-6);
    }
}

/// A prism of as many sides as `corners`, or a box where there are two.
Entity add_tumbler(LawWorld& w, LawTries& tries, float size, int corners, const LawBody& body) {
    const float half = size * tries.draw(0.15f, 0.6f);
    if (corners == 2) return w.box({half, size * tries.draw(0.15f, 0.6f), size * tries.draw(0.15f, 0.6f)}, body);
    std::vector<Vec3> points;
    for (int i = 0; i < corners; ++i)
        for (const float y : {-half, half}) {
            const float angle = 6.2831853f * float(i) / float(corners);
            points.emplace_back(0.5f * size * std::cos(angle), y, 0.5f * size * std::sin(angle));
        }
    return w.hull(points, body);
}

/// Largest energy over that of the start, less one, of elastic bodies that fall and tumble between walls. Numbers of single
/// precision, rounded in each of some hundred sub-steps with impacts, wander by some 1e-5; what spins by a radian a step dips
/// in corners that no manifold had, and is lifted out.
void elastic_tumble(LawTries& tries) {
    for (int k = 0; k < 10; ++k) {
        const float size = k < 2 ? 1.0f : tries.draw_log(0.002f, 10.0f), mu = k % 2 ? 0.3f : 0.0f,
                    speed = std::sqrt(size);
        const int count = k % 4 < 2 ? 1 : 6;
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        w.ground({.friction = mu, .restitution = 1.0f});
        for (const int axis : {0, 2})
            for (const float side : {-1.0f, 1.0f}) {
                Vec3 at(0.0f, 10.0f * size, 0.0f), half(4.0f * size, 11.0f * size, 4.0f * size);
                at[axis] = side * 4.0f * size;
                half[axis] = size;
                w.box(half, {.type = BodyType::fixed, .position = at, .friction = mu, .restitution = 1.0f});
            }
        for (int i = 0; i < count; ++i) {
            const auto any = [&] {
                return Vec3(tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f));
            };
            LawBody body{.friction = mu, .restitution = 1.0f};
            body.position = size * Vec3(float(i % 2) - 0.5f, 2.0f + 1.5f * float(i / 2), 0.0f);
            const Vec3 axis = any();
            body.rotation = glm::normalize(Quat(tries.draw(-1.0f, 1.0f), axis.x, axis.y, axis.z));
            body.velocity = 2.0f * speed * any();
            body.spin = 3.0f * speed / size * any();
            add_tumbler(w, tries, size, 2 + (k + i) % 7, body);
        }
        const double start = w.energy();
        double most = start;
        while (w.time() < 6.0f * speed) {
            w.step();
            most = std::max(most, w.energy());
        }
        tries.add(fmt::format("{} of {:.3g} m, mu {:.1f}", count, size, mu), 0.0, most / start - 1.0, 3e-3);
    }
}

/// Of its radius, how far a heavy ball is above light boxes when they first feel it; expected none.
void no_impact_before_contact(LawTries& tries) {
    for (int k = 0; k < 6; ++k) {
        const float ratio = k == 0 ? 1000.0f : tries.draw_log(1.0f, 10000.0f),
                    size = k < 3 ? 1.0f : tries.draw_log(0.05f, 10.0f);
        const float v = tries.draw(2.0f, 15.0f) * std::sqrt(size), m = 1000.0f * size * size * size;
        LawWorld w(tries.options(), Vec3(0.0f));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        const Entity box = w.box(size * Vec3(0.5f), {.mass = m});
        const Entity ball = w.sphere(
            0.5f * size,
            {.position = {0.0f, size * tries.draw(2.0f, 3.0f), 0.0f}, .velocity = {0.0f, -v, 0.0f}, .mass = m * ratio});
        double early = 1.0;  // it is struck at all
        for (int i = 0; i < 1000; ++i) {
            w.step();
            if (std::abs(w.velocity(box).y) < 0.01f * v) continue;
            // Nothing bounces: what has been struck is touched by then.
            early = std::max(0.0, double(w.position(ball).y - w.position(box).y - size) / double(size));
            break;
        }
        tries.add(fmt::format("{:.3g} m, masses {:.0f} : 1, {:.2g} m/s", size, ratio, v), 0.0, early, 1e-3);
    }
}

/// In sizes, how far a heavy ball that falls onto boxes on the floor is above them when it stops falling.
void heavy_ball_turns(LawTries& tries) {
    for (int k = 0; k < 6; ++k) {
        const float size = k < 2 ? 1.0f : tries.draw_log(0.05f, 10.0f),
                    ratio = k < 2 ? 1000.0f : tries.draw_log(10.0f, 3000.0f),
                    drop = size * (k == 0 ? 3.0f : tries.draw(1.0f, 6.0f)), r = 0.5f * size;
        const int count = 1 + k % 3;
        LawWorld w(tries.options());
        w.set_dt(step_for(tries.options(), size));
        w.ground({.friction = 0.6f});
        const float kg = size * size * size;
        Entity top{};
        for (int i = 0; i < count; ++i)
            top = w.box(Vec3(r), {.position = {0.0f, r + size * float(i), 0.0f}, .friction = 0.6f, .mass = kg});
        const Entity ball = w.sphere(
            r, {.position = {0.0f, size * float(count) + drop + r, 0.0f}, .friction = 0.6f, .mass = kg * ratio});
        double early = 1.0;  // it turns at all
        // What slows down by a tenth is struck, where it does not turn within a step.
        for (float fastest = 0.0f; w.time() < 4.0f * std::sqrt(drop);) {
            const float gap = w.position(ball).y - w.position(top).y - size;
            w.step();
            fastest = std::min(fastest, w.velocity(ball).y);
            if (w.velocity(ball).y < 0.9f * fastest) continue;
            const float after = w.position(ball).y - w.position(top).y - size;
            early = std::max(0.0, double(std::min(gap, after)) / double(size));
            break;
        }
        tries.add(fmt::format("{:.3g} m, {} boxes, masses {:.0f} : 1, from {:.2g} m", size, count, ratio, drop), 0.0,
                  early, 1e-3);
    }
}

constexpr std::array kLaws = {
    Law{"bounce", "Rebound heights follow e^2, for balls and for faces, at every size", "of the drop", bounce},
    Law{"oblique", "An oblique, spinning impact obeys Coulomb's law in its impulse", "impact speeds", oblique},
    Law{"balls_meet", "Two balls that meet obliquely, spinning, part as Newton and Coulomb say", "impact speeds",
        balls_meet},
    Law{"faces_meet", "Faces that meet flush part with e times their speed, however they are turned", "of it",
        faces_meet},
    Law{"inelastic", "After an inelastic impact two boxes have their common speed", "of it", inelastic},
    Law{"stopped_by_wall", "What a wall stops stays where it is", "of its speed", stopped_by_wall},
    Law{"overlaps_part", "Bodies made inside each other part and are at rest then", "sizes / s", overlaps_part},
    Law{"row_of_balls", "A blow goes through a row of elastic balls", "of the striker's speed", row_of_balls},
    Law{"elastic_cloud", "Energy of elastic bodies in a box never grows", "of it", elastic_cloud},
    Law{"elastic_tumble", "Nor does that of elastic bodies that fall and tumble", "of it", elastic_tumble},
    Law{"no_impact_before_contact", "Nothing is struck before it is touched", "sizes", no_impact_before_contact},
    Law{"heavy_ball_turns", "A heavy ball that falls on light boxes is slowed down by touching them", "sizes",
        heavy_ball_turns},
};

}  // namespace

std::span<const Law> impact_laws() { return kLaws; }

}  // namespace proxima::samples
