// SPDX-License-Identifier: MIT
#include "physics/broadphase/box_grid.h"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace proxima::physics {

namespace {

constexpr uint32_t kSlotBlock = 1024;
constexpr uint32_t kFillBlock = 2048;
constexpr uint32_t kStripBlock = 16;

constexpr uint8_t kNowhere = 255;    // NaN or inverted: meets nothing
constexpr uint8_t kUnbounded = 254;  // infinite: meets everything that it overlaps, without a cell

// Coordinates stay within this many cells of the origin. A box further out gets larger cells: there the
// floats themselves are so far apart that smaller cells would separate nothing.
constexpr float kCellsPerSide = float(1 << 20);

// Parts of a cell by which boxes of a strip are sorted. What shares a part stays as it came: `furthest` and
// `nearest` are exact bounds for any order, so a finer one would only make windows a little shorter.
constexpr double kPartsPerCell = 16.0;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

enum Row { kLower0, kLower1, kLower2, kUpper0, kUpper1, kUpper2, kFurthest, kNearest, kRowCount };

bool is_ordered(const Aabb& box) {
    return box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
}

// How far the box reaches from the origin along any axis; of one without bounds this is infinite.
float distance_of(const Aabb& box) {
    const Vec3 far = glm::max(glm::abs(box.lower), glm::abs(box.upper));
    return std::max(std::max(far.x, far.y), far.z);
}

// What a cell must hold: the extents that are searched by, and something above the spacing of floats there.
float size_of(const Aabb& box, float distance, const GridAxes& axes) {
    const float extent =
        std::max(box.upper[axes.sort] - box.lower[axes.sort], box.upper[axes.strip] - box.lower[axes.strip]);
    constexpr float kSmallest = 1.0e-30f;  // a cell for points at the origin
    return std::min(std::max(std::max(extent, distance * (1.0f / kCellsPerSide)), kSmallest),
                    std::numeric_limits<float>::max());
}

SweepBounds empty_bounds() { return {{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}}; }

void grow(SweepBounds& bounds, const SweepBounds& other) {
    for (int axis = 0; axis < 3; ++axis) {
        bounds.lower[axis] = std::min(bounds.lower[axis], other.lower[axis]);
        bounds.upper[axis] = std::max(bounds.upper[axis], other.upper[axis]);
    }
}

GridTag tag_of(const BoxGrid::Source& source, uint32_t slot) {
    const ProxyFilter& filter = source.filters[slot];
    return {filter.layer, filter.mask, filter.group, source.ranks[slot] | (filter.moves ? kMovesBit : 0u)};
}

// Rows begin a few cache lines apart from a power of two, so that the same index of all of them does not fall
// into one set of the cache.
size_t row_stride(uint32_t boxes) { return (size_t(boxes) + kSweepWidth + 15) / 16 * 16 + 48; }

uint64_t low_bits(uint32_t count) { return (uint64_t(1) << count) - 1; }

// The plan for other counts is still good when nothing has more than doubled or halved.
bool is_similar(const OctaveCounts& a, const OctaveCounts& b) {
    constexpr uint32_t kFew = 8;
    for (uint32_t i = 0; i < kOctaveCount; ++i) {
        if ((a.count[i] == 0) != (b.count[i] == 0)) return false;
        if (a.count[i] > 2 * b.count[i] + kFew || b.count[i] > 2 * a.count[i] + kFew) return false;
    }
    return true;
}

bool is_same(const GridAxes& a, const GridAxes& b) { return a.sort == b.sort && a.strip == b.strip; }

}  // namespace

void BoxGrid::build(const Source& source, std::span<const uint32_t> slots, const GridAxes& axes,
                    std::span<uint32_t> indices, engine::Jobs& jobs) {
    axes_ = axes;
    const BlockSummary all = classify(source, slots, jobs);
    box_count_ = all.items;
    make_levels(all);
    const KeyLayout layout = choose_layout(all, uint32_t(source.boxes.size()));
    make_words(source, slots, layout, indices, jobs);
    sort_.sort(words_, words_scratch_, layout.slot_bits, layout.sort_bits + layout.strip_bits + layout.level_bits,
               jobs);
    fill_rows(source, layout, indices, jobs);
    cut_strips(layout, jobs);
    measure_strips(jobs);
    finish_levels();
}

