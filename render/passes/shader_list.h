// SPDX-License-Identifier: MIT
// The shaders of render/shaders, as words that were compiled while building.
#pragma once

#include <cstdint>
#include <span>

namespace proxima::shaders {

std::span<const uint32_t> mesh_vert();
std::span<const uint32_t> mesh_frag();
std::span<const uint32_t> position_vert();
std::span<const uint32_t> mask_frag();
std::span<const uint32_t> pick_vert();
std::span<const uint32_t> pick_frag();
std::span<const uint32_t> screen_vert();
std::span<const uint32_t> sky_frag();
std::span<const uint32_t> grid_vert();
std::span<const uint32_t> grid_frag();
std::span<const uint32_t> line_vert();
std::span<const uint32_t> line_frag();
std::span<const uint32_t> ui_vert();
std::span<const uint32_t> ui_frag();
std::span<const uint32_t> outline_frag();

}  // namespace proxima::shaders
