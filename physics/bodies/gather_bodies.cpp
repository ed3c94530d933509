// SPDX-License-Identifier: MIT
// Between the registry and the dense arrays: gather at the start of a step, scatter at its end.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/ecs/component_cursor.h"
#include "physics/bodies/bodies.h"
#include "physics/bodies/mass.h"
#include "physics/limits.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kBodiesPerBlock = 256;
constexpr float kMotionMargin = 1.0001f;  // what rounding may hide of a motion

// What gather finds in a block of bodies.
enum Trouble : uint8_t { kNotFinite = 1, kOtherStructure = 2, kNonsense = 4, kInVain = 8 };

/// A body whose components are not finite is taken out before it can touch anything.
void quarantine(entt::registry& registry, const StepParams& params, Bodies& bodies, uint32_t slot, const char* message,
                StepReport& report) {
    BodyData& data = bodies.data[slot];
    data.excluded = true;
    ++bodies.version;  // it is no longer one that can be moved
    registry.emplace_or_replace<Quarantined>(data.entity, Quarantined{params.step});
    report.warn(data.entity, message);
}

/// False for what is not finite too.
bool can_be_stepped(const Vec3& v) {
    return std::abs(v.x) <= kMaxStepped && std::abs(v.y) <= kMaxStepped && std::abs(v.z) <= kMaxStepped;
}
bool can_be_stepped(const Velocity& v) { return can_be_stepped(v.linear) && can_be_stepped(v.angular); }
bool is_usable(const Pose& pose) {
    const float length2 = glm::dot(pose.rotation, pose.rotation);
    return can_be_stepped(pose.position) && proxima::is_finite(length2) && length2 > 1e-12f;
}
bool is_usable(const Velocity& velocity, const Force& force) {
    return can_be_stepped(velocity) && proxima::is_finite(force.linear) && proxima::is_finite(force.angular);
}
bool is_zero(const Vec3& v) { return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f; }

/// A damping below zero would blow up.
bool is_at_least_zero(float x) { return x >= 0.0f && std::isfinite(x); }

/// What makes no sense becomes what it was before, of a new body what it is by default, and the body is named.
void repair(RigidBody& settings, const BodyData& data, StepReport& report) {
    if (settings.type > BodyType::dynamic) {
        settings.type = data.type <= BodyType::dynamic ? data.type : BodyType::fixed;
        report.warn(data.entity, "The body's type was none that there is; it is what it was before, or fixed.");
    }
    if (!(std::abs(settings.gravity_scale) <= kMaxGravity)) {
        settings.gravity_scale = data.gravity_scale;
        report.warn(data.entity,
                    "The body's gravity scale was not finite, or beyond 1,000,000; it is what it was before, or 1.");
    }
    const auto repair_number = [&](float& now, float before, const char* message) {
        if (is_at_least_zero(now)) return;
        now = before;
        report.warn(data.entity, message);
    };
    constexpr const char* kDamping =
        "A damping of the body was negative or not finite; it is what it was before, or 0.";
    repair_number(settings.linear_damping, data.linear_damping, kDamping);
    repair_number(settings.angular_damping, data.angular_damping, kDamping);
    constexpr const char* kLimit =
        "A speed limit of the body was negative or not finite; it is what it was before, or none.";
    repair_number(settings.max_linear_speed, data.max_linear_speed, kLimit);
    repair_number(settings.max_angular_speed, data.max_angular_speed, kLimit);
    if ((settings.locked_axes & ~uint32_t(kLockRotation)) != 0) {
        settings.locked_axes = data.locked_axes;
        report.warn(data.entity,
                    "The body's locked axes had bits that are none of LockedAxes; they are what they were before.");
    }
}
void repair(Mass& mass, const BodyData& data, StepReport& report) {
    if (mass.source <= MassSource::given) return;
    mass.source = MassSource::densities;
    report.warn(data.entity, "The source of the body's mass was none that there is; it is the densities now.");
}

