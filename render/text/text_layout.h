// SPDX-License-Identifier: MIT
// From texts to triangles: the texts of a draw list, in pixels or projected from the world, as UiDrawData.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/core/math.h"
#include "render/camera_control.h"
#include "render/draw_list.h"
#include "render/text/font_atlas.h"
#include "render/ui_draw.h"

namespace proxima::render {

/// Width of the widest line and height of all lines, in pixels.
Vec2 measure_text(const FontAtlas& atlas, std::string_view text, float pixels);

/// The next letter of a UTF-8 text, which becomes shorter; bytes that are none give U+FFFD.
uint32_t take_letter(std::string_view& text);

/// Memory that is kept from picture to picture.
struct TextMemory {
    struct Placed {
        uint32_t text = 0;
        Vec2 corner{0.0f, 0.0f};
        float depth = 0.0f;
    };
    std::vector<Placed> placed;
};

/// Appends the texts of the list. `scale` is that of the screen and multiplies sizes; positions in pixels are
/// pixels of the picture. Texts of the world are drawn from far to near, below those in pixels; what is
/// behind the camera or outside the picture is left out. `texture` is the number of the atlas' picture.
void layout_texts(const DrawList& list, const Viewport& viewport, float scale, const FontAtlas& atlas, uint32_t texture,
                  TextMemory& memory, UiDrawData& out);

}  // namespace proxima::render
