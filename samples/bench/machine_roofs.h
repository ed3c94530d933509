// SPDX-License-Identifier: MIT
// The roofs of a machine: how fast it reads, writes and calculates at best, with how many threads, and how
// long a result takes to be there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/simd/counting_lanes.h"
#include "samples/bench/machine.h"
#include "samples/bench/stopwatch.h"

namespace proxima::bench {

/// Where data lie when they are used again: a set of that size, one per thread.
struct MemoryLevel {
    std::string name;
    size_t bytes = 0;
};
/// L1, L2, L3 and memory: half of the first two caches, four times the second, far more than the third.
std::vector<MemoryLevel> memory_levels(const CacheSizes& caches);

struct Bandwidth {
    std::string memory;
    size_t bytes = 0;  // per thread
    uint32_t threads = 1;
    double read = 0.0, update = 0.0;  // bytes per second; an update counts what comes and what goes
};

struct Peak {
    uint32_t lanes = 1, threads = 1;
    double flops = 0.0;  // per second: as many multiplications as additions, none of them waiting
};

struct MachineRoofs {
    std::vector<Bandwidth> bandwidths;
    std::vector<Peak> peaks;
    float latency[engine::kLaneOperations] = {};  // s, by engine::LaneOperation, at the widest level
    double law_latency = 0.0;                     // s, of max(k x - s, 0)

    const Bandwidth& bandwidth(const std::string& memory, uint32_t threads) const;
    double peak(uint32_t lanes, uint32_t threads) const;
};

/// The better of two measurements, figure by figure: roofs are what the machine can do when nobody disturbs.
MachineRoofs best_of(const MachineRoofs& a, const MachineRoofs& b);

MachineRoofs measure_roofs(const std::vector<MemoryLevel>& levels, const std::vector<uint32_t>& threads,
                           const Repeats& how);

}  // namespace proxima::bench
