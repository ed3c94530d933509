// SPDX-License-Identifier: MIT
// Contact problems of running scenes, for tests that solve one twice.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "physics/contact/capture.h"
#include "physics/contact/problem.h"
#include "physics/contact/residual.h"
#include "physics/scene/scene.h"
#include "physics/world.h"
#include "samples/scenes/scenes.h"

namespace proxima::test {

/// A problem with bodies of its own; copies are independent.
struct OwnProblem {
    std::vector<physics::BodyVelocity> velocity;
    std::vector<physics::BodyInverseMass> mass;
    physics::ContactProblem problem;
    physics::BodySystem::Scratch scratch;
    std::vector<uint32_t> bodies;

    OwnProblem() = default;
    explicit OwnProblem(const physics::ContactDump& dump) : velocity(dump.velocity), mass(dump.inverse_mass) {
        problem.contacts = dump.contacts;
        problem.groups = dump.groups;
        connect();
        for (physics::Contact& c : problem.contacts) problem.compute_blocks(c);
    }
    OwnProblem(const OwnProblem& other) : velocity(other.velocity), mass(other.mass), problem(other.problem) {
        connect();
    }
    OwnProblem& operator=(const OwnProblem&) = delete;

    void connect() {
        problem.velocity = velocity;
        problem.inverse_mass = mass;
        bodies.resize(velocity.size());
        std::iota(bodies.begin(), bodies.end(), 0u);
    }
    physics::BodySystem system() { return {problem, 0, uint32_t(problem.groups.size()), bodies, scratch}; }
    void apply_warm_start() { problem.apply_warm_start(0, uint32_t(problem.contacts.size())); }
    physics::SolveReport solve_on_cpu(const char* solver, const physics::SolveSettings& settings) {
        physics::BodySystem all = system();
        return physics::find_solver(solver)->solve_bodies(all, settings);
    }
};

/// The contacts of a scene when it makes its next step, with the warm start in the impulses only.
inline physics::ContactDump capture(const std::string& scene_name, uint32_t step) {
    Result<physics::SceneDesc> scene = samples::make_scene(scene_name);
    REQUIRE_MESSAGE(scene.ok(), scene.error());
    scene->settings.sleeping = false;
    physics::PhysicsWorld world;
    REQUIRE(physics::instantiate(scene.value(), world).ok());
    for (uint32_t i = 0; i < step; ++i) REQUIRE(world.step(scene->run.dt).ok());
    const Result<physics::ContactDump> dump = world.capture(scene->run.dt);
    REQUIRE_MESSAGE(dump.ok(), dump.error());
    return dump.value();
}

/// The largest difference of two impulses over the largest impulse.
inline double difference(const OwnProblem& a, const OwnProblem& b) {
    double most = 0.0, apart = 0.0;
    for (size_t i = 0; i < a.problem.contacts.size(); ++i) {
        const Vec3 x = a.problem.contacts[i].lambda, y = b.problem.contacts[i].lambda;
        most = std::max(most, double(glm::length(x)));
        const double d = double(glm::length(x - y));
        apart = std::isfinite(d) ? std::max(apart, d) : HUGE_VAL;
    }
    return apart / std::max(most, 1e-30);
}

}  // namespace proxima::test
