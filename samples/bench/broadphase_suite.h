// SPDX-License-Identifier: MIT
// `proxima bench broadphase`: how the time to find pairs grows with the number of boxes, for Proxima's
// broadphase and Bullet's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "samples/bench/csv.h"

namespace proxima::bench {

struct BroadphaseSuite {
    std::vector<std::string> crowds;
    std::vector<uint32_t> sizes;  // ascending
    std::vector<uint32_t> threads;
    uint32_t updates = 64;  // in a repeat; after 64 the boxes are back where they began
    uint32_t repeats = 3;
    // A structure is not taken to larger sizes of a crowd once an update, or being filled, took longer.
    double max_update_ms = 1000.0, max_fill_ms = 1000.0;
};

struct BroadphaseMeasurement {
    std::string crowd, search;
    uint32_t boxes = 0, threads = 1;
    uint64_t pairs = 0;                  // after the last update
    bool same_pairs = true;              // as Proxima has with one thread
    double mean_ms = 0.0, p99_ms = 0.0;  // of the per-update minimum over the repeats
    double fill_ms = 0.0;                // putting all boxes in, one after the other
};

/// `after_crowd` gets what there is so far, crowd by crowd.
std::vector<BroadphaseMeasurement> run_broadphase(
    const BroadphaseSuite& suite, const std::function<void(const std::string&)>& progress,
    const std::function<void(const std::vector<BroadphaseMeasurement>&)>& after_crowd);

/// Numbers of boxes or bodies, such as "1000,10000", sorted.
Result<std::vector<uint32_t>> parse_sizes(const std::string& list, uint32_t most);

Table to_table(const std::vector<BroadphaseMeasurement>& measured, const MachineCard& card);
std::string to_text(const std::vector<BroadphaseMeasurement>& measured, const BroadphaseSuite& suite);
/// Writes broadphase.csv, broadphase.json and one plot per crowd into a folder that exists.
Result<void> write_broadphase(const std::string& folder, const std::vector<BroadphaseMeasurement>& measured,
                              const BroadphaseSuite& suite, const MachineCard& card);

}  // namespace proxima::bench
