// SPDX-License-Identifier: MIT
#include "render/text/text_layout.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::render;

namespace {

const Viewport kView{800.0f, 600.0f};

struct Box {
    float x0 = 1e9f, y0 = 1e9f, x1 = -1e9f, y1 = -1e9f;
};
Box box_of(const UiDrawData& ui) {
    Box box;
    for (const UiVertex& v : ui.vertices) {
        box.x0 = std::min(box.x0, v.x);
        box.y0 = std::min(box.y0, v.y);
        box.x1 = std::max(box.x1, v.x);
        box.y1 = std::max(box.y1, v.y);
    }
    return box;
}

UiDrawData layout(const DrawList& list, const FontAtlas& atlas, float scale = 1.0f) {
    UiDrawData ui;
    TextMemory memory;
    layout_texts(list, kView, scale, atlas, 7, memory, ui);
    return ui;
}

Text in_pixels(const char* text, float x, float y, float size = 16.0f) {
    Text out;
    out.text = text;
    out.position = {x, y, 0.0f};
    out.in_pixels = true;
    out.size = size;
    return out;
}

/// Coverage of the texture inside a letter.
double ink_of(const FontAtlas& atlas, const Glyph& glyph) {
    double ink = 0.0;
    const auto pixel = [](float at, uint32_t size) { return uint32_t(at * float(size) + 0.5f); };
    for (uint32_t y = pixel(glyph.v0, atlas.picture.height); y < pixel(glyph.v1, atlas.picture.height); ++y)
        for (uint32_t x = pixel(glyph.u0, atlas.picture.width); x < pixel(glyph.u1, atlas.picture.width); ++x)
            ink += atlas.picture.pixels[(size_t(y) * atlas.picture.width + x) * 4 + 3] / 255.0;
    return ink;
}

}  // namespace

TEST_CASE("the atlas has letters in every size, whichever font was found") {
    for (const FontAtlas& atlas : {make_font_atlas(1.0f), make_builtin_atlas(1.0f), make_builtin_atlas(2.0f)}) {
        REQUIRE(!atlas.sizes.empty());
        CHECK(atlas.picture.pixels.size() == size_t(atlas.picture.width) * atlas.picture.height * 4);
        for (const FontSize& size : atlas.sizes) {
            CHECK(size.ascent > 0.0f);
            CHECK(size.line_height >= size.ascent);
            for (const char letter : std::string("Proxima 0.1 m/s")) {
                const Glyph& glyph = size.get(uint32_t(letter));
                CAPTURE(letter);
                CHECK(glyph.code == uint32_t(letter));
                CHECK(glyph.advance > 0.0f);
                if (letter != ' ') CHECK(ink_of(atlas, glyph) >= 1.0);
            }
        }
        const size_t white = (size_t(atlas.white_v * float(atlas.picture.height)) * atlas.picture.width +
                              size_t(atlas.white_u * float(atlas.picture.width))) *
                             4;
        for (size_t k = 0; k < 4; ++k) CHECK(atlas.picture.pixels[white + k] == 255);
    }
}

TEST_CASE("letters do not overlap in the texture") {
    const FontAtlas atlas = make_font_atlas(1.0f);
    std::vector<uint8_t> taken(size_t(atlas.picture.width) * atlas.picture.height, 0);
    bool twice = false;
    for (const FontSize& size : atlas.sizes)
        for (const Glyph& glyph : size.glyphs) {
            const auto x0 = uint32_t(glyph.u0 * float(atlas.picture.width) + 0.5f);
            const auto x1 = uint32_t(glyph.u1 * float(atlas.picture.width) + 0.5f);
            const auto y0 = uint32_t(glyph.v0 * float(atlas.picture.height) + 0.5f);
            const auto y1 = uint32_t(glyph.v1 * float(atlas.picture.height) + 0.5f);
            for (uint32_t y = y0; y < y1; ++y)
                for (uint32_t x = x0; x < x1; ++x) {
                    uint8_t& texel = taken[size_t(y) * atlas.picture.width + x];
                    twice |= texel != 0;
                    texel = 1;
                }
        }
    CHECK_FALSE(twice);
}

TEST_CASE("a larger screen has larger letters") {
    const FontAtlas atlas = make_font_atlas(1.0f), large = make_font_atlas(2.0f);
    if (!atlas.note.empty()) CHECK(atlas.note.find("DejaVu") != std::string::npos);
    CHECK(large.sizes.front().pixels == doctest::Approx(2.0f * atlas.sizes.front().pixels));
    const Vec2 small = measure_text(atlas, "sizes", 16.0f), twice = measure_text(large, "sizes", 32.0f);
    CHECK(twice.x == doctest::Approx(2.0f * small.x).epsilon(0.05));
    DrawList list;
    list.texts.push_back(in_pixels("sizes", 10.0f, 10.0f));
    const Box one = box_of(layout(list, atlas, 1.0f)), two = box_of(layout(list, large, 2.0f));
    CHECK((two.x1 - two.x0) == doctest::Approx(2.0f * (one.x1 - one.x0)).epsilon(0.1));
}

