// SPDX-License-Identifier: MIT
// A renderer for tests, meshes of a few triangles, and questions to pictures. Any message of the validation
// layers fails the test that was running.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "render/renderer.h"

namespace proxima::test {

using namespace proxima::render;

inline engine::GpuDeviceOptions draw_options(bool staging = false) {
    engine::GpuDeviceOptions options;
    options.graphics = true;
    options.force_staging = staging;
    options.requirements.storage_bytes = 1 << 20;
    return options;
}

/// One device and one renderer for all tests of the program, because compiling its pipelines takes longer
/// than all pictures. Lives until the program ends; tests of their own see that everything is taken down.
class RenderRig {
  public:
    RenderRig() : shared_(shared()), seen_(shared_.instance ? shared_.instance->messages().size() : 0) {
        if (!shared_.renderer) std::printf("skipped: no Vulkan device (%s)\n", shared_.why.c_str());
    }
    ~RenderRig() {
        if (!shared_.instance) return;
        const auto messages = shared_.instance->messages();
        for (size_t i = seen_; i < messages.size(); ++i) FAIL_CHECK(messages[i]);
    }
    RenderRig(const RenderRig&) = delete;
    RenderRig& operator=(const RenderRig&) = delete;

    explicit operator bool() const { return shared_.renderer != nullptr; }
    Renderer& operator*() const { return *shared_.renderer; }
    Renderer* operator->() const { return shared_.renderer.get(); }
    const std::shared_ptr<engine::GpuDevice>& device() const { return shared_.device; }

  private:
    struct Shared {
        std::shared_ptr<engine::GpuInstance> instance;
        std::shared_ptr<engine::GpuDevice> device;
        std::unique_ptr<Renderer> renderer;
        std::string why;
    };
    static Shared& shared() {
        static Shared& made = *new Shared;
        if (made.renderer || !made.why.empty()) return made;
        auto instance = engine::GpuInstance::create({{}, true});
        if (!instance || instance.value()->devices().empty()) {
            made.why = instance ? "the list is empty" : instance.error();
            return made;
        }
        made.instance = instance.value();
        auto device = engine::GpuDevice::open(made.instance, "gpu", draw_options());
        REQUIRE_MESSAGE(device.ok(), device.error());
        made.device = device.value();
        RendererOptions options;
        options.msaa = 1;
        options.shadow_size = 512;
        options.shadow_taps = 4;
        auto renderer = Renderer::create(made.device, options);
        REQUIRE_MESSAGE(renderer.ok(), renderer.error());
        made.renderer = std::move(renderer.value());
        return made;
    }
    Shared& shared_;
    size_t seen_;
};

/// A box with half extents 1, flat faces.
inline Mesh box_mesh() {
    Mesh mesh;
    for (int axis = 0; axis < 3; ++axis)
        for (const float side : {-1.0f, 1.0f}) {
            Vec3 n(0.0f), u(0.0f), v(0.0f);
            n[axis] = side;
            u[(axis + 1) % 3] = side;
            v[(axis + 2) % 3] = 1.0f;
            const uint32_t first = uint32_t(mesh.vertices.size());
            for (const Vec3& corner : {n - u - v, n + u - v, n + u + v, n - u + v})
                mesh.vertices.push_back({corner, n});
            for (const uint32_t i : {0u, 1u, 2u, 0u, 2u, 3u}) mesh.indices.push_back(first + i);
        }
    return mesh;
}

/// A list without sky, grid and shadows, seen along -z from 5 m: the place (0, 0, 0) is the middle, and at
/// z = 0 the picture is 4 m high.
struct Stage {
    Stage() : box(meshes.add(box_mesh())) {
        list.camera.eye = {0.0f, 0.0f, 5.0f};
        list.camera.target = {0.0f, 0.0f, 0.0f};
        list.camera.field_of_view = 2.0f * std::atan(0.4f);
        list.grid.shown = false;
        list.environment.show_sky = false;
        list.sun.shadows = false;
    }
    Instance& add(const Vec3& position, const Vec3& half, Colour colour, uint32_t flags = kFlat) {
        Instance instance;
        instance.position = position;
        instance.scale = half;
        instance.colour = colour;
        instance.flags = flags;
        list.opaque.push_back(instance);
        list.opaque_batches.assign(1, {box, 0, uint32_t(list.opaque.size())});
        return list.opaque.back();
    }
    Instance& add_glass(const Vec3& position, const Vec3& half, Colour colour, uint32_t flags = kFlat) {
        Instance instance;
        instance.position = position;
        instance.scale = half;
        instance.colour = colour;
        instance.flags = flags;
        list.transparent.push_back(instance);
        list.transparent_batches.assign(1, {box, 0, uint32_t(list.transparent.size())});
        return list.transparent.back();
    }
    Picture draw(Renderer& renderer, uint32_t width = 80, uint32_t height = 80, const UiDrawData* ui = nullptr) const {
        Result<Picture> made = renderer.render_picture(list, meshes, ui, width, height);
        REQUIRE_MESSAGE(made.ok(), made.error());
        REQUIRE(made->pixels.size() == size_t(width) * height * 4);
        return std::move(made.value());
    }

    MeshLibrary meshes;
    DrawList list;
    MeshId box;
};

struct Pixel {
    int r, g, b, a;
    int sum() const { return r + g + b; }
    bool operator==(const Pixel&) const = default;
};

inline Pixel pixel(const Picture& picture, uint32_t x, uint32_t y) {
    const uint8_t* p = &picture.pixels[(size_t(y) * picture.width + x) * 4];
    return {p[0], p[1], p[2], p[3]};
}

inline bool near_to(const Pixel& p, int r, int g, int b, int by = 2) {
    return std::abs(p.r - r) <= by && std::abs(p.g - g) <= by && std::abs(p.b - b) <= by;
}

/// For messages.
inline std::string text_of(const Pixel& p) {
    return std::to_string(p.r) + " " + std::to_string(p.g) + " " + std::to_string(p.b);
}

}  // namespace proxima::test
