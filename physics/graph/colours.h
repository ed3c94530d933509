// SPDX-License-Identifier: MIT
// Colours of manifolds: two of one colour share no body that can move, so they may be solved at the same time.
#pragma once

#include <cstdint>

namespace proxima::physics {

// First the manifolds between two bodies that can move, then those with an immovable one: what stands on the ground
// has the last word of a sweep. The last colour of either kind takes what found none: there bodies may come twice.
inline constexpr uint32_t kColoursPerKind = 64;
inline constexpr uint32_t kFirstImmovableColour = kColoursPerKind;
inline constexpr uint32_t kColourCount = 2 * kColoursPerKind;

inline constexpr uint8_t kNoColour = 255;

constexpr bool is_immovable(uint32_t colour) { return colour >= kFirstImmovableColour; }
constexpr bool is_overflow(uint32_t colour) { return colour % kColoursPerKind == kColoursPerKind - 1; }

}  // namespace proxima::physics
