// SPDX-License-Identifier: MIT
// Everything that the pair stage counts becomes 0.
#version 460
#include "compute/world/pairs/pairs.glsl"

layout(std430, binding = kStatus) buffer Status { WorldStatus status; };
layout(std430, binding = kOffsets) writeonly buffer Offsets { uint offsets[]; };
layout(std430, binding = kExtents) writeonly buffer Extents { uint extents[]; };
layout(std430, binding = kTable) writeonly buffer Table { uint table[]; };

void main() {
    if (status.stopped != 0u) return;
    const uint i = gl_GlobalInvocationID.x;
    if (i < push.table + kExtraEntries) table[i] = 0u;
    if (i < push.colliders) offsets[i] = 0u;
    if (i < kExtentWords) extents[i] = 0u;
    if (i == 0u) status.pairs = 0u;
}
