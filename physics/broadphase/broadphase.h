// SPDX-License-Identifier: MIT
// Finds pairs of overlapping boxes without a tree: boxes are sorted into a grid of several levels, so that
// sizes may differ by any factor. When few boxes have changed since the last update, only those are looked
// at. Proxies live as long as their colliders; pairs come out sorted by the proxies' stable order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/math.h"
#include "engine/jobs/jobs.h"
#include "physics/broadphase/box_cast.h"
#include "physics/broadphase/box_grid.h"
#include "physics/broadphase/near_pairs.h"
#include "physics/broadphase/pair_finder.h"
#include "physics/broadphase/pair_list.h"
#include "physics/broadphase/proxy.h"

namespace proxima::physics {

class Broadphase {
  public:
    /// `order` is a stable number of the caller (unique among live proxies) that fixes the order of pairs.
    /// The id of a removed proxy may be given again.
    ProxyId insert(const Aabb& box, const ProxyFilter& filter, uint32_t order);
    void remove(ProxyId id);
    void set_box(ProxyId id, const Aabb& box);
    /// boxes[i] becomes the box of ids[i]; with `jobs` in parallel, and then no id may be there twice.
    void set_boxes(std::span<const ProxyId> ids, std::span<const Aabb> boxes);
    void set_boxes(std::span<const ProxyId> ids, std::span<const Aabb> boxes, engine::Jobs& jobs);
    void set_filter(ProxyId id, const ProxyFilter& filter);

    const Aabb& box(ProxyId id) const { return boxes_[slot_of(id)]; }
    const ProxyFilter& filter(ProxyId id) const { return filters_[slot_of(id)]; }
    uint32_t order(ProxyId id) const { return orders_[slot_of(id)]; }
    size_t size() const { return boxes_.size() - free_.size(); }
    size_t slot_count() const { return boxes_.size(); }  // the most proxies that there were at once
    size_t bytes() const;                                // memory held, used or not

    /// Brings pairs() up to date with the boxes. Boxes touching in a face count as overlapping. Bounds may be
    /// infinite (half-spaces); a box with a NaN bound, or inverted, pairs with nothing. The result does not
    /// depend on the number of workers or on history; the time does: it follows the boxes that changed since
    /// the last call, and nothing changed costs nothing.
    void update(engine::Jobs& jobs);
    bool is_up_to_date() const { return !any_changed_; }

    /// All overlapping pairs, each once, sorted by (order(a), order(b)). Changes in update() only, so it may
    /// name a proxy that has been removed since.
    std::span<const ProxyPair> pairs() const { return list_.pairs(); }

    /// What the last update() changed in pairs(), sorted in the same way: pairs that were not there before
    /// it, and pairs that are there no more. A proxy is never the same as one removed before it, also where
    /// it has its id or its order: the pairs of the one end, those of the other begin. A pair that came and
    /// went between two updates is in neither.
    std::span<const PairChange> begun() const { return list_.begun(); }
    std::span<const PairChange> ended() const { return list_.ended(); }

    /// Appends every proxy whose box overlaps `box`, sorted by order. Sees boxes as of the last update(),
    /// without the proxies removed since. May be called from several threads at once.
    void query(const Aabb& box, std::vector<ProxyId>& out) const;

    /// Appends every proxy whose box a ray, or a box moved along one, touches on its way, sorted by the
    /// fraction at which it is reached, then by order: a search for the first hit may stop as soon as
    /// fractions exceed it. Sees what query() sees, and may also be called from several threads.
    void cast(const BoxCast& cast, std::vector<CastHit>& out) const;

    /// The same without a list and in no particular order: visit(id, fraction) returns the largest fraction
    /// that is still of interest, so that a first hit cuts the path short.
    template <class Visit>
    void for_cast(const BoxCast& cast, Visit&& visit) const;

  private:
    enum class State : uint8_t {
        free,   // the slot waits for a proxy
        fresh,  // inserted since the last update()
        known,  // has a rank and an index in a grid
    };
    /// The grids that boxes are in. Only few boxes are in the last two: when they are many, all are sorted
    /// into the first two again.
    enum Grid : uint8_t {
        kResting,  // proxies that do not move
        kMoving,
        kEarlier,  // changed since the first two were sorted
        kLatest,   // changed before the last update
        kGridCount,
        kNoGrid = kGridCount,
    };

