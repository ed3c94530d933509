// SPDX-License-Identifier: MIT
// Which bodies of a world the device turns gyroscopically: those, and only those, that the step on the CPU does.
#include <doctest/doctest.h>

#include <array>
#include <bit>

#include "compute/world/world_data.h"
#include "physics/shapes/inertia.h"

using namespace proxima;
using namespace proxima::physics;

TEST_CASE("the device and the cpu agree on which inertia is isotropic, at the very edge") {
    // Gathering needs no device.
    PhysicsWorld world;
    StepSettings settings = world.settings();
    settings.gravity = Vec3(0.0f);
    settings.sleeping = false;
    REQUIRE(world.set_settings(settings).ok());
    for (const float spread : {0.0f, 0.4e-5f, 0.9e-5f, 1.1e-5f, 1.6e-5f, 1e-3f})
        for (const std::array<float, 3>& sign : {std::array{0.0f, 0.0f, -1.0f}, std::array{0.0f, -0.5f, -1.0f},
                                                 std::array{-0.5f, 0.0f, -1.0f}, std::array{-1.0f, -0.5f, 0.0f}}) {
            const Entity body = world.create_body({.velocity = {.angular = {1.0f, 5.0f, 4.0f}}}).value();
            world.registry().patch<Mass>(body, [&](Mass& m) {
                m.source = MassSource::given;
                m.mass = 1.0f;
                m.inertia = {
                    1.0f + sign[0] * spread, 1.0f + sign[1] * spread, 1.0f + sign[2] * spread, 0.0f, 0.0f, 0.0f};
            });
        }
    const Result<compute::world::WorldData> data = compute::world::gather(world);
    REQUIRE_MESSAGE(data.ok(), data.error());
    for (int i = 0; i < 60; ++i) REQUIRE(world.step(1.0f / 60.0f).ok());
    uint32_t gyroscopic = 0;
    for (size_t i = 0; i < data->entities.size(); ++i) {
        CAPTURE(i);
        const uint32_t flags = std::bit_cast<uint32_t>(data->bodies[i].inverse1.w);
        const bool on_device = (flags & compute::world::kGyroscopic) != 0;
        CHECK(on_device == !is_isotropic(data->masses[i].inertia));
        // A body without gyroscopic torque keeps its angular velocity to the last bit.
        const bool on_cpu = world.registry().get<Velocity>(data->entities[i]).angular != Vec3(1.0f, 5.0f, 4.0f);
        CHECK(on_device == on_cpu);
        gyroscopic += on_device;
    }
    CHECK(gyroscopic > 0);
    CHECK(gyroscopic < data->entities.size());
}
