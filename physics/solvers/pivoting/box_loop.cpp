// SPDX-License-Identifier: MIT
#include "physics/solvers/pivoting/box_loop.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/solvers/iterate.h"

namespace proxima::physics::pivoting {

namespace {

constexpr double kFirstShift = 1e-6;  // of the diagonal, when A_FF was found singular
constexpr double kShiftGrowth = 30.0;
constexpr double kLargestShift = 0.1;  // W that is still not positive definite then is no contact matrix
constexpr uint32_t kPatience = 8;      // a solve is expensive, and a cycle of bounds is short
constexpr double kSmallestDamping = 1.0 / 64.0;

/// One outer iteration solves, for bounds frozen at +- radius,
///     v = v_k + M (x - x_k),   M = (W + W^T)/2 + C + shift diag,
/// where v_k = W x_k + q + C x_k is exact and C is the compliance. Where x = x_k this is the problem itself,
/// so whatever M leaves out (the rounding of W's two halves, a W that is not quite symmetric, the shift that
/// makes redundant contacts solvable) is gone from the answer once the iterates stand still.
class BoxLoop {
  public:
    BoxLoop(DelassusSystem& system, const SolveSettings& settings, PivotMethod method)
        : system_(system), settings_(settings), method_(method), limit_(settings) {}

    SolveReport solve() {
        residual_ = measure();
        if (settings_.history) settings_.history->push_back(residual_);
        report_.residual = residual_;
        if (good(residual_)) {
            report_.stop = StopReason::tolerance;
            return report_;
        }
        if (!std::isfinite(residual_)) {
            report_.stop = StopReason::stalled;
            report_.note = "the problem holds values that are not numbers";
            return report_;
        }
        if (system_.size() > kContactLimit) {
            report_.stop = StopReason::failed;
            report_.note = "more than 600 contacts are too many for a full matrix";
            return report_;
        }
        assemble();
        iterate_solves();
        if (residual_ > best_residual_) set(best_);
        report_.residual = std::min(residual_, best_residual_);
        return report_;
    }

  private:
    double measure() const { return stop_residual(system_, FrictionSet::box, settings_); }
    bool good(double residual) const { return residual == 0.0 || residual <= settings_.tolerance; }
    void set(const std::vector<double>& x) {
        system_.set_impulses(x);
        residual_ = measure();
    }

    void assemble() {
        const DelassusProblem& given = system_.problem();
        const uint32_t contacts = given.size(), n = 3 * contacts;
        problem_.a.assign(size_t(n) * n, 0.0);
        problem_.b.assign(n, 0.0);
        problem_.lower.assign(n, 0.0);
        problem_.upper.assign(n, 0.0);
        for (uint32_t i = 0; i < contacts; ++i)
            for (uint32_t k = given.row_begin[i]; k < given.row_begin[i + 1]; ++k)
                for (uint32_t r = 0; r < 3; ++r)
                    for (uint32_t c = 0; c < 3; ++c) {
                        const size_t row = 3 * size_t(i) + r, column = 3 * size_t(given.column[k]) + c;
                        const double half = 0.5 * given.block[k].m[r][c];
                        problem_.a[row * n + column] += half;
                        problem_.a[column * n + row] += half;
                    }
        for (uint32_t i = 0; i < contacts; ++i)
            for (size_t r = 3 * size_t(i); r < 3 * size_t(i) + (system_.is_bilateral(i) ? 3u : 1u); ++r)
                problem_.a[r * n + r] += system_.compliance(i);
        diagonal_.resize(n);
        for (uint32_t r = 0; r < n; ++r) diagonal_[r] = problem_.at(r, r);
        x_.resize(n);
        radius_.resize(contacts);
        for (uint32_t i = 0; i < contacts; ++i) {
            const Real3<double> l = system_.impulse(i);
            x_[3 * i] = l.n;
            x_[3 * i + 1] = l.t1;
            x_[3 * i + 2] = l.t2;
            radius_[i] = system_.friction(i) * std::max(0.0, l.n);
        }
        state_.x.resize(n);
        state_.v.resize(n);
        best_ = x_;
        best_residual_ = residual_;
    }

