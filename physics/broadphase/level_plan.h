// SPDX-License-Identifier: MIT
// Decides which sizes of boxes share a level of the grid, and which of two levels walks and which is
// searched, by what a search is expected to cost. Nothing here changes a result, only the time to it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "engine/core/math.h"

namespace proxima::physics {

/// Sizes are counted by octave: index i holds sizes in [2^(i + kLowestOctave), 2^(i + kLowestOctave + 1)),
/// the first and the last also what is beyond.
inline constexpr int kLowestOctave = -24;
inline constexpr uint32_t kOctaveCount = 64;

inline uint32_t octave_of(float size) {
    const int exponent = int(std::bit_cast<uint32_t>(size) >> 23) - 127;
    return uint32_t(std::clamp(exponent - kLowestOctave, 0, int(kOctaveCount) - 1));
}

/// Order of the axes in the grid: along `sort` boxes are sorted inside a strip, strips divide `strip`, and
/// `third` is left to the overlap test. `length` is how far the crowd spreads along each of the three.
struct GridAxes {
    int sort = 0;
    int strip = 2;
    int third = 1;
    double length[3] = {1.0, 1.0, 1.0};  // by x, y, z
};

/// A crowd as the estimate sees it: so many boxes of at most this size, spread evenly.
struct LevelCrowd {
    double count = 0.0;
    double size = 0.0;
};

/// Expected nanoseconds for all boxes of `walked` to find their partners in `searched`.
double search_cost(const LevelCrowd& walked, const LevelCrowd& searched, const GridAxes& axes);

struct OctaveCounts {
    std::array<uint32_t, kOctaveCount> count{};
    std::array<float, kOctaveCount> largest{};  // size
};

struct LevelPlan {
    uint32_t level_count = 0;
    std::array<uint8_t, kOctaveCount> level_of_octave{};
    std::array<float, kOctaveCount> size{};  // per level: its largest box
};

/// Levels from small to large.
LevelPlan plan_levels(const OctaveCounts& octaves, const GridAxes& axes);

}  // namespace proxima::physics
