// SPDX-License-Identifier: MIT
// What the solver stage makes of bodies: free flight, rest, impacts, bodies that nothing moves, and numbers
// that are none.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/gpu/solver_rig.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;
using compute::world::SolveMethod;
using compute::world::SolverSettings;

namespace {

SolverSettings usual(SolveMethod method = SolveMethod::gauss_seidel, bool bounces = false) {
    Result<SolverSettings> made = compute::world::make_solver_settings(physics::StepSettings{}, 1.0f / 60.0f, bounces);
    REQUIRE(made.ok());
    made->method = method;
    if (method == SolveMethod::jacobi) made->iterations = 8;
    return made.value();
}

/// A ball that falls on a plane, at which it has one point while it is near.
struct Ball {
    HostStep step;
    float radius = 0.5f;

    Ball(float height, float restitution) {
        add_body(step, 0.0f, {}, Vec3(0.0f));
        const float i = 0.4f * 2.0f * radius * radius;
        add_body(step, 2.0f, {i, i, i, 0.0f, 0.0f, 0.0f}, {0.0f, radius + height, 0.0f});
        HostManifold m;
        m.a = 0;
        m.b = 1;
        m.restitution = restitution;
        m.surface = cw::kRollsB;
        m.points.resize(1);
        step.manifolds.push_back(m);
    }
    float height() const { return step.poses[2].y - radius; }
    /// As the contact stage would: the point between the ball and the plane, where it is now.
    void look() {
        const Vec3 centre = to_vec3(step.poses[2]);
        HostManifold& m = step.manifolds[0];
        m.shift = -centre;
        m.points[0].arm = {centre.x, 0.5f * height(), centre.z};
        m.points[0].gap = height();
    }
};

/// A unit cube on the ground with four points; the manifold goes on with its impulses.
struct Cube {
    HostStep step;

    Cube() {
        add_body(step, 0.0f, {}, Vec3(0.0f));
        const float i = 10.0f / 6.0f;
        add_body(step, 10.0f, {i, i, i, 0.0f, 0.0f, 0.0f}, {0.0f, 0.5f, 0.0f});
        HostManifold m;
        m.a = 0;
        m.b = 1;
        m.points.resize(4);
        step.manifolds.push_back(m);
    }
    void look() {
        const Vec3 centre = to_vec3(step.poses[2]);
        const cw::vec4 q = step.poses[3];
        const Quat rotation(q.w, q.x, q.y, q.z);
        HostManifold& m = step.manifolds[0];
        m.shift = -centre;
        for (uint32_t k = 0; k < 4; ++k) {
            const Vec3 corner = centre + rotation * Vec3(k & 1 ? 0.5f : -0.5f, -0.5f, k & 2 ? 0.5f : -0.5f);
            m.points[k].arm = {corner.x, 0.5f * corner.y, corner.z};
            m.points[k].gap = corner.y;
        }
    }
};

}  // namespace

TEST_CASE("free flight on the device is that of the CPU") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    TestWorld test;
    physics::StepSettings settings = test.settings();
    settings.sleeping = false;
    settings.direct_islands = false;
    test.set(settings);
    const Vec3 push(3.0f, 1.0f, -2.0f), twist(40.0f, 5.0f, 20.0f);
    for (uint32_t i = 0; i < 8; ++i) {
        const ShapeDesc shape =
            i % 2 == 0 ? TestWorld::box({0.5f, 0.3f, 0.1f}) : TestWorld::sphere(0.2f + 0.1f * float(i));
        TestWorld::Options options;
        options.type = i == 6 ? BodyType::kinematic : i == 7 ? BodyType::fixed : BodyType::dynamic;
        options.position = {10.0f * float(i), 2.0f, 0.0f};
        options.rotation = turn({1.0f, 2.0f, float(i)}, 20.0f * float(i));
        // The last box turns so fast that a sub-step no longer resolves it.
        const float speed = i == 4 ? 200.0f : 6.0f;
        options.velocity = {{1.0f, 0.5f * float(i), -1.0f}, Vec3(0.2f, speed, 0.3f)};
        if (i == 7) options.velocity = {};
        const Entity body = test.body(shape, options);
        RigidBody& rigid = test.world.registry().get<RigidBody>(body);
        rigid.gravity_scale = 0.5f * float(i % 3);
        rigid.linear_damping = i == 2 ? 0.7f : 0.0f;
        rigid.angular_damping = i == 3 ? 1.3f : 0.0f;
    }
    const std::vector<Entity> bodies(test.world.bodies().begin(), test.world.bodies().end());
    const Entity pushed = bodies[0];
    test.world.registry().get<physics::Force>(pushed) = {push, twist};
    HostStep step = bodies_of(test.world);
    REQUIRE((word(step.bodies[0].inverse1.w) & cw::kGyroscopic) != 0);
    REQUIRE((word(step.bodies[1].inverse1.w) & cw::kGyroscopic) == 0);
    for (uint32_t k = 0; k < 30; ++k) {
        // A step uses forces up, here and there.
        test.world.registry().get<physics::Force>(pushed) = {push, twist};
        step.bodies[0].force = {push.x, push.y, push.z, step.bodies[0].force.w};
        step.bodies[0].torque = {twist.x, twist.y, twist.z, step.bodies[0].torque.w};
        test.step();
        rig.run(step, usual(k % 2 == 0 ? SolveMethod::gauss_seidel : SolveMethod::jacobi));
    }
    const HostStep cpu = bodies_of(test.world);
    for (uint32_t i = 0; i < bodies.size(); ++i) {
        CAPTURE(i);
        const cw::vec4 &p = step.poses[2 * i + 1], &q = cpu.poses[2 * i + 1];
        CHECK(glm::length(to_vec3(step.poses[2 * i]) - to_vec3(cpu.poses[2 * i])) < 1e-4f);
        CHECK(std::abs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w) > (i == 4 ? 0.999f : 1.0f - 1e-5f));
        const float spin = glm::length(to_vec3(cpu.velocities[2 * i + 1]));
        CHECK(glm::length(to_vec3(step.velocities[2 * i]) - to_vec3(cpu.velocities[2 * i])) < 1e-4f);
        CHECK(glm::length(to_vec3(step.velocities[2 * i + 1]) - to_vec3(cpu.velocities[2 * i + 1])) <
              (i == 4 ? 0.05f : 1e-3f) * (1.0f + spin));
    }
    CHECK(step.status.steps == 30);
    CHECK(step.status.manifolds == 0);
}

