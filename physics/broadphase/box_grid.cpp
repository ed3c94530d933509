// SPDX-License-Identifier: MIT
#include "physics/broadphase/box_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "physics/broadphase/key_sort.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kSlotBlock = 1024;
constexpr uint32_t kRowBlock = 128;

// Cell sizes are (1 + q/4) 2^k, four to the octave; class = 4 k + q, moved up so that it is never negative.
// An octave (2^(k-1), 2^k] is one level; its cell is the largest class that really occurs in it, so that a
// crowd of equal boxes gets cells that fit it and not the next power of two.
constexpr int kLowestExponent = -160;
constexpr int kClassCount = 4 * 320;
constexpr int kOctaveCount = kClassCount / 4 + 1;
constexpr int16_t kNowhere = -1;    // NaN or inverted: meets nothing
constexpr int16_t kUnbounded = -2;  // infinite: meets everything that it overlaps, without a cell

// Coordinates stay within this many cells of the origin. A box further out gets larger cells: there the
// floats themselves are so far apart that smaller cells would separate nothing.
constexpr double kCellsPerSide = double(1 << 20);

// Part of a cell by which boxes of a row are sorted with the key; what is left equal is sorted by comparing.
constexpr double kPartsPerCell = 8.0;

// The smallest class whose cell is not smaller than `size`: the two leading bits of the mantissa, rounded up.
int16_t class_of_size(double size) {
    constexpr int kDroppedBits = 50;
    const uint64_t bits = std::bit_cast<uint64_t>(size) + ((uint64_t(1) << kDroppedBits) - 1);
    return int16_t(int(bits >> kDroppedBits) - 4 * (1023 + kLowestExponent));
}

double size_of_class(int16_t size_class) {
    return std::bit_cast<double>(uint64_t(int(size_class) + 4 * (1023 + kLowestExponent)) << 50);
}

uint32_t octave_of(int16_t size_class) { return uint32_t(size_class + 3) >> 2; }

int16_t class_of_box(const Aabb& box) {
    const bool ordered =
        box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
    if (!ordered) return kNowhere;
    if (!is_finite(box.lower) || !is_finite(box.upper)) return kUnbounded;
    const double extent =
        std::max({double(box.upper.x) - double(box.lower.x), double(box.upper.y) - double(box.lower.y),
                  double(box.upper.z) - double(box.lower.z)});
    const double distance =
        double(std::max({std::abs(box.lower.x), std::abs(box.lower.y), std::abs(box.lower.z),
                         std::abs(box.upper.x), std::abs(box.upper.y), std::abs(box.upper.z)}));
    constexpr double kSmallest =
        1.0e-45;  // below the smallest positive float: a cell for points at the origin
    return class_of_size(std::max({extent, distance * (1.0 / kCellsPerSide), kSmallest}));
}

uint32_t size_key(int16_t size_class, bool moves) { return 2 * octave_of(size_class) + uint32_t(moves); }

GridBox empty_box() {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return {Vec3(kInfinity), 0.0f, Vec3(-kInfinity), 0.0f};
}

void grow(GridBox& bounds, const Vec3& lower, const Vec3& upper) {
    bounds.lower = Vec3(std::min(bounds.lower.x, lower.x), std::min(bounds.lower.y, lower.y),
                        std::min(bounds.lower.z, lower.z));
    bounds.upper = Vec3(std::max(bounds.upper.x, upper.x), std::max(bounds.upper.y, upper.y),
                        std::max(bounds.upper.z, upper.z));
}

GridTag tag_of(const BoxGrid::Source& source, uint32_t slot) {
    const ProxyFilter& filter = source.filters[slot];
    return {filter.layer, filter.mask, filter.group, source.ranks[slot]};
}

uint64_t low_bits(uint32_t count) { return (uint64_t(1) << count) - 1; }

}  // namespace

void BoxGrid::build(const Source& source, engine::Jobs& jobs) {
    classify(source, jobs);
    make_levels(source);
    find_cells(source, jobs);
    const KeyLayout layout = choose_layout();
    sort_items(layout, jobs);
    make_rows(layout);
    fill_rows(source, jobs);
    finish_levels();
}

// Size class of every slot, and how many slots of each block enter the grid.
void BoxGrid::classify(const Source& source, engine::Jobs& jobs) {
    const uint32_t slots = uint32_t(source.boxes.size());
    size_class_.resize(slots);
    blocks_.resize((slots + kSlotBlock - 1) / kSlotBlock);
    jobs.parallel_for(slots, kSlotBlock, [&](const engine::JobBlock& block) {
        uint32_t items = 0;
        for (uint32_t slot = block.begin; slot < block.end; ++slot) {
            size_class_[slot] = class_of_box(source.boxes[slot]);
            items += uint32_t(size_class_[slot] >= 0);
        }
        blocks_[block.block].items = items;
    });
}

