// SPDX-License-Identifier: MIT
// Where the ray of a pointer meets planes, boxes and balls: what games need of ray casts, on their own bodies only.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/math.h"
#include "samples/games/game.h"

namespace proxima::games {

/// The pointer of a player who looks from `eye` at `target`.
inline void point_at(GameInput& input, const Vec3& eye, const Vec3& target) {
    input.ray_origin = eye;
    input.ray_direction = glm::normalize(target - eye);
}

/// Where the ray comes down (or up) to the height y.
inline std::optional<Vec3> meet_height(const GameInput& input, float y) {
    const float along = input.ray_direction.y;
    if (std::abs(along) < 1e-5f) return std::nullopt;
    const float t = (y - input.ray_origin.y) / along;
    if (!(t > 0.0f && t < 1e4f)) return std::nullopt;
    return input.ray_origin + t * input.ray_direction;
}

/// Distance along the ray to a box, by slabs in the frame of the box.
inline std::optional<float> meet_box(const GameInput& input, const Transform& pose, const Vec3& half_extents) {
    const Vec3 from = to_local(pose, input.ray_origin);
    const Vec3 along = glm::conjugate(pose.rotation) * input.ray_direction;
    float enter = 0.0f, leave = 1e30f;
    for (int k = 0; k < 3; ++k) {
        if (std::abs(along[k]) < 1e-8f) {
            if (std::abs(from[k]) > half_extents[k]) return std::nullopt;
            continue;
        }
        const float near_side = (-half_extents[k] - from[k]) / along[k];
        const float far_side = (half_extents[k] - from[k]) / along[k];
        enter = std::max(enter, std::min(near_side, far_side));
        leave = std::min(leave, std::max(near_side, far_side));
    }
    if (enter > leave) return std::nullopt;
    return enter;
}

}  // namespace proxima::games
