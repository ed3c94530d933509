// SPDX-License-Identifier: MIT
// What the stages of a world on the device have in common: kernels over one list of buffers, bound twice,
// since the pairs of this step and of the one before it take turns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "compute/world/world_buffers.h"
#include "engine/core/result.h"
#include "engine/gpu/gpu_commands.h"

namespace proxima::compute::world {

class StageKernels {
  public:
    /// A list of `buffers` storage buffers and so many bytes of push constants for all kernels of the stage.
    Result<void> make(std::shared_ptr<engine::GpuDevice> device, uint32_t buffers, uint32_t push_bytes,
                      const std::string& name);
    /// Compiles a kernel. Its specialisation constant 0 is kWorkgroup, `constants` are those from 1 on.
    Result<engine::GpuPipeline> compile(std::span<const uint32_t> code, const std::string& name,
                                        std::span<const uint32_t> constants = {}) const;
    /// The buffers as steps of this parity (0 or 1) see them.
    void set(uint32_t parity, std::span<const engine::GpuBuffer* const> buffers);

    // ---- recording
    /// The kernels that follow are this stage's.
    void bind(engine::GpuCommands& commands, uint32_t parity) const;
    /// One invocation per item, with the push constants of the stage.
    template <class Push>
    void run(engine::GpuCommands& commands, const engine::GpuPipeline& kernel, const Push& push, uint32_t items) const {
        commands.push(layout_, &push, sizeof(Push));
        commands.dispatch(kernel, (items + kWorkgroup - 1) / kWorkgroup);
    }
    /// As many workgroups as the device has written to entry `argument` of the buffer.
    template <class Push>
    void run_indirect(engine::GpuCommands& commands, const engine::GpuPipeline& kernel, const Push& push,
                      const engine::GpuBuffer& arguments, uint32_t argument) const {
        commands.push(layout_, &push, sizeof(Push));
        commands.dispatch_indirect(kernel, arguments, uint64_t(argument) * sizeof(vec4));
    }
    /// What kernels have written is seen by kernels that follow, and by the device when it counts workgroups.
    static void then(engine::GpuCommands& commands);

  private:
    std::shared_ptr<engine::GpuDevice> device_;
    engine::GpuLayout layout_;
    engine::GpuBindings bindings_[2];
};

}  // namespace proxima::compute::world
