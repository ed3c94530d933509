// SPDX-License-Identifier: MIT
#include "compute/world/stage_kernels.h"

#include <utility>
#include <vector>

namespace proxima::compute::world {

using engine::GpuAccess;

Result<void> StageKernels::make(std::shared_ptr<engine::GpuDevice> device, uint32_t buffers, uint32_t push_bytes,
                                const std::string& name) {
    device_ = std::move(device);
    Result<engine::GpuLayout> layout = engine::GpuLayout::create(device_, buffers, push_bytes, name);
    if (!layout) return Error{layout.error()};
    layout_ = std::move(layout.value());
    for (engine::GpuBindings& bindings : bindings_) {
        Result<engine::GpuBindings> made = engine::GpuBindings::create(device_, layout_, name);
        if (!made) return Error{made.error()};
        bindings = std::move(made.value());
    }
    return {};
}

Result<engine::GpuPipeline> StageKernels::compile(std::span<const uint32_t> code, const std::string& name,
                                                  std::span<const uint32_t> constants) const {
    std::vector<uint32_t> all{kWorkgroup};
    all.insert(all.end(), constants.begin(), constants.end());
    return engine::GpuPipeline::create(device_, layout_, code, all, name);
}

void StageKernels::set(uint32_t parity, std::span<const engine::GpuBuffer* const> buffers) {
    bindings_[parity & 1u].set(buffers);
}

void StageKernels::bind(engine::GpuCommands& commands, uint32_t parity) const {
    commands.bind(layout_, bindings_[parity & 1u]);
}

void StageKernels::then(engine::GpuCommands& commands) {
    commands.barrier(GpuAccess::kernels, GpuAccess::kernels | GpuAccess::arguments);
}

}  // namespace proxima::compute::world
