// SPDX-License-Identifier: MIT
// A world that lives on the device: the records of bodies, colliders, shapes, pairs and contacts that its stages
// share. Written in the words that C++ and GLSL have in common; the stages' own buffers stand in their own folders.
#ifdef __cplusplus
#pragma once
#include <cstdint>
namespace proxima::compute::world {
using uint = uint32_t;
struct alignas(16) vec4 {
    float x = 0.0f, y = 0.0f, z = 0.0f, w = 0.0f;
};
struct alignas(16) uvec4 {
    uint x = 0, y = 0, z = 0, w = 0;
};
#endif

const uint kWorkgroup = 64u;   // invocations, of every kernel of a world
const uint kMaxPoints = 4u;    // of a manifold
const uint kMaxColours = 32u;  // of manifolds
const uint kNone = 0xFFFFFFFFu;

// ---- shapes; kNone: one that no kernel knows, and no collider has
const uint kSphere = 0u;
const uint kBox = 1u;
const uint kCapsule = 2u;
const uint kHull = 3u;
const uint kHalfSpace = 4u;

/// Boxes and hulls have a polytope in the pools below; indices of a polytope count from its own first one.
struct WorldShape {
    uvec4 kind;    // kSphere ..., first vertex, first face, first edge
    uvec4 counts;  // vertices, faces, edges, first word of the loops
    vec4 size;     // half extents of the bounding box in the shape's frame, about `middle`; radius of round ones
    vec4 more;     // half height of a capsule, bounding radius about the origin, axis slop, inner radius
    vec4 center;   // a point inside of a polytope: the mean of its vertices
    vec4 middle;   // of the bounding box
};
/// Pools: vertices are vec4 (position, 0). Faces are two vec4: outward normal and offset, then the bits of the
/// first word of the loop (from the shape's first) and of its length. Loop words: vertex | edge << 16, the
/// edge leads from this vertex to the next one. Edges are two words: tail | head << 16, left | right << 16.

// ---- bodies
const uint kDynamic = 1u;      // contacts and forces move it
const uint kKinematic = 2u;    // moves as its velocity says
const uint kGyroscopic = 4u;   // inertia is not a multiple of the identity
const uint kQuarantined = 8u;  // went non-finite: stays where it was last good, takes no part

/// What does not change while steps go by, and what is known from the step before. Tensors are of the body's frame,
/// about the centre of mass.
struct WorldBody {
    vec4 inverse0;  // inverse inertia: xx yy zz xy
    vec4 inverse1;  // xz yz, inverse mass, bits of flags
    vec4 inertia0;  // xx yy zz xy
    vec4 inertia1;  // xz yz, mass, gravity scale
    vec4 force;     // N, for the coming step, which clears it; linear damping
    vec4 torque;    // N m; angular damping
    vec4 before0;   // of a kinematic body: linear velocity in the step before; of all: radius about the centre of mass
    vec4 before1;   // angular velocity in the step before; 0
};

/// A shape on a body, in the order of stable ids: of a pair a < b.
struct WorldCollider {
    vec4 offset;   // about the centre of mass, body frame; friction
    vec4 turn;     // rotation in the body's frame, xyzw; identity is 0 0 0 1
    uvec4 refs;    // body, shape, layer, mask
    vec4 surface;  // restitution, bits of friction combine | restitution combine << 8; m around its box; 0
};

// ---- what a step tells the host; kernels do nothing while `stopped` is not 0
const uint kStoppedPairs = 1u;  // more pairs than there is room for: `pairs_wanted` says how many
const uint kStoppedWord = 4u;   // reserved for tests

struct WorldStatus {
    uint stopped;
    uint steps;         // done since the world was taken
    uint pairs;         // of boxes, in the last step
    uint pairs_wanted;  // when stopped by kStoppedPairs
    uint manifolds;     // with points
    uint points;
    uint colours;           // in use
    uint uncoloured;        // manifolds that found no colour
    uint residual_max;      // bits of a float, m/s, natural map of the exact law, worst point of the last step
    uint penetration_max;   // bits of a float, m, at the end of the last step
    float residual_sum;     // over points
    float penetration_sum;  // over overlapping points
    uint overlapping;       // points
    uint quarantined;       // bodies that went non-finite, all in all
    uint bounces;           // impacts with restitution in the last step
    uint unused;
};

// ---- workgroup counts that the device writes for the device: three words each, at 16 byte strides
const uint kArgsPairs = 0u;      // one invocation a pair
const uint kArgsManifolds = 1u;  // one invocation a manifold of the list
const uint kArgsSolver = 8u;     // 88 of the solver stage
const uint kArguments = 96u;

// ---- planes, strided by the capacity of pairs
// kManifold, vec4 a pair:
const uint kPlaneNormal = 0u;  // from a to b, unit; bits of the number of points, 0: apart
const uint kPlaneShift = 1u;   // arm_b = arm_a + shift = arm_a + (centre a - centre b); friction
const uint kPlaneBodies = 2u;  // bits of body a, body b; restitution; bits of the surfaces
const uint kManifoldPlanes = 3u;
const uint kFrameOnB = 1u;  // of the surfaces: the normal is that of a face of b and turns with it, else with a
const uint kRollsA = 2u;    // the surface of a is round, and has other points in contact as it rolls
const uint kRollsB = 4u;
// kPoints, vec4 a pair, plane k of point k: arm from the centre of mass of a to the point, world; gap
// (negative: overlap) kLambda, vec4 a pair, plane k of point k: impulse of a sub-step (normal, tangent 1,
// tangent 2); bits of the feature.
//     Tangents follow from the normal: make_tangents.

#ifdef __cplusplus
static_assert(sizeof(WorldShape) == 96 && sizeof(WorldBody) == 128 && sizeof(WorldCollider) == 64 &&
              sizeof(WorldStatus) == 64);
}  // namespace proxima::compute::world
#endif
