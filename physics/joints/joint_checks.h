// SPDX-License-Identifier: MIT
// What the numbers of joints of several types must be, each as a sentence or nullptr.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "physics/joints/joint_row.h"
#include "physics/limits.h"

namespace proxima::physics {

inline const char* check_anchors(std::initializer_list<Vec3> anchors) {
    for (const Vec3& anchor : anchors) {
        if (!is_finite(anchor)) return "The anchors of a joint must be finite.";
        if (std::max({std::abs(anchor.x), std::abs(anchor.y), std::abs(anchor.z)}) > kMaxCoordinate)
            return "The anchors of a joint must lie within 10,000 km of their bodies.";
    }
    return nullptr;
}

inline const char* check_spring(float hertz, float damping_ratio) {
    if (!(hertz >= 0.0f && hertz <= 1e5f)) return "The frequency of a joint must lie between 0, for rigid, and 100000 Hz.";
    if (!(damping_ratio >= 0.0f && damping_ratio <= 1e4f))
        return "The damping ratio of a joint must lie between 0 and 10000.";
    return nullptr;
}

}  // namespace proxima::physics
