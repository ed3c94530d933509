// SPDX-License-Identifier: MIT
// What a snapshot has of a physics world beside its components: what depends on history, so that equal snapshots have
// equal futures. Kept from the restore to the first step, which takes it over.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/colliders/colliders.h"
#include "physics/pairs/pairs.h"
#include "physics/solve/direct/direct_solver.h"

namespace proxima::physics {

/// A body in a snapshot: where it was last seen, so that one that was put elsewhere since is noticed; its slab, and
/// whether it took part in the last step.
struct SavedBody {
    uint32_t stable_id = 0;
    uint8_t slab = 0;
    uint8_t was_awake = 0;
    uint8_t unused[2] = {};
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
    Vec3 center{0.0f, 0.0f, 0.0f};
};
static_assert(sizeof(SavedBody) == 36);

struct RestoredState {
    std::vector<SavedPair> pairs;
    std::vector<SavedManifold> manifolds;
    std::vector<SavedBox> boxes;
    std::vector<SavedBody> bodies;   // in the order of their slots
    uint32_t lists_are_current = 0;  // 1: nothing came, went or changed since the last step
    uint64_t graph_changed_in_step = 0, slabs_cut_in_step = 0;
    std::vector<direct::SavedFactor> factors;
    std::vector<float> factor_values;
    std::vector<Entity> reshaped_bodies;

    template <class Archive>
    void visit(Archive& archive) {
        archive.state(pairs, manifolds, boxes, bodies);
        archive.value(lists_are_current);
        archive.value(graph_changed_in_step);
        archive.value(slabs_cut_in_step);
        archive.state(factors, factor_values, reshaped_bodies);
    }
};

/// A sentence when counts do not fit together or a number makes no sense.
Result<void> check_history(const RestoredState& state);

}  // namespace proxima::physics
