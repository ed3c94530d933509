// SPDX-License-Identifier: MIT
// Incremental pivoting (Dantzig, Baraff): the laws that hold are kept, and one unknown after the other is
// driven until its law holds too.
#include <algorithm>
#include <cmath>
#include <vector>

#include "physics/solvers/pivoting/box_loop.h"
#include "physics/solvers/pivoting/boxed_lcp.h"
#include "physics/solvers/pivoting/pivoting.h"

namespace proxima::physics {

namespace pivoting {

namespace {

class Incremental {
  public:
    Incremental(const BoxedLcp& problem, PivotState& state, const PivotLimits& limits)
        : problem_(problem),
          state_(state),
          limits_(limits),
          n_(problem.size()),
          allowed_(limits.pivots ? limits.pivots : pivot_limit(n_)),
          factor_(problem),
          kept_(n_, false),
          dx_(n_),
          dv_(n_) {}

    PivotReport solve() {
        if (!start()) return report_;
        uint32_t j = 0;
        while (next(j))
            if (!drive(j)) return report_;
        finish();
        return report_;
    }

  private:
    /// What ends the present step, and where the unknown arrives.
    struct Block {
        uint32_t index;
        double step;
        Label label;
    };

    bool stop(PivotStop why) {
        report_.stop = why;
        return false;
    }

    /// Unknowns labelled free start as processed, when their values fit into the bounds; those that do not
    /// are left at the bound they crossed, to be driven later. With no unknown free every start is valid.
    bool start() {
        correct_labels(problem_, state_.label);
        while (true) {
            if (limits_.passed()) return stop(PivotStop::aborted);
            ++report_.solves;
            if (!solve_labels(problem_, factor_, state_)) return stop(PivotStop::singular);
            bool fits = true;
            for (uint32_t i = 0; i < n_; ++i) {
                if (state_.label[i] != Label::free) continue;
                const bool below = state_.x[i]<problem_.lower[i], above = state_.x[i]> problem_.upper[i];
                if (!below && !above) continue;
                state_.label[i] = below ? Label::lower : Label::upper;
                fits = false;
            }
            if (!fits) continue;
            for (const uint32_t i : factor_.members()) kept_[i] = true;
            return true;
        }
    }

    /// The unknown whose law is broken most; false: none is.
    bool next(uint32_t& j) const {
        const double tolerance = velocity_tolerance(problem_, state_.x, report_.pivots);
        double worst = tolerance;
        for (uint32_t i = 0; i < n_; ++i) {
            if (problem_.pinned(i) || state_.label[i] == Label::free) continue;
            const double wrong = state_.label[i] == Label::lower ? -state_.v[i] : state_.v[i];
            if (!(wrong > worst)) continue;
            worst = wrong;
            j = i;
        }
        return worst > tolerance;
    }

    /// dx_j = +-1, the free ones follow so that their v stays 0, and all v move: also those of unknowns whose
    /// turn has not come, which later start from the v they have then.
    void direction(uint32_t j, double sign) {
        const auto members = factor_.members();
        y_.resize(members.size());
        for (size_t k = 0; k < members.size(); ++k) y_[k] = -sign * problem_.at(members[k], j);
        factor_.solve(y_);
        std::fill(dx_.begin(), dx_.end(), 0.0);
        for (size_t k = 0; k < members.size(); ++k) dx_[members[k]] = y_[k];
        dx_[j] = sign;
        for (uint32_t r = 0; r < n_; ++r) {
            const double* row = problem_.row(r);
            double sum = row[j] * sign;
            for (size_t k = 0; k < members.size(); ++k) sum += row[members[k]] * y_[k];
            dv_[r] = sum;
        }
    }

    /// How far the step can go before a law that holds would break, or the driven one is reached.
    Block first_block(uint32_t j, double sign) const {
        Block block{j, std::max(0.0, -state_.v[j] / dv_[j]), Label::free};
        const double room = sign > 0.0 ? problem_.upper[j] - state_.x[j] : state_.x[j] - problem_.lower[j];
        if (room < block.step) block = {j, std::max(0.0, room), sign > 0.0 ? Label::upper : Label::lower};
        for (uint32_t i = 0; i < n_; ++i) {
            if (!kept_[i] || i == j) continue;
            double step = kInfinity;
            Label label = Label::free;
            if (state_.label[i] == Label::free) {
                if (dx_[i] == 0.0) continue;
                label = dx_[i] < 0.0 ? Label::lower : Label::upper;
                const double bound = dx_[i] < 0.0 ? problem_.lower[i] : problem_.upper[i];
                step = (bound - state_.x[i]) / dx_[i];
            } else {
                const bool closing = state_.label[i] == Label::lower ? dv_[i] < 0.0 : dv_[i] > 0.0;
                if (problem_.pinned(i) || !closing) continue;
                step = -state_.v[i] / dv_[i];
            }
            step = std::max(0.0, step);
            if (step < block.step) block = {i, step, label};
        }
        return block;
    }

    bool drive(uint32_t j) {
        const double sign = state_.v[j] < 0.0 ? 1.0 : -1.0;
        while (true) {
            if (limits_.passed()) return stop(PivotStop::aborted);
            if (report_.pivots == allowed_) return stop(PivotStop::limit);
            ++report_.solves;
            ++report_.pivots;
            direction(j, sign);
            if (!(dv_[j] * sign > 0.0)) return stop(PivotStop::singular);
            const Block block = first_block(j, sign);
            if (!std::isfinite(block.step)) return stop(PivotStop::singular);
            if (limits_.trace) limits_.trace->push_back({block.index, block.step, uint32_t(factor_.members().size())});
            for (uint32_t i = 0; i < n_; ++i) {
                state_.x[i] += block.step * dx_[i];
                state_.v[i] += block.step * dv_[i];
            }
            for (const uint32_t i : factor_.members()) state_.v[i] = 0.0;
            const uint32_t k = block.index;
            if (block.label == Label::free) {
                state_.v[k] = 0.0;
                if (!factor_.append(k)) return stop(PivotStop::singular);
            } else {
                state_.x[k] = block.label == Label::lower ? problem_.lower[k] : problem_.upper[k];
                if (state_.label[k] == Label::free) factor_.remove(k);
            }
            state_.label[k] = block.label;
            kept_[k] = true;
            if (k == j) return true;
        }
    }

    /// The same labels solved once more, without what many steps have gathered in x and v.
    void finish() {
        ++report_.solves;
        if (!solve_labels(problem_, factor_, state_)) {
            report_.stop = PivotStop::singular;
            return;
        }
        for (const uint32_t i : factor_.members())
            state_.x[i] = std::clamp(state_.x[i], problem_.lower[i], problem_.upper[i]);
    }

    const BoxedLcp& problem_;
    PivotState& state_;
    const PivotLimits& limits_;
    uint32_t n_, allowed_;
    PivotReport report_;
    FreeFactor factor_;
    std::vector<bool> kept_;  // processed: its law holds and must go on holding
    std::vector<double> dx_, dv_, y_;
};

}  // namespace

PivotReport solve_dantzig(const BoxedLcp& problem, PivotState& state, const PivotLimits& limits) {
    return Incremental(problem, state, limits).solve();
}

}  // namespace pivoting

SolveReport dantzig_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return pivoting::solve_boxed(system, settings, pivoting::solve_dantzig);
}

}  // namespace proxima::physics
