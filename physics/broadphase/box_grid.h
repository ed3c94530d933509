// SPDX-License-Identifier: MIT
// Boxes sorted into levels by size, inside a level into rows of square cross-section along x, inside a row by
// x. Built anew from the boxes alone, so it carries no history; rows are contiguous, so searching them is a
// linear sweep.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/core/math.h"
#include "engine/jobs/jobs.h"
#include "physics/broadphase/box_overlap.h"
#include "physics/broadphase/proxy.h"

namespace proxima::physics {

/// What a pair needs to know of a proxy besides its box.
struct GridTag {
    uint32_t layer = 0;
    uint32_t mask = 0;
    uint32_t group = 0;
    uint32_t rank = 0;  // place in the caller's stable order
};

/// Boxes whose lower corner lies in one cell of the y-z plane, in ascending lower.x.
struct GridRow {
    int32_t y = 0;
    uint32_t begin = 0;  // boxes
    uint32_t end = 0;
    GridBox bounds;
};

/// Rows of one z, in ascending y.
struct GridSlab {
    int32_t z = 0;
    uint32_t begin = 0;  // rows
    uint32_t end = 0;
};

/// Boxes of similar size that all move or all stay. Slabs in ascending z.
struct GridLevel {
    double scale = 0.0;  // 1 / cell size
    // Most cells by which the upper corner of a box lies beyond its lower one: 0 or 1, save rounding.
    int32_t reach_y = 0;
    int32_t reach_z = 0;
    uint32_t first_box = 0, last_box = 0;  // half-open ranges, all three
    uint32_t first_row = 0, last_row = 0;
    uint32_t first_slab = 0, last_slab = 0;
    bool moves = false;
    GridBox bounds;
};

/// A box with an infinite bound: it fits no cell and is held against everything.
struct UnboundedBox {
    Aabb box;
    GridTag tag;
    uint32_t slot = 0;
    bool moves = false;
};

/// An inclusive range of cells; empty when first > last.
struct CellRange {
    int32_t first = 0;
    int32_t last = 0;
};

/// The cell of a coordinate. Never falls when x grows, whatever the rounding: that alone makes the search
/// complete.
inline int32_t cell_of(float x, double scale) {
    constexpr double kLimit = double(1 << 30);
    const double cell = std::min(std::max(double(x) * scale, -kLimit), kLimit);
    const int32_t truncated = int32_t(cell);
    return truncated - int32_t(cell < double(truncated));
}

class BoxGrid {
  public:
    /// The caller's proxies, one entry per slot. A slot without a proxy has an inverted box.
    struct Source {
        std::span<const Aabb> boxes;
        std::span<const ProxyFilter> filters;
        std::span<const uint32_t> ranks;
    };

    /// Sorts the boxes of all slots.
    void build(const Source& source, engine::Jobs& jobs);

    std::span<const GridLevel> levels() const { return levels_; }
    std::span<const GridSlab> slabs() const { return slabs_; }
    std::span<const GridRow> rows() const { return rows_; }
    /// In sorted order; kBoxesAtOnce more may be read behind the last.
    std::span<const GridBox> boxes() const { return std::span(sorted_).first(items_.size()); }
    std::span<const GridTag> tags() const { return sorted_tags_; }
    uint32_t slot(uint32_t box) const { return items_[box].slot; }

    std::span<const UnboundedBox> unbounded() const { return unbounded_; }

    /// Calls visit(row) for every row of the level that may hold a box overlapping `area`.
    template <class Visit>
    void for_rows(const GridLevel& level, const GridBox& area, Visit&& visit) const;

    /// Calls visit(box) with the sorted place of every box of the level that overlaps `area`.
    template <class Visit>
    void for_boxes(const GridLevel& level, const GridBox& area, Visit&& visit) const;

    /// The first box of [begin, end), part of one row, that may overlap something at `x`; all before it end
    /// left of x.
    uint32_t first_reaching(uint32_t begin, uint32_t end, float x) const;

    /// First row of `slab` whose y is at least `y`.
    uint32_t first_row_from(const GridSlab& slab, int32_t y) const;

