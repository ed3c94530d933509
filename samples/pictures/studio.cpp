// SPDX-License-Identifier: MIT
#include "samples/pictures/studio.h"

#include <fmt/format.h>

namespace proxima::pictures {

Result<std::unique_ptr<Studio>> Studio::open(const StudioOptions& options) {
    std::unique_ptr<Studio> made(new Studio);
    made->options_ = options;
    auto instance = engine::GpuInstance::create({{}, options.validation, {}});
    if (!instance) return Error{instance.error()};
    made->instance_ = std::move(instance.value());
    engine::GpuDeviceOptions wanted;
    wanted.graphics = true;
    wanted.cache_folder = engine::default_gpu_cache_folder();
    wanted.requirements.storage_bytes = 1 << 20;
    auto device = engine::GpuDevice::open(made->instance_, options.device, wanted);
    if (!device) return Error{device.error()};
    made->device_ = std::move(device.value());
    auto renderer = render::Renderer::create(made->device_, options.renderer);
    if (!renderer) return Error{renderer.error()};
    made->renderer_ = std::move(renderer.value());
    made->atlas_ = render::make_font_atlas(made->scale());
    const Result<uint32_t> texture = made->renderer_->add_texture(made->atlas_.picture);
    if (!texture) return Error{texture.error()};
    made->texture_ = texture.value();
    return made;
}

Result<render::Picture> Studio::take(const render::DrawList& list, const render::MeshLibrary& meshes) {
    texts_.vertices.clear();
    texts_.indices.clear();
    texts_.commands.clear();
    render::layout_texts(list, {float(width()), float(height())}, scale(), atlas_, texture_, memory_, texts_);
    return renderer_->render_picture(list, meshes, &texts_, width(), height());
}

}  // namespace proxima::pictures
