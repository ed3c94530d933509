// SPDX-License-Identifier: MIT
#include "physics/contact/delassus.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "physics/contact/symmetric3.h"

namespace proxima::physics {

namespace {

std::string entry_text(uint32_t row, uint32_t column) {
    return "block (" + std::to_string(row) + ", " + std::to_string(column) + ")";
}

/// "line 12: ", for what came from a file.
std::string at_line(uint32_t line) { return line ? "line " + std::to_string(line) + ": " : ""; }

Result<void> check_vectors(std::span<const double> q, std::span<const double> mu) {
    if (q.size() != 3 * mu.size())
        return Error{"q has " + std::to_string(q.size()) + " values for " + std::to_string(mu.size()) +
                     " contacts; it needs three per contact."};
    for (size_t i = 0; i < q.size(); ++i)
        if (!std::isfinite(q[i])) return Error{"q[" + std::to_string(i) + "] is not a finite number."};
    for (size_t i = 0; i < mu.size(); ++i)
        if (!std::isfinite(mu[i]) || mu[i] < 0.0)
            return Error{"mu[" + std::to_string(i) + "] is " + std::to_string(mu[i]) +
                         "; a friction coefficient is a finite number, zero or larger."};
    return {};
}

/// A block seen from the upper triangle of W: `mirrored` came from below the diagonal and has been transposed.
struct HalfBlock {
    uint32_t row, column;  // row <= column
    bool mirrored;
    Block3 block;
    uint32_t line;
};

Block3 transpose(const Block3& b) {
    Block3 t;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) t.m[c][r] = b.m[r][c];
    return t;
}

}  // namespace

Result<DelassusProblem> make_problem(std::span<const BlockEntry> entries, std::span<const double> q,
                                     std::span<const double> mu, double asymmetry) {
    if (auto checked = check_vectors(q, mu); !checked) return Error{checked.error()};
    const uint32_t n = uint32_t(mu.size());

    // Both halves of W meet in the upper triangle: sorted, a block and its mirror image are neighbours.
    double largest = 0.0;
    std::vector<HalfBlock> half;
    half.reserve(entries.size());
    for (const BlockEntry& e : entries) {
        if (e.row >= n || e.column >= n)
            return Error{at_line(e.line) + entry_text(e.row, e.column) + " of W lies outside its " + std::to_string(n) +
                         " block rows."};
        for (const auto& row : e.block.m)
            for (double x : row) {
                if (!std::isfinite(x))
                    return Error{at_line(e.line) + entry_text(e.row, e.column) +
                                 " of W holds a number that is not finite."};
                largest = std::max(largest, std::abs(x));
            }
        if (e.row == e.column) {
            half.push_back({e.row, e.row, false, e.block, e.line});
            half.push_back({e.row, e.row, true, transpose(e.block), e.line});
        } else if (e.row < e.column) {
            half.push_back({e.row, e.column, false, e.block, e.line});
        } else {
            half.push_back({e.column, e.row, true, transpose(e.block), e.line});
        }
    }
    std::stable_sort(half.begin(), half.end(), [](const HalfBlock& x, const HalfBlock& y) {
        if (x.row != y.row) return x.row < y.row;
        if (x.column != y.column) return x.column < y.column;
        return x.mirrored < y.mirrored;
    });

    std::vector<BlockEntry> whole;
    whole.reserve(entries.size());
    for (size_t k = 0; k < half.size();) {
        const HalfBlock& first = half[k];
        size_t end = k + 1;
        while (end < half.size() && half[end].row == first.row && half[end].column == first.column) ++end;
        if (end - k > 2 || (end - k == 2 && half[k].mirrored == half[k + 1].mirrored))
            return Error{at_line(half[end - 1].line) + entry_text(first.row, first.column) +
                         " of W, or its mirror image, is given twice."};
        Block3 upper{}, lower{};
        for (size_t at = k; at < end; ++at) (half[at].mirrored ? lower : upper) = half[at].block;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                if (std::abs(upper.m[r][c] - lower.m[r][c]) > asymmetry * largest)
                    return Error{at_line(half[end - 1].line) +
                                 "W is not symmetric: " + entry_text(first.row, first.column) +
                                 " and its mirror image hold " + std::to_string(upper.m[r][c]) + " and " +
                                 std::to_string(lower.m[r][c]) + " in the same place."};
        whole.push_back({first.row, first.column, upper, first.line});
        if (first.row != first.column) whole.push_back({first.column, first.row, transpose(lower)});
        k = end;
    }
    std::sort(whole.begin(), whole.end(), [](const BlockEntry& x, const BlockEntry& y) {
        return x.row != y.row ? x.row < y.row : x.column < y.column;
    });

    DelassusProblem problem;
    problem.q.assign(q.begin(), q.end());
    problem.mu.assign(mu.begin(), mu.end());
    problem.row_begin.assign(n + 1, 0);
    for (const BlockEntry& e : whole) {
        ++problem.row_begin[e.row + 1];
        problem.column.push_back(e.column);
        problem.block.push_back(e.block);
        if (e.row != e.column) continue;
        for (int r = 0; r < 3; ++r)
            if (e.block.m[r][r] < 0.0)
                return Error{at_line(e.line) + "W has a negative diagonal entry in " + entry_text(e.row, e.row) +
                             "; inverse masses are not negative."};
    }
    for (uint32_t i = 0; i < n; ++i) problem.row_begin[i + 1] += problem.row_begin[i];
    return problem;
}