void BoxGrid::clear() {
    levels_.clear();
    strips_.clear();
    unbounded_.clear();
    box_count_ = 0;
    tags_.clear();
    slots_.clear();
}

void BoxGrid::reserve(uint32_t boxes) {
    octaves_.reserve(boxes);
    blocks_.reserve(engine::block_count(boxes, kSlotBlock));
    level_keys_.reserve(kOctaveCount);
    levels_.reserve(kOctaveCount);
    words_.reserve(boxes);
    words_scratch_.reserve(boxes);
    sort_.reserve(boxes);
    strip_counts_.reserve(engine::block_count(boxes, kFillBlock));
    strips_.reserve(boxes);
    floats_.reserve(row_stride(boxes) * kRowCount);
    tags_.reserve(boxes);
    slots_.reserve(boxes);
}

// Octave of every box, and per block what is needed to lay out levels and keys.
BoxGrid::BlockSummary BoxGrid::classify(const Source& source, std::span<const uint32_t> slots, engine::Jobs& jobs) {
    const uint32_t count = uint32_t(slots.size());
    octaves_.resize(count);
    blocks_.resize(engine::block_count(count, kSlotBlock));
    BlockSummary empty;
    for (int axis = 0; axis < 2; ++axis) {
        empty.lowest[axis] = kInfinity;
        empty.highest[axis] = -kInfinity;
    }
    jobs.parallel_for(count, kSlotBlock, [&](const engine::JobBlock& block) {
        BlockSummary summary = empty;  // on the stack, where nothing else can change it
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const Aabb& box = source.boxes[slots[i]];
            const float distance = distance_of(box);
            if (!is_ordered(box)) {
                octaves_[i] = kNowhere;
            } else if (distance == kInfinity) {
                octaves_[i] = kUnbounded;
                ++summary.unbounded;
            } else {
                const float size = size_of(box, distance, axes_);
                const uint32_t octave = octave_of(size);
                octaves_[i] = uint8_t(octave);
                ++summary.octaves.count[octave];
                summary.octaves.largest[octave] = std::max(summary.octaves.largest[octave], size);
                const float corner[2] = {box.lower[axes_.sort], box.lower[axes_.strip]};
                for (int axis = 0; axis < 2; ++axis) {
                    summary.lowest[axis] = std::min(summary.lowest[axis], corner[axis]);
                    summary.highest[axis] = std::max(summary.highest[axis], corner[axis]);
                }
                ++summary.items;
            }
        }
        blocks_[block.block] = summary;
    });
    BlockSummary all = empty;
    for (BlockSummary& block : blocks_) {
        for (uint32_t i = 0; i < kOctaveCount; ++i) {
            all.octaves.count[i] += block.octaves.count[i];
            all.octaves.largest[i] = std::max(all.octaves.largest[i], block.octaves.largest[i]);
        }
        for (int axis = 0; axis < 2; ++axis) {
            all.lowest[axis] = std::min(all.lowest[axis], block.lowest[axis]);
            all.highest[axis] = std::max(all.highest[axis], block.highest[axis]);
        }
        const uint32_t items = block.items;
        block.items = all.items;
        all.items += items;
        all.unbounded += block.unbounded;
    }
    return all;
}

void BoxGrid::make_levels(const BlockSummary& all) {
    if (!is_similar(all.octaves, planned_for_) || !is_same(axes_, planned_axes_)) {
        plan_ = plan_levels(all.octaves, axes_);
        planned_for_ = all.octaves;
        planned_axes_ = axes_;
    }
    plan_.size.fill(0.0f);
    for (uint32_t octave = 0; octave < kOctaveCount; ++octave) {
        if (all.octaves.count[octave] == 0) continue;
        float& size = plan_.size[plan_.level_of_octave[octave]];
        size = std::max(size, all.octaves.largest[octave]);
    }
    levels_.clear();
    for (uint32_t level = 0; level < plan_.level_count; ++level) {
        levels_.push_back({});
        levels_.back().size = plan_.size[level];
        levels_.back().scale = 1.0 / double(plan_.size[level]);
    }
}

