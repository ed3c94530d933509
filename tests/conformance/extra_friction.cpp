// SPDX-License-Identifier: MIT
// Friction that is more than a disk, in solvers and in the residual: ellipses on matrices and bodies, torsion
// and rolling on bodies.
#include "physics/contact/residual.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

std::vector<Solver> extra_solvers() {
    std::vector<Solver> rows;
    for (const Solver& solver : solver_table())
        if (solver.extra_friction) rows.push_back(solver);
    return rows;
}

SolveSettings accurate(RStrategy strategy, double tolerance) {
    SolveSettings settings;
    settings.iterations = 20000;
    settings.tolerance = tolerance;
    settings.r_strategy = strategy;
    return settings;
}

ExtraFriction extra(float across, float torsion_radius, float rolling_radius) {
    ExtraFriction x;
    x.across = across;
    x.torsion_radius = torsion_radius;
    x.rolling_radius = rolling_radius;
    return x;
}

/// Systems need the blocks of the extra rows too.
BodySystem system_of(Bodies& w) {
    BodySystem system = w.system();
    for (uint32_t i = 0; i < w.problem.extra_of_contact.size(); ++i)
        if (w.problem.extra_of_contact[i] != kNoExtra)
            w.problem.compute_blocks(w.problem.extras[w.problem.extra_of_contact[i]], w.problem.contacts[i]);
    return system;
}

/// One ball of mass 1 and radius `arm` on the ground, at (3, -1, 4) m/s and turning.
Bodies ball(float mu, const ExtraFriction& x, Vec3 turning, float inertia, float arm = 0.0f) {
    Bodies w;
    const uint32_t p = w.add(1.0f, Vec3(3, -1, 4), inertia);
    w.velocity[p].angular = turning;
    w.touch(0, p, mu, Vec3(0.0f), Vec3(0.0f, -arm, 0.0f));
    w.problem.add_extra(0, x);
    return w;
}

/// Two boxes, one on the other, sliding and turning; every second contact has extra friction.
Bodies two_boxes(bool with_extra) {
    Bodies w;
    const uint32_t lower = w.add(2.0f, Vec3(1.5f, -1.0f, 0.5f), 0.4f),
                   upper = w.add(1.0f, Vec3(-0.5f, -1.2f, 0.3f), 0.2f);
    w.velocity[lower].angular = Vec3(0.3f, -2.0f, 0.1f);
    w.velocity[upper].angular = Vec3(-0.1f, 4.0f, 0.2f);
    for (int k = 0; k < 8; ++k) {
        const Vec3 corner(k & 1 ? 0.4f : -0.4f, 0.0f, k & 2 ? 0.4f : -0.4f), half(0.0f, 0.5f, 0.0f);
        if (k < 4)
            w.touch(0, lower, 0.5f, Vec3(0.0f), corner - half);
        else
            w.touch(lower, upper, 0.5f, corner + half, corner - half);
    }
    w.problem.groups = {{0, 4}, {4, 8}};
    if (!with_extra) return w;
    w.problem.add_extra(0, extra(0.2f, 0.0f, 0.0f));
    w.problem.add_extra(2, extra(0.5f, 0.1f, 0.0f));
    w.problem.add_extra(5, extra(0.5f, 0.0f, 0.05f));
    w.problem.add_extra(7, extra(0.8f, 0.05f, 0.1f));
    return w;
}

}  // namespace

