// SPDX-License-Identifier: MIT
// Buffers, planes, counters and push constants of the solver stage, read by C++ and by GLSL.
#ifdef __cplusplus
#pragma once
#include "compute/world/world_layout.h"
namespace proxima::compute::world::solve {
#endif

// ---- buffers
const uint kInBodies = 0u;  // of the world
const uint kInPoses = 1u;
const uint kInVelocities = 2u;
const uint kInStatus = 3u;
const uint kInArguments = 4u;
const uint kInManifolds = 5u;  // of the pairs of this step
const uint kInPoints = 6u;
const uint kInLambda = 7u;
const uint kInColours = 8u;
const uint kMass = 9u;        // 2 vec4 a body: world inverse inertia xx yy zz xy; xz yz, inverse mass, flags
const uint kVelocity = 10u;   // 2 vec4 a body, 2 planes: linear, angular; plane 1 is extrapolated
const uint kMoved = 11u;      // 2 vec4 a body: displacement and turn (small angles) since the gaps were measured
const uint kFree = 12u;       // 2 vec4 a body: velocity of the sub-step without contact impulses
const uint kRotation = 13u;   // vec4 a body
const uint kBodyWords = 14u;  // uint a body, planes below
const uint kEntries = 15u;    // uint a side of a manifold: 2 slot + side, the entries of a body in a row
const uint kKeys = 16u;       // uint a pair: index of its manifold in the order of slots, see below, or kNone
const uint kCounts = 17u;     // uint: key x block of pairs
const uint kFresh = 18u;      // uint: pairs that want a colour
const uint kFrames = 19u;     // vec4 a slot, kFramePlanes planes
const uint kArms = 20u;       // vec4 a slot, plane k of point k: arm from the centre of mass of a; gap
const uint kImpulses = 21u;   // vec4 a slot, plane k of point k: normal, tangent 1, tangent 2
// vec4 a slot, plane k of point k: W_nn, 1 / lambda_max(W_tt), and the same with the copies of bodies, for those
// in the Jacobi group
const uint kBlocks = 22u;
const uint kChanges = 23u;         // vec4 a slot, 3 planes: impulse in the world, its moments about a and b
const uint kState = 24u;           // uint, counters below
const uint kPartials = 25u;        // 2 vec4 a workgroup of measuring
const uint kImpactArgs = 26u;      // workgroup counts of the passes of impacts, by colour; 0: nothing bounces
const uint kImpulsesBefore = 27u;  // as kImpulses, of the pass before; for momentum
const uint kSolveBuffers = 28u;

// ---- groups of manifolds that are solved at once: the colours, and those without one, as Jacobi does
const uint kGroupJacobi = kMaxColours;
const uint kGroups = kMaxColours + 1u;
// Slots are sorted by 2 group + (more than one point): invocations side by side then do the same.
const uint kSortKeys = 2u * kGroups;

// ---- planes
const uint kFrameNormal = 0u;  // unit, from a to b; friction
const uint kFrameShift = 1u;   // arm_b = arm_a + shift; bits of points | kAgainstImmovable
const uint kFrameBodies = 2u;  // bits of body a, body b; restitution; bits of the pair
const uint kFramePlanes = 3u;
const uint kAgainstImmovable = 256u;

const uint kWordCount = 0u;    // entries
const uint kWordBegin = 1u;    // first of them
const uint kWordCursor = 2u;   // written so far
const uint kWordJacobi = 3u;   // entries of the Jacobi group: the last ones
const uint kWordColours = 4u;  // bit mask of colours at the body
const uint kWordClaims = 5u;   // two planes that take turns: the best of those that want a colour
const uint kBodyWordPlanes = 7u;

// ---- counters
const uint kStateFresh = 0u;        // pairs that want a colour
const uint kStateEntries = 1u;      // handed out
const uint kStateColours = 2u;      // in use
const uint kStateUncoloured = 3u;   // manifolds
const uint kStatePoints = 4u;       // of all manifolds
const uint kStateJacobi = 5u;       // manifolds of the Jacobi group
const uint kStateJacobiFirst = 6u;  // slot of the first of them
const uint kStateManifolds = 7u;    // all
const uint kStateBounced = 16u;     // by pass of the impacts of a sub-step
const uint kMaxImpactPasses = 15u;
const uint kStateCloses = 31u;     // 1: something bounces in this sub-step
const uint kStateTotal = 32u;      // manifolds of a group
const uint kStateFirst = 72u;      // slot of its first
const uint kStateKeyTotal = 112u;  // the same by key
const uint kStateKeyFirst = 184u;
const uint kStateWords = 256u;

// ---- workgroup counts, from kArgsSolver on: the colours, then
const uint kArgsJacobi = kGroupJacobi;             // one invocation a manifold of the Jacobi group
const uint kArgsJacobiBodies = kGroupJacobi + 1u;  // one invocation a body, when that group is not empty
const uint kArgsFresh = kGroupJacobi + 2u;         // one invocation a pair that wants a colour
const uint kSolverArgs = kGroupJacobi + 3u;

// ---- what a kernel over the bodies does, in this order
const uint kDoGather = 1u;       // velocities follow the changes of the Jacobi group
const uint kDoJoin = 2u;         // impacts are done: the warm start that waited comes in
const uint kDoAdvance = 4u;      // positions
const uint kDoGyroscopic = 8u;   // with kDoAdvance: rotations keep the angular momentum
const uint kDoForces = 16u;      // forces and damping, then the warm start
const uint kDoSplit = 32u;       // with kDoForces: the warm start waits in kFree for the impacts
const uint kDoMomentum = 64u;    // after a gather: extrapolated velocities for the next pass
const uint kDoPush = 128u;       // of a sweep: soft contacts drive overlap apart
const uint kDoAllJacobi = 256u;  // of lists: Jacobi, colours serve impacts only

const uint kRoundBits = 6u;  // of a claim, above the priority
const uint kMaxRounds = 60u;

struct SolvePush {
    uint bodies;
    uint pairs;       // capacity: the stride of planes
    uint blocks;      // stride of kCounts
    uint colours;     // recorded; manifolds of others are solved by Jacobi passes
    uint group;       // of manifolds, of this dispatch
    uint flags;       // kDo...
    uint plane;       // of velocities that a Jacobi pass starts from
    uint round;       // of colouring; pass of impacts
    float h;          // s, sub-step
    float beta;       // extrapolation of impulses, away from kImpulsesBefore
    float next_beta;  // of velocities, for the next pass
    float warm_scale;
    float push_rate;  // soft contacts between bodies that can both move
    float compliance_factor;
    float push_rate_immovable;
    float compliance_factor_immovable;
    float max_push_speed;
    float restitution_speed;
    float gravity_x;
    float gravity_y;
    float gravity_z;
};

#ifdef __cplusplus
static_assert(sizeof(SolvePush) <= 128 && kSolverArgs <= kArguments - kArgsSolver);
}  // namespace proxima::compute::world::solve
#endif
