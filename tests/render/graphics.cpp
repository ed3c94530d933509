// SPDX-License-Identifier: MIT
// Images, pipelines and frames of engine/gpu, without the renderer.
#include <doctest/doctest.h>

#include <cstring>
#include <span>
#include <vector>

#include "engine/gpu/gpu_commands.h"
#include "engine/gpu/gpu_frames.h"
#include "tests/gpu/gpu_test.h"

namespace proxima::shaders {
std::span<const uint32_t> triangle_vert();
std::span<const uint32_t> triangle_frag();
}  // namespace proxima::shaders

using namespace proxima;
using namespace proxima::engine;
using proxima::test::GpuRig;

namespace {

constexpr uint32_t kSide = 32;

struct Corner {
    float x, y;
    uint32_t colour;
};

GpuDeviceOptions graphics(bool staging = false) {
    GpuDeviceOptions options;
    options.graphics = true;
    options.force_staging = staging;
    return options;
}

/// A target of 32 x 32 pixels, and triangles into it.
struct Canvas {
    Canvas(const std::shared_ptr<GpuDevice>& d, uint32_t samples, GpuBlend blend) : device(d) {
        frames = std::move(GpuFrames::create(device, 2, "test").value());
        const GpuSlot slots[] = {GpuSlot::uniforms};
        layout = GpuDrawLayout::create(device, slots, 4, "test").value();
        const GpuImageUse use = GpuImageUse::drawn | GpuImageUse::copied;
        target = GpuImage::create(device, {kSide, kSide, VK_FORMAT_R8G8B8A8_UNORM, 1, use}, "target").value();
        const GpuImageOptions many{kSide, kSide, VK_FORMAT_R8G8B8A8_UNORM, samples, GpuImageUse::drawn};
        if (samples > 1) multi = GpuImage::create(device, many, "samples").value();
        depth = GpuImage::create(device, {kSide, kSide, VK_FORMAT_D32_SFLOAT, samples, GpuImageUse::drawn}, "depth")
                    .value();
        const GpuVertexStream streams[] = {{sizeof(Corner), false}};
        const GpuVertexField fields[] = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0}, {1, 0, VK_FORMAT_R8G8B8A8_UNORM, 8}};
        GpuGraphicsOptions options;
        options.vertex = shaders::triangle_vert();
        options.fragment = shaders::triangle_frag();
        options.streams = streams;
        options.fields = fields;
        options.colour = VK_FORMAT_R8G8B8A8_UNORM;
        options.depth = VK_FORMAT_D32_SFLOAT;
        options.samples = samples;
        options.blend = blend;
        options.depth_write = true;
        options.depth_compare = VK_COMPARE_OP_LESS;
        pipeline = GpuGraphicsPipeline::create(device, layout, options, "triangle").value();
        const uint32_t grey[] = {1};
        options.constants = grey;
        grey_pipeline = GpuGraphicsPipeline::create(device, layout, options, "grey").value();
        bytes = GpuBuffer::create(device, kSide * kSide * 4, GpuMemory::readback, "bytes").value();
    }
    void begin() {
        REQUIRE(frames->begin().ok());
        frames->barrier(target, GpuImageState::copied_from, GpuImageState::drawn, true);
        frames->barrier(depth, GpuImageState::depth, GpuImageState::depth, true);
        if (multi) frames->barrier(multi, GpuImageState::drawn, GpuImageState::drawn, true);
        GpuPass pass;
        pass.width = pass.height = kSide;
        pass.colour = multi ? multi.view() : target.view();
        pass.resolve = multi ? target.view() : VK_NULL_HANDLE;
        pass.clear_colour = pass.clear_depth = true;
        pass.colour_value = {{0.0f, 0.0f, 0.0f, 1.0f}};
        pass.depth = depth.view();
        pass.depth_value = 1.0f;
        frames->timestamp();
        frames->begin_pass(pass);
    }
    /// The right half of the picture when dx is 0.
    void half(uint32_t colour, float at, float dx, bool grey = false) {
        const Corner corners[] = {{0, -1, colour}, {0, 1, colour}, {2, -1, colour},
                                  {2, -1, colour}, {0, 1, colour}, {2, 1, colour}};
        const float move[4] = {dx, 0, 0, 0};
        const GpuSlice v = frames->upload(sizeof(corners)).value();
        std::memcpy(v.host, corners, sizeof(corners));
        GpuSlotValue value;
        value.uniforms = frames->upload(16, device->limits().minUniformBufferOffsetAlignment).value();
        std::memcpy(value.uniforms.host, move, sizeof(move));
        frames->bind(grey ? grey_pipeline : pipeline);
        frames->bind(layout, frames->bindings(layout, std::span(&value, 1)).value());
        frames->push(layout, &at, 4);
        frames->vertices(0, v.buffer, v.offset);
        frames->draw(6, 1);
    }
    std::vector<uint32_t> end() {
        frames->end_pass();
        frames->timestamp();
        frames->barrier(target, GpuImageState::drawn, GpuImageState::copied_from);
        frames->copy(target.handle(), false, 0, 0, kSide, kSide, bytes);
        REQUIRE(frames->submit().ok());
        REQUIRE(frames->wait().ok());
        REQUIRE(bytes.invalidate().ok());
        std::vector<uint32_t> out(kSide * kSide);
        std::memcpy(out.data(), bytes.mapped(), out.size() * 4);
        return out;
    }

    std::shared_ptr<GpuDevice> device;
    GpuDrawLayout layout;
    GpuImage target, multi, depth;
    GpuGraphicsPipeline pipeline, grey_pipeline;
    GpuBuffer bytes;
    std::unique_ptr<GpuFrames> frames;
};

