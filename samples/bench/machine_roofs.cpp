// SPDX-License-Identifier: MIT
#include "samples/bench/machine_roofs.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "engine/core/assert.h"
#include "samples/bench/roof_kernels.h"

namespace proxima::bench {

namespace {

constexpr size_t kStride = 128;  // floats: what the loops go through at once

struct AlignedDelete {
    void operator()(float* p) const { ::operator delete[](p, std::align_val_t(4096)); }
};
using Floats = std::unique_ptr<float[], AlignedDelete>;

Floats make_floats(size_t count) {
    Floats out(static_cast<float*>(::operator new[](count * sizeof(float), std::align_val_t(4096))));
    std::fill(out.get(), out.get() + count, 1.0f);
    return out;
}

/// Results that the compiler cannot know to be useless.
void use(float value) {
    static std::atomic<float> sink;
    sink.store(value, std::memory_order_relaxed);
}

Bandwidth measure_bandwidth(const MemoryLevel& memory, uint32_t threads, const Repeats& how) {
    const size_t count = std::max(kStride, memory.bytes / sizeof(float) / kStride * kStride);
    std::vector<Floats> data;
    for (uint32_t t = 0; t < threads; ++t) data.push_back(make_floats(count));
    const RoofKernels& kernels = roof_kernels();
    const double bytes = double(count) * sizeof(float) * threads;
    Bandwidth out{memory.name, count * sizeof(float), threads};
    out.read = bytes / fastest_seconds(threads, how, [&](uint32_t t) { kernels.read(data[t].get(), count); });
    out.update = 2.0 * bytes / fastest_seconds(threads, how, [&](uint32_t t) { kernels.update(data[t].get(), count); });
    return out;
}

Peak measure_peak(uint32_t threads, const Repeats& how) {
    constexpr uint64_t kRounds = 4096;
    const RoofKernels& kernels = roof_kernels();
    const double seconds = fastest_seconds(threads, how, [&](uint32_t) { use(kernels.multiply_add(kRounds)); });
    return {kernels.lanes, threads, 24.0 * double(kRounds) * kernels.lanes * threads / seconds};
}

void measure_latencies(const Repeats& how, MachineRoofs& out) {
    constexpr uint64_t kRounds = 1024;
    const RoofKernels& kernels = roof_kernels();
    const auto seconds = [&](float (*chain)(uint64_t)) {
        return fastest_seconds(1, how, [&](uint32_t) { use(chain(kRounds)); }) / (16.0 * double(kRounds));
    };
    for (int i = 0; i < 5; ++i) out.latency[i] = float(seconds(kernels.chain[i]));
    // A comparison and the choice after it can only be timed together.
    const float both = float(seconds(kernels.chain[5]));
    out.latency[int(engine::LaneOperation::compare)] = out.latency[int(engine::LaneOperation::select)] = 0.5f * both;
    out.latency[int(engine::LaneOperation::negate)] = float(seconds(kernels.chain[6]));
    out.law_latency = seconds(kernels.law_chain);
}

}  // namespace

std::vector<MemoryLevel> memory_levels(const CacheSizes& caches) {
    // A virtual machine has a share of its third cache only, and one reports far more: hence not half of it.
    constexpr size_t kMinMemory = 256u << 20, kMaxMemory = 1024u << 20;
    return {{"L1", caches.l1 / 2},
            {"L2", caches.l2 / 2},
            {"L3", 4 * caches.l2},
            {"memory", std::clamp(2 * caches.l3, kMinMemory, kMaxMemory)}};
}

const Bandwidth& MachineRoofs::bandwidth(const std::string& memory, uint32_t threads) const {
    const auto found = std::find_if(bandwidths.begin(), bandwidths.end(),
                                    [&](const Bandwidth& b) { return b.memory == memory && b.threads == threads; });
    PX_ASSERT(found != bandwidths.end(), "the bandwidth was measured");
    return *found;
}

double MachineRoofs::peak(uint32_t lanes, uint32_t threads) const {
    const auto found = std::find_if(peaks.begin(), peaks.end(),
                                    [&](const Peak& p) { return p.lanes == lanes && p.threads == threads; });
    PX_ASSERT(found != peaks.end(), "the peak was measured");
    return found->flops;
}

MachineRoofs best_of(const MachineRoofs& a, const MachineRoofs& b) {
    MachineRoofs out = a;
    for (size_t i = 0; i < std::min(a.bandwidths.size(), b.bandwidths.size()); ++i) {
        out.bandwidths[i].read = std::max(a.bandwidths[i].read, b.bandwidths[i].read);
        out.bandwidths[i].update = std::max(a.bandwidths[i].update, b.bandwidths[i].update);
    }
    for (size_t i = 0; i < std::min(a.peaks.size(), b.peaks.size()); ++i)
        out.peaks[i].flops = std::max(a.peaks[i].flops, b.peaks[i].flops);
    for (int i = 0; i < engine::kLaneOperations; ++i) out.latency[i] = std::min(a.latency[i], b.latency[i]);
    out.law_latency = std::min(a.law_latency, b.law_latency);
    return out;
}

MachineRoofs measure_roofs(const std::vector<MemoryLevel>& levels, const std::vector<uint32_t>& threads,
                           const Repeats& how) {
    MachineRoofs out;
    for (const uint32_t t : threads)
        for (const MemoryLevel& memory : levels) out.bandwidths.push_back(measure_bandwidth(memory, t, how));
    const engine::SimdLevel before = engine::simd_level();
    for (int level = 0; level <= int(engine::widest_simd_level()); ++level) {
        engine::set_simd_level(engine::SimdLevel(level));
        for (const uint32_t t : threads) out.peaks.push_back(measure_peak(t, how));
    }
    engine::set_simd_level(before);
    measure_latencies(how, out);
    return out;
}

}  // namespace proxima::bench
