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

Result<Entity> make_body(const SceneBody& from, const std::string& path, CookedShapes& shapes, PhysicsWorld& world) {
    BodyDesc desc = to_body_desc(from);
    for (size_t k = 0; k < from.colliders.size(); ++k) {
        const Result<ShapeId> shape = shapes.get(from.colliders[k].shape, from.colliders[k].scale);
        if (!shape) return Error{path + ".colliders[" + std::to_string(k) + "]: " + shape.error()};
        desc.colliders.push_back(to_collider(from.colliders[k], shape.value()));
    }
    const Result<Entity> body = world.create_body(desc);
    if (body) return body;
    const bool names_collider = body.error().starts_with("colliders[");
    return Error{path + (names_collider ? "." : ": ") + body.error()};
}

}  // namespace

BodyDesc to_body_desc(const SceneBody& body) {
    BodyDesc desc;
    desc.type = body.type;
    desc.pose = {body.position, glm::normalize(body.rotation)};
    desc.velocity = {body.linear_velocity, body.angular_velocity};
    desc.mass = body.mass;
    desc.gravity_scale = body.gravity_scale;
    desc.linear_damping = body.linear_damping;
    desc.angular_damping = body.angular_damping;
    desc.allow_sleep = body.allow_sleep;
    return desc;
}

Collider to_collider(const SceneCollider& from, ShapeId shape) {
    Collider collider;
    collider.shape = shape;
    collider.local = {from.position, glm::normalize(from.rotation)};
    collider.material = from.material;
    collider.density = from.density;
    collider.layer = from.layer;
    collider.mask = from.mask;
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
