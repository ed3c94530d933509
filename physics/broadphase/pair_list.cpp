// SPDX-License-Identifier: MIT
#include "physics/broadphase/pair_list.h"

#include <algorithm>

namespace proxima::physics {

namespace {

constexpr uint32_t kPairBlock = 4096;

PairKey to_common_ranks(PairKey key, const std::vector<uint32_t>& common_rank) {
    return PairKey(common_rank[first_rank(key)]) << 32 | common_rank[second_rank(key)];
}

void all_to_common_ranks(std::span<const PairKey> keys, const std::vector<uint32_t>& common_rank,
                         std::vector<PairKey>& out, engine::Jobs& jobs) {
    out.resize(keys.size());
    jobs.parallel_for(uint32_t(keys.size()), kPairBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) out[i] = to_common_ranks(keys[i], common_rank);
    });
}

ProxyPair ids_of(PairKey key, const RankTable& ranks) {
    return {ProxyId{ranks.slot_of_rank[first_rank(key)]}, ProxyId{ranks.slot_of_rank[second_rank(key)]}};
}

}  // namespace

size_t PairList::bytes() const {
    size_t sum = capacity_bytes(keys_, pairs_, begun_, ended_, other_keys_, other_pairs_, before_, after_,
                                dropped_blocks_, dropped_, dropped_keys_, gone_, come_, come_before_);
    for (const std::vector<uint32_t>& dropped : dropped_blocks_) sum += capacity_bytes(dropped);
    return sum + difference_.bytes();
}

void PairList::clear_changes() {
    begun_.clear();
    ended_.clear();
}

// Room for many changes at once, so that a busy step among quiet ones allocates nothing.
void PairList::reserve() {
    const size_t pairs = keys_.capacity();
    const size_t changes = pairs / 4 + 64;
    begun_.reserve(changes);
    ended_.reserve(changes);
    other_keys_.reserve(pairs);
    other_pairs_.reserve(pairs);
    dropped_.reserve(pairs);
    dropped_keys_.reserve(pairs);
    gone_.reserve(changes);
    come_.reserve(changes);
    come_before_.reserve(changes);
    difference_.reserve(changes);
    for (std::vector<uint32_t>& dropped : dropped_blocks_) dropped.reserve(kPairBlock);
}

void PairList::note_ended(uint32_t index, const RankTable& ranks) {
    const std::vector<uint32_t>& orders = ranks.changed ? ranks.old_order_of_rank : ranks.order_of_rank;
    ended_.push_back(
        {pairs_[index].a, pairs_[index].b, orders[first_rank(keys_[index])], orders[second_rank(keys_[index])]});
}

void PairList::note_begun(PairKey key, const RankTable& ranks) {
    const ProxyPair ids = ids_of(key, ranks);
    begun_.push_back({ids.a, ids.b, ranks.order_of_rank[first_rank(key)], ranks.order_of_rank[second_rank(key)]});
}

// When proxies came or went, ranks are no common measure of old and new keys, and common ranks are compared instead.
void PairList::replace(std::vector<PairKey>& keys, const RankTable& ranks, engine::Jobs& jobs) {
    clear_changes();
    if (ranks.changed) {
        all_to_common_ranks(keys_, ranks.old_common_rank, before_, jobs);
        all_to_common_ranks(keys, ranks.new_common_rank, after_, jobs);
        difference_.find(before_, after_, jobs);
    } else {
        difference_.find(keys_, keys, jobs);
    }
    for (const uint32_t index : difference_.gone()) note_ended(index, ranks);
    for (const uint32_t index : difference_.come()) note_begun(keys[index], ranks);
    keys_.swap(keys);
    reserve();
    // The ids of pairs that stayed are the same, but most of them would have to move.
    if (difference_.gone().empty() && difference_.come().empty()) return;
    pairs_.resize(keys_.size());
    jobs.parallel_for(uint32_t(keys_.size()), kPairBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) pairs_[i] = ids_of(keys_[i], ranks);
    });
}

void PairList::patch(std::span<const uint8_t> flag_of_old_rank, std::span<const PairKey> found, const RankTable& ranks,
                     engine::Jobs& jobs) {
    clear_changes();
    drop(flag_of_old_rank, jobs);
    dropped_keys_.clear();
    for (const uint32_t index : dropped_) dropped_keys_.push_back(keys_[index]);
    if (ranks.changed) {
        for (PairKey& key : dropped_keys_) key = to_common_ranks(key, ranks.old_common_rank);
        all_to_common_ranks(found, ranks.new_common_rank, after_, jobs);
        difference_.find(dropped_keys_, after_, jobs);
    } else {
        difference_.find(dropped_keys_, found, jobs);
    }
    if (!ranks.changed && difference_.gone().empty() && difference_.come().empty()) return;

    gone_.clear();
    for (const uint32_t i : difference_.gone()) {
        gone_.push_back(dropped_[i]);
        note_ended(dropped_[i], ranks);
    }
    come_.clear();
    come_before_.clear();
    for (const uint32_t i : difference_.come()) {
        const PairKey key = found[i];
        come_.push_back(key);
        note_begun(key, ranks);
        const PairKey measure = ranks.changed ? to_common_ranks(key, ranks.new_common_rank) : key;
        const auto before = std::partition_point(
            keys_.begin() + (come_before_.empty() ? 0 : come_before_.back()), keys_.end(),
            [&](PairKey old) { return (ranks.changed ? to_common_ranks(old, ranks.old_common_rank) : old) < measure; });
        come_before_.push_back(uint32_t(before - keys_.begin()));
    }
    splice(ranks, jobs);
}

