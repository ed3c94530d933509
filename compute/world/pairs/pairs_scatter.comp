// SPDX-License-Identifier: MIT
// One invocation a collider: what a search wants to know of it goes to its place in the order of the table, so that
// those in one row of cells stand side by side.
#version 460
#include "compute/world/pairs/pairs.glsl"

layout(std430, binding = kBodies) readonly buffer Bodies { WorldBody bodies[]; };
layout(std430, binding = kColliders) readonly buffer Colliders { WorldCollider colliders[]; };
layout(std430, binding = kStatus) readonly buffer Status { WorldStatus status; };
layout(std430, binding = kBoxes) readonly buffer Boxes { vec4 boxes[]; };
layout(std430, binding = kLevels) readonly buffer Levels { vec4 levels[]; };
layout(std430, binding = kTable) readonly buffer Table { uint table[]; };
layout(std430, binding = kCells) readonly buffer Cells { ivec4 cells[]; };
layout(std430, binding = kTurns) readonly buffer Turns { uint turns[]; };
layout(std430, binding = kSortedBounds) writeonly buffer SortedBounds { uvec4 sorted_bounds[]; };
layout(std430, binding = kSortedCells) writeonly buffer SortedCells { ivec4 sorted_cells[]; };
layout(std430, binding = kSortedTags) writeonly buffer SortedTags { uvec4 sorted_tags[]; };

void main() {
    if (status.stopped != 0u) return;
    const uint i = gl_GlobalInvocationID.x;
    if (i >= push.colliders) return;
    const ivec4 cell = cells[i];
    if (uint(cell.w) == push.table + kEntryOut) return;
    const uint to = table[cell.w] + turns[i];
    vec4 low = boxes[2 * i], high = boxes[2 * i + 1];
    const uvec4 refs = colliders[i].refs;
    const bool pushed = (floatBitsToUint(bodies[refs.x].inverse1.w) & kDynamic) != 0u;
    const uint level = floatBitsToUint(low.w);
    const float scale = levels[level].x;
    if (level == push.levels) {
        low.xyz -= high.w;
        high.xyz += high.w;
    }
    const uvec3 bounds = (units_of(low.xyz, level, scale) & 0xFFFFu) | (units_of(high.xyz, level, scale) << 16);
    sorted_bounds[to] = uvec4(bounds, mark_of(level, cell.y, cell.z));
    sorted_cells[to] = ivec4(cell.xyz, int(level));
    sorted_tags[to] = uvec4(pushed ? refs.x | kPushed : refs.x, i, refs.zw);
}
