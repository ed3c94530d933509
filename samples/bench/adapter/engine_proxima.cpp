// SPDX-License-Identifier: MIT
// Proxima as an engine of an external benchmark harness: one that declares its scenes, its `Engine` interface
// and `makeEngine` in a header scenes.h, and links one engine into each program. Built on demand with
// -DPROXIMA_PEER_HARNESS=<folder of the harness>; a second yardstick that shares no code with samples/bench.
#include <scenes.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "physics/scene/scene.h"
#include "physics/world.h"

namespace {

using namespace proxima;

Vec3 to_float(const V3& v) { return {float(v.x), float(v.y), float(v.z)}; }
V3 to_double(const Vec3& v) { return {v.x, v.y, v.z}; }

physics::ShapeDesc shape_of(const Shape& shape) {
    physics::ShapeDesc out;
    out.half_extents = to_float(shape.half);
    out.radius = float(shape.radius);
    out.half_height = float(shape.halfHeight);
    switch (shape.type) {
        case ShapeType::Box:
            out.type = physics::ShapeType::box;
            break;
        case ShapeType::Sphere:
            out.type = physics::ShapeType::sphere;
            break;
        case ShapeType::Capsule:
            out.type = physics::ShapeType::capsule;
            break;
        case ShapeType::Hull:
            out.type = physics::ShapeType::hull;
            for (const V3& p : shape.pts) out.points.push_back(to_float(p));
            break;
    }
    return out;
}

physics::SceneDesc scene_of(const Scene& scene, const Config& config) {
    physics::SceneDesc out;
    out.name = scene.name;
    out.settings.sleeping = config.sleep;
    if (!config.variant.empty()) out.settings.solver = config.variant;
    for (const Shape& shape : scene.shapes) out.shapes.push_back(shape_of(shape));
    for (const BodyDef& body : scene.bodies) {
        physics::SceneBody& to = out.bodies.emplace_back();
        to.type = body.dynamic ? physics::BodyType::dynamic : physics::BodyType::fixed;
        to.position = to_float(body.pos);
        to.rotation = Quat(float(body.rot.w), float(body.rot.x), float(body.rot.y), float(body.rot.z));
        physics::SceneCollider& collider = to.colliders.emplace_back();
        collider.shape = uint32_t(body.shape);
        collider.density = float(body.density);
        collider.material.friction = float(scene.friction);
        collider.material.friction_combine = physics::Combine::minimum;  // of two equal numbers: exactly it
    }
    return out;
}

/// The harness has no way to refuse a scene, so what cannot be made ends the program.
template <class T>
T checked(Result<T> result) {
    if (result) return std::move(result).value();
    std::fprintf(stderr, "proxima: %s\n", result.error().c_str());
    std::exit(1);
}

class ProximaEngine final : public Engine {
  public:
    std::string label() const override { return variant_.empty() ? "proxima" : "proxima-" + variant_; }

    void create(const Scene& scene, const Config& config) override {
        variant_ = config.variant;
        world_ = std::make_unique<physics::PhysicsWorld>(engine::make_threaded_jobs(uint32_t(config.threads)));
        bodies_ = checked(physics::instantiate(scene_of(scene, config), *world_));
    }

    void step(double dt) override {
        if (const Result<void> stepped = world_->step(float(dt)); !stepped) {
            std::fprintf(stderr, "proxima: %s\n", stepped.error().c_str());
            std::exit(1);
        }
    }

    State get(int body) override {
        const physics::Entity entity = bodies_[size_t(body)];
        const auto& pose = world_->registry().get<physics::Pose>(entity);
        State out;
        out.p = to_double(pose.position);
        out.q = {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w};
        if (const auto* velocity = world_->registry().try_get<physics::Velocity>(entity)) {
            out.v = to_double(velocity->linear);
            out.w = to_double(velocity->angular);
        }
        return out;
    }

    ContactStats contacts() override { return {long(world_->report().pairs), long(world_->report().contacts)}; }
    int awake() override { return int(world_->report().bodies); }

  private:
    std::string variant_;
    std::unique_ptr<physics::PhysicsWorld> world_;
    std::vector<physics::Entity> bodies_;
};

}  // namespace

Engine* makeEngine() { return new ProximaEngine; }
