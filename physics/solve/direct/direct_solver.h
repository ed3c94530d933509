// SPDX-License-Identifier: MIT
// All islands that are solved directly (direct_island.h), and what is kept of them from step to step.
#pragma once

#include <memory>
#include <vector>

#include "physics/solve/direct/direct_island.h"
#include "physics/solve/measure.h"

namespace proxima::physics::direct {

/// All islands that are solved directly.
struct DirectSolver {
    struct Slot {
        Identity identity;
        std::unique_ptr<DirectIsland> island;
        DirectReport report;
        MeasureSum measured;  // what the last step was measured to be
    };
    std::vector<Slot> islands;  // by partition
    std::vector<Slot> before;   // scratch
    std::vector<std::unique_ptr<DirectIsland>> spare;
    SavedFactors restored;  // of a snapshot, until islands are assigned again

    /// Gives the partitions that are solved directly what is kept of their islands.
    void assign(const sweep::Layout& layout, const ConstraintStores& stores, const Bodies& bodies);
    /// What sleeps begins anew: a snapshot of a sleeping world has no factors.
    void release();
    void save(SavedFactors& out) const;
    /// Of a snapshot, whose islands are other ones than those that are assigned now.
    void load(SavedFactors factors);

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(islands, before, spare, restored.list, restored.values, restored.indices);
        for (const Slot& slot : islands) archive.derived_bytes(slot.island->bytes());
        for (const auto& island : spare) archive.derived_bytes(island->bytes());
    }
};

}  // namespace proxima::physics::direct