TEST_CASE("a particle slides over an ellipse as maximum dissipation says") {
    // W = I, l_n = 1: -v = s (x1 / a^2, x2 / b^2), and v = q + x.
    for (const Solver& solver : extra_solvers())
        for (RStrategy strategy : kStrategies)
            for (const Real2<double> radii : {Real2<double>{0.2, 0.8}, Real2<double>{0.5, 0.0}, Real2<double>{0.0, 0.3},
                                              Real2<double>{1e-3, 0.7}}) {
                CAPTURE(solver.name);
                CAPTURE(name_of(strategy));
                DelassusProblem problem = one_contact({1, 0, 1}, {3.0, 4.0}, radii.x).problem();
                problem.across = {radii.y};
                SolveReport report;
                const auto l = solve(solver, problem, accurate(strategy, 1e-12), &report);
                CHECK(report.stop == StopReason::tolerance);
                CHECK(l[0] == doctest::Approx(1.0));
                const double v1 = 3.0 + l[1], v2 = 4.0 + l[2];
                // Against the sliding: x = -(a^2 v1, b^2 v2) / |(a v1, b v2)|.
                const double length = std::hypot(radii.x * v1, radii.y * v2);
                CHECK(std::abs(l[1] + radii.x * radii.x * v1 / length) < 1e-10);
                CHECK(std::abs(l[2] + radii.y * radii.y * v2 / length) < 1e-10);
            }
}

TEST_CASE("ellipses of many coupled contacts are solved to 1e-10, checked by their law") {
    for (const Solver& solver : extra_solvers())
        for (RStrategy strategy : kStrategies)
            for (const uint32_t seed : {3u, 4u}) {
                CAPTURE(solver.name);
                CAPTURE(name_of(strategy));
                const Dense d = random_problem(6, seed, 0.4);
                DelassusProblem problem = d.problem();
                problem.across = {0.1, 0.4, 0.9, 0.0, 0.25, 0.7};
                SolveReport report;
                const auto l = solve(solver, problem, accurate(strategy, 1e-11), &report);
                CHECK(report.stop == StopReason::tolerance);
                const auto v = d.velocities(l);
                for (size_t i = 0; i < 6; ++i) {
                    const double a = 0.4 * l[3 * i], b = problem.across[i] * l[3 * i];
                    CHECK(std::abs(std::min(l[3 * i], v[3 * i])) < 1e-10);
                    // Friction gives the least power of all impulses of its ellipse: l . v = -|(a v1, b v2)|.
                    const double power = l[3 * i + 1] * v[3 * i + 1] + l[3 * i + 2] * v[3 * i + 2];
                    CHECK(std::abs(power + std::hypot(a * v[3 * i + 1], b * v[3 * i + 2])) < 1e-10);
                    if (b == 0.0) CHECK(l[3 * i + 2] == 0.0);
                    if (b > 0.0) CHECK(std::hypot(l[3 * i + 1] / a, l[3 * i + 2] / b) <= 1.0 + 1e-9);
                }
            }
}

TEST_CASE("an ellipse with equal axes is the old disk, bit for bit") {
    for (const Solver& solver : extra_solvers())
        for (RStrategy strategy : kStrategies) {
            CAPTURE(solver.name);
            CAPTURE(name_of(strategy));
            const Dense d = random_problem(6, 5, 0.4);
            DelassusProblem plain = d.problem(), equal = d.problem();
            equal.across = equal.mu;
            // Jacobi takes local steps for global ones as soon as a system can have extra friction.
            if (solver.name == "prox_jacobi" && strategy == RStrategy::global) continue;
            SolveSettings settings = accurate(strategy, 0.0);
            settings.iterations = 40;
            CHECK(solve(solver, plain, settings) == solve(solver, equal, settings));
        }
    // On bodies: rows with no radius at all.
    for (const Solver& solver : extra_solvers()) {
        if (solver.name == "prox_jacobi") continue;  // other steps: its extra contacts are solved in their blocks
        Bodies plain = two_boxes(false), equal = two_boxes(false);
        for (uint32_t i = 0; i < 8; i += 3) equal.problem.add_extra(i, extra(0.5f, 0.0f, 0.0f));
        BodySystem a = system_of(plain), b = system_of(equal);
        SolveSettings settings = accurate(RStrategy::local, 0.0);
        settings.iterations = 40;
        solver.solve_bodies(a, settings);
        solver.solve_bodies(b, settings);
        for (uint32_t i = 0; i < 8; ++i) {
            CHECK(a.impulse(i).n == b.impulse(i).n);
            CHECK(a.impulse(i).t1 == b.impulse(i).t1);
            CHECK(a.impulse(i).t2 == b.impulse(i).t2);
        }
    }
}

