// SPDX-License-Identifier: MIT
// The one way stages walk over islands: in parallel, batch by batch, each island as a system of its own.
#pragma once

#include <span>

#include "physics/step.h"

namespace proxima::physics {

/// Calls work(number, island, system) for every island of the general path with contacts. Scratch of the
/// worker is system.scratch().
template <class Work>
void for_each_island(StepContext& c, const Work& work) {
    c.jobs->parallel_for(uint32_t(c.batches.size()), 1, [&](const engine::JobBlock& block) {
        const IslandBatch batch = c.batches[block.begin];
        for (uint32_t n = batch.begin; n < batch.end; ++n) {
            const Island& island = c.islands[n];
            if (island.group_begin == island.group_end || c.island_way[n] != IslandWay::apart) continue;
            const std::span<const uint32_t> bodies(c.island_bodies.data() + island.body_begin,
                                                   island.body_end - island.body_begin);
            BodySystem system(c.problem, island.group_begin, island.group_end, bodies,
                              c.scratch[block.worker].solver);
            work(n, island, system);
        }
    });
}

}  // namespace proxima::physics
