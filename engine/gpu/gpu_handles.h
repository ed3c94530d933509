// SPDX-License-Identifier: MIT
// What kernels and drawing have in common underneath: owners of layouts and pipelines, and what is needed
// only while a pipeline is compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/gpu/gpu_device.h"

namespace proxima::engine {

/// Move-only owner of a descriptor set layout and the pipeline layout around it.
class GpuLayoutHandles {
  public:
    GpuLayoutHandles() = default;
    /// Set 0 with these bindings, and push constants that these stages see.
    static Result<GpuLayoutHandles> create(std::shared_ptr<GpuDevice> device,
                                           std::span<const VkDescriptorSetLayoutBinding> bindings,
                                           VkShaderStageFlags stages, uint32_t push_bytes, const std::string& name);
    ~GpuLayoutHandles();
    GpuLayoutHandles(GpuLayoutHandles&& other) noexcept;
    GpuLayoutHandles& operator=(GpuLayoutHandles&& other) noexcept;

    VkDescriptorSetLayout set() const { return set_; }
    VkPipelineLayout pipeline() const { return pipeline_; }

  private:
    void destroy();
    std::shared_ptr<GpuDevice> device_;
    VkDescriptorSetLayout set_ = VK_NULL_HANDLE;
    VkPipelineLayout pipeline_ = VK_NULL_HANDLE;
};

/// Move-only owner of a pipeline of either kind.
class GpuPipelineHandle {
  public:
    GpuPipelineHandle() = default;
    GpuPipelineHandle(std::shared_ptr<GpuDevice> device, VkPipeline pipeline, const std::string& name);
    ~GpuPipelineHandle();
    GpuPipelineHandle(GpuPipelineHandle&& other) noexcept;
    GpuPipelineHandle& operator=(GpuPipelineHandle&& other) noexcept;

    VkPipeline get() const { return pipeline_; }

  private:
    void destroy();
    std::shared_ptr<GpuDevice> device_;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
};

/// A shader for as long as its pipeline is compiled.
class GpuShaderModule {
  public:
    explicit GpuShaderModule(const GpuDevice& device) : device_(device) {}
    ~GpuShaderModule();
    GpuShaderModule(const GpuShaderModule&) = delete;
    GpuShaderModule& operator=(const GpuShaderModule&) = delete;

    VkResult load(std::span<const uint32_t> spirv);
    VkShaderModule get() const { return module_; }

  private:
    const GpuDevice& device_;
    VkShaderModule module_ = VK_NULL_HANDLE;
};

/// Specialisation constants 0, 1, ... of four bytes each. The values must stay where they are.
class GpuConstants {
  public:
    explicit GpuConstants(std::span<const uint32_t> values);
    GpuConstants(const GpuConstants&) = delete;
    GpuConstants& operator=(const GpuConstants&) = delete;

    const VkSpecializationInfo* info() const { return &info_; }

  private:
    std::vector<VkSpecializationMapEntry> entries_;
    VkSpecializationInfo info_;
};

}  // namespace proxima::engine
