// SPDX-License-Identifier: MIT
#include "physics/broadphase/pair_finder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "physics/broadphase/key_sort.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kSearchBlock = 256;

// Both sides must want each other, and colliders of one body never meet.
bool may_meet(const GridTag& a, const GridTag& b) {
    const bool layers = (a.layer & b.mask) != 0 && (b.layer & a.mask) != 0;
    return layers && (a.group == 0 || a.group != b.group);
}

PairKey key_of(const GridTag& a, const GridTag& b) {
    return PairKey(std::min(a.rank, b.rank)) << 32 | std::max(a.rank, b.rank);
}

/// Where a block of work leaves its pairs, counted by bucket as they come.
struct PairSink {
    std::vector<PairKey>& pairs;
    uint32_t* bucket_counts;
    uint32_t bucket_shift;  // from a first rank to its bucket
};

void emit(const GridTag& a, const GridTag& b, PairSink& out) {
    if (!may_meet(a, b)) return;
    const PairKey key = key_of(a, b);
    out.pairs.push_back(key);
    ++out.bucket_counts[first_rank(key) >> out.bucket_shift];
}

// Overlapping boxes on their way to becoming pairs. Whether two boxes overlap is a coin toss to the
// processor, so a hit is always written and only sometimes counted: no branch, and the filters run later over
// hits alone.
class Hits {
  public:
    Hits(const BoxGrid& grid, PairSink& out)
        : boxes_(grid.boxes().data()), tags_(grid.tags().data()), out_(out) {}
    ~Hits() { flush(count_); }
    Hits(const Hits&) = delete;
    Hits& operator=(const Hits&) = delete;

    /// Box i, behind `test`, against the boxes from `first` whose lower.x it reaches, all of one row that
    /// ends at `end`.
    void sweep(const OverlapTest& test, uint32_t i, uint32_t first, uint32_t end) {
        const float reach = boxes_[i].upper.x;
        uint32_t count = count_;
        for (uint32_t j = first; j < end && boxes_[j].lower.x <= reach; j += kBoxesAtOnce) {
            for (uint32_t k = j; k < j + kBoxesAtOnce; ++k) {
                hits_[count] = uint64_t(i) << 32 | k;
                count += uint32_t(test(boxes_[k])) & uint32_t(k < end);
            }
            if (count + kBoxesAtOnce > kCapacity) count = flush(count);
        }
        count_ = count;
    }

  private:
    static constexpr uint32_t kCapacity = 512;

    uint32_t flush(uint32_t count) {
        size_t used = out_.pairs.size();
        out_.pairs.resize(used + count);
        for (uint32_t hit = 0; hit < count; ++hit) {
            const GridTag& a = tags_[hits_[hit] >> 32];
            const GridTag& b = tags_[uint32_t(hits_[hit])];
            const PairKey key = key_of(a, b);
            const bool wanted = may_meet(a, b);
            out_.pairs[used] = key;
            used += size_t(wanted);
            out_.bucket_counts[first_rank(key) >> out_.bucket_shift] += uint32_t(wanted);
        }
        out_.pairs.resize(used);
        return 0;
    }

