// SPDX-License-Identifier: MIT
// Pairs of boxes that may come to overlap while their movers stay in the fat boxes that were searched around them,
// and when each has to be looked at again: boxes that are far from touching, or deep in each other, need not
// be compared until something has moved that far.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/capacity.h"
#include "engine/core/math.h"
#include "physics/broadphase/pair_sort.h"
#include "physics/broadphase/proxy.h"

namespace proxima::physics {

class NearPairs {
  public:
    /// Takes pairs, ascending, of which those that overlap go to `overlapping`. `boxes` and `filters` are by slot.
    void begin(std::vector<PairKey>& keys, std::span<const uint32_t> slot_of_rank, std::span<const Aabb> boxes,
               std::span<const ProxyFilter> filters, std::vector<PairKey>& overlapping);

    /// Boxes are now as in `boxes`; since the last call no bound of any has moved by more than `step`. Leaves
    /// the pairs that overlap no more in gone(), and those that do now in come(), ascending.
    void advance(double step, std::span<const Aabb> boxes);

    std::span<const PairKey> gone() const { return gone_; }
    std::span<const PairKey> come() const { return come_; }
    size_t bytes() const { return capacity_bytes(keys_, pairs_, due_, gone_, come_); }

  private:
    struct Pair {
        uint32_t a = 0, b = 0;  // slots
        bool both_move = false;
        bool overlaps = false;
    };
    double look(Pair& pair, const Aabb* boxes) const;

    std::vector<PairKey> keys_;
    std::vector<Pair> pairs_;
    std::vector<double> due_;  // travel at which the pair may change
    double travel_ = 0.0;      // sum of all steps
    std::vector<PairKey> gone_, come_;
};

/// A fat box with room to go on as it went from `before` to `now` for some updates, and a little to all sides.
/// Boxes that are inverted, not numbers or without bounds get no room.
Aabb fat_box_around(const Aabb& before, const Aabb& now);

/// How far the bound of a box went that went furthest; infinite where one came from or went to infinity.
float distance_between(const Aabb& before, const Aabb& now);

/// Whether an ordered box lies in the fat box.
inline bool is_within(const Aabb& box, const Aabb& fat_box) {
    bool result = true;
    for (int axis = 0; axis < 3; ++axis) {
        // No branch: all three are computed whatever the first says.
        const bool above = fat_box.lower[axis] <= box.lower[axis];
        const bool below = box.upper[axis] <= fat_box.upper[axis];
        const bool ordered = box.lower[axis] <= box.upper[axis];
        result &= above & below & ordered;
    }
    return result;
}

}  // namespace proxima::physics
