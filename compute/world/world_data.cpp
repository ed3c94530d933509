// SPDX-License-Identifier: MIT
#include "compute/world/world_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "physics/bodies/mass.h"
#include "physics/components.h"
#include "physics/contact/material.h"
#include "physics/scale.h"
#include "physics/shapes/inertia.h"
#include "physics/shapes/shape_classes.h"

namespace proxima::compute::world {

using physics::BodyType;
using physics::Collider;
using physics::Entity;
using physics::Mass;
using physics::MassSource;
using physics::Pose;
using physics::RigidBody;
using physics::Shape;
using physics::ShapeType;

namespace {

/// The kernels that know a type of shape.
struct ShapeKernels {
    ShapeType type;
    uint32_t kind;
};
constexpr ShapeKernels kShapeKernels[] = {{ShapeType::sphere, kSphere},
                                          {ShapeType::box, kBox},
                                          {ShapeType::capsule, kCapsule},
                                          {ShapeType::hull, kHull},
                                          {ShapeType::half_space, kHalfSpace}};

/// kNone for a type that no kernel knows.
uint32_t kind_of(ShapeType type) {
    for (const ShapeKernels& row : kShapeKernels)
        if (row.type == type) return row.kind;
    return kNone;
}

vec4 to_vec4(const Vec3& v, float w = 0.0f) { return {v.x, v.y, v.z, w}; }
vec4 to_vec4(const Quat& q) { return {q.x, q.y, q.z, q.w}; }
constexpr float kMaxRadius = 1e30f;  // m, of what has no end
float bits(uint32_t word) { return std::bit_cast<float>(word); }

void add_shape(const Shape& shape, WorldData& out) {
    WorldShape s{};
    const physics::Polytope& p = shape.polytope;
    s.kind = {kind_of(shape.type), uint32_t(out.vertices.size()), uint32_t(out.faces.size() / 2),
              uint32_t(out.edges.size() / 2)};
    s.counts = {uint32_t(p.vertices.size()), uint32_t(p.faces.size()), uint32_t(p.edges.size()),
                uint32_t(out.loops.size())};
    Vec3 low(0.0f), high(0.0f);
    if (!p.vertices.empty()) {
        low = high = p.vertices[0];
        for (const Vec3& v : p.vertices) {
            low = glm::min(low, v);
            high = glm::max(high, v);
        }
    } else {
        high = Vec3(shape.radius, shape.radius + shape.half_height, shape.radius);
        low = -high;
    }
    s.size = to_vec4(0.5f * (high - low), shape.radius);
    s.more = {shape.half_height, std::min(shape.bounding_radius, kMaxRadius), shape.axis_slop, p.inner_radius};
    s.center = to_vec4(p.center);
    s.middle = to_vec4(0.5f * (high + low));
    out.shapes.push_back(s);
    for (const Vec3& v : p.vertices) out.vertices.push_back(to_vec4(v));
    for (const physics::Polytope::Face& f : p.faces) {
        out.faces.push_back(to_vec4(f.normal, f.offset));
        out.faces.push_back({bits(f.first), bits(f.count), 0.0f, 0.0f});
    }
    for (size_t k = 0; k < p.face_vertices.size(); ++k)
        out.loops.push_back(uint32_t(p.face_vertices[k]) | uint32_t(p.face_edges[k]) << 16);
    for (const physics::Polytope::Edge& e : p.edges) {
        out.edges.push_back(uint32_t(e.tail) | uint32_t(e.head) << 16);
        out.edges.push_back(uint32_t(e.left) | uint32_t(e.right) << 16);
    }
}

/// A body's mass as the step on the cpu will find it: components of a world that has not stepped yet may
/// still lack it.
Mass mass_of(const entt::registry& registry, Entity body, const physics::MassAccumulator& colliders) {
    const Mass& known = registry.get<Mass>(body);
    if (known.source == MassSource::given) return known;
    Mass mass = colliders.result();
    mass.source = known.source;
    if (known.source == MassSource::total) physics::scale_mass(mass, known.mass);
    return mass;
}

void add_body(const entt::registry& registry, Entity entity, const Mass& mass, WorldData& out) {
    const RigidBody& settings = registry.get<RigidBody>(entity);
    const Pose& pose = registry.get<Pose>(entity);
    const auto& velocity = registry.get<physics::Velocity>(entity);
    const auto& force = registry.get<physics::Force>(entity);
    const bool dynamic = settings.type == BodyType::dynamic;
    const Vec3 centre = dynamic ? mass.center : Vec3(0.0f);
    WorldBody b{};
    uint32_t flags = 0;
    if (registry.all_of<physics::Quarantined>(entity) || (dynamic && !physics::is_sensible(mass))) {
        flags = kQuarantined;
    } else if (dynamic) {
        flags = kDynamic | (!physics::is_isotropic(mass.inertia) ? kGyroscopic : 0u);
        const Sym3 &i = mass.inertia, inverted = inverse(mass.inertia);
        b.inverse0 = {inverted.xx, inverted.yy, inverted.zz, inverted.xy};
        b.inverse1 = {inverted.xz, inverted.yz, 1.0f / mass.mass, 0.0f};
        b.inertia0 = {i.xx, i.yy, i.zz, i.xy};
        b.inertia1 = {i.xz, i.yz, mass.mass, settings.gravity_scale};
    } else if (settings.type == BodyType::kinematic) {
        flags = kKinematic;
    }
    b.inverse1.w = bits(flags);
    b.force = to_vec4(force.linear, settings.linear_damping);
    b.torque = to_vec4(force.angular, settings.angular_damping);
    const physics::SleepState* last = registry.try_get<physics::SleepState>(entity);
    if (last && (flags & kKinematic)) {
        b.before0 = to_vec4(last->mean_linear);
        b.before1 = to_vec4(last->mean_angular);
    }
    out.bodies.push_back(b);
    const bool moves = (flags & (kDynamic | kKinematic)) != 0;
    out.poses.push_back(to_vec4(pose.position + pose.rotation * centre));
    out.poses.push_back(to_vec4(pose.rotation));
    out.velocities.push_back(moves ? to_vec4(velocity.linear) : vec4{});
    out.velocities.push_back(moves ? to_vec4(velocity.angular) : vec4{});
    out.centres.push_back(to_vec4(centre));
    out.entities.push_back(entity);
    out.masses.push_back(mass);
}

/// How much larger than the shape the box of each collider is: half of the speculative distance that it has with a body
/// of its own size. What has no end meets bodies of all sizes.
std::vector<float> box_margins(const physics::PhysicsWorld& world,
                               const std::vector<std::pair<uint32_t, Entity>>& colliders) {
    std::vector<float> radius;
    float largest = 0.0f;
    for (const auto& [id, entity] : colliders) {
        const Shape& shape = world.shapes().get(world.registry().get<Collider>(entity).shape);
        const bool unbounded = physics::shape_class(shape).unbounded;
        radius.push_back(unbounded ? 0.0f : shape.bounding_radius);
        largest = std::max(largest, radius.back());
    }
    const float half = 0.5f * world.settings().speculative_distance;
    for (float& r : radius) r = half * physics::length_scale(r > 0.0f ? r : largest);
    return radius;
}

/// What only the cpu can do.
Result<void> check_settings(const physics::StepSettings& s) {
    const auto refuse = [](const std::string& what) {
        return Error{what + " is not there on the gpu; use the cpu for it."};
    };
    if (s.stepping != physics::Stepping::semi_implicit) return refuse("Moreau's midpoint stepping");
    if (s.stabilisation == physics::Stabilisation::projection) return refuse("Projection of positions");
    if (s.solver != "prox_gs" && s.solver != "prox_jacobi")
        return refuse("The solver '" + s.solver + "' (prox_gs and prox_jacobi are)");
    if (s.r_strategy != physics::RStrategy::local) return refuse("Another strategy of steps than local");
    if (s.tolerance > 0.0) return refuse("A tolerance for islands");
    return {};
}

}  // namespace

Result<void> check_masses(const physics::StepSettings& settings, const WorldData& data) {
    constexpr float kMaxMassRatio = 200.0f;
    float least = std::numeric_limits<float>::max(), most = 0.0f;
    for (const WorldBody& b : data.bodies) {
        if ((std::bit_cast<uint32_t>(b.inverse1.w) & kDynamic) == 0) continue;
        least = std::min(least, b.inertia1.z);
        most = std::max(most, b.inertia1.z);
    }
    if (!settings.direct_islands || !(most > kMaxMassRatio * least)) return {};
    return Error{
        fmt::format("Masses differ by {:.3g} : 1, and the gpu has no direct solves, which carry heavy bodies on light "
                    "ones; the cpu "
                    "has. Without direct_islands ratios above {:.0f} : 1 are swept on the gpu as well.",
                    most / least, kMaxMassRatio)};
}

WorldSizes WorldData::sizes(uint32_t pairs) const {
    WorldSizes s;
    s.bodies = uint32_t(bodies.size());
    s.colliders = uint32_t(colliders.size());
    s.shapes = uint32_t(shapes.size());
    s.vertices = uint32_t(vertices.size());
    s.faces = uint32_t(faces.size() / 2);
    s.loop_words = uint32_t(loops.size());
    s.edges = uint32_t(edges.size() / 2);
    s.pairs = pairs;
    return s;
}

Result<WorldData> gather(const physics::PhysicsWorld& world) {
    if (Result<void> good = check_settings(world.settings()); !good) return Error{good.error()};
    WorldData out;
    const entt::registry& registry = world.registry();
    for (uint32_t k = 0; k < world.shapes().size(); ++k)
        add_shape(world.shapes().contains(physics::ShapeId(k)) ? world.shapes().get(physics::ShapeId(k)) : Shape{},
                  out);

    // Bodies have the order that the world gives them; colliders that of their stable ids.
    const std::span<const Entity> bodies = world.bodies();
    std::unordered_map<Entity, uint32_t> slot_of;
    slot_of.reserve(bodies.size());
    for (uint32_t i = 0; i < bodies.size(); ++i) slot_of.emplace(bodies[i], i);
    std::vector<std::pair<uint32_t, Entity>> colliders;
    for (const auto [entity, collider, id] : registry.view<const Collider, const physics::StableId>().each())
        colliders.emplace_back(id.value, entity);
    std::sort(colliders.begin(), colliders.end());

    if (registry.view<physics::JointState>().size() > 0)
        return Error{"Joints are not there on the gpu; use the cpu for them."};

    if (world.has_ignored_pairs()) return Error{"Ignored pairs are not there on the gpu; use the cpu for them."};

    std::vector<physics::MassAccumulator> sums(bodies.size());
    for (const auto& [id, entity] : colliders) {
        const Collider& c = registry.get<Collider>(entity);
        const Shape& shape = world.shapes().get(c.shape);
        if (physics::has_extended_friction(c.material))
            return Error{
                "Friction with a grain, torsional and rolling friction are not there on the gpu; use the "
                "cpu for them."};
        if (c.material.surface_velocity != Vec3(0.0f))
            return Error{
                "Surfaces that move along themselves (surface_velocity) are not there on the gpu; use the cpu for "
                "them."};
        if (c.is_sensor) return Error{"Sensors are not there on the gpu; use the cpu for them."};
        if (c.group != 0) return Error{"Groups of colliders (group) are not there on the gpu; use the cpu for them."};
        if (const physics::ContactRules* rules = registry.try_get<physics::ContactRules>(entity)) {
            const char* what = rules->one_way != Vec3(0.0f)         ? "One-way surfaces (one_way)"
                               : rules->hit_speed > 0.0f            ? "Hit speeds of colliders (hit_speed)"
                               : rules->force_threshold > 0.0f      ? "Force thresholds (force_threshold)"
                               : rules->break_impulse > 0.0f        ? "Colliders that break (break_impulse)"
                               : rules->modifiable || rules->broken ? "Contact modifiers (modifiable)"
                                                                    : nullptr;
            if (what) return Error{std::string(what) + " are not there on the gpu; use the cpu for them."};
        }
        if (kind_of(shape.type) == kNone)
            return Error{std::string("Shapes of type ") + to_string(shape.type) +
                         " are not there on the gpu; use the cpu for them."};
        if (!physics::shape_class(shape).unbounded)
            sums[slot_of.at(c.body)].add(shape.mass, {c.local.position, c.local.rotation}, c.density);
    }
    for (const auto [entity, body] : registry.view<const RigidBody>().each())
        if (body.type == BodyType::dynamic &&
            (body.locked_axes != 0 || body.max_linear_speed > 0.0f || body.max_angular_speed > 0.0f))
            return Error{"Locked axes and speed limits of bodies are not there on the gpu; use the cpu for them."};
    for (uint32_t i = 0; i < bodies.size(); ++i)
        add_body(registry, bodies[i], mass_of(registry, bodies[i], sums[i]), out);

    const std::vector<float> margins = box_margins(world, colliders);
    for (const auto& [id, entity] : colliders) {
        const Collider& c = registry.get<Collider>(entity);
        const physics::ContactMaterial surface = physics::contact_material(c.material);
        const uint32_t body = slot_of.at(c.body);
        const vec4& centre = out.centres[body];
        WorldCollider w{};
        w.offset = to_vec4(c.local.position - Vec3(centre.x, centre.y, centre.z), surface.friction);
        w.turn = to_vec4(c.local.rotation);
        w.refs = {body, uint32_t(c.shape), c.layer, c.mask};
        w.surface = {surface.restitution,
                     bits(uint32_t(surface.friction_combine) | uint32_t(surface.restitution_combine) << 8),
                     margins[out.colliders.size()], 0.0f};
        out.bounces = out.bounces || surface.restitution > 0.0f;
        const float reach = glm::length(c.local.position - Vec3(centre.x, centre.y, centre.z)) +
                            std::min(world.shapes().get(c.shape).bounding_radius, kMaxRadius);
        float& radius = out.bodies[body].before0.w;
        radius = std::max(radius, reach);
        out.colliders.push_back(w);
        out.collider_entities.push_back(entity);
    }
    return out;
}

Result<void> upload(engine::GpuCommands& commands, const WorldBuffers& buffers, const WorldData& data) {
    const auto send = [&](const engine::GpuBuffer& buffer, const auto& values) -> Result<void> {
        if (values.empty()) return {};
        return commands.upload(buffer, 0, std::as_bytes(std::span(values)));
    };
    if (auto r = send(buffers.bodies, data.bodies); !r) return r;
    if (auto r = send(buffers.poses, data.poses); !r) return r;
    if (auto r = send(buffers.velocities, data.velocities); !r) return r;
    if (auto r = send(buffers.colliders, data.colliders); !r) return r;
    if (auto r = send(buffers.shapes, data.shapes); !r) return r;
    if (auto r = send(buffers.vertices, data.vertices); !r) return r;
    if (auto r = send(buffers.faces, data.faces); !r) return r;
    if (auto r = send(buffers.loops, data.loops); !r) return r;
    if (auto r = send(buffers.edges, data.edges); !r) return r;
    for (const engine::GpuBuffer* zero :
         {&buffers.status, &buffers.arguments, &buffers.turns[0].offsets, &buffers.turns[1].offsets})
        commands.fill(*zero, 0, zero->bytes() / 4 * 4, 0);  // in words
    return {};
}

void scatter(const WorldData& data, const std::vector<vec4>& poses, const std::vector<vec4>& velocities,
             physics::PhysicsWorld& world) {
    entt::registry& registry = world.registry();
    for (size_t i = 0; i < data.entities.size(); ++i) {
        registry.get<Mass>(data.entities[i]) = data.masses[i];
        if ((std::bit_cast<uint32_t>(data.bodies[i].inverse1.w) & (kDynamic | kKinematic)) == 0) continue;
        const vec4 &c = poses[2 * i], &q = poses[2 * i + 1], &v = velocities[2 * i], &w = velocities[2 * i + 1],
                   &local = data.centres[i];
        const Quat rotation(q.w, q.x, q.y, q.z);
        registry.get<Pose>(data.entities[i]) = {Vec3(c.x, c.y, c.z) - rotation * Vec3(local.x, local.y, local.z),
                                                rotation};
        registry.get<physics::Force>(data.entities[i]) = {};  // for one step only
        registry.get<physics::Velocity>(data.entities[i]) = {Vec3(v.x, v.y, v.z), Vec3(w.x, w.y, w.z)};
        // A step of a kinematic body begins with its velocity in the one before (physics/solve/integrate.h).
        if ((std::bit_cast<uint32_t>(data.bodies[i].inverse1.w) & kKinematic) == 0) continue;
        auto& state = registry.get<physics::SleepState>(data.entities[i]);
        state.mean_linear = {v.x, v.y, v.z};
        state.mean_angular = {w.x, w.y, w.z};
    }
}

}  // namespace proxima::compute::world