/// Whether a slot was made from these components.
bool is_as_listed(const BodyData& data, const RigidBody& settings, const Mass& mass) {
    // Bit by bit: a mass that is not a number is not equal to itself.
    const auto same = [](const auto& x, const auto& y) { return std::memcmp(&x, &y, sizeof(x)) == 0; };
    return settings.type == data.type && settings.locked_axes == data.locked_axes &&
           (settings.allow_sleep != 0) == data.allow_sleep && same(settings.gravity_scale, data.gravity_scale) &&
           same(settings.linear_damping, data.linear_damping) && same(settings.angular_damping, data.angular_damping) &&
           same(settings.max_linear_speed, data.max_linear_speed) &&
           same(settings.max_angular_speed, data.max_angular_speed) && uint8_t(mass.source) == data.mass_source &&
           same(mass.mass, data.mass) && same(mass.center, data.mass_center) && same(mass.inertia, data.inertia_local);
}

}  // namespace

bool is_sensible(const RigidBody& settings) {
    return settings.type <= BodyType::dynamic && std::abs(settings.gravity_scale) <= kMaxGravity &&
           is_at_least_zero(settings.linear_damping) && is_at_least_zero(settings.angular_damping) &&
           is_at_least_zero(settings.max_linear_speed) && is_at_least_zero(settings.max_angular_speed) &&
           (settings.locked_axes & ~uint32_t(kLockRotation)) == 0;
}

float change_of_velocity(const Bodies& bodies, uint32_t body) {
    const BodyVelocity &v = bodies.velocity[body], &before = bodies.mean_velocity[body];
    const float change =
        glm::length(v.linear - before.linear) + glm::length(v.angular - before.angular) * bodies.transform[body].radius;
    return std::isfinite(change) ? change : 0.0f;
}