    /// Rows of bilateral blocks have no bounds; rows that nothing can move keep what they have.
    void freeze_bounds() {
        for (uint32_t r = 0; r < problem_.size(); ++r) {
            const double radius = system_.is_bilateral(r / 3) ? kInfinity : radius_[r / 3];
            problem_.lower[r] = r % 3 == 0 && radius < kInfinity ? 0.0 : -radius;
            problem_.upper[r] = r % 3 == 0 ? kInfinity : radius;
            if (!(diagonal_[r] > 1e-30)) problem_.lower[r] = problem_.upper[r] = x_[r];
        }
    }

    bool raise_shift() {
        const double next = shift_ > 0.0 ? shift_ * kShiftGrowth : kFirstShift;
        if (next > kLargestShift) return false;
        for (uint32_t r = 0; r < problem_.size(); ++r)
            problem_.a[size_t(r) * problem_.size() + r] = diagonal_[r] * (1.0 + next);
        shift_ = next;
        return true;
    }

    /// b = v_k - M x_k.
    void centre() {
        std::fill(problem_.b.begin(), problem_.b.end(), 0.0);
        compute_velocities(problem_, x_, state_.v);
        for (uint32_t i = 0; i < system_.size(); ++i) {
            const Real2<double> t = system_.tangent_velocity(i);
            problem_.b[3 * i] = system_.normal_velocity(i) + system_.compliance(i) * x_[3 * i];
            problem_.b[3 * i + 1] = t.x;
            problem_.b[3 * i + 2] = t.y;
            if (!system_.is_bilateral(i)) continue;
            for (uint32_t r = 3 * i + 1; r < 3 * i + 3; ++r) problem_.b[r] += system_.compliance(i) * x_[r];
        }
        for (uint32_t r = 0; r < problem_.size(); ++r) problem_.b[r] -= state_.v[r];
    }

    /// One pivoting solve, shifted as far as it takes.
    PivotStop pivot() {
        PivotLimits limits;
        limits.time = &limit_;
        while (true) {
            centre();
            state_.label = label_;
            const PivotReport done = method_(problem_, state_, limits);
            const bool hard = done.stop == PivotStop::singular || done.stop == PivotStop::limit;
            if (!hard || !raise_shift()) return done.stop;
        }
    }

    /// With the labels of the last solve taken for true, friction at its bound is +- mu times its own normal:
    /// no bound is left to refresh, and one linear system, not symmetric any more, gives normal and friction
    /// together. It ends the row of solves that would otherwise approach this answer step by step.
    bool couple(std::vector<double>& x) const {
        std::vector<uint32_t> free;
        std::vector<int32_t> free_index(problem_.size(), -1);
        for (uint32_t r = 0; r < problem_.size(); ++r)
            if (state_.label[r] == Label::free) {
                free_index[r] = int32_t(free.size());
                free.push_back(r);
            }
        const auto n = Eigen::Index(free.size());
        if (n == 0) return false;
        Eigen::MatrixXd matrix(n, n);
        Eigen::VectorXd right(n);
        for (Eigen::Index r = 0; r < n; ++r) {
            right[r] = -problem_.b[free[size_t(r)]];
            for (Eigen::Index c = 0; c < n; ++c) matrix(r, c) = problem_.at(free[size_t(r)], free[size_t(c)]);
        }
        bool slides = false;
        for (uint32_t t = 0; t < problem_.size(); ++t) {
            if (free_index[t] >= 0) continue;
            if (!(diagonal_[t] > 1e-30)) {
                for (Eigen::Index r = 0; r < n; ++r) right[r] -= problem_.at(free[size_t(r)], t) * x_[t];
                continue;
            }
            const int32_t normal = free_index[t - t % 3];
            if (t % 3 == 0 || normal < 0) continue;  // at zero
            slides = true;
            const double mu = system_.friction(t / 3) * (state_.label[t] == Label::lower ? -1.0 : 1.0);
            for (Eigen::Index r = 0; r < n; ++r) matrix(r, normal) += mu * problem_.at(free[size_t(r)], t);
        }
        if (!slides) return false;
        const Eigen::VectorXd y = matrix.partialPivLu().solve(right);
        if (!y.allFinite()) return false;
        for (uint32_t r = 0; r < problem_.size(); ++r) {
            const int32_t normal = free_index[r - r % 3];
            if (free_index[r] >= 0)
                x[r] = y[free_index[r]];
            else if (!(diagonal_[r] > 1e-30))
                x[r] = x_[r];
            else if (r % 3 == 0 || normal < 0)
                x[r] = 0.0;
            else
                x[r] = system_.friction(r / 3) * (state_.label[r] == Label::lower ? -1.0 : 1.0) * y[normal];
        }
        return true;
    }

