// SPDX-License-Identifier: MIT
// What the host and the kernels must agree about: numbers of buffers, planes inside of them, and the records
// that both read. Written in the words that C++ and GLSL have in common.
#ifdef __cplusplus
#pragma once
#include <cstdint>
namespace proxima::compute::layout {
using uint = uint32_t;
#endif

// ---- buffers, by their binding
const uint kFrames = 0u;  // vec4, 5 planes of contacts: see below
const uint kSteps = 1u;   // vec4 per contact: 1/d_n, 1/d_t, W_nn + c, lambda_max(W_tt)
const uint kBlocks = 2u;  // vec4 per contact: W_tt stretched (t11, t12, t22); blocked steps only
const uint kLambda = 3u;  // vec4 per contact, 5 planes: impulses (n, t1, t2)
const uint kImpulse =
    4u;  // vec4 per contact: change of one pass, in the world; of manifolds 3 planes: and moments on a, b
const uint kMass = 5u;      // 2 vec4 per body: xx yy zz xy, xz yz 1/m -
const uint kVelocity = 6u;  // 2 vec4 per body, 6 planes: linear, angular
const uint kOffsets = 7u;   // uint per body + 1: where its entries begin
const uint kEntries = 8u;   // uint: contact (or group) * 2 + side, in their order
const uint kState = 9u;     // SolveState, 2 slots: one is read, the other written
const uint kMeasure = 10u;  // uint, 4 words: bits of the largest residual (2 slots), of the largest block
const uint kHistory = 11u;  // float: residual before the first and after each sweep
const uint kVector = 12u;   // vec4 per contact: the vector of the power method
const uint kPartial = 13u;  // float per workgroup: its share of |x|^2
// Of problems with contacts whose friction is more than a disk:
const uint kExtra = 14u;        // vec4 per contact: mu across, radii of torsion and rolling, 1 (0: a plain contact)
const uint kExtraBlocks = 15u;  // 3 vec4 per contact: see extra_setup.comp
const uint kSpin = 16u;         // vec4 per contact, 5 planes: impulses of torsion and rolling
const uint kMoment = 17u;       // vec4 per contact: change of one pass, in the world
const uint kGroups = 18u;       // uvec4 per group: begin, end, 1 (first to touch body a) + 2 (body b), -
const uint kBuffers = 19u;

// ---- planes of kFrames
const uint kPlaneNormal = 0u;    // n, mu
const uint kPlaneTangent1 = 1u;  // t1, bias
const uint kPlaneTangent2 = 2u;  // t2, compliance
const uint kPlaneArmA = 3u;      // r_a, bits of body a
const uint kPlaneArmB = 4u;      // r_b, bits of body b
const uint kFramePlanes = 5u;
// ---- planes of kLambda, kSpin and kVelocity: four that take turns as before, current, next and best, the
// answer, and of velocities those that momentum has moved on
const uint kTurnPlanes = 4u;
const uint kAnswerPlane = 4u;
const uint kAheadPlane = 5u;
const uint kImpulsePlanes = 5u, kVelocityPlanes = 6u;

// ---- SolveState::stop
const uint kRunning = 0u;
const uint kStopIterations = 1u;
const uint kStopTolerance = 2u;
const uint kStopStalled = 3u;

// ---- Push::strategy
const uint kLocal = 0u;
const uint kGlobal = 1u;
const uint kBlocked = 2u;
const uint kManifolds = 3u;      // local steps of manifolds with their shares of mass
const uint kSweeps = 4u;         // local steps of whole masses, for one group after the other
const uint kSweepsBlocked = 5u;  // the same with the tangents' blocks

/// What a pass knows of the passes before it.
struct SolveState {
    uint current, next, best;  // planes
    uint stop;
    float scale;  // of all steps, reduced when the residual does not fall
    float residual, best_residual;
    float early, late;  // least residuals of the two halves of a waiting time
    uint sweeps, best_at, judged_at, patience;
    uint iterations, rejected;
    uint swept;  // whether `current` came out of a sweep; otherwise it is the start, or was gone back to
    uint started;
    float step;                      // of the global strategy: 1 / lambda_max; otherwise 1
    float eigenvalue, inverse_norm;  // of the power method
    uint before;                     // plane of the iterate before `current`
    uint momentum;                   // sweeps since the start, or since going back
};

/// Push constants: sizes, the number of the pass, and the settings of the solve.
struct Push {
    uint contacts, bodies;
    uint pass;
    uint strategy;
    uint iterations, rollback, patience;
    float tolerance, shrink, step_floor;
    uint partials;
    uint history;  // whether it is wanted
    uint groups;
    uint first_group, end_group;  // of a colour
    uint sweep;                   // of solves that do not measure: sweeps before this pass
};

#ifdef __cplusplus
static_assert(sizeof(SolveState) == 88 && sizeof(Push) == 64);
}  // namespace proxima::compute::layout
#endif
