// SPDX-License-Identifier: MIT
// Second pass of a prefix sum: every block adds up the sums of the blocks before it, which is cheaper than a pass of
// its own for them, and then its own items. These go through shared memory, so that neighbours read and write
// neighbouring words while each invocation still has kScanEach items in a row.
#version 460
#include "compute/world/scan.glsl"

shared uint items_of[kScanBlock + kScanBlock / kScanEach];  // one word left out after each row
shared uint sums_of[kWorkgroup];
shared uint before_of[kWorkgroup];

uint place(uint i) { return i + i / kScanEach; }

void main() {
    const uint local = gl_LocalInvocationID.x, block = gl_WorkGroupID.x, items = scan_items();
    const uint first = block * kScanBlock;
    if (first > items) return;
    uint before = 0u;
    for (uint k = local; k < block; k += kWorkgroup) before = add_up(before, partials[k]);
    before_of[local] = before;
    for (uint k = 0u; k < kScanEach; ++k) {
        const uint i = k * kWorkgroup + local;
        items_of[place(i)] = first + i < items ? values[first + i] : 0u;
    }
    barrier();
    uint sum = 0u;
    for (uint k = 0u; k < kScanEach; ++k) sum = add_up(sum, items_of[place(local * kScanEach + k)]);
    sums_of[local] = sum;
    barrier();
    uint running = 0u;
    for (uint k = 0u; k < kWorkgroup; ++k) {
        running = add_up(running, before_of[k]);
        if (k < local) running = add_up(running, sums_of[k]);
    }
    for (uint k = 0u; k < kScanEach; ++k) {
        const uint at = place(local * kScanEach + k), value = items_of[at];
        items_of[at] = running;
        running = add_up(running, value);
    }
    barrier();
    // The total stands behind the last item: in the block that has room for it.
    for (uint k = 0u; k < kScanEach; ++k) {
        const uint i = k * kWorkgroup + local;
        if (first + i <= items) sums[first + i] = items_of[place(i)];
    }
}
