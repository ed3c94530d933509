// SPDX-License-Identifier: MIT
// Finds pairs of overlapping boxes without a tree: boxes are sorted into a grid of several levels, so that
// sizes may differ by any factor. Proxies live as long as their colliders; pairs come out sorted by the
// proxies' stable order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/math.h"
#include "engine/jobs/jobs.h"
#include "physics/broadphase/box_grid.h"
#include "physics/broadphase/key_difference.h"
#include "physics/broadphase/pair_finder.h"
#include "physics/broadphase/proxy.h"

namespace proxima::physics {

class Broadphase {
  public:
    /// `order` is a stable number of the caller (unique among live proxies) that fixes the order of pairs.
    /// The id of a removed proxy may be given again.
    ProxyId insert(const Aabb& box, const ProxyFilter& filter, uint32_t order);
    void remove(ProxyId id);
    void set_box(ProxyId id, const Aabb& box);
    /// boxes[i] becomes the box of ids[i].
    void set_boxes(std::span<const ProxyId> ids, std::span<const Aabb> boxes);
    void set_filter(ProxyId id, const ProxyFilter& filter);

    const Aabb& box(ProxyId id) const { return boxes_[slot_of(id)]; }
    const ProxyFilter& filter(ProxyId id) const { return filters_[slot_of(id)]; }
    uint32_t order(ProxyId id) const { return orders_[slot_of(id)]; }
    size_t size() const { return boxes_.size() - free_.size(); }

    /// Brings pairs() up to date with the boxes. Boxes touching in a face count as overlapping. Bounds may be
    /// infinite (half-spaces); a box with a NaN bound, or inverted, pairs with nothing. The result does not
    /// depend on the number of workers or on history. Returns at once when nothing has changed since the last
    /// call.
    void update(engine::Jobs& jobs);

    /// All overlapping pairs, each once, sorted by (order(a), order(b)). Changes in update() only, so it may
    /// name a proxy that has been removed since.
    std::span<const ProxyPair> pairs() const { return pairs_; }

    /// What the last update() changed in pairs(), sorted in the same way: pairs that were not there before
    /// it, and pairs that are there no more. A proxy is never the same as one removed before it, also where
    /// it has its id or its order: the pairs of the one end, those of the other begin. A pair that came and
    /// went between two updates is in neither.
    std::span<const PairChange> begun() const { return begun_; }
    std::span<const PairChange> ended() const { return ended_; }

    /// Appends every proxy whose box overlaps `box`, sorted by order. Sees boxes as of the last update(),
    /// without the proxies removed since. May be called from several threads at once.
    void query(const Aabb& box, std::vector<ProxyId>& out) const;

  private:
    enum class State : uint8_t {
        free,   // the slot waits for a proxy
        fresh,  // inserted since the last update()
        known,  // has a rank and a place in the grid
    };

    uint32_t slot_of(ProxyId id) const;
    void update_ranks();
    void find_changes(engine::Jobs& jobs);
    void find_places();

    // Proxies, by slot. A free slot has an inverted box, which the grid passes over.
    std::vector<Aabb> boxes_;
    std::vector<ProxyFilter> filters_;
    std::vector<uint32_t> orders_;
    std::vector<uint32_t> ranks_;
    std::vector<State> states_;
    std::vector<uint32_t> free_;

    std::vector<uint32_t> fresh_;  // slots inserted since the last update(), possibly removed again
    std::vector<uint32_t>
        by_order_;  // slots of known proxies in ascending order; the rank is the place in here
    std::vector<uint32_t> by_order_scratch_;
    std::vector<uint32_t> order_of_rank_;
    // When proxies came or went: the orders of the update before, by the ranks of then, and the place of old
    // and new ranks in one list of all proxies that were or are there. Those that stayed have one place.
    std::vector<uint32_t> old_order_of_rank_;
    std::vector<uint32_t> old_place_of_rank_;
    std::vector<uint32_t> new_place_of_rank_;
    bool ranks_changed_ = false;  // proxies came or went since the last update()
    bool changed_ = false;        // anything did

    BoxGrid grid_;
    PairFinder finder_;
    std::vector<PairKey> keys_;  // of pairs_
    std::vector<PairKey> old_keys_;
    std::vector<PairKey> old_keys_in_places_, keys_in_places_;
    std::vector<ProxyPair> pairs_;
    KeyDifference difference_;
    std::vector<PairChange> begun_;
    std::vector<PairChange> ended_;
};

}  // namespace proxima::physics
