// SPDX-License-Identifier: MIT
#include "compute/world/prefix_sum.h"

#include <string>
#include <utility>

#include "compute/world/scan_kernels.h"
#include "engine/core/assert.h"

namespace proxima::compute::world {

using engine::GpuBuffer;

namespace {

constexpr uint32_t kScanBlock = 16 * kWorkgroup;  // items of a workgroup, as in scan.glsl

struct Push {
    uint32_t items, word;
};

/// One more than the blocks of the items when they are full: the total has a place of its own.
uint32_t blocks_of(uint32_t items) { return items / kScanBlock + 1; }

}  // namespace

Result<std::unique_ptr<PrefixSum>> PrefixSum::create(std::shared_ptr<engine::GpuDevice> device) {
    std::unique_ptr<PrefixSum> made(new PrefixSum);
    made->device_ = std::move(device);
    if (auto r = made->kernels_.make(made->device_, 4, sizeof(Push), "prefix sum"); !r) return Error{r.error()};
    Result<engine::GpuPipeline> sums = made->kernels_.compile(shaders::scan_sums(), "scan_sums");
    if (!sums) return Error{sums.error()};
    made->sums_ = std::move(sums.value());
    Result<engine::GpuPipeline> write = made->kernels_.compile(shaders::scan_write(), "scan_write");
    if (!write) return Error{write.error()};
    made->write_ = std::move(write.value());
    return made;
}

Result<void> PrefixSum::prepare(uint32_t max_items, const Lists (&turns)[2]) {
    if (max_items > kMaxItems)
        return Error{"A prefix sum over " + std::to_string(max_items) + " items is larger than the " +
                     std::to_string(kMaxItems) + " that the device adds up at once."};
    const Result<bool> grown =
        engine::grow_buffer(partials_, device_, uint64_t(blocks_of(max_items)) * sizeof(uint32_t),
                            engine::GpuMemory::device, "prefix sum partials");
    if (!grown) return Error{grown.error()};
    capacity_ = max_items;
    for (uint32_t parity = 0; parity < 2; ++parity) {
        const Lists& lists = turns[parity];
        const GpuBuffer* stop = lists.stop ? lists.stop : &partials_;
        const GpuBuffer* all[] = {lists.values, lists.sums, stop, &partials_};
        kernels_.set(parity, all);
    }
    return {};
}

void PrefixSum::record(engine::GpuCommands& commands, uint32_t parity, uint32_t items) const {
    PX_ASSERT(items <= capacity_, "a prefix sum is prepared for its items");
    record_passes(commands, parity, items, kNone);
}

void PrefixSum::record_unless(engine::GpuCommands& commands, uint32_t parity, uint32_t items, uint32_t word) const {
    PX_ASSERT(items <= capacity_, "a prefix sum is prepared for its items");
    record_passes(commands, parity, items, word);
}

void PrefixSum::record_passes(engine::GpuCommands& commands, uint32_t parity, uint32_t items, uint32_t word) const {
    const Push push{items, word};
    const uint32_t invocations = blocks_of(items) * kWorkgroup;
    kernels_.bind(commands, parity);
    kernels_.run(commands, sums_, push, invocations);
    StageKernels::then(commands);
    kernels_.run(commands, write_, push, invocations);
    StageKernels::then(commands);
}

}  // namespace proxima::compute::world
