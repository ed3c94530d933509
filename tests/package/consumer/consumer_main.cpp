// SPDX-License-Identifier: MIT
// Drops a sphere on a floor, with nothing but the installed headers and libraries, and checks where it comes to rest.
#include <cmath>
#include <cstdio>
#include <utility>

#include "physics/physics.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

constexpr float kRadius = 0.25f;
constexpr float kDropHeight = 2.0f;

template <class T>
T must(Result<T> result) {
    if (!result) std::fprintf(stderr, "%s\n", result.error().c_str());
    return std::move(result).value();
}

}  // namespace

int main() {
    PhysicsWorld world;
    ShapeDesc plane;
    plane.type = ShapeType::half_space;
    ShapeDesc ball;
    ball.type = ShapeType::sphere;
    ball.radius = kRadius;

    must(world.create_body({.type = BodyType::fixed, .colliders = {{.shape = must(world.shapes().add(plane))}}}));
    const Entity body = must(world.create_body(
        {.pose = {.position = {0.0f, kDropHeight, 0.0f}}, .colliders = {{.shape = must(world.shapes().add(ball))}}}));

    float lowest = kDropHeight;
    for (int i = 0; i < 180; ++i) {
        if (const Result<void> stepped = world.step(1.0f / 60.0f); !stepped) {
            std::fprintf(stderr, "%s\n", stepped.error().c_str());
            return 1;
        }
        lowest = std::fmin(lowest, world.pose(body).position.y);
    }
    const float height = world.pose(body).position.y;
    std::printf("the sphere rests at %.4f m, lowest %.4f m\n", double(height), double(lowest));
    const bool rests = std::abs(height - kRadius) < 0.01f && lowest > 0.5f * kRadius;
    if (!rests) std::fprintf(stderr, "expected to rest at %.4f m\n", double(kRadius));
    return rests ? 0 : 1;
}
