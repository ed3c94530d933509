// SPDX-License-Identifier: MIT
// What blocks of constraints of every kind have in common: eight constraints side by side, the bodies as kernels see
// them, and the laws of sweeps. Plain arrays of floats only, because kernels are compiled once per vector width
// (engine/simd).
#pragma once

#include <cstddef>
#include <cstdint>

namespace proxima::physics::sweep {

inline constexpr uint32_t kBlockLanes = 8;  // constraints in a block, at every vector width
inline constexpr uint32_t kRecord = 8;      // floats in a body record (BodyVelocity, BodyInverseMass, BodyTransform)
inline constexpr uint32_t kNoLane = 0xFFFFFFFFu;

using Row = float[kBlockLanes];

/// The head of a block of any kind.
struct alignas(64) BlockHead {
    uint32_t body_a[kBlockLanes], body_b[kBlockLanes];  // records
    uint32_t id[kBlockLanes];                           // in the store of the kind; kNoLane: empty lane
    uint32_t moves_a = 0, moves_b = 0;                  // bit k: impulses move the body of lane k
    uint16_t bounces = 0;                               // bit k: lane k has restitution
    uint16_t begins = 0;                                // bit k: lane k is new, and has not touched yet
    uint32_t carries = 0;    // bit 8 i + k: point i of lane k began the sub-step with an impulse
    uint32_t blows = 0;      // bit k: what lane k gives in this sub-step is no lasting force
    uint16_t immovable = 0;  // 1: the constraints of this block touch immovable bodies
    // bit k: lane k is of two balls, and its normal follows their centres; 8 + k: of a ball and something that it meets later
    uint16_t balls = 0;
    uint16_t turns = 0;  // bit k: a body of lane k moves, and the constraint follows in every sub-step
    // bit k: a surface of lane k moves along itself; 8 + k: its velocity turns with b and not with a
    uint16_t moving_surfaces = 0;
    uint16_t spins = 0;  // bit k: the inertia of a body of lane k is another one in every sub-step
    uint16_t anew = 0;   // bit k: the bodies of lane k get their impulses anew in every sub-step
};
static_assert(sizeof(BlockHead) == 128);

/// How a body begins a sub-step with what constraints did in the last one. At rest (0) the velocity that they gave is given
/// again, without visiting a constraint. Where bodies move so far in a step that lever arms, frames and inertia are other
/// ones in the next sub-step it is given again as momentum, and each constraint adds what has become different about its
/// impulses; their inertia is another one then too, unless it is the same about every axis. Bodies of islands with joints get
/// all impulses anew.
inline constexpr float kMoves = 1.0f, kSpins = 2.0f, kAnew = 3.0f;

/// The bodies as kernels see them: records of eight floats each.
struct BodyRecords {
    float* velocity = nullptr;       // linear, -, angular, -
    float* delta = nullptr;          // since the gaps were measured: linear, -, turn as its vector, -
    float* inverse_mass = nullptr;   // inertia (6), mass, how it moves: 0, kMoves, kSpins, kAnew
    float* transform = nullptr;      // rotation (x, y, z, w), centre of mass, radius
    float* free_velocity = nullptr;  // before the constraints of the sub-step acted; of drivers: acceleration
    // what impacts and overlaps add to the motion of this sub-step: linear, -, small turn, -
    float* shift = nullptr;
    // h x acceleration, damping factor, h x angular acceleration, damping factor
    const float* drive = nullptr;
    const float* inertia = nullptr;          // body frame (6), 1 when not isotropic, how it moves
    const float* inverse_inertia = nullptr;  // body frame (6), -, -
};

/// The law of a sweep. An open gap s may close and no further (v_n >= -s/h). An overlap is a soft contact
/// (contact/softness.h): c = factor W_nn, so that 1/(W_nn + c) = hardness / W_nn with hardness = 1/(1 + factor).
struct SweepLaw {
    float h = 0.0f, inverse_h = 0.0f;
    // s since the gaps were measured: moves kinematic bodies, whose `delta` is zero until the end
    float elapsed = 0.0f;
    // When something accelerates that no constraint moves, else 0: s from the middle of the step to that of the sub-step,
    // s^2 that its acceleration has moved it beyond its velocity (solve/integrate.h).
    float ramp = 0.0f, lag = 0.0f;
    float gravity = 0.0f;      // m/s that it gives in a sub-step
    uint32_t load_passes = 0;  // in which a patch that carried nothing finds its load
    bool first = false;        // of the sub-step
    bool turns = false;        // first sweep of a later sub-step: constraints follow their bodies
    bool adds_up = false;      // last sweep of a sub-step: impulses enter the totals
};

struct ImpactLaw {
    float h = 0.0f;
    float elapsed = 0.0f;
    float ramp = 0.0f, lag = 0.0f;  // those of SweepLaw; `ramp` to the end of the sub-step
    float min_speed = 0.0f;         // slower impacts do not bounce
};

/// How constraints follow the bodies from one sub-step to the next.
struct FollowLaw {
    float h = 0.0f;
    float elapsed = 0.0f;  // s since the gaps were measured
    float lag = 0.0f;      // that of SweepLaw
    bool turned = false;   // `turn` has been called in this sub-step
};

/// The sweep kernels of one kind. Blocks follow each other in memory.
struct SweepKernels {
    /// Frames, inertia and lever arms one sub-step on, before impacts. What that makes different about the impulses is added
    /// to the velocity that is given again, which waits in `free_velocity`. nullptr: the other kernels do that.
    void (*turn)(void* blocks, uint32_t count, const BodyRecords& bodies, const FollowLaw& law) = nullptr;
    /// Applies the impulses that the blocks hold where the bodies are now: in the first sub-step, elapsed = 0, to all
    /// bodies, later to those that get them anew.
    void (*warm_start)(void* blocks, uint32_t count, const BodyRecords& bodies, const FollowLaw& law) = nullptr;
    void (*sweep)(void* blocks, uint32_t count, const BodyRecords& bodies, const SweepLaw& law) = nullptr;
    /// After the last sub-step: the law is hard, and what is about to touch is left to the next step. The change of the
    /// impulses enters the totals.
    void (*relax)(void* blocks, uint32_t count, const BodyRecords& bodies, const SweepLaw& law) = nullptr;
    /// Returns whether anything bounced. `restitution` has a row per block. nullptr: nothing of this kind does.
    bool (*impact)(void* blocks, uint32_t count, const BodyRecords& bodies, const ImpactLaw& law,
                   const Row* restitution) = nullptr;
    /// Its lever arms follow the bodies from sub-step to sub-step, so the velocity that it gave in one is not the one
    /// that its impulses give in the next: islands with such constraints apply all impulses anew in every sub-step.
    bool moves_with_bodies = false;
};

/// When the velocity that constraints gave in the last sub-step is given again.
enum class WarmStart : uint8_t {
    at_once,
    after_impacts,  // it waits in free_velocity for give_constraint_velocity
};

/// How bodies go from one sub-step to the next.
struct Advance {
    float h = 0.0f;
    bool gyroscopic = true;
    WarmStart warm_start = WarmStart::at_once;
    bool has_shifts = false;  // `shift` has to be looked at
    bool all_turn = false;    // inertia follows all bodies, not only those that get impulses anew
};

/// Free motion. A list of records is followed by enough valid ones to fill its last block.
struct BodyKernels {
    /// Forces of the first sub-step.
    void (*begin)(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how);
    /// Positions of one sub-step, then the forces of the next.
    void (*next)(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how);
    /// Positions of the last sub-step.
    void (*end)(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how);
    /// After impacts: displaces bodies so that moving with the new velocity from the start of the sub-step leads them
    /// through where and when they touched.
    void (*take_shifts)(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how);
    /// After the impacts of a sub-step: velocities are free from here on, and get what constraints gave before.
    void (*give_constraint_velocity)(const uint32_t* list, uint32_t count, const BodyRecords& bodies,
                                     const Advance& how);
    /// All sub-steps of bodies that have no constraints.
    void (*fly)(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how, uint32_t substeps);
};

/// The kernels of the vector width in use.
const BodyKernels& body_kernels();

}  // namespace proxima::physics::sweep
