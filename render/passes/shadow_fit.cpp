// SPDX-License-Identifier: MIT
#include "render/passes/shadow_fit.h"

#include <algorithm>

namespace proxima::render {

namespace {

constexpr float kHuge = 30.0f;                          // m
constexpr float kMinReach = 40.0f, kMaxReach = 250.0f;  // m

}  // namespace

SunSpace::SunSpace(const Vec3& direction) {
    if (glm::dot(direction, direction) > 1e-12f && is_finite(direction)) forward = glm::normalize(direction);
    const Vec3 helper = std::abs(forward.y) < 0.99f ? Vec3(0.0f, 1.0f, 0.0f) : Vec3(0.0f, 0.0f, -1.0f);
    right = glm::normalize(glm::cross(forward, helper));
    up = glm::cross(right, forward);
}

void SunSpace::add(const Vec3& centre, float radius) {
    const Vec3 at(glm::dot(right, centre), glm::dot(up, centre), glm::dot(forward, centre));
    if (!is_finite(at) || !std::isfinite(radius)) return;
    const Vec3 low = at - Vec3(radius), high = at + Vec3(radius);
    if (!any && !any_huge) {
        lower.z = low.z;
        upper.z = high.z;
    }
    lower.z = std::min(lower.z, low.z);
    upper.z = std::max(upper.z, high.z);
    if (radius > kHuge) {
        any_huge = true;
        return;
    }
    for (int i = 0; i < 2; ++i) {
        lower[i] = any ? std::min(lower[i], low[i]) : low[i];
        upper[i] = any ? std::max(upper[i], high[i]) : high[i];
    }
    any = true;
}

ShadowFit fit_shadow(const SunSpace& sun, const CameraView& view, const Vec3& target, uint32_t size) {
    ShadowFit fit;
    if (!sun.any && !sun.any_huge) return fit;
    // As far as matters for where the camera looks.
    const float focus = glm::length(target - view.eye);
    fit.reach = std::min(std::clamp(4.0f * focus, kMinReach, kMaxReach), view.far_plane);
    // The smallest ball around the camera's pyramid with its tip in the eye and height h: its centre is at
    // distance c = h (1 + k) / 2 where k is the squared tangent of the half diagonal, or at h for wide ones.
    const float k = view.half_width * view.half_width + view.half_height * view.half_height;
    const float h = fit.reach;
    const float ball_at = k < 1.0f ? 0.5f * h * (1.0f + k) : h;
    const float ball = k < 1.0f ? ball_at : h * std::sqrt(k);
    const Vec3 middle = view.eye + ball_at * view.forward;
    const Vec2 centre(glm::dot(sun.right, middle), glm::dot(sun.up, middle));
    Vec2 low = centre - Vec2(ball), high = centre + Vec2(ball);
    if (sun.any) {
        low = glm::max(low, Vec2(sun.lower.x, sun.lower.y));
        high = glm::min(high, Vec2(sun.upper.x, sun.upper.y));
    }
    if (!(low.x < high.x && low.y < high.y)) return fit;
    const float needed = 0.5f * std::max(high.x - low.x, high.y - low.y) * (1.0f + 8.0f / float(size));
    fit.half = std::exp2(std::ceil(4.0f * std::log2(std::max(needed, 0.01f))) * 0.25f);
    fit.texel = 2.0f * fit.half / float(size);
    fit.x = std::round(0.5f * (low.x + high.x) / fit.texel) * fit.texel;
    fit.y = std::round(0.5f * (low.y + high.y) / fit.texel) * fit.texel;
    const float near_z = std::floor(sun.lower.z - 0.1f), far_z = std::ceil(sun.upper.z + 0.1f);
    const float scale = 0.5f / fit.half, deep = 1.0f / (far_z - near_z);
    for (int c = 0; c < 3; ++c) {
        fit.matrix[c] = Vec4(sun.right[c] * scale, -sun.up[c] * scale, sun.forward[c] * deep, 0.0f);
    }
    fit.matrix[3] = Vec4(0.5f - fit.x * scale, 0.5f + fit.y * scale, -near_z * deep, 1.0f);
    fit.active = true;
    return fit;
}

}  // namespace proxima::render