TEST_CASE("spin takes from the friction of sliding what the ellipsoid says") {
    // Mass 1 and inertia e^2 = 0.01: tangents and torsion have equal weight, so the impulse points straight
    // against (3, 4, e w) and has length mu l_n = 0.5.
    for (const Solver& solver : extra_solvers())
        for (const float spin : {0.0f, 20.0f, 120.0f, -1000.0f}) {
            CAPTURE(solver.name);
            CAPTURE(spin);
            Bodies w = ball(0.5f, extra(0.5f, 0.1f, 0.0f), Vec3(0.0f, spin, 0.0f), 0.01f);
            BodySystem system = system_of(w);
            const SolveReport report = solver.solve_bodies(system, accurate(RStrategy::local, 1e-5));
            CHECK(report.stop == StopReason::tolerance);
            const double speed = std::hypot(5.0, 0.1 * double(spin));
            CHECK(system.impulse(0).t1 == doctest::Approx(-0.5 * 3.0 / speed).epsilon(1e-5));
            CHECK(system.impulse(0).t2 == doctest::Approx(-0.5 * 4.0 / speed).epsilon(1e-5));
            CHECK(w.velocity[1].angular.y ==
                  doctest::Approx(double(spin) - 0.5 * (0.1 * double(spin)) / speed * 0.1 / 0.01).epsilon(1e-5));
        }
}

TEST_CASE("torsion and rolling stop what they can stop, and give their most otherwise") {
    for (const Solver& solver : extra_solvers()) {
        CAPTURE(solver.name);
        // A slow spin about the normal at a point that does not slide: stopped. l_s = I w / e = 0.02.
        Bodies slow = ball(0.5f, extra(0.5f, 0.1f, 0.2f), Vec3(0.0f, 0.2f, 0.0f), 0.01f);
        slow.velocity[1].linear = Vec3(0.0f, -1.0f, 0.0f);
        BodySystem system = system_of(slow);
        solver.solve_bodies(system, accurate(RStrategy::local, 1e-6));
        CHECK(std::abs(slow.velocity[1].angular.y) < 2e-5f);
        CHECK(system.extra_state(0).impulse.n == doctest::Approx(-0.02).epsilon(1e-4));
        // A turn about a horizontal axis, arm 0: rolling of radius 0.2 m takes at most 0.2 l_n = 0.2 from 0.01 w.
        Bodies fast = ball(0.5f, extra(0.5f, 0.1f, 0.2f), Vec3(30.0f, 0.0f, 40.0f), 0.01f);
        fast.velocity[1].linear = Vec3(0.0f, -1.0f, 0.0f);
        BodySystem rolling = system_of(fast);
        solver.solve_bodies(rolling, accurate(RStrategy::local, 1e-5));
        CHECK(fast.velocity[1].angular.x == doctest::Approx(30.0 - 0.6 * 0.2 / 0.01).epsilon(1e-4));
        CHECK(fast.velocity[1].angular.z == doctest::Approx(40.0 - 0.8 * 0.2 / 0.01).epsilon(1e-4));
    }
}

TEST_CASE("a ball rolls on against rolling friction, coupled through its arm") {
    // Rolling without slipping: v and w answer one moment M = r l_n: dv = -R M / (I + m R^2).
    for (const Solver& solver : extra_solvers()) {
        CAPTURE(solver.name);
        const float radius = 0.5f, inertia = 0.4f * radius * radius;
        Bodies w = ball(0.9f, extra(0.9f, 0.0f, 0.05f), Vec3(8.0f, 0.0f, -6.0f), inertia, radius);
        BodySystem system = system_of(w);
        const SolveReport report = solver.solve_bodies(system, accurate(RStrategy::local, 4e-6));
        CHECK(report.stop == StopReason::tolerance);
        const double loss = 0.05 * 0.5 / (double(inertia) + 0.25);
        CHECK(w.velocity[1].linear.x == doctest::Approx(3.0 - 0.6 * loss).epsilon(1e-4));
        CHECK(w.velocity[1].linear.z == doctest::Approx(4.0 - 0.8 * loss).epsilon(1e-4));
    }
}

