// SPDX-License-Identifier: MIT
// A world that steps: an ECS world with the physics components, the settings, the shapes and the caches of the step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ecs/world.h"
#include "engine/jobs/jobs.h"
#include "engine/profile/stage_times.h"
#include "physics/body_desc.h"
#include "physics/components.h"
#include "physics/events.h"
#include "physics/joints/joint_types.h"
#include "physics/report.h"
#include "physics/settings.h"
#include "physics/shapes/shape.h"

namespace proxima::physics {

struct Simulation;   // simulation.h: the owners of a world's state
struct ContactDump;  // contact/capture.h: a contact problem as plain data

class PhysicsWorld {
  public:
    explicit PhysicsWorld(std::unique_ptr<engine::Jobs> jobs = engine::make_serial_jobs());
    /// In a registry of the game's, which must outlive the world and has one world at most. Its own entities and components
    /// are left alone; bodies that are in there already take part. What the world made stays there when it ends.
    explicit PhysicsWorld(entt::registry& registry, std::unique_ptr<engine::Jobs> jobs = engine::make_serial_jobs());
    ~PhysicsWorld();
    PhysicsWorld(const PhysicsWorld&) = delete;
    PhysicsWorld& operator=(const PhysicsWorld&) = delete;

    // ---- making things. What is refused is refused with a sentence, and nothing has changed then
    /// Another gravity wakes everything.
    Result<void> set_settings(const StepSettings& settings);
    const StepSettings& settings() const;
    ShapeLibrary& shapes();
    const ShapeLibrary& shapes() const;
    /// Refused while a collider has it, one that was removed since the last step too. Its id is never given again.
    Result<void> remove_shape(ShapeId shape);
    /// A body with its colliders. All of it is checked first: either the whole body is made, or nothing.
    Result<Entity> create_body(const BodyDesc& desc);
    /// Removes the body with its colliders, contacts and joints; nothing happens when it is no body.
    void destroy_body(Entity body);
    /// One more collider; `collider.body` is filled in. Half-spaces go on fixed bodies only.
    Result<Entity> add_collider(Entity body, Collider collider);
    Result<void> remove_collider(Entity collider);
    /// A joint of any kind (constraints/), as an entity of its own: `create_joint(BallJoint{.body_a = ..., .body_b =
    /// ...})`.
    template <class Joint>
    Result<Entity> create_joint(const Joint& joint) {
        const Result<Entity> entity = begin_joint(joint.body_a, joint.body_b, check_fields(joint));
        if (entity) registry().template emplace<Joint>(entity.value(), joint);
        return entity;
    }
    /// Nothing happens when it is no joint.
    void destroy_joint(Entity joint);
    /// Gives the island of a body, whichever it is in at each step, to a solver of its own; settings as in
    /// SolverChoice. Takes effect with the next step, which starts from the impulses of the last one.
    Result<void> set_solver(Entity body, std::string_view solver, float tolerance = 0.0f, uint32_t iterations = 0);
    /// Back to the world's solver.
    void clear_solver(Entity body);

    // ---- changing bodies between two steps. Whatever is changed wakes, and its island with it in the next step. The
    // components may be written directly instead; docs/components.md says what each of their fields does.
    /// Fixed, kinematic or dynamic from now on; the body goes on moving as it did, and stops when it becomes fixed.
    Result<void> set_type(Entity body, BodyType type);
    /// Mass, centre and inertia. With MassSource::total only `mass` counts, with MassSource::densities nothing does.
    Result<void> set_mass(Entity body, const Mass& mass);
    /// The surface of a collider, or of all colliders of a body.
    Result<void> set_material(Entity collider_or_body, const Material& material);
    /// What the colliders are on and what they meet: of a collider, or of all colliders of a body.
    Result<void> set_filter(Entity collider_or_body, uint32_t layer, uint32_t mask);
    // ---- of one collider; checked like a new one, with the mass that its body gets, which Mass has at once
    Result<void> set_shape(Entity collider, ShapeId shape);
    /// In the frame of its body.
    Result<void> set_collider_pose(Entity collider, const Pose& local);
    Result<void> set_density(Entity collider, float density);

    // ---- of one body
    Result<void> set_damping(Entity body, float linear, float angular);
    Result<void> set_gravity_scale(Entity body, float scale);
    Result<void> set_allow_sleep(Entity body, bool allow);
    /// m/s and rad/s of a dynamic body; 0: none.
    Result<void> set_speed_limits(Entity body, float linear, float angular);
    /// Bits of LockedAxes: a dynamic body does not turn about these axes of the world, whatever touches it.
    Result<void> set_locked_axes(Entity body, uint32_t axes);
    /// The size of a body about its origin, beside that with which its first collider's shape was added: shapes and poses of
    /// all colliders, and the mass that follows. A mass of the game's grows as matter does, with the cube. Anchors of
    /// joints stay where they are.
    Result<void> set_scale(Entity body, float scale);

