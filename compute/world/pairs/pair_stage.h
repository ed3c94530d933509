// SPDX-License-Identifier: MIT
// First stage of a step on the device: where colliders are, their boxes, and the pairs of boxes that overlap.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "compute/world/pairs/pair_plan.h"
#include "compute/world/pairs/pairs_layout.h"
#include "compute/world/prefix_sum.h"
#include "compute/world/stage_kernels.h"
#include "compute/world/world_buffers.h"
#include "compute/world/world_data.h"
#include "engine/core/result.h"
#include "engine/gpu/gpu_commands.h"

namespace proxima::compute::world {

/// Writes collider_poses, boxes, the pairs of this parity, status.pairs and the workgroups over pairs. Stops the step
/// with kStoppedPairs when there are more pairs than room. How it searches: README.md beside this file.
class PairStage {
  public:
    static Result<std::unique_ptr<PairStage>> create(std::shared_ptr<engine::GpuDevice> device);
    /// Own buffers for the colliders of `data`, and what is bound.
    Result<void> prepare(const WorldBuffers& buffers, const WorldSizes& sizes, const WorldData& data);
    /// All of the stage, for a step of dt seconds.
    void record(engine::GpuCommands& commands, uint32_t parity, float dt) const;
    /// Of the stage's own buffers.
    uint64_t bytes() const;

    /// What the stage is made of, so that each part can be timed. record() is all of them in this order, the barriers
    /// included.
    enum class Part : uint8_t { reset, boxes, sum_table, scatter, find, sum_pairs, write, order };
    static constexpr std::array kParts = {Part::reset, Part::boxes,     Part::sum_table, Part::scatter,
                                          Part::find,  Part::sum_pairs, Part::write,     Part::order};
    static const char* to_string(Part part);
    void record_part(engine::GpuCommands& commands, uint32_t parity, float dt, Part part) const;

  private:
    PairStage() = default;
    Result<void> make();
    Result<void> prepare_buffers(const WorldSizes& sizes);
    Result<void> send(const PairPlan& plan);
    void bind_buffers(const WorldBuffers& world);

    std::shared_ptr<engine::GpuDevice> device_;
    std::unique_ptr<engine::GpuCommands> commands_;  // for what prepare sends
    StageKernels kernels_;
    engine::GpuPipeline reset_, boxes_, scatter_, find_, write_, order_;
    std::unique_ptr<PrefixSum> sum_table_, sum_pairs_;
    engine::GpuBuffer own_[pairs::kBuffers - pairs::kLimits];
    const engine::GpuBuffer* arguments_ = nullptr;
    pairs::PairPush push_{};
};

}  // namespace proxima::compute::world
