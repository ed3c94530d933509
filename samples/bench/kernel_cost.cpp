// SPDX-License-Identifier: MIT
#include "samples/bench/kernel_cost.h"

#include <algorithm>
#include <vector>

namespace proxima::physics::sweep {
extern const ContactKernels contact_kernels_0;
extern const BodyKernels body_kernels_0;
}  // namespace proxima::physics::sweep

namespace proxima::bench {

using namespace physics::sweep;
using engine::LaneCounts;
using engine::LaneOperation;

namespace {

constexpr uintptr_t kLine = 64;

/// Addresses in units of `size` bytes, each once.
std::vector<uintptr_t> addresses(const std::vector<LaneCounts::Access>& accesses, uintptr_t size, bool only_writes) {
    std::vector<uintptr_t> out;
    for (const LaneCounts::Access& a : accesses)
        if (a.writes || !only_writes) out.push_back(reinterpret_cast<uintptr_t>(a.at) / size);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace

KernelCost count_kernel(RigKernel kernel, uint32_t points, const float* latency) {
    const bool has_blocks = kernel != RigKernel::next;
    KernelRig rig(has_blocks ? points : 0, 1);
    // Impulses that fit together: the counted pass must find contacts that stick.
    if (has_blocks)
        for (int i = 0; i < 16; ++i) rig.run(RigKernel::sweep);
    LaneCounts& counts = engine::lane_counts();
    counts = LaneCounts();
    if (latency) std::copy(latency, latency + engine::kLaneOperations, counts.latency);

    const uint32_t blocks = rig.blocks(kernel);
    std::vector<LaneCounts::Access> all;
    KernelCost cost;
    for (uint32_t b = 0; b < blocks; ++b) {
        rig.run(kernel, contact_kernels_0, body_kernels_0, b, 1);
        // Indices and flags in the head are not read through lanes.
        for (uint32_t k = 0; has_blocks && k < sizeof(physics::sweep::BlockHead) / sizeof(float); ++k)
            counts.accesses.push_back({reinterpret_cast<const float*>(&rig.head(b)) + k, false});
        cost.touched_bytes += 4.0 * double(addresses(counts.accesses, sizeof(float), false).size() +
                                           addresses(counts.accesses, sizeof(float), true).size());
        all.insert(all.end(), counts.accesses.begin(), counts.accesses.end());
        counts.accesses.clear();
    }
    const double units = double(blocks) * kBlockLanes;
    cost.flops = double(counts.flops()) / units;
    cost.slow = double(counts.of(LaneOperation::divide) + counts.of(LaneOperation::root)) / units;
    cost.choices = double(counts.of(LaneOperation::compare) + counts.of(LaneOperation::select) +
                          counts.of(LaneOperation::negate)) /
                   units;
    cost.touched_bytes /= units;
    cost.lines_read = double(addresses(all, kLine, false).size()) / units;
    cost.lines_written = double(addresses(all, kLine, true).size()) / units;
    cost.chain = double(counts.longest_chain);
    counts = LaneCounts();
    return cost;
}

}  // namespace proxima::bench
