// SPDX-License-Identifier: MIT
#include "samples/bench/roofline_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "engine/simd/simd_level.h"
#include "samples/bench/roof_kernels.h"

namespace proxima::bench {

namespace {

using physics::sweep::kBlockLanes;
using physics::sweep::kMaxPoints;

/// Seconds that the bytes of a manifold take: lines that only come at the bandwidth of reading, those that
/// come and go at that of updating.
double seconds_of_bytes(const KernelCost& cost, const Bandwidth& bandwidth) {
    const double only_read = cost.lines_read - cost.lines_written;
    return 64.0 * (only_read / bandwidth.read + 2.0 * cost.lines_written / bandwidth.update);
}

KernelMeasurement measure_kernel(RigKernel kernel, uint32_t points, const MemoryLevel& memory, uint32_t threads,
                                 const Repeats& how) {
    const size_t chunks = std::max<size_t>(1, memory.bytes / KernelRig::chunk_bytes(kernel, points));
    std::vector<std::unique_ptr<KernelRig>> rigs;
    for (uint32_t t = 0; t < threads; ++t) rigs.push_back(std::make_unique<KernelRig>(points, uint32_t(chunks)));
    KernelMeasurement m;
    m.kernel = kernel;
    m.points = points;
    m.lanes = roof_kernels().lanes;
    m.threads = threads;
    m.memory = memory.name;
    const double units = double(rigs[0]->blocks(kernel)) * kBlockLanes * threads;
    m.seconds = fastest_seconds(threads, how, [&](uint32_t t) { rigs[t]->run(kernel); }) / units;
    return m;
}

void put_under(const MachineRoofs& roofs, KernelMeasurement& m) {
    m.cost = count_kernel(m.kernel, m.points, roofs.latency);
    m.peak_seconds = m.cost.flops / roofs.peak(m.lanes, m.threads);
    m.bandwidth_seconds = seconds_of_bytes(m.cost, roofs.bandwidth(m.memory, m.threads));
    m.chain_seconds = m.cost.chain / double(m.lanes * m.threads);
}

std::string name_of(const KernelMeasurement& m) {
    return m.points == 0 ? to_string(m.kernel)
                         : fmt::format("{}, {} point{}", to_string(m.kernel), m.points, m.points > 1 ? "s" : "");
}

}  // namespace

const char* KernelMeasurement::bound() const {
    if (chain_seconds >= peak_seconds && chain_seconds >= bandwidth_seconds) return "chain";
    return peak_seconds >= bandwidth_seconds ? "arithmetic" : "bytes";
}

Roofline run_roofline(const RooflineSuite& suite, const std::function<void(const std::string&)>& progress) {
    Roofline out;
    progress("the machine: bandwidth, peak, latency");
    out.roofs = measure_roofs(suite.levels, suite.threads, suite.repeats);
    const auto measure = [&](RigKernel kernel, uint32_t points, const MemoryLevel& memory, uint32_t threads) {
        out.kernels.push_back(measure_kernel(kernel, points, memory, threads, suite.repeats));
        const KernelMeasurement& m = out.kernels.back();
        progress(fmt::format("{}, {} lanes, {}, {} thread{}: {:.2f} ns", name_of(m), m.lanes, m.memory, m.threads,
                             m.threads > 1 ? "s" : "", 1e9 * m.seconds));
    };
    for (const uint32_t threads : suite.threads)
        for (size_t i = 1; i < suite.levels.size(); ++i)
            for (const RigKernel kernel : {RigKernel::sweep, RigKernel::prepare, RigKernel::results, RigKernel::next}) {
                if (kernel == RigKernel::next) {
                    measure(kernel, 0, suite.levels[i], threads);
                    continue;
                }
                for (uint32_t points = 1; points <= kMaxPoints; ++points)
                    measure(kernel, points, suite.levels[i], threads);
            }
    // The sweep with narrower vectors, where the data lie best.
    const engine::SimdLevel before = engine::simd_level();
    for (int level = 0; level < int(before) && suite.levels.size() > 1; ++level) {
        engine::set_simd_level(engine::SimdLevel(level));
        for (uint32_t points = 1; points <= kMaxPoints; ++points)
            measure(RigKernel::sweep, points, suite.levels[1], suite.threads[0]);
    }
    engine::set_simd_level(before);
    progress("the machine again: what is better of both counts");
    out.roofs = best_of(out.roofs, measure_roofs(suite.levels, suite.threads, suite.repeats));
    for (KernelMeasurement& m : out.kernels) put_under(out.roofs, m);
    return out;
}

}  // namespace proxima::bench
