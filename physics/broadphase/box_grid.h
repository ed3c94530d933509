// SPDX-License-Identifier: MIT
// Boxes sorted into levels by size, inside a level into strips, inside a strip along one axis. Built from the
// boxes alone; strips are contiguous, so searching them is a linear sweep. A box may be taken out again
// without sorting anew.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/math.h"
#include "engine/jobs/jobs.h"
#include "physics/broadphase/box_cast.h"
#include "physics/broadphase/box_sweep.h"
#include "physics/broadphase/key_sort.h"
#include "physics/broadphase/level_plan.h"
#include "physics/broadphase/proxy.h"

namespace proxima::physics {

/// What a pair needs to know of a proxy besides its box.
struct GridTag {
    uint32_t layer = 0;
    uint32_t mask = 0;
    uint32_t group = 0;
    uint32_t rank = 0;  // in the caller's stable order; the highest bit says that it moves
};
inline constexpr uint32_t kMovesBit = 1u << 31;

/// Boxes whose lower corner lies in one cell of the strip axis, nearly in order along the sort axis.
struct GridStrip {
    int32_t cell = 0;
    uint32_t begin = 0;  // boxes
    uint32_t end = 0;
    SweepBounds bounds;
};

/// Boxes of similar size. Strips in ascending cells.
struct GridLevel {
    double scale = 0.0;  // 1 / cell size
    float size = 0.0f;   // of the largest box
    int32_t reach = 0;   // most cells by which the upper corner of a box lies beyond its lower one
    uint32_t first_box = 0, last_box = 0;
    uint32_t first_strip = 0, last_strip = 0;
    SweepBounds bounds;
};

/// A box with an infinite bound: it fits no cell and is held against everything.
struct UnboundedBox {
    Aabb box;
    GridTag tag;
    uint32_t slot = 0;
};

/// The cell of a coordinate. Never falls when x grows, whatever the rounding: that alone makes the search complete.
inline int32_t cell_of(float x, double scale) {
    constexpr double kLimit = double(1 << 30);
    const double cell = std::min(std::max(double(x) * scale, -kLimit), kLimit);
    const int32_t truncated = int32_t(cell);
    return truncated - int32_t(cell < double(truncated));
}

class BoxGrid {
  public:
    BoxGrid() = default;
    // Moved, never copied: boxes() points into memory that moves along.
    BoxGrid(BoxGrid&&) = default;
    BoxGrid& operator=(BoxGrid&&) = default;

    /// The caller's proxies, one entry per slot.
    struct Source {
        std::span<const Aabb> boxes;
        std::span<const ProxyFilter> filters;
        std::span<const uint32_t> ranks;
    };

    /// Sorts the boxes of the given slots; those with a NaN bound, or inverted, are left out. indices[slot]
    /// becomes a number for remove(), or kNoPlace.
    static constexpr uint32_t kNoIndex = 0xFFFFFFFFu;
    void build(const Source& source, std::span<const uint32_t> slots, const GridAxes& axes, std::span<uint32_t> indices,
               engine::Jobs& jobs);
    void clear();
    /// Makes room for this many boxes, so that a build of as many allocates nothing.
    void reserve(uint32_t boxes);
    size_t bytes() const {
        return capacity_bytes(octaves_, blocks_, level_keys_, words_, words_scratch_, strip_counts_, levels_, strips_,
                              unbounded_, floats_, tags_, slots_) +
               sort_.bytes();
    }

    /// Takes out the box with this number. It leaves a hole that nothing meets.
    void remove(uint32_t index);

    /// Takes over new ranks for all boxes that are still there.
    void update_ranks(std::span<const uint32_t> ranks, engine::Jobs& jobs);

    std::span<const GridLevel> levels() const { return levels_; }
    std::span<const GridStrip> strips() const { return strips_; }
    const SweepBoxes& boxes() const { return view_; }
    std::span<const GridTag> tags() const { return tags_; }
    uint32_t slot(uint32_t box) const { return slots_[box]; }
    std::span<const UnboundedBox> unbounded() const { return unbounded_; }

