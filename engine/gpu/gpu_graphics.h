// SPDX-License-Identifier: MIT
// Pipelines that draw, and what their shaders see: a numbered list of uniform buffers and images, and a few
// bytes of push constants. Viewport and scissor are set while recording; everything else is fixed here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/gpu/gpu_device.h"
#include "engine/gpu/gpu_handles.h"

namespace proxima::engine {

/// The shaders that see a layout.
inline constexpr VkShaderStageFlags kDrawStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

enum class GpuSlot : uint8_t {
    uniforms,  // a small buffer that both stages read
    image,     // an image with its sampler
};

/// Bindings 0, 1, ... of set 0, seen by vertices and fragments.
class GpuDrawLayout {
  public:
    GpuDrawLayout() = default;
    static Result<GpuDrawLayout> create(std::shared_ptr<GpuDevice> device, std::span<const GpuSlot> slots,
                                        uint32_t push_bytes, const std::string& name);

    std::span<const GpuSlot> slots() const { return slots_; }
    uint32_t push_bytes() const { return push_bytes_; }
    VkDescriptorSetLayout set_layout() const { return handles_.set(); }
    VkPipelineLayout handle() const { return handles_.pipeline(); }

  private:
    GpuLayoutHandles handles_;
    std::vector<GpuSlot> slots_;
    uint32_t push_bytes_ = 0;
};

/// One attribute of the vertex shader, and in which stream it lies.
struct GpuVertexField {
    uint32_t location = 0, stream = 0;
    VkFormat format = VK_FORMAT_R32G32B32_SFLOAT;
    uint32_t offset = 0;
};
struct GpuVertexStream {
    uint32_t stride = 0;
    bool per_instance = false;
};

enum class GpuBlend : uint8_t {
    none,
    alpha,          // source colour times its alpha, over what is there
    premultiplied,  // the source colour contains its alpha already
};

struct GpuGraphicsOptions {
    std::span<const uint32_t> vertex, fragment;  // SPIR-V; no fragment: depth only
    std::span<const uint32_t> constants;         // specialisation constants 0, 1, ... of both
    std::span<const GpuVertexStream> streams;    // vertex buffers 0, 1, ...
    std::span<const GpuVertexField> fields;
    VkFormat colour = VK_FORMAT_UNDEFINED;  // of the attachments; undefined: there is none
    VkFormat depth = VK_FORMAT_UNDEFINED;
    uint32_t samples = 1;
    VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkCullModeFlags cull = VK_CULL_MODE_NONE;  // front faces are counter-clockwise
    GpuBlend blend = GpuBlend::none;
    bool depth_write = false;
    VkCompareOp depth_compare = VK_COMPARE_OP_ALWAYS;
    float depth_bias = 0.0f, depth_bias_slope = 0.0f;
};

/// Move-only owner of a pipeline that draws with dynamic rendering.
class GpuGraphicsPipeline {
  public:
    GpuGraphicsPipeline() = default;
    static Result<GpuGraphicsPipeline> create(std::shared_ptr<GpuDevice> device, const GpuDrawLayout& layout,
                                              const GpuGraphicsOptions& options, const std::string& name);

    VkPipeline handle() const { return pipeline_.get(); }

  private:
    GpuPipelineHandle pipeline_;
};

}  // namespace proxima::engine
