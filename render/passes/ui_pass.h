// SPDX-License-Identifier: MIT
// Flat triangles on top of the picture, and their textures.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/result.h"
#include "engine/gpu/gpu_frames.h"
#include "render/passes/pipelines.h"
#include "render/picture.h"
#include "render/ui_draw.h"

namespace proxima::render {

class UiPass {
  public:
    static Result<std::unique_ptr<UiPass>> create(std::shared_ptr<engine::GpuDevice> device);

    Result<uint32_t> add_texture(const Picture& picture);
    /// The texture must not be in use by the device any more.
    Result<void> replace_texture(uint32_t texture, const Picture& picture);

    /// Copies what is new in this frame; outside of passes. A sentence when commands point to what is not there.
    Result<void> prepare(engine::GpuFrames& frames, const Layouts& layouts, std::span<const UiDrawData* const> ui);
    /// Inside a pass over the picture.
    void record(engine::GpuFrames& frames, const ColourPipelines& pipelines, const Layouts& layouts,
                std::span<const UiDrawData* const> ui, uint32_t width, uint32_t height) const;
    /// The frame with the copies was not drawn: they are made again.
    void forget_copies();

  private:
    struct Texture {
        engine::GpuImage image;
        Picture pixels;  // kept: a frame that failed must be able to copy again
        bool copied = false;
        VkDescriptorSet set = VK_NULL_HANDLE;  // of this frame
    };
    Result<void> check(const UiDrawData& ui) const;

    std::shared_ptr<engine::GpuDevice> device_;
    engine::GpuSampler sampler_;
    std::vector<Texture> textures_;
    struct Slices {
        engine::GpuSlice vertices, indices;
    };
    std::vector<Slices> slices_;
};

}  // namespace proxima::render
