// SPDX-License-Identifier: MIT
#include "physics/solvers/pivoting/boxed_lcp.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "engine/core/assert.h"

namespace proxima::physics::pivoting {

namespace {

/// A pivot of the factorisation is what is left of A_ii when the others have taken their share. Below this
/// part of it the unknown is taken for redundant: contact matrices come from single-precision worlds and
/// files, where what is redundant is so to about seven digits.
constexpr double kSingular = 1e-7;

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

}  // namespace

void compute_velocities(const BoxedLcp& problem, std::span<const double> x, std::span<double> v) {
    const auto n = Eigen::Index(problem.size());
    Eigen::Map<Vector>(v.data(), n).noalias() =
        Eigen::Map<const Rows>(problem.a.data(), n, n) * Eigen::Map<const Vector>(x.data(), n) +
        Eigen::Map<const Vector>(problem.b.data(), n);
}

double natural_residual(const BoxedLcp& problem, std::span<const double> x) {
    std::vector<double> v(x.size());
    compute_velocities(problem, x, v);
    double worst = 0.0;
    for (uint32_t i = 0; i < problem.size(); ++i) {
        const double diagonal = problem.at(i, i);
        const double step = diagonal > 0.0 ? v[i] / diagonal : 0.0;
        const double nearest =
            problem.pinned(i) ? problem.lower[i] : std::clamp(x[i] - step, problem.lower[i], problem.upper[i]);
        const double wrong = diagonal * std::abs(x[i] - nearest);
        if (!(wrong <= worst)) worst = wrong;  // keeps a NaN
    }
    return worst;
}

void guess_labels(const BoxedLcp& problem, std::span<const double> x, std::vector<Label>& label) {
    label.resize(x.size());
    for (uint32_t i = 0; i < problem.size(); ++i)
        label[i] = problem.pinned(i) || !(x[i] > problem.lower[i]) ? Label::lower
                   : !(x[i] < problem.upper[i])                    ? Label::upper
                                                                   : Label::free;
}

void correct_labels(const BoxedLcp& problem, std::vector<Label>& label) {
    for (uint32_t i = 0; i < problem.size(); ++i) {
        const double bound = label[i] == Label::upper ? problem.upper[i] : problem.lower[i];
        if (problem.pinned(i))
            label[i] = Label::lower;
        else if (!std::isfinite(bound))
            label[i] = Label::free;
    }
}

double velocity_tolerance(const BoxedLcp& problem, std::span<const double> x, uint32_t pivots) {
    double largest = 0.0;
    for (uint32_t i = 0; i < problem.size(); ++i)
        largest = std::max(largest, std::abs(problem.b[i]) + problem.at(i, i) * std::abs(x[i]));
    double part = 1e-12;
    for (uint32_t k = pivots / (2 * problem.size() + 50); k > 0 && part < 0.5e-7; --k) part *= 10.0;
    return part * largest;
}

FreeFactor::FreeFactor(const BoxedLcp& problem)
    : problem_(&problem),
      stride_(problem.size()),
      factor_(stride_ * stride_),
      position_(stride_, kNone),
      column_(stride_) {
    members_.reserve(stride_);
}

bool FreeFactor::reset(std::span<const uint32_t> members) {
    for (const uint32_t i : members_) position_[i] = kNone;
    members_.clear();
    const uint32_t n = uint32_t(members.size());
    if (n == 0) return true;
    for (uint32_t r = 0; r < n; ++r)
        for (uint32_t c = 0; c <= r; ++c) row(r)[c] = problem_->at(members[r], members[c]);
    Eigen::Map<Rows, 0, Eigen::OuterStride<>> block(factor_.data(), n, n, Eigen::OuterStride<>(Eigen::Index(stride_)));
    const Eigen::LLT<Eigen::Ref<Rows, 0, Eigen::OuterStride<>>, Eigen::Lower> factorised(block);
    if (factorised.info() != Eigen::Success) return false;
    for (uint32_t k = 0; k < n; ++k)
        if (!(row(k)[k] * row(k)[k] > kSingular * problem_->at(members[k], members[k]))) return false;
    for (uint32_t k = 0; k < n; ++k) {
        members_.push_back(members[k]);
        position_[members[k]] = k;
    }
    return true;
}

bool FreeFactor::append(uint32_t i) {
    PX_ASSERT(position_[i] == kNone, "an unknown becomes free once");
    const uint32_t n = uint32_t(members_.size());
    double* last = row(n);
    double rest = problem_->at(i, i);
    for (uint32_t r = 0; r < n; ++r) {  // L l = A_Fi
        const double* lr = row(r);
        double sum = problem_->at(members_[r], i);
        for (uint32_t c = 0; c < r; ++c) sum -= lr[c] * last[c];
        last[r] = sum / lr[r];
        rest -= last[r] * last[r];
    }
    if (!(rest > kSingular * problem_->at(i, i))) return false;
    last[n] = std::sqrt(rest);
    position_[i] = n;
    members_.push_back(i);
    return true;
}

/// Without row k: the rows below lose their entry in column k, and the triangle behind it takes it back as
/// L L^T + c c^T, an update that only adds and so never loses definiteness.
void FreeFactor::remove(uint32_t i) {
    const uint32_t k = position_[i], n = uint32_t(members_.size());
    PX_ASSERT(k != kNone, "only what is free can be taken out");
    for (uint32_t r = k + 1; r < n; ++r) {
        double* from = row(r);
        double* to = row(r - 1);
        column_[r - 1] = from[k];
        std::copy(from, from + k, to);
        std::copy(from + k + 1, from + r + 1, to + k);
        members_[r - 1] = members_[r];
        position_[members_[r]] = r - 1;
    }
    members_.pop_back();
    position_[i] = kNone;
    for (uint32_t c = k; c + 1 < n; ++c) {
        const double old = row(c)[c], x = column_[c];
        const double diagonal = std::sqrt(old * old + x * x), cosine = diagonal / old, sine = x / old;
        row(c)[c] = diagonal;
        for (uint32_t r = c + 1; r + 1 < n; ++r) {
            double& entry = row(r)[c];
            entry = (entry + sine * column_[r]) / cosine;
            column_[r] = cosine * column_[r] - sine * entry;
        }
    }
}

bool FreeFactor::follow(std::span<const Label> label) {
    std::vector<uint32_t> wanted, leaving, entering;
    for (uint32_t i = 0; i < label.size(); ++i) {
        const bool free = label[i] == Label::free;
        if (free) wanted.push_back(i);
        if (free && !contains(i)) entering.push_back(i);
        if (!free && contains(i)) leaving.push_back(i);
    }
    // A change costs about 2 |F|^2, all anew |F|^3 / 3 at a better rate.
    if (12 * (leaving.size() + entering.size()) > wanted.size()) return reset(wanted);
    for (const uint32_t i : leaving) remove(i);
    for (const uint32_t i : entering)
        if (!append(i)) return false;
    return true;
}

void FreeFactor::solve(std::span<double> y) const {
    const auto n = Eigen::Index(members_.size());
    if (n == 0) return;
    const Eigen::Map<const Rows, 0, Eigen::OuterStride<>> lower(factor_.data(), n, n,
                                                                Eigen::OuterStride<>(Eigen::Index(stride_)));
    Eigen::Map<Vector> x(y.data(), n);
    lower.triangularView<Eigen::Lower>().solveInPlace(x);
    lower.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
}

void clamp_free(const BoxedLcp& problem, PivotState& state) {
    for (size_t i = 0; i < state.x.size(); ++i)
        if (state.label[i] == Label::free) state.x[i] = std::clamp(state.x[i], problem.lower[i], problem.upper[i]);
}

bool solve_labels(const BoxedLcp& problem, FreeFactor& factor, PivotState& state) {
    if (!factor.follow(state.label)) return false;
    const uint32_t n = problem.size();
    for (uint32_t i = 0; i < n; ++i)
        state.x[i] = state.label[i] == Label::free    ? 0.0
                     : state.label[i] == Label::lower ? problem.lower[i]
                                                      : problem.upper[i];
    compute_velocities(problem, state.x, state.v);
    const std::span<const uint32_t> members = factor.members();
    std::vector<double> y(members.size());
    for (size_t k = 0; k < members.size(); ++k) y[k] = -state.v[members[k]];
    factor.solve(y);
    for (size_t k = 0; k < members.size(); ++k) state.x[members[k]] = y[k];
    compute_velocities(problem, state.x, state.v);
    for (const uint32_t i : members) state.v[i] = 0.0;
    return true;
}

bool violates(const BoxedLcp& problem, const PivotState& state, uint32_t i, double tolerance, Label& flipped) {
    if (problem.pinned(i)) return false;
    const double reach = tolerance / problem.at(i, i);  // the same tolerance as an impulse
    switch (state.label[i]) {
        case Label::free:
            flipped = state.x[i] < problem.lower[i] - reach ? Label::lower : Label::upper;
            return state.x[i] < problem.lower[i] - reach || state.x[i] > problem.upper[i] + reach;
        case Label::lower:
            flipped = Label::free;
            return state.v[i] < -tolerance;
        case Label::upper:
            flipped = Label::free;
            return state.v[i] > tolerance;
    }
    return false;
}

}  // namespace proxima::physics::pivoting
