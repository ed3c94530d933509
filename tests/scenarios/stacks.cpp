// SPDX-License-Identifier: MIT
// The structures of the benchmark, at default settings and full length, judged from poses alone.
#include <vector>

#include "samples/scenes/evaluate.h"
#include "samples/scenes/scenes.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

struct Outcome {
    bool stands = false;
    double displacement = 0.0, drift = 0.0, penetration = 0.0;
    double residual = 0.0;
};

Outcome run_scene(const char* name, bool direct) {
    auto scene = samples::make_scene(name);
    REQUIRE_MESSAGE(scene.ok(), scene.error());
    CHECK_FALSE(scene->settings.sleeping);  // nothing may stand because it was frozen
    scene->settings.direct_islands = direct;
    PhysicsWorld world;
    const auto bodies = instantiate(scene.value(), world);
    REQUIRE_MESSAGE(bodies.ok(), bodies.error());
    const auto poses = [&] {
        std::vector<Pose> out;
        for (const Entity e : bodies.value()) out.push_back(world.registry().get<Pose>(e));
        return out;
    };
    const std::vector<Pose> start = poses();
    std::vector<Pose> settled = start;
    for (uint32_t i = 0; i < scene->run.steps; ++i) {
        if (i == scene->run.settled_from) settled = poses();
        REQUIRE(world.step(scene->run.dt).ok());
    }
    const std::vector<Pose> end = poses();
    const samples::Evaluator evaluator(scene.value());
    Outcome o;
    o.stands = evaluator.stands(start, end).value_or(false);
    o.displacement = evaluator.motion(start, end).max;
    o.drift = evaluator.motion(settled, end).max;
    o.penetration = evaluator.penetration(end).max;
    o.residual = world.report().residual_mean;
    MESSAGE(name << ": displacement " << 1e3 * o.displacement << " mm, drift " << 1e3 * o.drift << " mm, penetration "
                 << 1e3 * o.penetration << " mm, residual " << o.residual << " m/s");
    return o;
}

}  // namespace

TEST_CASE("eight stacks stand within 5 mm and drift by at most 2 mm, a thousand times the mass on top included") {
    for (const char* name : {"mass10", "mass100", "mass1000", "tower20", "tower30", "arch25", "cards5", "pyramid20"}) {
        CAPTURE(name);
        const Outcome o = run_scene(name, true);
        CHECK(o.stands);
        CHECK(o.displacement < 0.005);
        CHECK(o.drift < 0.002);
        CHECK(o.penetration < 0.0005);
        CHECK(o.residual < 1e-5);
    }
}

TEST_CASE("pyramid60, 1830 cubes in one island, moves by less than 1 mm in 15 s") {
    const Outcome o = run_scene("pyramid60", true);
    CHECK(o.stands);
    CHECK(o.displacement < 0.001);
    CHECK(o.drift < 0.0005);
    CHECK(o.penetration < 0.0005);
}

// What sweeps alone reach. Limits lie above what was measured by a third or more, and below what other
// engines reach, where they stand at all.
TEST_CASE("pyramid20 stands for 15 s and drifts less than 1 mm") {
    const Outcome o = run_scene("pyramid20", false);
    CHECK(o.stands);
    CHECK(o.displacement < 0.020);
    CHECK(o.drift < 0.001);
    CHECK(o.residual < 1e-4);
}

TEST_CASE("tower10 stands for 20 s and drifts less than 1 mm") {
    const Outcome o = run_scene("tower10", false);
    CHECK(o.stands);
    CHECK(o.displacement < 0.020);
    CHECK(o.drift < 0.001);
}

TEST_CASE("tower20 stands for 20 s with half the sag of four sub-steps at 30 Hz") {
    const Outcome o = run_scene("tower20", false);
    CHECK(o.stands);
    CHECK(o.displacement < 0.060);
    CHECK(o.drift < 0.025);
}

TEST_CASE("tower30 stands for 20 s") {
    const Outcome o = run_scene("tower30", false);
    CHECK(o.stands);
    CHECK(o.displacement < 0.160);
}

TEST_CASE("a cube of a hundred times the mass stands on five light ones") {
    const Outcome o = run_scene("mass100", false);
    CHECK(o.stands);
    CHECK(o.displacement < 0.150);
}

TEST_CASE("arch25 stands for 12 s and drifts less than 1 mm") {
    const Outcome o = run_scene("arch25", false);
    CHECK(o.stands);
    CHECK(o.displacement < 0.070);
    CHECK(o.drift < 0.001);
}

TEST_CASE("cards5 stands for 12 s and drifts less than 1 mm") {
    const Outcome o = run_scene("cards5", false);
    CHECK(o.stands);
    CHECK(o.displacement < 0.070);
    CHECK(o.drift < 0.001);
}

TEST_CASE("a small pyramid stands with every solver of the table, two boxes with those that want the matrix") {
    for (const Solver& solver : solver_table()) {
        CAPTURE(solver.name);
        const bool sweeps =
            solver.family == Family::prox || solver.family == Family::splitting || solver.family == Family::conjugate;
        const int steps = sweeps ? 300 : 60;
        auto scene = samples::make_scene(sweeps ? "pyramid5" : "tower2");
        REQUIRE_MESSAGE(scene.ok(), scene.error());
        scene->settings.solver = std::string(solver.name);
        scene->settings.iterations = 4;
        PhysicsWorld world;
        const auto bodies = instantiate(scene.value(), world);
        REQUIRE(bodies.ok());
        std::vector<Pose> start;
        for (const Entity e : bodies.value()) start.push_back(world.registry().get<Pose>(e));
        for (int i = 0; i < steps; ++i) REQUIRE(world.step(1.0f / 60.0f).ok());
        std::vector<Pose> end;
        for (const Entity e : bodies.value()) end.push_back(world.registry().get<Pose>(e));
        CHECK(samples::Evaluator(scene.value()).motion(start, end).max < 0.05);
    }
}