    const GridBox* boxes_;
    const GridTag* tags_;
    PairSink& out_;
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

// How many slabs and rows of one level are looked at when every row of another looks for neighbours: an
// estimate from counts alone, that of levels spread evenly over the same space.
double search_cost(const GridLevel& walked, const GridLevel& searched) {
    const double slabs = double(searched.last_slab - searched.first_slab);
    const double rows_per_slab = double(searched.last_row - searched.first_row) / slabs;
    const double cells =
        searched.scale / walked.scale + 2.0;  // of the searched level, that one walked row crosses
    return double(walked.last_row - walked.first_row) * std::min(slabs, cells) *
           (1.0 + std::min(rows_per_slab, cells));
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
    choose_buckets(rank_count);
    const uint32_t block_lists = (item_count_ + kSearchBlock - 1) / kSearchBlock;
    list_count_ = block_lists + uint32_t(grid.unbounded().size());
    if (lists_.size() < list_count_) lists_.resize(list_count_);
    bucket_places_.assign(size_t(list_count_) * bucket_count_, 0u);
    // Boxes wander from block to block. Every list gets the room of the longest, so that lists do not grow
    // one by one for hundreds of steps; the few that are far longer (a crowd in one point) keep their room to
    // themselves.
    constexpr size_t kMostShared = 4096;
    for (uint32_t list = 0; list < block_lists; ++list)
        lists_[list].reserve(std::min(longest_list_, kMostShared));
    search(grid, jobs);
    search_unbounded(grid, block_lists, jobs);
    for (uint32_t list = 0; list < block_lists; ++list)
        longest_list_ = std::max(longest_list_, std::bit_ceil(lists_[list].size()));
    sort(jobs);
}

// Which level walks and which is searched. Two levels at rest have nothing to say to each other. The cheaper
// way round is taken: a single ground looks up the rows it overlaps, but of many large boxes among small
// ones, the small ones ask.
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
            if (search_cost(levels[small], levels[large]) < search_cost(levels[large], levels[small])) {
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
    jobs.parallel_for(item_count_, kSearchBlock, [&](const engine::JobBlock& block) {
        PairSink out{lists_[block.block], counts_of(block.block), bucket_shift_};
        out.pairs.clear();
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
void PairFinder::search_unbounded(const BoxGrid& grid, uint32_t first_list, engine::Jobs& jobs) {
    const std::span<const UnboundedBox> unbounded = grid.unbounded();
    jobs.parallel_for(uint32_t(unbounded.size()), 1, [&](const engine::JobBlock& block) {
        const uint32_t list = first_list + block.block;
        PairSink out{lists_[list], counts_of(list), bucket_shift_};
        out.pairs.clear();
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

// Pairs are gathered into buckets of consecutive first ranks: some hundred ranks each, whose counters fit the
// first cache.
void PairFinder::choose_buckets(uint32_t rank_count) {
    constexpr uint32_t kBitsInBucket = 9, kMostBucketBits = 8;
    rank_bits_ = rank_count > 1 ? uint32_t(std::bit_width(rank_count - 1)) : 0;
    const uint32_t bucket_bits = std::min(rank_bits_ - std::min(rank_bits_, kBitsInBucket), kMostBucketBits);
    bucket_shift_ = rank_bits_ - bucket_bits;
    bucket_count_ = 1u << bucket_bits;
}

// Gathers the lists into their buckets, then sorts each bucket alone: the first pass is the copy that
// gathering needs anyway, and the buckets are independent of each other.
void PairFinder::sort(engine::Jobs& jobs) {
    bucket_begins_.resize(bucket_count_ + 1);
    uint32_t sum = 0;
    for (uint32_t bucket = 0; bucket < bucket_count_; ++bucket) {
        bucket_begins_[bucket] = sum;
        for (uint32_t list = 0; list < list_count_; ++list)
            sum += std::exchange(bucket_places_[size_t(list) * bucket_count_ + bucket], sum);
    }
    bucket_begins_[bucket_count_] = sum;
    pairs_.resize(sum);
    pairs_scratch_.resize(sum);
    if (sum == 0) return;
    jobs.parallel_for(list_count_, 16, [&](const engine::JobBlock& block) {
        for (uint32_t list = block.begin; list < block.end; ++list) {
            uint32_t* places = counts_of(list);
            for (const PairKey key : lists_[list])
                pairs_scratch_[places[first_rank(key) >> bucket_shift_]++] = key;
        }
    });
    ends_.resize(size_t(bucket_count_) << bucket_shift_);
    jobs.parallel_for(bucket_count_, 1, [&](const engine::JobBlock& block) { sort_bucket(block.begin); });
}

// One bucket, from the scratch to its place: counted out by first rank, then each short list of second ranks
// by insertion.
void PairFinder::sort_bucket(uint32_t bucket) {
    const uint32_t begin = bucket_begins_[bucket], end = bucket_begins_[bucket + 1];
    const uint32_t ranks = 1u << bucket_shift_;
    uint32_t* ends = ends_.data() + (size_t(bucket) << bucket_shift_);
    std::fill_n(ends, ranks, 0u);
    for (uint32_t i = begin; i < end; ++i) ++ends[first_rank(pairs_scratch_[i]) & (ranks - 1)];
    uint32_t sum = begin;
    for (uint32_t rank = 0; rank < ranks; ++rank) sum += std::exchange(ends[rank], sum);
    for (uint32_t i = begin; i < end; ++i) {
        const PairKey key = pairs_scratch_[i];
        pairs_[ends[first_rank(key) & (ranks - 1)]++] = key;
    }
    for (uint32_t rank = 0, first = begin; rank < ranks; first = ends[rank], ++rank)
        sort_by_key(std::span(pairs_).subspan(first, ends[rank] - first),
                    std::span(pairs_scratch_).subspan(first, ends[rank] - first), rank_bits_,
                    [](PairKey key) { return second_rank(key); });
}

}  // namespace proxima::physics