// How many bits the cells in use need. cell_of never falls, so the extreme corners have the extreme cells.
BoxGrid::KeyLayout BoxGrid::choose_layout(const BlockSummary& all, uint32_t max_slots) {
    KeyLayout layout;
    level_keys_.clear();
    if (all.items == 0) return layout;
    layout.slot_bits = uint32_t(std::bit_width(max_slots));
    layout.level_bits = uint32_t(std::bit_width(levels_.size() - 1));
    for (const GridLevel& level : levels_) {
        LevelKeys keys;
        keys.sort_scale = level.scale * kPartsPerCell;
        keys.first_sort_cell = cell_of(all.lowest[0], keys.sort_scale);
        keys.first_strip_cell = cell_of(all.lowest[1], level.scale);
        const uint32_t sort_cells = uint32_t(cell_of(all.highest[0], keys.sort_scale)) - uint32_t(keys.first_sort_cell);
        const uint32_t strip_cells = uint32_t(cell_of(all.highest[1], level.scale)) - uint32_t(keys.first_strip_cell);
        layout.sort_bits = std::max(layout.sort_bits, uint32_t(std::bit_width(sort_cells)));
        layout.strip_bits = std::max(layout.strip_bits, uint32_t(std::bit_width(strip_cells)));
        level_keys_.push_back(keys);
    }
    // A world that is wide in every direction sorts a little coarser; the result is the same.
    const uint32_t room = 64u - layout.level_bits - layout.strip_bits - layout.slot_bits;
    if (layout.sort_bits > room) {
        layout.sort_shift = layout.sort_bits - room;
        layout.sort_bits = room;
    }
    return layout;
}

void BoxGrid::make_words(const Source& source, std::span<const uint32_t> slots, const KeyLayout& layout,
                         std::span<uint32_t> indices, engine::Jobs& jobs) {
    const uint32_t count = uint32_t(slots.size());
    words_.resize(box_count_);
    jobs.parallel_for(count, kSlotBlock, [&](const engine::JobBlock& block) {
        uint32_t next = blocks_[block.block].items;
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const uint32_t slot = slots[i];
            if (octaves_[i] >= kUnbounded) {
                indices[slot] = kNoIndex;
                continue;
            }
            const uint32_t level = plan_.level_of_octave[octaves_[i]];
            const LevelKeys& keys = level_keys_[level];
            const Vec3& corner = source.boxes[slot].lower;
            const uint32_t along =
                uint32_t(cell_of(corner[axes_.sort], keys.sort_scale)) - uint32_t(keys.first_sort_cell);
            const uint32_t strip =
                uint32_t(cell_of(corner[axes_.strip], levels_[level].scale)) - uint32_t(keys.first_strip_cell);
            uint64_t word = level;
            word = (word << layout.strip_bits) | strip;
            word = (word << layout.sort_bits) | (along >> layout.sort_shift);
            word = (word << layout.slot_bits) | slot;
            words_[next++] = word;
        }
    });
    // Boxes without bounds have numbers behind the others.
    unbounded_.clear();
    for (uint32_t b = 0; b < blocks_.size(); ++b) {
        if (blocks_[b].unbounded == 0) continue;
        const uint32_t end = std::min(count, (b + 1) * kSlotBlock);
        for (uint32_t i = b * kSlotBlock; i < end; ++i) {
            if (octaves_[i] != kUnbounded) continue;
            indices[slots[i]] = box_count_ + uint32_t(unbounded_.size());
            unbounded_.push_back({source.boxes[slots[i]], tag_of(source, slots[i]), slots[i]});
        }
    }
}

