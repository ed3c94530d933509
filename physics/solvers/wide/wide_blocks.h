// SPDX-License-Identifier: MIT
// The data of the wide solver: eight manifolds side by side, and the kernels that work on them. Plain arrays
// of floats only, because kernels are compiled once per vector width (engine/simd).
//
// A manifold is solved in its own frame (n, t1, t2) about the middle c of its points. What the sweeps need of
// the two bodies is their relative motion there, a twist (u, w) of six numbers; point i at offset (z, x, y)
// from c moves with
//     v_n = u_n + w_1 y - w_2 x,   v_1 = u_1 + w_2 z - w_n y,   v_2 = u_2 + w_n x - w_1 z,
// and an impulse (l_n, l_1, l_2) there is the wrench f = l, tau = (z, x, y) x l, which changes the twist by W
// (f, tau), W = sum over both bodies of J M^-1 J^T, 6 x 6. So points of a manifold act on each other through
// a few stored numbers, and bodies are read once and written once per sweep.
#pragma once

#include <cstddef>
#include <cstdint>

namespace proxima::physics::wide {

inline constexpr uint32_t kBlockLanes = 8;  // manifolds in a block, at every vector width
inline constexpr uint32_t kMaxPoints = 4;
inline constexpr uint32_t kRecord = 8;  // floats in a body record (BodyVelocity, BodyInverseMass, BodyPlace)

using Row = float[kBlockLanes];

/// What a block has whatever its number of points.
struct alignas(64) BlockHead {
    uint32_t body_a[kBlockLanes], body_b[kBlockLanes];  // slots
    uint32_t pair[kBlockLanes];                         // where the manifolds are kept; kNoLane: empty lane
    uint32_t moves_a = 0, moves_b = 0;                  // bit k: impulses move the body of lane k
    uint32_t bounces = 0;                               // bit k: lane k has restitution
    uint32_t immovable = 0;  // 1: the manifolds of this block touch immovable bodies
    float normal[3][kBlockLanes], tangent1[3][kBlockLanes], tangent2[3][kBlockLanes];
    float arm_a[3][kBlockLanes], arm_b[3][kBlockLanes];    // from the centres of mass to c, world
    float mass_a[kBlockLanes], inertia_a[6][kBlockLanes];  // inverse, world
    float mass_b[kBlockLanes], inertia_b[6][kBlockLanes];
    float friction[kBlockLanes];
};
inline constexpr uint32_t kNoLane = 0xFFFFFFFFu;

struct PointRows {
    Row x, y, z;                                       // offset along t1, t2, n from c
    Row start_gap;                                     // when `moved` was zero
    Row normal_step, tangent_step;                     // 1/W_nn, 1/lambda_max(W_tt); 0 where nothing can move
    Row normal, tangent1, tangent2;                    // impulse of the sub-step
    Row total_normal, total_tangent1, total_tangent2;  // summed over the step
    Row approach_speed;
};

/// Entries of W that join normal and tangent rows of different points: rows n, w_1, w_2 with all columns.
enum Coupling : uint32_t {
    kW00,
    kW01,
    kW02,
    kW03,
    kW04,
    kW05,
    kW41,
    kW42,
    kW43,
    kW44,
    kW45,
    kW51,
    kW52,
    kW53,
    kW55,
    kCouplings
};

template <uint32_t N>
struct alignas(64) Block : BlockHead {
    static constexpr uint32_t kJoins = N * (N - 1) / 2;  // pairs i < j of points, (0,1) (0,2) .. (1,2) ..
    PointRows point[N];
    Row coupling[N > 1 ? uint32_t(kCouplings) : 3u];  // a single point is c itself: W00, W01, W02
    Row normal_join[kJoins > 0 ? kJoins : 1u];        // v_n of j per l_n of i
    Row tangent_join[kJoins > 0 ? kJoins : 1u][4];    // (v_1, v_2) of j per (l_1, l_2) of i: 11, 12, 21, 22
};

static_assert(sizeof(Block<1>) == 8 * 224 && sizeof(Block<2>) == 8 * 320 && sizeof(Block<3>) == 8 * 416 &&
              sizeof(Block<4>) == 8 * 528);

/// Where the gaps of a block that is not swept come from: anchor on a (3), on b (3) and base gap of each
/// point. They stand where a block that is swept has how its points act on each other.
inline constexpr uint32_t kGapRows = 7;
template <uint32_t N>
float (*gap_rows(Block<N>& block, uint32_t point))[kBlockLanes] {
    static_assert(sizeof(Block<N>::coupling) + sizeof(Block<N>::normal_join) +
                      sizeof(Block<N>::tangent_join) >=
                  N * kGapRows * sizeof(Row));
    return block.coupling + kGapRows * point;
}

/// The points of a block, which follow its head however many there are.
inline PointRows* points_of(BlockHead& head) { return static_cast<Block<1>&>(head).point; }

/// A manifold as it comes, before it is turned into its own frame.
struct RawPointRows {
    float arm_a[3][kBlockLanes];  // world
    float anchor_a[3][kBlockLanes], anchor_b[3][kBlockLanes];
    Row base_gap;
    Row impulse[3];
};
struct alignas(64) RawBlock {
    float arm_shift[3][kBlockLanes];  // arm_b - arm_a, the same for every point
    RawPointRows point[kMaxPoints];
};

/// What the last pass hands out.
struct alignas(64) ReadOut {
    Row gap[kMaxPoints];
    Row residual[kMaxPoints];  // of the exact Coulomb law, m/s
};

/// The bodies as kernels see them: records of eight floats each.
struct BodyRecords {
    float* velocity = nullptr;            // linear, -, angular, -
    float* moved = nullptr;               // since the gaps were measured: linear, -, small turn, -
    const float* inverse_mass = nullptr;  // inertia (6), mass, -
    float* place = nullptr;               // rotation (x, y, z, w), centre of mass, radius
    float* free_velocity = nullptr;       // before the contacts of the sub-step acted
    const float* drive =
        nullptr;  // h x acceleration, damping factor, h x angular acceleration, damping factor
    const float* inertia = nullptr;          // body frame (6), 1 when not isotropic, -
    const float* inverse_inertia = nullptr;  // body frame (6), -, -
};

/// The contact law of a sweep. An open gap s may close and no further (v_n >= -s/h). An overlap is a soft
/// contact (contact/softness.h): c = factor W_nn, so that 1/(W_nn + c) = hardness / W_nn with hardness = 1/(1
/// + factor).
struct SweepLaw {
    float inverse_h = 0.0f;
    float push_rate = 0.0f;       // 1/s; 0 in the hard law
    float max_push_speed = 0.0f;  // m/s
    float hardness = 1.0f;
    float elapsed =
        0.0f;  // s since the gaps were measured: moves kinematic bodies, whose `moved` is zero until the end
    bool adds_up = false;   // last sweep of a sub-step: impulses enter the totals
    bool corrects = false;  // relax: the change of the impulses enters the totals
};

struct ImpactLaw {
    float h = 0.0f;
    float elapsed = 0.0f;
    float least_speed = 0.0f;  // slower impacts do not bounce
};

/// One entry per number of points, 1 .. 4, at [points - 1]. Blocks follow each other in memory.
struct ContactKernels {
    /// Fills a block whose head names bodies, frame and friction.
    void (*prepare[kMaxPoints])(void* block, const RawBlock& raw, const BodyRecords& bodies);
    /// The same without what only sweeps need: how points act on each other.
    void (*prepare_alone[kMaxPoints])(void* block, const RawBlock& raw, const BodyRecords& bodies);
    /// Blocks of the step before, whose manifolds are still the same: new gaps, the rest as it is.
    void (*refresh[kMaxPoints])(void* blocks, uint32_t count, const BodyRecords& bodies);
    /// Applies the impulses that the blocks hold.
    void (*warm_start[kMaxPoints])(void* blocks, uint32_t count, const BodyRecords& bodies);
    void (*sweep[kMaxPoints])(void* blocks, uint32_t count, const BodyRecords& bodies, const SweepLaw& law);
    /// Returns whether anything bounced. `restitution` has a row per block.
    bool (*impact[kMaxPoints])(void* blocks, uint32_t count, const BodyRecords& bodies, const ImpactLaw& law,
                               const Row* restitution);
    void (*read_out[kMaxPoints])(const void* block, const BodyRecords& bodies, float inverse_h, ReadOut& out);
};

/// How bodies go from one sub-step to the next.
struct Advance {
    float h = 0.0f;
    bool gyroscopic = true;
    /// The velocity that contacts gave in the last sub-step is given again at once: the warm start of the
    /// sub-step without visiting a contact. Otherwise it waits in free_velocity for give_contact_velocity.
    bool gives_contact_velocity = true;
};

/// Free motion. A list of slots is followed by enough valid ones to fill its last block.
struct BodyKernels {
    /// Forces of the first sub-step.
    void (*begin)(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how);
    /// Positions of one sub-step, then the forces of the next.
    void (*next)(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how);
    /// Positions of the last sub-step.
    void (*end)(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how);
    void (*give_contact_velocity)(const uint32_t* list, uint32_t count, const BodyRecords& bodies);
};

/// The kernels of the vector width in use.
const ContactKernels& contact_kernels();
const BodyKernels& body_kernels();

/// Bytes of a block with so many points.
constexpr size_t block_bytes(uint32_t points) {
    constexpr size_t bytes[kMaxPoints] = {sizeof(Block<1>), sizeof(Block<2>), sizeof(Block<3>),
                                          sizeof(Block<4>)};
    return bytes[points - 1];
}

}  // namespace proxima::physics::wide
