// SPDX-License-Identifier: MIT
// Saving and restoring the physics of a world and nothing else of its registry.
#pragma once

#include <vector>

#include "physics/state/state_image.h"

namespace proxima::physics {

/// The lists that saving and restoring need, so that neither allocates once they are large enough.
struct Rollback {
    std::vector<RenamedEntity> renamed;  // by the last restore

    void save(const Simulation& s, PhysicsSnapshot& out);
    Result<void> save_since(const Simulation& s, const PhysicsSnapshot& base, PhysicsSnapshot& out);
    /// `base`: what the snapshot is a difference to; nullptr for a full one.
    Result<void> restore(const PhysicsSnapshot& snapshot, const PhysicsSnapshot* base, Simulation& s);

  private:
    Result<void> read_base(const PhysicsSnapshot& base);

    StateImage image_, base_;
    uint64_t checksum_of_base_ = 0;  // of the snapshot that base_ was read from; 0: of none
};

}  // namespace proxima::physics