    /// Takes the coupled answer where it is better than everything before. Better than the last solve is not
    /// enough: with labels that are not yet true it is a jump, and jumps back and forth make cycles.
    void try_coupled() {
        coupled_.resize(x_.size());
        if (!couple(coupled_)) return;
        const double plain = residual_;
        set(coupled_);
        if (residual_ < std::min(plain, best_residual_))
            x_ = coupled_;
        else
            set(x_);
    }

    /// Radii for the next solve: those of the normal impulses, or `part` of the way to them.
    void refresh_radii(double part) {
        for (uint32_t i = 0; i < system_.size(); ++i) {
            const double wanted = system_.friction(i) * std::max(0.0, x_[3 * i]);
            radius_[i] = part == 1.0 ? wanted : radius_[i] + part * (wanted - radius_[i]);
        }
    }

    bool stands_still() const {
        double change = 0.0, largest = 0.0;
        for (size_t r = 0; r < x_.size(); ++r) {
            change = std::max(change, std::abs(x_[r] - last_[r]));
            largest = std::max(largest, std::abs(x_[r]));
        }
        return change <= 4.0 * std::numeric_limits<double>::epsilon() * largest;
    }

    void finish(StopReason stop, std::string_view note = {}) {
        report_.stop = stop;
        report_.note = note;
    }

    /// Where bounds and normals chase each other round a cycle, the bounds follow by half the way only from
    /// then on, and the shift is raised: redundant contacts share a load in many ways, and the shift keeps
    /// each solve from choosing quite another one. The best answer is kept apart; going back to it would only
    /// enter the same cycle again.
    void iterate_solves() {
        ProgressWatch watch(std::min(settings_.patience, kPatience), residual_);
        freeze_bounds();
        guess_labels(problem_, x_, label_);
        while (report_.iterations < settings_.iterations) {
            freeze_bounds();
            const PivotStop stop = pivot();
            if (stop == PivotStop::aborted) return finish(StopReason::time);
            if (stop == PivotStop::singular)
                return finish(StopReason::failed, "the matrix is too far from positive definite");
            if (stop == PivotStop::limit) return finish(StopReason::failed, "the pivots did not come to an end");
            ++report_.iterations;
            const bool same_labels = state_.label == label_;
            label_ = state_.label;
            const double before = residual_;
            last_ = x_;
            x_ = state_.x;
            set(x_);
            if (!good(residual_) && (same_labels || residual_ > 0.1 * before)) try_coupled();
            if (settings_.history) settings_.history->push_back(residual_);
            if (good(residual_)) return finish(StopReason::tolerance);
            if (watch.is_best(residual_)) {
                best_ = x_;
                best_residual_ = residual_;
            }
            if (limit_.passed()) return finish(StopReason::time);
            if (same_labels && damping_ == 1.0 && stands_still())
                return finish(StopReason::stalled, "nothing changes any more at this precision");
            if (watch.failed()) {
                ++report_.rejected;
                damping_ *= 0.5;
                if (damping_ < kSmallestDamping) return finish(StopReason::stalled);
                raise_shift();
                watch.restart();
            }
            refresh_radii(damping_);
        }
        finish(StopReason::iterations);
    }

    DelassusSystem& system_;
    const SolveSettings& settings_;
    PivotMethod method_;
    TimeLimit limit_;
    SolveReport report_;
    BoxedLcp problem_;
    PivotState state_;
    std::vector<Label> label_;               // that the next solve starts from
    std::vector<double> diagonal_, radius_;  // of M without shift; of the friction boxes
    std::vector<double> x_, last_, coupled_, best_;
    double residual_ = 0.0, best_residual_ = 0.0, shift_ = 0.0, damping_ = 1.0;
};

}  // namespace

SolveReport solve_boxed(DelassusSystem& system, const SolveSettings& settings, PivotMethod method) {
    if (has_extra(system)) return refuse_extra();
    if (system.has_bilateral()) return refuse_bilateral();
    return BoxLoop(system, settings, method).solve();
}

}  // namespace proxima::physics::pivoting