    uint32_t slot_of(ProxyId id) const;
    void touch(uint32_t slot);
    void leave_grid(uint32_t slot);
    void collect_changed();
    void update_ranks();
    void find_common_ranks();
    bool is_cheaper_anew();
    void update_anew(engine::Jobs& jobs);
    void update_changed(engine::Jobs& jobs);
    bool can_follow() const;
    bool is_worth_following();
    void follow(engine::Jobs& jobs);
    void search_around(engine::Jobs& jobs);
    /// `moving_boxes` are those that the moving proxies get in their grid.
    void sort_all(bool resting_too, std::span<const Aabb> moving_boxes, engine::Jobs& jobs);
    void list_slots();
    void choose_axes();
    void sort_into(Grid grid, std::span<const uint32_t> slots, engine::Jobs& jobs);

    // Proxies, by slot. A free slot has an inverted box, which the grid passes over.
    std::vector<Aabb> boxes_;
    std::vector<ProxyFilter> filters_;
    std::vector<uint32_t> orders_;
    std::vector<uint32_t> ranks_;
    std::vector<State> states_;
    std::vector<uint8_t> changed_;  // since the last update(): inserted, or another box or filter
    std::vector<Grid> grid_of_;
    std::vector<uint32_t> grid_index_;  // in its grid
    std::vector<uint32_t> free_;
    uint32_t moving_count_ = 0;

    std::vector<uint32_t> fresh_;  // slots inserted since the last update(), possibly removed again
    RankTable rank_table_;
    std::vector<uint32_t> merge_scratch_;
    std::vector<uint8_t> touched_ranks_;  // of the last update: those that changed since, or are gone
    std::vector<uint32_t> changed_slots_;
    bool any_changed_ = false;
    bool resting_changed_ = false;  // a box of the resting grid or for it
    size_t put_off_ = 0;            // cost of not sorting the resting grid again since that

    std::array<BoxGrid, kGridCount> grids_;
    GridAxes axes_;
    bool sorted_ = false;      // the first two grids have been filled
    bool lists_stale_ = true;  // the next two do not fit the proxies
    bool grids_stale_ = true;  // grid_of_ does not fit the next two
    std::vector<uint32_t> resting_slots_;
    std::vector<uint32_t> moving_slots_;
    std::vector<uint32_t> earlier_slots_;
    std::vector<uint32_t> latest_slots_;
    std::vector<uint8_t> block_changed_;

    // Few that move among many at rest are followed: their grid holds fat boxes, and as long as
    // they stay in there, nothing is searched, only boxes that are near each other are compared.
    bool following_ = false;
    bool filter_changed_ = false;        // since the last update()
    std::vector<Aabb> fat_boxes_;        // by slot, of those that move
    std::vector<Aabb> shown_;            // by slot: boxes of the last update; as long as something is followed
    uint32_t updates_in_fat_boxes_ = 0;  // since the last search
    uint32_t searches_in_a_row_ = 0;     // after hardly an update
    uint32_t follow_pause_ = 0;          // updates for which following is not worth it
    NearPairs near_;

    PairFinder finder_;
    std::vector<PairKey> found_, near_found_;
    PairList list_;
};

template <class Visit>
void Broadphase::for_cast(const BoxCast& cast, Visit&& visit) const {
    CastTest test(cast);
    if (!test.is_valid()) return;
    for (const BoxGrid& grid : grids_)
        grid.for_cast(test, [&](uint32_t slot, double fraction) {
            if (following_ && &grid == &grids_[kMoving]) {
                const CastTest::Part part = test.part_in(shown_[slot].lower, shown_[slot].upper);
                if (!(part.begin <= part.end)) return;
                fraction = part.begin;
            }
            const float interest = visit(ProxyId{slot}, float(fraction));
            test.set_limit(std::min(test.limit(), double(interest)));
        });
}

}  // namespace proxima::physics
