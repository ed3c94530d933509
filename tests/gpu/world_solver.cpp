// SPDX-License-Identifier: MIT
// The solver stage of a world on the device: its sweeps against the solvers of the CPU on the same contacts,
// its whole step against a step of the CPU, and its colours.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "physics/contact/residual.h"
#include "physics/scale.h"
#include "physics/scene/scene.h"
#include "physics/solvers/friction_set.h"
#include "physics/solvers/normal_row.h"
#include "samples/scenes/scenes.h"
#include "tests/gpu/contact_problems.h"
#include "tests/gpu/solver_rig.h"
#include "tests/support/random.h"

using namespace proxima;
using namespace proxima::test;
using compute::world::SolveMethod;
using compute::world::SolverSettings;

namespace {

physics::SceneDesc scene_of(const std::string& name) {
    Result<physics::SceneDesc> scene = samples::make_scene(name);
    REQUIRE_MESSAGE(scene.ok(), scene.error());
    scene->settings.sleeping = false;
    scene->settings.direct_islands = false;
    return scene.value();
}

/// Contacts of a scene after some steps, with their impulses.
HostStep contacts_of(const std::string& name, uint32_t steps) {
    const physics::SceneDesc scene = scene_of(name);
    physics::PhysicsWorld world;
    REQUIRE(physics::instantiate(scene, world).ok());
    for (uint32_t i = 0; i < steps; ++i) REQUIRE(world.step(scene.run.dt).ok());
    HostStep step = bodies_of(world);
    add_manifolds(world, step);
    REQUIRE(!step.manifolds.empty());
    return step;
}

/// The first sub-step of a step as a problem of the CPU: forces in the velocities, soft laws, warm start
/// applied. The groups come in the order given.
struct HostProblem {
    std::vector<physics::BodyVelocity> velocity;
    std::vector<physics::BodyInverseMass> mass;
    physics::ContactProblem problem;
    physics::BodySystem::Scratch scratch;
    std::vector<uint32_t> bodies, order;
    std::vector<float> radius;

