// SPDX-License-Identifier: MIT
// Small contact problems with known answers, and plain dense arithmetic to check solvers and residuals against.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "physics/contact/delassus.h"
#include "physics/contact/problem.h"
#include "physics/solvers/solver.h"

namespace proxima::physics::test {

/// Rows whose answers are those of the disk or of the box: the polygon only comes near the disk, and the
/// convex model answers another question.
inline std::vector<Solver> exact_solvers() {
    std::vector<Solver> rows;
    for (const Solver& solver : solver_table())
        if (solver.model == Model::ncp || solver.model == Model::blcp) rows.push_back(solver);
    return rows;
}
/// Rows made of sweeps alone, which may be stopped anywhere and measure only when asked to.
inline std::vector<Solver> sweeping_solvers() {
    std::vector<Solver> rows;
    for (const Solver& solver : exact_solvers())
        if (solver.family == Family::prox || solver.family == Family::splitting) rows.push_back(solver);
    return rows;
}

/// A full matrix and vectors, in the order normal, tangent 1, tangent 2 of each contact.
struct Dense {
    std::vector<double> w;  // row by row
    std::vector<double> q, mu;

    explicit Dense(size_t contacts) : w(9 * contacts * contacts), q(3 * contacts), mu(contacts) {}
    size_t contacts() const { return mu.size(); }
    size_t rows() const { return q.size(); }
    double& at(size_t r, size_t c) { return w[r * rows() + c]; }
    double at(size_t r, size_t c) const { return w[r * rows() + c]; }
    void set(size_t r, size_t c, double value) { at(r, c) = at(c, r) = value; }

    std::vector<double> velocities(const std::vector<double>& l) const {
        std::vector<double> v = q;
        for (size_t r = 0; r < rows(); ++r)
            for (size_t c = 0; c < rows(); ++c) v[r] += at(r, c) * l[c];
        return v;
    }
    DelassusProblem problem() const {
        auto made = make_problem(w, q, mu);
        REQUIRE_MESSAGE(made.ok(), made.error());
        return *made;
    }
};

/// 0 <= A x + b _|_ x >= 0 as contacts without friction; their tangents are free unit masses.
inline Dense lcp(const std::vector<std::vector<double>>& a, const std::vector<double>& b) {
    Dense d(b.size());
    for (size_t i = 0; i < b.size(); ++i) {
        for (size_t j = 0; j < b.size(); ++j) d.at(3 * i, 3 * j) = a[i][j];
        d.at(3 * i + 1, 3 * i + 1) = d.at(3 * i + 2, 3 * i + 2) = 1.0;
        d.q[3 * i] = b[i];
    }
    return d;
}

/// One contact whose normal is W_nn = 1, b_n = -1, uncoupled: its answer is l_n = 1, so friction has radius mu.
inline Dense one_contact(TangentBlock<double> w, Real2<double> b, double mu) {
    Dense d(1);
    d.set(0, 0, 1.0);
    d.set(1, 1, w.t11);
    d.set(1, 2, w.t12);
    d.set(2, 2, w.t22);
    d.q = {-1.0, b.x, b.y};
    d.mu = {mu};
    return d;
}

/// A tower of N masses, bottom first, resting after one step of g h = 1: impulses are the weights above.
inline Dense tower(const std::vector<double>& mass) {
    const size_t n = mass.size();
    std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
    std::vector<double> b(n, 0.0);
    b[0] = -1.0;
    for (size_t i = 0; i < n; ++i) {
        a[i][i] = 1.0 / mass[i] + (i ? 1.0 / mass[i - 1] : 0.0);
        if (i + 1 < n) a[i][i + 1] = a[i + 1][i] = -1.0 / mass[i];
    }
    return lcp(a, b);
}

/// Contacts that share random bodies: W = J J^T + 0.2 I, q pushing most of them together.
inline Dense random_problem(size_t contacts, uint32_t seed, double mu) {
    std::mt19937 random(seed);
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };  // same on every platform
    Dense d(contacts);
    const size_t n = d.rows(), k = n;
    std::vector<double> j(n * k);
    for (double& x : j) x = number();
    for (size_t r = 0; r < n; ++r)
        for (size_t c = 0; c <= r; ++c) {
            double sum = r == c ? 0.2 : 0.0;
            for (size_t i = 0; i < k; ++i) sum += j[r * k + i] * j[c * k + i] / double(k);
            d.set(r, c, sum);
        }
    for (size_t i = 0; i < contacts; ++i) {
        d.q[3 * i] = -0.7 + 0.6 * number();
        d.q[3 * i + 1] = number();
        d.q[3 * i + 2] = number();
        d.mu[i] = mu;
    }
    return d;
}

inline std::vector<double> impulses(const DelassusSystem& system) {
    std::vector<double> l;
    for (uint32_t i = 0; i < system.size(); ++i) {
        const auto x = system.impulse(i);
        l.insert(l.end(), {x.n, x.t1, x.t2});
    }
    return l;
}

