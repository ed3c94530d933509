// SPDX-License-Identifier: MIT
// Known scenes, and what their pictures must show.
#include <doctest/doctest.h>

#include <utility>

#include "tests/render/render_test.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("a red box in the middle covers the middle and nothing else, in exactly its colour") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.add({0.0f, 0.0f, 0.0f}, {0.5f, 0.5f, 0.01f}, rgba(200, 30, 10));
    const Picture picture = stage.draw(*rig);
    // Half a metre is 10 of 80 pixels; the front face is 1 cm nearer.
    for (const auto& [x, y] : {std::pair{40u, 40u}, {31u, 40u}, {48u, 48u}})
        CHECK_MESSAGE(near_to(pixel(picture, x, y), 200, 30, 10, 1), text_of(pixel(picture, x, y)));
    for (const auto& [x, y] : {std::pair{28u, 40u}, {40u, 51u}, {2u, 2u}, {77u, 77u}}) {
        CHECK(pixel(picture, x, y).r < 80);
        CHECK(pixel(picture, x, y).a == 255);
    }
}

TEST_CASE("up is up, right is right, and the nearer box is in front in any order") {
    RenderRig rig;
    if (!rig) return;
    for (const bool swapped : {false, true}) {
        Stage stage;
        stage.add({1.0f, 0.0f, 0.0f}, Vec3(0.3f), rgba(255, 0, 0));
        stage.add({0.0f, 1.0f, 0.0f}, Vec3(0.3f), rgba(0, 255, 0));
        stage.add({0.0f, 0.0f, swapped ? 1.0f : -1.0f}, Vec3(0.4f), rgba(0, 0, 255));
        stage.add({0.0f, 0.0f, swapped ? -1.0f : 1.0f}, Vec3(0.4f), rgba(255, 255, 0));
        const Picture picture = stage.draw(*rig);
        CHECK(near_to(pixel(picture, 60, 40), 255, 0, 0));
        CHECK(near_to(pixel(picture, 40, 20), 0, 255, 0));
        CHECK(near_to(pixel(picture, 40, 40), swapped ? 0 : 255, swapped ? 0 : 255, swapped ? 255 : 0));
    }
}

TEST_CASE("instances turn and stretch") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    Instance& bar = stage.add({0.0f, 0.0f, 0.0f}, {1.0f, 0.1f, 0.1f}, rgba(255, 255, 255));
    Picture picture = stage.draw(*rig);
    CHECK(pixel(picture, 55, 40).r == 255);
    CHECK(pixel(picture, 40, 55).r < 100);
    bar.rotation = glm::angleAxis(0.5f * kPi, Vec3(0.0f, 0.0f, 1.0f));
    picture = stage.draw(*rig);
    CHECK(pixel(picture, 55, 40).r < 100);
    CHECK(pixel(picture, 40, 55).r == 255);
}

TEST_CASE("the side of a box that faces the sun is brighter, and metal takes its colour from what it mirrors") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.list.camera.eye = {3.0f, 3.0f, 3.0f};
    stage.list.sun.direction = {0.0f, -1.0f, 0.0f};
    Instance& box = stage.add({0.0f, 0.0f, 0.0f}, Vec3(0.8f), rgba(160, 160, 160), 0);
    Picture picture = stage.draw(*rig);
    const Pixel top = pixel(picture, 40, 28), side = pixel(picture, 30, 48);
    CHECK(top.sum() > side.sum() + 60);
    box.metalness = 1.0f;
    box.roughness = 0.2f;
    picture = stage.draw(*rig);
    CHECK_FALSE(pixel(picture, 30, 48) == side);
    // Exposure makes everything brighter, and nothing overflows.
    stage.list.exposure = 8.0f;
    CHECK(pixel(stage.draw(*rig), 30, 48).sum() > pixel(picture, 30, 48).sum());
    stage.list.exposure = 1000.0f;
    CHECK(pixel(stage.draw(*rig), 40, 28).sum() > 740);
}

namespace {

/// Looks down from 10 m on a ground of 8 m, with a box above it that throws a shadow to the right.
Stage shadow_stage() {
    Stage stage;
    stage.list.camera.eye = {0.0f, 10.0f, 0.0f};
    stage.list.camera.target = {0.0f, 0.0f, 0.0f};
    stage.list.camera.up = {0.0f, 0.0f, -1.0f};
    stage.list.sun.direction = {1.0f, -1.0f, 0.0f};
    stage.list.sun.shadows = true;
    stage.add({0.0f, -0.5f, 0.0f}, {4.0f, 0.5f, 4.0f}, rgba(180, 180, 180), 0);
    stage.add({-1.0f, 2.0f, 0.0f}, Vec3(0.5f), rgba(180, 180, 180), 0);  // shadow about x = 1
    return stage;
}

// 4 m are 40 of 80 pixels.
constexpr uint32_t kShadowX = 50, kLitX = 25;

}  // namespace

