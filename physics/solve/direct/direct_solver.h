// SPDX-License-Identifier: MIT
// The cached direct solve of an island, exact to a tolerance, for stacks that sweeps cannot hold up or can hold up only
// by sagging: one step of the whole frame. Islands with joints are solved directly in every sub-step, because light
// links under a large load swing sideways with sqrt(T / (m L)), which a whole frame does not resolve.
//
// Unknown are the velocities u of the island's bodies. With a centre l_c (the warm start) and a stiffness r
// much larger than any mass, a contact answers its velocity v = J u with
//     l(u) = proj_K(l_c - r (v + b)),     K = {|l_t| <= mu l_n},
// a joint likewise with K = R^3, and u is where momentum is kept: F(u) = M (u - u_free) - J^T l(u) = 0. F is the
// gradient of a convex function, so Newton's method with H = M + J^T G J, G = -dl/dv, descends from anywhere when its
// steps are not longer than the minimum along them; H is positive definite however many constraints are redundant.
// Afterwards l_c <- l, and b_n gets mu |v_t| of the pass before (De Saxce's correction, which makes the
// convex cone Coulomb's law): a few passes, none in a stack at rest.
//
// H hardly changes while a stack rests. Its factor is kept from step to step, with whatever contacts and
// labels it was made for, and made anew only when a step along it does not pay: a settled frame is one
// evaluation and sometimes a back-substitution.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "physics/solve/direct/block_cholesky.h"
#include "physics/solve/direct/direct_kernels.h"
#include "physics/solve/sweep/sweep_bodies.h"
#include "physics/solve/sweep/sweep_layout.h"

namespace proxima::physics::direct {

/// What a solve did, for reports and for the rules that let islands in.
struct DirectReport {
    bool solved = false;
    uint32_t factorisations = 0, substitutions = 0, evaluations = 0, passes = 0;
    float residual = 0.0f;   // natural map of the exact law, m/s
    float work = 0.0f;       // in block sweeps: what a sweep over one block of manifolds costs
    bool left_open = false;  // joints, after the last sub-step

    /// The same of several sub-steps.
    void add(const DirectReport& next) {
        solved = next.solved;
        factorisations += next.factorisations;
        substitutions += next.substitutions;
        evaluations += next.evaluations;
        passes += next.passes;
        residual = residual > next.residual ? residual : next.residual;
        work += next.work;
    }
};

/// Which island it is: the same name and contents mean the same bodies and constraints.
struct Identity {
    uint64_t name = 0;      // the smallest key of its constraints
    uint64_t contents = 0;  // of all bodies, keys and kinds, in any order
    bool operator==(const Identity&) const = default;
};

/// What a solve reads and writes: the blocks of a partition, and the bodies as the sweeps have them.
struct DirectProblem {
    sweep::Layout& layout;
    sweep::SweepBodies& bodies;
    const sweep::Partition& partition;
    const StepParams& params;
    float elapsed = 0.0f;  // s since the gaps were measured
};

/// What is kept of an island from step to step.
class DirectIsland {
  public:
    /// Has room for a small island: objects are used again for one after the other.
    DirectIsland();
    /// Begins anew for other bodies or constraints.
    void begin() { has_graph_ = has_factor_ = false; }

    /// One step of the partition's length h. The velocities of the partition's bodies are those to begin with, its free
    /// velocities have the step's forces in them; its blocks hold the impulses of the last step, scaled to
    /// this one. When it succeeds velocities and impulses are those after the step; when it fails they are
    /// spoilt. `budget` bounds the work.
    DirectReport solve(const DirectProblem& problem, float budget);
    /// Before the first sub-step: what joints are off by is taken away, and velocities stay as they are.
    void close_joints(const DirectProblem& problem);
    /// After the bodies moved: the same, but by impulses of the sub-step as far as its motion made the error.
    /// Returns the largest error that is left, over what may be left.
    float end_motion(const DirectProblem& problem);
    /// When another sub-step follows: its impulses enter the totals of the step.
    void add_up(const DirectProblem& problem);

    /// The numbers of the factor, nothing when there is none. Equal snapshots have equal futures, so the
    /// factor belongs to the state.
    void save_factor(std::vector<float>& out) const;
    /// False when the numbers do not fit this island.
    bool restore_factor(const sweep::Layout& layout, const sweep::Partition& partition, std::span<const float> from);
    size_t bytes() const;

  private:
    class Solve;
    friend class Solve;
    void analyse(const sweep::Layout& layout, const sweep::Partition& partition);

    BlockCholesky factor_;
    bool has_graph_ = false, has_factor_ = false;
    bool were_closed_ = false;  // joints, when the sub-step began
    std::vector<BlockCholesky::Edge> edges_;
    std::vector<DirectRows> rows_;         // by block of the partition
    std::vector<sweep::BodyRecord> mass_;  // by body of the partition, as the next ones
    std::vector<sweep::BodyRecord> gradient_, direction_, start_, kept_;
    std::vector<sweep::BodyRecord> begun_;  // rotation (x, y, z, w) and angular momentum when the motion began
    std::vector<float> packed_;             // in the order of elimination
};

/// A factor in a snapshot: `count` of the values that follow those of the one before.
struct SavedFactor {
    Identity identity;
    uint64_t count = 0;
};
static_assert(sizeof(SavedFactor) == 24);

/// All islands that are solved directly.
struct DirectSolver {
    struct Slot {
        Identity identity;
        std::unique_ptr<DirectIsland> island;
        DirectReport report;
    };
    std::vector<Slot> islands;  // by partition
    std::vector<Slot> before;   // scratch
    std::vector<std::unique_ptr<DirectIsland>> spare;
    // Factors of a snapshot, until islands are assigned again.
    std::vector<SavedFactor> restored;
    std::vector<float> restored_values;

    /// Gives the partitions that are solved directly what is kept of their islands.
    void assign(const sweep::Layout& layout, const ConstraintStores& stores, const Bodies& bodies);
    /// What sleeps begins anew: a snapshot of a sleeping world has no factors.
    void release();
    void save(std::vector<SavedFactor>& factors, std::vector<float>& values) const;
    /// Of a snapshot, whose islands are other ones than those that are assigned now.
    void load(std::vector<SavedFactor> factors, std::vector<float> values);

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(islands, before, spare, restored, restored_values);
        for (const Slot& slot : islands) archive.derived_bytes(slot.island->bytes());
        for (const auto& island : spare) archive.derived_bytes(island->bytes());
    }
};

}  // namespace proxima::physics::direct
