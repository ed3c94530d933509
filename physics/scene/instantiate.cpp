// SPDX-License-Identifier: MIT
// Scene data becomes bodies of a world.
#include <string>
#include <utility>
#include <vector>

#include "physics/scene/scene.h"
#include "physics/world.h"

namespace proxima::physics {

namespace {

/// The cooked shapes of a scene: each shape once for each scale that it is used with.
class CookedShapes {
  public:
    CookedShapes(const SceneDesc& scene, ShapeLibrary& library)
        : scene_(scene), library_(library), of_shape_(scene.shapes.size()) {}

    Result<ShapeId> get(uint32_t shape, const Vec3& scale) {
        for (const auto& [known_scale, id] : of_shape_[shape])
            if (known_scale == scale) return id;
        const bool plain = scale == Vec3(1.0f, 1.0f, 1.0f);
        Result<ShapeId> id =
            plain ? library_.add(scene_.shapes[shape]) : library_.add_scaled(scene_.shapes[shape], scale);
        if (id) of_shape_[shape].emplace_back(scale, id.value());
        return id;
    }

  private:
    const SceneDesc& scene_;
    ShapeLibrary& library_;
    std::vector<std::vector<std::pair<Vec3, ShapeId>>> of_shape_;
};

Result<Entity> make_body(const SceneBody& desc, const std::string& path, CookedShapes& shapes, PhysicsWorld& world) {
    const Result<Entity> entity = world.create_body(new_body(desc));
    if (!entity) return Error{path + ": " + entity.error()};

    for (size_t k = 0; k < desc.colliders.size(); ++k) {
        const SceneCollider& from = desc.colliders[k];
        const Result<ShapeId> shape = shapes.get(from.shape, from.scale);
        const Result<Entity> added = shape ? world.add_collider(entity.value(), new_collider(from, shape.value()))
                                           : Result<Entity>(Error{shape.error()});
        if (!added) {
            world.destroy_body(entity.value());
            return Error{path + ".colliders[" + std::to_string(k) + "]: " + added.error()};
        }
    }
    return entity;
}

}  // namespace

NewBody new_body(const SceneBody& desc) {
    NewBody body;
    body.type = desc.type;
    body.pose = {desc.position, glm::normalize(desc.rotation)};
    body.velocity = {desc.linear_velocity, desc.angular_velocity};
    body.body.type = desc.type;
    body.body.gravity_scale = desc.gravity_scale;
    body.body.linear_damping = desc.linear_damping;
    body.body.angular_damping = desc.angular_damping;
    body.body.allow_sleep = desc.allow_sleep ? 1 : 0;
    body.mass = desc.mass;
    return body;
}

Collider new_collider(const SceneCollider& desc, ShapeId shape) {
    Collider collider;
    collider.shape = shape;
    collider.local = {desc.position, glm::normalize(desc.rotation)};
    collider.material = desc.material;
    collider.density = desc.density;
    collider.layer = desc.layer;
    collider.mask = desc.mask;
    return collider;
}

Result<std::vector<Entity>> instantiate(const SceneDesc& scene, PhysicsWorld& world) {
    if (Result<void> good = check(scene); !good) return Error{good.error()};
    const StepSettings settings_before = world.settings();
    if (Result<void> taken = world.set_settings(scene.settings); !taken) return Error{"settings: " + taken.error()};

    std::vector<Entity> entities;
    entities.reserve(scene.bodies.size());
    CookedShapes shapes(scene, world.shapes());
    for (size_t i = 0; i < scene.bodies.size(); ++i) {
        const Result<Entity> body = make_body(scene.bodies[i], "bodies[" + std::to_string(i) + "]", shapes, world);
        if (!body) {
            // Shapes stay: nothing refers to them, and a library never forgets.
            for (const Entity entity : entities) world.destroy_body(entity);
            (void)world.set_settings(settings_before);
            return Error{body.error()};
        }
        entities.push_back(body.value());
    }
    return entities;
}

}  // namespace proxima::physics
