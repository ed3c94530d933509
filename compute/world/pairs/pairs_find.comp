// SPDX-License-Identifier: MIT
// One invocation a collider, in the order of the table, so that neighbours look into the same cells: finds every pair
// once. In its own level a collider looks at those that come after it in space and, in its own cell, in the table;
// what comes before has found it. In coarser levels, and among the large ones, it looks at all. Pairs are counted at
// their owner, which gives each a rank in the owner's list, in no particular order.
//
// Invocations side by side have their hits at different times. So a search goes in three loops, each of them with
// little in it: compare bounds and keep a bit of each; note the few that are near; look closer at what was noted.
#version 460
#include "compute/world/pairs/pairs.glsl"
#include "compute/world/pairs/pair_owner.glsl"

layout(std430, binding = kStatus) readonly buffer Status { WorldStatus status; };
layout(std430, binding = kBoxes) readonly buffer Boxes { vec4 boxes[]; };
layout(std430, binding = kOffsets) buffer Offsets { uint offsets[]; };
layout(std430, binding = kLevels) readonly buffer Levels { vec4 levels[]; };
layout(std430, binding = kExtents) buffer Extents { uint extents[]; };
layout(std430, binding = kTable) readonly buffer Table { uint table[]; };
layout(std430, binding = kSortedBounds) readonly buffer SortedBounds { uvec4 sorted_bounds[]; };
layout(std430, binding = kSortedCells) readonly buffer SortedCells { ivec4 sorted_cells[]; };
layout(std430, binding = kSortedTags) readonly buffer SortedTags { uvec4 sorted_tags[]; };
layout(std430, binding = kNear) buffer Near { uint near[]; };
layout(std430, binding = kFound) writeonly buffer Found { uvec2 found[]; };
layout(std430, binding = kFoundCounts) writeonly buffer FoundCounts { uint found_counts[]; };
layout(std430, binding = kSpill) writeonly buffer Spill { uvec4 spill[]; };

// This invocation's collider.
uint self, collider, level;
vec3 low, high;
float farther;  // than its box it may go; counts against large ones
uvec4 tag;

/// How far the search has come: a level, the next row in it, and what is left of the row that is open.
struct Search {
    uint level;
    bool begun;
    ivec3 first, last;  // cells of the level that may hold what overlaps
    uvec3 low_units, high_units;
    int y, z;           // of the next row
    uint mark;          // of the open one
    uint entry, cells;  // of the table, not looked into yet
    uint next, end;     // in the order of the table, not looked at yet
};

void begin_level(inout Search s, ivec3 own_cell) {
    s.begun = true;
    s.cells = s.next = s.end = 0u;
    const float scale = levels[s.level].x;
    const float more = s.level == push.levels ? farther : 0.0;
    s.low_units = units_of(low - more, s.level, scale);
    s.high_units = units_of(high + more, s.level, scale);
    s.first = s.last = ivec3(0);  // large ones have one row
    if (s.level < push.levels) {
        // A box that overlaps this one has its centre within `reach` of it. A little more, for rounding.
        const uvec3 bits = uvec3(extents[4u * s.level], extents[4u * s.level + 1u], extents[4u * s.level + 2u]);
        const vec3 reach = uintBitsToFloat(bits) * 1.000001;
        const vec3 from = low - reach, to = high + reach;
        s.first = cell_of(from - 5e-7 * abs(from), scale);
        s.last = cell_of(to + 5e-7 * abs(to), scale);
        if (bits.x == 0u) s.last.z = s.first.z - 1;  // nobody there
    }
    const bool own = s.level == level;
    s.y = own ? own_cell.y : s.first.y;
    s.z = own ? own_cell.z : s.first.z;
}

/// The next stretch of the table: of the row that is open, where that ran over the end of the table, or of the next.
void open_stretch(inout Search s, ivec3 own_cell) {
    uint after = kNone;
    if (s.cells == 0u) {
        if (s.z > s.last.z) return;
        const bool own_row = s.level == level && s.z == own_cell.z && s.y == own_cell.y;
        const int x = own_row ? own_cell.x : s.first.x;
        after = own_row ? self + 1u : kNone;
        s.entry = s.level == push.levels ? push.table + kEntryLarge : entry_of(s.level, ivec3(x, s.y, s.z));
        s.cells = uint(s.last.x - x) + 1u;
        s.mark = mark_of(s.level, s.y, s.z);
        const bool row_of_last_y = s.y == s.last.y;
        s.y = row_of_last_y ? s.first.y : s.y + 1;
        s.z = row_of_last_y ? s.z + 1 : s.z;
    }
    const uint count = s.level == push.levels ? 1u : min(s.cells, push.table - s.entry);
    s.next = after != kNone ? after : table[s.entry];
    s.end = table[s.entry + count];
    s.cells -= count;
    s.entry = 0u;
}

