// SPDX-License-Identifier: MIT
// Built-in scenes as worlds, for tests of worlds on a device.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "physics/world.h"
#include "samples/scenes/evaluate.h"
#include "samples/scenes/scenes.h"

namespace proxima::test {

struct SceneWorld {
    explicit SceneWorld(const std::string& name, const char* solver = nullptr, uint32_t iterations = 0) {
        scene = samples::make_scene(name).value();
        scene.settings.sleeping = false;
        scene.settings.direct_islands = false;
        if (solver) scene.settings.solver = solver;
        if (iterations > 0) scene.settings.iterations = iterations;
        const auto made = physics::instantiate(scene, world);
        REQUIRE_MESSAGE(made.ok(), made.error());
        entities = made.value();
        start = poses();
    }

    std::vector<physics::Pose> poses() const {
        std::vector<physics::Pose> out;
        for (const physics::Entity entity : entities) out.push_back(world.registry().get<physics::Pose>(entity));
        return out;
    }
    float dt() const { return scene.run.dt; }

    physics::SceneDesc scene;
    physics::PhysicsWorld world;
    std::vector<physics::Entity> entities;
    std::vector<physics::Pose> start;
};

}  // namespace proxima::test