TEST_CASE("a cube at rest on the device stays where it is") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    for (const SolveMethod method : {SolveMethod::gauss_seidel, SolveMethod::jacobi}) {
        Cube cube;
        SolverSettings settings = usual(method);
        for (uint32_t k = 0; k < 40; ++k) {
            cube.look();
            rig.run(cube.step, settings);
        }
        const Vec3 centre = to_vec3(cube.step.poses[2]);
        CHECK(std::abs(centre.x) < 1e-5f);
        CHECK(std::abs(centre.y - 0.5f) < 1e-3f);
        CHECK(std::abs(centre.z) < 1e-5f);
        CHECK(glm::length(to_vec3(cube.step.velocities[2])) < 1e-3f);
        CHECK(std::abs(cube.step.poses[3].w) > 1.0f - 1e-6f);
        float carried = 0.0f;
        for (const HostPoint& p : cube.step.manifolds[0].points) carried += p.lambda.x;
        CHECK(carried == doctest::Approx(10.0f * 9.81f * settings.dt / float(settings.substeps)).epsilon(0.01));
    }
}

TEST_CASE("a kinematic body on the device pushes and is not pushed") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    Ball ball(0.0f, 0.0f);
    ball.step.bodies[0].inverse1.w = bits(cw::kKinematic);
    ball.step.velocities[0] = {0.0f, 2.0f, 0.0f, 0.0f};
    float floor = 0.0f;
    for (uint32_t k = 0; k < 20; ++k) {
        HostManifold& m = ball.step.manifolds[0];
        const Vec3 a = to_vec3(ball.step.poses[0]), b = to_vec3(ball.step.poses[2]);
        m.shift = a - b;
        m.points[0].gap = b.y - ball.radius - a.y;
        m.points[0].arm = {0.0f, 0.5f * m.points[0].gap, 0.0f};
        rig.run(ball.step, usual());
        floor += 2.0f / 60.0f;
    }
    CHECK(ball.step.poses[0].y == doctest::Approx(floor).epsilon(1e-4));
    CHECK(ball.step.velocities[0].y == 2.0f);
    CHECK(ball.step.velocities[2].y == doctest::Approx(2.0f).epsilon(0.01));
    CHECK(ball.step.poses[2].y == doctest::Approx(floor + ball.radius).epsilon(0.01));
}

TEST_CASE("a ball on the device bounces to the square of the restitution") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    for (const SolveMethod method : {SolveMethod::gauss_seidel, SolveMethod::jacobi}) {
        Ball ball(1.0f, 0.7f);
        SolverSettings settings = usual(method, true);
        settings.substeps = 4;
        settings.iterations = 1;
        settings.impact_passes = 1;
        uint32_t bounces = 0;
        float top = 0.0f;
        for (uint32_t k = 0; k < 55; ++k) {
            ball.look();
            if (ball.height() > 0.05f) ball.step.manifolds[0].points.clear();
            rig.run(ball.step, settings);
            ball.step.manifolds[0].points.resize(1);
            bounces += ball.step.status.bounces;
            if (bounces > 0) top = std::max(top, ball.height());
        }
        CHECK(bounces == 1);
        CHECK(top == doctest::Approx(0.49f).epsilon(0.05));
    }
}

