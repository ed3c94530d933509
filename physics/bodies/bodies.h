// SPDX-License-Identifier: MIT
// The bodies of a world as dense arrays by slot, in the order of their stable ids. Components are gathered into
// them at the start of a step and scattered back at its end; in between no stage looks at the registry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/core/math.h"
#include "engine/ecs/component_watch.h"
#include "physics/components.h"
#include "physics/contact/problem.h"
#include "physics/step_params.h"

namespace proxima::physics {

/// Rotation and centre of mass.
struct BodyTransform {
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
    // At the start of the step; Bodies::delta leads on from it.
    Vec3 center{0.0f, 0.0f, 0.0f};
    float radius = 0.0f;  // of the body about its centre of mass
};
static_assert(sizeof(BodyTransform) == 32);

enum class Symmetry : uint8_t { none, axis, point };

/// What the sweeps do not touch.
struct BodyData {
    Entity entity = kNoEntity;
    BodyType type = BodyType::fixed;
    float mass = 0.0f;
    Vec3 center_local{0.0f, 0.0f, 0.0f};  // of a dynamic body that of its Mass; of others zero
    Sym3 inertia_local, inverse_inertia_local;
    bool isotropic = true;                 // inertia is a multiple of the identity: no gyroscopic motion
    Symmetry symmetry = Symmetry::none;    // of its shape: spin that cannot be seen
    Vec3 symmetry_axis{0.0f, 1.0f, 0.0f};  // body frame
    bool allow_sleep = true;
    uint8_t mass_source = 0;  // MassSource
    bool excluded = false;    // quarantined, or content that makes no sense: takes no part in a step
    uint8_t locked_axes = 0;  // LockedAxes
    float gravity_scale = 1.0f, linear_damping = 0.0f, angular_damping = 0.0f;
    float max_linear_speed = 0.0f, max_angular_speed = 0.0f;  // 0: none
    Vec3 mass_center{0.0f, 0.0f, 0.0f};                       // of its Mass
    Vec3 force{0.0f, 0.0f, 0.0f}, torque{0.0f, 0.0f, 0.0f};
};
static_assert(sizeof(BodyData) == 148);

/// Counters of steps that the rules of solve/assign_solvers.cpp look at; saved in SleepState.
struct SolveHistory {
    uint8_t over_budget_steps = 0, missed_tolerance_steps = 0, direct_steps = 0, still_steps = 255, cooldown_steps = 0;
};

/// A body in a snapshot: what its slot was made from, where it was last seen, and whether it took part in the last
/// step.
struct SavedBody {
    Entity entity = kNoEntity;
    uint32_t stable_id = 0;
    BodyType type = BodyType::fixed;
    float mass = 0.0f;
    Vec3 center_local{0.0f, 0.0f, 0.0f};
    Sym3 inertia_local;
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
    Vec3 center{0.0f, 0.0f, 0.0f};
    float unseen_displacement = 0.0f;
    float gravity_scale = 1.0f, linear_damping = 0.0f, angular_damping = 0.0f;
    uint8_t excluded = 0, dynamic = 0, was_awake = 0;
    uint8_t allow_sleep = 1;
    uint32_t mass_source = 0;
    float max_linear_speed = 0.0f, max_angular_speed = 0.0f;
    uint32_t locked_axes = 0;
    Vec3 mass_center{0.0f, 0.0f, 0.0f};
};
static_assert(sizeof(SavedBody) == 128);

/// The components that say what a body is, as gather last found them all right: while they stay, nobody need look at
/// each. A copy of them is made when two gathers in a row found the same bodies.
struct SettingsWatch {
    engine::ComponentWatch<RigidBody> settings;
    engine::ComponentWatch<Mass> mass;
    uint64_t found_right = 0;  // version of the bodies
    bool looked_at = false;    // unchanged, or the lists have what changed: the next gather need not look itself

