// SPDX-License-Identifier: MIT
// Sorts pairs that many blocks of work have found into one ascending list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/capacity.h"
#include "engine/jobs/jobs.h"

namespace proxima::physics {

/// Two ranks in one number, the lower rank in the upper half: pairs sort as plain integers.
using PairKey = uint64_t;
inline uint32_t first_rank(PairKey key) { return uint32_t(key >> 32); }
inline uint32_t second_rank(PairKey key) { return uint32_t(key); }

/// Pairs as one block of work has found them. Longer than `count`, so that what grows is rarely cleared.
struct FoundPairs {
    std::vector<PairKey> keys;
    size_t count = 0;
};

/// Where a block of work leaves its pairs, counted by bucket as they come.
struct PairSink {
    FoundPairs& found;
    uint32_t* bucket_counts;
    uint32_t bucket_shift;  // from a first rank to its bucket
};

class PairSort {
  public:
    /// Prepares `list_count` empty lists for pairs of ranks below `rank_count`.
    void begin(uint32_t rank_count, uint32_t list_count);
    PairSink sink(uint32_t list) {
        return {lists_[list], bucket_offsets_.data() + size_t(list) * bucket_count_, bucket_shift_};
    }
    /// The pairs of all lists, which are unique, in ascending order.
    void finish(std::vector<PairKey>& pairs, engine::Jobs& jobs);
    size_t bytes() const {
        size_t sum = capacity_bytes(lists_, bucket_offsets_, bucket_begins_, ends_, scratch_, second_ranks_);
        for (const FoundPairs& list : lists_) sum += capacity_bytes(list.keys);
        return sum;
    }

  private:
    void sort_bucket(uint32_t bucket, std::span<PairKey> pairs);

    uint32_t list_count_ = 0;
    size_t longest_list_ = 256;  // so far, rounded up to a power of two; room only, never a result
    uint32_t bucket_shift_ = 0;
    uint32_t bucket_count_ = 1;
    std::vector<FoundPairs> lists_;         // one per block of work, in block order; kept for their memory
    std::vector<uint32_t> bucket_offsets_;  // per (list, bucket): first the count, then the offset
    std::vector<uint32_t> bucket_begins_;
    std::vector<uint32_t> ends_;  // per first rank: where its pairs end
    std::vector<PairKey> scratch_;
    std::vector<uint32_t> second_ranks_;  // by first rank
};

}  // namespace proxima::physics
