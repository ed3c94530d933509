// SPDX-License-Identifier: MIT
// What every shader of a frame sees; the twin of render/shaders/frame.glsl, where the fields are explained.
#pragma once

#include "render/passes/camera_view.h"

namespace proxima::render {

struct FrameConstants {
    Mat4 view_projection{1.0f}, sun_matrix{1.0f};
    Vec4 eye{}, right{}, up{}, forward{}, screen{};
    Vec4 sun_direction{}, sun_radiance{}, shadow{};
    Vec4 zenith{}, horizon{}, ground{};
    Vec4 grid{}, grid_colour{}, fallback{};
};
static_assert(sizeof(FrameConstants) == 2 * 64 + 14 * 16);

/// A colour of a screen as light.
Vec3 to_linear(Colour colour);

}  // namespace proxima::render