// One level per octave of size and kind of motion that occurs, from small to large.
void BoxGrid::make_levels(const Source& source) {
    level_size_class_.assign(2 * kOctaveCount, int16_t(-1));
    level_of_size_.assign(2 * kOctaveCount, int16_t(-1));
    unbounded_.clear();
    for (uint32_t slot = 0; slot < size_class_.size(); ++slot) {
        const int16_t size_class = size_class_[slot];
        if (size_class >= 0) {
            int16_t& largest = level_size_class_[size_key(size_class, source.filters[slot].moves)];
            largest = std::max(largest, size_class);
        } else if (size_class == kUnbounded) {
            unbounded_.push_back(
                {source.boxes[slot], tag_of(source, slot), slot, source.filters[slot].moves});
        }
    }
    levels_.clear();
    for (uint32_t key = 0; key < level_size_class_.size(); ++key) {
        if (level_size_class_[key] < 0) continue;
        level_of_size_[key] = int16_t(levels_.size());
        GridLevel level;
        level.scale = 1.0 / size_of_class(level_size_class_[key]);
        level.moves = (key & 1u) != 0;
        levels_.push_back(level);
    }
}

// The cell of every lower corner, and the range of cells in use, which says how many bits a key needs.
void BoxGrid::find_cells(const Source& source, engine::Jobs& jobs) {
    uint32_t total = 0;
    for (BlockSummary& block : blocks_) total += std::exchange(block.items, total);
    cells_.resize(total);
    items_.resize(total);
    items_scratch_.resize(total);
    jobs.parallel_for(uint32_t(source.boxes.size()), kSlotBlock, [&](const engine::JobBlock& block) {
        BlockSummary& summary = blocks_[block.block];
        constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
        summary.lowest = {kMost, kMost, kMost, 0};
        summary.highest = {-kMost, -kMost, -kMost, 0};
        uint32_t next = summary.items;
        for (uint32_t slot = block.begin; slot < block.end; ++slot) {
            if (size_class_[slot] < 0) continue;
            const uint32_t level =
                uint32_t(level_of_size_[size_key(size_class_[slot], source.filters[slot].moves)]);
            const double scale = levels_[level].scale;
            const Vec3& corner = source.boxes[slot].lower;
            const Cell cell{cell_of(corner.x, scale * kPartsPerCell), cell_of(corner.y, scale),
                            cell_of(corner.z, scale), level};
            summary.lowest = {std::min(summary.lowest.x, cell.x), std::min(summary.lowest.y, cell.y),
                              std::min(summary.lowest.z, cell.z), 0};
            summary.highest = {std::max(summary.highest.x, cell.x), std::max(summary.highest.y, cell.y),
                               std::max(summary.highest.z, cell.z), 0};
            cells_[next] = cell;
            items_[next].slot = slot;
            ++next;
        }
    });
}

BoxGrid::KeyLayout BoxGrid::choose_layout() const {
    KeyLayout layout;
    if (items_.empty()) return layout;
    constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
    Cell lowest{kMost, kMost, kMost, 0}, highest{-kMost, -kMost, -kMost, 0};
    for (const BlockSummary& block : blocks_) {
        lowest = {std::min(lowest.x, block.lowest.x), std::min(lowest.y, block.lowest.y),
                  std::min(lowest.z, block.lowest.z), 0};
        highest = {std::max(highest.x, block.highest.x), std::max(highest.y, block.highest.y),
                   std::max(highest.z, block.highest.z), 0};
    }
    layout.lowest = lowest;
    layout.x_bits = uint32_t(std::bit_width(uint32_t(highest.x - lowest.x)));
    layout.y_bits = uint32_t(std::bit_width(uint32_t(highest.y - lowest.y)));
    layout.z_bits = uint32_t(std::bit_width(uint32_t(highest.z - lowest.z)));
    layout.level_bits = uint32_t(std::bit_width(levels_.size() - 1));
    // Level, z and y need at most 10 + 22 + 22 bits. A world that is wide in every direction sorts x a little
    // coarser with the key and leaves more to the comparison; the result is the same.
    const uint32_t room = 64u - layout.level_bits - layout.z_bits - layout.y_bits;
    if (layout.x_bits > room) {
        layout.x_shift = layout.x_bits - room;
        layout.x_bits = room;
    }
    return layout;
}

void BoxGrid::sort_items(const KeyLayout& layout, engine::Jobs& jobs) {
    jobs.parallel_for(uint32_t(items_.size()), kSlotBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const Cell& cell = cells_[i];
            uint64_t key = cell.level;
            key = (key << layout.z_bits) | uint32_t(cell.z - layout.lowest.z);
            key = (key << layout.y_bits) | uint32_t(cell.y - layout.lowest.y);
            key = (key << layout.x_bits) | (uint32_t(cell.x - layout.lowest.x) >> layout.x_shift);
            items_[i].key = key;
        }
    });
    sort_by_key(std::span(items_), std::span(items_scratch_),
                layout.level_bits + layout.z_bits + layout.y_bits + layout.x_bits,
                [](const Item& item) { return item.key; });
}

