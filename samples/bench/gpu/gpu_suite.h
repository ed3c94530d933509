// SPDX-License-Identifier: MIT
// `proxima bench gpu`, first part: PROX Jacobi and coloured Gauss-Seidel on a GPU against their twins on the
// CPU and against a plain loop, on contact problems of running scenes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compute/prox_gpu.h"
#include "engine/core/result.h"
#include "samples/bench/csv.h"

namespace proxima::bench {

struct GpuSuite {
    std::vector<std::string> scenes = {"pyramid20", "pile4096"};
    uint32_t step = 150;  // of the scene, whose contacts are solved
    uint32_t sweeps = 50;
    uint32_t repeats = 7;  // the fastest counts
};

/// One variant of solver on the device. Times are seconds of one sweep over all contacts.
struct GpuVariant {
    std::string name;                    // of tables and files
    std::string label;                   // of plots
    double sweep = 0.0, measured = 0.0;  // the device's clock, all passes over their number; with residual
    double whole = 0.0;                  // the whole solve as the host sees it, over its sweeps
    // processor time of the whole solve, over its sweeps: on a software device what a sweep costs, whoever else uses
    // the machine
    double processor = 0.0;
    compute::GpuSolveCost cost;             // of the solve without measuring
    uint64_t bytes_up = 0, bytes_down = 0;  // over the bus of a discrete GPU, for one solve
    double difference = 0.0;      // to the twin: largest of impulses after the sweeps, over the largest impulse
    bool repeatable = true;       // the same bits in every repeat
    std::vector<double> history;  // residual before the first and after each sweep
};

/// One scene.
struct GpuMeasurement {
    std::string scene;
    uint32_t contacts = 0, groups = 0, bodies = 0;
    // The CPU, seconds of one sweep without measuring:
    double loop_1 = 0.0, loop_2 = 0.0;  // plain scalar loop over points, on one and two threads
    double twin_1 = 0.0, twin_2 = 0.0;  // Jacobi over manifolds with momentum, on one and two threads
    double twin_processor = 0.0;        // processor time of its whole solve on one thread, over its sweeps
    double gs = 0.0;                    // prox_gs on one thread
    std::vector<double> twin_history, gs_history;
    std::vector<GpuVariant> variants;

    const GpuVariant& variant(std::string_view name) const;
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
/// Writes gpu.csv (a row for each scene and variant), gpu_sweeps.svg and for each scene
/// gpu_convergence_<scene>.svg and _ms.svg into a folder that exists.
Result<void> write_gpu(const std::string& folder, const GpuReport& report, const MachineCard& card);

}  // namespace proxima::bench
