// SPDX-License-Identifier: MIT
// The shortest program: a box falls on a floor, and every quarter of a second says where it is.
#include <cstdio>

#include "physics/physics.h"

using namespace proxima::physics;

int main() {
    PhysicsWorld world;

    ShapeDesc plane;
    plane.type = ShapeType::half_space;  // solid below y = 0
    ShapeDesc cube;
    cube.type = ShapeType::box;
    cube.half_extents = {0.5f, 0.5f, 0.5f};

    NewBody ground;
    ground.type = BodyType::fixed;
    Collider collider;
    collider.shape = world.shapes().add(plane).value();
    world.add_collider(world.create_body(ground).value(), collider).value();

    NewBody falling;
    falling.pose.position = {0.0f, 3.0f, 0.0f};
    collider.shape = world.shapes().add(cube).value();
    const Entity box = world.create_body(falling).value();
    world.add_collider(box, collider).value();

    for (int i = 1; i <= 90; ++i) {
        if (const auto stepped = world.step(1.0f / 60.0f); !stepped) {
            std::fprintf(stderr, "%s\n", stepped.error().c_str());
            return 1;
        }
        if (i % 15 != 0) continue;
        const StepReport& report = world.report();
        std::printf("%.2f s  height %.3f m  contacts %u  residual %.1e m/s\n", i / 60.0,
                    double(world.registry().get<Pose>(box).position.y), report.contacts, report.residual_max);
    }
}