namespace {

/// Whether transform_of(pose) is this one.
bool is_at(const BodyTransform& transform, const Pose& pose, const BodyData& data) {
    if (transform.rotation != pose.rotation) return false;
    return transform.center == (is_zero(data.center_local) ? pose.position : transform_of(pose, data).center);
}

/// Whether a sleep state is the one that a slot was gathered from.
bool is_as_gathered(const Bodies& bodies, uint32_t i, const SleepState& sleep) {
    const SolveHistory& history = bodies.history[i];
    return sleep.timer == bodies.sleep_timer[i] && sleep.mean_linear == bodies.mean_velocity[i].linear &&
           sleep.mean_angular == bodies.mean_velocity[i].angular &&
           sleep.over_budget_steps == history.over_budget_steps &&
           sleep.missed_tolerance_steps == history.missed_tolerance_steps &&
           sleep.direct_steps == history.direct_steps && sleep.still_steps == history.still_steps &&
           sleep.cooldown_steps == history.cooldown_steps;
}

/// Whether a body slept in the last step and nobody touched it since: its slot is as it was.
bool sleeps_on(const StepParams& params, const Bodies& bodies, uint32_t i, const Pose& pose, const Velocity& velocity,
               const Force& force, const SleepState& sleep) {
    if (!sleep.asleep || bodies.was_awake[i] || bodies.awake[i] || bodies.teleported[i] || !bodies.gathered[i] ||
        !bodies.dynamic[i] || !params.settings.sleeping || !is_as_gathered(bodies, i, sleep))
        return false;
    return is_at(bodies.transform[i], pose, bodies.data[i]) && is_zero(velocity.linear) && is_zero(velocity.angular) &&
           is_zero(force.linear) && is_zero(force.angular);
}

/// The part of a velocity that a body's limits and locked axes leave it.
BodyVelocity allowed(const BodyData& data, const Vec3& linear, const Vec3& angular) {
    BodyVelocity v;
    v.linear = linear;
    v.angular = angular;
    if (data.locked_axes & kLockRotationX) v.angular.x = 0.0f;
    if (data.locked_axes & kLockRotationY) v.angular.y = 0.0f;
    if (data.locked_axes & kLockRotationZ) v.angular.z = 0.0f;
    const auto limit = [](Vec3& of, float most) {
        const float speed = glm::length(of);
        if (most > 0.0f && speed > most) of *= most / speed;
    };
    limit(v.linear, data.max_linear_speed);
    limit(v.angular, data.max_angular_speed);
    return v;
}

/// Components of one body into its slot.
void gather_body(const StepParams& params, Bodies& bodies, uint32_t i, const Pose& pose, const Velocity& velocity,
                 const Force& force, const SleepState& sleep) {
    BodyData& data = bodies.data[i];
    data.force = force.linear;
    data.torque = force.angular;

    BodyTransform& transform = bodies.transform[i];
    const BodyTransform seen = transform_of(pose, data);
    const bool is_elsewhere = transform.rotation != seen.rotation || transform.center != seen.center;
    bodies.teleported[i] = is_elsewhere || (bodies.gathers_again && bodies.teleported[i]);
    transform.rotation = seen.rotation;
    transform.center = seen.center;
    bodies.delta[i] = {};
    bodies.inverse_mass[i] = {};
    bodies.velocity[i] = {};
    // Of a kinematic body: minus the change of its velocity in the last step, so that it is no time of sleep when it becomes
    // dynamic.
    const float timer = data.type == BodyType::kinematic ? -sleep.timer : sleep.timer;
    bodies.sleep_timer[i] = is_at_least_zero(timer) ? timer : 0.0f;
    bodies.history[i] = {sleep.over_budget_steps, sleep.missed_tolerance_steps, sleep.direct_steps, sleep.still_steps,
                         sleep.cooldown_steps};
    bodies.mean_velocity[i].linear = sleep.mean_linear;
    bodies.mean_velocity[i].angular = sleep.mean_angular;
    bodies.awake[i] = 0;
    bodies.falls_asleep[i] = 0;
    bodies.displacement[i] = 0.0f;
    bodies.speed[i] = 0.0f;
    bodies.gathered[i] = 1;
    bodies.dynamic[i] = data.type == BodyType::dynamic && !data.excluded;
    if (data.excluded || data.type == BodyType::fixed) return;

    bodies.velocity[i].linear = velocity.linear;
    bodies.velocity[i].angular = velocity.angular;
    if (data.type == BodyType::dynamic) bodies.velocity[i] = allowed(data, velocity.linear, velocity.angular);
    bodies.speed[i] =
        glm::length(bodies.velocity[i].linear) + glm::length(bodies.velocity[i].angular) * transform.radius;
    const bool teleported = bodies.teleported[i];
    const bool pushed = teleported || !is_zero(velocity.linear) || !is_zero(velocity.angular) ||
                        !is_zero(force.linear) || !is_zero(force.angular);
    if (data.type == BodyType::kinematic) {
        bodies.awake[i] = pushed && !teleported;
        return;
    }
    bodies.awake[i] = !sleep.asleep || pushed || !params.settings.sleeping;
    if (sleep.asleep && bodies.awake[i]) bodies.sleep_timer[i] = 0.0f;
    bodies.inverse_mass[i].mass = 1.0f / data.mass;
    bodies.inverse_mass[i].inertia =
        data.isotropic ? data.inverse_inertia_local : rotate(data.inverse_inertia_local, transform.rotation);
    if (data.locked_axes != 0)
        bodies.inverse_mass[i].inertia = free_inverse_inertia(data.inertia_local, transform.rotation, data.locked_axes);
}

/// Where a body was when it was last seen.
Pose last_pose(const Bodies& bodies, uint32_t i) {
    const BodyTransform& seen = bodies.transform[i];
    const Pose pose{seen.center - seen.rotation * bodies.data[i].center_local, seen.rotation};
    return is_usable(pose) ? pose : Pose{};  // a new one was nowhere
}
void normalise(Pose& pose) {
    const float length2 = glm::dot(pose.rotation, pose.rotation);
    if (std::abs(length2 - 1.0f) > 1e-5f) pose.rotation = pose.rotation * (1.0f / std::sqrt(length2));
}

/// What has no meaning for a body does not stay there as if it had.
void drop_in_vain(entt::registry& registry, const Bodies& bodies, uint32_t begin, uint32_t end, StepReport& report) {
    const auto is_set = [](const auto& x) { return !is_zero(x.linear) || !is_zero(x.angular); };
    for (uint32_t i = begin; i < end; ++i) {
        const BodyData& data = bodies.data[i];
        if (data.type == BodyType::dynamic) continue;
        if (Force& force = registry.get<Force>(data.entity); is_set(force)) {
            force = Force{};
            report.warn(data.entity,
                        "A force was written to a body that is not dynamic; forces move dynamic ones only.");
        }
        if (data.type != BodyType::fixed) continue;
        if (Velocity& velocity = registry.get<Velocity>(data.entity); is_set(velocity)) {
            velocity = Velocity{};
            report.warn(data.entity, "A velocity was written to a fixed body, which has none; make it kinematic.");
        }
    }
}

/// Bodies of a block in which something is not finite.
void quarantine_block(entt::registry& registry, const StepParams& params, Bodies& bodies, uint32_t begin, uint32_t end,
                      StepReport& report) {
    for (uint32_t i = begin; i < end; ++i) {
        const Entity entity = bodies.data[i].entity;
        Pose& pose = registry.get<Pose>(entity);
        Velocity& velocity = registry.get<Velocity>(entity);
        Force& force = registry.get<Force>(entity);
        if (!is_usable(pose)) {
            quarantine(
                registry, params, bodies, i,
                "The body's pose is not finite, or beyond 1e12 m; it stays at its last good pose and is left out of "
                "the step.",
                report);
            pose = last_pose(bodies, i);
        } else if (bodies.data[i].excluded) {
            continue;
        } else if (!is_usable(velocity, force)) {
            quarantine(registry, params, bodies, i,
                       "The body's velocity or force is not finite, or beyond 1e12 m/s; it is left out of the step.",
                       report);
            velocity = Velocity{};
            force = Force{};
        } else {
            continue;
        }
        normalise(pose);
        gather_body(params, bodies, i, pose, velocity, force, registry.get<SleepState>(entity));
    }
}

/// Bodies of a block whose slots were made from other settings or another mass.
void list_changed(const entt::registry& registry, uint32_t begin, uint32_t end, Bodies& bodies) {
    for (uint32_t i = begin; i < end; ++i) {
        const BodyData& data = bodies.data[i];
        if (!is_as_listed(data, registry.get<RigidBody>(data.entity), registry.get<Mass>(data.entity)))
            bodies.changed.push_back(data.entity);
    }
}

/// Bodies of a block with settings that make no sense.
void repair_block(entt::registry& registry, Bodies& bodies, uint32_t begin, uint32_t end, StepReport& report) {
    for (uint32_t i = begin; i < end; ++i) {
        BodyData& data = bodies.data[i];
        RigidBody& settings = registry.get<RigidBody>(data.entity);
        Mass& mass = registry.get<Mass>(data.entity);
        repair(settings, data, report);
        repair(mass, data, report);
    }
}

}  // namespace

