// SPDX-License-Identifier: MIT
// Draws a DrawList with Vulkan: the same frame into a window or into a picture. It knows nothing of worlds.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/core/result.h"
#include "engine/gpu/gpu_device.h"
#include "engine/gpu/gpu_image.h"
#include "render/draw_list.h"
#include "render/mesh.h"
#include "render/picture.h"
#include "render/ui_draw.h"

namespace proxima::render {

struct RendererOptions {
    /// 0 leaves the choice to the kind of device: a device in software gets settings that it can keep up with.
    uint32_t msaa = 0;         // samples per pixel: 1, 2, 4 or 8, as many of them as the device has
    uint32_t shadow_size = 0;  // side of the shadow map in pixels
    uint32_t shadow_taps = 0;  // lookups of the shadow map per pixel: 4 or 9
    Colour outline = rgba(255, 150, 30);
    float outline_width = 2.5f;  // pixels
};

/// Of the last frame whose times are known, s.
struct RendererTimes {
    double host = 0.0;                                // copying and recording, without waiting
    double shadow = 0.0, scene = 0.0, overlay = 0.0;  // on the device
};

/// What lies under a pixel.
struct Pick {
    uint32_t id = 0;  // Instance::id; 0 is nothing
    bool hit = false;
    Vec3 position{0.0f, 0.0f, 0.0f};  // in the world, when something was hit
};

class Renderer {
  public:
    /// The device must have been opened with graphics.
    static Result<std::unique_ptr<Renderer>> create(std::shared_ptr<engine::GpuDevice> device,
                                                    const RendererOptions& options = {});
    ~Renderer();
    Renderer(const Renderer&) = delete;
    Renderer& operator=(const Renderer&) = delete;

    /// A texture for UiCommand::texture. Texture 0 is white and always there.
    Result<uint32_t> add_texture(const Picture& picture);
    /// Other pixels, and maybe another size, for a texture that was added.
    Result<void> replace_texture(uint32_t texture, const Picture& picture);

    /// Draws and returns while the device still works; waits only when it is two frames ahead. `ui` are drawn
    /// in their order. An empty target (a minimised window) is nothing to do.
    Result<void> draw(const DrawList& list, const MeshLibrary& meshes, std::span<const UiDrawData* const> ui,
                      const engine::GpuTarget& target);
    Result<void> draw(const DrawList& list, const MeshLibrary& meshes, const UiDrawData* ui,
                      const engine::GpuTarget& target) {
        return draw(list, meshes, std::span<const UiDrawData* const>(&ui, ui ? 1 : 0), target);
    }

    /// The same, read back.
    Result<Picture> render_picture(const DrawList& list, const MeshLibrary& meshes,
                                   std::span<const UiDrawData* const> ui, uint32_t width, uint32_t height);
    Result<Picture> render_picture(const DrawList& list, const MeshLibrary& meshes, const UiDrawData* ui,
                                   uint32_t width, uint32_t height) {
        return render_picture(list, meshes, std::span<const UiDrawData* const>(&ui, ui ? 1 : 0), width, height);
    }
    Result<Picture> render_picture(const DrawList& list, const MeshLibrary& meshes, uint32_t width, uint32_t height) {
        return render_picture(list, meshes, std::span<const UiDrawData* const>(), width, height);
    }

    /// What the frame that was drawn last shows at a pixel. Waits for the device; meant for clicks.
    Result<Pick> pick(float x, float y);

    /// What was chosen for this device.
    const RendererOptions& options() const;
    const RendererTimes& times() const;
    /// Until the device has finished everything: before a window goes away.
    Result<void> wait();

  private:
    struct Inside;
    explicit Renderer(std::unique_ptr<Inside> inside);
    std::unique_ptr<Inside> inside_;
};

}  // namespace proxima::render