    HostProblem(const HostStep& step, const SolverSettings& s, std::vector<uint32_t> order_)
        : order(std::move(order_)) {
        const float h = s.dt / float(s.substeps);
        for (uint32_t i = 0; i < step.bodies.size(); ++i) {
            const cw::WorldBody& b = step.bodies[i];
            const cw::vec4& q = step.poses[2 * i + 1];
            const bool dynamic = step.is_dynamic(i);
            physics::BodyVelocity v{to_vec3(step.velocities[2 * i]), 0.0f, to_vec3(step.velocities[2 * i + 1]), 0.0f};
            physics::BodyInverseMass m;
            if (dynamic) {
                v.linear += h * b.inertia1.w * s.gravity;
                m.mass = b.inverse1.z;
                m.inertia =
                    rotate(Sym3{b.inverse0.x, b.inverse0.y, b.inverse0.z, b.inverse0.w, b.inverse1.x, b.inverse1.y},
                           Quat(q.w, q.x, q.y, q.z));
            }
            velocity.push_back(v);
            mass.push_back(m);
            radius.push_back(b.before0.w);
            bodies.push_back(i);
        }
        problem.velocity = velocity;
        problem.inverse_mass = mass;
        for (const uint32_t p : order) add(step.manifolds[p], s, h);
        problem.apply_warm_start(0, uint32_t(problem.contacts.size()));
    }
    void add(const HostManifold& m, const SolverSettings& s, float h) {
        const uint32_t begin = uint32_t(problem.contacts.size());
        const bool immovable = mass[m.a].mass == 0.0f || mass[m.b].mass == 0.0f;
        const float scale = physics::speed_scale(
            physics::moving_radius(radius[m.a], mass[m.a].mass > 0.0f, radius[m.b], mass[m.b].mass > 0.0f));
        const physics::SoftContact soft = physics::soften(s.softness, scale, immovable, h);
        const float max_push = s.softness.max_push_speed * scale;
        for (const HostPoint& p : m.points) {
            physics::Contact c;
            c.a = m.a;
            c.b = m.b;
            c.normal = m.normal;
            make_tangents(m.normal, c.tangent1, c.tangent2);
            c.arm_a = p.arm;
            c.arm_b = p.arm + m.shift;
            c.friction = m.friction;
            c.lambda = p.lambda;
            problem.compute_blocks(c);
            c.bias = p.gap > 0.0f ? p.gap / h : std::max(soft.push_rate * p.gap, -max_push);
            c.compliance = p.gap > 0.0f ? 0.0f : soft.compliance_factor * c.normal_block;
            problem.contacts.push_back(c);
        }
        problem.groups.push_back({begin, uint32_t(problem.contacts.size())});
    }
    physics::BodySystem system() { return {problem, 0, uint32_t(problem.groups.size()), bodies, scratch}; }
    void solve(const char* solver, uint32_t iterations) {
        physics::SolveSettings s;
        s.iterations = iterations;
        s.rollback = false;
        physics::BodySystem all = system();
        physics::find_solver(solver)->solve_bodies(all, s);
    }
    /// Sweeps as contact_sweep.simd.cpp has them: normals, friction, normals; a patch that carried nothing finds its load
    /// first, and friction stays in its disk.
    void sweep(uint32_t times) {
        physics::BodySystem all = system();
        for (uint32_t k = 0; k < times; ++k)
            for (uint32_t g = 0; g < all.group_count(); ++g) sweep_group(all, all.group(g));
    }
    static void sweep_group(physics::BodySystem& all, const physics::ContactGroup& group) {
        const auto normals = [&] {
            for (uint32_t i = group.begin; i < group.end; ++i) physics::relax_normal(all, i, 1.0f, 0.0f);
        };
        const auto friction = [&](uint32_t i, float step) {
            const auto l = all.impulse(i);
            const auto v = all.tangent_velocity(i);
            const auto next = physics::project_disk(physics::Real2<float>{l.t1 - step * v.x, l.t2 - step * v.y},
                                                    all.friction(i) * l.n);
            all.add_tangent(i, {next.x - l.t1, next.y - l.t2});
        };
        bool fresh = true;
        for (uint32_t i = group.begin; i < group.end; ++i) fresh = fresh && !(all.impulse(i).n > 0.0f);
        const bool single = group.end - group.begin == 1;
        for (int pass = single ? 0 : -1; pass < (fresh ? (single ? 1 : 8) : 0); ++pass) normals();
        for (uint32_t i = group.begin; i < group.end; ++i) friction(i, all.tangent_step(i));
        std::vector<float> before;
        for (uint32_t i = group.begin; i < group.end; ++i) before.push_back(all.impulse(i).n);
        normals();
        for (uint32_t i = group.begin; i < group.end; ++i) {
            // What slides stays at the edge of its disk.
            const auto l = all.impulse(i);
            const float load = before[i - group.begin], edge = 0.9999f * all.friction(i) * load;
            if (edge > 1e-20f && l.t1 * l.t1 + l.t2 * l.t2 >= edge * edge && l.n <= 2.0f * load)
                all.add_tangent(i, {l.t1 * (l.n / load - 1.0f), l.t2 * (l.n / load - 1.0f)});
            friction(i, 0.0f);
        }
    }
    /// Of the impulses here and there, over the largest.
    double difference(const HostStep& step) const {
        double most = 1e-30, max_difference = 0.0;
        for (size_t g = 0; g < order.size(); ++g)
            for (uint32_t i = problem.groups[g].begin; i < problem.groups[g].end; ++i) {
                const Vec3 x = problem.contacts[i].lambda;
                const Vec3 y = step.manifolds[order[g]].points[i - problem.groups[g].begin].lambda;
                most = std::max(most, double(glm::length(x)));
                const double d = double(glm::length(x - y));
                max_difference = std::isfinite(d) ? std::max(max_difference, d) : HUGE_VAL;
            }
        return max_difference / most;
    }
};

std::vector<uint32_t> all_of(const HostStep& step) {
    std::vector<uint32_t> order(step.manifolds.size());
    std::iota(order.begin(), order.end(), 0u);
    return order;
}
std::vector<uint32_t> by_colour(const HostStep& step) {
    std::vector<uint32_t> order = all_of(step);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t x, uint32_t y) { return step.manifolds[x].colour < step.manifolds[y].colour; });
    return order;
}

}  // namespace

