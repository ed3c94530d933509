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
#include "physics/components.h"
#include "physics/constraints/ball_joint/ball_joint.h"
#include "physics/events.h"
#include "physics/report.h"
#include "physics/settings.h"
#include "physics/shapes/shape.h"

namespace proxima::physics {

struct Simulation;   // simulation.h: the owners of a world's state
struct ContactDump;  // contact/capture.h: a contact problem as plain data

/// What a new body is made of; colliders follow with add_collider.
struct NewBody {
    BodyType type = BodyType::dynamic;
    Pose pose{};
    Velocity velocity{};
    RigidBody body{};   // `type` above wins over the one in here
    float mass = 0.0f;  // kg; 0: from the colliders' densities
};

class PhysicsWorld {
  public:
    explicit PhysicsWorld(std::unique_ptr<engine::Jobs> jobs = engine::make_serial_jobs());
    ~PhysicsWorld();
    PhysicsWorld(const PhysicsWorld&) = delete;
    PhysicsWorld& operator=(const PhysicsWorld&) = delete;

    // ---- making things; each says in a sentence what is wrong with its input
    Result<void> set_settings(const StepSettings& settings);
    const StepSettings& settings() const;
    ShapeLibrary& shapes();
    const ShapeLibrary& shapes() const;
    Result<Entity> create_body(const NewBody& desc);
    /// `collider.body` is filled in. Half-spaces go on fixed bodies only.
    Result<Entity> add_collider(Entity body, Collider collider);
    /// Removes the body with its colliders, contacts and joints; nothing happens when it is no body.
    void destroy_body(Entity body);
    /// A joint of any kind (constraints/), as an entity of its own: `create_joint(BallJoint{.body_a = ..., .body_b =
    /// ...})`.
    template <class Joint>
    Result<Entity> create_joint(const Joint& joint) {
        const Result<Entity> entity = begin_joint();
        if (!entity) return entity;
        registry().template emplace<Joint>(entity.value(), joint);
        return finish_joint(entity.value());
    }
    /// Nothing happens when it is no joint.
    void destroy_joint(Entity joint);
    void wake(Entity body);
    /// Gives the island of a body, whichever it is in at each step, to a solver of its own; settings as in
    /// SolverChoice. Takes effect with the next step, which starts from the impulses of the last one.
    Result<void> set_solver(Entity body, std::string_view solver, float tolerance = 0.0f, uint32_t iterations = 0);
    /// Back to the world's solver.
    void clear_solver(Entity body);

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
    std::span<const ContactBegin> begin_events() const;
    std::span<const ContactEnd> end_events() const;
    std::span<const ContactHit> hit_events() const;
    /// Bodies in their stable order: order of creation.
    std::span<const Entity> bodies() const;
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
    Result<Entity> begin_joint();
    Result<Entity> finish_joint(Entity joint);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxima::physics
