// SPDX-License-Identifier: MIT
// What the host and the kernels of the pair stage must agree about: numbers of buffers and push constants.
// Written in the words that C++ and GLSL have in common.
#ifdef __cplusplus
#pragma once
#include "compute/world/world_layout.h"
namespace proxima::compute::world::pairs {
#endif

// ---- buffers, by their binding: first those of the world
const uint kBodies = 0u;
const uint kColliders = 1u;
const uint kShapes = 2u;
const uint kVertices = 3u;
const uint kPoses = 4u;
const uint kVelocities = 5u;
const uint kStatus = 6u;
const uint kColliderPoses = 7u;
const uint kBoxes = 8u;  // low, bits of the level; high, way that the body goes farther than its box
const uint kArgumentsOf = 9u;
const uint kOffsets = 10u;  // while pairs are counted: how many each collider owns
const uint kPairsA = 11u;
const uint kPairsB = 12u;
// ---- and the stage's own; "sorted" is in the order of the table
const uint kLimits = 13u;        // vec4 a collider: bits of the level, max travel, reach of turning, max sideways
const uint kLevels = 14u;        // vec4 a level, also that of large colliders: 1 / cell size
const uint kExtents = 15u;       // uint, 4 a level: bits of the largest half extents of its boxes; then kSpilled
const uint kTable = 16u;         // uint an entry: colliders in it, then where they begin
const uint kCells = 17u;         // ivec4 a collider: cell, entry of the table
const uint kTurns = 18u;         // uint a collider: which one of its entry it is
const uint kSortedBounds = 19u;  // uvec4: bounds along x, y, z in units; mark of the row
const uint kSortedCells = 20u;   // ivec4: cell, level
const uint kSortedTags = 21u;    // uvec4: body and kPushed, collider, layer, mask
const uint kNear = 22u;          // uint, kNearEach planes: indices of those that are near
const uint kFound = 23u;         // uvec2, kFoundEach planes: partner and kPartnerOwns, rank in the owner's list
const uint kFoundCounts = 24u;   // uint
const uint kSpill = 25u;         // uvec4 a pair: owner, partner, rank; of colliders that find very many
const uint kUnsorted = 26u;      // uvec2 a pair: owner, partner; lists of all owners, in any order
const uint kBuffers = 27u;

const uint kMaxLevels = 63u;            // of the grid
const uint kSpilled = 4u * kMaxLevels;  // word of kExtents: length of the spill list
const uint kExtentWords = kSpilled + 4u;
const uint kLookEach = 16u;   // that a collider looks at in one go
const uint kNearEach = 32u;   // that it notes before it looks closer
const uint kFoundEach = 16u;  // partners that it finds before it spills
const uint kPartnerOwns = 1u << 31;
const uint kPushed = 1u << 31;  // the body is dynamic
const int kMaxCell = 1 << 22;   // coordinates of cells end here; what lies beyond shares the last one
const float kUnits = 256.0;     // of a cell, in which a search measures boxes
const float kUnbounded = 1e30;  // m, a side of a box that has no end

/// Entries of the table behind those that cells hash to: large colliders, and those that take no part.
const uint kEntryLarge = 0u;
const uint kEntryOut = 1u;
const uint kExtraEntries = 2u;

struct PairPush {
    uint colliders;
    uint table;     // entries that cells hash to, a power of two
    uint levels;    // of the grid; the level behind them is that of large colliders
    uint capacity;  // of pairs
    float dt;       // s, of the step
    uint layers;    // whether layers and masks keep any two apart
};

#ifdef __cplusplus
static_assert(sizeof(PairPush) == 24);
}  // namespace proxima::compute::world::pairs
#endif