TEST_CASE("a shadow is darker than the ground in the sun, and lies where the light goes") {
    RenderRig rig;
    if (!rig) return;
    Stage stage = shadow_stage();
    Picture picture = stage.draw(*rig);
    const Pixel lit = pixel(picture, kLitX, 40), dark = pixel(picture, kShadowX, 40);
    CHECK(dark.sum() < lit.sum() * 3 / 4);
    CHECK(dark.sum() > 60);  // the sky still lights it
    for (const uint32_t y : {25u, 55u}) CHECK(near_to(pixel(picture, kShadowX, y), lit.r, lit.g, lit.b, 6));
    // Its width is that of the box: 1 m are 10 pixels.
    int width = 0;
    for (uint32_t y = 0; y < 80; ++y) width += pixel(picture, kShadowX, y).sum() < (lit.sum() + dark.sum()) / 2;
    CHECK(width >= 9);
    CHECK(width <= 11);

    stage.list.sun.shadows = false;
    picture = stage.draw(*rig);
    CHECK(near_to(pixel(picture, kShadowX, 40), lit.r, lit.g, lit.b, 6));
    stage.list.sun.shadows = true;
    stage.list.opaque[1].flags = kNoShadow;
    picture = stage.draw(*rig);
    CHECK(near_to(pixel(picture, kShadowX, 40), lit.r, lit.g, lit.b, 6));
}

TEST_CASE("surfaces in the sun are not shadowed by themselves") {
    RenderRig rig;
    if (!rig) return;
    for (const Vec3& direction : {Vec3(0.1f, -1.0f, 0.05f), Vec3(1.0f, -1.0f, 0.3f), Vec3(1.0f, -0.25f, 0.4f)}) {
        Stage stage = shadow_stage();
        stage.list.sun.direction = direction;
        stage.list.opaque[1].position = {30.0f, 100.0f, 0.0f};  // far away; the map covers much
        const Picture with = stage.draw(*rig);
        stage.list.sun.shadows = false;
        const Picture without = stage.draw(*rig);
        int worst = 0;
        for (uint32_t y = 10; y < 70; ++y)
            for (uint32_t x = 10; x < 70; ++x)
                worst = std::max(worst, std::abs(pixel(with, x, y).sum() - pixel(without, x, y).sum()));
        CHECK(worst <= 6);
    }
}

TEST_CASE("a body that is not in the picture still throws its shadow into it") {
    RenderRig rig;
    if (!rig) return;
    Stage stage = shadow_stage();
    const Pixel lit = pixel(stage.draw(*rig), kLitX, 40);
    stage.list.opaque[1].position = {-11.0f, 12.0f, 0.0f};  // above the camera
    CHECK(pixel(stage.draw(*rig), kShadowX, 40).sum() < lit.sum() * 3 / 4);
}

TEST_CASE("glass mixes with what is behind it, the farthest first") {
    RenderRig rig;
    if (!rig) return;
    Pixel first{};
    for (const bool swapped : {false, true}) {
        Stage stage;
        stage.add({0.0f, 0.0f, -1.0f}, {3.0f, 3.0f, 0.1f}, rgba(0, 0, 255));
        const auto red = [&] { stage.add_glass({0, 0, 0.5f}, {0.5f, 0.5f, 0.1f}, rgba(255, 0, 0, 128)); };
        const auto green = [&] { stage.add_glass({0, 0, 1.5f}, {0.2f, 0.2f, 0.1f}, rgba(0, 255, 0, 128)); };
        if (swapped) green();
        red();
        if (!swapped) green();
        const Picture picture = stage.draw(*rig);
        // Half of the light of each: linear 0.5 is 188 on a screen, 0.25 is 137.
        CHECK_MESSAGE(near_to(pixel(picture, 46, 46), 188, 0, 188, 4), text_of(pixel(picture, 46, 46)));
        CHECK_MESSAGE(near_to(pixel(picture, 40, 40), 137, 188, 137, 4), text_of(pixel(picture, 40, 40)));
        CHECK(near_to(pixel(picture, 60, 60), 0, 0, 255));
        if (!swapped) first = pixel(picture, 40, 40);
        CHECK(pixel(picture, 40, 40) == first);
    }
}

TEST_CASE("glass behind a body is not seen") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.add({0, 0, 0}, Vec3(0.5f), rgba(10, 200, 10));
    stage.add_glass({0, 0, -2.0f}, Vec3(0.5f), rgba(255, 0, 0, 200));
    CHECK(near_to(pixel(stage.draw(*rig), 40, 40), 10, 200, 10));
}

TEST_CASE("heat has colours of its own, and the pattern has two shades") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    Instance& box = stage.add({0, 0, 0}, Vec3(1.0f), rgba(200, 200, 200), kFlat | kChecker);
    Picture picture = stage.draw(*rig);
    // The four quarters of the front face.
    const Pixel a = pixel(picture, 33, 33), b = pixel(picture, 47, 33);
    CHECK(std::abs(a.sum() - b.sum()) > 100);
    CHECK(pixel(picture, 47, 47) == a);
    CHECK(pixel(picture, 33, 47) == b);
    box.flags = kFlat;
    box.heat = 0.0f;
    const Pixel cold = pixel(stage.draw(*rig), 40, 40);
    box.heat = 1.0f;
    const Pixel hot = pixel(stage.draw(*rig), 40, 40);
    CHECK(cold.b > cold.r + 80);
    CHECK(hot.r > hot.b + 80);
    box.heat = -1.0f;
    CHECK(near_to(pixel(stage.draw(*rig), 40, 40), 200, 200, 200, 1));
}

