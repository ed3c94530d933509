// SPDX-License-Identifier: MIT
// `proxima bench gpu`: PROX Jacobi on a GPU against its twin on the CPU and against a plain loop, on contact
// problems of running scenes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compute/prox_jacobi_gpu.h"
#include "engine/core/result.h"
#include "samples/bench/csv.h"

namespace proxima::bench {

struct GpuSuite {
    std::vector<std::string> scenes = {"pyramid20", "pile4096"};
    uint32_t step = 150;  // of the scene, whose contacts are solved
    uint32_t sweeps = 50;
    uint32_t repeats = 7;  // the fastest counts
};

/// One scene. Times are seconds of one sweep over all contacts unless they say otherwise.
struct GpuMeasurement {
    std::string scene;
    uint32_t contacts = 0, bodies = 0;
    double loop_1 = 0.0, loop_2 = 0.0;        // plain scalar loop on one and two threads
    double twin = 0.0, twin_measured = 0.0;   // prox_jacobi, one thread; with residual and roll-back
    double gpu = 0.0, gpu_measured = 0.0;     // the device's clock, all passes over their number
    double gpu_whole = 0.0;                   // the whole solve as the host sees it, over its sweeps
    compute::GpuSolveCost cost;               // of the plain solve
    uint64_t staged_up = 0, staged_down = 0;  // bytes over the bus of a discrete GPU, for one solve
    double difference = 0.0;  // largest of impulses after the sweeps, over the largest impulse
    bool repeatable = true;   // the same bits in every repeat
    std::vector<double> gpu_history, twin_history,
        gs_history;  // residual before the first and after each sweep
};

struct GpuReport {
    std::string device, driver;
    GpuSuite suite;
    std::vector<GpuMeasurement> rows;
};

/// A sentence when there is no such device or scene, or the device fails.
Result<GpuReport> run_gpu(const GpuSuite& suite, const std::string& device,
                          const std::function<void(const std::string&)>& progress);

std::string to_text(const GpuReport& report);
Table to_table(const GpuReport& report, const MachineCard& card);
/// Writes gpu.csv, gpu_sweeps.svg, gpu_growth.svg (of several scenes) and gpu_convergence_<scene>.svg,
/// _ms.svg into a folder that exists.
Result<void> write_gpu(const std::string& folder, const GpuReport& report, const MachineCard& card);

}  // namespace proxima::bench
