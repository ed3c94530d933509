// SPDX-License-Identifier: MIT
#include "samples/scenes/churn.h"

#include "samples/scenes/families.h"

namespace proxima::samples {

using physics::SceneDesc;
using physics::ShapeDesc;
using physics::ShapeType;

namespace {

constexpr double kPitSide = 16.0;
// Bodies appear in the cells of a square above the pit, each cell in its turn. What came there before is
// below by then: 64 cells at 200 a second are 0.32 s, in which it falls 1.5 m.
constexpr uint32_t kCellsPerSide = 8;
constexpr double kCell = 1.5, kHeight = 7.0, kSpeed = 3.0;

}  // namespace

SceneDesc churn(const std::string& name, double) {
    SceneBuilder b(name, "200 bodies a second rain into a pit, and the oldest are taken away", 0.6);
    b.ground();
    b.pit(kPitSide, 6.0);
    b.run_for(3600, 1200);
    return b.take();
}

bool is_churn(std::string_view scene) { return scene == "churn"; }

Churn::Churn(const ChurnOptions& options) : options_(options) { bodies_.resize(options.most_alive + 1); }

Result<void> Churn::add_shapes(physics::PhysicsWorld& world) {
    ShapeDesc cube, plate, ball, pill, wedge;
    cube.half_extents = {0.25f, 0.25f, 0.25f};
    plate.half_extents = {0.4f, 0.1f, 0.3f};
    ball.type = ShapeType::sphere;
    ball.radius = 0.3f;
    pill.type = ShapeType::capsule;
    pill.radius = 0.2f;
    pill.half_height = 0.25f;
    wedge.type = ShapeType::hull;
    wedge.points = {{-0.3f, -0.2f, -0.3f}, {0.3f, -0.2f, -0.3f}, {0.3f, -0.2f, 0.3f},
                    {-0.3f, -0.2f, 0.3f},  {-0.2f, 0.2f, 0.0f},  {0.2f, 0.2f, 0.0f}};
    for (const ShapeDesc* shape : {&cube, &plate, &ball, &pill, &wedge}) {
        const Result<physics::ShapeId> id = world.shapes().add(*shape);
        if (!id) return Error{id.error()};
        shapes_.push_back(id.value());
    }
    return {};
}

Result<void> Churn::add_body(physics::PhysicsWorld& world) {
    constexpr uint32_t kCells = kCellsPerSide * kCellsPerSide;
    const uint32_t cell = uint32_t(come_ * 37 % kCells);  // 37 and 64 share no factor: every cell has its turn
    const double middle = 0.5 * (kCellsPerSide - 1);
    physics::BodyDesc& body = next_;
    body.pose.position =
        to_float(Vec3d{(cell % kCellsPerSide - middle) * kCell, kHeight, (cell / kCellsPerSide - middle) * kCell});
    body.pose.rotation = to_float(random_.rotation());
    body.velocity.linear = to_float(Vec3d{random_.symmetric(), -kSpeed, random_.symmetric()});
    body.velocity.angular = to_float(Vec3d{random_.symmetric(), random_.symmetric(), random_.symmetric()});
    body.colliders.assign(1, {.shape = shapes_[size_t(come_ % shapes_.size())]});
    const Result<physics::Entity> made = world.create_body(body);
    if (!made) return Error{made.error()};
    bodies_[size_t(come_ % bodies_.size())] = made.value();
    ++come_;
    return {};
}

Result<void> Churn::before_step(physics::PhysicsWorld& world, double dt) {
    if (shapes_.empty())
        if (Result<void> added = add_shapes(world); !added) return added;
    for (due_ += options_.per_second * dt; due_ >= 1.0; due_ -= 1.0) {
        if (Result<void> added = add_body(world); !added) return added;
        if (come_ - gone_ <= options_.most_alive) continue;
        world.destroy_body(bodies_[size_t(gone_ % bodies_.size())]);
        ++gone_;
    }
    return {};
}

}  // namespace proxima::samples