/// Which of the next boxes in the table overlap in units, a bit each.
uint compare(Search s, uint count) {
    uint bits = 0u, k = 0u;
    do {
        const uvec3 bounds = sorted_bounds[min(s.next + k, push.colliders - 1u)].xyz;
        const uvec3 outside = ((bounds >> 16) - s.low_units) | (s.high_units - bounds);
        bits |= (~(outside.x | outside.y | outside.z) >> 15 & 1u) << k;
        ++k;
    } while (k < count);
    return count == 0u ? 0u : bits;
}

/// Both sides must want each other, one must be pushed by contacts, and colliders of one body never meet.
bool may_meet(uvec4 other) {
    const bool filters = push.layers == 0u || ((tag.z & other.w) != 0u && (other.z & tag.w) != 0u);
    return filters && ((tag.x | other.x) & kPushed) != 0u && ((tag.x ^ other.x) & ~kPushed) != 0u;
}

/// The exact comparison with one that is near. Whoever finds very many shares a list as long as there may be pairs.
void meet(uint other, inout uint count) {
    const uvec4 other_tag = sorted_tags[other];
    const vec4 other_low = boxes[2 * other_tag.y];
    const vec4 other_high = boxes[2 * other_tag.y + 1];
    const uint other_level = floatBitsToUint(other_low.w);
    const float more = other_level == push.levels ? farther + other_high.w : 0.0;
    if (any(greaterThan(other_low.xyz - more, high)) || any(greaterThan(low - more, other_high.xyz)) ||
        !may_meet(other_tag))
        return;
    const uint a = min(collider, other_tag.y), b = max(collider, other_tag.y);
    const uint owner = pair_owner(a, b, a == collider ? level : other_level, a == collider ? other_level : level);
    const uint rank = atomicAdd(offsets[owner], 1u);
    if (count < kFoundEach) {
        found[count++ * push.colliders + self] = uvec2(owner == collider ? a + b - owner : owner | kPartnerOwns, rank);
    } else {
        const uint at = atomicAdd(extents[kSpilled], 1u);
        if (at < push.capacity) spill[at] = uvec4(owner, a + b - owner, rank, 0u);
    }
}

void main() {
    self = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || self >= push.colliders) return;
    if (self >= table[push.table + kEntryOut]) {
        found_counts[self] = 0u;
        return;
    }
    tag = sorted_tags[self];
    collider = tag.y;
    low = boxes[2 * collider].xyz;
    high = boxes[2 * collider + 1].xyz;
    farther = boxes[2 * collider + 1].w;
    const ivec4 own_cell = sorted_cells[self];
    level = uint(own_cell.w);

    uint count = 0u, near_count = 0u;
    Search s;
    s.level = level;
    s.begun = false;
    do {
        if (!s.begun) begin_level(s, own_cell.xyz);
        bool more;
        do {
            if (s.next == s.end) open_stretch(s, own_cell.xyz);
            const uint looked_at = min(s.end - s.next, kLookEach);
            uint bits = compare(s, looked_at);
            do {
                const uint k = s.next + uint(max(findLSB(bits), 0));
                // Others may share entries of the table with this row; they are met in their own.
                if (bits != 0u && sorted_bounds[k].w == s.mark) near[near_count++ * push.colliders + self] = k;
                bits &= bits - 1u;
            } while (bits != 0u);
            s.next += looked_at;
            more = s.next < s.end || s.cells > 0u || s.z <= s.last.z;
        } while (more && near_count <= kNearEach - kLookEach);

        // What was noted can wait for the next level, unless there is none, or no room.
        const bool waits = !more && s.level < push.levels && near_count <= kNearEach - kLookEach;
        uint k = 0u;
        while (!waits && k < near_count) meet(near[k++ * push.colliders + self], count);
        if (!waits) near_count = 0u;
        if (!more) {
            ++s.level;
            s.begun = false;
        }
    } while (s.level <= push.levels);
    found_counts[self] = count;
}
