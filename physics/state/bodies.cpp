// SPDX-License-Identifier: MIT
// Between the registry and the dense arrays: gather and scatter, and masses from colliders.
#include "physics/state/bodies.h"
#include "engine/ecs/component_cursor.h"

#include <algorithm>

#include "physics/step.h"

namespace proxima::physics {

namespace {

void warn(StepContext& c, Entity entity, const char* message) {
    c.report.warnings.push_back({entity, message});
}

constexpr uint32_t kBodiesPerBlock = 256;
constexpr float kMotionMargin = 1.0001f;  // what rounding may hide of a motion

/// A body whose components are not finite is taken out before it can touch anything.
void quarantine(StepContext& c, uint32_t slot, const char* message) {
    BodyFacts& facts = c.bodies.facts[slot];
    facts.out_of_step = true;
    c.world.registry().emplace_or_replace<Quarantined>(facts.entity, Quarantined{c.step_number});
    warn(c, facts.entity, message);
}

bool is_finite(const Velocity& v) { return proxima::is_finite(v.linear) && proxima::is_finite(v.angular); }
bool is_usable(const Pose& pose) {
    const float length2 = glm::dot(pose.rotation, pose.rotation);
    return proxima::is_finite(pose.position) && proxima::is_finite(length2) && length2 > 1e-12f;
}
bool is_usable(const Velocity& velocity, const Force& force) {
    return is_finite(velocity) && proxima::is_finite(force.linear) && proxima::is_finite(force.angular);
}
bool is_zero(const Vec3& v) { return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f; }

void take_settings(BodyFacts& facts, const RigidBody& settings) {
    facts.gravity_scale = settings.gravity_scale;
    facts.linear_damping = settings.linear_damping;
    facts.angular_damping = settings.angular_damping;
    facts.allow_sleep = settings.allow_sleep != 0;
}

/// Whether a body slept in the last step and nobody touched it since: its slot is as it was.
bool sleeps_on(const StepContext& c, uint32_t i, const Pose& pose, const Velocity& velocity,
               const Force& force, const Rest& rest) {
    const BodyArrays& bodies = c.bodies;
    if (!rest.asleep || bodies.was_awake[i] || bodies.awake[i] || bodies.placed_anew[i] || c.lists_are_new ||
        !bodies.dynamic[i] || !c.settings.sleeping)
        return false;
    const BodyPlace &place = bodies.place[i], seen = place_of(pose, bodies.facts[i]);
    return place.rotation == seen.rotation && place.center == seen.center && is_zero(velocity.linear) &&
           is_zero(velocity.angular) && is_zero(force.linear) && is_zero(force.angular);
}

/// Components of one body into its slot.
void gather_body(StepContext& c, uint32_t i, const Pose& pose, const Velocity& velocity, const Force& force,
                 const RigidBody& settings, const Rest& rest) {
    BodyArrays& bodies = c.bodies;
    BodyFacts& facts = bodies.facts[i];
    take_settings(facts, settings);
    facts.force = force.linear;
    facts.torque = force.angular;

    BodyPlace& place = bodies.place[i];
    const BodyPlace seen = place_of(pose, facts);
    bodies.placed_anew[i] = place.rotation != seen.rotation || place.center != seen.center;
    place.rotation = seen.rotation;
    place.center = seen.center;
    bodies.moved[i] = {};
    bodies.inverse_mass[i] = {};
    bodies.velocity[i] = {};
    bodies.quiet_time[i] = rest.quiet_time;
    bodies.watch[i] = {rest.dear_steps, rest.direct_steps, rest.calm_steps, rest.barred_steps};
    bodies.mean_velocity[i].linear = rest.mean_linear;
    bodies.mean_velocity[i].angular = rest.mean_angular;
    bodies.awake[i] = 0;
    bodies.falls_asleep[i] = 0;
    bodies.motion[i] = 0.0f;
    bodies.speed[i] = 0.0f;
    bodies.dynamic[i] = facts.type == BodyType::dynamic && !facts.out_of_step;
    if (facts.out_of_step || facts.type == BodyType::fixed) return;

    bodies.velocity[i].linear = velocity.linear;
    bodies.velocity[i].angular = velocity.angular;
    bodies.speed[i] = glm::length(velocity.linear) + glm::length(velocity.angular) * place.radius;
    const bool moved = bodies.placed_anew[i];
    const bool pushed = moved || !is_zero(velocity.linear) || !is_zero(velocity.angular) ||
                        !is_zero(force.linear) || !is_zero(force.angular);
    if (facts.type == BodyType::kinematic) {
        bodies.awake[i] = pushed && !moved;
        return;
    }
    bodies.awake[i] = !rest.asleep || pushed || !c.settings.sleeping;
    if (rest.asleep && bodies.awake[i]) bodies.quiet_time[i] = 0.0f;
    bodies.inverse_mass[i].mass = 1.0f / facts.mass;
    bodies.inverse_mass[i].inertia =
        facts.isotropic ? facts.inverse_inertia_local : rotate(facts.inverse_inertia_local, place.rotation);
}

}  // namespace

void MassAccumulator::add(const MassProperties& shape, const Transform& local, float density) {
    const double m = double(shape.volume) * density;
    const Vec3 at = to_world(local, shape.center);
    const Sym3 turned = rotate(shape.inertia, local.rotation);
    mass += m;
    const double p[3] = {at.x, at.y, at.z};
    for (int k = 0; k < 3; ++k) moment[k] += m * p[k];
    // Parallel axes, about the body's origin; result() moves it to the centre of mass.
    const double own[6] = {turned.xx, turned.yy, turned.zz, turned.xy, turned.xz, turned.yz};
    const double shift[6] = {p[1] * p[1] + p[2] * p[2],
                             p[0] * p[0] + p[2] * p[2],
                             p[0] * p[0] + p[1] * p[1],
                             -p[0] * p[1],
                             -p[0] * p[2],
                             -p[1] * p[2]};
    for (int k = 0; k < 6; ++k) inertia[k] += own[k] * density + m * shift[k];
}

Mass MassAccumulator::result() const {
    Mass out;
    if (mass <= 0.0) {  // no colliders: a sphere of 1 kg and radius 0.5 m
        out.mass = 1.0f;
        out.inertia = {0.1f, 0.1f, 0.1f, 0.0f, 0.0f, 0.0f};
        return out;
    }
    const double x = moment[0] / mass, y = moment[1] / mass, z = moment[2] / mass;
    out.mass = float(mass);
    out.center = {float(x), float(y), float(z)};
    out.inertia = {float(inertia[0] - mass * (y * y + z * z)), float(inertia[1] - mass * (x * x + z * z)),
                   float(inertia[2] - mass * (x * x + y * y)), float(inertia[3] + mass * x * y),
                   float(inertia[4] + mass * x * z),           float(inertia[5] + mass * y * z)};
    return out;
}

void scale_mass(Mass& mass, float total) {
    const float f = total / mass.mass;
    mass.mass = total;
    Sym3& i = mass.inertia;
    i = {i.xx * f, i.yy * f, i.zz * f, i.xy * f, i.xz * f, i.yz * f};
}

bool is_sensible(const Mass& mass) {
    const Sym3& i = mass.inertia;
    const bool finite = proxima::is_finite(mass.mass) && proxima::is_finite(mass.center) &&
                        proxima::is_finite(Vec3(i.xx, i.yy, i.zz)) &&
                        proxima::is_finite(Vec3(i.xy, i.xz, i.yz));
    const double det = double(i.xx) * (double(i.yy) * i.zz - double(i.yz) * i.yz) -
                       double(i.xy) * (double(i.xy) * i.zz - double(i.yz) * i.xz) +
                       double(i.xz) * (double(i.xy) * i.yz - double(i.yy) * i.xz);
    return finite && mass.mass > 0.0f && i.xx > 0.0f && i.yy > 0.0f && i.zz > 0.0f && det > 0.0 &&
           proxima::is_finite(1.0f / mass.mass) && proxima::is_finite(inverse(i).xx);
}

void apply_user_changes(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::user_changes));
    entt::registry& registry = c.world.registry();
    c.lists_are_new = c.structure_changed || !c.changes.empty();
    if (c.lists_are_new) {
        c.structure_changed = !plan_changes(c);
        if (c.structure_changed)
            rebuild_structure(c);
        else
            apply_changes(c);
        c.structure_changed = false;
    }
    auto& poses = registry.storage<Pose>();
    auto& velocities = registry.storage<Velocity>();
    auto& forces = registry.storage<Force>();
    auto& settings = registry.storage<RigidBody>();
    auto& rests = registry.storage<Rest>();
    const uint32_t n = uint32_t(c.bodies.size());
    // Reading the registry is safe on several threads; what must be written to it is done afterwards.
    c.body_troubles.assign(engine::block_count(n, kBodiesPerBlock), 0);
    c.jobs->parallel_for(n, kBodiesPerBlock, [&](const engine::JobBlock& block) {
        engine::ComponentCursor<Pose> pose_of(poses);
        engine::ComponentCursor<Velocity> velocity_of(velocities);
        engine::ComponentCursor<Force> force_of(forces);
        engine::ComponentCursor<RigidBody> settings_of(settings);
        engine::ComponentCursor<Rest> rest_of(rests);
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const Entity entity = c.bodies.facts[i].entity;
            Pose& pose = pose_of(entity);
            const Velocity& velocity = velocity_of(entity);
            const Force& force = force_of(entity);
            const Rest& rest = rest_of(entity);
            const RigidBody& body_settings = settings_of(entity);
            if (sleeps_on(c, i, pose, velocity, force, rest)) {
                take_settings(c.bodies.facts[i], body_settings);
                continue;
            }
            if (!c.bodies.facts[i].out_of_step) {
                if (!is_usable(pose) || !is_usable(velocity, force)) c.body_troubles[block.block] = 1;
                const float length2 = glm::dot(pose.rotation, pose.rotation);
                if (std::abs(length2 - 1.0f) > 1e-5f)
                    pose.rotation = pose.rotation * (1.0f / std::sqrt(length2));
            }
            gather_body(c, i, pose, velocity, force, body_settings, rest);
        }
    });
    for (uint32_t block = 0; block < c.body_troubles.size(); ++block) {
        if (!c.body_troubles[block]) continue;
        for (uint32_t i = block * kBodiesPerBlock; i < std::min(n, (block + 1) * kBodiesPerBlock); ++i) {
            if (c.bodies.facts[i].out_of_step) continue;
            const Entity entity = c.bodies.facts[i].entity;
            Pose& pose = poses.get(entity);
            Velocity& velocity = velocities.get(entity);
            const Force& force = forces.get(entity);
            if (!is_usable(pose)) {
                quarantine(c, i, "The body's pose is not finite; it is left out of the step.");
                pose = Pose{};
            } else if (!is_usable(velocity, force)) {
                quarantine(c, i, "The body's velocity or force is not finite; it is left out of the step.");
                velocity = Velocity{};
            } else {
                continue;
            }
            gather_body(c, i, pose, velocity, force, settings.get(entity), rests.get(entity));
        }
    }
}