    bool is_unchanged(entt::registry& registry, engine::Jobs& jobs) const {
        return engine::are_unchanged(registry, jobs, settings, mass);
    }
    /// Takes over those of one body, which the lists have.
    void update(entt::registry& registry, Entity body) {
        settings.update(registry.storage<RigidBody>(), body);
        mass.update(registry.storage<Mass>(), body);
    }
    void remember(entt::registry& registry, uint64_t version) {
        if (std::exchange(found_right, version) != version) return;
        settings.remember(registry.storage<RigidBody>());
        mass.remember(registry.storage<Mass>());
    }
    void forget() {
        settings.forget();
        mass.forget();
        looked_at = false;
    }
    size_t bytes() const { return settings.bytes() + mass.bytes(); }
};

/// The components that a body moves with, after a step in which everything slept: while they stay, there is nothing
/// to gather.
struct RestWatch {
    engine::ComponentWatch<Pose> pose;
    engine::ComponentWatch<Velocity> velocity;
    engine::ComponentWatch<Force> force;
    engine::ComponentWatch<SleepState> sleep;
    bool slept = false;   // everything, in the last step
    bool copied = false;  // the components of that step

    /// Whether the arrays are what gather would make of the components.
    bool is_at_rest(entt::registry& registry, engine::Jobs& jobs) {
        copied = std::exchange(slept, false) && engine::are_unchanged(registry, jobs, pose, velocity, force, sleep);
        return copied;
    }
    /// After a step in which everything slept: nobody has touched the arrays since they were gathered.
    void remember(entt::registry& registry) {
        slept = true;
        if (std::exchange(copied, true)) return;
        pose.remember(registry.storage<Pose>());
        velocity.remember(registry.storage<Velocity>());
        force.remember(registry.storage<Force>());
        sleep.remember(registry.storage<SleepState>());
    }
    size_t bytes() const { return pose.bytes() + velocity.bytes() + force.bytes() + sleep.bytes(); }
};

struct Bodies {
    /// Raised when slots get another meaning: bodies came, went, or changed their type, mass or colliders.
    uint64_t version = 0;
    /// Raised when one of them has another mass, and is the same slot.
    uint64_t mass_version = 0;

    // ---- by slot
    std::vector<BodyData> data;
    std::vector<uint32_t> stable_id;
    std::vector<BodyTransform> transform;
    std::vector<BodyVelocity> velocity;
    std::vector<BodyVelocity> delta;  // motion since the start of the step, and turn as its vector
    std::vector<BodyInverseMass> inverse_mass;
    std::vector<uint8_t> dynamic;            // 1: can be moved by constraints
    std::vector<uint8_t> awake;              // 1: takes part in this step (dynamic and awake, or kinematic and moving)
    std::vector<uint8_t> teleported;         // 1: put elsewhere by the game since the last step
    std::vector<float> displacement;         // bound on how far any point of a body moved in this step
    std::vector<float> unseen_displacement;  // the same of the last step, until the pairs have taken it into account
    std::vector<float> speed;                // bound on the speed of any point, at the start of the step
    std::vector<uint8_t> was_awake;          // in the step before, after waking neighbours
    std::vector<uint8_t> falls_asleep;       // 1: took part in this step and sleeps from the next on
    std::vector<float> sensor_reach;         // m, of sensors about the centre of mass; empty: nobody has one
    std::vector<float> sleep_timer;
    std::vector<BodyVelocity> mean_velocity;  // of the last seconds
    std::vector<SolveHistory> history;
    std::vector<uint8_t> gathered;           // 1: the slot holds what gather made of it
    std::vector<uint8_t> block_has_trouble;  // scratch, by block of bodies: one of them is not finite

    bool gathers_again = false;   // in the same step, since the first one found some of these:
    std::vector<Entity> changed;  // found by gather: bodies that their slots were not made from as they are

    std::vector<uint32_t> slot_of_entity;  // by entity index
    SettingsWatch settings_watch;
    RestWatch rest_watch;

