// SPDX-License-Identifier: MIT
// The renderer over time: sizes, other libraries, repeats, failures, options.
#include <doctest/doctest.h>

#include "tests/gpu/gpu_test.h"
#include "tests/render/render_test.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// A bit of everything.
Stage full_stage() {
    Stage stage;
    stage.list.camera.eye = {3.0f, 3.0f, 6.0f};
    stage.list.environment.show_sky = stage.list.grid.shown = stage.list.sun.shadows = true;
    stage.list.grid.filled = true;
    for (int i = 0; i < 40; ++i)
        stage.add({float(i % 7) - 3.0f, 0.3f + 0.3f * float(i / 7), float(i % 5) - 2.0f}, Vec3(0.2f),
                  rgba(uint32_t(40 + 5 * i), 120, 90), i % 3 ? uint32_t(kChecker) : uint32_t(kSelected));
    stage.add_glass({0, 1, 1}, Vec3(0.5f), rgba(90, 160, 220, 100), 0);
    stage.list.lines.push_back({{-2, 0, 0}, {2, 2, 0}, rgba(255, 255, 0), 2.0f});
    return stage;
}

}  // namespace

TEST_CASE("the same list gives the same picture, bit for bit") {
    RenderRig rig;
    if (!rig) return;
    const Stage stage = full_stage();
    const Picture first = stage.draw(*rig, 160, 90);
    CHECK(stage.draw(*rig, 160, 90).pixels == first.pixels);
    Stage().draw(*rig, 50, 50);  // something else in between
    CHECK(stage.draw(*rig, 160, 90).pixels == first.pixels);
}

TEST_CASE("staging copies give the same picture, and everything is taken down") {
    RenderRig shared;
    if (!shared) return;
    const Stage stage = full_stage();
    const Picture expected = stage.draw(*shared, 160, 90);
    GpuRig rig(draw_options(true));
    REQUIRE(rig);
    CHECK(rig.device->stages());
    auto renderer = Renderer::create(rig.device, shared->options());
    REQUIRE_MESSAGE(renderer.ok(), renderer.error());
    for (int i = 0; i < 3; ++i) CHECK(stage.draw(*renderer.value(), 160, 90).pixels == expected.pixels);
    CHECK(renderer.value()->pick(80, 45).ok());
}

TEST_CASE("several samples per pixel smooth edges and leave areas alone") {
    RenderRig shared;
    if (!shared) return;
    Stage stage;
    Instance& bar = stage.add({0, 0, 0}, {1.0f, 0.5f, 0.01f}, rgba(255, 255, 255));
    bar.rotation = glm::angleAxis(0.3f, Vec3(0, 0, 1));
    const auto between = [](const Picture& picture) {
        int count = 0;
        for (uint32_t y = 0; y < picture.height; ++y)
            for (uint32_t x = 0; x < picture.width; ++x) {
                const int r = pixel(picture, x, y).r;
                count += r > 80 && r < 240;
            }
        return count;
    };
    CHECK(between(stage.draw(*shared)) == 0);
    GpuRig rig(draw_options());
    REQUIRE(rig);
    RendererOptions options;
    options.msaa = 4;
    options.shadow_size = 128;
    auto renderer = Renderer::create(rig.device, options);
    REQUIRE_MESSAGE(renderer.ok(), renderer.error());
    CHECK(renderer.value()->options().msaa == 4);
    const Picture smooth = stage.draw(*renderer.value());
    CHECK(between(smooth) > 30);
    CHECK(near_to(pixel(smooth, 40, 40), 255, 255, 255));
    full_stage().draw(*renderer.value(), 64, 48);
}

TEST_CASE("pictures of every size, none at all, and back") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.add({0, 0, 0}, Vec3(0.5f), rgba(200, 30, 10), kFlat | kSelected);
    const Picture before = stage.draw(*rig, 64, 48);
    const Result<Picture> none = rig->render_picture(stage.list, stage.meshes, 0, 0);
    REQUIRE(none.ok());
    CHECK(none->pixels.empty());
    CHECK(rig->draw(stage.list, stage.meshes, nullptr, engine::GpuTarget{}).ok());
    for (const auto& [w, h] : {std::pair{1u, 1u}, {3u, 200u}, {333u, 7u}})
        CHECK(near_to(pixel(stage.draw(*rig, w, h), w / 2, h / 2), 200, 30, 10));
    CHECK(stage.draw(*rig, 64, 48).pixels == before.pixels);
    const Result<Picture> giant = rig->render_picture(stage.list, stage.meshes, 1u << 20, 8);
    REQUIRE_FALSE(giant.ok());
    CHECK(giant.error().find("pixels") != std::string::npos);
    CHECK(stage.draw(*rig, 64, 48).pixels == before.pixels);
}