void write_back(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::write_back));
    entt::registry& registry = c.world.registry();
    auto& poses = registry.storage<Pose>();
    auto& velocities = registry.storage<Velocity>();
    auto& forces = registry.storage<Force>();
    auto& rests = registry.storage<Rest>();
    const uint32_t n = uint32_t(c.bodies.size());
    c.body_troubles.assign(engine::block_count(n, kBodiesPerBlock), 0);
    const auto went_wrong = [&](uint32_t i) {
        const Quat& rotation = c.bodies.place[i].rotation;
        const Vec3 center = c.bodies.place[i].center + c.bodies.moved[i].linear;
        // A spin so fast that its quaternion overflows normalises to zero, which is finite but no rotation.
        const bool rotation_ok = std::abs(glm::dot(rotation, rotation) - 1.0f) < 1e-3f;
        return !proxima::is_finite(center) || !rotation_ok ||
               !is_finite(Velocity{c.bodies.velocity[i].linear, c.bodies.velocity[i].angular});
    };
    c.jobs->parallel_for(n, kBodiesPerBlock, [&](const engine::JobBlock& block) {
        engine::ComponentCursor<Pose> pose_of(poses);
        engine::ComponentCursor<Velocity> velocity_of(velocities);
        engine::ComponentCursor<Force> force_of(forces);
        engine::ComponentCursor<Rest> rest_of(rests);
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const BodyFacts& facts = c.bodies.facts[i];
            if (facts.out_of_step || facts.type == BodyType::fixed) continue;
            force_of(facts.entity) = Force{};
            Rest& rest = rest_of(facts.entity);
            rest.quiet_time = c.bodies.quiet_time[i];
            const BodyWatch& watch = c.bodies.watch[i];
            rest.dear_steps = watch.dear_steps;
            rest.direct_steps = watch.direct_steps;
            rest.calm_steps = watch.calm_steps;
            rest.barred_steps = watch.barred_steps;
            rest.mean_linear = c.bodies.mean_velocity[i].linear;
            rest.mean_angular = c.bodies.mean_velocity[i].angular;
            rest.asleep = facts.type == BodyType::dynamic && (!c.bodies.awake[i] || c.bodies.falls_asleep[i]);
            if (!c.bodies.awake[i]) continue;
            if (went_wrong(i)) {
                c.body_troubles[block.block] = 1;
                continue;
            }
            const Quat& rotation = c.bodies.place[i].rotation;
            Pose& pose = pose_of(facts.entity);
            const Quat turned = glm::conjugate(pose.rotation) * rotation;
            c.bodies.motion[i] = kMotionMargin * (glm::length(c.bodies.moved[i].linear) +
                                                  2.0f * glm::length(Vec3(turned.x, turned.y, turned.z)) *
                                                      c.bodies.place[i].radius);
            const Vec3 center = c.bodies.place[i].center + c.bodies.moved[i].linear;
            pose = {center - rotation * facts.center_local, rotation};
            velocity_of(facts.entity) =
                rest.asleep ? Velocity{}
                            : Velocity{c.bodies.velocity[i].linear, c.bodies.velocity[i].angular};
            c.bodies.place[i].center = place_of(pose, facts).center;
        }
    });
    for (uint32_t block = 0; block < c.body_troubles.size(); ++block) {
        if (!c.body_troubles[block]) continue;
        for (uint32_t i = block * kBodiesPerBlock; i < std::min(n, (block + 1) * kBodiesPerBlock); ++i) {
            const BodyFacts& facts = c.bodies.facts[i];
            const bool moves = !facts.out_of_step && facts.type != BodyType::fixed && c.bodies.awake[i];
            if (!moves || !went_wrong(i)) continue;
            // The pose in the registry is still the one before the step.
            quarantine(
                c, i,
                "The body went non-finite; it stays at its last good pose and is left out of the step.");
            velocities.get(facts.entity) = Velocity{};
            c.structure_changed = true;
        }
    }
}

}  // namespace proxima::physics
