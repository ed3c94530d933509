// SPDX-License-Identifier: MIT
// Flat triangles on top of a picture: what a user interface library hands over, in words of our own, so that
// the renderer does not know the library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/math.h"
#include "render/draw_list.h"

namespace proxima::render {

/// Pixels and texture coordinates; the same layout as ImDrawVert.
struct UiVertex {
    float x, y, u, v;
    Colour colour;
};
static_assert(sizeof(UiVertex) == 20);

struct UiCommand {
    float clip_min_x, clip_min_y, clip_max_x, clip_max_y;  // pixels
    uint32_t texture = 0;                                  // as given by Renderer::add_texture
    uint32_t first_index = 0, index_count = 0, first_vertex = 0;
};

struct UiDrawData {
    std::vector<UiVertex> vertices;
    std::vector<uint16_t> indices;  // from the first_vertex of their command
    std::vector<UiCommand> commands;
    float width = 0.0f, height = 0.0f;  // of the picture in the units of the vertices
};

}  // namespace proxima::render
