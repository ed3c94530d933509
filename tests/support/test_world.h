// SPDX-License-Identifier: MIT
// A small world for tests that read like physics exercises.
#pragma once

#include <doctest/doctest.h>

#include "physics/physics.h"

namespace proxima::test {

using namespace proxima::physics;

inline constexpr float kG = 9.81f;
inline constexpr float kDt = 1.0f / 60.0f;

inline Quat turn(const Vec3& axis, float degrees) {
    return glm::angleAxis(glm::radians(degrees), glm::normalize(axis));
}

struct TestWorld {
    PhysicsWorld world;

    explicit TestWorld(uint32_t threads = 1) : world(engine::make_threaded_jobs(threads)) {}

    StepSettings settings() const { return world.settings(); }
    void set(const StepSettings& s) { REQUIRE_MESSAGE(world.set_settings(s).ok(), world.set_settings(s).error()); }

    ShapeId shape(const ShapeDesc& desc) {
        auto id = world.shapes().add(desc);
        REQUIRE_MESSAGE(id.ok(), id.error());
        return id.value();
    }
    static ShapeDesc box(const Vec3& half) {
        ShapeDesc d;
        d.type = ShapeType::box;
        d.half_extents = half;
        return d;
    }
    static ShapeDesc sphere(float radius) {
        ShapeDesc d;
        d.type = ShapeType::sphere;
        d.radius = radius;
        return d;
    }
    static ShapeDesc capsule(float radius, float half_height) {
        ShapeDesc d;
        d.type = ShapeType::capsule;
        d.radius = radius;
        d.half_height = half_height;
        return d;
    }
    static ShapeDesc half_space() {
        ShapeDesc d;
        d.type = ShapeType::half_space;
        return d;
    }

    struct Options {
        BodyType type = BodyType::dynamic;
        Vec3 position{0.0f, 0.0f, 0.0f};
        Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
        Velocity velocity{};
        float friction = 0.6f;
        float restitution = 0.0f;
        float density = 1000.0f;
        float mass = 0.0f;
    };
    Entity body(const ShapeDesc& desc, const Options& o) {
        BodyDesc b;
        b.type = o.type;
        b.pose = {o.position, o.rotation};
        b.velocity = o.velocity;
        b.mass = o.mass;
        b.colliders = {{.shape = shape(desc),
                        .material = {.friction = o.friction, .restitution = o.restitution},
                        .density = o.density}};
        auto entity = world.create_body(b);
        REQUIRE_MESSAGE(entity.ok(), entity.error());
        return entity.value();
    }
    /// A floor with its top at y = 0.
    Entity floor(float friction = 0.6f, float restitution = 0.0f) {
        return body(box({50.0f, 1.0f, 50.0f}), {.type = BodyType::fixed,
                                                .position = {0.0f, -1.0f, 0.0f},
                                                .friction = friction,
                                                .restitution = restitution});
    }

    void step(float dt = kDt) {
        const auto done = world.step(dt);
        REQUIRE_MESSAGE(done.ok(), done.error());
    }
    void run(float seconds, float dt = kDt) {
        const int steps = int(seconds / dt + 0.5f);
        for (int i = 0; i < steps; ++i) step(dt);
    }

    Pose& pose(Entity e) { return world.registry().get<Pose>(e); }
    Velocity& velocity(Entity e) { return world.registry().get<Velocity>(e); }
    const Mass& mass(Entity e) { return world.registry().get<Mass>(e); }

    /// World angular momentum about the centre of mass.
    Vec3 spin_momentum(Entity e) {
        const Quat q = pose(e).rotation;
        return q * (mass(e).inertia * (glm::conjugate(q) * velocity(e).angular));
    }
    float kinetic_energy(Entity e) {
        const Velocity& v = velocity(e);
        return 0.5f * mass(e).mass * glm::dot(v.linear, v.linear) + 0.5f * glm::dot(v.angular, spin_momentum(e));
    }
};

}  // namespace proxima::test
