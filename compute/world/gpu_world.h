// SPDX-License-Identifier: MIT
// A world of rigid bodies that lives on a Vulkan device: taken over from a PhysicsWorld, stepped there from
// broadphase to new poses without the host looking in, and given back when somebody asks. What it computes is what
// the stages of physics/step.cpp compute with soft contacts, sub-steps and PROX sweeps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compute/world/contacts/contact_stage.h"
#include "compute/world/pairs/pair_stage.h"
#include "compute/world/solver/solver_stage.h"
#include "compute/world/world_buffers.h"
#include "compute/world/world_data.h"
#include "engine/core/result.h"
#include "engine/gpu/gpu_commands.h"
#include "physics/world.h"

namespace proxima::compute {

/// What the last call of step has cost. Times of the device are 0 where its queue has no clock.
struct GpuStepCost {
    engine::GpuCounts counts;
    uint32_t steps = 0;
    uint32_t repeats = 0;       // steps that had to be done again with more room
    double host_seconds = 0.0;  // recording and everything else but waiting
    double wait_seconds = 0.0;  // submit until the device is through
    double pairs_seconds = 0.0, contacts_seconds = 0.0,
           solver_seconds = 0.0;  // of the device
};

class GpuWorld {
  public:
    /// What the device must offer.
    static engine::GpuRequirements requirements();
    static Result<std::unique_ptr<GpuWorld>> create(std::shared_ptr<engine::GpuDevice> device);

    /// Bodies, colliders, shapes and settings of the world as it is now; contacts
    /// begin anew. A sentence when the device cannot do what the world asks for,
    /// or has no room for it.
    Result<void> take(const physics::PhysicsWorld& world);
    /// Advances by `steps` times dt seconds: one submit, or several where that would occupy the device too long. When
    /// there is no room for all pairs a step is done again with more. After a failure `steps_done` says how many
    /// steps the world on the device has made.
    Result<void> step(float dt, uint32_t steps = 1);
    /// Poses and velocities into the components of the world that was taken. Bodies that went non-finite become
    /// Quarantined there.
    Result<void> give(physics::PhysicsWorld& world);
    /// Forces, velocities, poses of bodies as the components have them now; the lists of bodies and colliders must be
    /// those that were taken. Contacts go on.
    Result<void> update(const physics::PhysicsWorld& world);

    /// Bodies that went non-finite and that the world taken knows of.
    uint32_t quarantined_at_home() const { return quarantined_; }
    uint64_t steps_done() const { return steps_done_; }
    /// After the last step.
    const world::WorldStatus& status() const { return status_; }
    const GpuStepCost& cost() const { return cost_; }
    /// For those who draw or measure on the device: poses, velocities, manifolds.
    /// Good until the next take or step.
    const world::WorldBuffers& buffers() const { return buffers_; }
    /// The pairs, manifolds and impulses that the last step wrote.
    const world::PairBuffers& pairs() const { return buffers_.before(parity_); }
    const world::WorldData& data() const { return data_; }
    const world::WorldSizes& sizes() const { return sizes_; }
    uint64_t device_bytes() const;
    engine::GpuDevice& device() { return *device_; }
    const engine::GpuDevice& device() const { return *device_; }

    /// Room for so many pairs from the next take on; 0: as many as worlds usually
    /// need. It grows by itself.
    void set_pair_room(uint32_t pairs) { pair_room_ = pairs; }

  private:
    GpuWorld() = default;
    Result<void> prepare(uint32_t pairs);
    Result<void> grow(uint32_t pairs);
    Result<void> submit(world::SolverSettings& solver, uint32_t steps);

    std::shared_ptr<engine::GpuDevice> device_;
    std::unique_ptr<engine::GpuCommands> commands_;
    std::unique_ptr<world::PairStage> pair_stage_;
    std::unique_ptr<world::ContactStage> contact_stage_;
    std::unique_ptr<world::SolverStage> solver_stage_;
    world::WorldBuffers buffers_;
    world::WorldSizes sizes_;
    world::WorldData data_;
    physics::StepSettings settings_;
    world::WorldStatus status_{};
    uint32_t pair_room_ = 0;
    uint32_t parity_ = 0;       // of the next step
    uint32_t quarantined_ = 0;  // that the world taken knows of
    uint64_t steps_done_ = 0;
    float substep_ = 0.0f;       // s, of the last step: what the impulses belong to
    double step_seconds_ = 0.0;  // of the device, lately
    GpuStepCost cost_;
    std::vector<world::vec4> poses_, velocities_;
};

}  // namespace proxima::compute
