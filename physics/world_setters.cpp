// SPDX-License-Identifier: MIT
// Checked changes of what bodies and colliders are: written to their components when all that follows makes sense.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "physics/bodies/mass.h"
#include "physics/check_input.h"
#include "physics/shapes/shape_classes.h"
#include "physics/simulation.h"
#include "physics/world.h"

namespace proxima::physics {

namespace {

Result<void> check_is_body(const entt::registry& registry, Entity body, const char* what) {
    if (registry.valid(body) && registry.all_of<RigidBody>(body)) return {};
    return Error{std::string(what) + " is given to an existing body; this entity is none."};
}

Result<void> check_is_collider(const entt::registry& registry, Entity collider, const char* what) {
    if (registry.valid(collider) && registry.all_of<Collider>(collider)) return {};
    return Error{std::string(what) + " is given to an existing collider; this entity is none."};
}

/// Wakes what can sleep; a body that the next step completes does not yet.
void wake_body(PhysicsWorld& world, Entity body) {
    if (world.registry().all_of<SleepState>(body)) (void)world.wake(body);
}

/// Settings of a body, checked like those of a new one.
template <class Change>
Result<void> change_settings(PhysicsWorld& world, Entity body, const char* what, const Change& change) {
    if (auto ok = check_is_body(world.registry(), body, what); !ok) return ok;
    RigidBody wanted = world.registry().get<RigidBody>(body);
    change(wanted);
    if (auto ok = check_rigid_body(wanted); !ok) return ok;
    world.registry().replace<RigidBody>(body, wanted);
    wake_body(world, body);
    return {};
}

/// The same collider with another content.
struct Replacement {
    Entity entity = kNoEntity;
    Collider wanted;
};

/// Other contents for colliders of one body, and its mass where it is the game's: all of them, or none and a sentence.
Result<void> replace_colliders(PhysicsWorld& world, Entity body, const std::vector<Replacement>& replacements,
                               const Mass* given = nullptr) {
    entt::registry& r = world.registry();
    if (!r.valid(body) || !r.all_of<RigidBody>(body)) return Error{"The body of the collider does not exist."};
    const BodyType type = r.get<RigidBody>(body).type;
    for (const Replacement& replacement : replacements)
        if (auto ok = check_collider(replacement.wanted, type, {world.shapes(), world.settings().solver}); !ok)
            return ok;

    Mass* known = r.try_get<Mass>(body);
    std::vector<Collider> all;
    for (const Entity collider : world.colliders(body)) {
        const auto other = std::find_if(replacements.begin(), replacements.end(),
                                        [&](const Replacement& x) { return x.entity == collider; });
        const Collider& content = other != replacements.end() ? other->wanted : r.get<Collider>(collider);
        if (!fault_of(r, world.shapes(), content)) all.push_back(content);
    }
    const Mass mass = mass_of_colliders(given ? *given : known ? *known : Mass{}, all, world.shapes());
    if (type == BodyType::dynamic)
        if (auto ok = check_mass(mass); !ok) return ok;

    for (const Replacement& replacement : replacements) r.replace<Collider>(replacement.entity, replacement.wanted);
    if (known) *known = mass;
    wake_body(world, body);
    return {};
}

template <class Change>
Result<void> change_collider(PhysicsWorld& world, Entity collider, const char* what, const Change& change) {
    if (auto ok = check_is_collider(world.registry(), collider, what); !ok) return ok;
    Collider wanted = world.registry().get<Collider>(collider);
    change(wanted);
    return replace_colliders(world, wanted.body, {{collider, wanted}});
}

}  // namespace

// ---- of colliders

Result<void> PhysicsWorld::set_filter(Entity collider_or_body, uint32_t layer, uint32_t mask) {
    entt::registry& r = registry();
    std::vector<Entity> changed = colliders(collider_or_body);
    if (r.valid(collider_or_body) && r.all_of<Collider>(collider_or_body) && !r.all_of<RigidBody>(collider_or_body))
        changed.push_back(collider_or_body);
    if (changed.empty())
        return Error{"A filter is given to an existing collider, or to a body with colliders; this entity is neither."};
    for (const Entity collider : changed)
        r.patch<Collider>(collider, [&](Collider& c) {
            c.layer = layer;
            c.mask = mask;
        });
    return {};
}

Result<void> PhysicsWorld::set_shape(Entity collider, ShapeId shape) {
    return change_collider(*this, collider, "A shape", [&](Collider& c) { c.shape = shape; });
}

Result<void> PhysicsWorld::set_collider_pose(Entity collider, const Pose& local) {
    if (auto ok = check_pose(local, "a collider"); !ok) return ok;
    const Pose unit{local.position, glm::normalize(local.rotation)};
    return change_collider(*this, collider, "A pose", [&](Collider& c) { c.local = unit; });
}

Result<void> PhysicsWorld::set_density(Entity collider, float density) {
    return change_collider(*this, collider, "A density", [&](Collider& c) { c.density = density; });
}

// ---- of bodies

Result<void> PhysicsWorld::set_damping(Entity body, float linear, float angular) {
    return change_settings(*this, body, "Damping", [&](RigidBody& b) {
        b.linear_damping = linear;
        b.angular_damping = angular;
    });
}

Result<void> PhysicsWorld::set_gravity_scale(Entity body, float scale) {
    return change_settings(*this, body, "A gravity scale", [&](RigidBody& b) { b.gravity_scale = scale; });
}

Result<void> PhysicsWorld::set_allow_sleep(Entity body, bool allow) {
    return change_settings(*this, body, "The right to sleep", [&](RigidBody& b) { b.allow_sleep = allow ? 1 : 0; });
}

Result<void> PhysicsWorld::set_speed_limits(Entity body, float linear, float angular) {
    return change_settings(*this, body, "A speed limit", [&](RigidBody& b) {
        b.max_linear_speed = linear;
        b.max_angular_speed = angular;
    });
}

Result<void> PhysicsWorld::set_locked_axes(Entity body, uint32_t axes) {
    return change_settings(*this, body, "A locked axis", [&](RigidBody& b) { b.locked_axes = axes; });
}

float PhysicsWorld::scale(Entity body) const {
    for (const Entity collider : colliders(body))
        if (const ShapeId shape = registry().get<Collider>(collider).shape; shapes().contains(shape))
            return shapes().get(shape).scale;
    return 1.0f;
}

Result<void> PhysicsWorld::set_scale(Entity body, float scale) {
    entt::registry& r = registry();
    if (auto ok = check_is_body(r, body, "A scale"); !ok) return ok;
    if (!(is_finite(scale) && scale > 0.0f)) return Error{"The scale of a body must be a positive finite number."};
    const std::vector<Entity> all = colliders(body);
    if (all.empty()) return Error{"A scale is given to a body with colliders; this one has none."};
    const float before = this->scale(body), by = scale / before;
    std::vector<Replacement> replacements;
    for (const Entity collider : all) {
        Replacement replacement{collider, r.get<Collider>(collider)};
        if (!shapes().contains(replacement.wanted.shape))
            return Error{"A collider of the body has a shape that is not in this world's library."};
        const Shape& shape = shapes().get(replacement.wanted.shape);
        if (shape_class(shape).unbounded)
            return Error{std::string("A ") + shape_class(shape).label + " has no size; its body cannot be scaled."};
        const Result<ShapeId> other =
            shapes().scaled(replacement.wanted.shape, shape.scale == before ? scale : shape.scale * by);
        if (!other) return Error{other.error()};
        replacement.wanted.shape = other.value();
        replacement.wanted.local.position *= by;
        replacements.push_back(replacement);
    }
    const Mass* known = r.try_get<Mass>(body);
    Mass given = known ? *known : Mass{};
    const float cube = by * by * by, fifth = cube * by * by;
    if (given.source != MassSource::densities) given.mass *= cube;
    if (given.source == MassSource::given) {
        given.center *= by;
        Sym3& i = given.inertia;
        i = {i.xx * fifth, i.yy * fifth, i.zz * fifth, i.xy * fifth, i.xz * fifth, i.yz * fifth};
    }
    return replace_colliders(*this, body, replacements, &given);
}

Result<void> PhysicsWorld::teleport(Entity body, const Pose& pose, const Velocity& velocity) {
    entt::registry& r = registry();
    if (auto ok = check_velocity(velocity); !ok) return ok;
    const bool is_fixed = r.valid(body) && r.all_of<RigidBody>(body) && r.get<RigidBody>(body).type == BodyType::fixed;
    if (is_fixed && (velocity.linear != Vec3(0.0f) || velocity.angular != Vec3(0.0f)))
        return Error{"A velocity is given to kinematic and dynamic bodies; this one is fixed."};
    if (auto ok = set_pose(body, pose); !ok) return ok;
    r.get<Velocity>(body) = velocity;
    return {};
}

// ---- shapes

Result<void> PhysicsWorld::remove_shape(ShapeId shape) {
    if (!shapes().contains(shape)) return Error{"Only a shape of this world's library can be removed."};
    for (const auto [entity, collider] : registry().view<Collider>().each())
        if (collider.shape == shape)
            return Error{"The shape is that of a collider; give the collider another one, or remove it first."};
    for (const Collider& collider : simulation().colliders.seen)
        if (collider.shape == shape)
            return Error{"A collider had the shape in the last step; it can be removed after the next one."};
    shapes().remove(shape);
    return {};
}

}  // namespace proxima::physics
