// SPDX-License-Identifier: MIT
// One invocation a collider: what a search wants to know of it goes to its place in the order of the table, so that
// those in one row of cells stand side by side.
#version 460
#include "compute/world/pairs/pairs.glsl"

layout(std430, binding = kBodies) readonly buffer Bodies { WorldBody bodies[]; };
layout(std430, binding = kColliders) readonly buffer Colliders { WorldCollider colliders[]; };
layout(std430, binding = kStatus) readonly buffer Status { WorldStatus status; };
layout(std430, binding = kBoxes) readonly buffer Boxes { vec4 boxes[]; };
layout(std430, binding = kTable) readonly buffer Table { uint table[]; };
layout(std430, binding = kPlaces) readonly buffer Places { ivec4 places[]; };
layout(std430, binding = kTurns) readonly buffer Turns { uint turns[]; };
layout(std430, binding = kSortedBoxes) writeonly buffer SortedBoxes { vec4 sorted_boxes[]; };
layout(std430, binding = kSortedCells) writeonly buffer SortedCells { ivec4 sorted_cells[]; };
layout(std430, binding = kSortedTags) writeonly buffer SortedTags { uvec4 sorted_tags[]; };

void main() {
    if (status.stopped != 0u) return;
    const uint i = gl_GlobalInvocationID.x;
    if (i >= push.colliders) return;
    const ivec4 place = places[i];
    if (uint(place.w) == push.table + kEntryOut) return;
    const uint to = table[place.w] + turns[i];
    const vec4 low = boxes[2 * i], high = boxes[2 * i + 1];
    const uvec4 refs = colliders[i].refs;
    const uint dynamic = floatBitsToUint(bodies[refs.x].inverse1.w) & kDynamic;
    sorted_boxes[2 * to] = vec4(low.xyz, uintBitsToFloat(i));
    sorted_boxes[2 * to + 1] = high;
    sorted_cells[to] = ivec4(place.xyz, floatBitsToInt(low.w));
    sorted_tags[to] = uvec4(refs.x, refs.z, refs.w, dynamic);
}
