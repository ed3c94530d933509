// SPDX-License-Identifier: MIT
// Scene data becomes bodies of a world.
#include <span>
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
        desc.contact_rules.push_back(to_contact_rules(from.colliders[k]));
    }
    const Result<Entity> body = world.create_body(desc);
    if (body) return body;
    const bool names_collider = body.error().starts_with("colliders[");
    return Error{path + (names_collider ? "." : ": ") + body.error()};
}

/// The joints of a scene between bodies that exist.
Result<void> make_joints(const SceneDesc& scene, std::span<const Entity> bodies, PhysicsWorld& world) {
    for (size_t i = 0; i < scene.joints.size(); ++i) {
        const SceneJoint& from = scene.joints[i];
        const Result<Entity> made = create_joint(world, from.joint, bodies[from.body_a], bodies[from.body_b]);
        if (!made) return Error{"joints[" + std::to_string(i) + "]: " + made.error()};
    }
    return {};
}

}  // namespace

Result<Entity> create_joint(PhysicsWorld& world, const AnyJoint& joint, Entity body_a, Entity body_b) {
    return std::visit(
        [&](auto made) {
            made.body_a = body_a;
            made.body_b = body_b;
            return world.create_joint(made);
        },
        joint);
}

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
    desc.max_linear_speed = body.max_linear_speed;
    desc.max_angular_speed = body.max_angular_speed;
    if (body.lock_rotation_x) desc.locked_axes |= kLockRotationX;
    if (body.lock_rotation_y) desc.locked_axes |= kLockRotationY;
    if (body.lock_rotation_z) desc.locked_axes |= kLockRotationZ;
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
    collider.group = int16_t(from.group);
    collider.is_sensor = from.sensor;
    collider.events = uint8_t((from.touch_events ? kTouchEvents : 0) | (from.hit_events ? kHitEvents : 0));
    return collider;
}

ContactRules to_contact_rules(const SceneCollider& from) {
    ContactRules rules = from.rules;
    rules.modifiable = from.modifiable;
    rules.broken = 0;
    return rules;
}

Result<std::vector<Entity>> instantiate(const SceneDesc& scene, PhysicsWorld& world) {
    if (Result<void> good = check(scene); !good) return Error{good.error()};
    const StepSettings settings_before = world.settings();
    if (Result<void> taken = world.set_settings(scene.settings); !taken) return Error{"settings: " + taken.error()};

    std::vector<Entity> entities;
    entities.reserve(scene.bodies.size());
    CookedShapes shapes(scene, world.shapes());
    // Shapes stay: nothing refers to them. Joints go with their bodies.
    const auto take_back = [&](const std::string& why) {
        for (const Entity entity : entities) world.destroy_body(entity);
        (void)world.set_settings(settings_before);
        return Error{why};
    };
    for (size_t i = 0; i < scene.bodies.size(); ++i) {
        const Result<Entity> body = make_body(scene.bodies[i], "bodies[" + std::to_string(i) + "]", shapes, world);
        if (!body) return take_back(body.error());
        entities.push_back(body.value());
    }
    if (const Result<void> joined = make_joints(scene, entities, world); !joined) return take_back(joined.error());
    return entities;
}

}  // namespace proxima::physics