// Cuts the sorted boxes where level, z or y change.
void BoxGrid::make_rows(const KeyLayout& layout) {
    rows_.clear();
    slabs_.clear();
    uint64_t last_row = ~uint64_t(0), last_slab = ~uint64_t(0), last_level = ~uint64_t(0);
    for (uint32_t i = 0; i < items_.size(); ++i) {
        const uint64_t row = items_[i].key >> layout.x_bits;
        if (row == last_row) continue;
        last_row = row;
        const uint64_t slab = row >> layout.y_bits;
        if (slab != last_slab) {
            last_slab = slab;
            const uint64_t level = slab >> layout.z_bits;
            if (level != last_level) {
                last_level = level;
                levels_[level].first_box = i;
                levels_[level].first_row = uint32_t(rows_.size());
                levels_[level].first_slab = uint32_t(slabs_.size());
            }
            slabs_.push_back(
                {int32_t(slab & low_bits(layout.z_bits)) + layout.lowest.z, uint32_t(rows_.size()), 0});
        }
        rows_.push_back({int32_t(row & low_bits(layout.y_bits)) + layout.lowest.y, i, 0, empty_box()});
    }
    // Every range ends where the next one of its kind begins; every level has a box.
    for (size_t i = 0; i < rows_.size(); ++i)
        rows_[i].end = i + 1 < rows_.size() ? rows_[i + 1].begin : uint32_t(items_.size());
    for (size_t i = 0; i < slabs_.size(); ++i)
        slabs_[i].end = i + 1 < slabs_.size() ? slabs_[i + 1].begin : uint32_t(rows_.size());
    for (size_t i = 0; i < levels_.size(); ++i) {
        const bool last = i + 1 == levels_.size();
        levels_[i].last_box = last ? uint32_t(items_.size()) : levels_[i + 1].first_box;
        levels_[i].last_row = last ? uint32_t(rows_.size()) : levels_[i + 1].first_row;
        levels_[i].last_slab = last ? uint32_t(slabs_.size()) : levels_[i + 1].first_slab;
    }
}

// Boxes of one row that the key left equal, by their exact lower.x. Such a run is short unless many boxes
// crowd into one eighth of a cell; then a sort that stays below quadratic takes over.
void BoxGrid::sort_row_by_x(const GridRow& row, std::span<const Aabb> boxes) {
    constexpr uint32_t kInsertionLimit = 16;
    const auto x_of = [&](const Item& item) { return boxes[item.slot].lower.x; };
    for (uint32_t begin = row.begin; begin < row.end;) {
        uint32_t end = begin + 1;
        while (end < row.end && items_[end].key == items_[begin].key) ++end;
        if (end - begin > kInsertionLimit) {
            std::sort(items_.begin() + begin, items_.begin() + end, [&](const Item& a, const Item& b) {
                return x_of(a) != x_of(b) ? x_of(a) < x_of(b) : a.slot < b.slot;
            });
        } else {
            for (uint32_t i = begin + 1; i < end; ++i) {
                const Item item = items_[i];
                uint32_t hole = i;
                for (; hole > begin && x_of(items_[hole - 1]) > x_of(item); --hole)
                    items_[hole] = items_[hole - 1];
                items_[hole] = item;
            }
        }
        begin = end;
    }
}

// Copies boxes and tags to their sorted places and measures every row.
void BoxGrid::fill_rows(const Source& source, engine::Jobs& jobs) {
    sorted_.resize(items_.size() + kBoxesAtOnce);
    sorted_tags_.resize(items_.size());
    jobs.parallel_for(uint32_t(rows_.size()), kRowBlock, [&](const engine::JobBlock& block) {
        for (uint32_t index = block.begin; index < block.end; ++index) {
            GridRow& row = rows_[index];
            sort_row_by_x(row, source.boxes);
            GridBox bounds = empty_box();
            for (uint32_t i = row.begin; i < row.end; ++i) {
                const uint32_t slot = items_[i].slot;
                const Aabb& box = source.boxes[slot];
                grow(bounds, box.lower, box.upper);
                sorted_[i] = {box.lower, bounds.upper.x, box.upper, 0.0f};
                sorted_tags_[i] = tag_of(source, slot);
            }
            row.bounds = bounds;
        }
    });
}

// Bounds of a level, and how far its boxes reach over their cells.
void BoxGrid::finish_levels() {
    for (GridLevel& level : levels_) {
        level.bounds = empty_box();
        for (uint32_t s = level.first_slab; s < level.last_slab; ++s) {
            for (uint32_t r = slabs_[s].begin; r < slabs_[s].end; ++r) {
                const GridRow& row = rows_[r];
                grow(level.bounds, row.bounds.lower, row.bounds.upper);
                // cell_of never falls, so the highest corner of the row lies in its highest cell.
                level.reach_y = std::max(level.reach_y, cell_of(row.bounds.upper.y, level.scale) - row.y);
                level.reach_z =
                    std::max(level.reach_z, cell_of(row.bounds.upper.z, level.scale) - slabs_[s].z);
            }
        }
    }
}

}  // namespace proxima::physics