TEST_CASE("an impact on the device travels through a row of balls") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    HostStep step;
    for (uint32_t i = 0; i < 4; ++i) {
        add_body(step, 1.0f, {0.1f, 0.1f, 0.1f, 0.0f, 0.0f, 0.0f}, {float(i), 0.0f, 0.0f});
        if (i == 0) continue;
        HostManifold m;
        m.a = i - 1;
        m.b = i;
        m.normal = {1.0f, 0.0f, 0.0f};
        m.shift = {-1.0f, 0.0f, 0.0f};
        m.friction = 0.0f;
        m.restitution = 1.0f;
        m.points.push_back({{0.5f, 0.0f, 0.0f}, 0.0f, {}});
        step.manifolds.push_back(m);
    }
    step.velocities[0] = {4.0f, 0.0f, 0.0f, 0.0f};
    SolverSettings settings = usual(SolveMethod::gauss_seidel, true);
    settings.gravity = Vec3(0.0f);
    rig.run(step, settings);
    CHECK(step.status.bounces == 3);
    for (uint32_t i = 0; i < 4; ++i)
        CHECK(step.velocities[2 * i].x == doctest::Approx(i == 3 ? 4.0f : 0.0f).epsilon(1e-4));
}

TEST_CASE("a step of the solver stage that was stopped changes nothing") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    for (const SolveMethod method : {SolveMethod::gauss_seidel, SolveMethod::jacobi}) {
        Cube cube;
        cube.look();
        rig.run(cube.step, usual(method, true));  // its own lists are full of numbers now
        cube.look();
        cube.step.manifolds[0].restitution = 0.5f;
        cube.step.velocities[2] = {0.0f, -3.0f, 0.0f, 0.0f};
        cube.step.status.stopped = cw::kStoppedWord;
        const HostStep before = cube.step;
        rig.run(cube.step, usual(method, true));
        CHECK(same_bits(before, cube.step));
    }
}

TEST_CASE("a body that is not finite is left out, and its neighbours are not") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    for (const uint32_t wrong : {0u, 1u, 2u}) {
        CAPTURE(wrong);
        Cube cube;  // and a second one upon it
        add_body(cube.step, 10.0f, {2.0f, 2.0f, 2.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 1.5f, 0.0f});
        HostManifold upper;
        upper.a = 1;
        upper.b = 2;
        upper.shift = {0.0f, -1.0f, 0.0f};
        for (uint32_t k = 0; k < 4; ++k)
            upper.points.push_back({{k & 1 ? 0.5f : -0.5f, 0.5f, k & 2 ? 0.5f : -0.5f}, 0.0f, {}});
        cube.step.manifolds.push_back(upper);
        if (wrong == 0) cube.step.velocities[4].x = nan;    // comes in
        if (wrong == 1) cube.step.bodies[2].force.y = inf;  // comes in as well
        if (wrong == 2) cube.step.velocities[5].y = 3e38f;  // overflows on the way
        if (wrong == 2) cube.step.manifolds.pop_back();
        const cw::vec4 position = cube.step.poses[4];
        for (uint32_t k = 0; k < 3; ++k) {
            cube.look();
            rig.run(cube.step, usual());
        }
        CHECK(cube.step.status.quarantined == 1);
        CHECK((word(cube.step.bodies[2].inverse1.w) & cw::kQuarantined) != 0);
        CHECK((word(cube.step.bodies[1].inverse1.w) & cw::kQuarantined) == 0);
        CHECK(to_vec3(cube.step.poses[4]) == to_vec3(position));
        CHECK(to_vec3(cube.step.velocities[4]) == Vec3(0.0f));
        CHECK(to_vec3(cube.step.velocities[5]) == Vec3(0.0f));
        CHECK(std::abs(cube.step.poses[2].y - 0.5f) < 1e-3f);
        CHECK(std::isfinite(bits(cube.step.status.residual_max)));
    }
}

TEST_CASE("a sweep of Jacobi is two dispatches, and a sub-step has four more") {
    GpuRig gpu;
    if (!gpu) return;
    SolverRig rig(gpu);
    std::vector<std::string> kernels;
    rig.stage().watch(
        [](void* list, const char* kernel) { static_cast<std::vector<std::string>*>(list)->push_back(kernel); },
        &kernels);
    Cube cube;
    cube.look();
    SolverSettings settings = usual(SolveMethod::jacobi);
    settings.iterations = 3;
    settings.substeps = 5;
    settings.relax_iterations = 0;
    rig.run(cube.step, settings);
    const auto count = [&](const char* name) { return std::count(kernels.begin(), kernels.end(), name); };
    CHECK(count("solve_jacobi") == 5 * 3);
    CHECK(count("solve_gather") + count("solve_bodies") == 5 * 3 + 5);
    CHECK(count("solve_closing") + count("solve_few_impacts") + count("solve_place") == 5 * 3 + 1);
    CHECK(count("solve_sweep") == 0);
    CHECK(count("solve_impact") == 0);
    CHECK(kernels.size() == 2 * 5 * 3 + 5 * 4 + 1 + 10);
    CHECK(rig.commands().counts().submits == 1);
    rig.stage().watch(nullptr, nullptr);
}
