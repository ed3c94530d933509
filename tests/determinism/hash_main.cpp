// SPDX-License-Identifier: MIT
// hash_o0 and hash_o2: one text, compiled at two levels of optimisation. Runs a few scenes and prints a line
// "scene steps hash" for each; the two programs must print the same. With --nudge the highest body of each
// scene starts one float higher, which must show in every hash: a hash that sees nothing proves nothing.
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "physics/scene/scene.h"
#include "physics/world.h"
#include "samples/scenes/scenes.h"

using namespace proxima;

namespace {

struct Run {
    const char* scene;
    uint32_t steps;
    size_t moving_bodies;  // the scene is cut after so many
};

// Stacked boxes, friction at its limit, and a pile where every pair of shapes meets. Long enough to fall, hit and
// settle.
constexpr Run kRuns[] = {
    {"pyramid20", 120, 1000},
    {"cards5", 120, 1000},
    {"pile4096", 120, 300},
    {"hulls2000", 60, 60},
};

[[noreturn]] void give_up(const Run& run, const std::string& why) {
    std::fprintf(stderr, "%s: %s\n", run.scene, why.c_str());
    std::exit(1);
}

/// Leaves the first `count` bodies that move, and all that do not.
void keep_moving_bodies(physics::SceneDesc& scene, size_t count) {
    std::vector<physics::SceneBody> kept;
    for (physics::SceneBody& body : scene.bodies) {
        const bool moves = body.type == physics::BodyType::dynamic;
        if (moves && count == 0) continue;
        if (moves) --count;
        kept.push_back(std::move(body));
    }
    scene.bodies = std::move(kept);
}

void nudge_highest(physics::SceneDesc& scene) {
    physics::SceneBody* highest = nullptr;
    for (physics::SceneBody& body : scene.bodies) {
        if (body.type != physics::BodyType::dynamic) continue;
        if (highest == nullptr || body.position.y > highest->position.y) highest = &body;
    }
    if (highest != nullptr) {
        highest->position.y = std::nextafter(highest->position.y, std::numeric_limits<float>::max());
    }
}

}  // namespace

int main(int argc, char** argv) {
    const bool nudge = argc > 1 && std::string_view(argv[1]) == "--nudge";
    for (const Run& run : kRuns) {
        Result<physics::SceneDesc> scene = samples::make_scene(run.scene);
        if (!scene) give_up(run, scene.error());
        keep_moving_bodies(*scene, run.moving_bodies);
        if (nudge) nudge_highest(*scene);

        physics::PhysicsWorld world;
        if (const Result<void> set = world.set_settings(scene->settings); !set) give_up(run, set.error());
        if (const auto made = physics::instantiate(*scene, world); !made) give_up(run, made.error());
        for (uint32_t i = 0; i < run.steps; ++i) {
            if (const Result<void> stepped = world.step(scene->run.dt); !stepped) give_up(run, stepped.error());
        }
        std::printf("%s %" PRIu32 " %016" PRIx64 "\n", run.scene, run.steps, world.state_hash());
    }
    return 0;
}
