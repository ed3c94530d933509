// SPDX-License-Identifier: MIT
// What a game does with single bodies between two steps: put, push, turn, wake and ask them. All of it is writing
// components, after a look at whether that makes sense.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "physics/bodies/mass.h"
#include "physics/check_input.h"
#include "physics/joints/joint_classes.h"
#include "physics/limits.h"
#include "physics/simulation.h"
#include "physics/world.h"

namespace proxima::physics {

namespace {

/// A body with all that belongs to one. `doing` begins the sentence for what is none, as in "A pose is given to".
Result<void> check_is_body(const entt::registry& registry, Entity body, const char* doing) {
    if (registry.valid(body) && registry.all_of<RigidBody, Pose, Velocity, Force, Mass, SleepState>(body)) return {};
    return Error{std::string(doing) + " an existing body; this entity is none."};
}

const char* name_of(BodyType type) {
    return type == BodyType::fixed ? "fixed" : type == BodyType::kinematic ? "kinematic" : "dynamic";
}

/// Forces and impulses need a body that feels them.
Result<void> check_pushable(const entt::registry& registry, Entity body, const char* what, const Vec3& value) {
    if (auto ok = check_is_body(registry, body, (std::string(what) + " is applied to").c_str()); !ok) return ok;
    if (!is_finite(value)) return Error{std::string(what) + " must be three finite numbers."};
    const BodyType type = registry.get<RigidBody>(body).type;
    if (type != BodyType::dynamic)
        return Error{std::string(what) + " moves dynamic bodies only; this one is " + name_of(type) + "."};
    if (registry.all_of<Quarantined>(body))
        return Error{std::string(what) +
                     " was applied to a body that is quarantined; remove its Quarantined component first."};
    return {};
}

Vec3 centre_of_mass(const Pose& pose, const Mass& mass) { return pose.position + pose.rotation * mass.center; }

/// The rotation vector of a turn of at most half a circle, in double precision: the logarithm of a unit quaternion.
Vec3 rotation_vector(const Quat& turn) {
    const double sign = turn.w < 0.0f ? -1.0 : 1.0;
    const double x = sign * turn.x, y = sign * turn.y, z = sign * turn.z, w = sign * turn.w;
    const double sine = std::sqrt(x * x + y * y + z * z);
    const double scale = sine > 0.0 ? 2.0 * std::atan2(sine, w) / sine : 2.0;
    return Vec3(float(scale * x), float(scale * y), float(scale * z));
}

/// Whether the game has put a body elsewhere since the last step.
bool is_elsewhere(const Simulation& s, Entity body, const Pose& pose) {
    const uint32_t slot = s.bodies.slot_of(body);
    if (slot == kNone) return false;
    const BodyTransform seen = transform_of(pose, s.bodies.data[slot]);
    return s.bodies.transform[slot].rotation != seen.rotation || s.bodies.transform[slot].center != seen.center;
}

/// Pairs of bodies that a constraint joins.
std::vector<JointBodies> list_links(const Simulation& s, const entt::registry& registry) {
    std::vector<JointBodies> links;
    for (const ContactView& contact : list_contacts(s)) links.push_back({contact.body_a, contact.body_b});
    std::vector<Entity> joints;
    for (const JointClass& row : joint_classes()) row.list(registry, joints);
    for (const Entity joint : joints) links.push_back(joint_class_of(registry, joint)->bodies(registry, joint));
    return links;
}

bool is_dynamic(const entt::registry& registry, Entity body) {
    return registry.valid(body) && registry.all_of<RigidBody, Velocity, Force, SleepState>(body) &&
           registry.get<RigidBody>(body).type == BodyType::dynamic;
}

/// Dynamic bodies that are joined to this one, directly or through others.
std::vector<Entity> island_of(const entt::registry& registry, Entity body, const std::vector<JointBodies>& links) {
    // Union-find over the indices of entities.
    std::vector<uint32_t> parent;
    const auto root = [&](Entity entity) {
        const uint32_t index = uint32_t(entt::to_entity(entity));
        while (parent.size() <= index) parent.push_back(uint32_t(parent.size()));
        uint32_t at = index;
        while (parent[at] != at) at = parent[at] = parent[parent[at]];
        return at;
    };
    for (const JointBodies& link : links) {
        if (!is_dynamic(registry, link.a) || !is_dynamic(registry, link.b)) continue;
        const uint32_t a = root(link.a);
        parent[root(link.b)] = a;
    }
    std::vector<Entity> island{body};
    for (const JointBodies& link : links)
        for (const Entity entity : {link.a, link.b})
            if (entity != body && is_dynamic(registry, entity) && root(entity) == root(body)) island.push_back(entity);
    std::sort(island.begin(), island.end());
    island.erase(std::unique(island.begin(), island.end()), island.end());
    return island;
}

bool moves(const Velocity& v) { return v.linear != Vec3(0.0f) || v.angular != Vec3(0.0f); }

}  // namespace

// ---- what they are

Result<void> PhysicsWorld::set_type(Entity body, BodyType type) {
    entt::registry& r = registry();
    if (auto ok = check_is_body(r, body, "A type is given to"); !ok) return ok;
    RigidBody wanted = r.get<RigidBody>(body);
    const BodyType before = wanted.type;
    wanted.type = type;
    if (auto ok = check_rigid_body(wanted); !ok) return ok;
    for (const Entity collider : colliders(body))
        if (auto ok = check_collider(r.get<Collider>(collider), type, {shapes(), settings().solver}); !ok) return ok;
    const Mass now = mass(body);
    if (type == BodyType::dynamic)
        if (auto ok = check_mass(now); !ok) return ok;
    if (type == before) return {};

    // The velocity of a dynamic body is that of its centre of mass, that of a kinematic one is that of its origin.
    Velocity& v = r.get<Velocity>(body);
    const Vec3 lever = glm::cross(v.angular, r.get<Pose>(body).rotation * now.center);
    if (before == BodyType::dynamic) v.linear -= lever;
    if (type == BodyType::dynamic) v.linear += lever;
    if (type == BodyType::fixed) v = {};
    if (type != BodyType::dynamic) r.get<Force>(body) = {};
    r.get<Mass>(body) = now;
    r.replace<RigidBody>(body, wanted);
    return wake(body);
}

Result<void> PhysicsWorld::set_mass(Entity body, const Mass& mass) {
    entt::registry& r = registry();
    if (auto ok = check_is_body(r, body, "A mass is given to"); !ok) return ok;
    if (mass.source > MassSource::given) return Error{"The source of a body's mass must be densities, total or given."};
    if (mass.source == MassSource::total && !(std::isfinite(mass.mass) && mass.mass > 0.0f))
        return Error{"The mass of a body must be a positive finite number of kg."};
    std::vector<Collider> all;
    for (const Entity collider : colliders(body)) all.push_back(r.get<Collider>(collider));
    const Mass wanted = mass_of_colliders(mass, all, shapes());
    if (auto ok = check_mass(wanted); !ok) return ok;
    r.replace<Mass>(body, wanted);
    return wake(body);
}

Result<void> PhysicsWorld::set_material(Entity collider_or_body, const Material& material) {
    entt::registry& r = registry();
    std::vector<Entity> changed = colliders(collider_or_body);
    if (r.valid(collider_or_body) && r.all_of<Collider>(collider_or_body) && !r.all_of<RigidBody>(collider_or_body))
        changed.push_back(collider_or_body);
    if (changed.empty())
        return Error{
            "A material is given to an existing collider, or to a body with colliders; this entity is neither."};
    if (auto ok = check_material(material); !ok) return ok;
    if (auto ok = check_solver_knows(material, settings().solver); !ok) return ok;
    for (const Entity collider : changed) r.patch<Collider>(collider, [&](Collider& c) { c.material = material; });
    return {};
}

// ---- where they are and how they move

Result<void> PhysicsWorld::set_pose(Entity body, const Pose& pose) {
    if (auto ok = check_is_body(registry(), body, "A pose is given to"); !ok) return ok;
    if (auto ok = check_pose(pose, "a body"); !ok) return ok;
    registry().get<Pose>(body) = {pose.position, glm::normalize(pose.rotation)};
    return wake(body);
}

Result<void> PhysicsWorld::set_velocity(Entity body, const Velocity& velocity) {
    if (auto ok = check_is_body(registry(), body, "A velocity is given to"); !ok) return ok;
    if (auto ok = check_velocity(velocity); !ok) return ok;
    if (registry().get<RigidBody>(body).type == BodyType::fixed)
        return Error{"A velocity is given to kinematic and dynamic bodies; this one is fixed."};
    registry().get<Velocity>(body) = velocity;
    return wake(body);
}

Result<void> PhysicsWorld::move_kinematic(Entity body, const Pose& target, float dt) {
    if (auto ok = check_is_body(registry(), body, "A target is given to"); !ok) return ok;
    if (auto ok = check_pose(target, "the target"); !ok) return ok;
    if (!(std::isfinite(dt) && dt > 0.0f))
        return Error{"The time to reach a target must be a positive finite number of seconds."};
    if (dt > kMaxStepTime) return Error{"The time to reach a target must be at most 100 s."};
    const BodyType type = registry().get<RigidBody>(body).type;
    if (type != BodyType::kinematic)
        return Error{std::string("Only kinematic bodies move to a target; this one is ") + name_of(type) + "."};
    const Pose& from = registry().get<Pose>(body);
    // A step takes a pose that it did not make as the end of a motion, and the velocity as that of the surface.
    if (is_elsewhere(simulation(), body, from))
        return Error{"The body was put elsewhere since the last step; a target can be given after the next one."};
    const Vec3 turn = rotation_vector(glm::normalize(target.rotation) * glm::conjugate(from.rotation));
    const Velocity wanted{(target.position - from.position) / dt, turn / dt};
    if (!check_velocity(wanted)) return Error{"The target is too far away to be reached in so short a time."};
    registry().get<Velocity>(body) = wanted;
    return {};
}

// ---- pushing

namespace {

Result<void> add_force(PhysicsWorld& world, Entity body, const Vec3& force, const Vec3& torque) {
    Force sum = world.registry().get<Force>(body);
    sum.linear += force;
    sum.angular += torque;
    if (auto ok = check_force(sum.linear, sum.angular); !ok) return ok;
    world.registry().get<Force>(body) = sum;
    return world.wake(body);
}

Result<void> add_impulse(PhysicsWorld& world, Entity body, const Mass& mass, const Vec3& linear, const Vec3& angular) {
    const Quat rotation = world.pose(body).rotation;
    Velocity v = world.velocity(body);
    v.linear += linear / mass.mass;
    const uint32_t locked = world.registry().get<RigidBody>(body).locked_axes;
    v.angular += locked != 0 ? free_inverse_inertia(mass.inertia, rotation, locked) * angular
                             : rotation * (inverse(mass.inertia) * (glm::conjugate(rotation) * angular));
    if (auto ok = check_velocity(v); !ok) return Error{"The impulse is too large. " + ok.error()};
    world.registry().get<Velocity>(body) = v;
    return world.wake(body);
}

}  // namespace

Result<void> PhysicsWorld::apply_force(Entity body, const Vec3& force) {
    if (auto ok = check_pushable(registry(), body, "A force", force); !ok) return ok;
    return add_force(*this, body, force, Vec3(0.0f));
}

Result<void> PhysicsWorld::apply_torque(Entity body, const Vec3& torque) {
    if (auto ok = check_pushable(registry(), body, "A torque", torque); !ok) return ok;
    return add_force(*this, body, Vec3(0.0f), torque);
}

Result<void> PhysicsWorld::apply_force_at(Entity body, const Vec3& force, const Vec3& point) {
    if (auto ok = check_pushable(registry(), body, "A force", force); !ok) return ok;
    if (!is_finite(point)) return Error{"The point of a force must be three finite numbers."};
    return add_force(*this, body, force, glm::cross(point - centre_of_mass(pose(body), mass(body)), force));
}

Result<void> PhysicsWorld::apply_impulse(Entity body, const Vec3& impulse) {
    if (auto ok = check_pushable(registry(), body, "An impulse", impulse); !ok) return ok;
    return add_impulse(*this, body, mass(body), impulse, Vec3(0.0f));
}

Result<void> PhysicsWorld::apply_angular_impulse(Entity body, const Vec3& impulse) {
    if (auto ok = check_pushable(registry(), body, "An angular impulse", impulse); !ok) return ok;
    return add_impulse(*this, body, mass(body), Vec3(0.0f), impulse);
}

Result<void> PhysicsWorld::apply_impulse_at(Entity body, const Vec3& impulse, const Vec3& point) {
    if (auto ok = check_pushable(registry(), body, "An impulse", impulse); !ok) return ok;
    if (!is_finite(point)) return Error{"The point of an impulse must be three finite numbers."};
    const Mass now = mass(body);
    return add_impulse(*this, body, now, impulse, glm::cross(point - centre_of_mass(pose(body), now), impulse));
}

// ---- sleeping

Result<void> PhysicsWorld::wake(Entity body) {
    if (auto ok = check_is_body(registry(), body, "Waking is for"); !ok) return ok;
    SleepState& sleep = registry().get<SleepState>(body);
    if (sleep.asleep) sleep = SleepState{};
    sleep.timer = std::min(sleep.timer, 0.0f);  // a kinematic body remembers its velocity there
    return {};
}

Result<void> PhysicsWorld::sleep(Entity body) {
    entt::registry& r = registry();
    const Simulation& s = simulation();
    if (auto ok = check_is_body(r, body, "Sleep is for"); !ok) return ok;
    const BodyType type = r.get<RigidBody>(body).type;
    if (type != BodyType::dynamic)
        return Error{std::string("Only dynamic bodies sleep; this one is ") + name_of(type) + "."};
    if (r.get<SleepState>(body).asleep) return {};
    if (!settings().sleeping) return Error{"No body sleeps in this world: StepSettings::sleeping is off."};
    const std::vector<JointBodies> links = list_links(s, r);
    const std::vector<Entity> island = island_of(r, body, links);
    for (const Entity e : island) {
        if (s.bodies.slot_of(e) == kNone)
            return Error{"A body of the island has not been in a step yet; it can sleep after its first one."};
        if (!r.all_of<Pose, Velocity, Force, SleepState>(e))
            return Error{"A body of the island lacks a component, which the next step gives back; it can sleep then."};
        if (!r.get<RigidBody>(e).allow_sleep) return Error{"A body of the island may not sleep (allow_sleep is off)."};
        if (is_elsewhere(s, e, r.get<Pose>(e)))
            return Error{"A body of the island was put elsewhere since the last step; it can sleep after the next."};
    }
    for (const JointBodies& link : links)
        for (const auto& [inside, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
            const bool touches = std::binary_search(island.begin(), island.end(), inside);
            const Velocity* v = touches && r.valid(other) ? r.try_get<Velocity>(other) : nullptr;
            if (v && !is_dynamic(r, other) && moves(*v))
                return Error{
                    "The island touches a kinematic body that moves; it can sleep when that one stands still."};
        }
    for (const Entity e : island) {
        r.get<Velocity>(e) = {};
        r.get<Force>(e) = {};
        r.get<SleepState>(e).asleep = 1;
    }
    return {};
}

bool PhysicsWorld::is_asleep(Entity body) const {
    const SleepState* sleep = registry().valid(body) ? registry().try_get<SleepState>(body) : nullptr;
    return sleep && sleep->asleep;
}

// ---- reading

namespace {

template <class Component>
const Component* find(const entt::registry& registry, Entity body) {
    return registry.valid(body) ? registry.try_get<Component>(body) : nullptr;
}

/// Whether the Mass of a body is what the last step made of it and of its colliders, all of them as they are now.
bool is_current(const Simulation& s, Entity body, const Mass& mass) {
    const uint32_t slot = s.bodies.slot_of(body);
    if (slot == kNone || !s.log.is_seen()) return false;
    const BodyData& data = s.bodies.data[slot];
    bool same = data.mass == mass.mass && std::memcmp(&data.inertia_local, &mass.inertia, sizeof(Sym3)) == 0;
    s.colliders.links.for_each(body, [&](Entity collider) {
        const uint32_t k = s.colliders.slot_of(collider);
        same = same && k != kNone &&
               std::memcmp(&s.colliders.seen[k], &s.registry.get<Collider>(collider), sizeof(Collider)) == 0;
    });
    return same;
}

}  // namespace

std::vector<Entity> PhysicsWorld::colliders(Entity body) const {
    const entt::registry& r = registry();
    std::vector<Entity> out;
    if (!r.valid(body) || !r.all_of<RigidBody>(body)) return out;
    simulation().colliders.links.for_each(body, [&](Entity collider) {
        if (r.all_of<StableId>(collider)) out.push_back(collider);  // no step looks at those without
    });
    std::sort(out.begin(), out.end(),
              [&](Entity x, Entity y) { return r.get<StableId>(x).value < r.get<StableId>(y).value; });
    return out;
}

Pose PhysicsWorld::pose(Entity body) const {
    const Pose* pose = find<Pose>(registry(), body);
    PX_ASSERT(pose, "the pose of something that is no body");
    return pose ? *pose : Pose{};
}

Velocity PhysicsWorld::velocity(Entity body) const {
    const Velocity* velocity = find<Velocity>(registry(), body);
    PX_ASSERT(velocity, "the velocity of something that is no body");
    return velocity ? *velocity : Velocity{};
}

Mass PhysicsWorld::mass(Entity body) const {
    const Mass* known = find<Mass>(registry(), body);
    PX_ASSERT(known, "the mass of something that is no body");
    if (!known) return {};
    if (known->source == MassSource::given || is_current(simulation(), body, *known)) return *known;
    std::vector<Collider> all;
    for (const Entity entity : colliders(body)) {
        const Collider& collider = registry().get<Collider>(entity);
        if (!fault_of(registry(), shapes(), collider)) all.push_back(collider);  // steps leave the others out
    }
    return mass_of_colliders(*known, all, shapes());
}

}  // namespace proxima::physics
