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
const uint kMass = 9u;       // 2 vec4 a body: world inverse inertia xx yy zz xy; xz yz, inverse mass, flags
const uint kVelocity = 10u;  // 2 vec4 a body, 2 planes: linear, angular; plane 1 is extrapolated
// 2 vec4 a body, 2 planes: displacement and turn (small angles) since the gaps were measured; what impacts add to those
// of this sub-step
const uint kMoved = 11u;
// 2 vec4 a body, 2 planes: velocity of the sub-step without contact impulses, of a kinematic body its acceleration;
// what forces give in a sub-step, with the factors of damping
const uint kFree = 12u;
const uint kRotation = 13u;   // vec4 a body
const uint kBodyWords = 14u;  // uint a body, planes below
const uint kEntries = 15u;    // uint a side of a manifold: 2 slot + side, the entries of a body in a row
const uint kKeys = 16u;       // uint a pair: index of its manifold in the order of slots, see below, or kNone
const uint kCounts = 17u;     // uint: key x block of pairs
const uint kFresh = 18u;      // uint: pairs that want a colour
const uint kFrames = 19u;     // vec4 a slot, kFramePlanes planes
// vec4 a slot, plane k of point k: offset along tangent 1, tangent 2, normal from the middle of the points; gap when
// `moved` was zero
const uint kArms = 20u;
// vec4 a slot, plane k of point k: normal, tangent 1, tangent 2 of the sub-step; normal summed over the step
const uint kImpulses = 21u;
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

// ---- planes of kFrames. The middle of the points, c, is where the two bodies are looked at.
const uint kFrameNormal = 0u;   // unit, from a to b, as it is turned now; friction
const uint kFrameTangent = 1u;  // first tangent, as it is turned now; bits below
const uint kFrameArmA = 2u;     // from the centre of mass of a to c, now; m/s, fastest push-out
const uint kFrameArmB = 3u;     // the same of b; m/s, the fastest that a point was asked to part with in this step
const uint kFrameBodies = 4u;   // bits of body a, body b; restitution; bits of the pair
const uint kFrameGaps = 5u;     // of the four points, now
const uint kStartNormal = 6u;   // when the gaps were measured
const uint kStartArmA = 7u;
const uint kStartArmB = 8u;
const uint kFramePlanes = 9u;
const uint kEndNormal = kStartArmA;  // after the last sub-step
const uint kEndTangent = kStartArmB;
// Bits of a slot: number of points, and
const uint kAgainstImmovable = 256u;  // one of the bodies cannot be moved
const uint kMayImpact = 512u;         // has restitution, or closes fast
const uint kSurfaceShift = 12u;       // kFrameOnB, kRollsA, kRollsB, moved up by this

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
const uint kStateElastic = 8u;      // 1: some manifold has restitution
const uint kStateDeep = 9u;         // 1: some overlap is deep
const uint kStateBounced = 16u;     // by pass of the impacts of a sub-step
const uint kMaxRecordedPasses = 15u;
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
// The groups, and the bodies of the Jacobi group, once more: when some overlap is deep.
const uint kArgsDeep = kGroupJacobi + 3u;
const uint kSolverArgs = 2u * kGroupJacobi + 5u;

// ---- what kernels do. Over the bodies, in this order:
const uint kDoGather = 1u;  // velocities follow the changes of the Jacobi group
const uint kDoWarmStart =
    2u;                      // impacts are done: velocities are free from here on, and get the impulses of all contacts
const uint kDoAdvance = 4u;  // positions
const uint kDoGyroscopic = 8u;  // with kDoAdvance: rotations keep the angular momentum
const uint kDoForces = 16u;     // forces and damping
const uint kDoMomentum = 64u;   // after a gather: extrapolated velocities for the next pass
// Of sweeps:
const uint kDoPush = 128u;       // soft contacts drive overlap apart
const uint kDoRelax = 512u;      // after the last sub-step: hard contacts, and what push-out gave is taken back
const uint kDoAddUp = 1024u;     // last sweep of a sub-step: impulses enter the sum over the step
const uint kDoAllJacobi = 256u;  // of lists: Jacobi, colours serve impacts only
const uint kDoTurn = 2048u;      // frames and inertia turn with the bodies from sub-step to sub-step
const uint kDoPlace = 4096u;     // of solve_place: all of it, for a sub-step; otherwise for the end of the step

// Impacts of so few manifolds are done by one workgroup, as often as they travel; of more by passes over the colours.
const uint kFewManifolds = 2048u;
const uint kMaxPasses = 64u;  // as physics/solve/impacts.h
const uint kInelasticPasses = 8u;
const uint kLoadPasses = 8u;  // over the normals of a patch that carried nothing before
// The slowest impacts, in what forces change of the closing speed in a sub-step: with restitution, as on the cpu
// (contact_block.h), and without, which sweeps of the cpu stop by themselves.
const uint kBounceDrives = 4u;
const uint kInelasticDrives = 32u;

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
    // Soft contacts between bodies of a metre that can both move (physics/contact/softness.h)
    float spring_angle;       // 2 pi x frequency x h; 0: hard contacts
    float max_spring_angle;   // of smaller ones
    float damping;            // 2 x damping ratio
    float max_push_speed;     // of bodies of a metre
    float restitution_speed;  // slower impacts do not bounce
    float dt;                 // s, step
    float ramp;               // s from the middle of the step to that of the sub-step
    float fast;               // m/s: what closes slower is no impact, unless it has restitution
    float gravity_x;
    float gravity_y;
    float gravity_z;
};

#ifdef __cplusplus
static_assert(sizeof(SolvePush) <= 128 && kSolverArgs <= kArguments - kArgsSolver);
}  // namespace proxima::compute::world::solve
#endif