constexpr uint32_t kRed = 0xff0000ff, kGreen = 0xff00ff00, kBlack = 0xff000000;

uint32_t at(const std::vector<uint32_t>& picture, uint32_t x, uint32_t y) { return picture[y * kSide + x]; }

}  // namespace

TEST_CASE("triangles cover the pixels they should, the nearer one on top") {
    for (const bool staging : {false, true}) {
        GpuRig rig(graphics(staging));
        if (!rig) return;
        Canvas canvas(rig.device, 1, GpuBlend::none);
        canvas.begin();
        canvas.half(kRed, 0.3f, 0.0f);
        canvas.half(kGreen, 0.6f, -0.5f);  // behind, from a quarter on
        canvas.half(kRed, 0.9f, 0.9375f, true);
        const std::vector<uint32_t> picture = canvas.end();
        for (uint32_t y = 0; y < kSide; ++y) {
            CHECK(at(picture, 7, y) == kBlack);
            CHECK(at(picture, 8, y) == kGreen);
            CHECK(at(picture, 15, y) == kGreen);
            CHECK(at(picture, 16, y) == kRed);
            CHECK(at(picture, 31, y) == kRed);  // the grey one is behind all
        }
        if (rig.device->tick_seconds() > 0.0) CHECK(canvas.frames->seconds_between(0, 1) > 0.0);
    }
}

TEST_CASE("a specialisation constant reaches a fragment shader") {
    GpuRig rig(graphics());
    if (!rig) return;
    Canvas canvas(rig.device, 1, GpuBlend::none);
    canvas.begin();
    canvas.half(kRed, 0.3f, 0.0f, true);
    CHECK((at(canvas.end(), 20, 20) & 0xffffff) == 0x808080);
}

TEST_CASE("several samples per pixel give half a pixel half of the colour") {
    GpuRig rig(graphics());
    if (!rig) return;
    Canvas canvas(rig.device, 4, GpuBlend::none);
    canvas.begin();
    canvas.half(kRed, 0.3f, 1.0f / kSide);  // starts in the middle of pixel 16
    const std::vector<uint32_t> picture = canvas.end();
    CHECK(at(picture, 15, 9) == kBlack);
    const uint32_t edge = at(picture, 16, 9) & 255;
    CHECK(edge > 100);
    CHECK(edge < 160);
    CHECK(at(picture, 17, 9) == kRed);
}