TEST_CASE("what is selected has a line around it, also behind others") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.add({0, 0, 0}, {0.5f, 0.5f, 0.01f}, rgba(20, 20, 200), kFlat | kSelected);
    Picture picture = stage.draw(*rig);
    const auto is_outline = [](const Pixel& p) { return p.r > 180 && p.b < 100; };
    CHECK(near_to(pixel(picture, 40, 40), 20, 20, 200));
    CHECK(is_outline(pixel(picture, 28, 40)));
    CHECK(is_outline(pixel(picture, 40, 51)));
    CHECK_FALSE(is_outline(pixel(picture, 22, 40)));
    stage.add({0, 0, 2.0f}, {0.6f, 0.6f, 0.01f}, rgba(90, 90, 90));
    picture = stage.draw(*rig);
    CHECK(near_to(pixel(picture, 40, 40), 90, 90, 90));
    CHECK(is_outline(pixel(picture, 28, 40)));
    stage.list.opaque[0].flags = kFlat;
    picture = stage.draw(*rig);
    CHECK_FALSE(is_outline(pixel(picture, 28, 40)));
}

TEST_CASE("meshes that change are seen from both sides, lit where the light falls") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.list.sun.direction = {0.0f, 0.0f, -1.0f};
    DynamicMesh& cloth = stage.list.dynamic.emplace_back();
    cloth.positions = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    cloth.normals.assign(4, Vec3(0, 0, 1));
    cloth.indices = {0, 1, 2, 0, 2, 3};
    cloth.colour = rgba(200, 100, 50);
    const Pixel front = pixel(stage.draw(*rig), 40, 40);
    CHECK(front.r > 150);
    CHECK(front.r > front.b + 50);
    stage.list.camera.eye = {0, 0, -5.0f};
    const Pixel back = pixel(stage.draw(*rig), 40, 40);
    CHECK(back.r > back.b);
    CHECK(back.sum() < front.sum() - 50);
    // And throws a shadow.
    stage = shadow_stage();
    stage.list.opaque.resize(1);
    stage.list.opaque_batches[0].count = 1;
    const Pixel lit = pixel(stage.draw(*rig), kShadowX, 40);
    DynamicMesh& sheet = stage.list.dynamic.emplace_back();
    sheet.positions = {{-1.5f, 2, -0.5f}, {-0.5f, 2, -0.5f}, {-0.5f, 2, 0.5f}, {-1.5f, 2, 0.5f}};
    sheet.normals.assign(4, Vec3(0, 1, 0));
    sheet.indices = {0, 1, 2, 0, 2, 3};
    CHECK(pixel(stage.draw(*rig), kShadowX, 40).sum() < lit.sum() * 3 / 4);
}

TEST_CASE("the sky is blue above and the grid has lines on the ground") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.list.environment.show_sky = true;
    stage.list.camera.eye = {0.5f, 2.0f, 5.0f};
    stage.list.camera.target = {0.5f, 2.0f, 0.0f};
    const Picture sky = stage.draw(*rig);
    CHECK(pixel(sky, 40, 2).b > pixel(sky, 40, 2).r + 5);
    CHECK(pixel(sky, 40, 2).sum() < pixel(sky, 40, 39).sum());  // brightest at the horizon

    stage.list.grid.shown = true;
    stage.list.camera.eye = {0.5f, 5.0f, 0.5f};  // down, from the middle of a cell
    stage.list.camera.target = {0.5f, 0.0f, 0.5f};
    stage.list.camera.up = {0.0f, 0.0f, -1.0f};
    const Picture lines = stage.draw(*rig);  // 4 m in 80 pixels: a line every 20 from 10 on
    CHECK(pixel(lines, 30, 40).sum() < pixel(lines, 40, 40).sum() - 10);
    CHECK(pixel(lines, 50, 40).sum() < pixel(lines, 40, 40).sum() - 10);
    CHECK(pixel(lines, 40, 30).sum() < pixel(lines, 40, 40).sum() - 10);

    // Filled it takes shadows.
    stage.list.grid.filled = true;
    stage.list.sun.shadows = true;
    stage.list.sun.direction = {1.0f, -1.0f, 0.0f};
    const Pixel lit = pixel(stage.draw(*rig), 40, 40);
    stage.add({-1.5f, 2.0f, 0.5f}, Vec3(0.3f), rgba(100, 100, 100), 0);
    CHECK(pixel(stage.draw(*rig), 40, 40).sum() < lit.sum() * 3 / 4);
}
