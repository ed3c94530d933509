// SPDX-License-Identifier: MIT
// First pass of a prefix sum: the sum of every block. A block beyond the items has the sum 0.
#version 460
#include "compute/world/scan.glsl"

shared uint sums_of[kWorkgroup];
shared uint groups[kScanGroups];

void main() {
    if (scan_stopped()) return;
    const uint local = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * kScanBlock + local;
    const uint items = push_items;
    uint sum = 0u;
    for (uint k = 0u; k < kScanEach; ++k) {
        const uint i = first + k * kWorkgroup;
        if (i < items) sum = add_up(sum, values[i]);
    }
    sums_of[local] = sum;
    barrier();
    if (local < kScanGroups) {
        sum = 0u;
        for (uint k = 0u; k < kScanGroup; ++k) sum = add_up(sum, sums_of[local * kScanGroup + k]);
        groups[local] = sum;
    }
    barrier();
    if (local != 0u) return;
    for (uint k = 1u; k < kScanGroups; ++k) sum = add_up(sum, groups[k]);
    partials[gl_WorkGroupID.x] = sum;
}
