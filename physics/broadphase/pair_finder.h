// SPDX-License-Identifier: MIT
// Finds the overlapping pairs of grids of boxes, each once, sorted by rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/jobs/jobs.h"
#include "physics/broadphase/box_grid.h"
#include "physics/broadphase/pair_sort.h"

namespace proxima::physics {

class PairFinder {
  public:
    /// Pairs of one box of `a` with one of `b`; inside one grid when both are the same. Grids that meet have
    /// the same axes.
    struct Meeting {
        const BoxGrid* a = nullptr;
        const BoxGrid* b = nullptr;
    };

    /// Leaves the pairs of all meetings in `pairs`, ascending; no two meetings may find the same pair. All
    /// ranks are below `rank_count`.
    void find(std::span<const Meeting> meetings, uint32_t rank_count, std::vector<PairKey>& pairs, engine::Jobs& jobs);
    size_t bytes() const {
        size_t sum = capacity_bytes(level_meetings_, unbounded_meetings_, scratch_) + sort_.bytes();
        for (const Scratch& scratch : scratch_) sum += capacity_bytes(scratch.walkers, scratch.hits);
        return sum;
    }

  private:
    /// All boxes of one level held against another level, or against the later ones of their own.
    struct LevelMeeting {
        const BoxGrid* walked = nullptr;
        const BoxGrid* searched = nullptr;
        uint32_t walked_level = 0;
        uint32_t searched_level = 0;
        uint32_t first_item = 0;  // index of its first box in the list of all work
    };
    /// A box without bounds held against all levels of a grid, and its unbounded boxes from one on.
    struct UnboundedMeeting {
        const UnboundedBox* one = nullptr;
        const BoxGrid* grid = nullptr;
        uint32_t first_unbounded = 0;
    };
    struct Scratch {
        std::vector<uint32_t> walkers;
        std::vector<uint32_t> hits;
    };
    class Sweep;

    void plan(std::span<const Meeting> meetings);
    void plan_levels(const Meeting& meeting);
    void add(const BoxGrid& walked, uint32_t walked_level, const BoxGrid& searched, uint32_t searched_level);
    void search(engine::Jobs& jobs);
    void search_part(const LevelMeeting& meeting, uint32_t begin, uint32_t end, Sweep& sweep) const;
    void search_unbounded(uint32_t first_list, engine::Jobs& jobs);

    std::vector<LevelMeeting> level_meetings_;
    std::vector<UnboundedMeeting> unbounded_meetings_;
    uint32_t item_count_ = 0;
    std::vector<Scratch> scratch_;  // per worker
    PairSort sort_;
};

}  // namespace proxima::physics
