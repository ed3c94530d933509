// SPDX-License-Identifier: MIT
// Second pass of a prefix sum: every block adds up the sums of the blocks before it, which is cheaper than a pass of
// its own for them, and then its own items. These go through shared memory, so that neighbours read and write
// neighbouring words while each invocation still has kScanEach items in a row.
#version 460
#include "compute/world/scan.glsl"

shared uint items_of[kScanBlock + kScanBlock / kScanEach];  // one word left out after each row
shared uint sums_of[kWorkgroup];
shared uint before_of[kWorkgroup];
shared uint group_sums[kScanGroups];
shared uint group_before[kScanGroups];

uint padded(uint i) { return i + i / kScanEach; }

void main() {
    if (scan_stopped()) return;
    const uint local = gl_LocalInvocationID.x, block = gl_WorkGroupID.x, items = push_items;
    const uint first = block * kScanBlock;
    if (first > items) return;
    uint before = 0u;
    for (uint k = local; k < block; k += kWorkgroup) before = add_up(before, partials[k]);
    before_of[local] = before;
    for (uint k = 0u; k < kScanEach; ++k) {
        const uint i = k * kWorkgroup + local;
        items_of[padded(i)] = first + i < items ? values[first + i] : 0u;
    }
    barrier();
    uint sum = 0u;
    for (uint k = 0u; k < kScanEach; ++k) sum = add_up(sum, items_of[padded(local * kScanEach + k)]);
    sums_of[local] = sum;
    barrier();
    if (local < kScanGroups) {
        uint all = 0u, all_before = 0u;
        for (uint k = 0u; k < kScanGroup; ++k) {
            all = add_up(all, sums_of[local * kScanGroup + k]);
            all_before = add_up(all_before, before_of[local * kScanGroup + k]);
        }
        group_sums[local] = all;
        group_before[local] = all_before;
    }
    barrier();
    // Blocks before this one, groups before this invocation's, and those before it in the group.
    const uint group = local / kScanGroup, in_group = local % kScanGroup;
    uint running = 0u;
    for (uint k = 0u; k < kScanGroups; ++k) {
        running = add_up(running, group_before[k]);
        running = add_up(running, k < group ? group_sums[k] : 0u);
    }
    for (uint k = 0u; k < kScanGroup; ++k)
        running = add_up(running, k < in_group ? sums_of[group * kScanGroup + k] : 0u);
    for (uint k = 0u; k < kScanEach; ++k) {
        const uint at = padded(local * kScanEach + k), value = items_of[at];
        items_of[at] = running;
        running = add_up(running, value);
    }
    barrier();
    // The total stands behind the last item: in the block that has room for it.
    for (uint k = 0u; k < kScanEach; ++k) {
        const uint i = k * kWorkgroup + local;
        if (first + i <= items) sums[first + i] = items_of[padded(i)];
    }
}
