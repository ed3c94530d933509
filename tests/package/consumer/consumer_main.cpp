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

    NewBody floor;
    floor.type = BodyType::fixed;
    Collider floor_collider;
    floor_collider.shape = must(world.shapes().add(plane));
    must(world.add_collider(must(world.create_body(floor)), floor_collider));

    NewBody falling;
    falling.pose.position = {0.0f, kDropHeight, 0.0f};
    Collider ball_collider;
    ball_collider.shape = must(world.shapes().add(ball));
    const Entity body = must(world.create_body(falling));
    must(world.add_collider(body, ball_collider));

    float lowest = kDropHeight;
    for (int i = 0; i < 180; ++i) {
        if (const Result<void> stepped = world.step(1.0f / 60.0f); !stepped) {
            std::fprintf(stderr, "%s\n", stepped.error().c_str());
            return 1;
        }
        lowest = std::fmin(lowest, world.registry().get<Pose>(body).position.y);
    }
    const float height = world.registry().get<Pose>(body).position.y;
    std::printf("the sphere rests at %.4f m, lowest %.4f m\n", double(height), double(lowest));
    const bool rests = std::abs(height - kRadius) < 0.01f && lowest > 0.5f * kRadius;
    if (!rests) std::fprintf(stderr, "expected to rest at %.4f m\n", double(kRadius));
    return rests ? 0 : 1;
}
