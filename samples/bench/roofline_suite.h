// SPDX-License-Identifier: MIT
// `proxima bench roofline`: the kernels of the sweep solver under the roofs of the machine, both measured in
// the same run. A kernel cannot be faster than its operations at the peak, nor than its bytes at the
// bandwidth of where they lie; and it waits where its operations wait for each other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "samples/bench/csv.h"
#include "samples/bench/kernel_cost.h"
#include "samples/bench/machine_roofs.h"

namespace proxima::bench {

struct RooflineSuite {
    std::vector<uint32_t> threads = {1, 2};
    std::vector<MemoryLevel> levels;  // kernels are measured in all but the first
    Repeats repeats{25, 4e-3};
};

struct KernelMeasurement {
    RigKernel kernel = RigKernel::sweep;
    uint32_t points = 0;  // 0 for bodies
    uint32_t lanes = 1, threads = 1;
    std::string memory;
    KernelCost cost;
    double seconds = 0.0;            // per manifold or body, all threads together
    double peak_seconds = 0.0;       // its operations at the peak
    double bandwidth_seconds = 0.0;  // its bytes at the bandwidth
    double chain_seconds = 0.0;      // its longest chain, if blocks waited for each other

    double flops() const { return cost.flops / seconds; }
    double intensity() const { return cost.flops / cost.traffic_bytes(); }
    /// The roof over it, and the part of the roof that it reaches.
    double roof_seconds() const { return peak_seconds > bandwidth_seconds ? peak_seconds : bandwidth_seconds; }
    double fraction() const { return roof_seconds() / seconds; }
    const char* bound() const;
};

struct Roofline {
    MachineRoofs roofs;
    std::vector<KernelMeasurement> kernels;
};

Roofline run_roofline(const RooflineSuite& suite, const std::function<void(const std::string&)>& progress);

std::string to_text(const Roofline& roofline);
Table to_table(const Roofline& roofline, const MachineCard& card);
/// The plot of one number of threads: operations per second against operations per byte.
std::string to_svg(const Roofline& roofline, uint32_t threads);
/// Writes roofline.csv and roofline_<n>t.svg into a folder that exists.
Result<void> write_roofline(const std::string& folder, const Roofline& roofline, const RooflineSuite& suite,
                            const MachineCard& card);

}  // namespace proxima::bench
