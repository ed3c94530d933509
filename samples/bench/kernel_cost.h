// SPDX-License-Identifier: MIT
// What a kernel of the sweep solver costs whatever the machine: operations, bytes, and the chain of operations
// that wait for each other. Counted by running the kernel itself with lanes that count.
#pragma once

#include <cstdint>

#include "engine/simd/counting_lanes.h"
#include "samples/bench/kernel_rig.h"

namespace proxima::bench {

/// Per manifold, or per body; contacts that stick.
struct KernelCost {
    double flops = 0.0;          // additions, multiplications, minima and maxima, quotients, roots
    double slow = 0.0;           // quotients and roots among them
    double choices = 0.0;        // comparisons, choices, changes of sign: not in flops
    double touched_bytes = 0.0;  // read and written, each value once per visit
    double lines_read = 0.0;     // cache lines that come, once per pass over a chunk
    double lines_written = 0.0;  // and that go back
    double chain = 0.0;          // latencies along the longest chain; of a whole vector, not per lane

    double traffic_bytes() const { return 64.0 * (lines_read + lines_written); }
};

/// `latency` is by engine::LaneOperation, in any unit; null: 1 each.
KernelCost count_kernel(RigKernel kernel, uint32_t points, const float* latency = nullptr);

/// The operations of a sweep by hand, from the equations in contact_sweep.simd.cpp: so much must come out
/// of the count, and so much the documentation says.
constexpr uint32_t sweep_flops(uint32_t n) {
    const uint32_t joins = n * (n - 1) / 2;
    const uint32_t twist = 60;                        // two arms, six products with the frame
    const uint32_t turns = 13 + 13;                   // whether friction needs a chord, and gaps more than small turns
    const uint32_t gap = n > 1 ? 7 : 1, law = 5;      // per point
    const uint32_t touches = 5, apart = 10;           // per point: whether it touches; is moved apart
    const uint32_t push = 2, edge = n > 1 ? 26 : 18;  // per point: how fast it parts; friction at the edge of its disk
    const uint32_t normals = n > 1 ? 15 * n + 2 * joins  // velocity 5, law 5, wrench 5
                                   : 7;
    const uint32_t friction = n > 1 ? 30 * n + 8 * joins : 14;  // velocity 8, law 4, disk 6, wrench 12
    const uint32_t middle = n > 1 ? 36 : 0;                     // normal wrench to twist
    const uint32_t rubbed = n > 1 ? 32 : 6;                     // friction wrench to twist and to the sum
    const uint32_t totals = 3 * n;
    const uint32_t apply = n > 1 ? 102 : 81;  // wrench to two bodies
    const uint32_t passes = n > 1 ? 2 : 1;
    return 2 * twist + turns + n * (gap + law + touches + apart + push + edge) + passes * normals + friction + middle +
           rubbed + totals + apply;
}

}  // namespace proxima::bench
