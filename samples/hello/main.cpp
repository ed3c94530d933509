// SPDX-License-Identifier: MIT
// The shortest program: a box falls on a floor and says where it is. Printed in README.md.
#include <cstdio>

#include "physics/physics.h"

using namespace proxima::physics;

int main() {
    PhysicsWorld world;
    ShapeDesc plane{.type = ShapeType::half_space};  // solid below y = 0
    ShapeDesc cube{.type = ShapeType::box, .half_extents = {0.5f, 0.5f, 0.5f}};

    const Entity floor = world.create_body({.type = BodyType::fixed}).value();
    world.add_collider(floor, {.shape = world.shapes().add(plane).value()}).value();

    const Entity box = world.create_body({.pose = {.position = {0.0f, 3.0f, 0.0f}}}).value();
    world.add_collider(box, {.shape = world.shapes().add(cube).value()}).value();

    for (int i = 1; i <= 90; ++i) {
        if (const auto stepped = world.step(1.0f / 60.0f); !stepped) {
            std::fprintf(stderr, "%s\n", stepped.error().c_str());
            return 1;
        }
        if (i % 15 != 0) continue;
        const float height = world.registry().get<Pose>(box).position.y;
        const StepReport& report = world.report();
        std::printf("%.2f s  height %.3f m  contacts %u  residual %.1e m/s\n", i / 60.0, double(height),
                    report.contacts, report.residual_max);
    }
}
