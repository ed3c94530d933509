// SPDX-License-Identifier: MIT
// The snapshot fuzzer: worlds are given damaged snapshots, which they refuse with a sentence or survive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/ecs/world.h"
#include "physics/world.h"
#include "tests/fuzz/source.h"

namespace proxima::fuzz {

/// Worlds in the middle of something, with the snapshots that cases are made from.
class SnapshotFuzzer {
  public:
    SnapshotFuzzer();

    /// One case. Returns what is wrong, or nothing.
    std::string run(Source& source);
    /// Restores bytes as they are, under a right checksum.
    std::string run_bytes(std::string bytes);
    /// Whether the worlds still have the future that they had at the beginning.
    std::string check_futures();

    const std::vector<std::string>& good_files() const { return bytes_; }
    uint32_t accepted() const { return accepted_; }
    uint32_t refused() const { return refused_; }

  private:
    struct Victim {
        std::unique_ptr<physics::PhysicsWorld> world;
        engine::Snapshot snapshot;      // of the world as it is between cases
        std::vector<uint64_t> future;   // hashes of the steps from there
        physics::PhysicsSnapshot base;  // that its differences are to
    };
    std::string restore(Victim& victim, const engine::Snapshot& snapshot);
    /// The same of the physics alone; `difference` is to the victim's base.
    std::string restore_state(Victim& victim, const physics::PhysicsSnapshot& snapshot, bool difference);
    std::string run_state(Victim& victim, Source& source);
    /// What a victim does after an attempt, and what became of it.
    std::string judge(Victim& victim, const Result<void>& restored, uint64_t hash);

    std::vector<Victim> victims_;
    std::vector<std::string> bytes_;                      // of all snapshots
    std::vector<std::string> full_states_, differences_;  // of the physics alone
    uint32_t accepted_ = 0, refused_ = 0;
};

/// The cases of these numbers, in one set of worlds, and whether those still have their future afterwards.
std::string run_snapshot_cases(uint64_t first, uint64_t count);

}  // namespace proxima::fuzz
