// SPDX-License-Identifier: MIT
// Small problems with ball joints, alone and beside contacts, whose answers are known on paper: once in
// double as a matrix, once as bodies in single precision.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/canonical.h"

namespace proxima::physics::test {

using Double3 = std::array<double, 3>;

inline Double3 cross(const Double3& a, const Double3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double dot(const Double3& a, const Double3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Bodies with the inertia of a ball, and blocks between them. Body 0 is the ground.
struct JointedBodies {
    struct Body {
        double mass = 0.0, inertia = 0.0;  // 0: it cannot move, it cannot turn
        Double3 linear{}, angular{};
    };
    struct Block {
        uint32_t a, b;
        Double3 arm_a{}, arm_b{};
        RowKind kind = RowKind::bilateral;
        double mu = 0.0, compliance = 0.0;
        Double3 bias{};
        Double3 axis[3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};  // normal up, tangents x and z

        bool is_bilateral() const { return kind == RowKind::bilateral; }
    };
    std::vector<Body> bodies{1};
    std::vector<Block> blocks;
    std::vector<ContactGroup> groups;  // empty: every block alone

    uint32_t add(const Body& body) {
        bodies.push_back(body);
        return uint32_t(bodies.size() - 1);
    }

    /// What row k of a block does to body b: direction and moment, with its sign.
    void row(const Block& block, size_t k, uint32_t body, Double3& force, Double3& moment) const {
        force = moment = {};
        if (body != block.a && body != block.b) return;
        const double sign = body == block.b ? 1.0 : -1.0;
        const Double3 turn = cross(body == block.b ? block.arm_b : block.arm_a, block.axis[k]);
        for (size_t x = 0; x < 3; ++x) {
            force[x] = sign * block.axis[k][x];
            moment[x] = sign * turn[x];
        }
    }
    double inverse(double x) const { return x > 0.0 ? 1.0 / x : 0.0; }

    /// J M^-1 J^T and J u + bias, entry by entry.
    Dense dense() const {
        Dense d(blocks.size());
        Double3 force, moment, other_force, other_moment;
        for (size_t r = 0; r < d.rows(); ++r) {
            d.q[r] = blocks[r / 3].bias[r % 3];
            for (uint32_t body = 0; body < bodies.size(); ++body) {
                const Body& m = bodies[body];
                row(blocks[r / 3], r % 3, body, force, moment);
                d.q[r] += dot(force, m.linear) + dot(moment, m.angular);
                for (size_t c = 0; c < d.rows(); ++c) {
                    row(blocks[c / 3], c % 3, body, other_force, other_moment);
                    d.at(r, c) +=
                        inverse(m.mass) * dot(force, other_force) + inverse(m.inertia) * dot(moment, other_moment);
                }
            }
        }
        for (size_t i = 0; i < blocks.size(); ++i) d.mu[i] = blocks[i].mu;
        return d;
    }
    DelassusProblem matrix() const {
        DelassusProblem problem = dense().problem();
        problem.groups = groups;
        for (const Block& block : blocks) {
            problem.compliance.push_back(block.compliance);
            problem.kinds.push_back(block.kind);
        }
        return problem;
    }
    Bodies in_single() const {
        const auto vector = [](const Double3& x) { return Vec3(float(x[0]), float(x[1]), float(x[2])); };
        Bodies out;
        for (size_t k = 1; k < bodies.size(); ++k) {
            out.add(float(bodies[k].mass), vector(bodies[k].linear), float(bodies[k].inertia));
            out.velocity.back().angular = vector(bodies[k].angular);
        }
        for (const Block& block : blocks) {
            Contact& c = out.touch(block.a, block.b, float(block.mu), vector(block.arm_a), vector(block.arm_b));
            c.normal = vector(block.axis[0]);
            c.tangent1 = vector(block.axis[1]);
            c.tangent2 = vector(block.axis[2]);
            c.bias = float(block.bias[0]);
            c.compliance = float(block.compliance);
        }
        out.problem.groups = groups;
        for (uint32_t i = 0; i < blocks.size(); ++i)
            if (blocks[i].is_bilateral())
                out.problem.set_bilateral(i, float(blocks[i].bias[1]), float(blocks[i].bias[2]));
        return out;
    }
    /// Velocities of the bodies when the blocks have these impulses.
    std::vector<Body> after(const std::vector<double>& impulses) const {
        std::vector<Body> moved = bodies;
        Double3 force, moment;
        for (uint32_t body = 1; body < bodies.size(); ++body)
            for (size_t r = 0; r < impulses.size(); ++r) {
                row(blocks[r / 3], r % 3, body, force, moment);
                for (size_t x = 0; x < 3; ++x) {
                    moved[body].linear[x] += inverse(bodies[body].mass) * force[x] * impulses[r];
                    moved[body].angular[x] += inverse(bodies[body].inertia) * moment[x] * impulses[r];
                }
            }
        return moved;
    }
};

/// A problem with joints and its answer: three impulses a block, in the order normal, tangent 1, tangent 2.
struct KnownJoints {
    std::string name;
    JointedBodies bodies;
    std::vector<double> impulses;
    bool redundant = false;  // more rows than freedoms: the velocities are known, the impulses are one choice
    bool slides = false;     // a contact slides: the convex model has another answer
    bool stiff = false;      // one step length for all rows would need very many sweeps
};

inline constexpr double kFall = 0.25;  // g h, m/s: what a step of gravity adds

/// A bob of mass 2 and inertia I at distance L below and beside a fixed point, the rod at an angle to the vertical.
/// About the point: w = -m L sin(angle) g h / (I + m L^2); the joint gives what the bob's momentum lacks.
inline KnownJoints pendulum(double angle) {
    const double mass = 2.0, inertia = 0.3, length = 1.5;
    const Double3 centre{length * std::sin(angle), -length * std::cos(angle), 0.0};
    KnownJoints k{"pendulum at " + std::to_string(int(std::round(angle * 57.29577951308232))) + " degrees", {}, {}};
    const uint32_t bob = k.bodies.add({mass, inertia, {0.0, -kFall, 0.0}});
    k.bodies.blocks.push_back({0, bob, {}, {-centre[0], -centre[1], 0.0}});
    const double w = -mass * centre[0] * kFall / (inertia + mass * length * length);
    k.impulses = {mass * (w * centre[0] + kFall), mass * (-w * centre[1]), 0.0};
    return k;
}

/// Links one below the other, at rest: joint k carries everything below it.
inline KnownJoints hanging_chain(std::string name, const std::vector<double>& mass) {
    KnownJoints k{std::move(name), {}, {}};
    double below = 0.0;
    for (const double m : mass) below += m;
    for (uint32_t link = 0; link < mass.size(); ++link) {
        const uint32_t body = k.bodies.add({mass[link], 0.1 * mass[link], {0.0, -kFall, 0.0}});
        k.bodies.blocks.push_back({link, body, {0.0, link ? -0.5 : 0.0, 0.0}, {0.0, 0.5, 0.0}});
        k.impulses.insert(k.impulses.end(), {below * kFall, 0.0, 0.0});
        below -= mass[link];
    }
    k.stiff = *std::max_element(mass.begin(), mass.end()) > 50.0;
    return k;
}

/// A closed loop: two plates, each on two ball joints that make a hinge along z, tied to each other below.
/// All hang straight and stay at rest: the joints of a hinge share its weight, the tie carries nothing. Of
/// fifteen rows three are redundant: the two along the hinges, and the tie's.
inline KnownJoints closed_loop() {
    KnownJoints k{"closed loop of two hinged plates", {}, {}};
    for (const double x : {-1.0, 1.0}) {
        const uint32_t plate = k.bodies.add({1.5, 0.2, {0.0, -kFall, 0.0}});
        for (const double z : {-0.5, 0.5}) {
            k.bodies.blocks.push_back({0, plate, {x, 0.0, z}, {0.0, 0.8, z}});
            k.impulses.insert(k.impulses.end(), {0.5 * 1.5 * kFall, 0.0, 0.0});
        }
    }
    k.bodies.blocks.push_back({1, 2, {1.0, -0.4, 0.0}, {-1.0, -0.4, 0.0}});
    k.impulses.insert(k.impulses.end(), {0.0, 0.0, 0.0});
    k.redundant = true;
    return k;
}

/// A rod along x, hinged by a ball joint at its left end, its right end on the ground. Moments about the
/// joint: the ground carries half of the weight. `spin`: the rod turns about the vertical, so that its end
/// slides and friction mu N works against it; without, the friction along the rod and the joint's pull are
/// one choice of many.
inline KnownJoints hinged_rod(double mu, double spin) {
    const double mass = 3.0, inertia = 0.4, length = 2.0, half = 0.5 * length;
    KnownJoints k{spin != 0.0 ? "hinged rod slides on the ground" : "hinged rod rests on the ground", {}, {}};
    const uint32_t rod = k.bodies.add({mass, inertia, {0.0, -kFall, -spin * half}, {0.0, spin, 0.0}});
    k.bodies.blocks.push_back({0, rod, {}, {-half, 0.0, 0.0}});
    JointedBodies::Block contact{0, rod, {length, 0.0, 0.0}, {half, 0.0, 0.0}, RowKind::contact, mu};
    k.bodies.blocks.push_back(contact);
    const double load = 0.5 * mass * kFall, friction = spin != 0.0 ? mu * load : 0.0;
    const double about_joint = inertia + mass * half * half;
    // Friction turns the rod by L mu N / I_joint; the joint gives what the centre's momentum lacks.
    const double pull = friction * (mass * half * length / about_joint - 1.0);
    k.impulses = {load, 0.0, pull, load, 0.0, friction};
    k.redundant = spin == 0.0;
    k.slides = spin != 0.0;
    return k;
}

/// A particle on a soft joint that wants to move it: v + c l = 0 with v = l / m + u + bias, the same c for
/// all rows, so that it gives way with c l.
inline KnownJoints soft_joint() {
    const double mass = 2.0, compliance = 0.75;
    const Double3 u{0.3, -0.5, 0.2}, bias{0.1, 0.4, -0.6};  // bias of y, x, z
    KnownJoints k{"soft ball joint", {}, {}};
    const uint32_t particle = k.bodies.add({mass, 0.0, u});
    k.bodies.blocks.push_back({0, particle, {}, {}, RowKind::bilateral, 0.0, compliance, bias});
    const double give = 1.0 / mass + compliance;
    k.impulses = {-(u[1] + bias[0]) / give, -(u[0] + bias[1]) / give, -(u[2] + bias[2]) / give};
    return k;
}

inline std::vector<KnownJoints> known_joints() {
    std::vector<double> heavy_end(5, 1.0);
    heavy_end.back() = 100.0;
    return {pendulum(0.0),
            pendulum(0.5235987755982988),
            pendulum(1.5707963267948966),
            hanging_chain("chain of three", std::vector<double>(3, 1.0)),
            hanging_chain("chain of ten", std::vector<double>(10, 1.0)),
            hanging_chain("chain with a heavy end", heavy_end),
            closed_loop(),
            hinged_rod(0.4, 0.7),
            hinged_rod(0.4, 0.0),
            soft_joint()};
}

}  // namespace proxima::physics::test
