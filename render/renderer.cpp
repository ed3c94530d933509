// SPDX-License-Identifier: MIT
#include "render/renderer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "engine/gpu/gpu_frames.h"
#include "engine/profile/gpu_track.h"
#include "engine/profile/zone.h"
#include "render/passes/mesh_store.h"
#include "render/passes/pipelines.h"
#include "render/passes/scene_data.h"
#include "render/passes/scene_passes.h"
#include "render/passes/ui_pass.h"

namespace proxima::render {

using engine::GpuBuffer;
using engine::GpuFrames;
using engine::GpuImage;
using engine::GpuImageState;
using engine::GpuImageUse;
using engine::GpuSlotValue;
using engine::GpuTarget;

namespace {

constexpr uint32_t kInFlight = 2;

/// What the device can do of what was asked; 0 is chosen for its kind.
RendererOptions settle(RendererOptions o, const engine::GpuDevice& device) {
    const bool software = device.info().kind == "software";
    if (o.msaa == 0) o.msaa = software ? 1 : 4;
    if (o.shadow_size == 0) o.shadow_size = software ? 1024 : 2048;
    if (o.shadow_taps == 0) o.shadow_taps = software ? 4 : 9;
    o.shadow_taps = o.shadow_taps <= 4 ? 4 : 9;
    const VkPhysicalDeviceLimits& limits = device.limits();
    o.shadow_size = std::clamp(o.shadow_size, 64u, limits.maxImageDimension2D);
    const VkSampleCountFlags counts = limits.framebufferColorSampleCounts & limits.framebufferDepthSampleCounts;
    uint32_t samples = 8;
    while (samples > 1 && (samples > o.msaa || !(counts & samples))) samples /= 2;
    o.msaa = samples;
    return o;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

struct Renderer::Inside {
    explicit Inside(std::shared_ptr<engine::GpuDevice> d) : device(std::move(d)), meshes(device) {}

    Result<void> make(const RendererOptions& wanted);
    Result<ColourPipelines*> pipelines_for(VkFormat format);
    Result<void> fit_images(uint32_t width, uint32_t height, VkFormat format);
    Result<void> record(const DrawList& list, const MeshLibrary& library, std::span<const UiDrawData* const> ui,
                        const GpuTarget& target);
    Result<void> record_overlay(const ColourPipelines& colours, std::span<const UiDrawData* const> ui,
                                const GpuTarget& target);
    Result<void> draw(const DrawList& list, const MeshLibrary& library, std::span<const UiDrawData* const> ui,
                      const GpuTarget& target, const GpuBuffer* copy_to);
    Result<Pick> pick(float x, float y);
    void update_times() {
        times.shadow = frames->seconds_between(0, 1);
        times.scene = frames->seconds_between(1, 2);
        times.overlay = frames->seconds_between(2, 3);
    }

    std::shared_ptr<engine::GpuDevice> device;
    RendererOptions options;
    RendererTimes times;
    Layouts layouts;
    PositionPipelines position;
    std::vector<std::unique_ptr<ColourPipelines>> colours;  // few: one per format of target
    std::unique_ptr<GpuFrames> frames, pick_frames;
    MeshStore meshes;
    std::unique_ptr<UiPass> ui_pass;
    SceneData scene;  // of the frame that was drawn last
    bool drawn = false;
    GpuImage shadow_map, samples, depth, mask, pick_ids, pick_depth;
    bool shadow_ready = false;  // it has a layout
    engine::GpuSampler shadow_sampler, mask_sampler;
    GpuImage picture;  // of render_picture
    GpuBuffer picture_bytes, pick_bytes;
};

Result<void> Renderer::Inside::make(const RendererOptions& wanted) {
    options = settle(wanted, *device);
    const auto keep = [](auto&& result, auto& into) -> Result<void> {
        if (!result) return Error{result.error()};
        into = std::move(result.value());
        return {};
    };
    const uint32_t size = options.shadow_size;
    Result<void> r = keep(Layouts::create(device), layouts);
    if (r) r = keep(PositionPipelines::create(device, layouts), position);
    if (r) r = keep(GpuFrames::create(device, kInFlight, "frame"), frames);
    if (r) r = keep(GpuFrames::create(device, 1, "pick"), pick_frames);
    if (r) r = keep(UiPass::create(device), ui_pass);
    if (r)
        r = keep(GpuImage::create(device, {size, size, kDepthFormat, 1, GpuImageUse::drawn | GpuImageUse::sampled},
                                  "shadow map"),
                 shadow_map);
    // Most devices mix the answers of four neighbours by themselves; shadows are rougher on the others.
    VkFormatProperties can{};
    device->instance().api().vkGetPhysicalDeviceFormatProperties(device->physical(), kDepthFormat, &can);
    const bool mixes = can.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    if (r) r = keep(engine::GpuSampler::create(device, {mixes, false, true}, "shadow map"), shadow_sampler);
    if (r) r = keep(engine::GpuSampler::create(device, {}, "mask"), mask_sampler);
    const GpuImageUse read = GpuImageUse::drawn | GpuImageUse::copied;
    if (r) r = keep(GpuImage::create(device, {1, 1, kIdFormat, 1, read}, "pick ids"), pick_ids);
    if (r) r = keep(GpuImage::create(device, {1, 1, kDepthFormat, 1, read}, "pick depth"), pick_depth);
    if (r) r = keep(GpuBuffer::create(device, 8, engine::GpuMemory::readback, "pick"), pick_bytes);
    return r;
}

Result<ColourPipelines*> Renderer::Inside::pipelines_for(VkFormat format) {
    for (const std::unique_ptr<ColourPipelines>& set : colours)
        if (set->format == format) return set.get();
    Result<ColourPipelines> made = ColourPipelines::create(device, layouts, format, options.msaa, options.shadow_taps);
    if (!made) return Error{made.error()};
    colours.push_back(std::make_unique<ColourPipelines>(std::move(made.value())));
    return colours.back().get();
}

/// Images of the size of the target; the old ones are in use until the device has finished.
Result<void> Renderer::Inside::fit_images(uint32_t width, uint32_t height, VkFormat format) {
    const bool several = options.msaa > 1;
    if (depth && depth.width() == width && depth.height() == height && (!several || samples.format() == format))
        return {};
    if (Result<void> done = frames->wait(); !done) return done;
    samples = GpuImage();
    depth = GpuImage();
    mask = GpuImage();
    Result<GpuImage> d =
        GpuImage::create(device, {width, height, kDepthFormat, options.msaa, GpuImageUse::drawn}, "depth");
    if (!d) return Error{d.error()};
    if (several) {
        Result<GpuImage> s =
            GpuImage::create(device, {width, height, format, options.msaa, GpuImageUse::drawn}, "samples");
        if (!s) return Error{s.error()};
        samples = std::move(s.value());
    }
    depth = std::move(d.value());
    return {};
}

Result<void> Renderer::Inside::record(const DrawList& list, const MeshLibrary& library,
                                      std::span<const UiDrawData* const> ui, const GpuTarget& target) {
    const Result<ColourPipelines*> found = pipelines_for(target.format);
    if (!found) return Error{found.error()};
    const ColourPipelines& set = *found.value();
    if (Result<void> r = meshes.update(*frames, library); !r) return r;
    if (Result<void> r = ui_pass->prepare(*frames, layouts, ui); !r) return r;
    if (Result<void> r = scene.prepare(*frames, list, meshes, target.width, target.height, options.shadow_size,
                                       device->limits().minUniformBufferOffsetAlignment);
        !r)
        return r;
    GpuSlotValue values[2];
    values[0].uniforms = scene.uniforms;
    values[1].image = &shadow_map;
    values[1].sampler = &shadow_sampler;
    const Result<VkDescriptorSet> scene_set = frames->bindings(layouts.scene, values);
    if (!scene_set) return Error{scene_set.error()};
    const Result<VkDescriptorSet> position_set = frames->bindings(layouts.position, std::span(values, 1));
    if (!position_set) return Error{position_set.error()};

    frames->timestamp();
    if (scene.shadow.active || !shadow_ready) {
        PX_GPU_ZONE(*frames, "shadow");
        record_shadow_pass(*frames, position, layouts, position_set.value(), meshes, scene, shadow_map);
        shadow_ready = true;
    }
    frames->timestamp();
    frames->barrier(target.image, false, target.shown ? GpuImageState::drawn : GpuImageState::copied_from,
                    GpuImageState::drawn, true);
    frames->barrier(depth, GpuImageState::depth, GpuImageState::depth, true);
    if (samples) frames->barrier(samples, GpuImageState::drawn, GpuImageState::drawn, true);
    {
        PX_GPU_ZONE(*frames, "scene");
        record_scene_pass(*frames, set, layouts, scene_set.value(), position_set.value(), meshes, scene,
                          {samples ? &samples : nullptr, &depth, target.view});
    }
    frames->timestamp();
    PX_GPU_ZONE(*frames, "overlay");
    if (!scene.outline.empty()) {
        if (!mask) {
            Result<GpuImage> made = GpuImage::create(
                device, {target.width, target.height, kMaskFormat, 1, GpuImageUse::drawn | GpuImageUse::sampled},
                "mask");
            if (!made) return Error{made.error()};
            mask = std::move(made.value());
        }
        record_mask_pass(*frames, position, layouts, position_set.value(), meshes, scene, mask);
    }
    return record_overlay(set, ui, target);
}

Result<void> Renderer::Inside::record_overlay(const ColourPipelines& set, std::span<const UiDrawData* const> ui,
                                              const GpuTarget& target) {
    const bool outlines = !scene.outline.empty();
    const bool any_ui = std::any_of(ui.begin(), ui.end(), [](const UiDrawData* d) { return !d->indices.empty(); });
    if (outlines || any_ui) {
        frames->barrier(target.image, false, GpuImageState::drawn, GpuImageState::drawn, false);
        engine::GpuPass pass;
        pass.width = target.width;
        pass.height = target.height;
        pass.colour = target.view;
        frames->begin_pass(pass);
        if (outlines) {
            GpuSlotValue value;
            value.image = &mask;
            value.sampler = &mask_sampler;
            const Result<VkDescriptorSet> bound = frames->bindings(layouts.outline, std::span(&value, 1));
            if (!bound) return Error{bound.error()};
            const Vec3 c = to_linear(options.outline);
            const OutlinePush push{{c.x, c.y, c.z, float(options.outline >> 24) / 255.0f},
                                   {1.0f / float(target.width), 1.0f / float(target.height)},
                                   options.outline_width};
            frames->bind(set.outline);
            frames->bind(layouts.outline, bound.value());
            frames->push(layouts.outline, &push, sizeof(push));
            const PixelBox& box = scene.outline;
            frames->scissor(box.left, box.top, uint32_t(box.right - box.left), uint32_t(box.bottom - box.top));
            frames->draw(3, 1);
        }
        if (any_ui) ui_pass->record(*frames, set, layouts, ui, target.width, target.height);
        frames->end_pass();
    }
    frames->barrier(target.image, false, GpuImageState::drawn,
                    target.shown ? GpuImageState::shown : GpuImageState::copied_from, false);
    frames->timestamp();
    return {};
}

Result<void> Renderer::Inside::draw(const DrawList& list, const MeshLibrary& library,
                                    std::span<const UiDrawData* const> ui, const GpuTarget& target,
                                    const GpuBuffer* copy_to) {
    drawn = false;
    if (meshes.is_other(library)) {
        if (Result<void> done = frames->wait(); !done) return done;
        meshes.clear();
    }
    if (Result<void> fit = fit_images(target.width, target.height, target.format); !fit) return fit;
    if (Result<void> begun = frames->begin(); !begun) return begun;
    update_times();
    PX_ZONE("record frame");
    const auto start = std::chrono::steady_clock::now();
    Result<void> done = record(list, library, ui, target);
    if (done && copy_to) frames->copy(target.image, false, 0, 0, target.width, target.height, *copy_to);
    if (done) done = frames->submit(target.ready, target.finished);
    times.host = seconds_since(start);
    if (!done) {
        // What was recorded is not drawn; copies and first uses of images in it have not happened.
        meshes.clear();
        ui_pass->forget_copies();
        shadow_ready = false;
        if (Result<void> idle = frames->wait(); !idle && device->lost()) return done;
        return done;
    }
    drawn = true;
    return {};
}

Result<Pick> Renderer::Inside::pick(float x, float y) {
    if (!drawn) return Error{"Nothing can be picked before a frame was drawn."};
    const float in_x = x - float(scene.left), in_y = y - float(scene.top);
    if (!(in_x >= 0.0f && in_y >= 0.0f && in_x < float(scene.width) && in_y < float(scene.height))) return Pick{};
    if (Result<void> r = pick_frames->begin(); !r) return Error{r.error()};
    GpuSlotValue value;
    value.uniforms = scene.uniforms;
    const Result<VkDescriptorSet> set = pick_frames->bindings(layouts.position, std::span(&value, 1));
    if (!set) return Error{set.error()};
    record_pick_pass(*pick_frames, position, layouts, set.value(), meshes, scene, x, y, pick_ids, pick_depth);
    pick_frames->copy(pick_ids.handle(), false, 0, 0, 1, 1, pick_bytes, 0);
    pick_frames->copy(pick_depth.handle(), true, 0, 0, 1, 1, pick_bytes, 4);
    if (Result<void> r = pick_frames->submit(); !r) return Error{r.error()};
    if (Result<void> r = pick_frames->wait(); !r) return Error{r.error()};
    if (Result<void> r = pick_bytes.invalidate(); !r) return Error{r.error()};
    Pick found;
    float at = 0.0f;
    std::memcpy(&found.id, pick_bytes.mapped(), 4);
    std::memcpy(&at, pick_bytes.mapped() + 4, 4);
    found.hit = at > 0.0f;
    if (found.hit)
        found.position =
            unproject(scene.view, std::floor(in_x) + 0.5f, std::floor(in_y) + 0.5f, at, scene.width, scene.height);
    return found;
}

Renderer::Renderer(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Renderer::~Renderer() {
    // Images go before the frames that use them would: everything must be finished first.
    if (!inside_->device->lost() && inside_->frames)
        if (Result<void> done = inside_->frames->wait(); !done) return;
}

Result<std::unique_ptr<Renderer>> Renderer::create(std::shared_ptr<engine::GpuDevice> device,
                                                   const RendererOptions& options) {
    if (!device->draws())
        return Error{fmt::format("{} was opened to compute only; open it with graphics to draw.", device->info().name)};
    auto inside = std::make_unique<Inside>(std::move(device));
    if (Result<void> made = inside->make(options); !made) return Error{made.error()};
    return std::unique_ptr<Renderer>(new Renderer(std::move(inside)));
}

Result<uint32_t> Renderer::add_texture(const Picture& picture) { return inside_->ui_pass->add_texture(picture); }

Result<void> Renderer::replace_texture(uint32_t texture, const Picture& picture) {
    if (Result<void> done = inside_->frames->wait(); !done) return done;
    return inside_->ui_pass->replace_texture(texture, picture);
}

Result<void> Renderer::draw(const DrawList& list, const MeshLibrary& meshes, std::span<const UiDrawData* const> ui,
                            const GpuTarget& target) {
    if (target.empty()) return {};
    return inside_->draw(list, meshes, ui, target, nullptr);
}

Result<Picture> Renderer::render_picture(const DrawList& list, const MeshLibrary& meshes,
                                         std::span<const UiDrawData* const> ui, uint32_t width, uint32_t height) {
    Inside& in = *inside_;
    if (width == 0 || height == 0) return Picture{width, height, {}};
    const uint64_t bytes = uint64_t(width) * height * 4;
    if (!in.picture || in.picture.width() != width || in.picture.height() != height) {
        if (Result<void> done = in.frames->wait(); !done) return Error{done.error()};
        Result<GpuImage> image = GpuImage::create(
            in.device, {width, height, VK_FORMAT_R8G8B8A8_SRGB, 1, GpuImageUse::drawn | GpuImageUse::copied},
            "picture");
        if (!image) return Error{image.error()};
        Result<GpuBuffer> buffer = GpuBuffer::create(in.device, bytes, engine::GpuMemory::readback, "picture");
        if (!buffer) return Error{buffer.error()};
        in.picture = std::move(image.value());
        in.picture_bytes = std::move(buffer.value());
    }
    if (Result<void> r = in.draw(list, meshes, ui, engine::target_of(in.picture), &in.picture_bytes); !r)
        return Error{r.error()};
    if (Result<void> r = in.frames->wait(); !r) return Error{r.error()};
    in.update_times();
    if (Result<void> r = in.picture_bytes.invalidate(); !r) return Error{r.error()};
    Picture out{width, height, std::vector<uint8_t>(bytes)};
    std::memcpy(out.pixels.data(), in.picture_bytes.mapped(), bytes);
    return out;
}

Result<Pick> Renderer::pick(float x, float y) { return inside_->pick(x, y); }
const RendererOptions& Renderer::options() const { return inside_->options; }
const RendererTimes& Renderer::times() const { return inside_->times; }
Result<void> Renderer::wait() {
    Result<void> done = inside_->frames->wait();
    if (done) inside_->update_times();
    return done;
}

}  // namespace proxima::render
