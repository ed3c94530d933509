// SPDX-License-Identifier: MIT
// One invocation a collider, in the order of the table, so that neighbours look into the same cells: finds every pair
// once. In its own level a collider looks at those that come after it in space and, in its own cell, in the table;
// what comes before has found it. In coarser levels, and among the large ones, it looks at all. Pairs are counted at
// their owner, which gives each a place in the owner's list, in no particular order.
#version 460
#include "compute/world/pairs/pairs.glsl"
#include "compute/world/pairs/pair_owner.glsl"

layout(std430, binding = kStatus) readonly buffer Status { WorldStatus status; };
layout(std430, binding = kOffsets) buffer Offsets { uint offsets[]; };
layout(std430, binding = kLevels) readonly buffer Levels { vec4 levels[]; };
layout(std430, binding = kExtents) buffer Extents { uint extents[]; };
layout(std430, binding = kTable) readonly buffer Table { uint table[]; };
layout(std430, binding = kSortedBoxes) readonly buffer SortedBoxes { vec4 sorted_boxes[]; };
layout(std430, binding = kSortedCells) readonly buffer SortedCells { ivec4 sorted_cells[]; };
layout(std430, binding = kSortedTags) readonly buffer SortedTags { uvec4 sorted_tags[]; };
layout(std430, binding = kFound) writeonly buffer Found { uvec2 found[]; };
layout(std430, binding = kFoundCounts) writeonly buffer FoundCounts { uint found_counts[]; };
layout(std430, binding = kSpill) writeonly buffer Spill { uvec4 spill[]; };

// This invocation's collider.
uint self, collider, level, found_count;
vec3 low, high;
uvec4 tag;

void keep(uint partner, uint partner_level) {
    const uint a = min(collider, partner), b = max(collider, partner);
    const uint level_a = a == collider ? level : partner_level, level_b = a == collider ? partner_level : level;
    const uint owner = pair_owner(a, b, level_a, level_b), place = atomicAdd(offsets[owner], 1u);
    if (found_count < kFoundEach) {
        found[found_count * push.colliders + self] =
            uvec2(owner == partner ? partner | kPartnerOwns : partner, place);
        ++found_count;
        return;
    }
    // Whoever has no room left shares a list that is as long as there may be pairs.
    const uint at = atomicAdd(extents[kSpilled], 1u);
    if (at < push.capacity) spill[at] = uvec4(owner, a + b - owner, place, 0u);
}

/// Both sides must want each other, one must be pushed by contacts, and colliders of one body never meet.
bool may_meet(uvec4 other) {
    return (tag.y & other.z) != 0u && (other.y & tag.z) != 0u && tag.x != other.x && (tag.w | other.w) != 0u;
}

/// Those of [begin, end) in the order of the table, if they are of this level and of the cells (x0 .. x1, y, z):
/// others may share an entry with them, and are met in their own row.
void look(uint begin, uint end, uint at_level, int x0, int x1, int y, int z) {
    for (uint k = begin; k < end; ++k) {
        const vec4 low_k = sorted_boxes[2 * k], high_k = sorted_boxes[2 * k + 1];
        if (any(greaterThan(low_k.xyz, high)) || any(greaterThan(low, high_k.xyz))) continue;
        const ivec4 cell = sorted_cells[k];
        if (uint(cell.w) != at_level || cell.y != y || cell.z != z || cell.x < x0 || cell.x > x1) continue;
        if (may_meet(sorted_tags[k])) keep(floatBitsToUint(low_k.w), at_level);
    }
}

/// One row of cells; from the place `after` on where that is in it. A row may run over the end of the table.
void look_into_row(uint at_level, int x0, int x1, int y, int z, uint after) {
    uint entry = entry_of(at_level, ivec3(x0, y, z)), left = uint(x1 - x0) + 1u;
    while (left > 0u) {
        const uint count = min(left, push.table - entry);
        const uint begin = after != kNone ? after : table[entry];
        look(begin, table[entry + count], at_level, x0, x1, y, z);
        left -= count;
        entry = 0u;
        after = kNone;
    }
}

void look_into_level(uint at_level, ivec3 own_cell) {
    const uvec3 bits = uvec3(extents[4u * at_level], extents[4u * at_level + 1u], extents[4u * at_level + 2u]);
    if (bits.x == 0u) return;  // nobody there
    const vec3 reach = uintBitsToFloat(bits);
    // A box that overlaps this one has its centre within `reach` of it. A little more, for rounding.
    vec3 from = low - reach * 1.000001, to = high + reach * 1.000001;
    from -= 5e-7 * abs(from);
    to += 5e-7 * abs(to);
    const float scale = levels[at_level].x;
    const ivec3 first = cell_of(from, scale), last = cell_of(to, scale);
    const bool own = at_level == level;
    const int first_z = own ? own_cell.z : first.z;
    for (int z = first_z; z <= last.z; ++z) {
        const int first_y = own && z == own_cell.z ? own_cell.y : first.y;
        for (int y = first_y; y <= last.y; ++y) {
            const bool own_row = own && z == own_cell.z && y == own_cell.y;
            look_into_row(at_level, own_row ? own_cell.x : first.x, last.x, y, z, own_row ? self + 1u : kNone);
        }
    }
}

void look_at_large() {
    const uint first = table[push.table + kEntryLarge], end = table[push.table + kEntryOut];
    for (uint k = level < push.levels ? first : self + 1u; k < end; ++k) {
        const vec4 low_k = sorted_boxes[2 * k], high_k = sorted_boxes[2 * k + 1];
        if (any(greaterThan(low_k.xyz, high)) || any(greaterThan(low, high_k.xyz))) continue;
        if (may_meet(sorted_tags[k])) keep(floatBitsToUint(low_k.w), push.levels);
    }
}

void main() {
    if (status.stopped != 0u) return;
    self = gl_GlobalInvocationID.x;
    if (self >= push.colliders) return;
    found_count = 0u;
    if (self < table[push.table + kEntryOut]) {
        const vec4 low_bits = sorted_boxes[2 * self];
        const ivec4 cell = sorted_cells[self];
        low = low_bits.xyz;
        high = sorted_boxes[2 * self + 1].xyz;
        collider = floatBitsToUint(low_bits.w);
        level = uint(cell.w);
        tag = sorted_tags[self];
        for (uint l = level; l < push.levels; ++l) look_into_level(l, cell.xyz);
        look_at_large();
    }
    found_counts[self] = found_count;
}