    SweepBounds to_axes(const Aabb& box) const;
    Aabb from_axes(uint32_t box) const;
    /// Bounds along x, y and z from those along the grid's axes.
    Vec3 to_world(const float (&bounds)[3]) const;
    const GridAxes& axes() const { return axes_; }

    /// Calls visit(strip) for every strip of the level that may hold a box overlapping `area`.
    template <class Visit>
    void for_strips(const GridLevel& level, const SweepBounds& area, Visit&& visit) const;

    /// Calls visit(box) with the index of every box that overlaps `area`, which is no NaN and not inverted.
    template <class Visit>
    void for_boxes(const Aabb& area, Visit&& visit) const;

    /// Calls visit(slot, fraction) for every box on the way of the cast, with the fraction at which it is
    /// reached. `visit` may shorten the path.
    template <class Visit>
    void for_cast(CastTest& cast, Visit&& visit) const;

  private:
    template <class Visit>
    void cast_strip(const GridStrip& strip, CastTest& cast, Visit&& visit) const;

    struct BlockSummary {
        OctaveCounts octaves;
        float lowest[2] = {};   // of lower corners, along the sort and strip axes
        float highest[2] = {};  //
        uint32_t items = 0;     // boxes of the block that enter the grid; later the index of the first of them
        uint32_t unbounded = 0;
    };
    /// How a word is put together: level, strip, coordinate along the sort axis and slot, from the highest bits to the
    /// lowest.
    struct KeyLayout {
        uint32_t sort_bits = 0, strip_bits = 0, level_bits = 0, slot_bits = 0;
        uint32_t sort_shift = 0;  // low bits of the coordinate that found no room
    };
    struct LevelKeys {
        double sort_scale = 0.0;
        int32_t first_sort_cell = 0;
        int32_t first_strip_cell = 0;
    };

    BlockSummary classify(const Source& source, std::span<const uint32_t> slots, engine::Jobs& jobs);
    void make_levels(const BlockSummary& all);
    KeyLayout choose_layout(const BlockSummary& all, uint32_t max_slots);
    void make_words(const Source& source, std::span<const uint32_t> slots, const KeyLayout& layout,
                    std::span<uint32_t> indices, engine::Jobs& jobs);
    void fill_rows(const Source& source, const KeyLayout& layout, std::span<uint32_t> indices, engine::Jobs& jobs);
    void cut_strips(const KeyLayout& layout, engine::Jobs& jobs);
    void measure_strips(engine::Jobs& jobs);
    void finish_levels();
    void make_room(uint32_t boxes);

    GridAxes axes_;
    std::vector<uint8_t> octaves_;  // per entry of the list of slots: octave, kNowhere or kUnbounded
    std::vector<BlockSummary> blocks_;
    OctaveCounts planned_for_;
    GridAxes planned_axes_;
    LevelPlan plan_;
    std::vector<LevelKeys> level_keys_;
    std::vector<uint64_t> words_;
    std::vector<uint64_t> words_scratch_;
    KeySort sort_;
    std::vector<uint32_t> strip_counts_;  // per block of boxes: strips that begin in it, then index of the first

