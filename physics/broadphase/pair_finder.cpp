// SPDX-License-Identifier: MIT
#include "physics/broadphase/pair_finder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "physics/broadphase/radix_sort.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kSearchBlock = 128;

// Both sides must want each other, and colliders of one body never meet.
bool may_meet(const GridTag& a, const GridTag& b) {
    const bool layers = (a.layer & b.mask) != 0 && (b.layer & a.mask) != 0;
    return layers && (a.group == 0 || a.group != b.group);
}

PairKey key_of(const GridTag& a, const GridTag& b) {
    return PairKey(std::min(a.rank, b.rank)) << 32 | std::max(a.rank, b.rank);
}

void emit(const GridTag& a, const GridTag& b, std::vector<PairKey>& out) {
    if (may_meet(a, b)) out.push_back(key_of(a, b));
}

// Overlapping boxes on their way to becoming pairs. Whether two boxes overlap is a coin toss to the
// processor, so a hit is always written and only sometimes counted: no branch, and the filters run later over
// hits alone.
class Hits {
  public:
    Hits(const BoxGrid& grid, std::vector<PairKey>& out)
        : boxes_(grid.boxes().data()), tags_(grid.tags().data()), out_(out) {}
    ~Hits() { flush(); }
    Hits(const Hits&) = delete;
    Hits& operator=(const Hits&) = delete;

    /// Box i, behind `test`, against the boxes from `first` whose lower.x it reaches, all of one row that
    /// ends at `end`.
    void sweep(const OverlapTest& test, uint32_t i, uint32_t first, uint32_t end) {
        const float reach = boxes_[i].upper.x;
        for (uint32_t j = first; j < end && boxes_[j].lower.x <= reach; j += kBoxesAtOnce) {
            for (uint32_t k = j; k < j + kBoxesAtOnce; ++k) {
                hits_[count_] = uint64_t(i) << 32 | k;
                count_ += uint32_t(test(boxes_[k])) & uint32_t(k < end);
            }
            if (count_ + kBoxesAtOnce > kCapacity) flush();
        }
    }

  private:
    static constexpr uint32_t kCapacity = 512;

    void flush() {
        size_t used = out_.size();
        out_.resize(used + count_);
        for (uint32_t hit = 0; hit < count_; ++hit) {
            const GridTag& a = tags_[hits_[hit] >> 32];
            const GridTag& b = tags_[uint32_t(hits_[hit])];
            out_[used] = key_of(a, b);
            used += size_t(may_meet(a, b));
        }
        out_.resize(used);
        count_ = 0;
    }

    const GridBox* boxes_;
    const GridTag* tags_;
    std::vector<PairKey>& out_;
    uint32_t count_ = 0;
    uint64_t hits_[kCapacity];
};

// Pairs inside one row: of each box in [begin, end) with the boxes after it.
void sweep_self(const BoxGrid& grid, const GridRow& row, uint32_t begin, uint32_t end, Hits& hits) {
    for (uint32_t i = begin; i < end; ++i) hits.sweep(OverlapTest(grid.boxes()[i]), i, i + 1, row.end);
}

// Pairs of the boxes in [begin, end), part of one row, with those of another row. Both are sorted by lower.x.
void sweep_rows(const BoxGrid& grid, uint32_t begin, uint32_t end, const GridRow& other, Hits& hits) {
    const GridBox* boxes = grid.boxes().data();
    uint32_t first = other.begin;
    for (uint32_t i = begin; i < end; ++i) {
        const OverlapTest test(boxes[i]);
        if (!test(other.bounds)) continue;
        first = grid.first_reaching(first, other.end, boxes[i].lower.x);
        hits.sweep(test, i, first, other.end);
    }
}

// Pairs of [begin, end), part of row `index` of the level, with everything after it in the same level: the
// rest of the row, the rows that follow in its slab, and the near rows of the slabs that follow. What comes
// before has found us.
void sweep_level(const BoxGrid& grid, const GridLevel& level, uint32_t slab_index, uint32_t index,
                 uint32_t begin, uint32_t end, Hits& hits) {
    const std::span<const GridRow> rows = grid.rows();
    const std::span<const GridSlab> slabs = grid.slabs();
    const GridRow& row = rows[index];
    const GridSlab& slab = slabs[slab_index];
    const OverlapTest near(row.bounds);
    sweep_self(grid, row, begin, end, hits);
    for (uint32_t r = index + 1; r < slab.end && rows[r].y <= row.y + level.reach_y; ++r)
        if (near(rows[r].bounds)) sweep_rows(grid, begin, end, rows[r], hits);
    for (uint32_t s = slab_index + 1; s < level.last_slab && slabs[s].z <= slab.z + level.reach_z; ++s) {
        uint32_t r = grid.first_row_from(slabs[s], row.y - level.reach_y);
        for (; r < slabs[s].end && rows[r].y <= row.y + level.reach_y; ++r)
            if (near(rows[r].bounds)) sweep_rows(grid, begin, end, rows[r], hits);
    }
}