    size_t size() const { return data.size(); }
    /// The slot of a body; kNone when it is not there.
    uint32_t slot_of(Entity body) const {
        const size_t index = entt::to_entity(body);
        const uint32_t slot = index < slot_of_entity.size() ? slot_of_entity[index] : kNone;
        return slot < size() && data[slot].entity == body ? slot : kNone;
    }
    /// No point of a body or of its sensors is farther from its centre of mass.
    float reach(uint32_t slot) const {
        const float own = transform[slot].radius;
        return slot < sensor_reach.size() ? std::max(own, sensor_reach[slot]) : own;
    }
    /// No listed body has a larger stable id.
    uint32_t last_id() const { return stable_id.empty() ? 0 : stable_id.back(); }
    /// A body that the game changed must look where it stands, and so must what touches it.
    void disturb(uint32_t slot) {
        if (data[slot].type == BodyType::dynamic)
            wake(slot);
        else
            teleported[slot] = 1;
    }
    /// A body that something below it left must look where it stands now.
    void wake(uint32_t slot) {
        if (data[slot].type != BodyType::dynamic || data[slot].excluded) return;
        awake[slot] = 1;
        sleep_timer[slot] = 0.0f;
    }

    void save(std::vector<SavedBody>& out) const;
    /// The slots as a snapshot had them, from the components that they were made from and not those that are there now.
    void load(const std::vector<SavedBody>& saved);  // structure/sync_structure.cpp

    /// Everything that is kept in memory (state/archive.h). A snapshot has the components and SavedBody instead.
    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(data, stable_id, transform, velocity, delta, inverse_mass, dynamic, awake, teleported,
                        displacement, unseen_displacement, speed, sensor_reach, was_awake, falls_asleep, sleep_timer,
                        mean_velocity, history, gathered, block_has_trouble, changed, slot_of_entity);
        archive.derived_bytes(settings_watch.bytes() + rest_watch.bytes());
    }
};

/// Of a kinematic body from the step before to this one, m/s of its fastest point.
float change_of_velocity(const Bodies& bodies, uint32_t body);

/// Where a pose puts a body's centre of mass. Always by this one expression, so that equal poses give equal
/// transforms.
inline BodyTransform transform_of(const Pose& pose, const BodyData& data) {
    BodyTransform transform;
    transform.rotation = pose.rotation;
    transform.center = pose.position + pose.rotation * data.center_local;
    return transform;
}

/// Whether a step can work with these.
bool is_sensible(const RigidBody& settings);

/// What makes no sense is not taken.
inline void take_settings(BodyData& data, const RigidBody& settings) {
    if (!is_sensible(settings)) return;
    data.gravity_scale = settings.gravity_scale;
    data.linear_damping = settings.linear_damping;
    data.angular_damping = settings.angular_damping;
    data.allow_sleep = settings.allow_sleep != 0;
    data.max_linear_speed = settings.max_linear_speed;
    data.max_angular_speed = settings.max_angular_speed;
    data.locked_axes = uint8_t(settings.locked_axes);
}
/// Those that another slot has.
inline void keep_settings(const BodyData& from, BodyData& data) {
    data.gravity_scale = from.gravity_scale;
    data.linear_damping = from.linear_damping;
    data.angular_damping = from.angular_damping;
    data.allow_sleep = from.allow_sleep;
    data.max_linear_speed = from.max_linear_speed;
    data.max_angular_speed = from.max_angular_speed;
    data.locked_axes = from.locked_axes;
}
/// Whether a body sleeps and its settings are not those that its slot has: while it sleeps they would have no effect.
inline bool sleeps_with_other_settings(const BodyData& data, const RigidBody& settings, const SleepState& sleep) {
    const bool same = data.gravity_scale == settings.gravity_scale && data.linear_damping == settings.linear_damping &&
                      data.angular_damping == settings.angular_damping &&
                      data.allow_sleep == (settings.allow_sleep != 0) &&
                      data.max_linear_speed == settings.max_linear_speed &&
                      data.max_angular_speed == settings.max_angular_speed && data.locked_axes == settings.locked_axes;
    return sleep.asleep && !same;
}

// ---- stages

/// Components into the arrays. Components that are not finite quarantine their body, and settings that make no sense
/// are set back with a warning. Returns false when a component was changed in a way that needs the lists made anew
/// first, and lists whose: settings or mass that were written directly.
bool gather_bodies(entt::registry& registry, const StepParams& params, Bodies& bodies, const StepTools& tools);

/// Poses, velocities and sleep states back to the components. Bodies that went non-finite are quarantined at
/// their last good pose; returns whether there were any.
bool write_back(const StepParams& params, Bodies& bodies, entt::registry& registry, const StepTools& tools);

}  // namespace proxima::physics
