// SPDX-License-Identifier: MIT
// Which square of the world the shadow map covers. A shadow lies exactly under its caster as the sun sees it,
// so the square need not be larger than all casters, nor larger than what the camera sees.
#pragma once

#include <cstdint>

#include "render/passes/camera_view.h"

namespace proxima::render {

/// The sun's own directions, and the box of all casters in them.
struct SunSpace {
    Vec3 right{1.0f, 0.0f, 0.0f}, up{0.0f, 0.0f, -1.0f}, forward{0.0f, -1.0f, 0.0f};
    Vec3 lower{0.0f}, upper{0.0f};  // of casters, in (right, up, forward)
    bool any = false, any_huge = false;

    explicit SunSpace(const Vec3& direction);
    /// A ball that casts shadows. Huge ones (grounds, terrain) do not widen the square: what they cover is
    /// seen in their own light.
    void add(const Vec3& centre, float radius);
};

struct ShadowFit {
    bool active = false;
    Mat4 matrix{1.0f};                      // world to x, y, z in 0 .. 1
    float texel = 0.0f;                     // m
    float reach = 0.0f;                     // distance from the eye where shadows end, m
    float x = 0.0f, y = 0.0f, half = 0.0f;  // the square in sun space
};

/// The square moves in whole texels and grows in steps, so that edges do not swim while things move.
ShadowFit fit_shadow(const SunSpace& sun, const CameraView& view, const Vec3& target, uint32_t size);

/// Whether a ball casts into the map.
inline bool casts_into(const ShadowFit& fit, const SunSpace& sun, const Vec3& centre, float radius) {
    const float dx = glm::dot(sun.right, centre) - fit.x, dy = glm::dot(sun.up, centre) - fit.y;
    const float reach = fit.half + radius;
    return !(std::abs(dx) > reach || std::abs(dy) > reach);
}

}  // namespace proxima::render
