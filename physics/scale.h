// SPDX-License-Identifier: MIT
// Lengths and speeds of settings are those of things of a metre. Smaller and larger things have them in proportion, each
// pair or island for itself, so that a pile of millimetre cubes and one of ships behave alike.
#pragma once

#include <cmath>

namespace proxima::physics {

/// How large a body of this radius is beside a cube of a metre.
inline constexpr float kLengthScale = 1.1547005f;  // a cube's radius is sqrt(3) / 2
inline float length_scale(float radius) { return radius * kLengthScale; }
/// Under gravity speeds grow with the root of lengths.
inline float speed_scale(float radius) { return std::sqrt(length_scale(radius)); }

/// The radius that a pair is judged by: of the smaller body that can move.
inline float moving_radius(float radius_a, bool moves_a, float radius_b, bool moves_b) {
    if (!moves_a || !moves_b) return moves_a ? radius_a : radius_b;
    return radius_a < radius_b ? radius_a : radius_b;
}

}  // namespace proxima::physics