// The part of a sorted array that holds `value`, given the half-open ranges that cut it up.
template <class Range>
uint32_t range_of(std::span<const Range> ranges, uint32_t first, uint32_t last, uint32_t value) {
    const Range* found = std::partition_point(ranges.data() + first, ranges.data() + last,
                                              [&](const Range& range) { return range.end <= value; });
    return uint32_t(found - ranges.data());
}

}  // namespace

void PairFinder::find(const BoxGrid& grid, uint32_t rank_count, engine::Jobs& jobs) {
    plan(grid);
    search(grid, jobs);
    search_unbounded(grid, jobs);
    sort(rank_count, jobs);
}

// Which level walks and which is searched. Two levels at rest have nothing to say to each other. The one with
// fewer boxes walks: a single ground then looks up the few rows it overlaps, instead of every body looking
// for a ground.
void PairFinder::plan(const BoxGrid& grid) {
    const std::span<const GridLevel> levels = grid.levels();
    meetings_.clear();
    item_count_ = 0;
    const auto add = [&](uint32_t walked, uint32_t searched) {
        meetings_.push_back({walked, searched, item_count_});
        item_count_ += levels[walked].last_box - levels[walked].first_box;
    };
    for (uint32_t small = 0; small < levels.size(); ++small) {
        if (levels[small].moves) add(small, small);
        for (uint32_t large = small + 1; large < levels.size(); ++large) {
            if (!levels[small].moves && !levels[large].moves) continue;
            if (!OverlapTest(levels[small].bounds)(levels[large].bounds)) continue;
            const uint32_t small_count = levels[small].last_box - levels[small].first_box;
            const uint32_t large_count = levels[large].last_box - levels[large].first_box;
            if (small_count < large_count) {
                add(small, large);
            } else {
                add(large, small);
            }
        }
    }
}

void PairFinder::search(const BoxGrid& grid, engine::Jobs& jobs) {
    const std::span<const GridLevel> levels = grid.levels();
    const std::span<const GridRow> rows = grid.rows();
    list_count_ = (item_count_ + kSearchBlock - 1) / kSearchBlock;
    if (lists_.size() < list_count_) lists_.resize(list_count_);
    jobs.parallel_for(item_count_, kSearchBlock, [&](const engine::JobBlock& block) {
        std::vector<PairKey>& out = lists_[block.block];
        out.clear();
        Hits hits(grid, out);
        const auto after = std::partition_point(meetings_.begin(), meetings_.end(), [&](const Meeting& m) {
            return m.first_item <= block.begin;
        });
        size_t m = size_t(after - meetings_.begin()) - 1;
        // A block may start and end anywhere, also inside a row, and run over several meetings.
        for (uint32_t item = block.begin; item < block.end; ++m) {
            const Meeting& meeting = meetings_[m];
            const GridLevel& walked = levels[meeting.walked];
            const GridLevel& searched = levels[meeting.searched];
            uint32_t box = walked.first_box + (item - meeting.first_item);
            const uint32_t stop = std::min(walked.last_box, box + (block.end - item));
            item += stop - box;
            uint32_t row = range_of(rows, walked.first_row, walked.last_row, box);
            uint32_t slab = range_of(grid.slabs(), walked.first_slab, walked.last_slab, row);
            for (; box < stop; ++row) {
                const uint32_t row_stop = std::min(stop, rows[row].end);
                if (meeting.walked == meeting.searched) {
                    while (grid.slabs()[slab].end <= row) ++slab;
                    sweep_level(grid, walked, slab, row, box, row_stop, hits);
                } else {
                    grid.for_rows(searched, rows[row].bounds, [&](const GridRow& other) {
                        sweep_rows(grid, box, row_stop, other, hits);
                    });
                }
                box = row_stop;
            }
        }
    });
}