// Room for the sorted boxes. Rows begin a few cache lines apart from a power of two, so that the same index
// of all of them does not fall into one set of the cache.
void BoxGrid::make_room(uint32_t boxes) {
    const size_t stride = row_stride(boxes);
    if (floats_.size() < stride * kRowCount) floats_.resize(stride * kRowCount);
    for (int row = 0; row < kRowCount; ++row) {
        rows_[row] = floats_.data() + stride * size_t(row);
        for (uint32_t i = 0; i < kSweepWidth; ++i) rows_[row][boxes + i] = kNan;
    }
    for (int axis = 0; axis < 3; ++axis) {
        view_.lower[axis] = rows_[kLower0 + axis];
        view_.upper[axis] = rows_[kUpper0 + axis];
    }
    view_.furthest = rows_[kFurthest];
    view_.nearest = rows_[kNearest];
    tags_.resize(boxes);
    slots_.resize(boxes);
}

// Copies boxes and tags to their sorted indices, and counts the strips that begin in every block.
void BoxGrid::fill_rows(const Source& source, const KeyLayout& layout, std::span<uint32_t> indices,
                        engine::Jobs& jobs) {
    make_room(box_count_);
    strip_counts_.resize(engine::block_count(box_count_, kFillBlock));
    const uint32_t strip_shift = layout.slot_bits + layout.sort_bits;
    jobs.parallel_for(box_count_, kFillBlock, [&](const engine::JobBlock& block) {
        uint32_t begun = 0;
        uint64_t last = block.begin == 0 ? ~uint64_t(0) : words_[block.begin - 1] >> strip_shift;
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const uint64_t strip = words_[i] >> strip_shift;
            begun += uint32_t(strip != last);
            last = strip;
            const uint32_t slot = uint32_t(words_[i] & low_bits(layout.slot_bits));
            const Aabb& box = source.boxes[slot];
            rows_[kLower0][i] = box.lower[axes_.sort];
            rows_[kLower1][i] = box.lower[axes_.strip];
            rows_[kLower2][i] = box.lower[axes_.third];
            rows_[kUpper0][i] = box.upper[axes_.sort];
            rows_[kUpper1][i] = box.upper[axes_.strip];
            rows_[kUpper2][i] = box.upper[axes_.third];
            tags_[i] = tag_of(source, slot);
            slots_[i] = slot;
            indices[slot] = i;
        }
        strip_counts_[block.block] = begun;
    });
}

// Cuts the sorted boxes where level or cell change.
void BoxGrid::cut_strips(const KeyLayout& layout, engine::Jobs& jobs) {
    uint32_t total = 0;
    for (uint32_t& count : strip_counts_) total += std::exchange(count, total);
    strips_.resize(total);
    const uint32_t strip_shift = layout.slot_bits + layout.sort_bits;
    jobs.parallel_for(box_count_, kFillBlock, [&](const engine::JobBlock& block) {
        uint32_t next = strip_counts_[block.block];
        uint64_t last = block.begin == 0 ? ~uint64_t(0) : words_[block.begin - 1] >> strip_shift;
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const uint64_t strip = words_[i] >> strip_shift;
            if (strip == last) continue;
            last = strip;
            const uint32_t level = uint32_t(strip >> layout.strip_bits);
            const bool first_of_level = i == 0 || (words_[i - 1] >> strip_shift >> layout.strip_bits) != level;
            if (first_of_level) {
                levels_[level].first_box = i;
                levels_[level].first_strip = next;
            }
            const uint32_t cell = uint32_t(strip & low_bits(layout.strip_bits));
            strips_[next++] = {int32_t(cell + uint32_t(level_keys_[level].first_strip_cell)), i, 0, {}};
        }
    });
    // Every range ends where the next one of its kind begins; every level has a box.
    for (size_t i = 0; i < levels_.size(); ++i) {
        const bool last = i + 1 == levels_.size();
        levels_[i].last_box = last ? box_count_ : levels_[i + 1].first_box;
        levels_[i].last_strip = last ? total : levels_[i + 1].first_strip;
    }
}