  private:
    struct Cell {
        int32_t x = 0, y = 0, z = 0;
        uint32_t level = 0;
    };
    struct Item {
        uint64_t key = 0;
        uint32_t slot = 0;
    };
    struct BlockSummary {
        uint32_t items = 0;  // boxes of the block that enter the grid; later the place of the first of them
        Cell lowest;
        Cell highest;
    };
    /// How a key is put together: level, z, y, x from the highest bits to the lowest.
    struct KeyLayout {
        Cell lowest;
        uint32_t x_bits = 0, y_bits = 0, z_bits = 0, level_bits = 0;
        uint32_t x_shift = 0;  // low bits of x that found no room
    };

    void classify(const Source& source, engine::Jobs& jobs);
    void make_levels(const Source& source);
    void find_cells(const Source& source, engine::Jobs& jobs);
    KeyLayout choose_layout() const;
    void sort_items(const KeyLayout& layout, engine::Jobs& jobs);
    void make_rows(const KeyLayout& layout);
    void fill_rows(const Source& source, engine::Jobs& jobs);
    void sort_row_by_x(const GridRow& row, std::span<const Aabb> boxes);
    void finish_levels();

    std::vector<int16_t> size_class_;  // per slot
    std::vector<BlockSummary> blocks_;
    std::vector<UnboundedBox> unbounded_;
    std::vector<int16_t> level_of_size_;  // per (octave, moves): index of the level, or -1
    std::vector<int16_t>
        level_size_class_;     // per (octave, moves): largest size class present, which sets the cell
    std::vector<Cell> cells_;  // in slot order
    std::vector<Item> items_;
    std::vector<Item> items_scratch_;
    std::vector<GridLevel> levels_;
    std::vector<GridSlab> slabs_;
    std::vector<GridRow> rows_;
    std::vector<GridBox> sorted_;  // padded
    std::vector<GridTag> sorted_tags_;
};

template <class Visit>
void BoxGrid::for_rows(const GridLevel& level, const GridBox& area, Visit&& visit) const {
    const OverlapTest test(area);
    if (!test(level.bounds)) return;
    // b.lower <= a.upper gives cell(b.lower) <= cell(a.upper); a.lower <= b.upper gives cell(b.lower) >=
    // cell(a.lower) - reach.
    const CellRange z{cell_of(area.lower.z, level.scale) - level.reach_z, cell_of(area.upper.z, level.scale)};
    const CellRange y{cell_of(area.lower.y, level.scale) - level.reach_y, cell_of(area.upper.y, level.scale)};
    const GridSlab* slab =
        std::lower_bound(slabs_.data() + level.first_slab, slabs_.data() + level.last_slab, z.first,
                         [](const GridSlab& s, int32_t value) { return s.z < value; });
    for (; slab != slabs_.data() + level.last_slab && slab->z <= z.last; ++slab) {
        for (uint32_t row = first_row_from(*slab, y.first); row < slab->end && rows_[row].y <= y.last;
             ++row) {
            if (test(rows_[row].bounds)) visit(rows_[row]);
        }
    }
}

template <class Visit>
void BoxGrid::for_boxes(const GridLevel& level, const GridBox& area, Visit&& visit) const {
    const OverlapTest test(area);
    for_rows(level, area, [&](const GridRow& row) {
        uint32_t box = first_reaching(row.begin, row.end, area.lower.x);
        for (; box < row.end && sorted_[box].lower.x <= area.upper.x; ++box)
            if (test(sorted_[box])) visit(box);
    });
}

inline uint32_t BoxGrid::first_reaching(uint32_t begin, uint32_t end, float x) const {
    // Near the last answer most of the time, so look there before halving.
    constexpr uint32_t kSteps = 8;
    const uint32_t near = std::min(end, begin + kSteps);
    for (; begin < near; ++begin)
        if (sorted_[begin].furthest >= x) return begin;
    const GridBox* found = std::partition_point(sorted_.data() + begin, sorted_.data() + end,
                                                [x](const GridBox& box) { return box.furthest < x; });
    return uint32_t(found - sorted_.data());
}

inline uint32_t BoxGrid::first_row_from(const GridSlab& slab, int32_t y) const {
    const GridRow* row = std::lower_bound(rows_.data() + slab.begin, rows_.data() + slab.end, y,
                                          [](const GridRow& r, int32_t value) { return r.y < value; });
    return uint32_t(row - rows_.data());
}

}  // namespace proxima::physics
