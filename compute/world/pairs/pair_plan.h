// SPDX-License-Identifier: MIT
// What the host decides about the search for pairs, from the shapes alone: which sizes of colliders share a
// level of the grid, and which few are so large that everybody is held against them.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/world/world_data.h"
#include "compute/world/world_layout.h"

namespace proxima::compute::world {

struct PairPlan {
    std::vector<vec4> limits;  // a collider: bits of its level; m: max travel, reach of turning, max sideways
    std::vector<vec4> levels;  // from fine to coarse, then that of large ones: 1 / cell size, cell size
    uint32_t large = 0;        // colliders of the last level, which has no cells
};

/// The same for the same colliders and shapes, whatever the poses: owners of pairs follow from the levels.
PairPlan plan_pairs(const WorldData& data);

}  // namespace proxima::compute::world
