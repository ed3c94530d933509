// SPDX-License-Identifier: MIT
// Lines, flat triangles of user interfaces, and picking.
#include <doctest/doctest.h>

#include "tests/render/render_test.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// A rectangle of one texture, clipped to the whole picture.
void add_rectangle(UiDrawData& ui, float x0, float y0, float x1, float y1, Colour colour, uint32_t texture = 0) {
    const uint32_t first = uint32_t(ui.vertices.size()), at = uint32_t(ui.indices.size());
    ui.vertices.push_back({x0, y0, 0, 0, colour});
    ui.vertices.push_back({x1, y0, 1, 0, colour});
    ui.vertices.push_back({x1, y1, 1, 1, colour});
    ui.vertices.push_back({x0, y1, 0, 1, colour});
    for (const uint16_t i : {0, 1, 2, 0, 2, 3}) ui.indices.push_back(i);
    ui.commands.push_back({0, 0, ui.width, ui.height, texture, at, 6, first});
}

}  // namespace

TEST_CASE("a line of 3 pixels is 3 pixels wide, whichever way it runs") {
    RenderRig rig;
    if (!rig) return;
    for (const float width : {1.0f, 3.0f, 8.0f}) {
        Stage stage;
        stage.list.lines.push_back({{-1.0f, 0.025f, 0}, {1.0f, 0.025f, 0}, rgba(255, 255, 255), width});
        stage.list.lines.push_back({{0.525f, -2.0f, 0}, {0.525f, -1.0f, 0}, rgba(255, 255, 255), width});
        const Picture picture = stage.draw(*rig);
        const auto light = [](const Pixel& p) {  // linear coverage over the dark background
            const double c = p.r / 255.0;
            return (std::pow((c + 0.055) / 1.055, 2.4) - 0.035) / 0.965;
        };
        double across = 0.0, other = 0.0, along = 0.0;
        for (uint32_t y = 0; y < 60; ++y) across += light(pixel(picture, 30, y));
        for (uint32_t x = 0; x < 80; ++x) other += light(pixel(picture, x, 70));
        for (uint32_t x = 0; x < 80; ++x) along += light(pixel(picture, x, 39));
        CHECK(across == doctest::Approx(width).epsilon(0.06));
        CHECK(other == doctest::Approx(width).epsilon(0.06));
        CHECK(along == doctest::Approx(41.0).epsilon(0.04));  // 2 m, and half a pixel at each end
    }
}

TEST_CASE("bodies hide lines with depth, and no lines on top") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.add({0, 0, 0}, Vec3(0.5f), rgba(20, 20, 20));
    stage.list.lines.push_back({{-2, 0.2f, -1}, {2, 0.2f, -1}, rgba(255, 0, 0), 3.0f});
    stage.list.lines_on_top.push_back({{-2, -0.2f, -1}, {2, -0.2f, -1}, rgba(0, 255, 0), 3.0f});
    const Picture picture = stage.draw(*rig);
    const uint32_t up = 36, down = 43;  // 0.2 m at 6 m: 3.3 pixels
    CHECK(near_to(pixel(picture, 40, up), 20, 20, 20));
    CHECK(pixel(picture, 10, up).r > 200);
    CHECK(pixel(picture, 40, down).g > 200);
    CHECK(pixel(picture, 10, down).g > 200);
}

TEST_CASE("lines that begin behind the eye are drawn as far as they are in front of it") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.list.lines.push_back({{0.5f, 0.0f, 20.0f}, {0.0f, 0.0f, 0.0f}, rgba(255, 255, 255), 3.0f});
    stage.list.lines.push_back({{0.0f, 0.0f, 20.0f}, {0.0f, 5.0f, 30.0f}, rgba(255, 255, 255), 50.0f});
    const Picture picture = stage.draw(*rig);
    CHECK(pixel(picture, 43, 40).r > 200);
    CHECK(pixel(picture, 36, 40).r < 80);
    CHECK(pixel(picture, 40, 10).r < 80);
}

