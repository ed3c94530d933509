// SPDX-License-Identifier: MIT
// A renderer without a window: draw lists in, pictures out, texts included.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/result.h"
#include "engine/gpu/gpu_device.h"
#include "render/draw_list.h"
#include "render/mesh.h"
#include "render/picture.h"
#include "render/renderer.h"
#include "render/text/text_layout.h"

namespace proxima::pictures {

struct StudioOptions {
    uint32_t width = 1280, height = 720;
    std::string device = "gpu";
    bool validation = engine::kValidateByDefault;
    /// Nobody waits for a picture on a screen: smooth edges and soft shadows whatever the device is.
    render::RendererOptions renderer{4, 4096, 9};
};

class Studio {
  public:
    /// A sentence where there is no Vulkan device that draws.
    static Result<std::unique_ptr<Studio>> open(const StudioOptions& options);

    Result<render::Picture> take(const render::DrawList& list, const render::MeshLibrary& meshes);
    uint32_t width() const { return options_.width; }
    uint32_t height() const { return options_.height; }
    float aspect() const { return float(options_.width) / float(options_.height); }
    /// Texts have their sizes at 720 rows.
    float scale() const { return float(options_.height) / 720.0f; }
    const std::shared_ptr<engine::GpuInstance>& instance() const { return instance_; }

  private:
    Studio() = default;
    StudioOptions options_;
    std::shared_ptr<engine::GpuInstance> instance_;
    std::shared_ptr<engine::GpuDevice> device_;
    std::unique_ptr<render::Renderer> renderer_;
    render::FontAtlas atlas_;
    uint32_t texture_ = 0;
    render::TextMemory memory_;
    render::UiDrawData texts_;
};

}  // namespace proxima::pictures