// Boxes without bounds against every level and against the ones after them in their list.
void PairFinder::search_unbounded(const BoxGrid& grid, engine::Jobs& jobs) {
    const std::span<const UnboundedBox> unbounded = grid.unbounded();
    const uint32_t first_list = list_count_;
    list_count_ += uint32_t(unbounded.size());
    if (lists_.size() < list_count_) lists_.resize(list_count_);
    jobs.parallel_for(uint32_t(unbounded.size()), 1, [&](const engine::JobBlock& block) {
        std::vector<PairKey>& out = lists_[first_list + block.block];
        out.clear();
        const UnboundedBox& one = unbounded[block.begin];
        for (const GridLevel& level : grid.levels()) {
            if (!one.moves && !level.moves) continue;
            grid.for_boxes(level, {one.box.lower, 0.0f, one.box.upper, 0.0f},
                           [&](uint32_t other) { emit(one.tag, grid.tags()[other], out); });
        }
        for (const UnboundedBox& other : unbounded.subspan(block.begin + 1)) {
            if (!one.moves && !other.moves) continue;
            if (overlaps(one.box, other.box)) emit(one.tag, other.tag, out);
        }
    });
}

// Gathers the lists into buckets of consecutive first ranks, then sorts each bucket alone: the first pass is
// the copy that gathering needs anyway, and the buckets are small enough for the first cache and independent
// of each other.
void PairFinder::sort(uint32_t rank_count, engine::Jobs& jobs) {
    size_t total = 0;
    for (uint32_t list = 0; list < list_count_; ++list) total += lists_[list].size();
    pairs_.resize(total);
    pairs_scratch_.resize(total);
    if (total == 0) return;

    constexpr size_t kPairsPerBucket = 2048;
    constexpr uint32_t kMostBuckets = 256;
    const uint32_t rank_bits = uint32_t(std::bit_width(rank_count - 1));
    const uint32_t wanted = uint32_t(std::min<size_t>(total / kPairsPerBucket, kMostBuckets - 1));
    const uint32_t bucket_bits = std::min(rank_bits, uint32_t(std::bit_width(wanted)));
    const uint32_t buckets = 1u << bucket_bits;
    const uint32_t rest_bits = rank_bits - bucket_bits;  // of the first rank, inside a bucket
    const auto bucket_of = [&](PairKey key) { return first_rank(key) >> rest_bits; };

    bucket_places_.assign(size_t(list_count_) * buckets, 0u);
    jobs.parallel_for(list_count_, 16, [&](const engine::JobBlock& block) {
        for (uint32_t list = block.begin; list < block.end; ++list) {
            uint32_t* counts = bucket_places_.data() + size_t(list) * buckets;
            for (const PairKey key : lists_[list]) ++counts[bucket_of(key)];
        }
    });
    bucket_begins_.resize(buckets + 1);
    uint32_t sum = 0;
    for (uint32_t bucket = 0; bucket < buckets; ++bucket) {
        bucket_begins_[bucket] = sum;
        for (uint32_t list = 0; list < list_count_; ++list)
            sum += std::exchange(bucket_places_[size_t(list) * buckets + bucket], sum);
    }
    bucket_begins_[buckets] = sum;
    jobs.parallel_for(list_count_, 16, [&](const engine::JobBlock& block) {
        for (uint32_t list = block.begin; list < block.end; ++list) {
            uint32_t* places = bucket_places_.data() + size_t(list) * buckets;
            for (const PairKey key : lists_[list]) pairs_scratch_[places[bucket_of(key)]++] = key;
        }
    });
    ends_.resize(size_t(buckets) << rest_bits);
    jobs.parallel_for(buckets, 1,
                      [&](const engine::JobBlock& block) { sort_bucket(block.begin, rest_bits, rank_bits); });
}

// One bucket, from the scratch to its place: counted out by first rank, then each short list of second ranks
// by insertion.
void PairFinder::sort_bucket(uint32_t bucket, uint32_t rest_bits, uint32_t rank_bits) {
    const uint32_t begin = bucket_begins_[bucket], end = bucket_begins_[bucket + 1];
    const uint32_t ranks = 1u << rest_bits;
    uint32_t* ends = ends_.data() + (size_t(bucket) << rest_bits);
    std::fill_n(ends, ranks, 0u);
    for (uint32_t i = begin; i < end; ++i) ++ends[first_rank(pairs_scratch_[i]) & (ranks - 1)];
    uint32_t sum = begin;
    for (uint32_t rank = 0; rank < ranks; ++rank) sum += std::exchange(ends[rank], sum);
    for (uint32_t i = begin; i < end; ++i) {
        const PairKey key = pairs_scratch_[i];
        pairs_[ends[first_rank(key) & (ranks - 1)]++] = key;
    }
    for (uint32_t rank = 0, first = begin; rank < ranks; first = ends[rank], ++rank)
        radix_sort(std::span(pairs_).subspan(first, ends[rank] - first),
                   std::span(pairs_scratch_).subspan(first, ends[rank] - first), rank_bits,
                   [](PairKey key) { return second_rank(key); });
}

}  // namespace proxima::physics
