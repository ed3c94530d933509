// SPDX-License-Identifier: MIT
// How far the anchors of a rigid joint may be apart, beside the size of its bodies.
#pragma once

#include <algorithm>

namespace proxima::physics {

inline constexpr float kRadiusOfNothing = 0.1f;  // m, for bodies without colliders
/// Of the radius: larger errors close no faster in sweeps. Loads and rounding open less; what is opened further was put
/// elsewhere by the game, and is brought back by and by without throwing anything.
inline constexpr float kMaxSweptError = 0.5f;
/// Of the radius: a joint that opens further is named in a warning.
inline constexpr float kTornError = 0.05f;

/// The radius by which the error of a joint is judged: the smaller body's, which it shows on.
inline float judged_radius(float a, float b) {
    const float low = std::min(a, b), high = std::max(a, b);
    return low > 0.0f ? low : high > 0.0f ? high : kRadiusOfNothing;
}

}  // namespace proxima::physics