    /// Puts a body elsewhere at once, through whatever is between; its velocity stays.
    Result<void> set_pose(Entity body, const Pose& pose);
    /// The same with another velocity: at rest when none is given.
    Result<void> teleport(Entity body, const Pose& pose, const Velocity& velocity = {});
    /// Of the centre of mass of a dynamic body, of the origin of a kinematic one. Fixed bodies have none.
    Result<void> set_velocity(Entity body, const Velocity& velocity);
    /// Gives a kinematic body the velocity that brings it to `target` in a step of dt seconds, by the shorter turn: it
    /// carries and pushes what it meets on the way. It keeps that velocity: call it before every step.
    Result<void> move_kinematic(Entity body, const Pose& target, float dt);
    /// N, at the centre of mass of a dynamic body, world frame, during the next step. Forces and torques add up.
    Result<void> apply_force(Entity body, const Vec3& force);
    /// N m, world frame, during the next step.
    Result<void> apply_torque(Entity body, const Vec3& torque);
    /// N, at a point of the world, during the next step: a force and the torque of its lever about the centre of mass.
    Result<void> apply_force_at(Entity body, const Vec3& force, const Vec3& point);
    /// N s, at the centre of mass of a dynamic body, world frame: its velocity changes at once.
    Result<void> apply_impulse(Entity body, const Vec3& impulse);
    /// N m s, world frame: the angular velocity changes at once.
    Result<void> apply_angular_impulse(Entity body, const Vec3& impulse);
    /// N s, at a point of the world: both change at once.
    Result<void> apply_impulse_at(Entity body, const Vec3& impulse, const Vec3& point);
    Result<void> wake(Entity body);
    /// Puts a body to sleep at once, with its whole island; their velocities become zero, also in the air, where they
    /// stay until something wakes them. Refused when the next step would wake them: a body of the island may not
    /// sleep, was put elsewhere since the last step, or touches a kinematic one that moves; or no step has seen it
    /// yet. Costs a look at every contact.
    Result<void> sleep(Entity body);

    // ---- rules of contacts (docs/rules.md). What changes takes effect with the next step, whoever sleeps
    /// Rules of a collider, or of all colliders of a body; the defaults are none. A collider that has broken is whole again.
    Result<void> set_contact_rules(Entity collider_or_body, const ContactRules& rules);
    /// Those of a collider; the defaults when it has none.
    ContactRules contact_rules(Entity collider) const;
    /// Two bodies or colliders, or one of each, have no contacts with each other, and are not seen by each other's sensors.
    Result<void> ignore_pair(Entity a, Entity b);
    /// They meet again; the same two as in ignore_pair.
    Result<void> stop_ignoring_pair(Entity a, Entity b);
    bool is_ignored_pair(Entity a, Entity b) const;
    bool has_ignored_pairs() const;
    /// Is called in every step, on the thread that steps, with the contacts of modifiable colliders (ContactRules) that
    /// are about to be solved. An empty one ends it. It is no part of snapshots.
    void set_contact_modifier(ContactModifier modifier);
    /// Of a sensor, the colliders in it; of another collider, or of all those of a body, the sensors that they are in. In
    /// stable order, as events of sensors have told. Costs a look at every pair of colliders whose boxes overlap.
    std::vector<Entity> overlaps_of(Entity sensor_or_collider_or_body) const;

    // ---- stepping
    /// Advances by dt seconds. A dt that is zero, negative or not finite is refused and nothing changes.
    Result<void> step(float dt);

    // ---- reading
    entt::registry& registry();
    const entt::registry& registry() const;
    engine::World& world();
    const StepReport& report() const;
    /// Nothing for a body that took no part in the last step.
    std::optional<IslandReport> island(Entity body) const;
    const engine::StageTimes& times() const;
    /// What began, ended and hit in the last step. The spans hold until the next step.
    ContactEvents events() const;
    /// Joints that broke in the last step. The span holds until the next step.
    std::span<const JointBreak> joint_breaks() const;
    /// Bodies in their stable order: order of creation.
    std::span<const Entity> bodies() const;
    /// The colliders of a body, in order of creation; none for what is no body.
    std::vector<Entity> colliders(Entity body) const;
    /// How large it is beside the shape that its first collider was made with; 1 without colliders.
    float scale(Entity body) const;
    /// Of a body; asking for that of something else is a mistake, and gives the defaults.
    Pose pose(Entity body) const;
    Velocity velocity(Entity body) const;
    /// With the colliders that the body has now, also before its first step.
    Mass mass(Entity body) const;
    /// False for what is no dynamic body.
    bool is_asleep(Entity body) const;
    /// 64 bits over pose and velocity of every body, in stable order.
    uint64_t state_hash() const;
    MemoryUse memory() const;
    /// The contact problem that a single hard step of dt would have to solve from here (docs/problems.md).
    /// Works on a copy: the world and its future stay as they are. Sleeping islands have no problem.
    Result<ContactDump> capture(float dt) const;
    /// Every contact patch of the world, or those of one body or of one contact pair; none for what has none. Costs a
    /// look at every pair of colliders whose boxes overlap, but for a pair's own. The views hold until the next step.
    std::vector<ContactView> contacts() const;
    std::vector<ContactView> contacts(Entity body_or_pair) const;
    /// The state from the inside, for physics/debug and tests of stages.
    const Simulation& simulation() const;

    // ---- state
    void save(engine::Snapshot& out) const;
    Result<void> restore(const engine::Snapshot& snapshot);

    engine::Jobs& jobs();
    void set_jobs(std::unique_ptr<engine::Jobs> jobs);

  private:
    Simulation& mutable_simulation();
    /// An entity for a joint of these bodies; `fault` is what is wrong with its fields, or nullptr.
    Result<Entity> begin_joint(Entity body_a, Entity body_b, const char* fault);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxima::physics
