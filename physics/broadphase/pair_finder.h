// SPDX-License-Identifier: MIT
// Finds the overlapping pairs of a grid of boxes, each once, and sorts them by rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/jobs/jobs.h"
#include "physics/broadphase/box_grid.h"

namespace proxima::physics {

/// Two ranks in one number, the lower rank in the upper half: pairs sort as plain integers.
using PairKey = uint64_t;
inline uint32_t first_rank(PairKey key) { return uint32_t(key >> 32); }
inline uint32_t second_rank(PairKey key) { return uint32_t(key); }

class PairFinder {
  public:
    /// Finds the pairs of `grid`; all ranks are below `rank_count`.
    void find(const BoxGrid& grid, uint32_t rank_count, engine::Jobs& jobs);

    /// Hands over the pairs found, ascending and unique, for a vector whose memory may be used again.
    void take(std::vector<PairKey>& pairs) { pairs_.swap(pairs); }

  private:
    /// All boxes of one level held against another level, or against the later ones of their own.
    struct Meeting {
        uint32_t walked = 0;      // level whose boxes are walked
        uint32_t searched = 0;    // level that is searched for each of them
        uint32_t first_item = 0;  // place of its first box in the list of all work
    };

    void plan(const BoxGrid& grid);
    void choose_buckets(uint32_t rank_count);
    void search(const BoxGrid& grid, engine::Jobs& jobs);
    void search_unbounded(const BoxGrid& grid, uint32_t first_list, engine::Jobs& jobs);
    void sort(engine::Jobs& jobs);
    void sort_bucket(uint32_t bucket);
    uint32_t* counts_of(uint32_t list) { return bucket_places_.data() + size_t(list) * bucket_count_; }

    std::vector<Meeting> meetings_;
    uint32_t item_count_ = 0;
    uint32_t list_count_ = 0;
    size_t longest_list_ = 256;  // so far, rounded up to a power of two; room only, never a result
    uint32_t rank_bits_ = 0;
    uint32_t bucket_shift_ = 0;  // from a first rank to its bucket
    uint32_t bucket_count_ = 1;
    std::vector<std::vector<PairKey>> lists_;  // one per block of work, in block order; kept for their memory
    std::vector<uint32_t> bucket_places_;      // per (list, bucket): first the count, then the place
    std::vector<uint32_t> bucket_begins_;
    std::vector<uint32_t> ends_;  // per first rank: where its pairs end
    std::vector<PairKey> pairs_;
    std::vector<PairKey> pairs_scratch_;
};

}  // namespace proxima::physics
