// SPDX-License-Identifier: MIT
// The innermost loops of the broadphase: boxes in rows of floats, held against each other eight at a time.
#pragma once

#include <cstdint>

namespace proxima::physics {

/// Sorted boxes, one array per bound. Axis 0 is the one they are sorted along inside a strip, 1 is that of the
/// strips, 2 the third. Arrays are readable for kSweepWidth boxes behind the last; a box of NaNs meets nothing.
struct SweepBoxes {
    const float* lower[3] = {};
    const float* upper[3] = {};
    const float* furthest = nullptr;  // largest upper[0] in the strip up to and including this box
    const float* nearest = nullptr;   // smallest lower[0] in the strip from this box on
};
inline constexpr uint32_t kSweepWidth = 8;

struct SweepBounds {
    float lower[3] = {};
    float upper[3] = {};
};

/// Overlaps on their way to becoming pairs: the walker, and what it hit.
struct SweepHits {
    uint32_t* walkers = nullptr;
    uint32_t* hits = nullptr;
    uint32_t capacity = 0;
    uint32_t count = 0;
};

/// How much room a sweep over a strip of `length` boxes may need for hits at once.
constexpr uint32_t sweep_room(uint32_t length) { return kSweepWidth * (length + 2 * kSweepWidth); }

struct SweepKernels {
    /// Pairs of each box in [begin, end) with the boxes after it, all of one strip that ends at `strip_end`.
    /// Returns the first box that found no room for its hits, or `end`.
    uint32_t (*within)(const SweepBoxes& boxes, uint32_t begin, uint32_t end, uint32_t strip_end, SweepHits& out);
    /// Pairs of each box in [begin, end) of `walked`, part of one strip, with those in [first, last) of
    /// `searched`, a strip of the given bounds. Returns as within().
    uint32_t (*across)(const SweepBoxes& walked, uint32_t begin, uint32_t end, const SweepBoxes& searched,
                       uint32_t first, uint32_t last, const SweepBounds& bounds, SweepHits& out);
    /// Boxes in [first, last), a strip, that overlap `box`; there is room for last - first + kSweepWidth
    /// hits. Returns their number.
    uint32_t (*touching)(const SweepBoxes& boxes, uint32_t first, uint32_t last, const SweepBounds& box,
                         uint32_t* hits);
    /// Sorts numbers in groups, one after the other from `begin` on, that end at ends[0], ends[1] ..; they
    /// are unique in their group and below 2^31. Group g goes to the same indices of `keys`, with first_group
    /// + g in the upper half. Groups above kFewKeys are left out; returns whether there are any. `numbers` is
    /// readable for kFewKeys behind the last.
    bool (*sort_groups)(const uint32_t* numbers, uint32_t begin, const uint32_t* ends, uint32_t group_count,
                        uint32_t first_group, uint64_t* keys);
};
inline constexpr uint32_t kFewKeys = 16;

/// Those of the vector width in use.
const SweepKernels& sweep_kernels();

}  // namespace proxima::physics