TEST_CASE("triangles of a user interface land where they should, in the colour they have") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.add({0, 0, 0}, Vec3(3.0f), rgba(0, 0, 255));
    UiDrawData ui;
    ui.width = ui.height = 40.0f;  // units of two pixels: a screen with a scale of 2
    add_rectangle(ui, 5, 10, 15, 20, rgba(250, 120, 10));
    add_rectangle(ui, 20, 20, 40, 40, rgba(255, 255, 255, 128));
    ui.commands.back().clip_max_x = 30;
    const Picture picture = stage.draw(*rig, 80, 80, &ui);
    CHECK(near_to(pixel(picture, 10, 20), 250, 120, 10, 1));
    CHECK(near_to(pixel(picture, 29, 39), 250, 120, 10, 1));
    for (const auto& [x, y] : {std::pair{9u, 25u}, {30u, 25u}, {20u, 19u}, {20u, 40u}, {65u, 60u}})
        CHECK(near_to(pixel(picture, x, y), 0, 0, 255, 1));
    CHECK(near_to(pixel(picture, 50, 50), 188, 188, 255, 3));
}

TEST_CASE("textures of a user interface are added, used, replaced and missed") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    const Result<uint32_t> texture = rig->add_texture({2, 1, {255, 0, 0, 255, 0, 200, 0, 255}});
    REQUIRE(texture.ok());
    CHECK(texture.value() > 0);
    UiDrawData ui;
    ui.width = ui.height = 80.0f;
    add_rectangle(ui, 0, 0, 80, 80, rgba(255, 255, 255), texture.value());
    Picture picture = stage.draw(*rig, 80, 80, &ui);
    CHECK(near_to(pixel(picture, 5, 40), 255, 0, 0));
    CHECK(near_to(pixel(picture, 75, 40), 0, 200, 0));
    REQUIRE(rig->replace_texture(texture.value(), {1, 1, {10, 20, 30, 255}}).ok());
    picture = stage.draw(*rig, 80, 80, &ui);
    CHECK(near_to(pixel(picture, 5, 40), 10, 20, 30));

    CHECK_FALSE(rig->add_texture({2, 2, {1, 2, 3}}).ok());
    CHECK_FALSE(rig->replace_texture(999, {1, 1, {1, 2, 3, 4}}).ok());
    ui.commands[0].texture = 999;
    Result<Picture> refused = rig->render_picture(stage.list, stage.meshes, &ui, 80, 80);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().find("texture 999") != std::string::npos);
    ui.commands[0].texture = 0;
    ui.commands[0].first_vertex = 1;
    refused = rig->render_picture(stage.list, stage.meshes, &ui, 80, 80);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().find("vertex 4") != std::string::npos);
    // After a refusal the next picture is whole again, textures included.
    ui.commands[0].first_vertex = 0;
    ui.commands[0].texture = texture.value();
    CHECK(near_to(pixel(stage.draw(*rig, 80, 80, &ui), 5, 40), 10, 20, 30));
}

TEST_CASE("several user interfaces are drawn in their order") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    UiDrawData below, above, nothing;
    for (UiDrawData* ui : {&below, &above, &nothing}) ui->width = ui->height = 80.0f;
    add_rectangle(below, 0, 0, 80, 80, rgba(255, 0, 0));
    add_rectangle(above, 0, 0, 40, 80, rgba(0, 255, 0));
    const UiDrawData* const all[] = {&below, &nothing, &above};
    const Result<Picture> picture = rig->render_picture(stage.list, stage.meshes, all, 80, 80);
    REQUIRE_MESSAGE(picture.ok(), picture.error());
    CHECK(near_to(pixel(picture.value(), 20, 40), 0, 255, 0));
    CHECK(near_to(pixel(picture.value(), 60, 40), 255, 0, 0));
}

