// SPDX-License-Identifier: MIT
#include "physics/broadphase/pair_sort.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "physics/broadphase/box_sweep.h"

namespace proxima::physics {

void PairSort::begin(uint32_t rank_count, uint32_t list_count) {
    // Pairs are gathered into buckets of consecutive first ranks: some hundred ranks each, whose counters fit
    // the first cache.
    constexpr uint32_t kBitsInBucket = 9, kMaxBucketBits = 8;
    const uint32_t rank_bits = rank_count > 1 ? uint32_t(std::bit_width(rank_count - 1)) : 0;
    const uint32_t bucket_bits = std::min(rank_bits - std::min(rank_bits, kBitsInBucket), kMaxBucketBits);
    bucket_shift_ = rank_bits - bucket_bits;
    bucket_count_ = 1u << bucket_bits;
    list_count_ = list_count;
    if (lists_.size() < list_count) lists_.resize(list_count);
    bucket_offsets_.assign(size_t(list_count) * bucket_count_, 0u);
    // Boxes wander from block to block. Every list gets the room of the longest, so that lists do not grow one by one
    // for hundreds of steps; the few that are far longer (a crowd in one point) keep their room to themselves.
    constexpr size_t kMaxShared = 4096;
    const size_t room = std::min(longest_list_, kMaxShared);
    for (uint32_t list = 0; list < list_count; ++list) {
        lists_[list].count = 0;
        if (lists_[list].keys.size() < room) lists_[list].keys.resize(room);
    }
}

// Gathers the lists into their buckets, then sorts each bucket alone: the first pass is the copy that
// gathering needs anyway, and the buckets are independent of each other.
void PairSort::finish(std::vector<PairKey>& pairs, engine::Jobs& jobs) {
    size_t total = 0;
    for (uint32_t list = 0; list < list_count_; ++list) {
        total += lists_[list].count;
        longest_list_ = std::max(longest_list_, std::bit_ceil(lists_[list].count));
    }
    pairs.resize(total);
    constexpr size_t kSmall = 1024;  // less than the counters below would cost
    if (total <= kSmall) {
        auto next = pairs.begin();
        for (uint32_t list = 0; list < list_count_; ++list)
            next = std::copy_n(lists_[list].keys.begin(), lists_[list].count, next);
        std::sort(pairs.begin(), pairs.end());
        return;
    }
    bucket_begins_.resize(bucket_count_ + 1);
    uint32_t sum = 0;
    for (uint32_t bucket = 0; bucket < bucket_count_; ++bucket) {
        bucket_begins_[bucket] = sum;
        for (uint32_t list = 0; list < list_count_; ++list)
            sum += std::exchange(bucket_offsets_[size_t(list) * bucket_count_ + bucket], sum);
    }
    bucket_begins_[bucket_count_] = sum;
    scratch_.resize(total);
    second_ranks_.resize(total + kFewKeys);
    jobs.parallel_for(list_count_, 8, [&](const engine::JobBlock& block) {
        for (uint32_t list = block.begin; list < block.end; ++list) {
            uint32_t* offsets = bucket_offsets_.data() + size_t(list) * bucket_count_;
            for (const PairKey key : std::span(lists_[list].keys).first(lists_[list].count))
                scratch_[offsets[first_rank(key) >> bucket_shift_]++] = key;
        }
    });
    ends_.resize(size_t(bucket_count_) << bucket_shift_);
    jobs.parallel_for(bucket_count_, 1, [&](const engine::JobBlock& block) { sort_bucket(block.begin, pairs); });
}

// One bucket, from the scratch to its place: counted out by first rank, then each short list of second ranks.
void PairSort::sort_bucket(uint32_t bucket, std::span<PairKey> pairs) {
    const uint32_t begin = bucket_begins_[bucket], end = bucket_begins_[bucket + 1];
    const uint32_t ranks = 1u << bucket_shift_;
    uint32_t* ends = ends_.data() + (size_t(bucket) << bucket_shift_);
    std::fill_n(ends, ranks, 0u);
    for (uint32_t i = begin; i < end; ++i) ++ends[first_rank(scratch_[i]) & (ranks - 1)];
    uint32_t sum = begin;
    for (uint32_t rank = 0; rank < ranks; ++rank) sum += std::exchange(ends[rank], sum);
    for (uint32_t i = begin; i < end; ++i) {
        const PairKey key = scratch_[i];
        second_ranks_[ends[first_rank(key) & (ranks - 1)]++] = second_rank(key);
    }
    const uint32_t first_of_bucket = bucket << bucket_shift_;
    if (!sweep_kernels().sort_groups(second_ranks_.data(), begin, ends, ranks, first_of_bucket, pairs.data())) return;
    for (uint32_t rank = 0, first = begin; rank < ranks; first = ends[rank], ++rank) {
        if (ends[rank] - first <= kFewKeys) continue;
        std::sort(second_ranks_.begin() + first, second_ranks_.begin() + ends[rank]);
        for (uint32_t i = first; i < ends[rank]; ++i)
            pairs[i] = PairKey(first_of_bucket + rank) << 32 | second_ranks_[i];
    }
}

}  // namespace proxima::physics
