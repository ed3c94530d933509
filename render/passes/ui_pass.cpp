// SPDX-License-Identifier: MIT
#include "render/passes/ui_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace proxima::render {

using engine::GpuImage;
using engine::GpuImageState;
using engine::GpuSlice;

Result<std::unique_ptr<UiPass>> UiPass::create(std::shared_ptr<engine::GpuDevice> device) {
    std::unique_ptr<UiPass> made(new UiPass);
    made->device_ = std::move(device);
    Result<engine::GpuSampler> sampler = engine::GpuSampler::create(made->device_, {}, "ui");
    if (!sampler) return Error{sampler.error()};
    made->sampler_ = std::move(sampler.value());
    if (Result<uint32_t> white = made->add_texture({1, 1, {255, 255, 255, 255}}); !white) return Error{white.error()};
    return made;
}

Result<uint32_t> UiPass::add_texture(const Picture& picture) {
    textures_.emplace_back();
    if (Result<void> made = replace_texture(uint32_t(textures_.size() - 1), picture); !made) {
        textures_.pop_back();
        return Error{made.error()};
    }
    return uint32_t(textures_.size() - 1);
}

Result<void> UiPass::replace_texture(uint32_t texture, const Picture& picture) {
    if (texture >= textures_.size())
        return Error{fmt::format("There is no texture {}: {} were added.", texture, textures_.size())};
    if (picture.pixels.size() != uint64_t(picture.width) * picture.height * 4)
        return Error{fmt::format("A texture of {} x {} pixels needs {} bytes and has {}.", picture.width,
                                 picture.height, uint64_t(picture.width) * picture.height * 4, picture.pixels.size())};
    Texture& t = textures_[texture];
    if (!t.image || t.image.width() != picture.width || t.image.height() != picture.height) {
        Result<GpuImage> image = GpuImage::create(device_,
                                                  {picture.width, picture.height, VK_FORMAT_R8G8B8A8_SRGB, 1,
                                                   engine::GpuImageUse::sampled | engine::GpuImageUse::copied},
                                                  fmt::format("texture {}", texture));
        if (!image) return Error{image.error()};
        t.image = std::move(image.value());
    }
    t.pixels = picture;
    t.copied = false;
    return {};
}

void UiPass::forget_copies() {
    for (Texture& t : textures_) t.copied = false;
}

Result<void> UiPass::check(const UiDrawData& ui) const {
    for (const UiCommand& c : ui.commands) {
        if (c.texture >= textures_.size())
            return Error{
                fmt::format("The user interface wants texture {} and there are {}.", c.texture, textures_.size())};
        if (uint64_t(c.first_index) + c.index_count > ui.indices.size())
            return Error{fmt::format("The user interface wants indices up to {} and has {}.",
                                     uint64_t(c.first_index) + c.index_count, ui.indices.size())};
        uint32_t largest = 0;
        for (uint32_t i = c.first_index; i < c.first_index + c.index_count; ++i)
            largest = std::max<uint32_t>(largest, ui.indices[i]);
        if (c.index_count > 0 && uint64_t(c.first_vertex) + largest >= ui.vertices.size())
            return Error{fmt::format("The user interface wants vertex {} and has {}.",
                                     uint64_t(c.first_vertex) + largest, ui.vertices.size())};
    }
    return {};
}

Result<void> UiPass::prepare(engine::GpuFrames& frames, const Layouts& layouts, std::span<const UiDrawData* const> ui) {
    slices_.clear();
    for (Texture& t : textures_) {
        t.set = VK_NULL_HANDLE;
        if (t.copied) continue;
        const Result<GpuSlice> slice = frames.upload(t.pixels.pixels.size());
        if (!slice) return Error{slice.error()};
        std::memcpy(slice->host, t.pixels.pixels.data(), t.pixels.pixels.size());
        frames.barrier(t.image, GpuImageState::sampled, GpuImageState::copied_to, true);
        frames.copy(slice.value(), t.image);
        frames.barrier(t.image, GpuImageState::copied_to, GpuImageState::sampled);
        t.copied = true;
    }
    for (const UiDrawData* data : ui) {
        slices_.emplace_back();
        if (data->indices.empty()) continue;
        if (Result<void> fine = check(*data); !fine) return fine;
        const uint64_t vertex_bytes = data->vertices.size() * sizeof(UiVertex);
        const uint64_t index_bytes = data->indices.size() * sizeof(uint16_t);
        const Result<GpuSlice> v = frames.upload(vertex_bytes);
        if (!v) return Error{v.error()};
        const Result<GpuSlice> i = frames.upload(index_bytes);
        if (!i) return Error{i.error()};
        std::memcpy(v->host, data->vertices.data(), vertex_bytes);
        std::memcpy(i->host, data->indices.data(), index_bytes);
        slices_.back() = {v.value(), i.value()};
        for (const UiCommand& c : data->commands) {
            Texture& t = textures_[c.texture];
            if (t.set) continue;
            engine::GpuSlotValue value;
            value.image = &t.image;
            value.sampler = &sampler_;
            const Result<VkDescriptorSet> set = frames.bindings(layouts.ui, std::span(&value, 1));
            if (!set) return Error{set.error()};
            t.set = set.value();
        }
    }
    return {};
}

void UiPass::record(engine::GpuFrames& frames, const ColourPipelines& pipelines, const Layouts& layouts,
                    std::span<const UiDrawData* const> ui, uint32_t width, uint32_t height) const {
    frames.bind(pipelines.ui);
    for (size_t k = 0; k < ui.size(); ++k) {
        const UiDrawData& data = *ui[k];
        if (data.indices.empty() || !(data.width > 0.0f) || !(data.height > 0.0f)) continue;
        frames.vertices(0, slices_[k].vertices.buffer, slices_[k].vertices.offset);
        frames.indices(slices_[k].indices.buffer, slices_[k].indices.offset, VK_INDEX_TYPE_UINT16);
        const float size[2] = {data.width, data.height};
        frames.push(layouts.ui, size, sizeof(size));
        const float sx = float(width) / data.width, sy = float(height) / data.height;
        uint32_t texture = ~0u;
        for (const UiCommand& c : data.commands) {
            const auto pixel = [](float x, uint32_t most) {
                return int32_t(std::clamp(std::round(x), 0.0f, float(most)));
            };
            const int32_t left = pixel(c.clip_min_x * sx, width), right = pixel(c.clip_max_x * sx, width);
            const int32_t top = pixel(c.clip_min_y * sy, height), bottom = pixel(c.clip_max_y * sy, height);
            if (left >= right || top >= bottom || c.index_count == 0) continue;
            if (c.texture != texture) {
                texture = c.texture;
                frames.bind(layouts.ui, textures_[texture].set);
            }
            frames.scissor(left, top, uint32_t(right - left), uint32_t(bottom - top));
            frames.draw_indexed(c.index_count, 1, c.first_index, int32_t(c.first_vertex), 0);
        }
    }
}

}  // namespace proxima::render