/// Four points carry a face in many ways, and each way has its own friction: the law is checked, not the motion.
TEST_CASE("plain and extra contacts mix, and both solvers satisfy the law of each") {
    for (const Solver& solver : extra_solvers())
        for (RStrategy strategy : kStrategies) {
            CAPTURE(solver.name);
            CAPTURE(name_of(strategy));
            Bodies w = two_boxes(true);
            BodySystem system = system_of(w);
            const SolveReport report = solver.solve_bodies(system, accurate(strategy, 4e-6));
            CHECK(report.stop == StopReason::tolerance);
            CHECK(measure_residual(system).max <= 4e-6);
        }
}

TEST_CASE("friction of every kind takes energy away and never gives it") {
    const auto energy = [](const Bodies& w) {
        double sum = 0.0;
        for (size_t b = 1; b < w.velocity.size(); ++b) {
            const double mass = 1.0 / double(w.inverse_mass[b].mass),
                         inertia = 1.0 / double(w.inverse_mass[b].inertia.xx);
            sum += 0.5 * mass * double(glm::dot(w.velocity[b].linear, w.velocity[b].linear)) +
                   0.5 * inertia * double(glm::dot(w.velocity[b].angular, w.velocity[b].angular));
        }
        return sum;
    };
    Bodies w = two_boxes(true);
    BodySystem system = system_of(w);
    const double before = energy(w);  // sweeps may give some of what they took back, never more
    SolveSettings one;
    one.rollback = false;
    one.iterations = 1;
    for (int k = 0; k < 60; ++k) {
        find_solver("prox_gs")->solve_bodies(system, one);
        CHECK(energy(w) < before);
    }
}

TEST_CASE("the residual of extra friction is the law's own formula, and sees what is not a number") {
    Bodies w = two_boxes(true);
    BodySystem system = system_of(w);
    SolveSettings one;
    one.rollback = false;
    one.iterations = 1;
    find_solver("prox_gs")->solve_bodies(system, one);
    for (const uint32_t i : {0u, 2u, 5u, 7u}) {
        const ExtraState x = system.extra_state(i);
        const double l_n = double(system.impulse(i).n), mu = double(system.friction(i));
        const double torsion = i == 2 ? 0.5 : i == 7 ? 0.65 : 0.0;
        CHECK(x.torsion == doctest::Approx(torsion));
        // lambda_max by many products instead of the characteristic polynomial.
        const Symmetric3& b = x.friction_block;
        double y[3] = {1.0, 0.7, 0.4}, top = 0.0;
        for (int k = 0; k < 4000; ++k) {
            const double z[3] = {b.xx * y[0] + b.xy * y[1] + b.xz * y[2], b.xy * y[0] + b.yy * y[1] + b.yz * y[2],
                                 b.xz * y[0] + b.yz * y[1] + b.zz * y[2]};
            top = std::sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
            for (int c = 0; c < 3; ++c) y[c] = z[c] / top;
        }
        const auto l = system.impulse(i);
        const auto v = system.tangent_velocity(i);
        const Axes3 at{double(l.t1), double(l.t2), x.impulse.n};
        const Axes3 p = project_ellipsoid<3>(
            {at[0] - double(v.x) / top, at[1] - double(v.y) / top, at[2] - (torsion > 0.0 ? x.velocity.n : 0.0) / top},
            {mu * l_n, x.across * l_n, torsion * l_n});
        double expected = top * std::sqrt((at[0] - p[0]) * (at[0] - p[0]) + (at[1] - p[1]) * (at[1] - p[1]) +
                                          (at[2] - p[2]) * (at[2] - p[2]));
        if (x.rolls) {
            const double w_r = x.rolling_block.t11;  // inertias are spheres: the block is a multiple of I
            CHECK(x.rolling_block.t12 == 0.0);
            const Real2<double> roll = project_disk(
                Real2<double>{x.impulse.t1 - x.velocity.t1 / w_r, x.impulse.t2 - x.velocity.t2 / w_r}, l_n);
            expected = std::max(expected, w_r * std::hypot(x.impulse.t1 - roll.x, x.impulse.t2 - roll.y));
        }
        CHECK(contact_residual(system, i).tangent == doctest::Approx(expected).epsilon(1e-6));
    }
    w.problem.extras[1].lambda.x = std::numeric_limits<float>::quiet_NaN();
    CHECK(std::isinf(measure_residual(system).max));
    SolveSettings settings;
    CHECK(find_solver("prox_gs")->solve_bodies(system, settings).stop == StopReason::stalled);
}

