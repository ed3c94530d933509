// SPDX-License-Identifier: MIT
// `proxima bench rollback`: what saving and restoring the physics of a pile costs, in bytes and in time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "samples/bench/csv.h"

namespace proxima::bench {

struct RollbackSuite {
    std::vector<uint32_t> sizes;  // bodies, ascending
    uint32_t repeats = 50;        // of which the fastest counts
};

/// A pile at one moment; one thread.
struct RollbackMeasurement {
    uint32_t bodies = 0, awake = 0, contacts = 0;  // contacts: points
    uint64_t step = 0;
    double whole_bytes = 0.0;       // a body, of a snapshot of the whole registry
    double full_bytes = 0.0;        // a body, of a full snapshot of the physics
    double difference_bytes = 0.0;  // a body that moves, of the difference to eight steps before; a body when none does
    double whole_save_ms = 0.0, whole_restore_ms = 0.0;
    double save_ms = 0.0, restore_ms = 0.0;  // of the full one
    double save_difference_ms = 0.0, restore_difference_ms = 0.0;
    bool exact = true;  // a second later the restored world was where the saved one was
};

std::vector<RollbackMeasurement> run_rollback(const RollbackSuite& suite,
                                              const std::function<void(const std::string&)>& progress);

Table to_table(const std::vector<RollbackMeasurement>& measured, const MachineCard& card);
std::string to_text(const std::vector<RollbackMeasurement>& measured);
/// Writes rollback.csv and rollback.json into a folder that exists.
Result<void> write_rollback(const std::string& folder, const std::vector<RollbackMeasurement>& measured,
                            const MachineCard& card);

}  // namespace proxima::bench