    std::vector<GridLevel> levels_;
    std::vector<GridStrip> strips_;
    std::vector<UnboundedBox> unbounded_;
    uint32_t box_count_ = 0;
    std::vector<float> floats_;  // the arrays of view_, one after the other, each padded
    std::vector<GridTag> tags_;
    std::vector<uint32_t> slots_;
    SweepBoxes view_;
    float* rows_[8] = {};  // lower, upper, furthest, nearest: the writable side of view_
};

template <class Visit>
void BoxGrid::for_strips(const GridLevel& level, const SweepBounds& area, Visit&& visit) const {
    const auto separated = [&](const SweepBounds& bounds) {
        for (int axis = 0; axis < 3; ++axis)
            if (!(bounds.lower[axis] <= area.upper[axis] && area.lower[axis] <= bounds.upper[axis])) return true;
        return false;
    };
    if (separated(level.bounds)) return;
    // b.lower <= a.upper gives cell(b.lower) <= cell(a.upper); a.lower <= b.upper gives cell(b.lower) >=
    // cell(a.lower) - reach.
    const int32_t first = cell_of(area.lower[1], level.scale) - level.reach;
    const int32_t last = cell_of(area.upper[1], level.scale);
    const GridStrip* end = strips_.data() + level.last_strip;
    const GridStrip* strip = strips_.data() + level.first_strip;
    if (strip->cell < first)
        strip = std::lower_bound(strip, end, first, [](const GridStrip& s, int32_t cell) { return s.cell < cell; });
    for (; strip != end && strip->cell <= last; ++strip)
        if (!separated(strip->bounds)) visit(*strip);
}

template <class Visit>
void BoxGrid::for_boxes(const Aabb& area, Visit&& visit) const {
    constexpr uint32_t kAtOnce = 256;
    uint32_t hits[kAtOnce + kSweepWidth];
    const SweepKernels& kernels = sweep_kernels();
    const SweepBounds bounds = to_axes(area);
    for (const GridLevel& level : levels_)
        for_strips(level, bounds, [&](const GridStrip& strip) {
            const float* from = std::partition_point(view_.furthest + strip.begin, view_.furthest + strip.end,
                                                     [&](float x) { return x < bounds.lower[0]; });
            uint32_t box = uint32_t(from - view_.furthest);
            for (; box < strip.end && view_.nearest[box] <= bounds.upper[0]; box += kAtOnce) {
                const uint32_t end = std::min(strip.end, box + kAtOnce);
                const uint32_t count = kernels.touching(view_, box, end, bounds, hits);
                for (uint32_t i = 0; i < count; ++i) visit(hits[i]);
            }
        });
}

template <class Visit>
void BoxGrid::for_cast(CastTest& cast, Visit&& visit) const {
    for (const UnboundedBox& other : unbounded_) {
        const CastTest::Part part = cast.part_in(other.box.lower, other.box.upper);
        if (part.begin <= part.end) visit(other.slot, part.begin);
    }
    for (const GridLevel& level : levels_) {
        const CastTest::Part segment = cast.part_in(to_world(level.bounds.lower), to_world(level.bounds.upper));
        if (!(segment.begin <= segment.end)) continue;
        // The strips that the path crosses, in its direction, so that a path that is shortened leaves out the rest.
        double lowest = 0.0, highest = 0.0;
        cast.range_along(axes_.strip, segment, lowest, highest);
        const GridStrip* begin = strips_.data() + level.first_strip;
        const GridStrip* end = strips_.data() + level.last_strip;
        begin = std::partition_point(begin, end, [&](const GridStrip& strip) {
            return double(strip.cell) < lowest * level.scale - 1.0 - double(level.reach);
        });
        end = std::partition_point(
            begin, end, [&](const GridStrip& strip) { return double(strip.cell) <= highest * level.scale + 1.0; });
        const bool up = cast.goes_up(axes_.strip);
        for (ptrdiff_t i = 0; i < end - begin; ++i) cast_strip(up ? begin[i] : end[-1 - i], cast, visit);
    }
}

template <class Visit>
void BoxGrid::cast_strip(const GridStrip& strip, CastTest& cast, Visit&& visit) const {
    const CastTest::Part segment = cast.part_in(to_world(strip.bounds.lower), to_world(strip.bounds.upper));
    if (!(segment.begin <= segment.end)) return;
    double lowest = 0.0, highest = 0.0;
    cast.range_along(axes_.sort, segment, lowest, highest);
    const float* first = std::partition_point(view_.furthest + strip.begin, view_.furthest + strip.end,
                                              [&](float x) { return double(x) < lowest; });
    const uint32_t begin = uint32_t(first - view_.furthest);
    const float* last = std::partition_point(view_.nearest + begin, view_.nearest + strip.end,
                                             [&](float x) { return double(x) <= highest; });
    const uint32_t end = uint32_t(last - view_.nearest);
    const bool up = cast.goes_up(axes_.sort);
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t box = up ? i : end - 1 - (i - begin);
        const Aabb bounds = from_axes(box);
        const CastTest::Part part = cast.part_in(bounds.lower, bounds.upper);
        if (part.begin <= part.end) visit(slots_[box], part.begin);
    }
}

}  // namespace proxima::physics
