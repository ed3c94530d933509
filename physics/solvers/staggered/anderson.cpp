// SPDX-License-Identifier: MIT
#include "physics/solvers/staggered/anderson.h"

#include <Eigen/Dense>
#include <algorithm>
#include <utility>

namespace proxima::physics {

namespace {

constexpr double kWorse = 4.0;             // of the squared residual: the mixing has missed
constexpr size_t kPlainAfterMiss = 2;      // steps that show whether the iteration contracts by itself
constexpr double kRegularisation = 1e-12;  // of the trace: steps that say the same thing twice

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (size_t r = 0; r < a.size(); ++r) sum += a[r] * b[r];
    return sum;
}

}  // namespace

bool AndersonMixing::mix(std::span<const double> x, std::span<double> g) {
    residual_.resize(unknowns_);
    for (size_t r = 0; r < unknowns_; ++r) residual_[r] = g[r] - x[r];
    const double size = dot(residual_, residual_);
    if (best_ >= 0.0 && size > kWorse * best_) {
        restart(kPlainAfterMiss);
    } else if (has_last_) {
        std::vector<double>&dg = step_g_[next_], &dr = step_residual_[next_];
        dg.resize(unknowns_);
        dr.resize(unknowns_);
        for (size_t r = 0; r < unknowns_; ++r) {
            dg[r] = g[r] - last_g_[r];
            dr[r] = residual_[r] - last_residual_[r];
        }
        next_ = (next_ + 1) % kDepth;
        columns_ = std::min(kDepth, columns_ + 1);
    }
    // An iteration that runs away on its own is on its way to another fixed point than the one it leaves, to
    // which mixing would pull it back.
    if (plain_ > 0 && has_last_ && size > last_size_) restart(asked_);
    last_size_ = size;
    best_ = best_ < 0.0 ? size : std::min(best_, size);
    last_g_.assign(g.begin(), g.end());
    std::swap(last_residual_, residual_);
    has_last_ = true;
    if (plain_ > 0) {
        --plain_;
        return false;
    }
    if (columns_ == 0) return false;

    // min over w of |residual - sum w_j dr_j|^2, by its normal equations: at most six of them.
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kDepth, kDepth>;
    using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kDepth, 1>;
    const Eigen::Index m = Eigen::Index(columns_);
    Small gram(m, m);
    SmallVector right(m);
    for (Eigen::Index i = 0; i < m; ++i) {
        for (Eigen::Index j = 0; j <= i; ++j)
            gram(i, j) = gram(j, i) = dot(step_residual_[size_t(i)], step_residual_[size_t(j)]);
        right(i) = dot(step_residual_[size_t(i)], last_residual_);
    }
    const double trace = gram.trace();
    if (!(trace > 0.0)) return false;
    gram.diagonal().array() += kRegularisation * trace;
    const SmallVector weight = gram.ldlt().solve(right);
    if (!weight.allFinite()) return false;
    for (Eigen::Index j = 0; j < m; ++j)
        for (size_t r = 0; r < unknowns_; ++r) g[r] -= weight(j) * step_g_[size_t(j)][r];
    return true;
}

}  // namespace proxima::physics