TEST_CASE("picking finds the id and the position of what is seen") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.add({0, 0, 0}, Vec3(0.5f), rgba(200, 0, 0)).id = 7;
    stage.add({0, 0, -3.0f}, Vec3(2.0f), rgba(0, 200, 0)).id = 4000000000u;
    stage.add_glass({1.5f, 1.5f, 0.0f}, Vec3(0.2f), rgba(0, 0, 200, 50)).id = 9;
    DynamicMesh& cloth = stage.list.dynamic.emplace_back();
    cloth.positions = {{-1.7f, -1.7f, 0}, {-1.3f, -1.7f, 0}, {-1.3f, -1.3f, 0}};
    cloth.normals.assign(3, Vec3(0, 0, -1));
    cloth.indices = {0, 2, 1};  // seen from behind
    cloth.id = 11;
    stage.draw(*rig);
    const auto pick = [&](float x, float y) {
        const Result<Pick> found = rig->pick(x, y);
        REQUIRE_MESSAGE(found.ok(), found.error());
        return found.value();
    };
    const Pick front = pick(40.5f, 40.5f);
    CHECK(front.id == 7);
    CHECK(front.hit);
    CHECK(front.position.z == doctest::Approx(0.5f).epsilon(0.001));
    CHECK(std::abs(front.position.x) < 0.05f);
    CHECK(pick(55.2f, 40.0f).id == 4000000000u);
    CHECK(pick(55.2f, 40.0f).position.z == doctest::Approx(-1.0f).epsilon(0.001));
    CHECK(pick(70.0f, 9.5f).id == 9);
    CHECK(pick(12.5f, 71.5f).id == 11);
    const Pick nothing = pick(2.0f, 2.0f);
    CHECK(nothing.id == 0);
    CHECK_FALSE(nothing.hit);
    for (const float x : {-1.0f, 80.0f, 1e9f, NAN}) CHECK_FALSE(pick(x, 40.0f).hit);
    // Picking between two pictures changes neither.
    const Picture before = stage.draw(*rig);
    pick(40, 40);
    CHECK(stage.draw(*rig).pixels == before.pixels);
}

TEST_CASE("a world drawn into a part of the target leaves the rest alone, and clicks find their way") {
    RenderRig rig;
    if (!rig) return;
    Stage stage;
    stage.list.environment.show_sky = stage.list.grid.shown = true;
    stage.add({0, 0, 0}, {0.5f, 0.5f, 0.01f}, rgba(20, 20, 200), kFlat | kSelected).id = 5;
    stage.list.lines_on_top.push_back({{-9, 1, 0}, {9, 1, 0}, rgba(255, 255, 255), 2.0f});
    const Picture alone = stage.draw(*rig, 60, 40);
    stage.list.area = {30, 20, 60, 40};
    const Picture part = stage.draw(*rig, 120, 80);
    const Pixel outside = pixel(part, 0, 0);
    int different = 0, touched = 0;
    for (uint32_t y = 0; y < 80; ++y)
        for (uint32_t x = 0; x < 120; ++x) {
            const bool inside = x >= 30 && x < 90 && y >= 20 && y < 60;
            if (inside) {
                const Pixel here = pixel(part, x, y), there = pixel(alone, x - 30, y - 20);
                different += !near_to(here, there.r, there.g, there.b, 3);
            } else {
                touched += !(pixel(part, x, y) == outside);
            }
        }
    CHECK(different == 0);
    CHECK(touched == 0);
    CHECK(rig->pick(60.5f, 40.5f)->id == 5);
    CHECK(rig->pick(60.5f, 40.5f)->position.z == doctest::Approx(0.01f).epsilon(0.1));
    CHECK(rig->pick(20.5f, 40.5f)->id == 0);
    // Areas outside of the target are no areas.
    stage.list.area = {500, 500, 10, 10};
    CHECK(near_to(pixel(stage.draw(*rig, 60, 40), 30, 20), 20, 20, 200));
}