TEST_CASE("Jacobi sweeps of the world on the device are those of the CPU") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    for (const char* scene : {"pyramid10", "arch25", "tower10"}) {
        const HostStep start = contacts_of(scene, 20);
        for (const uint32_t sweeps : {1u, 7u, 40u}) {
            CAPTURE(scene);
            CAPTURE(sweeps);
            const SolverSettings settings = settings_of(SolveMethod::jacobi, 1, sweeps, 0);
            HostProblem host(start, settings, all_of(start));
            host.solve("prox_jacobi", sweeps);
            HostStep step = start;
            rig.run(step, settings);
            CHECK(host.difference(step) < 1e-4);
            CHECK(step.status.steps == 1);
            CHECK(step.status.manifolds == start.manifolds.size());
        }
    }
}

TEST_CASE("coloured sweeps on the device are those of the CPU in the order of the colours") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    for (const char* scene : {"pyramid10", "arch25", "tower10"}) {
        const HostStep start = contacts_of(scene, 20);
        for (const uint32_t sweeps : {1u, 5u, 30u}) {
            CAPTURE(scene);
            CAPTURE(sweeps);
            const SolverSettings settings = settings_of(SolveMethod::gauss_seidel, 1, sweeps, 0);
            HostStep step = start;
            rig.run(step, settings);
            CHECK(check_colours(step) == 0);
            CHECK(step.status.uncoloured == 0);
            HostProblem host(start, settings, by_colour(step));
            host.sweep(sweeps);
            CHECK(host.difference(step) < 1e-4);
        }
    }
}

TEST_CASE("many sweeps on the device end at the contact law") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    HostStep step = contacts_of("pyramid10", 20);
    SolverSettings settings = settings_of(SolveMethod::gauss_seidel, 1, 1, 0);
    rig.run(step, settings);
    const float before = bits(step.status.residual_max);
    step = contacts_of("pyramid10", 20);
    settings.softness.soft = false;
    settings.iterations = 1000;
    rig.run(step, settings);
    CHECK(bits(step.status.residual_max) < 1e-4f);
    CHECK(bits(step.status.residual_max) < before);
    CHECK(step.status.residual_sum >= bits(step.status.residual_max));
}

TEST_CASE("the device measures the residual and the overlap as the CPU does") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    const HostStep start = contacts_of("pyramid10", 20);
    SolverSettings settings = settings_of(SolveMethod::jacobi, 1, 3, 0);
    settings.softness.soft = false;  // the law that is solved is the one that is measured
    // Nothing moves on, so that gaps and biases are those that were solved for.
    HostStep step = start;
    for (HostManifold& m : step.manifolds)
        for (HostPoint& p : m.points) p.gap = std::min(p.gap, 0.0f);
    HostProblem host(step, settings, all_of(step));
    host.solve("prox_jacobi", 3);
    const physics::Residual meter = physics::measure_residual(host.system());
    rig.run(step, settings);
    // Bodies have moved on by then; overlaps that opened by micrometres have another bias.
    CHECK(bits(step.status.residual_max) == doctest::Approx(meter.max).epsilon(0.05));
    CHECK(step.status.points == host.problem.contacts.size());
    CHECK(bits(step.status.penetration_max) > 0.0f);
    CHECK(step.status.overlapping > 0);
    CHECK(step.status.overlapping <= step.status.points);
    CHECK(step.status.penetration_sum <= bits(step.status.penetration_max) * float(step.status.overlapping));
}

