// SPDX-License-Identifier: MIT
// Shared by the kernels of the pair stage: push constants and the cells of the grid.
#include "compute/world/world.glsl"
#include "compute/world/pairs/pairs_layout.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform PushBlock { PairPush push; };

/// The cell of a point. Never falls when a coordinate grows, whatever the rounding: that makes the search complete.
ivec3 cell_of(vec3 x, float scale) {
    const float most = float(kMaxCell);
    return ivec3(clamp(floor(x * scale), vec3(-most), vec3(most)));
}

/// Coordinates in units of a level, rounded down, so that x <= y gives units(x) <= units(y): what overlaps does so in
/// units too. Of boxes in the grid only the last 16 bits are kept; the differences of near ones are right all the same.
/// Large ones have no such bound, and units that end.
uvec3 units_of(vec3 x, uint level, float scale) {
    const bool large = level == push.levels;
    const float most = large ? 16383.0 : float(kMaxCell) * kUnits;
    const ivec3 units = ivec3(clamp(floor(x * (scale * kUnits)), vec3(-most), vec3(most)));
    return uvec3(units + (large ? 16384 : 0));
}

/// Tells a row from others near it, and from those of other levels. Rows that are 8192 cells apart look alike; what is
/// in them is never near enough to overlap.
uint mark_of(uint level, int y, int z) { return level | (uint(y) & 0x1FFFu) << 6 | uint(z) << 19; }

/// Cells of a row along x have entries that follow each other, so that a search reads a row at once; rows are spread
/// over the table.
uint row_of(uint level, int y, int z) {
    uint h = uint(y) * 0x9E3779B1u ^ uint(z) * 0x85EBCA77u ^ level * 0xC2B2AE3Du;
    h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
    h = (h ^ (h >> 13)) * 0x297A2D39u;
    return h ^ (h >> 16);
}
uint entry_of(uint level, ivec3 cell) { return (row_of(level, cell.y, cell.z) + uint(cell.x)) & (push.table - 1u); }
