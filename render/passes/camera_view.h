// SPDX-License-Identifier: MIT
// A camera as matrices and planes. Depth is reversed: 1 at the near plane, 0 at the far one, because floating
// point numbers then have their precision where perspective wastes it.
#pragma once

#include <array>
#include <glm/mat4x4.hpp>
#include <glm/vec4.hpp>

#include "engine/core/math.h"
#include "render/draw_list.h"

namespace proxima::render {

using Mat4 = glm::mat4;
using Vec4 = glm::vec4;

struct CameraView {
    Mat4 matrix{1.0f};  // world to clip space, y down
    Vec3 eye{0.0f, 0.0f, 0.0f};
    Vec3 right{1.0f, 0.0f, 0.0f}, up{0.0f, 1.0f, 0.0f}, forward{0.0f, 0.0f, -1.0f};
    float half_width = 1.0f, half_height = 1.0f;  // of the picture at distance 1
    float near_plane = 0.1f, far_plane = 1000.0f;
    std::array<Vec4, 6> planes{};  // inside where dot(xyz, p) + w >= 0
};

/// Cameras that look nowhere, or along their own up, get a direction that works.
CameraView view_of(const Camera& camera, uint32_t width, uint32_t height);

/// Whether any of the ball may be in the picture; balls that are not numbers are.
inline bool sees(const CameraView& view, const Vec3& centre, float radius) {
    for (const Vec4& p : view.planes)
        if (p.x * centre.x + p.y * centre.y + p.z * centre.z + p.w < -radius) return false;
    return true;
}

/// The position that a pixel at a depth of the depth buffer shows.
Vec3 unproject(const CameraView& view, float x, float y, float depth, uint32_t width, uint32_t height);

}  // namespace proxima::render
