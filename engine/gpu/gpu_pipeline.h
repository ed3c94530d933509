// SPDX-License-Identifier: MIT
// Kernels and the buffers they see. A layout is a numbered list of storage buffers and a few bytes of push
// constants; all kernels of one job share one, so that buffers are bound once and kernels only exchanged.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/core/result.h"
#include "engine/gpu/gpu_buffer.h"
#include "engine/gpu/gpu_device.h"
#include "engine/gpu/gpu_handles.h"

namespace proxima::engine {

class GpuLayout {
  public:
    GpuLayout() = default;
    /// Bindings 0 .. buffers-1 of set 0.
    static Result<GpuLayout> create(std::shared_ptr<GpuDevice> device, uint32_t buffers, uint32_t push_bytes,
                                    const std::string& name);

    uint32_t buffers() const { return buffers_; }
    uint32_t push_bytes() const { return push_bytes_; }
    VkDescriptorSetLayout set_layout() const { return handles_.set(); }
    VkPipelineLayout handle() const { return handles_.pipeline(); }

  private:
    GpuLayoutHandles handles_;
    uint32_t buffers_ = 0, push_bytes_ = 0;
};

/// A kernel, compiled for the device. `constants` are its specialisation constants 0, 1, ...
class GpuPipeline {
  public:
    GpuPipeline() = default;
    static Result<GpuPipeline> create(std::shared_ptr<GpuDevice> device, const GpuLayout& layout,
                                      std::span<const uint32_t> spirv, std::span<const uint32_t> constants,
                                      const std::string& name);

    VkPipeline handle() const { return pipeline_.get(); }

  private:
    GpuPipelineHandle pipeline_;
};

/// Which buffer stands behind each number of a layout. Not to be changed while commands that use it run.
class GpuBindings {
  public:
    GpuBindings() = default;
    static Result<GpuBindings> create(std::shared_ptr<GpuDevice> device, const GpuLayout& layout,
                                      const std::string& name);
    ~GpuBindings();
    GpuBindings(GpuBindings&& other) noexcept;
    GpuBindings& operator=(GpuBindings&& other) noexcept;

    /// One buffer per number.
    void set(std::span<const GpuBuffer* const> buffers);
    VkDescriptorSet handle() const { return set_; }

  private:
    void destroy();
    std::shared_ptr<GpuDevice> device_;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
    uint32_t count_ = 0;
};

}  // namespace proxima::engine
