// SPDX-License-Identifier: MIT
// Every pipeline of the renderer. Those that draw colours are made for a format of target; the others once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/core/result.h"
#include "engine/gpu/gpu_graphics.h"

namespace proxima::render {

inline constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;
inline constexpr VkFormat kMaskFormat = VK_FORMAT_R8_UNORM;
inline constexpr VkFormat kIdFormat = VK_FORMAT_R32_UINT;

struct OutlinePush {
    float colour[4];
    float pixel[2];
    float width;
};

struct Layouts {
    engine::GpuDrawLayout scene;     // frame constants, shadow map
    engine::GpuDrawLayout position;  // frame constants
    engine::GpuDrawLayout ui;        // texture; push: the size of the picture
    engine::GpuDrawLayout outline;   // mask; push: OutlinePush

    static Result<Layouts> create(const std::shared_ptr<engine::GpuDevice>& device);
};

/// Independent of the target.
struct PositionPipelines {
    engine::GpuGraphicsPipeline shadow, shadow_two_sided, mask, pick, pick_two_sided;

    static Result<PositionPipelines> create(const std::shared_ptr<engine::GpuDevice>& device, const Layouts& layouts);
};

/// For one format of target.
struct ColourPipelines {
    VkFormat format = VK_FORMAT_UNDEFINED;
    engine::GpuGraphicsPipeline mesh, mesh_two_sided, glass, sky, grid, floor, line, line_on_top, ui, outline;

    static Result<ColourPipelines> create(const std::shared_ptr<engine::GpuDevice>& device, const Layouts& layouts,
                                          VkFormat format, uint32_t samples, uint32_t shadow_taps);
};

}  // namespace proxima::render
