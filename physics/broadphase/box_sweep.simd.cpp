// SPDX-License-Identifier: MIT
#include "physics/broadphase/box_sweep.h"
#include "engine/simd/lanes.h"

namespace proxima::physics {

namespace {

using namespace PX_LEVEL_NAMESPACE;

static_assert(kSweepWidth == uint32_t(kBlock));

// For every set of eight: its members in ascending order, and how many they are. Whether boxes overlap is a
// coin toss to the processor; with this table hits are written without asking.
struct Members {
    uint32_t lanes[256][8];
    uint8_t count[256];
};
constexpr Members list_members() {
    Members members{};
    for (uint32_t set = 0; set < 256; ++set)
        for (uint32_t lane = 0; lane < 8; ++lane)
            if (set >> lane & 1u) members.lanes[set][members.count[set]++] = lane;
    return members;
}
constexpr Members kMembers = list_members();

#if PX_LANES > 1
using Whole = xsimd::batch<int32_t, Architecture>;
#endif

// One box in every lane.
struct Box {
    Lanes lower0, lower1, lower2, upper0, upper1, upper2;
};
PX_INLINE Box spread(const SweepBounds& b) {
    return {Lanes(b.lower[0]), Lanes(b.lower[1]), Lanes(b.lower[2]),
            Lanes(b.upper[0]), Lanes(b.upper[1]), Lanes(b.upper[2])};
}
PX_INLINE Box spread(const SweepBoxes& s, uint32_t i) {
    return {Lanes(s.lower[0][i]), Lanes(s.lower[1][i]), Lanes(s.lower[2][i]),
            Lanes(s.upper[0][i]), Lanes(s.upper[1][i]), Lanes(s.upper[2][i])};
}

// Which of the eight boxes from j on overlap `box`.
PX_INLINE uint32_t overlapping(const SweepBoxes& s, uint32_t j, const Box& box) {
    uint32_t set = 0;
    for (uint32_t k = 0; k < kSweepWidth; k += uint32_t(kLanes)) {
        const uint32_t at = j + k;
        const Mask sorted = (load(s.lower[0] + at) <= box.upper0) & (load(s.upper[0] + at) >= box.lower0);
        const Mask strip = (load(s.lower[1] + at) <= box.upper1) & (load(s.upper[1] + at) >= box.lower1);
        const Mask third = (load(s.lower[2] + at) <= box.upper2) & (load(s.upper[2] + at) >= box.lower2);
        set |= bits(sorted & strip & third) << k;
    }
    return set;
}

PX_INLINE uint32_t first_lanes(uint32_t count) { return count >= kSweepWidth ? 0xFFu : (1u << count) - 1u; }

// Writes the members of `set`, counted from j, and more behind them that the next call writes over. Returns
// how many they are.
PX_INLINE uint32_t write_hits(uint32_t* out, uint32_t j, uint32_t set) {
#if PX_LANES == 1
    for (uint32_t k = 0; k < kMembers.count[set]; ++k) out[k] = j + kMembers.lanes[set][k];
#else
    for (uint32_t k = 0; k < kSweepWidth; k += uint32_t(kLanes)) {
        const Whole lanes = Whole::load_unaligned(reinterpret_cast<const int32_t*>(kMembers.lanes[set] + k));
        (lanes + Whole(int32_t(j))).store_unaligned(reinterpret_cast<int32_t*>(out + k));
    }
#endif
    return kMembers.count[set];
}

PX_INLINE void write_walker(uint32_t* out, uint32_t walker) {
#if PX_LANES == 1
    for (uint32_t k = 0; k < kSweepWidth; ++k) out[k] = walker;
#else
    for (uint32_t k = 0; k < kSweepWidth; k += uint32_t(kLanes))
        Whole(int32_t(walker)).store_unaligned(reinterpret_cast<int32_t*>(out + k));
#endif
}

// The boxes of [first, last) that overlap that of `walker`.
PX_INLINE void sweep_window(const SweepBoxes& s, uint32_t first, uint32_t last, const Box& box, uint32_t walker,
                            SweepHits& out) {
    uint32_t count = out.count;
    for (uint32_t j = first; j < last; j += kSweepWidth) {
        write_walker(out.walkers + count, walker);
        count += write_hits(out.hits + count, j, overlapping(s, j, box) & first_lanes(last - j));
    }
    out.count = count;
}

// First index of [first, last) with furthest >= x: all before it end left of x.
uint32_t first_reaching(const float* furthest, uint32_t first, uint32_t last, float x) {
    uint32_t count = last - first;
    while (count > 0) {
        const uint32_t half = count / 2;
        const bool left = furthest[first + half] < x;
        first = left ? first + half + 1 : first;
        count = left ? count - half - 1 : half;
    }
    return first;
}

// As first_reaching, but near `first` most of the time and up to seven indices early.
PX_INLINE uint32_t advance(const float* furthest, uint32_t first, uint32_t last, float x) {
    constexpr uint32_t kSteps = 8;
    for (uint32_t step = 0; step < kSteps; ++step) {
        if (first + kSweepWidth > last || furthest[first + kSweepWidth - 1] >= x) return first;
        first += kSweepWidth;
    }
    return first_reaching(furthest, first, last, x);
}

// First index behind `first`, by eights, from which on all begin right of `reach`.
PX_INLINE uint32_t window_end(const float* nearest, uint32_t first, uint32_t last, float reach) {
    while (first < last && nearest[first] <= reach) first += kSweepWidth;
    return first < last ? first : last;
}

PX_INLINE float furthest_of(const float* upper, uint32_t i, uint32_t count) {
    float reach = upper[i];
    for (uint32_t k = 1; k < count; ++k) reach = upper[i + k] > reach ? upper[i + k] : reach;
    return reach;
}

PX_INLINE bool has_room(const SweepHits& out, uint32_t window) {
    return out.count + kSweepWidth * (window + kSweepWidth) <= out.capacity;
}

uint32_t within(const SweepBoxes& s, uint32_t begin, uint32_t end, uint32_t strip_end, SweepHits& out) {
    // Eight neighbours share one window: its length is then the same eight times, which the processor foresees.
    for (uint32_t i = begin; i < end; i += kSweepWidth) {
        const uint32_t group = end - i < kSweepWidth ? end - i : kSweepWidth;
        const uint32_t stop = window_end(s.nearest, i, strip_end, furthest_of(s.upper[0], i, group));
        if (!has_room(out, stop - i)) return i;
        for (uint32_t k = 0; k < group; ++k) sweep_window(s, i + k + 1, stop, spread(s, i + k), i + k, out);
    }
    return end;
}

uint32_t across(const SweepBoxes& walked, uint32_t begin, uint32_t end, const SweepBoxes& s, uint32_t first,
                uint32_t last, const SweepBounds& bounds, SweepHits& out) {
    // Windows longer than this are worth finding for each walker alone.
    constexpr uint32_t kSharedWindow = 128;
    const Box strip = spread(bounds);
    for (uint32_t i = begin; i < end; i += kSweepWidth) {
        const uint32_t group = end - i < kSweepWidth ? end - i : kSweepWidth;
        const uint32_t set = overlapping(walked, i, strip) & first_lanes(group);
        if (set == 0) continue;
        first = advance(s.furthest, first, last, walked.nearest[i]);
        const uint32_t stop = window_end(s.nearest, first, last, furthest_of(walked.upper[0], i, group));
        if (!has_room(out, stop - first)) return i;
        const bool shared = stop - first <= kSharedWindow;
        for (uint32_t member = 0; member < kMembers.count[set]; ++member) {
            const uint32_t walker = i + kMembers.lanes[set][member];
            uint32_t window_begin = first, window_stop = stop;
            if (!shared) {
                window_begin = first_reaching(s.furthest, first, stop, walked.lower[0][walker]);
                window_stop = window_end(s.nearest, window_begin, stop, walked.upper[0][walker]);
            }
            sweep_window(s, window_begin, window_stop, spread(walked, walker), walker, out);
        }
    }
    return end;
}

uint32_t touching(const SweepBoxes& s, uint32_t first, uint32_t last, const SweepBounds& bounds, uint32_t* hits) {
    const Box box = spread(bounds);
    uint32_t count = 0;
    for (uint32_t j = first_reaching(s.furthest, first, last, bounds.lower[0]);
         j < last && s.nearest[j] <= bounds.upper[0]; j += kSweepWidth)
        count += write_hits(hits + count, j, overlapping(s, j, box) & first_lanes(last - j));
    return count;
}

#if PX_LANES == 1
PX_INLINE void count_smaller(const uint32_t* numbers, uint32_t count, uint32_t* ranks) {
    for (uint32_t i = 0; i < count; ++i) {
        ranks[i] = 0;
        for (uint32_t k = 0; k < count; ++k) ranks[i] += uint32_t(numbers[k] < numbers[i]);
    }
}
#else
// For kSlots numbers at once; those behind the last say nothing.
template <uint32_t kSlots>
PX_INLINE void count_smaller_slots(const uint32_t* numbers, uint32_t count, uint32_t* ranks) {
    constexpr uint32_t kRuns = kSlots / uint32_t(kLanes);
    Whole number[kRuns], rank[kRuns];
    for (uint32_t r = 0; r < kRuns; ++r) {
        number[r] = Whole::load_unaligned(reinterpret_cast<const int32_t*>(numbers + r * uint32_t(kLanes)));
        rank[r] = Whole(0);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const Whole one = Whole(int32_t(numbers[i]));
        for (uint32_t r = 0; r < kRuns; ++r) rank[r] = xsimd::select(number[r] > one, rank[r] + Whole(1), rank[r]);
    }
    for (uint32_t r = 0; r < kRuns; ++r)
        rank[r].store_unaligned(reinterpret_cast<int32_t*>(ranks + r * uint32_t(kLanes)));
}
PX_INLINE void count_smaller(const uint32_t* numbers, uint32_t count, uint32_t* ranks) {
    if (count <= kFewKeys / 2) {
        count_smaller_slots<kFewKeys / 2>(numbers, count, ranks);
    } else {
        count_smaller_slots<kFewKeys>(numbers, count, ranks);
    }
}
#endif

// The rank of a number is how many are smaller, counted for all of a group at once: no branch depends on the
// data, which an insertion sort would guess wrong half of the time.
bool sort_groups(const uint32_t* numbers, uint32_t begin, const uint32_t* ends, uint32_t group_count,
                 uint32_t first_group, uint64_t* keys) {
    bool left = false;
    uint32_t ranks[kFewKeys];
    for (uint32_t group = 0; group < group_count; begin = ends[group], ++group) {
        const uint32_t count = ends[group] - begin;
        if (count > kFewKeys) {
            left = true;
            continue;
        }
        if (count == 0) continue;
        const uint64_t upper = uint64_t(first_group + group) << 32;
        count_smaller(numbers + begin, count, ranks);
        for (uint32_t i = 0; i < count; ++i) keys[begin + ranks[i]] = upper | numbers[begin + i];
    }
    return left;
}

}  // namespace

extern const SweepKernels PX_AT_LEVEL(sweep_kernels_);
const SweepKernels PX_AT_LEVEL(sweep_kernels_){within, across, touching, sort_groups};

}  // namespace proxima::physics
