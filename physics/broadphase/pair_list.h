// SPDX-License-Identifier: MIT
// The pairs of the broadphase from update to update: replaced as a whole or patched, and what began and ended either
// way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/jobs/jobs.h"
#include "physics/broadphase/key_difference.h"
#include "physics/broadphase/pair_sort.h"
#include "physics/broadphase/proxy.h"

namespace proxima::physics {

/// Ranks are indices in the caller's order: dense, so that pairs of them need few bits to sort, and moved
/// whenever proxies come or go.
struct RankTable {
    std::vector<uint32_t> slot_of_rank;
    std::vector<uint32_t> order_of_rank;

    bool changed = false;  // since the last update; only then the rest is true
    // Of the ranks of the last update: their orders, where they are now (kNoRank when gone), and the rank of
    // old and new ranks in one list of all proxies that were or are there. Those that stayed have one such rank.
    std::vector<uint32_t> old_order_of_rank;
    std::vector<uint32_t> new_rank_of_old;
    std::vector<uint32_t> old_common_rank;
    std::vector<uint32_t> new_common_rank;

    static constexpr uint32_t kNoRank = 0xFFFFFFFFu;
};

class PairList {
  public:
    /// Takes `keys`, ascending in new ranks, in place of all pairs.
    void replace(std::vector<PairKey>& keys, const RankTable& ranks, engine::Jobs& jobs);

    /// Takes `found` in place of those pairs that have an old rank with a flag; flagged are all ranks that are gone.
    void patch(std::span<const uint8_t> flag_of_old_rank, std::span<const PairKey> found, const RankTable& ranks,
               engine::Jobs& jobs);

    /// Takes out the pairs `gone`, which are there, and puts in `come`, which are not; both ascending. Ranks
    /// are those of the last update.
    void change(std::span<const PairKey> gone, std::span<const PairKey> come, const RankTable& ranks,
                engine::Jobs& jobs);

    void clear_changes();
    size_t bytes() const;

    std::span<const ProxyPair> pairs() const { return pairs_; }
    std::span<const PairChange> begun() const { return begun_; }
    std::span<const PairChange> ended() const { return ended_; }

  private:
    void reserve();
    void drop(std::span<const uint8_t> flag_of_old_rank, engine::Jobs& jobs);
    void splice(const RankTable& ranks, engine::Jobs& jobs);
    void note_ended(uint32_t index, const RankTable& ranks);
    void note_begun(PairKey key, const RankTable& ranks);

    std::vector<PairKey> keys_;  // of pairs_
    std::vector<ProxyPair> pairs_;
    std::vector<PairChange> begun_;
    std::vector<PairChange> ended_;
    KeyDifference difference_;

    // Memory of the last update, used again.
    std::vector<PairKey> other_keys_;
    std::vector<ProxyPair> other_pairs_;
    std::vector<PairKey> before_, after_;  // in places
    std::vector<std::vector<uint32_t>> dropped_blocks_;
    std::vector<uint32_t> dropped_;  // indices into keys_
    std::vector<PairKey> dropped_keys_;
    std::vector<uint32_t> gone_;         // indices into keys_
    std::vector<PairKey> come_;          // keys
    std::vector<uint32_t> come_before_;  // indices into keys_
};

}  // namespace proxima::physics
