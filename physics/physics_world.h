// SPDX-License-Identifier: MIT
// A world that steps: an ECS world with the physics components, the settings, the shapes and the caches of
// the step.
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
#include "physics/shapes/shape.h"
#include "physics/step_settings.h"

namespace proxima::physics {

struct StepContext;  // step.h: the dense arrays that the stages of a step share
struct ContactDump;  // contact/capture.h: a contact problem as plain data

/// Something that the step could not do as asked, or had to repair. Never silent.
struct StepWarning {
    Entity entity = kNoEntity;
    std::string message;
};

/// What one step did.
struct StepReport {
    uint64_t step = 0;    // number of the step, from 1
    uint32_t bodies = 0;  // that can move and are awake
    uint32_t sleeping = 0;
    uint32_t pairs = 0;     // of overlapping boxes
    uint32_t contacts = 0;  // points in the contact problem
    uint32_t islands = 0;
    uint32_t direct_islands = 0;          // solved directly
    uint32_t direct_bodies = 0;           // in them
    uint32_t direct_failures = 0;         // tried and swept instead
    uint32_t factorisations = 0;          // of the direct solves
    uint32_t apart_islands = 0;           // solved by a solver of their own, or with friction beyond the disk
    uint32_t escalated_islands = 0;       // handed to a stronger solver because a tolerance was not met
    uint32_t islands_over_tolerance = 0;  // of those with a tolerance, after everything
    double residual_mean = 0.0;  // natural map of the exact Coulomb law, m/s, over all contact points
    double residual_max = 0.0;
    float penetration_mean = 0.0f;  // m, over overlapping points
    float penetration_max = 0.0f;
    std::vector<StepWarning> warnings;
};

/// Bytes that a world holds on the heap: what its containers have reserved, used or not. Threads, components
/// of the game's own and what the C++ library needs for itself are not in it. See docs/memory.md.
struct MemoryUse {
    size_t bodies = 0;      // components and dense arrays
    size_t colliders = 0;   //
    size_t broadphase = 0;  // boxes, grids, pairs of boxes
    size_t pairs = 0;       // the table of pairs
    size_t contacts = 0;    // pairs with contact points: ContactPair, Manifold; events
    size_t solver = 0;      // islands, blocks of contacts, bodies as the solver sees them
    size_t entities = 0;    // identifiers and stable ids
    size_t shapes = 0;
    size_t total() const {
        return bodies + colliders + broadphase + pairs + contacts + solver + entities + shapes;
    }
    bool operator==(const MemoryUse&) const = default;
};

/// What became of the island of a body in the last step.
struct IslandReport {
    uint32_t bodies = 0, contact_pairs = 0;
    std::string_view solver;  // name of its row, or "direct"
    double residual = 0.0;    // natural map of the exact Coulomb law, worst contact, m/s
    uint32_t iterations = 0;  // of the last sub-step, or of the direct solve
    StopReason stop = StopReason::iterations;
    bool escalated = false;  // handed to a stronger solver
};

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
    /// Removes the body with its colliders and contacts.
    void destroy_body(Entity body);
    void wake(Entity body);
    /// Gives the island of a body, whichever it is in at each step, to a solver of its own; settings as in
    /// SolverChoice. Takes effect with the next step, which starts from the impulses of the last one.
    Result<void> set_solver(Entity body, std::string_view solver, float tolerance = 0.0f,
                            uint32_t iterations = 0);
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
    /// The arrays of the last step, for physics/debug.
    const StepContext& context() const;

    // ---- state
    void save(engine::Snapshot& out) const;
    Result<void> restore(const engine::Snapshot& snapshot);

    engine::Jobs& jobs();
    void set_jobs(std::unique_ptr<engine::Jobs> jobs);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxima::physics
