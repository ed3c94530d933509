// SPDX-License-Identifier: MIT
// Letters in a texture: a font drawn once in several sizes, so that texts of the usual sizes are sharp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "render/picture.h"

namespace proxima::render {

/// A letter: where it lies in the texture, and where it goes relative to the pen on the base line, in pixels
/// of its size; y grows downwards.
struct Glyph {
    uint32_t code = 0;  // Unicode
    float u0 = 0.0f, v0 = 0.0f, u1 = 0.0f, v1 = 0.0f;
    float x0 = 0.0f, y0 = 0.0f, x1 = 0.0f, y1 = 0.0f;
    float advance = 0.0f;
};

/// All letters in one size.
struct FontSize {
    float pixels = 0.0f;        // height of the font
    float ascent = 0.0f;        // of the line above its base line
    float line_height = 0.0f;   // from base line to base line
    std::vector<Glyph> glyphs;  // by code

    /// The sign for what is not there when the font has no such letter.
    const Glyph& get(uint32_t code) const;
};

struct FontAtlas {
    Picture picture;                       // white; alpha is how much of a pixel a letter covers
    float white_u = 0.0f, white_v = 0.0f;  // a place that is all white: for boxes
    std::vector<FontSize> sizes;           // ascending
    std::string note;                      // empty, or why these are not the letters one would expect

    /// The smallest size that is at least that large, or the largest there is.
    const FontSize& best(float pixels) const;
};

/// Where the system keeps a font of the DejaVu family (DejaVuSans.ttf, DejaVuSansMono.ttf), or the file that
/// PROXIMA_FONT names; empty when there is none.
std::string find_font(const std::string& name);

/// DejaVu Sans where it is found, otherwise simple letters of few pixels and a note. `scale` is that of the
/// screen: sizes are multiplied by it.
FontAtlas make_font_atlas(float scale = 1.0f);
/// From a font file (TrueType).
Result<FontAtlas> make_font_atlas(const std::string& file, float scale);
/// The letters that need no file: ASCII.
FontAtlas make_builtin_atlas(float scale);

}  // namespace proxima::render