// Bounds of every strip, and for every box how far those before it reach and where those from it on begin.
void BoxGrid::measure_strips(engine::Jobs& jobs) {
    jobs.parallel_for(uint32_t(strips_.size()), kStripBlock, [&](const engine::JobBlock& block) {
        for (uint32_t index = block.begin; index < block.end; ++index) {
            GridStrip& strip = strips_[index];
            strip.end = index + 1 < strips_.size() ? strips_[index + 1].begin : box_count_;
            float lowest1 = kInfinity, lowest2 = kInfinity, nearest = kInfinity;
            float highest1 = -kInfinity, highest2 = -kInfinity, furthest = -kInfinity;
            for (uint32_t i = strip.begin; i < strip.end; ++i) {
                furthest = std::max(furthest, rows_[kUpper0][i]);
                rows_[kFurthest][i] = furthest;
                lowest1 = std::min(lowest1, rows_[kLower1][i]);
                lowest2 = std::min(lowest2, rows_[kLower2][i]);
                highest1 = std::max(highest1, rows_[kUpper1][i]);
                highest2 = std::max(highest2, rows_[kUpper2][i]);
            }
            for (uint32_t i = strip.end; i-- > strip.begin;) {
                nearest = std::min(nearest, rows_[kLower0][i]);
                rows_[kNearest][i] = nearest;
            }
            strip.bounds = {{nearest, lowest1, lowest2}, {furthest, highest1, highest2}};
        }
    });
}

// Bounds of a level, and how far its boxes reach over their cells.
void BoxGrid::finish_levels() {
    for (GridLevel& level : levels_) {
        level.bounds = empty_bounds();
        for (uint32_t s = level.first_strip; s < level.last_strip; ++s) {
            grow(level.bounds, strips_[s].bounds);
            // cell_of never falls, so the highest corner of the strip lies in its highest cell.
            level.reach = std::max(level.reach, cell_of(strips_[s].bounds.upper[1], level.scale) - strips_[s].cell);
        }
    }
}

void BoxGrid::remove(uint32_t index) {
    if (index == kNoIndex) return;
    if (index >= box_count_) {
        unbounded_[index - box_count_].box = {Vec3(kNan), Vec3(kNan)};
        return;
    }
    // The bounds of the sort axis stay: `furthest` and `nearest` remain bounds of what is left.
    rows_[kLower1][index] = rows_[kUpper1][index] = kNan;
    rows_[kLower2][index] = rows_[kUpper2][index] = kNan;
}

void BoxGrid::update_ranks(std::span<const uint32_t> ranks, engine::Jobs& jobs) {
    // A hole takes the rank of whoever has its slot now; nobody asks for it.
    const auto renew = [&](GridTag& tag, uint32_t slot) { tag.rank = (tag.rank & kMovesBit) | ranks[slot]; };
    jobs.parallel_for(box_count_, kFillBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) renew(tags_[i], slots_[i]);
    });
    for (UnboundedBox& box : unbounded_) renew(box.tag, box.slot);
}

SweepBounds BoxGrid::to_axes(const Aabb& box) const {
    return {{box.lower[axes_.sort], box.lower[axes_.strip], box.lower[axes_.third]},
            {box.upper[axes_.sort], box.upper[axes_.strip], box.upper[axes_.third]}};
}

Vec3 BoxGrid::to_world(const float (&bounds)[3]) const {
    Vec3 result;
    result[axes_.sort] = bounds[0];
    result[axes_.strip] = bounds[1];
    result[axes_.third] = bounds[2];
    return result;
}

Aabb BoxGrid::from_axes(uint32_t box) const {
    return {to_world({view_.lower[0][box], view_.lower[1][box], view_.lower[2][box]}),
            to_world({view_.upper[0][box], view_.upper[1][box], view_.upper[2][box]})};
}

}  // namespace proxima::physics
