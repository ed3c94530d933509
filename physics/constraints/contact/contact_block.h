// SPDX-License-Identifier: MIT
// Contacts in blocks: eight manifolds with the same number of points side by side, and the kernels that work on them.
//
// A manifold is solved in its own frame (n, t1, t2) about the middle c of its points. What the sweeps need of
// the two bodies is their relative motion there, a twist (u, w) of six numbers; point i at offset (z, x, y)
// from c moves with
//     v_n = u_n + w_1 y - w_2 x,   v_1 = u_1 + w_2 z - w_n y,   v_2 = u_2 + w_n x - w_1 z,
// and an impulse (l_n, l_1, l_2) there is the wrench f = l, tau = (z, x, y) x l, which changes the twist by W
// (f, tau), W = sum over both bodies of J M^-1 J^T, 6 x 6. So points of a manifold act on each other through
// a few stored numbers, and bodies are read once and written once per sweep.
#pragma once

#include "physics/constraints/block.h"
#include "physics/contact/softness.h"

namespace proxima::physics::sweep {

inline constexpr uint32_t kMaxPoints = 4;

/// The slowest impacts, in what forces change of the closing speed in a sub-step.
inline constexpr float kBounceDrives = 4.0f;
/// Of the impulse that would push an overlap apart: what carries less is moved apart instead.
inline constexpr float kMinLoad = 1e-2f;
/// Part of a restitution that impacts leave out, so that rounding does not make energy.
inline constexpr float kRoundedOff = 2e-6f;

/// Further bits of BlockHead::blows: lanes that strike faster than lasting forces can explain, that did so in the
/// sub-step before, and in the one before that.
inline constexpr uint32_t kStrikes = 8, kStruck = 16, kStruckBefore = 24;

/// Further bits of BlockHead::moving_surfaces: lanes whose velocity turns with b.
inline constexpr uint32_t kSurfaceOnB = 8;

/// Further bits of BlockHead::balls: lanes of one ball that meets something later. The frame is on the other body.
inline constexpr uint32_t kMeets = 8;

/// What a block of contacts has whatever its number of points.
struct alignas(64) ContactHead : BlockHead {
    float normal[3][kBlockLanes], tangent1[3][kBlockLanes], tangent2[3][kBlockLanes];
    float arm_a[3][kBlockLanes], arm_b[3][kBlockLanes];    // from the centres of mass to c, world
    float now_a[3][kBlockLanes], now_b[3][kBlockLanes];    // the same in the present sub-step
    float turned[3][kBlockLanes];                          // what the frame has turned with its body in this step, rad
    float mass_a[kBlockLanes], inertia_a[6][kBlockLanes];  // inverse, world
    float mass_b[kBlockLanes], inertia_b[6][kBlockLanes];
    float friction[kBlockLanes];
    float surface[kBlockLanes];  // 1: one of the surfaces is round; 2 more: the frame turns with b and not with a
    float follows[kBlockLanes];  // part of the motion of b against a, along the tangents, that c makes with b
    // Softness (contact/softness.h): c = factor W_nn, so that 1/(W_nn + c) = hardness / W_nn, hardness = 1/(1 + factor).
    float push_rate[kBlockLanes], hardness[kBlockLanes];
    float max_push[kBlockLanes];  // m/s, the fastest that an overlap is driven apart
    float push[kBlockLanes];      // m/s, the fastest that a point was asked to part with in this step
    // m/s, of b's surface against a's along the tangents, beside what the bodies move; only where moving_surfaces says so
    float surface_velocity[2][kBlockLanes];
};

struct PointRows {
    Row x, y, z;                                       // offset along t1, t2, n from c
    Row start_gap;                                     // when `delta` was zero
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

/// How the points of a manifold act on each other, for sweeps.
template <uint32_t N>
struct CouplingRows {
    static constexpr uint32_t kJoins = N * (N - 1) / 2;  // pairs i < j of points, (0,1) (0,2) .. (1,2) ..
    Row coupling[N > 1 ? uint32_t(kCouplings) : 3u];     // a single point is c itself: W00, W01, W02
    Row normal_join[kJoins > 0 ? kJoins : 1u];           // v_n of j per l_n of i
    Row tangent_join[kJoins > 0 ? kJoins : 1u][4];       // (v_1, v_2) of j per (l_1, l_2) of i: 11, 12, 21, 22
};

template <uint32_t N>
struct alignas(64) ContactBlock : ContactHead {
    PointRows point[N];
    CouplingRows<N> joined;  // of a block that is swept; others do not touch it
};

static_assert(sizeof(ContactBlock<1>) == 8 * 288 && sizeof(ContactBlock<2>) == 8 * 392 &&
              sizeof(ContactBlock<3>) == 8 * 480 && sizeof(ContactBlock<4>) == 8 * 592);

/// A manifold as it comes, in the frames of its bodies (components.h).
struct RawPointRows {
    float anchor_a[3][kBlockLanes], anchor_b[3][kBlockLanes];
    Row impulse[3];
};
struct alignas(64) RawContacts {
    float frame_normal[3][kBlockLanes], frame_tangent[3][kBlockLanes];
    RawPointRows point[kMaxPoints];
};

/// What the last pass hands out.
struct alignas(64) ContactResults {
    Row gap[kMaxPoints];
    Row residual[kMaxPoints];  // of the exact Coulomb law, m/s
};

/// Kernels that only contacts have. One entry per number of points, 1 .. 4, at [points - 1].
struct ContactKernels {
    /// Fills a block whose head names bodies, friction, and how it follows them.
    void (*prepare[kMaxPoints])(void* block, const RawContacts& raw, const BodyRecords& bodies, const SoftnessLaw& law,
                                float h);
    /// The same for a direct solve: with where gaps come from instead of how points act on each other.
    void (*prepare_direct[kMaxPoints])(void* block, const RawContacts& raw, const BodyRecords& bodies,
                                       const SoftnessLaw& law, float h);
    /// `ramp`: that of SweepLaw at the end of the step.
    void (*results[kMaxPoints])(const void* block, const BodyRecords& bodies, float inverse_h, float ramp,
                                ContactResults& out);
    SweepKernels sweep[kMaxPoints];
};

/// The kernels of the vector width in use.
const ContactKernels& contact_kernels();

}  // namespace proxima::physics::sweep
