// SPDX-License-Identifier: MIT
// The shortest program: a box falls on a floor and says where it is. Printed in README.md.
#include <cstdio>

#include "physics/physics.h"

using namespace proxima::physics;

int main() {
    PhysicsWorld world;
    const ShapeId plane = world.shapes().add({.type = ShapeType::half_space}).value();  // solid below y = 0
    const ShapeId cube = world.shapes().add({.type = ShapeType::box, .half_extents = {0.5f, 0.5f, 0.5f}}).value();

    world.create_body({.type = BodyType::fixed, .colliders = {{.shape = plane}}}).value();
    const Entity box =
        world.create_body({.pose = {.position = {0.0f, 3.0f, 0.0f}}, .colliders = {{.shape = cube}}}).value();

    for (int i = 1; i <= 90; ++i) {
        if (const auto stepped = world.step(1.0f / 60.0f); !stepped) {
            std::fprintf(stderr, "%s\n", stepped.error().c_str());
            return 1;
        }
        if (i % 15 != 0) continue;
        const StepReport& report = world.report();
        std::printf("%.2f s  height %.3f m  contacts %u  residual %.1e m/s\n", i / 60.0,
                    double(world.pose(box).position.y), report.contacts, report.residual_max);
    }
}