/// The residual written a second time, from its formulas, on a full matrix: largest residual in velocity units.
struct DenseResidual {
    double max = 0.0, mean = 0.0, e = 0.0;
};
inline DenseResidual dense_residual(const Dense& d, const std::vector<double>& l, bool disk) {
    const std::vector<double> v = d.velocities(l);
    DenseResidual out;
    double q2 = 0.0, e2 = 0.0;
    for (double x : d.q) q2 += x * x;
    for (size_t i = 0; i < d.contacts(); ++i) {
        const double *li = &l[3 * i], *vi = &v[3 * i];
        const double mu = d.mu[i], radius = mu * std::max(0.0, li[0]);
        const double a = d.at(3 * i + 1, 3 * i + 1), b = d.at(3 * i + 1, 3 * i + 2), c = d.at(3 * i + 2, 3 * i + 2);
        const double top = 0.5 * (a + c + std::hypot(a - c, 2.0 * b));
        const auto nearest = [&](double x, double y) {
            if (disk) {
                const double s = std::hypot(x, y) > radius ? radius / std::hypot(x, y) : 1.0;
                return std::array{x * s, y * s};
            }
            return std::array{std::max(-radius, std::min(radius, x)), std::max(-radius, std::min(radius, y))};
        };
        const auto p = nearest(li[1] - vi[1] / top, li[2] - vi[2] / top);
        const double tangent = top * std::hypot(li[1] - p[0], li[2] - p[1]);
        const double normal = std::abs(std::min(li[0] * d.at(3 * i, 3 * i), vi[0]));
        out.max = std::max({out.max, tangent, normal});
        out.mean += std::max(tangent, normal) / double(d.contacts());
        if (disk) {
            const double zn = li[0] - vi[0] - mu * std::hypot(vi[1], vi[2]);
            const double z1 = li[1] - vi[1], z2 = li[2] - vi[2], zt = std::hypot(z1, z2);
            double pn = zn, s = 1.0;
            if (zn < 0.0 || zt > mu * zn) {
                pn = mu * zt <= -zn ? 0.0 : (zn + mu * zt) / (1.0 + mu * mu);
                s = zt > 0.0 ? mu * pn / zt : 0.0;
            }
            e2 += std::pow(li[0] - pn, 2) + std::pow(li[1] - s * z1, 2) + std::pow(li[2] - s * z2, 2);
        } else {
            const auto p1 = nearest(li[1] - vi[1], li[2] - vi[2]);
            e2 += std::pow(li[0] - std::max(0.0, li[0] - vi[0]), 2) + std::pow(li[1] - p1[0], 2) +
                  std::pow(li[2] - p1[1], 2);
        }
    }
    out.e = std::sqrt(e2 / q2);
    return out;
}

/// Bodies and contacts of a small world for BodySystem. Body 0 cannot move.
struct Bodies {
    std::vector<BodyVelocity> velocity{1};
    std::vector<BodyInverseMass> inverse_mass{1};
    std::vector<uint32_t> movable;
    ContactProblem problem;
    BodySystem::Scratch scratch;

    uint32_t add(float mass, Vec3 linear, float inertia = 0.0f) {
        velocity.push_back({});
        velocity.back().linear = linear;
        inverse_mass.push_back({});
        inverse_mass.back().mass = mass > 0.0f ? 1.0f / mass : 0.0f;
        if (inertia > 0.0f) inverse_mass.back().inertia = {1 / inertia, 1 / inertia, 1 / inertia, 0, 0, 0};
        if (mass > 0.0f) movable.push_back(uint32_t(velocity.size() - 1));
        return uint32_t(velocity.size() - 1);
    }
    /// Normal up (y), tangents x and z.
    Contact& touch(uint32_t a, uint32_t b, float mu, Vec3 arm_a = Vec3(0.0f), Vec3 arm_b = Vec3(0.0f)) {
        Contact c;
        c.a = a;
        c.b = b;
        c.normal = Vec3(0, 1, 0);
        c.tangent1 = Vec3(1, 0, 0);
        c.tangent2 = Vec3(0, 0, 1);
        c.arm_a = arm_a;
        c.arm_b = arm_b;
        c.friction = mu;
        problem.contacts.push_back(c);
        return problem.contacts.back();
    }
    /// Each contact alone in its group, unless groups were set.
    BodySystem system() {
        problem.velocity = velocity;
        problem.inverse_mass = inverse_mass;
        for (Contact& c : problem.contacts) problem.compute_blocks(c);
        if (problem.groups.empty())
            for (uint32_t i = 0; i < problem.contacts.size(); ++i) problem.groups.push_back({i, i + 1});
        return BodySystem(problem, 0, uint32_t(problem.groups.size()), movable, scratch);
    }
};

/// Solves from zero and returns the impulses.
inline std::vector<double> solve(const Solver& solver, const DelassusProblem& problem, const SolveSettings& settings,
                                 SolveReport* report = nullptr) {
    DelassusSystem system(problem);
    const SolveReport r = solver.solve_matrix(system, settings);
    if (report) *report = r;
    return impulses(system);
}

inline const Solver& solver_named(std::string_view name) {
    const Solver* solver = find_solver(name);
    REQUIRE(solver != nullptr);
    return *solver;
}

inline constexpr std::array kStrategies{RStrategy::local, RStrategy::global, RStrategy::blocked};
inline std::string name_of(RStrategy strategy) {
    return strategy == RStrategy::local ? "local" : strategy == RStrategy::global ? "global" : "blocked";
}

}  // namespace proxima::physics::test
