// SPDX-License-Identifier: MIT
// The cached direct solve of an island, exact to a tolerance, for stacks that sweeps cannot hold up or can hold up only
// by sagging: one step of the whole frame. Joints are solved elsewhere, in every sub-step (solve/articulation).
//
// Unknown are the velocities u of the island's bodies. With a centre l_c (the warm start) and a stiffness r
// much larger than any mass, a contact answers its velocity v = J u with
//     l(u) = proj_K(l_c - r (v + b)),     K = {|l_t| <= mu l_n},
// and u is where momentum is kept: F(u) = M (u - u_free) - J^T l(u) = 0. F is the
// gradient of a convex function, so Newton's method with H = M + J^T G J, G = -dl/dv, descends from anywhere when its
// steps are not longer than the minimum along them; H is positive definite however many constraints are redundant.
// Afterwards l_c <- l, and b_n gets mu |v_t| of the pass before (De Saxce's correction, which makes the
// convex cone Coulomb's law): a few passes, none in a stack at rest.
//
// H hardly changes while a stack rests. Its factor is kept from step to step, with whatever contacts and
// labels it was made for, and made anew only when a step along it does not pay: a settled frame is one
// evaluation and sometimes a back-substitution. A factor that would cost too much for one step is spread over several:
// some columns in each, by count, while the island is swept, or solved with the factor that it has still.
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
    float residual = 0.0f;    // natural map of the exact law, m/s
    float tolerance = 0.0f;   // m/s: with a larger residual it is not solved
    float closed_gap = 0.0f;  // m: a loaded contact with no larger gap counted as closed
    float work = 0.0f;        // in block sweeps: what a sweep over one block of manifolds costs
    bool waits = false;       // for a factor that is spread over several steps; nothing was solved
    // Nothing moved, neither before nor after, and not a bit of the impulses changed: the same step again would end the same.
    bool at_rest = false;
};

/// Which island it is: the same name and contents mean the same bodies and constraints.
struct Identity {
    uint64_t name = 0;      // of all bodies, in their order
    uint64_t contents = 0;  // of all constraints, their bodies and kinds, in any order
    bool operator==(const Identity&) const = default;
};

/// What a solve reads and writes: the blocks of a partition, and the bodies as the sweeps have them.
struct DirectProblem {
    sweep::Layout& layout;
    sweep::SweepBodies& bodies;
    const sweep::Partition& partition;
    const StepParams& params;
};

/// A factor in a snapshot: what it follows from. Its numbers and indices follow those of the one before.
struct SavedFactor {
    Identity identity;
    uint32_t rows = 0, pairs = 0;  // of the matrix
    uint32_t columns = 0;          // that are done
    uint32_t flags = 0;
    static constexpr uint32_t kSpread = 1;  // over several steps, as all of its island
    static constexpr uint32_t kNext = 2;    // under way while the one before it is in use
    static constexpr uint32_t kFlags = 3;
    // Of an index in the order of the rows: the column was taken over from the factor before.
    static constexpr uint32_t kKept = 0x80000000u;

    uint64_t values() const { return BlockCholesky::values(rows, pairs); }
    uint64_t indices() const { return rows + 2 * uint64_t(pairs); }  // the order of the rows, then their pairs
};
static_assert(sizeof(SavedFactor) == 32);

/// The factors of a snapshot.
struct SavedFactors {
    std::vector<SavedFactor> list;
    std::vector<float> values;
    std::vector<uint32_t> indices;

    template <class Archive>
    void visit(Archive& archive) {
        archive.state(list, values, indices);
    }
};

/// What is kept of an island from step to step.
class DirectIsland {
  public:
    /// Has room for a small island: objects are used again for one after the other.
    DirectIsland();
    /// Begins anew for other bodies or constraints.
    void begin() { has_graph_ = next_has_graph_ = has_factor_ = under_way_ = spread_ = false; }
    /// Goes on with the same bodies and other constraints. False when it has to begin anew: a factor that costs little
    /// is better made for the constraints there are.
    bool change_constraints();

    /// One step of the partition's length h. The velocities of the partition's bodies are those to begin with, its free
    /// velocities have the step's forces in them; its blocks hold the impulses of the last step, scaled to
    /// this one. When it succeeds velocities and impulses are those after the step; when it fails they are
    /// spoilt.
    DirectReport solve(const DirectProblem& problem, const DirectLimits& limits);

    /// The factor and the one that is under way, if any. Equal snapshots have equal futures, so they belong to the
    /// state.
    void save_factors(const Identity& identity, SavedFactors& out) const;
    /// False when the numbers do not fit this island.
    bool restore_factor(const sweep::Partition& partition, const SavedFactor& saved, std::span<const float> values,
                        std::span<const uint32_t> indices);
    size_t bytes() const;

  private:
    class Solve;
    friend class Solve;
    void list_edges(const sweep::Layout& layout, const sweep::Partition& partition);
    bool analyse(const sweep::Layout& layout, const sweep::Partition& partition);
    void drop_factor();
    void end_factor();
    BlockCholesky& unfinished() { return has_factor_ ? *next_ : factor_; }

    BlockCholesky factor_;
    std::unique_ptr<BlockCholesky> next_;              // made while factor_ is in use
    bool has_graph_ = false, next_has_graph_ = false;  // they are laid out for the constraints there are
    bool has_factor_ = false;
    bool under_way_ = false;  // a factor: next_, or factor_ while that is of no use yet
    bool spread_ = false;     // factors are made in pieces
    std::vector<BlockCholesky::Edge> edges_;
    std::vector<DirectRows> rows_;         // by block of the partition
    std::vector<sweep::BodyRecord> mass_;  // by body of the partition, as the next ones
    std::vector<sweep::BodyRecord> gradient_, direction_, start_, kept_;
    std::vector<float> packed_;  // in the order of elimination
};

}  // namespace proxima::physics::direct
