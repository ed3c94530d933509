// SPDX-License-Identifier: MIT
// What a snapshot has of a physics world beside its components: what depends on history, so that equal snapshots have equal
// futures. Kept from the restore to the first step, which takes it over.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/colliders/colliders.h"
#include "physics/pairs/pairs.h"
#include "physics/solve/direct/direct_solver.h"

namespace proxima::physics {

struct RestoredState {
    std::vector<SavedPair> pairs;
    std::vector<SavedManifold> manifolds;
    std::vector<SavedBox> boxes;
    // By body slot, empty when the lists of bodies were not up to date: its slab, and whether it was awake.
    std::vector<uint8_t> partitions;
    uint64_t graph_changed_in_step = 0, slabs_cut_in_step = 0;
    std::vector<direct::SavedFactor> factors;
    std::vector<float> factor_values;
    std::vector<Entity> reshaped_bodies;

    template <class Archive>
    void visit(Archive& archive) {
        archive.state(pairs, manifolds, boxes, partitions);
        archive.value(graph_changed_in_step);
        archive.value(slabs_cut_in_step);
        archive.state(factors, factor_values, reshaped_bodies);
    }
};

/// A sentence when counts do not fit together or a number makes no sense.
Result<void> check_history(const RestoredState& state);

}  // namespace proxima::physics
