// SPDX-License-Identifier: MIT
// Exclusive sums of a list of whole numbers on the device: where things begin when each needs so much room.
#pragma once

#include <cstdint>
#include <memory>

#include "compute/world/stage_kernels.h"
#include "engine/core/result.h"
#include "engine/gpu/gpu_commands.h"

namespace proxima::compute::world {

/// One object per pair of lists. Two dispatches, whatever the size.
class PrefixSum {
  public:
    /// `sums` has room for one word more than there are items; it may be the buffer of the values itself.
    /// `stop` is only needed where the device may decide that nothing is to be done.
    struct Lists {
        const engine::GpuBuffer* values = nullptr;
        const engine::GpuBuffer* sums = nullptr;
        const engine::GpuBuffer* stop = nullptr;
    };
    static constexpr uint32_t kMaxItems = (1u << 22) + 64;

    static Result<std::unique_ptr<PrefixSum>> create(std::shared_ptr<engine::GpuDevice> device);
    /// The lists of both parities, and the most items that they will have.
    Result<void> prepare(uint32_t max_items, const Lists (&turns)[2]);
    uint64_t bytes() const { return partials_.bytes(); }

    /// sums[i] = values[0] + ... + values[i - 1], for i from 0 to `items`: the last one is the total. Sums
    /// saturate at 0xFFFFFFFF. Binds kernels of its own and ends with a barrier; what has written the values
    /// is followed by one already.
    void record(engine::GpuCommands& commands, uint32_t parity, uint32_t items) const;
    /// The same, but nothing while a word of the buffer `stop` is not 0.
    void record_unless(engine::GpuCommands& commands, uint32_t parity, uint32_t items, uint32_t word) const;

  private:
    PrefixSum() = default;
    void record_passes(engine::GpuCommands& commands, uint32_t parity, uint32_t items, uint32_t word) const;

    std::shared_ptr<engine::GpuDevice> device_;
    StageKernels kernels_;
    engine::GpuPipeline sums_, write_;
    engine::GpuBuffer partials_;  // uint a block
    uint32_t capacity_ = 0;
};

}  // namespace proxima::compute::world