TEST_CASE("a library grows, and another one is told apart") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.add({0, 0, 0}, Vec3(0.5f), rgba(255, 0, 0));
    stage.draw(*rig);
    Mesh flat = box_mesh();
    for (MeshVertex& v : flat.vertices) v.position.y *= 0.1f;
    stage.list.opaque_batches[0].mesh = stage.meshes.add(flat);
    CHECK(pixel(stage.draw(*rig), 40, 33).r < 100);
    CHECK(pixel(stage.draw(*rig), 40, 40).r == 255);
    Stage other;
    MeshLibrary swapped;
    swapped.add(flat);
    other.meshes = std::move(swapped);
    other.add({0, 0, 0}, Vec3(0.5f), rgba(0, 255, 0));
    CHECK(pixel(other.draw(*rig), 40, 33).g < 100);
    CHECK(pixel(other.draw(*rig), 40, 40).g == 255);
    // Meshes without triangles are nothing to draw.
    other.list.opaque_batches[0].mesh = other.meshes.add(Mesh{});
    CHECK(pixel(other.draw(*rig), 40, 40).g < 100);
}

TEST_CASE("lists that do not fit are refused with a sentence, and the next picture is whole") {
    RenderRig rig;
    if (!rig) return;
    Stage good;
    good.add({0, 0, 0}, Vec3(0.5f), rgba(255, 0, 0));
    const auto refused = [&](const Stage& stage, const char* words) {
        const Result<Picture> made = rig->render_picture(stage.list, stage.meshes, 80, 80);
        REQUIRE_FALSE(made.ok());
        CHECK_MESSAGE(made.error().find(words) != std::string::npos, made.error());
        CHECK_FALSE(rig->pick(40, 40).ok());
        CHECK(near_to(pixel(good.draw(*rig), 40, 40), 255, 0, 0));
    };
    Stage bad;
    bad.add({0, 0, 0}, Vec3(0.5f), rgba(255, 0, 0));
    bad.list.opaque_batches[0].mesh = 5;
    refused(bad, "mesh 5");
    bad.list.opaque_batches[0] = {bad.box, 0, 2};
    refused(bad, "goes from 0 to 2");
    bad.list.opaque_batches[0] = {bad.box, 0, 1};
    bad.list.dynamic.emplace_back().positions.resize(3);
    refused(bad, "3 positions and 0 normals");
    bad.list.dynamic[0].normals.resize(3);
    bad.list.dynamic[0].indices = {0, 1, 3};
    refused(bad, "index 3");
    bad.list.dynamic.clear();
    bad.list.camera.eye.x = NAN;
    refused(bad, "camera");
    bad.list.camera = {};
    Mesh broken = box_mesh();
    broken.indices[4] = 99;
    bad.meshes.add(broken);
    refused(bad, "an index is 99");
}

TEST_CASE("bodies whose positions are not numbers do not disturb the others") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.list.sun.shadows = true;
    stage.add({0, 0, 0}, Vec3(0.5f), rgba(255, 0, 0));
    stage.add({NAN, INFINITY, 0}, Vec3(0.5f), rgba(0, 255, 0));
    stage.add_glass({NAN, 0, 0}, Vec3(0.5f), rgba(0, 255, 0, 90));
    CHECK(near_to(pixel(stage.draw(*rig), 40, 40), 255, 0, 0));
}

TEST_CASE("frames of any number of instances follow each other while the device still draws") {
    RenderRig rig;
    if (!rig) return;
    using engine::GpuImageUse;
    const auto image = engine::GpuImage::create(
        rig.device(), {64, 64, VK_FORMAT_R8G8B8A8_SRGB, 1, GpuImageUse::drawn | GpuImageUse::copied}, "target");
    REQUIRE(image.ok());
    const engine::GpuTarget target = engine::target_of(image.value());
    for (int frame = 0; frame < 8; ++frame) {
        Stage stage;
        for (int i = 0; i < 200 * (frame % 3); ++i)
            stage.add({0.01f * float(i), 0.0f, 0.0f}, Vec3(0.2f), rgba(255, 0, 0));
        REQUIRE(rig->draw(stage.list, stage.meshes, nullptr, target).ok());
    }
    REQUIRE(rig->wait().ok());
}

TEST_CASE("only a device that draws makes a renderer; what it cannot do is settled") {
    GpuRig rig;
    if (!rig) return;
    const auto refused = Renderer::create(rig.device);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().find("to compute only") != std::string::npos);
    GpuRig drawing(draw_options());
    RendererOptions options;
    options.msaa = 1000;
    options.shadow_size = 1;
    options.shadow_taps = 7;
    const auto made = Renderer::create(drawing.device, options);
    REQUIRE_MESSAGE(made.ok(), made.error());
    CHECK(made.value()->options().msaa <= 8);
    CHECK(made.value()->options().shadow_size == 64);
    CHECK(made.value()->options().shadow_taps == 9);
    CHECK_FALSE(made.value()->pick(0, 0).ok());  // nothing was drawn
}

TEST_CASE("a lost device ends in sentences") {
    GpuRig rig(draw_options());
    if (!rig) return;
    auto made = Renderer::create(rig.device, {1, 64, 4});
    REQUIRE(made.ok());
    Stage stage;
    stage.add({0, 0, 0}, Vec3(0.5f), rgba(255, 0, 0));
    stage.draw(*made.value());
    rig.device->api_for_tests().vkQueueSubmit2 = [](VkQueue, uint32_t, const VkSubmitInfo2*, VkFence) {
        return VK_ERROR_DEVICE_LOST;
    };
    for (int i = 0; i < 3; ++i) {
        const Result<Picture> none = made.value()->render_picture(stage.list, stage.meshes, 80, 80);
        REQUIRE_FALSE(none.ok());
        CHECK(none.error().find("the device was lost") != std::string::npos);
    }
}
