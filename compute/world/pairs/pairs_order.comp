// SPDX-License-Identifier: MIT
// One invocation a pair: its place in the owner's list is the number of smaller partners there. That makes the order
// of pairs the same in every run, however they were found, and long lists are shared by many invocations.
#version 460
#include "compute/world/pairs/pairs.glsl"

layout(std430, binding = kStatus) readonly buffer Status { WorldStatus status; };
layout(std430, binding = kOffsets) readonly buffer Offsets { uint offsets[]; };
layout(std430, binding = kPairsA) writeonly buffer PairsA { uint pairs_a[]; };
layout(std430, binding = kPairsB) writeonly buffer PairsB { uint pairs_b[]; };
layout(std430, binding = kUnsorted) readonly buffer Unsorted { uvec2 unsorted[]; };

void main() {
    if (status.stopped != 0u) return;
    const uint p = gl_GlobalInvocationID.x;
    if (p >= status.pairs) return;
    const uvec2 pair = unsorted[p];
    const uint begin = offsets[pair.x], end = offsets[pair.x + 1u];
    uint to = begin;
    for (uint k = begin; k < end; ++k) to += unsorted[k].y < pair.y ? 1u : 0u;
    pairs_a[to] = min(pair.x, pair.y);
    pairs_b[to] = max(pair.x, pair.y);
}
