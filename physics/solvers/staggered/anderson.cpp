// SPDX-License-Identifier: MIT
#include "physics/solvers/staggered/anderson.h"

#include <algorithm>
#include <array>
#include <cmath>
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

constexpr size_t kDepth = AndersonMixing::kDepth;
using Small = std::array<std::array<double, kDepth>, kDepth>;

/// x <- A^-1 x by Cholesky, from the lower triangle of A; false when A is not positive definite.
bool solve_in_place(Small& a, std::array<double, kDepth>& x, size_t n) {
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j <= i; ++j) {
            double sum = a[i][j];
            for (size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
            if (i == j && !(sum > 0.0)) return false;
            a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
        }
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < i; ++k) x[i] -= a[i][k] * x[k];
        x[i] /= a[i][i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; ++k) x[i] -= a[k][i] * x[k];
        x[i] /= a[i][i];
        if (!std::isfinite(x[i])) return false;
    }
    return true;
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
    Small gram{};
    std::array<double, kDepth> weight{};
    double trace = 0.0;
    for (size_t i = 0; i < columns_; ++i) {
        for (size_t j = 0; j <= i; ++j) gram[i][j] = dot(step_residual_[i], step_residual_[j]);
        weight[i] = dot(step_residual_[i], last_residual_);
        trace += gram[i][i];
    }
    for (size_t i = 0; i < columns_; ++i) gram[i][i] += kRegularisation * trace;
    if (!solve_in_place(gram, weight, columns_)) return false;
    for (size_t j = 0; j < columns_; ++j)
        for (size_t r = 0; r < unknowns_; ++r) g[r] -= weight[j] * step_g_[j][r];
    return true;
}

}  // namespace proxima::physics
