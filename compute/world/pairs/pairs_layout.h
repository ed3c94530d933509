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
const uint kBoxes = 8u;  // low, bits of the level; high
const uint kArgumentsOf = 9u;
const uint kOffsets = 10u;  // while pairs are counted: how many each collider owns
const uint kPairsA = 11u;
const uint kPairsB = 12u;
// ---- and the stage's own
const uint kLimits =
    13u;  // vec4 a collider: bits of the level, most way of a step, reach of turning, most aside
const uint kLevels = 14u;  // vec4 a level: 1 / cell size
const uint kExtents =
    15u;  // uint, 4 a level: bits of the largest half extents of this step's boxes; then kSpilled
const uint kTable = 16u;   // uint an entry: colliders in it, then where they begin
const uint kPlaces = 17u;  // ivec4 a collider: cell, entry of the table
const uint kTurns = 18u;   // uint a collider: which one of its entry it is
const uint kSortedBoxes =
    19u;  // 2 vec4 a collider, in the order of the table: low, bits of the collider; high
const uint kSortedCells = 20u;  // ivec4: cell, level
const uint kSortedTags = 21u;   // uvec4: body, layer, mask, whether it is dynamic
const uint kFound = 22u;  // uvec2, kFoundEach planes: partner and whether it owns the pair, place in the list
const uint kFoundCounts = 23u;  // uint
const uint kSpill =
    24u;  // uvec4 a pair: owner, partner, place in the list; found by those who find very many
const uint kUnsorted = 25u;  // uvec2 a pair: owner, partner; the lists of all owners, each in any order
const uint kBuffers = 26u;

const uint kMostLevels = 64u;
const uint kSpilled = 4u * kMostLevels;  // word of kExtents: length of the spill list
const uint kExtentWords = kSpilled + 4u;
const uint kFoundEach = 16u;  // partners that a collider finds before it spills
const uint kPartnerOwns = 1u << 31;
const int kMostCell = 1 << 22;  // coordinates of cells end here; what lies beyond shares the last one
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
    float margin;   // m, on every side of a box
    float dt;       // s, of the step
};

#ifdef __cplusplus
static_assert(sizeof(PairPush) == 24);
}  // namespace proxima::compute::world::pairs
#endif