TEST_CASE("impulses of torsion and rolling are saved, restored and applied as a warm start") {
    Bodies w = two_boxes(true);
    BodySystem system = system_of(w);
    SolveSettings few;
    few.iterations = 5;
    few.rollback = false;
    find_solver("prox_gs")->solve_bodies(system, few);
    const auto spins = [&] {
        std::vector<float> all;
        for (const ExtraFriction& x : w.problem.extras) all.insert(all.end(), {x.lambda.x, x.lambda.y, x.lambda.z});
        for (const BodyVelocity& v : w.velocity) all.insert(all.end(), {v.linear.x, v.angular.y, v.angular.z});
        return all;
    };
    const std::vector<float> before = spins();
    system.save();
    find_solver("prox_gs")->solve_bodies(system, few);
    CHECK(spins() != before);
    system.restore();
    CHECK(spins() == before);
    // The same impulses on bodies that have not felt them yet.
    Bodies fresh = two_boxes(true);
    system_of(fresh);
    for (uint32_t i = 0; i < 8; ++i) fresh.problem.contacts[i].lambda = w.problem.contacts[i].lambda;
    for (size_t k = 0; k < 4; ++k) fresh.problem.extras[k].lambda = w.problem.extras[k].lambda;
    fresh.problem.apply_warm_start(0, 8);
    for (size_t b = 1; b < 3; ++b) {
        CHECK(glm::length(fresh.velocity[b].linear - w.velocity[b].linear) < 2e-6f);
        CHECK(glm::length(fresh.velocity[b].angular - w.velocity[b].angular) < 2e-5f);
    }
}

TEST_CASE("bodies that cannot move, and contacts without normal impulse, have no extra friction") {
    Bodies stuck;
    const uint32_t p = stuck.add(0.0f, Vec3(1, -1, 0));
    stuck.touch(0, p, 0.5f);
    stuck.problem.add_extra(0, extra(0.2f, 0.1f, 0.1f));
    BodySystem system = system_of(stuck);
    CHECK(find_solver("prox_gs")->solve_bodies(system, accurate(RStrategy::local, 1e-6)).stop == StopReason::tolerance);
    Bodies open = ball(0.5f, extra(0.2f, 0.1f, 0.1f), Vec3(1, 2, 3), 0.01f);
    open.velocity[1].linear = Vec3(1.0f, 2.0f, 0.0f);
    BodySystem away = system_of(open);
    for (const Solver& solver : extra_solvers()) {
        solver.solve_bodies(away, accurate(RStrategy::local, 1e-6));
        CHECK(open.velocity[1].angular == Vec3(1, 2, 3));
        CHECK(open.velocity[1].linear == Vec3(1, 2, 0));
    }
}

TEST_CASE("solvers that know one coefficient a contact refuse more, by name and untouched") {
    for (const Solver& solver : solver_table()) {
        if (solver.extra_friction) continue;
        CAPTURE(solver.name);
        Bodies w = two_boxes(true);
        BodySystem system = system_of(w);
        const SolveReport report = solver.solve_bodies(system, SolveSettings{});
        CHECK(report.stop == StopReason::failed);
        CHECK(report.note.find("prox_gs") != std::string_view::npos);
        CHECK(w.velocity[2].angular.y == 4.0f);
        DelassusProblem problem = random_problem(3, 1, 0.5).problem();
        problem.across = {0.5, 0.2, 0.5};
        DelassusSystem matrix(problem);
        CHECK(solver.solve_matrix(matrix, SolveSettings{}).stop == StopReason::failed);
        CHECK(matrix.impulse(1).n == 0.0);
    }
}