TEST_CASE("a whole step of Jacobi on the device is a step of the CPU") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    for (const char* name : {"tower4", "tower10"}) {
        CAPTURE(name);
        physics::SceneDesc scene = scene_of(name);
        scene.settings.solver = "prox_jacobi";
        scene.settings.iterations = 4;
        scene.settings.relax_iterations =
            0;  // laboratory solvers take push-out back row by row, the device all at once
        physics::PhysicsWorld world;
        REQUIRE(physics::instantiate(scene, world).ok());
        Random random{5};
        for (const physics::Entity body : world.bodies())
            if (world.registry().get<physics::RigidBody>(body).type == physics::BodyType::dynamic)
                // They slide and turn on each other; blows would go from manifold to manifold in another order.
                world.registry().get<physics::Velocity>(body) = {in_box(random, 0.3f) * Vec3(1.0f, 0.0f, 1.0f),
                                                                 in_box(random, 0.5f) * Vec3(0.0f, 1.0f, 0.0f)};
        // In its first step all manifolds of a world are new: made where the bodies stand, without impulses.
        HostStep step = bodies_of(world);
        REQUIRE(world.step(scene.run.dt).ok());
        const HostStep after = bodies_of(world);
        // Impacts go from manifold to manifold: in the order of the cpu.
        add_manifolds(world, step, true);
        HostStep impulses = after;
        add_manifolds(world, impulses, true);
        REQUIRE(step.manifolds.size() >= 4);
        for (HostManifold& m : step.manifolds)
            for (HostPoint& p : m.points) p.lambda = Vec3(0.0f);

        Result<SolverSettings> settings =
            compute::world::make_solver_settings(scene.settings, float(scene.run.dt), false);
        REQUIRE(settings.ok());
        CHECK(settings->method == SolveMethod::jacobi);
        rig.run(step, settings.value());
        double velocity = 0.0, position = 0.0, lambda = 0.0, most = 1e-30;
        for (size_t i = 0; i < step.poses.size(); ++i) {
            velocity =
                std::max(velocity, double(glm::length(to_vec3(step.velocities[i]) - to_vec3(after.velocities[i]))));
            position = std::max(position, double(glm::length(to_vec3(step.poses[i]) - to_vec3(after.poses[i]))));
        }
        for (size_t p = 0; p < step.manifolds.size(); ++p)
            for (size_t k = 0; k < step.manifolds[p].points.size(); ++k) {
                const Vec3 x = step.manifolds[p].points[k].lambda, y = impulses.manifolds[p].points[k].lambda;
                lambda = std::max(lambda, double(glm::length(x - y)));
                most = std::max(most, double(glm::length(y)));
            }
        // What sweeps leave of closing speeds are small blows, again and again: rounding grows in them, and the cpu has no
        // impacts for those without restitution (solve/general/island_impacts.h).
        CHECK(velocity < 3e-3);
        CHECK(position < 3e-5);
        CHECK(lambda < 4e-2 * most);
    }
}

TEST_CASE("momentum brings Jacobi nearer to the law in as many sweeps") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    const HostStep start = contacts_of("pyramid10", 20);
    SolverSettings settings = settings_of(SolveMethod::jacobi, 1, 40, 0);
    settings.softness.soft = false;
    HostStep plain = start, fast = start;
    rig.run(fast, settings);
    settings.momentum = {};
    rig.run(plain, settings);
    CHECK(fast.status.residual_sum < 0.7f * plain.status.residual_sum);
}

TEST_CASE("a step of the solver stage gives the same bits in every run and on both turns") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    const HostStep start = random_contacts(150, 900, 3);
    for (const SolveMethod method : {SolveMethod::gauss_seidel, SolveMethod::jacobi}) {
        SolverSettings settings = settings_of(method, 4, 2, 1);
        settings.colours = 8;  // some colours are solved apart
        HostStep first = start;
        rig.run(first, settings);
        CHECK(first.status.steps == 1);
        if (method == SolveMethod::gauss_seidel) CHECK(first.status.colours > 12);
        for (uint32_t k = 1; k < 5; ++k) {
            HostStep again = start;
            rig.run(again, settings, k & 1u);
            CHECK(same_bits(first, again));
        }
    }
}