void PairList::change(std::span<const PairKey> gone, std::span<const PairKey> come, const RankTable& ranks,
                      engine::Jobs& jobs) {
    clear_changes();
    if (gone.empty() && come.empty()) return;
    const auto index_of = [&](PairKey key, const std::vector<uint32_t>& indices_before) {
        const auto from = keys_.begin() + (indices_before.empty() ? 0 : indices_before.back());
        return uint32_t(std::lower_bound(from, keys_.end(), key) - keys_.begin());
    };
    gone_.clear();
    for (const PairKey key : gone) {
        gone_.push_back(index_of(key, gone_));
        note_ended(gone_.back(), ranks);
    }
    come_.assign(come.begin(), come.end());
    come_before_.clear();
    for (const PairKey key : come) {
        come_before_.push_back(index_of(key, come_before_));
        note_begun(key, ranks);
    }
    splice(ranks, jobs);
}

// Indices of the pairs that have a flag.
void PairList::drop(std::span<const uint8_t> flag_of_old_rank, engine::Jobs& jobs) {
    const uint32_t count = uint32_t(keys_.size());
    const uint32_t blocks = engine::block_count(count, kPairBlock);
    if (dropped_blocks_.size() < blocks) dropped_blocks_.resize(blocks);
    jobs.parallel_for(count, kPairBlock, [&](const engine::JobBlock& block) {
        std::vector<uint32_t>& out = dropped_blocks_[block.block];
        out.clear();
        for (uint32_t i = block.begin; i < block.end; ++i)
            if ((flag_of_old_rank[first_rank(keys_[i])] | flag_of_old_rank[second_rank(keys_[i])]) != 0)
                out.push_back(i);
    });
    dropped_.clear();
    for (uint32_t block = 0; block < blocks; ++block)
        dropped_.insert(dropped_.end(), dropped_blocks_[block].begin(), dropped_blocks_[block].end());
}

// Copies the list without those gone and with those come. Every block of old pairs knows from the numbers of
// both before it where its part of the new list begins.
void PairList::splice(const RankTable& ranks, engine::Jobs& jobs) {
    const uint32_t old_count = uint32_t(keys_.size());
    const uint32_t new_count = old_count - uint32_t(gone_.size()) + uint32_t(come_.size());
    other_keys_.resize(new_count);
    other_pairs_.resize(new_count);
    const auto before = [](const std::vector<uint32_t>& indices, uint32_t index) {
        return uint32_t(std::lower_bound(indices.begin(), indices.end(), index) - indices.begin());
    };
    const auto insert = [&](uint32_t come, uint32_t to) {
        other_keys_[to] = come_[come];
        other_pairs_[to] = ids_of(come_[come], ranks);
    };
    const auto copy = [&](uint32_t begin, uint32_t end, uint32_t to) {
        std::copy(pairs_.begin() + begin, pairs_.begin() + end, other_pairs_.begin() + to);
        if (!ranks.changed) {
            std::copy(keys_.begin() + begin, keys_.begin() + end, other_keys_.begin() + to);
            return;
        }
        for (uint32_t i = begin; i < end; ++i, ++to)
            other_keys_[to] = PairKey(ranks.new_rank_of_old[first_rank(keys_[i])]) << 32 |
                              ranks.new_rank_of_old[second_rank(keys_[i])];
    };
    jobs.parallel_for(old_count, kPairBlock, [&](const engine::JobBlock& block) {
        uint32_t gone = before(gone_, block.begin), come = before(come_before_, block.begin);
        const uint32_t come_end = before(come_before_, block.end);
        uint32_t from = block.begin, to = block.begin - gone + come;
        while (from < block.end) {
            while (come < come_end && come_before_[come] == from) insert(come++, to++);
            if (gone < gone_.size() && gone_[gone] == from) {
                ++gone;
                ++from;
                continue;
            }
            uint32_t next = block.end;
            if (gone < gone_.size()) next = std::min(next, gone_[gone]);
            if (come < come_end) next = std::min(next, come_before_[come]);
            copy(from, next, to);
            to += next - from;
            from = next;
        }
    });
    for (uint32_t come = before(come_before_, old_count); come < come_.size(); ++come)
        insert(come, new_count - uint32_t(come_.size()) + come);
    keys_.swap(other_keys_);
    pairs_.swap(other_pairs_);
}

}  // namespace proxima::physics