TEST_CASE("blending mixes what is in front with what is behind") {
    GpuRig rig(graphics());
    if (!rig) return;
    Canvas canvas(rig.device, 1, GpuBlend::alpha);
    canvas.begin();
    canvas.half(kRed, 0.6f, 0.0f);
    canvas.half(0x8000ff00, 0.3f, 0.0f);
    const uint32_t mixed = at(canvas.end(), 20, 5);
    CHECK(int(mixed & 255) == doctest::Approx(127).epsilon(0.02));
    CHECK(int(mixed >> 8 & 255) == doctest::Approx(128).epsilon(0.02));
}

TEST_CASE("frames in flight keep their own data, however much there is") {
    GpuRig rig(graphics());
    if (!rig) return;
    Canvas canvas(rig.device, 1, GpuBlend::none);
    std::vector<GpuBuffer> results;
    for (int i = 0; i < 5; ++i)
        results.push_back(GpuBuffer::create(rig.device, 4, GpuMemory::readback, "pixel").value());
    for (uint32_t i = 0; i < 5; ++i) {
        canvas.begin();
        for (int k = 0; k < 100; ++k) canvas.half(0xff000000 | (i * 50 + 5), 0.5f - float(k) * 1e-3f, 0.0f);
        REQUIRE(canvas.frames->upload(3 << 20).ok());  // a chunk of its own
        canvas.frames->end_pass();
        canvas.frames->barrier(canvas.target, GpuImageState::drawn, GpuImageState::copied_from);
        canvas.frames->copy(canvas.target.handle(), false, 20, 20, 1, 1, results[i]);
        REQUIRE(canvas.frames->submit().ok());
    }
    REQUIRE(canvas.frames->wait().ok());
    for (uint32_t i = 0; i < 5; ++i) {
        REQUIRE(results[i].invalidate().ok());
        uint32_t pixel = 0;
        std::memcpy(&pixel, results[i].mapped(), 4);
        CHECK((pixel & 255) == i * 50 + 5);
    }
}

TEST_CASE("images that cannot be made are refused with a sentence") {
    GpuRig rig(graphics());
    if (!rig) return;
    const Result<GpuImage> none = GpuImage::create(rig.device, {0, 5}, "empty");
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().find("'empty' of 0 x 5 pixels") != std::string::npos);
    CHECK_FALSE(GpuImage::create(rig.device, {1u << 30, 5}, "wide").ok());
    DeviceApi& api = rig.device->api_for_tests();
    api.vkAllocateMemory = [](VkDevice, const VkMemoryAllocateInfo*, const VkAllocationCallbacks*, VkDeviceMemory*) {
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    };
    const Result<GpuImage> full = GpuImage::create(rig.device, {16, 16}, "full");
    REQUIRE_FALSE(full.ok());
    CHECK(full.error().find("the device is out of memory") != std::string::npos);
}

TEST_CASE("a device that is lost while a picture is drawn says so, and stays lost") {
    GpuRig rig(graphics());
    if (!rig) return;
    Canvas canvas(rig.device, 1, GpuBlend::none);
    canvas.begin();
    canvas.frames->end_pass();
    DeviceApi& api = rig.device->api_for_tests();
    api.vkQueueSubmit2 = [](VkQueue, uint32_t, const VkSubmitInfo2*, VkFence) { return VK_ERROR_DEVICE_LOST; };
    const Result<void> sent = canvas.frames->submit();
    REQUIRE_FALSE(sent.ok());
    CHECK(sent.error().find("the device was lost") != std::string::npos);
    CHECK(rig.device->lost());
    CHECK_FALSE(canvas.frames->begin().ok());
}

TEST_CASE("a device that was opened to draw still computes") {
    GpuRig rig(graphics());
    if (!rig) return;
    CHECK(rig.device->draws());
    CHECK(rig.device->info().draws);
    auto commands = std::move(GpuCommands::create(rig.device, "test").value());
    const GpuBuffer buffer = GpuBuffer::create(rig.device, 64, GpuMemory::device, "words").value();
    std::vector<uint32_t> words(16);
    REQUIRE(commands->begin().ok());
    commands->fill(buffer, 0, 64, 7);
    commands->barrier(GpuAccess::copies, GpuAccess::copies);
    REQUIRE(commands->download(buffer, std::span<uint32_t>(words)).ok());
    REQUIRE(commands->finish().ok());
    CHECK(words[15] == 7);
}