TEST_CASE("a text lies inside its box, where it was put") {
    const FontAtlas atlas = make_font_atlas(1.0f);
    for (const float size : {13.0f, 16.0f, 19.0f, 44.0f, 60.0f}) {
        CAPTURE(size);
        DrawList list;
        list.texts.push_back(in_pixels("Two lines\nwith gaps", 100.0f, 50.0f, size));
        const Vec2 measured = measure_text(atlas, list.texts[0].text, size);
        const Box box = box_of(layout(list, atlas));
        CHECK(box.x0 >= 100.0f - 2.0f);
        CHECK(box.y0 >= 50.0f - 2.0f);
        CHECK(box.x1 <= 100.0f + measured.x + 2.0f);
        CHECK(box.y1 <= 50.0f + measured.y + 2.0f);
        CHECK(measured.y > 2.0f * size * 0.8f);
        CHECK(box.y1 - box.y0 > size);
        list.texts[0].centred = true;
        const Box centred = box_of(layout(list, atlas));
        CHECK(0.5f * (centred.x0 + centred.x1) == doctest::Approx(100.0f).epsilon(0.05));
    }
}

TEST_CASE("a box behind a text comes first and surrounds it") {
    const FontAtlas atlas = make_font_atlas(1.0f);
    DrawList list;
    list.texts.push_back(in_pixels("label", 100.0f, 50.0f));
    const UiDrawData bare = layout(list, atlas);
    list.texts[0].behind = rgba(10, 20, 30, 200);
    const UiDrawData boxed = layout(list, atlas);
    REQUIRE(boxed.vertices.size() == bare.vertices.size() + 4);
    CHECK(boxed.vertices[0].colour == rgba(10, 20, 30, 200));
    const Box box = box_of(boxed), letters = box_of(bare);
    CHECK(box.x0 < letters.x0);
    CHECK(box.y0 < letters.y0);
    CHECK(box.x1 > letters.x1);
    CHECK(box.y1 > letters.y1);
}

TEST_CASE("texts of the world stand at their point, far ones first, and vanish behind the camera") {
    const FontAtlas atlas = make_font_atlas(1.0f);
    DrawList list;
    list.camera.eye = {0.0f, 0.0f, 10.0f};
    list.camera.target = {0.0f, 0.0f, 0.0f};
    Text text;
    text.text = "x";
    text.centred = true;
    text.colour = rgba(1, 0, 0);
    text.position = {0.0f, 0.0f, 5.0f};
    list.texts.push_back(text);
    text.position = {0.0f, 0.0f, -5.0f};
    text.colour = rgba(2, 0, 0);
    list.texts.push_back(text);
    text.position = {0.0f, 0.0f, 20.0f};
    text.colour = rgba(3, 0, 0);
    list.texts.push_back(text);
    list.texts.push_back(in_pixels("y", 5.0f, 5.0f));
    list.texts.push_back(in_pixels("outside", 5.0f, 5000.0f));
    const UiDrawData ui = layout(list, atlas);
    REQUIRE(ui.vertices.size() == 12);
    CHECK(ui.vertices[0].colour == rgba(2, 0, 0));
    CHECK(ui.vertices[4].colour == rgba(1, 0, 0));
    CHECK(ui.vertices[8].colour == rgba(255, 255, 255));
    CHECK(ui.vertices[0].x == doctest::Approx(400.0f).epsilon(0.02));
    CHECK(ui.vertices[0].y == doctest::Approx(300.0f).epsilon(0.03));
    CHECK(ui.width == kView.width);
    REQUIRE(ui.commands.size() == 1);
    CHECK(ui.commands[0].texture == 7);
    CHECK(ui.commands[0].index_count == 18);
}

TEST_CASE("very long texts are cut into commands that 16 bits can index") {
    const FontAtlas atlas = make_font_atlas(1.0f);
    DrawList list;
    for (int i = 0; i < 40; ++i)
        list.texts.push_back(in_pixels(std::string(1000, 'm').c_str(), 0.0f, 10.0f * float(i), 13.0f));
    const UiDrawData ui = layout(list, atlas);
    CHECK(ui.vertices.size() == 160000);
    CHECK(ui.commands.size() == 3);
    uint32_t indices = 0;
    bool inside = true;
    for (const UiCommand& command : ui.commands) {
        CHECK(command.first_index == indices);
        indices += command.index_count;
        for (uint32_t i = command.first_index; i < command.first_index + command.index_count; ++i)
            inside &= command.first_vertex + ui.indices[i] < ui.vertices.size();
    }
    CHECK(inside);
    CHECK(indices == ui.indices.size());
}

TEST_CASE("letters are read from UTF-8, and broken bytes do no harm") {
    const auto letters = [](std::string_view text) {
        std::vector<uint32_t> out;
        while (!text.empty()) out.push_back(take_letter(text));
        return out;
    };
    CHECK(letters("a\xC2\xB5\xE2\x86\x92\xF0\x9F\x98\x80") == std::vector<uint32_t>{'a', 0xB5, 0x2192, 0x1F600});
    CHECK(letters("\xC2") == std::vector<uint32_t>{0xFFFD});
    CHECK(letters("\x80z") == std::vector<uint32_t>{0xFFFD, 'z'});
    CHECK(letters("\xE2(z") == std::vector<uint32_t>{0xFFFD, '(', 'z'});
    CHECK(letters("\xFF\xFE").size() == 2);
}

TEST_CASE("a file that is no font is refused with a sentence") {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path / "font.ttf").string();
    CHECK(make_font_atlas(file, 1.0f).error().find(file) != std::string::npos);
    std::ofstream(file) << std::string(5000, 'x');
    CHECK(make_font_atlas(file, 1.0f).error() == "Cannot read the font '" + file + "': it is not a TrueType file.");
}