bool gather_bodies(entt::registry& registry, const StepParams& params, Bodies& bodies, const StepTools& tools) {
    const StageScope scope(tools, Stage::gather_bodies);
    auto& poses = registry.storage<Pose>();
    auto& velocities = registry.storage<Velocity>();
    auto& forces = registry.storage<Force>();
    auto& settings = registry.storage<RigidBody>();
    auto& masses = registry.storage<Mass>();
    auto& sleeps = registry.storage<SleepState>();
    const uint32_t n = uint32_t(bodies.size());
    // Reading the registry is safe on several threads; what must be written to it is done afterwards.
    bodies.block_has_trouble.assign(engine::block_count(n, kBodiesPerBlock), 0);
    const bool as_before = std::exchange(bodies.settings_watch.looked_at, false) ||
                           bodies.settings_watch.is_unchanged(registry, tools.jobs);
    const bool at_rest = bodies.rest_watch.is_at_rest(registry, tools.jobs);
    if (as_before && at_rest && params.settings.sleeping) return true;
    tools.jobs.parallel_for(n, kBodiesPerBlock, [&](const engine::JobBlock& block) {
        engine::ComponentCursor<Pose> pose_of(poses);
        engine::ComponentCursor<Velocity> velocity_of(velocities);
        engine::ComponentCursor<Force> force_of(forces);
        engine::ComponentCursor<RigidBody> settings_of(settings);
        engine::ComponentCursor<Mass> mass_of(masses);
        engine::ComponentCursor<SleepState> sleep_of(sleeps);
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const Entity entity = bodies.data[i].entity;
            Pose& pose = pose_of(entity);
            const Velocity& velocity = velocity_of(entity);
            const Force& force = force_of(entity);
            const SleepState& sleep = sleep_of(entity);
            BodyData& data = bodies.data[i];
            uint8_t& trouble = bodies.block_has_trouble[block.block];
            if (!as_before) {
                const RigidBody& body_settings = settings_of(entity);
                const Mass& mass = mass_of(entity);
                if (!is_sensible(body_settings) || mass.source > MassSource::given) trouble |= kNonsense;
                if (!is_as_listed(data, body_settings, mass)) {
                    trouble |= kOtherStructure;
                    continue;  // it is gathered when its slot is made anew
                }
            }
            if (sleeps_on(params, bodies, i, pose, velocity, force, sleep)) continue;
            const bool is_fixed = data.type == BodyType::fixed, is_dynamic = data.type == BodyType::dynamic;
            const Velocity moved = is_fixed ? Velocity{} : velocity;
            const Force felt = is_dynamic ? force : Force{};
            if ((is_fixed && (!is_zero(velocity.linear) || !is_zero(velocity.angular))) ||
                (!is_dynamic && (!is_zero(force.linear) || !is_zero(force.angular))))
                trouble |= kInVain;
            if (!is_usable(pose) || (!data.excluded && !is_usable(moved, felt))) {
                trouble |= kNotFinite;
                continue;  // it is gathered when it is quarantined
            }
            if (!data.excluded) normalise(pose);
            gather_body(params, bodies, i, pose, moved, felt, sleep);
        }
    });
    bool as_listed = true, all_well = true;
    bodies.changed.clear();
    for (uint32_t block = 0; block < bodies.block_has_trouble.size(); ++block) {
        const uint8_t trouble = bodies.block_has_trouble[block];
        const uint32_t begin = block * kBodiesPerBlock, end = std::min(n, begin + kBodiesPerBlock);
        if (trouble & kInVain) drop_in_vain(registry, bodies, begin, end, tools.report);
        all_well &= (trouble & (kOtherStructure | kNonsense)) == 0;
        if (trouble & kNonsense) repair_block(registry, bodies, begin, end, tools.report);
        if (trouble & kOtherStructure) list_changed(registry, begin, end, bodies);
        as_listed &= (trouble & kOtherStructure) == 0;
        if (trouble & kNotFinite) quarantine_block(registry, params, bodies, begin, end, tools.report);
    }
    if (!all_well)
        bodies.settings_watch.forget();
    else if (!as_before)
        bodies.settings_watch.remember(registry, bodies.version);
    bodies.gathers_again = !as_listed;
    return as_listed;
}

