// SPDX-License-Identifier: MIT
#include "render/text/text_layout.h"

#include <algorithm>
#include <cmath>

#include "render/palette.h"

namespace proxima::render {

namespace {

constexpr uint32_t kMaxVertices = 65536;  // that 16 bits can name
constexpr float kPadding = 0.3f;          // of the size, around a text with a box behind

/// Quads into UiDrawData; begins another command where indices would need more than 16 bits.
class Quads {
  public:
    Quads(UiDrawData& out, const Viewport& viewport, uint32_t texture)
        : out_(out), viewport_(viewport), texture_(texture) {}

    void add(float x0, float y0, float x1, float y1, float u0, float v0, float u1, float v1, Colour colour) {
        if (!command_ || used_ + 4 > kMaxVertices) begin();
        const uint16_t first = uint16_t(used_);
        out_.vertices.push_back({x0, y0, u0, v0, colour});
        out_.vertices.push_back({x1, y0, u1, v0, colour});
        out_.vertices.push_back({x1, y1, u1, v1, colour});
        out_.vertices.push_back({x0, y1, u0, v1, colour});
        for (const int corner : {0, 1, 2, 0, 2, 3}) out_.indices.push_back(uint16_t(first + corner));
        used_ += 4;
        out_.commands.back().index_count += 6;
    }

  private:
    void begin() {
        UiCommand command{};
        command.clip_max_x = viewport_.width;
        command.clip_max_y = viewport_.height;
        command.texture = texture_;
        command.first_index = uint32_t(out_.indices.size());
        command.first_vertex = uint32_t(out_.vertices.size());
        out_.commands.push_back(command);
        command_ = true;
        used_ = 0;
    }

    UiDrawData& out_;
    Viewport viewport_;
    uint32_t texture_;
    bool command_ = false;
    uint32_t used_ = 0;  // vertices of the command
};

void draw_text(const Text& text, const Vec2& corner, float scale, const FontAtlas& atlas, Quads& quads) {
    const float pixels = text.size * scale;
    const FontSize& font = atlas.best(pixels);
    const float zoom = pixels / font.pixels;
    // Letters of a size that is in the atlas lie on whole pixels, and are as sharp as they were drawn.
    const float left = std::round(corner.x), top = std::round(corner.y);
    if (alpha_of(text.behind) > 0) {
        const Vec2 size = measure_text(atlas, text.text, pixels);
        const float pad = std::round(kPadding * pixels);
        quads.add(left - pad, top - 0.5f * pad, left + size.x + pad, top + size.y + 0.5f * pad, atlas.white_u,
                  atlas.white_v, atlas.white_u, atlas.white_v, text.behind);
    }
    float x = left, base = top + font.ascent * zoom;
    std::string_view rest = text.text;
    while (!rest.empty()) {
        const uint32_t code = take_letter(rest);
        if (code == '\n') {
            x = left;
            base += font.line_height * zoom;
            continue;
        }
        const Glyph& glyph = font.get(code);
        if (glyph.x1 > glyph.x0) {
            const float pen = zoom == 1.0f ? std::round(x) : x;
            quads.add(pen + glyph.x0 * zoom, base + glyph.y0 * zoom, pen + glyph.x1 * zoom, base + glyph.y1 * zoom,
                      glyph.u0, glyph.v0, glyph.u1, glyph.v1, text.colour);
        }
        x += glyph.advance * zoom;
    }
}

}  // namespace

uint32_t take_letter(std::string_view& text) {
    constexpr uint32_t kBroken = 0xFFFD;
    const auto byte = [&](size_t i) { return uint32_t(static_cast<unsigned char>(text[i])); };
    const uint32_t head = byte(0);
    const size_t length = head < 0x80 ? 1 : head >> 5 == 6 ? 2 : head >> 4 == 14 ? 3 : head >> 3 == 30 ? 4 : 0;
    if (length == 0 || length > text.size()) {
        text.remove_prefix(1);
        return kBroken;
    }
    uint32_t code = length == 1 ? head : head & (0x7Fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if (byte(i) >> 6 != 2) {
            text.remove_prefix(1);
            return kBroken;
        }
        code = code << 6 | (byte(i) & 63);
    }
    text.remove_prefix(length);
    return code;
}

Vec2 measure_text(const FontAtlas& atlas, std::string_view text, float pixels) {
    const FontSize& font = atlas.best(pixels);
    const float zoom = pixels / font.pixels;
    float x = 0.0f, widest = 0.0f, lines = 1.0f;
    while (!text.empty()) {
        const uint32_t code = take_letter(text);
        if (code == '\n') {
            lines += 1.0f;
            x = 0.0f;
            continue;
        }
        x += font.get(code).advance * zoom;
        widest = std::max(widest, x);
    }
    return {widest, lines * font.line_height * zoom};
}

void layout_texts(const DrawList& list, const Viewport& viewport, float scale, const FontAtlas& atlas, uint32_t texture,
                  TextMemory& memory, UiDrawData& out) {
    memory.placed.clear();
    for (uint32_t i = 0; i < list.texts.size(); ++i) {
        const Text& text = list.texts[i];
        TextMemory::Placed placed{i, {text.position.x, text.position.y}, -1.0f};
        if (!text.in_pixels) {
            const auto seen = project(list.camera, viewport, text.position);
            if (!seen) continue;
            placed.corner = seen->pixel;
            placed.depth = seen->depth;
        }
        const Vec2 size = measure_text(atlas, text.text, text.size * scale);
        if (text.centred) placed.corner -= 0.5f * size;
        // Boxes behind reach a little further than their texts.
        const float pad = text.size * scale;
        if (!(placed.corner.x + size.x + pad > 0.0f && placed.corner.y + size.y + pad > 0.0f &&
              placed.corner.x - pad < viewport.width && placed.corner.y - pad < viewport.height))
            continue;
        memory.placed.push_back(placed);
    }
    std::stable_sort(memory.placed.begin(), memory.placed.end(),
                     [](const auto& a, const auto& b) { return a.depth > b.depth; });
    out.width = viewport.width;
    out.height = viewport.height;
    Quads quads(out, viewport, texture);
    for (const TextMemory::Placed& placed : memory.placed)
        draw_text(list.texts[placed.text], placed.corner, scale, atlas, quads);
}

}  // namespace proxima::render
