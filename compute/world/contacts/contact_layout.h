// SPDX-License-Identifier: MIT
// The numbers that the kernels of the contact stage and the host agree on: lists of pairs by what is to be
// done with them, and bits of features. Written in the words that C++ and GLSL have in common.
#ifdef __cplusplus
#pragma once
#include "compute/world/world_layout.h"
namespace proxima::compute::world {
#endif

// ---- lists of pairs; each pair is in at most one of those by shapes, and may come into the others from
// there
const uint kListRound = 0u;      // spheres and capsules among themselves
const uint kListCore = 1u;       // a sphere or capsule and a hull
const uint kListBoxes = 2u;      // two boxes
const uint kListHulls = 3u;      // two polytopes, at least one of them a hull
const uint kListPlanes = 4u;     // a half-space and anything
const uint kListFaces = 5u;      // a face of one is the axis: clip the other's
const uint kListEdges = 6u;      // two edges are the axis, or clipping left too little
const uint kListBoxFaces = 7u;   // the same of two boxes, or of a half-space and a box
const uint kListCoreBox = 8u;    // a sphere or capsule and a box
const uint kListHullEdges = 9u;  // of kListHulls, what no face separates
const uint kContactLists = 10u;  // four words each at the front: workgroups, 1, 1, entries
const uint kListsHeader = 40u;   // words before the entries, `capacity` a list

struct ContactPush {
    uint capacity;      // of pairs: the stride of planes and lists
    float speculative;  // points nearer than this, of bodies of a metre, are contacts ...
    float dt;           // ... and those that may close within this time
    uint unused;
};

// ---- features: bit 31: the reference face is on b; bits 22 to 30: its index; bits 20, 21: what made the
// point; below: ten bits each for one or two indices. No feature has the bits of a float that is not finite.
const uint kMadeBy = 3u << 20;
const uint kIncidentVertex = 0u;                   // a vertex of the incident face
const uint kEdgeAndSide = 1u << 20;                // an incident edge crosses a side of the reference face
const uint kTwoSides = 2u << 20;                   // a corner of the reference face
const uint kNearestOutlines = 3u << 20;            // the nearest points of two faces beside each other
const uint kTwoEdges = (508u << 22) | (3u << 20);  // more than the faces that a hull can have
const uint kOnB = 1u << 31;

#ifdef __cplusplus
}  // namespace proxima::compute::world
#endif
