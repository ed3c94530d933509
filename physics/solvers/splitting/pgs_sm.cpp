// SPDX-License-Identifier: MIT
// Projected Gauss-Seidel with subspace minimisation: sweeps guess which rows are at their bounds, a linear
// system solves the others exactly.
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cmath>
#include <limits>
#include <vector>

#include "physics/solvers/bilateral_rows.h"
#include "physics/solvers/box_rows.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/splitting/disk_rows.h"
#include "physics/solvers/splitting/splitting.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kSweeps = 10;    // before each guess
constexpr uint32_t kSubspaces = 5;  // linear solves a guess may lead to, each with fewer free rows or better bounds
constexpr uint32_t kLongestPause = 31;
constexpr double kShift = 1e-9;  // of the diagonal, relative: makes W of redundant contacts invertible
constexpr uint32_t kRefinements = 12;

class Subspace {
  public:
    Subspace(DelassusSystem& system, const SolveSettings& settings) : system_(system), settings_(settings) {}

    /// Linear solves from where the system stands; ends at the best iterate seen, at worst where it began.
    void minimise() {
        if (wait_ > 0) {
            --wait_;
            return;
        }
        const double swept = residual();
        double best = swept, last = swept;
        read(best_);
        next_ = best_;
        for (uint32_t k = 0; k < kSubspaces; ++k) {
            const bool same = !choose_free_rows() && k > 0;
            if (free_.empty() || !solve_free_rows()) break;
            move_into_bounds();
            system_.set_impulses(next_);
            const double now = residual();
            if (now < best) {
                best = now;
                best_ = next_;
            }
            // The same rows free once more: only moving bounds are left to settle, and they do so fast or never.
            if (now <= settings_.tolerance || (same && !(now < 0.5 * last))) break;
            last = now;
        }
        if (next_ != best_) system_.set_impulses(best_);
        // A wrong guess costs far more than sweeps: leave them more time after each one.
        pause_ = best < swept ? 0 : std::min(2 * pause_ + 1, kLongestPause);
        wait_ = pause_;
    }

  private:
    double residual() const { return stop_residual(system_, FrictionSet::box, settings_); }
    void read(std::vector<double>& l) const {
        l.clear();
        for (uint32_t i = 0; i < system_.size(); ++i) {
            const Real3<double> x = system_.impulse(i);
            l.insert(l.end(), {x.n, x.t1, x.t2});
        }
    }
    double row_block(uint32_t row) const {
        const TangentBlock<double> w = system_.tangent_block(row / 3);
        if (row % 3 == 0) return system_.normal_block(row / 3) + compliance(row);
        return (row % 3 == 1 ? w.t11 : w.t22) + compliance(row);
    }
    double compliance(uint32_t row) const {
        return row % 3 == 0 || system_.is_bilateral(row / 3) ? system_.compliance(row / 3) : 0.0;
    }

    /// Free are pushing normals, friction rows strictly between their bounds and bilateral rows; the rest
    /// stays where it is. True when the choice differs from the one before.
    bool choose_free_rows() {
        const uint32_t rows = 3 * system_.size();
        index_.assign(rows, -1);
        last_free_.swap(free_);
        free_.clear();
        for (uint32_t row = 0; row < rows; ++row) {
            const double l = next_[row], push = next_[row - row % 3];
            const double bound = system_.friction(row / 3) * push;
            const bool inside = system_.is_bilateral(row / 3) || (row % 3 == 0 ? l > 0.0 : std::abs(l) < bound);
            if (!inside || !(row_block(row) > 1e-30)) continue;
            index_[row] = int(free_.size());
            free_.push_back(row);
        }
        return free_ != last_free_;
    }