bool write_back(const StepParams& params, Bodies& bodies, entt::registry& registry, const StepTools& tools) {
    const StageScope scope(tools, Stage::write_back);
    auto& poses = registry.storage<Pose>();
    auto& velocities = registry.storage<Velocity>();
    auto& forces = registry.storage<Force>();
    auto& sleeps = registry.storage<SleepState>();
    const uint32_t n = uint32_t(bodies.size());
    bodies.block_has_trouble.assign(engine::block_count(n, kBodiesPerBlock), 0);
    const auto went_wrong = [&](uint32_t i) {
        const Quat& rotation = bodies.transform[i].rotation;
        const Vec3 center = bodies.transform[i].center + bodies.delta[i].linear;
        // A centre of mass far outside the body can be finite where the body is not.
        const Vec3 position = center - rotation * bodies.data[i].center_local;
        // A spin so fast that its quaternion overflows normalises to zero, which is finite but no rotation.
        const bool rotation_ok = std::abs(glm::dot(rotation, rotation) - 1.0f) < 1e-3f;
        return !can_be_stepped(center) || !can_be_stepped(position) || !rotation_ok ||
               !can_be_stepped(Velocity{bodies.velocity[i].linear, bodies.velocity[i].angular});
    };
    tools.jobs.parallel_for(n, kBodiesPerBlock, [&](const engine::JobBlock& block) {
        engine::ComponentCursor<Pose> pose_of(poses);
        engine::ComponentCursor<Velocity> velocity_of(velocities);
        engine::ComponentCursor<Force> force_of(forces);
        engine::ComponentCursor<SleepState> sleep_of(sleeps);
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const BodyData& data = bodies.data[i];
            if (data.excluded || data.type == BodyType::fixed) continue;
            force_of(data.entity) = Force{};
            const SolveHistory& history = bodies.history[i];
            SleepState& sleep = sleep_of(data.entity);
            const bool kinematic = data.type == BodyType::kinematic;
            sleep.timer = kinematic ? -change_of_velocity(bodies, i) : bodies.sleep_timer[i];
            sleep.over_budget_steps = history.over_budget_steps;
            sleep.missed_tolerance_steps = history.missed_tolerance_steps;
            sleep.direct_steps = history.direct_steps;
            sleep.still_steps = history.still_steps;
            sleep.cooldown_steps = history.cooldown_steps;
            // Of a kinematic body: its velocity in this step, for the next one (solve/integrate.h).
            const BodyVelocity& mean = kinematic ? bodies.velocity[i] : bodies.mean_velocity[i];
            sleep.mean_linear = mean.linear;
            sleep.mean_angular = mean.angular;
            sleep.asleep = data.type == BodyType::dynamic && (!bodies.awake[i] || bodies.falls_asleep[i]);
            if (!bodies.awake[i]) continue;
            if (went_wrong(i)) {
                bodies.block_has_trouble[block.block] = kNotFinite;
                continue;
            }
            const Quat& rotation = bodies.transform[i].rotation;
            Pose& pose = pose_of(data.entity);
            const Quat turned = glm::conjugate(pose.rotation) * rotation;
            if (data.type == BodyType::dynamic)
                bodies.velocity[i] = allowed(data, bodies.velocity[i].linear, bodies.velocity[i].angular);
            const Vec3 center = bodies.transform[i].center + bodies.delta[i].linear;
            // With Moreau's midpoint `delta` is the second half of the way.
            const bool midpoint = params.settings.stepping == Stepping::moreau_midpoint;
            const Vec3 way =
                midpoint ? center - (pose.position + pose.rotation * data.center_local) : bodies.delta[i].linear;
            const float moved =
                kMotionMargin *
                (glm::length(way) + 2.0f * glm::length(Vec3(turned.x, turned.y, turned.z)) * bodies.reach(i));
            bodies.displacement[i] = moved >= 0.0f ? moved : std::numeric_limits<float>::infinity();  // not a number
            pose = {center - rotation * data.center_local, rotation};
            velocity_of(data.entity) =
                sleep.asleep ? Velocity{} : Velocity{bodies.velocity[i].linear, bodies.velocity[i].angular};
            bodies.transform[i].center = transform_of(pose, data).center;
        }
    });
    bool any_wrong = false;
    for (uint32_t block = 0; block < bodies.block_has_trouble.size(); ++block) {
        if (!bodies.block_has_trouble[block]) continue;
        for (uint32_t i = block * kBodiesPerBlock; i < std::min(n, (block + 1) * kBodiesPerBlock); ++i) {
            const BodyData& data = bodies.data[i];
            const bool moves = !data.excluded && data.type != BodyType::fixed && bodies.awake[i];
            if (!moves || !went_wrong(i)) continue;
            // The pose in the registry is still the one before the step.
            quarantine(registry, params, bodies, i,
                       "The body went non-finite; it stays at its last good pose and is left out of the step.",
                       tools.report);
            velocities.get(data.entity) = Velocity{};
            sleeps.get(data.entity) = SleepState{};  // its mean velocity is not finite either
            any_wrong = true;
        }
    }
    return any_wrong;
}

}  // namespace proxima::physics
