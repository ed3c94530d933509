// SPDX-License-Identifier: MIT
// `proxima bench gpu`, second part: whole steps of worlds that live on the device, stage by stage and for
// growing numbers of bodies, beside the same steps on the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compute/world/gpu_world.h"
#include "engine/core/result.h"
#include "samples/bench/csv.h"

namespace proxima::bench {

struct GpuWorldSuite {
    std::vector<uint32_t> bodies = {1000, 4000, 20000, 100000};  // of the scene heapN
    uint32_t settle = 150;                                       // steps on the CPU before anything is measured
    uint32_t steps = 10;                                         // that are measured; the fastest counts
};

/// One size. Times are milliseconds of one step.
struct GpuWorldRow {
    uint32_t bodies = 0, pairs = 0, points = 0, colours = 0;
    double device = 0.0;                                               // as the host sees it, recording and waiting
    double pair_stage = 0.0, contact_stage = 0.0, solver_stage = 0.0;  // by the device's clock, in that step
    double jacobi_stage = 0.0;                                         // the solver stage of prox_jacobi, same pairs
    double host = 0.0;                                                 // of the host, without waiting
    double cpu_1 = 0.0, cpu_2 = 0.0;                                   // the same steps on one and two threads
    uint32_t dispatches = 0, barriers = 0;
    uint64_t bytes_up = 0, bytes_down = 0;            // of a step
    uint64_t bytes_readback = 0;                      // when poses and velocities are asked for
    uint64_t memory = 0;                              // on the device
    double penetration = 0.0, cpu_penetration = 0.0;  // m, mean over overlapping points after these steps
};

struct GpuWorldReport {
    std::string device, driver;
    GpuWorldSuite suite;
    std::vector<GpuWorldRow> rows;
};

/// A sentence when there is no such device, or it fails.
Result<GpuWorldReport> run_gpu_worlds(const GpuWorldSuite& suite, const std::string& device,
                                      const std::function<void(const std::string&)>& progress);

std::string to_text(const GpuWorldReport& report);
Table to_table(const GpuWorldReport& report, const MachineCard& card);
/// Writes gpu_worlds.csv, gpu_worlds_growth.svg and gpu_worlds_stages.svg into a folder that exists.
Result<void> write_gpu_worlds(const std::string& folder, const GpuWorldReport& report, const MachineCard& card);

}  // namespace proxima::bench
