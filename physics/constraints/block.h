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
    uint32_t bounces = 0;                               // bit k: lane k has restitution
    uint32_t impacts = 0;                               // bit k: lane k has restitution, or closes fast
    uint32_t immovable = 0;                             // 1: the constraints of this block touch immovable bodies
    uint32_t anew = 0;  // bit k: the bodies of lane k get their impulses anew in every sub-step
    uint32_t deep = 0;  // bit k: lane k overlaps so far that being driven apart is no matter of sag
    uint32_t unused = 0;
};
static_assert(sizeof(BlockHead) == 128);

/// The bodies as kernels see them: records of eight floats each.
struct BodyRecords {
    float* velocity = nullptr;  // linear, -, angular, -
    float* delta = nullptr;     // since the gaps were measured: linear, -, small turn, -
    // inertia (6), mass, 1 when impulses are applied anew in every sub-step
    const float* inverse_mass = nullptr;
    float* transform = nullptr;          // rotation (x, y, z, w), centre of mass, radius
    float* free_velocity = nullptr;      // before the constraints of the sub-step acted; of drivers: acceleration
    float* shift = nullptr;              // what impacts add to the motion of this sub-step: linear, -, small turn, -
    const float* newton_step = nullptr;  // of direct solves: from where the present Newton step began to here
    // h x acceleration, damping factor, h x angular acceleration, damping factor
    const float* drive = nullptr;
    // body frame (6), 1 when not isotropic, 1 when impulses are applied anew in every sub-step
    const float* inertia = nullptr;
    const float* inverse_inertia = nullptr;  // body frame (6), -, -
};

/// The law of a sweep. An open gap s may close and no further (v_n >= -s/h). An overlap is a soft contact
/// (contact/softness.h): c = factor W_nn, so that 1/(W_nn + c) = hardness / W_nn with hardness = 1/(1 + factor).
struct SweepLaw {
    float h = 0.0f, inverse_h = 0.0f;
    // s since the gaps were measured: moves kinematic bodies, whose `delta` is zero until the end
    float elapsed = 0.0f;
    // s from the middle of the step to that of the sub-step, when something accelerates that no constraint moves; else 0
    float ramp = 0.0f;
    bool only_deep = false;  // lanes that overlap far, and no others
    bool adds_up = false;    // last sweep of a sub-step: impulses enter the totals
    /// After the last sub-step: the law is hard, what push-out gave is taken back, and what is about to touch is left
    /// to the next step. The change of the impulses enters the totals.
    bool relaxes = false;
};

struct ImpactLaw {
    float h = 0.0f;
    float elapsed = 0.0f;
    float min_speed = 0.0f;      // slower impacts do not bounce
    float min_inelastic = 0.0f;  // m/s: slower ones without restitution are left to the sweeps
    bool only_bounces = false;   // contacts with restitution and no others
};

/// The sweep kernels of one kind. Blocks follow each other in memory.
struct SweepKernels {
    /// Frames, inertia and lever arms one sub-step h on, `elapsed` seconds after the gaps were measured, where the bodies
    /// of a lane get their impulses anew. nullptr: the other kernels do that.
    void (*turn)(void* blocks, uint32_t count, const BodyRecords& bodies, float elapsed, float h) = nullptr;
    /// Applies the impulses that the blocks hold where the bodies are now: in the first sub-step, elapsed = 0, to all
    /// bodies, later to those that get them anew.
    void (*warm_start)(void* blocks, uint32_t count, const BodyRecords& bodies, float elapsed) = nullptr;
    void (*sweep)(void* blocks, uint32_t count, const BodyRecords& bodies, const SweepLaw& law) = nullptr;
    /// Returns whether anything bounced. `restitution` has a row per block. nullptr: nothing of this kind does.
    bool (*impact)(void* blocks, uint32_t count, const BodyRecords& bodies, const ImpactLaw& law,
                   const Row* restitution) = nullptr;
    /// Its lever arms follow the bodies from sub-step to sub-step, so the velocity that it gave in one is not the one
    /// that its impulses give in the next: islands with such constraints apply all impulses anew in every sub-step.
    bool moves_with_bodies = false;
};

/// How a sub-step begins with what constraints did in the last one: the velocity that they gave is given again, without
/// visiting a constraint. To bodies of islands that move, it is not: there impulses are applied anew, where the bodies
/// are now (BodyRecords::inertia says which).
enum class WarmStart : uint8_t {
    at_once,
    after_impacts,  // it waits in free_velocity for give_constraint_velocity
};

/// How bodies go from one sub-step to the next.
struct Advance {
    float h = 0.0f;
    bool gyroscopic = true;
    WarmStart warm_start = WarmStart::at_once;
    bool has_impacts = false;  // `shift` has to be looked at
};

/// Free motion. A list of records is followed by enough valid ones to fill its last block.
struct BodyKernels {
    /// Forces of the first sub-step.
    void (*begin)(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how);
    /// Positions of one sub-step, then the forces of the next.
    void (*next)(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how);
    /// Positions of the last sub-step.
    void (*end)(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how);
    /// After the impacts of a sub-step: velocities are free from here on, and get what constraints gave before.
    void (*give_constraint_velocity)(const uint32_t* list, uint32_t count, const BodyRecords& bodies,
                                     const Advance& how);
};

/// The kernels of the vector width in use.
const BodyKernels& body_kernels();

}  // namespace proxima::physics::sweep