Result<DelassusProblem> make_problem(std::span<const double> dense, std::span<const double> q,
                                     std::span<const double> mu, double asymmetry) {
    const size_t rows = 3 * mu.size();
    if (dense.size() != rows * rows)
        return Error{"W has " + std::to_string(dense.size()) + " values; " + std::to_string(mu.size()) +
                     " contacts need " + std::to_string(rows * rows) + "."};
    std::vector<BlockEntry> entries;
    for (uint32_t i = 0; i < mu.size(); ++i)
        for (uint32_t j = 0; j < mu.size(); ++j) {
            BlockEntry e{i, j, {}};
            bool used = i == j;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    e.block.m[r][c] = dense[(3 * i + r) * rows + 3 * j + c];
                    used = used || e.block.m[r][c] != 0.0;
                }
            if (used) entries.push_back(e);
        }
    return make_problem(entries, q, mu, asymmetry);
}

// The power method on shift - W, whose largest eigenvectors are the most negative ones of W.
uint32_t find_indefinite(const DelassusProblem& p) {
    constexpr double kShare = 1e-2;
    constexpr int kSteps = 60;
    const uint32_t n = p.size();
    std::vector<double> x(3 * size_t(n)), y(3 * size_t(n));
    double shift = 0.0;  // the largest sum of a row of absolute values: no eigenvalue is larger
    for (uint32_t i = 0; i < n; ++i)
        for (int r = 0; r < 3; ++r) {
            double sum = 0.0;
            for (uint32_t k = p.row_begin[i]; k < p.row_begin[i + 1]; ++k)
                for (double v : p.block[k].m[r]) sum += std::abs(v);
            shift = std::max(shift, sum);
            // A start that no symmetry of the problem makes orthogonal to the wanted vector.
            x[3 * i + r] = 1.0 + 0.37 * double((7 * i + 3 * r) % 11) - 0.61 * double((5 * i + r) % 6);
        }
    bool found = false;
    for (int step = 0; step < kSteps; ++step) {
        double squared = 0.0, energy = 0.0;
        for (uint32_t i = 0; i < n; ++i)
            for (int r = 0; r < 3; ++r) {
                double sum = 0.0;
                for (uint32_t k = p.row_begin[i]; k < p.row_begin[i + 1]; ++k)
                    for (int c = 0; c < 3; ++c) sum += p.block[k].m[r][c] * x[3 * p.column[k] + c];
                const double old = x[3 * i + r];
                y[3 * i + r] = shift * old - sum;
                squared += old * old;
                energy += old * sum;
            }
        found = found || energy < -kShare * shift * squared;
        double largest = 0.0;
        for (double v : y) largest = std::max(largest, std::abs(v));
        if (!(largest > 0.0)) break;
        for (size_t k = 0; k < x.size(); ++k) x[k] = y[k] / largest;
    }
    if (!found) return n;
    size_t strongest = 0;
    for (size_t k = 0; k < x.size(); ++k)
        if (std::abs(x[k]) > std::abs(x[strongest])) strongest = k;
    return uint32_t(strongest / 3);
}

bool DelassusProblem::has_bilateral() const {
    return std::find(kinds.begin(), kinds.end(), RowKind::bilateral) != kinds.end();
}

DelassusSystem::DelassusSystem(const DelassusProblem& problem)
    : problem_(&problem),
      size_(problem.size()),
      has_bilateral_(problem.has_bilateral()),
      diagonal_(size_),
      coupling_(size_),
      impulse_(size_),
      velocity_(size_) {
    PX_ASSERT(problem.row_begin.size() == size_ + 1u && problem.q.size() == 3u * size_ &&
                  (problem.kinds.empty() || problem.kinds.size() == size_),
              "a problem that make_problem made");
    for (uint32_t i = 0; i < size_; ++i) {
        diagonal_[i] = {};
        for (uint32_t k = problem.row_begin[i]; k < problem.row_begin[i + 1]; ++k) {
            if (problem.column[k] != i) continue;
            const auto& m = problem.block[k].m;
            diagonal_[i].normal = m[0][0];
            diagonal_[i].tangent = {m[1][1], 0.5 * (m[1][2] + m[2][1]), m[2][2]};
            diagonal_[i].tangent_step = step_of(largest_eigenvalue(diagonal_[i].tangent));
            // Recorded matrices are symmetric up to rounding only: the mean of both halves. No answer depends
            // on it: solvers that use it see what it leaves over in v.
            coupling_[i] = {0.5 * (m[0][1] + m[1][0]), 0.5 * (m[0][2] + m[2][0])};
        }
    }
    // Rows are sorted and the pattern is symmetric: visiting blocks row by row meets each column's blocks in order.
    column_block_.resize(problem.block.size());
    std::vector<uint32_t> next(problem.row_begin.begin(), problem.row_begin.end());
    for (uint32_t i = 0; i < size_; ++i)
        for (uint32_t k = problem.row_begin[i]; k < problem.row_begin[i + 1]; ++k)
            column_block_[next[problem.column[k]]++] = transpose(problem.block[k]);
    double sum = 0.0;
    for (double x : problem.q) sum += x * x;
    q_norm_ = std::sqrt(sum);
    refresh();
}