    /// W_FF x = -v_F by factors of W_FF + shift, corrected until v_F is gone: the proximal point iteration, which
    /// also solves the singular systems of redundant contacts, by the answer nearest to the present impulses.
    bool solve_free_rows() {
        const DelassusProblem& p = system_.problem();
        entries_.clear();
        shifts_.clear();
        const Eigen::Index size = Eigen::Index(free_.size());
        Eigen::VectorXd target(size);
        for (uint32_t f = 0; f < free_.size(); ++f) {
            const uint32_t i = free_[f] / 3, r = free_[f] % 3;
            for (uint32_t k = p.row_begin[i]; k < p.row_begin[i + 1]; ++k)
                for (uint32_t c = 0; c < 3; ++c) {
                    const int column = index_[3 * p.column[k] + c];
                    if (column >= 0) entries_.emplace_back(int(f), column, p.block[k].m[r][c]);
                }
            const double soft = compliance(free_[f]);
            entries_.emplace_back(int(f), int(f), soft);
            shifts_.emplace_back(int(f), int(f), kShift * row_block(free_[f]));
            const Real2<double> v = system_.tangent_velocity(i);
            target[f] = -(r == 0 ? system_.normal_velocity(i) + soft * next_[3 * i] : r == 1 ? v.x : v.y);
            if (r > 0 && soft > 0.0) target[f] -= soft * next_[free_[f]];
        }
        Eigen::SparseMatrix<double> w(size, size), shift(size, size);
        w.setFromTriplets(entries_.begin(), entries_.end());
        shift.setFromTriplets(shifts_.begin(), shifts_.end());
        const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(w + shift);
        if (factors.info() != Eigen::Success) return false;
        Eigen::VectorXd x = Eigen::VectorXd::Zero(size), left = target, tried = x;
        double error = target.norm();
        for (uint32_t k = 0; k < kRefinements && error > 0.0; ++k) {
            tried = x + factors.solve(left);
            const Eigen::VectorXd rest = target - w * tried;
            if (!(rest.norm() < error)) break;
            x = tried;
            left = rest;
            error = rest.norm();
        }
        if (!x.allFinite()) return false;
        for (uint32_t f = 0; f < free_.size(); ++f) next_[free_[f]] += x[f];
        return true;
    }

    /// Rows that were at a bound of friction follow it; rows that the solve carried over theirs come back.
    void move_into_bounds() {
        for (uint32_t i = 0; i < system_.size(); ++i) {
            if (system_.is_bilateral(i)) continue;
            const double before = system_.friction(i) * system_.impulse(i).n;
            next_[3 * i] = std::max(0.0, next_[3 * i]);
            const double bound = system_.friction(i) * next_[3 * i];
            for (uint32_t row = 3 * i + 1; row < 3 * i + 3; ++row) {
                if (index_[row] < 0 && before > 0.0) next_[row] *= bound / before;
                next_[row] = std::clamp(next_[row], -bound, bound);
            }
        }
    }

    DelassusSystem& system_;
    const SolveSettings& settings_;
    uint32_t pause_ = 0, wait_ = 0;  // iterations of sweeps alone: after the last failure, still to come
    std::vector<double> best_, next_;
    std::vector<int> index_;  // of each row among the free ones, or -1
    std::vector<uint32_t> free_, last_free_;
    std::vector<Eigen::Triplet<double>> entries_, shifts_;
};

}  // namespace

SolveReport pgs_sm_matrix(DelassusSystem& system, const SolveSettings& settings) {
    const double one_step = global_step(system, settings);
    GroupOrder<DelassusSystem> order(system, settings, 0);
    Subspace subspace(system, settings);
    const bool bilateral = system.has_bilateral();
    return iterate(system, Law(FrictionSet::box).with_bilateral(), settings, shrink_factor(settings.r_strategy),
                   [&](double scale) {
                       const double fixed = one_step * scale;
                       const auto friction = [&](uint32_t i) { relax_box(system, i, scale, fixed); };
                       const auto normal = [&](uint32_t i) { relax_normal(system, i, scale, fixed); };
                       for (uint32_t k = 0; k < kSweeps; ++k) {
                           order.next_sweep();
                           if (bilateral)
                               sweep_mixed_forward(system, order, scale, fixed, friction, normal);
                           else
                               sweep_forward(system, order, friction, normal);
                       }
                       subspace.minimise();
                   });
}

}  // namespace proxima::physics
