// SPDX-License-Identifier: MIT
// The built-in scenes: they exist, they have the bodies they promise, and they become worlds.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "physics/contact/material.h"
#include "physics/world.h"
#include "samples/scenes/evaluate.h"
#include "samples/scenes/scenes.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

size_t count_dynamic(const SceneDesc& scene) {
    size_t count = 0;
    for (const SceneBody& body : scene.bodies) count += body.type == BodyType::dynamic;
    return count;
}

}  // namespace

TEST_CASE("the benchmark scenes have the bodies that other engines were measured with") {
    const struct {
        const char* name;
        size_t dynamic, fixed;
        uint32_t steps, settled_from;
        float friction;
    } table[] = {
        {"pyramid20", 210, 1, 900, 300, 0.6f},   {"pyramid60", 1830, 1, 900, 300, 0.6f},
        {"pile4096", 4096, 5, 1200, 600, 0.6f},  {"grid10k", 10000, 1, 1200, 600, 0.6f},
        {"hulls2000", 2000, 5, 1200, 600, 0.6f}, {"arch25", 25, 1, 720, 120, 0.6f},
        {"cards5", 40, 1, 720, 120, 0.7f},       {"mass10", 6, 1, 720, 120, 0.6f},
        {"mass100", 6, 1, 720, 120, 0.6f},       {"mass1000", 6, 1, 720, 120, 0.6f},
        {"tower10", 10, 1, 1200, 600, 0.6f},     {"tower20", 20, 1, 1200, 600, 0.6f},
        {"tower30", 30, 1, 1200, 600, 0.6f},     {"marble_box", 162, 5, 900, 600, 0.4f},
    };
    for (const auto& row : table) {
        CAPTURE(row.name);
        const Result<SceneDesc> scene = samples::make_scene(row.name);
        REQUIRE_MESSAGE(scene.ok(), scene.error());
        CHECK(count_dynamic(scene.value()) == row.dynamic);
        CHECK(scene->bodies.size() == row.dynamic + row.fixed);
        CHECK(scene->run.steps == row.steps);
        CHECK(scene->run.settled_from == row.settled_from);
        for (const SceneBody& body : scene->bodies) REQUIRE(body.colliders[0].material.friction == row.friction);
    }
}

TEST_CASE("a few numbers of the random benchmark scenes are those that other engines ran") {
    const SceneDesc tower = samples::make_scene("tower10").value();
    const SceneDesc pile = samples::make_scene("pile4096").value();
    const SceneDesc hulls = samples::make_scene("hulls2000").value();
    CHECK(tower.bodies[1].position.x == -0.01066961f);
    CHECK(tower.bodies[10].position.z == 0.015853094f);
    CHECK(pile.bodies[5].position.x == -6.390617f);
    CHECK(pile.bodies[4100].rotation.w == 0.584224f);
    CHECK(hulls.shapes[10].points[15].y == -0.15956526f);
    CHECK(hulls.bodies[2004].rotation.x == 0.026722915f);
}

TEST_CASE("every built-in scene becomes a world with its bodies in order") {
    for (const std::string_view name : samples::built_in_scene_names()) {
        CAPTURE(name);
        const SceneDesc scene = samples::make_scene(name).value();
        PhysicsWorld world;
        const Result<std::vector<Entity>> bodies = instantiate(scene, world);
        REQUIRE_MESSAGE(bodies.ok(), bodies.error());
        REQUIRE(bodies->size() == scene.bodies.size());
        CHECK(world.settings().sleeping == scene.settings.sleeping);
        for (size_t i = 0; i < bodies->size(); i += 97) {
            REQUIRE(world.bodies()[i] == bodies.value()[i]);
            REQUIRE(world.registry().get<Pose>(bodies.value()[i]).position == scene.bodies[i].position);
        }
    }
}

TEST_CASE("two bodies of a built-in scene have exactly its friction") {
    for (const char* name : {"pyramid20", "cards5", "incline20", "spinning_top"}) {
        const SceneDesc scene = samples::make_scene(name).value();
        const Material& a = scene.bodies[0].colliders[0].material;
        const Material& b = scene.bodies[1].colliders[0].material;
        CHECK(combine_friction(a, b) == a.friction);
    }
}

TEST_CASE("no built-in scene starts with more overlap than it is meant to") {
    for (const std::string_view name : samples::built_in_scene_names()) {
        CAPTURE(name);
        const SceneDesc scene = samples::make_scene(name).value();
        if (!scene.joints.empty()) {  // joined bodies may be in each other: what the world finds counts
            PhysicsWorld world;
            REQUIRE(instantiate(scene, world).ok());
            REQUIRE(world.step(scene.run.dt).ok());
            CHECK(world.report().penetration_max < 0.01f);
            continue;
        }
        std::vector<Pose> poses;
        for (const SceneBody& body : scene.bodies) poses.push_back({body.position, body.rotation});
        const double limit = name == "pile4096" ? 0.03 : name.starts_with("overlap") ? 0.0501 : 1e-6;
        const double deepest = samples::Evaluator(scene).penetration(poses).max;
        CHECK(deepest < limit);
        if (name.starts_with("overlap")) CHECK(deepest > 0.019);
    }
}

TEST_CASE("parametrised scenes take any sensible number and refuse others") {
    CHECK(count_dynamic(samples::make_scene("pyramid3").value()) == 6);
    CHECK(count_dynamic(samples::make_scene("tower1").value()) == 1);
    CHECK(samples::make_scene("mass7").value().bodies.back().colliders[0].density == 70.0f);
    CHECK(samples::make_scene("incline20").value().run.stands_test);
    CHECK_FALSE(samples::make_scene("incline22.5").value().run.stands_test);
    for (const char* name : {"pyramid0", "pyramid1000000", "tower2.5", "incline89"})
        CHECK(samples::make_scene(name).error().find("range") != std::string::npos);
}

TEST_CASE("an unknown scene gets the nearest name suggested") {
    CHECK(samples::make_scene("domino").error().find("'dominoes'") != std::string::npos);
    CHECK(samples::make_scene("pile409").error().find("'pile4096'") != std::string::npos);
    CHECK_FALSE(samples::make_scene("").ok());
    CHECK_FALSE(samples::make_scene("pyramid").ok());
    CHECK_FALSE(samples::make_scene("pyramid-5").ok());
    CHECK_FALSE(samples::make_scene("tower10x").ok());
}

TEST_CASE("a scene that cannot be made leaves the world as it was") {
    PhysicsWorld world;
    REQUIRE(instantiate(samples::make_scene("tower10").value(), world).ok());
    const uint64_t hash = world.state_hash();
    const size_t bodies = world.bodies().size();
    SceneDesc broken = samples::make_scene("card_house").value();
    broken.settings.substeps = 3;
    broken.bodies.back().mass = std::numeric_limits<float>::quiet_NaN();
    const Result<std::vector<Entity>> made = instantiate(broken, world);
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().find("].mass") != std::string::npos);
    CHECK(world.bodies().size() == bodies);
    CHECK(world.state_hash() == hash);
    CHECK(world.settings().substeps == StepSettings().substeps);
}
