// SPDX-License-Identifier: MIT
// One row per kind of constraint: its blocks for the sweeps, its kernels, its part in a direct solve, its rows for
// the solvers of the laboratory, and its store. Rows are called once per run of blocks of one colour and kind, never
// per constraint.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "physics/constraints/block.h"
#include "physics/constraints/kind_id.h"
#include "physics/constraints/measure_kernels.h"
#include "physics/joints/joints.h"
#include "physics/pairs/pairs.h"
#include "physics/solve/direct/direct_kernels.h"
#include "physics/solve/measure.h"

namespace proxima::physics {

struct IslandProblem;  // solve/general/island_problem.h

/// The stores that constraints live in.
struct ConstraintStores {
    Pairs& pairs;
    Joints& joints;
};

/// What filling blocks needs to know.
struct PrepareParams {
    float h = 0.0f;        // s: length of the (sub-)step that the impulses are for
    bool swept = true;     // false: for a direct solve of the whole step
    SoftContact rigid;     // softness of rigid joints in sweeps
    SoftnessLaw softness;  // of contacts
    bool warm = true;      // contacts begin with the impulses of the step before
};

/// What blocks that were filled ask for.
struct Prepared {
    bool bounces = false;  // restitution
    bool anew = false;     // bodies that get impulses anew in every sub-step
    bool turns = false;    // bodies that move
};

/// Rigid joints in sweeps are springs that follow at this rate, damped so that they do not ring.
inline SoftContact rigid_softness(float h) {
    constexpr float kHertz = 60.0f, kDampingRatio = 5.0f;
    return make_soft_contact(kHertz < 0.25f / h ? kHertz : 0.25f / h, kDampingRatio, h);
}

/// One row of restitutions per block.
struct RestitutionRow {
    sweep::Row value;
};

/// A run of blocks of one kind.
struct BlockSpan {
    void* blocks = nullptr;
    uint32_t count = 0;
    RestitutionRow* restitution = nullptr;  // by block
};

/// What handing back results needs to know, and gives.
struct StoreParams {
    float h = 0.0f;     // s: length of the (sub-)step that the impulses belong to
    float dt = 0.0f;    // s: length of the step
    float ramp = 0.0f;  // s: SweepLaw::ramp at the end of the step
    bool solved_direct = false;
    float hit_speed = 0.0f;
    uint8_t* event_flags = nullptr;  // by constraint of the run
    float* residual = nullptr;       // by constraint of the run: the largest one; may be nullptr
};

struct ConstraintKind {
    std::string_view name;
    uint32_t block_bytes = 0;
    /// What orders constraints of the kind, from step to step and from run to run the same.
    uint64_t (*key)(const ConstraintStores& stores, uint32_t id) = nullptr;

    /// Fills blocks whose heads name their constraints and bodies.
    Prepared (*prepare)(const ConstraintStores& stores, const PrepareParams& params, const sweep::BodyRecords& bodies,
                        const BlockSpan& span) = nullptr;
    sweep::SweepKernels sweep;
    /// Without kernels an island with such a constraint is never solved directly.
    direct::DirectKernels direct;
    /// The distance of velocities from the exact law at the end of a sub-step. nullptr: only that of the end of the step is
    /// measured.
    sweep::MeasureKernel measure = nullptr;
    /// Impulses and errors back to the constraints; what they are from the exact law goes to the sum.
    void (*store)(ConstraintStores& stores, const StoreParams& params, const sweep::BodyRecords& bodies,
                  const BlockSpan& span, MeasureSum& sum) = nullptr;

    // ---- of solvers of the laboratory
    /// Appends the rows of one constraint to the problem of a laboratory solver.
    void (*add_rows)(const ConstraintStores& stores, uint32_t id, IslandProblem& problem) = nullptr;
    /// Impulses of those rows back; `group` is the group that add_rows made.
    void (*store_rows)(ConstraintStores& stores, uint32_t id, const IslandProblem& problem, uint32_t group,
                       const StoreParams& params) = nullptr;
};

/// The row of a kind.
const ConstraintKind& kind_row(KindId kind);

}  // namespace proxima::physics
