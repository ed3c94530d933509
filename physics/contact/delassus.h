// SPDX-License-Identifier: MIT
// A contact problem given as a matrix: W in symmetric 3x3 blocks, q and mu, in double precision. For problems
// from files, for tests against textbook answers, and for measuring solvers apart from any world.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/result.h"
#include "physics/contact/system.h"

namespace proxima::physics {

struct Block3 {
    double m[3][3] = {};  // m[row][column], rows normal, tangent 1, tangent 2
};

/// One body of a contact: rows of J and of M^-1 J^T, directions normal, tangent 1, tangent 2; numbers of a
/// row are linear x, y, z and angular x, y, z.
struct ContactSide {
    uint32_t contact, body;  // bodies of a problem are numbered from 0
    double direction[3][6];
    double response[3][6];
};

/// v = W l + q with W in compressed block rows: blocks row_begin[i] .. row_begin[i+1] stand in row i.
struct DelassusProblem {
    std::vector<uint32_t> row_begin;
    std::vector<uint32_t> column;  // ascending within a row
    std::vector<Block3> block;
    std::vector<double> q;             // 3 per contact
    std::vector<double> mu;            // 1 per contact
    std::vector<double> across;        // coefficient along tangent 2, 1 per contact, or empty: mu. Not in files
    std::vector<double> compliance;    // 1 per contact, or empty: all hard
    std::vector<RowKind> kinds;        // 1 per contact, or empty: all are contacts
    std::vector<ContactGroup> groups;  // in order, without gaps; or empty: every contact alone
    /// Where W comes from, W_ij = sum of direction_i response_j^T over the bodies they share: the sides of
    /// bodies that can move, in the order of their contacts. Empty when W is all there is.
    std::vector<ContactSide> sides;
    uint32_t body_count = 0;

    uint32_t size() const { return uint32_t(mu.size()); }
    bool has_bilateral() const;
};

/// One block of W on its way into a problem.
struct BlockEntry {
    uint32_t row, column;
    Block3 block;
    uint32_t line = 0;  // of the file that it stands in, for errors; 0: none
};

/// Puts W together from blocks in any order. Fails with a sentence when sizes disagree, an index is out of
/// range, a block comes twice, a number is not finite, a mu is negative, a diagonal is negative, or W is not
/// symmetric. Entries may differ from their mirror image by `asymmetry` times the largest entry: problems
/// recorded from running simulations do, by up to a thousandth. W is then used as it is given, not
/// symmetrised: the answer is an answer to the problem in the file. Blocks whose mirror image is missing get
/// one of zeros.
Result<DelassusProblem> make_problem(std::span<const BlockEntry> entries, std::span<const double> q,
                                     std::span<const double> mu, double asymmetry = 1e-2);
/// The same from a full matrix, row by row, 3n x 3n; blocks of zeros are not stored.
Result<DelassusProblem> make_problem(std::span<const double> dense, std::span<const double> q,
                                     std::span<const double> mu, double asymmetry = 1e-2);

/// Looks for an impulse with l^T W l < 0, which no bodies with positive masses allow, and returns the contact
/// that is strongest in it, or the number of contacts when none was found. Recorded matrices are indefinite
/// by rounding, so what counts is a hundredth of the largest sum of a row.
uint32_t find_indefinite(const DelassusProblem& problem);

/// Impulses and velocities of a DelassusProblem, which must outlive it. v follows every impulse by one block
/// row of W; the rounding that gathers so is removed by refresh().
class DelassusSystem {
  public:
    using Real = double;
    struct Scratch {
        std::vector<double> work;  // for solvers: vectors of unknowns
    };

    /// Starts from zero impulses.
    explicit DelassusSystem(const DelassusProblem& problem);
    /// Replaces all impulses, 3 per contact; the velocities are computed for them.
    void set_impulses(std::span<const double> impulses);

    /// W, q and mu themselves, for solvers that want the matrix.
    const DelassusProblem& problem() const { return *problem_; }
    uint32_t size() const { return size_; }
    uint32_t group_count() const { return problem_->groups.empty() ? size_ : uint32_t(problem_->groups.size()); }
    ContactGroup group(uint32_t g) const {
        return problem_->groups.empty() ? ContactGroup{g, g + 1} : problem_->groups[g];
    }
    bool has_bilateral() const { return has_bilateral_; }
    bool is_bilateral(uint32_t i) const { return has_bilateral_ && problem_->kinds[i] == RowKind::bilateral; }
    double friction(uint32_t i) const { return problem_->mu[i]; }
    double compliance(uint32_t i) const { return problem_->compliance.empty() ? 0.0 : problem_->compliance[i]; }
    double normal_block(uint32_t i) const { return diagonal_[i].normal; }
    TangentBlock<double> tangent_block(uint32_t i) const { return diagonal_[i].tangent; }
    Real2<double> coupling_block(uint32_t i) const { return coupling_[i]; }
    double tangent_step(uint32_t i) const { return diagonal_[i].tangent_step; }
    Real3<double> impulse(uint32_t i) const { return impulse_[i]; }
    double normal_velocity(uint32_t i) const { return velocity_[i].n; }
    Real2<double> tangent_velocity(uint32_t i) const { return {velocity_[i].t1, velocity_[i].t2}; }

    void add_normal(uint32_t i, double delta);
    void add_tangent(uint32_t i, Real2<double> delta);
    // ---- friction over ellipses; a matrix has no angular rows
    bool has_extra() const { return !problem_->across.empty(); }
    bool is_extra(uint32_t i) const { return has_extra() && problem_->across[i] != problem_->mu[i]; }
    ExtraState extra_state(uint32_t i) const {
        const TangentBlock<double>& w = diagonal_[i].tangent;
        ExtraState state;
        state.across = problem_->across[i];
        state.friction_block = {w.t11, w.t22, 0.0, w.t12, 0.0, 0.0};
        return state;
    }
    void add_spin(uint32_t, Real3<double>) {}
    /// `bound` is that of splitting_bounds and serves all three rows.
    ExtraState extra_bounds(uint32_t i, double& bound) const {
        ExtraState state = extra_state(i);
        state.friction_block = {bound, bound, 0.0, 0.0, 0.0, 0.0};
        return state;
    }
    void save();
    void restore();

    /// Momentum: remembers the iterate, and adds beta times its change since the one that was remembered
    /// last. Beta 0 only remembers.
    void extrapolate(double beta);
    /// Back to the iterate that extrapolate() has remembered.
    void step_back();

    /// v = W l + q from scratch.
    void refresh();
    /// |q|.
    double q_norm() const { return q_norm_; }
    /// Per contact d with W <= blockdiag(d I): the sum of the norms of its block row. Safe steps of Jacobi are 1/d.
    void splitting_bounds(std::span<double> bounds) const;
    Scratch& scratch() { return scratch_; }

  private:
    struct Diagonal {
        double normal;
        TangentBlock<double> tangent;
        double tangent_step;
    };
    const DelassusProblem* problem_;
    uint32_t size_;
    bool has_bilateral_;
    double q_norm_ = 0.0;
    std::vector<Diagonal> diagonal_;
    std::vector<Real2<double>> coupling_;  // beside it: few solvers look at normal and tangents together
    std::vector<Block3>
        column_block_;  // beside block (i, j): the transposed block (j, i), so that columns lie together
    std::vector<Real3<double>> impulse_, velocity_;
    std::vector<Real3<double>> saved_impulse_;
    std::vector<Real3<double>> impulse_before_, velocity_before_;
    Scratch scratch_;
};

static_assert(ContactSystem<DelassusSystem>);

}  // namespace proxima::physics