void DelassusSystem::set_impulses(std::span<const double> impulses) {
    PX_ASSERT(impulses.size() == 3u * size_, "three impulses per contact");
    for (uint32_t i = 0; i < size_; ++i) impulse_[i] = {impulses[3 * i], impulses[3 * i + 1], impulses[3 * i + 2]};
    refresh();
}

void DelassusSystem::add_normal(uint32_t i, double delta) {
    impulse_[i].n += delta;
    for (uint32_t k = problem_->row_begin[i]; k < problem_->row_begin[i + 1]; ++k) {
        const auto& m = column_block_[k].m;
        Real3<double>& v = velocity_[problem_->column[k]];
        v.n += m[0][0] * delta;
        v.t1 += m[0][1] * delta;
        v.t2 += m[0][2] * delta;
    }
}

void DelassusSystem::add_tangent(uint32_t i, Real2<double> delta) {
    impulse_[i].t1 += delta.x;
    impulse_[i].t2 += delta.y;
    for (uint32_t k = problem_->row_begin[i]; k < problem_->row_begin[i + 1]; ++k) {
        const auto& m = column_block_[k].m;
        Real3<double>& v = velocity_[problem_->column[k]];
        v.n += m[1][0] * delta.x + m[2][0] * delta.y;
        v.t1 += m[1][1] * delta.x + m[2][1] * delta.y;
        v.t2 += m[1][2] * delta.x + m[2][2] * delta.y;
    }
}

void DelassusSystem::save() { saved_impulse_ = impulse_; }

void DelassusSystem::restore() {
    PX_ASSERT(saved_impulse_.size() == impulse_.size(), "restore needs a save before it");
    impulse_ = saved_impulse_;
    refresh();
}

void DelassusSystem::extrapolate(double beta) {
    impulse_before_.resize(size_);
    velocity_before_.resize(size_);
    const auto move = [&](Real3<double>& now, Real3<double>& before) {
        const Real3<double> kept = now;
        if (beta != 0.0)
            now = {now.n + beta * (now.n - before.n), now.t1 + beta * (now.t1 - before.t1),
                   now.t2 + beta * (now.t2 - before.t2)};
        before = kept;
    };
    for (uint32_t i = 0; i < size_; ++i) {
        move(impulse_[i], impulse_before_[i]);
        move(velocity_[i], velocity_before_[i]);
    }
}

void DelassusSystem::step_back() {
    impulse_ = impulse_before_;
    velocity_ = velocity_before_;
}

void DelassusSystem::refresh() {
    for (uint32_t i = 0; i < size_; ++i) {
        Real3<double> v{problem_->q[3 * i], problem_->q[3 * i + 1], problem_->q[3 * i + 2]};
        for (uint32_t k = problem_->row_begin[i]; k < problem_->row_begin[i + 1]; ++k) {
            const auto& m = problem_->block[k].m;
            const Real3<double>& l = impulse_[problem_->column[k]];
            v.n += m[0][0] * l.n + m[0][1] * l.t1 + m[0][2] * l.t2;
            v.t1 += m[1][0] * l.n + m[1][1] * l.t1 + m[1][2] * l.t2;
            v.t2 += m[2][0] * l.n + m[2][1] * l.t1 + m[2][2] * l.t2;
        }
        velocity_[i] = v;
    }
}

void DelassusSystem::splitting_bounds(std::span<double> bounds) const {
    PX_ASSERT(bounds.size() >= size_, "one bound per contact");
    for (uint32_t i = 0; i < size_; ++i) {
        double sum = 0.0;
        for (uint32_t k = problem_->row_begin[i]; k < problem_->row_begin[i + 1]; ++k) {
            const auto& m = problem_->block[k].m;
            // |B| = sqrt(lambda_max(B^T B))
            const auto entry = [&](int r, int c) { return m[0][r] * m[0][c] + m[1][r] * m[1][c] + m[2][r] * m[2][c]; };
            sum += std::sqrt(largest_eigenvalue(
                Symmetric3{entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)}));
        }
        bounds[i] = sum;
    }
}

}  // namespace proxima::physics
