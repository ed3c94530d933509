// SPDX-License-Identifier: MIT
#include "physics/solvers/pivoting/lemke_lcp.h"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace proxima::physics::pivoting {

namespace {

/// Entries of a column smaller than this do not block and are never pivots: M has size one, and what is
/// redundant in a contact matrix is so to about seven digits, so that smaller entries are mostly rounding.
/// Where the path is lost with the first floor, the second one has its turn: then small entries were true.
constexpr double kPivotFloors[] = {1e-6, 1e-9};
constexpr double kGood = 1e-8;  // of the largest q: a residual that needs no second try
constexpr double kTie = 1e-11;  // ratios closer than this are one ratio

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The dictionary: every basic variable as a constant plus a row of coefficients of the n + 1 variables that
/// are zero. Variables are numbered w_0 .. w_(n-1), z_0 .. z_(n-1), and 2n for the artificial z that all rows
/// share, w = q + M z + e z_artificial.
class Dictionary {
  public:
    Dictionary(const PlainLcp& problem, double scale, double floor)
        : n_(problem.size()),
          floor_(floor),
          table_(n_, n_ + 1),
          constant_(n_),
          basic_(n_),
          outside_(n_ + 1),
          column_of_w_(n_) {
        for (uint32_t r = 0; r < n_; ++r) {
            constant_[r] = problem.q[r] * scale;
            for (uint32_t c = 0; c < n_; ++c) table_(r, c) = problem.m[size_t(r) * n_ + c];
            table_(r, n_) = 1.0;
            basic_[r] = r;
            outside_[r] = n_ + r;
            column_of_w_[r] = -1;
        }
        outside_[n_] = artificial();
    }

    uint32_t artificial() const { return 2 * n_; }
    uint32_t basic(uint32_t row) const { return basic_[row]; }
    double value(uint32_t row) const { return constant_[row]; }
    uint32_t complement(uint32_t variable) const { return variable < n_ ? variable + n_ : variable - n_; }
    uint32_t column_of(uint32_t variable) const {
        return uint32_t(std::find(outside_.begin(), outside_.end(), variable) - outside_.begin());
    }
    /// The row that the artificial variable enters at: the most negative one, by ties the last.
    uint32_t most_negative() const {
        uint32_t row = 0;
        for (uint32_t r = 1; r < n_; ++r)
            if (constant_[r] <= constant_[row]) row = r;
        return row;
    }

    /// The basic variable that reaches zero first while the variable of `column` grows; n: none does.
    uint32_t leaving_row(uint32_t column) {
        double least = kInfinity;
        for (uint32_t r = 0; r < n_; ++r)
            if (table_(r, column) < -floor_) least = std::min(least, std::max(0.0, constant_[r]) / -table_(r, column));
        if (least == kInfinity) return n_;
        uint32_t chosen = n_;
        for (uint32_t r = 0; r < n_; ++r) {
            if (!(table_(r, column) < -floor_)) continue;
            if (std::max(0.0, constant_[r]) / -table_(r, column) > least + kTie * std::max(1.0, least)) continue;
            if (basic_[r] == artificial()) return r;  // the end, wherever it can be had
            if (chosen == n_ || before(r, chosen, column)) chosen = r;
        }
        return chosen;
    }

    /// Exchanges the basic variable of a row with the zero variable of a column.
    void pivot(uint32_t row, uint32_t column) {
        const double inverse = 1.0 / table_(row, column);
        table_.row(row) *= -inverse;
        table_(row, column) = inverse;
        constant_[row] *= -inverse;
        for (uint32_t r = 0; r < n_; ++r) {
            const double factor = table_(r, column);
            if (r == row || factor == 0.0) continue;  // rows of contacts far away
            table_(r, column) = 0.0;
            table_.row(r) += factor * table_.row(row);
            constant_[r] += factor * constant_[row];
        }
        std::swap(basic_[row], outside_[column]);
        if (basic_[row] < n_) column_of_w_[basic_[row]] = -1;
        if (outside_[column] < n_) column_of_w_[outside_[column]] = int32_t(column);
    }

  private:
    /// Coefficient of the j-th power of an infinitely small number in the value of a row, if q_j had it
    /// added: what decides between rows that reach zero together.
    double perturbation(uint32_t row, uint32_t j) const {
        if (column_of_w_[j] >= 0) return -table_(row, column_of_w_[j]);
        return basic_[row] == j ? 1.0 : 0.0;
    }
    bool before(uint32_t r, uint32_t s, uint32_t column) const {
        for (uint32_t j = 0; j < n_; ++j) {
            const double x = perturbation(r, j) / -table_(r, column), y = perturbation(s, j) / -table_(s, column);
            if (std::abs(x - y) > kTie * std::max({1.0, std::abs(x), std::abs(y)})) return x < y;
        }
        return false;
    }

    uint32_t n_;
    double floor_;
    Rows table_;
    std::vector<double> constant_;
    std::vector<uint32_t> basic_, outside_;  // variable of a row, of a column
    std::vector<int32_t> column_of_w_;       // -1: basic
};

/// Solves M_BB z_B = -q_B once more for the z found positive, from the matrix itself: hundreds of pivots
/// leave rounding behind. Kept only where it is better.
void polish(const PlainLcp& problem, std::vector<double>& z) {
    std::vector<uint32_t> in;
    for (uint32_t i = 0; i < problem.size(); ++i)
        if (z[i] > 0.0) in.push_back(i);
    const auto n = Eigen::Index(in.size());
    if (n == 0) return;
    Eigen::MatrixXd matrix(n, n);
    Eigen::VectorXd right(n);
    for (Eigen::Index r = 0; r < n; ++r) {
        const uint32_t row = in[size_t(r)];
        right[r] = -problem.q[row];
        for (uint32_t c = 0; c < problem.size(); ++c)  // the change of z: small where the pivots were good
            right[r] -= problem.m[size_t(row) * problem.size() + c] * z[c];
        for (Eigen::Index c = 0; c < n; ++c) matrix(r, c) = problem.m[size_t(row) * problem.size() + in[size_t(c)]];
    }
    const Eigen::VectorXd change = matrix.partialPivLu().solve(right);
    if (!change.allFinite()) return;
    std::vector<double> better = z;
    for (Eigen::Index k = 0; k < n; ++k) better[in[size_t(k)]] = std::max(0.0, z[in[size_t(k)]] + change[k]);
    if (natural_residual(problem, better) < natural_residual(problem, z)) z = better;
}

/// One walk along the path; `largest` is that of |q|, `spent` counts pivots over all walks.
LemkeStop walk(const PlainLcp& problem, double largest, double floor, const PivotLimits& limits, uint32_t& spent,
               std::vector<double>& z) {
    const uint32_t n = problem.size(), allowed = limits.pivots ? limits.pivots : pivot_limit(n);
    Dictionary dictionary(problem, 1.0 / largest, floor);
    uint32_t row = dictionary.most_negative(), column = n;
    while (true) {
        if (spent == allowed) return LemkeStop::limit;
        if (limits.passed()) return LemkeStop::aborted;
        const uint32_t leaving = dictionary.basic(row);
        if (limits.trace) limits.trace->push_back({leaving, 0.0, 0});
        dictionary.pivot(row, column);
        ++spent;
        if (leaving == dictionary.artificial()) break;
        column = dictionary.column_of(dictionary.complement(leaving));
        row = dictionary.leaving_row(column);
        if (row == n) return LemkeStop::ray;
    }
    z.assign(n, 0.0);
    for (uint32_t r = 0; r < n; ++r)
        if (dictionary.basic(r) >= n && dictionary.basic(r) < 2 * n)
            z[dictionary.basic(r) - n] = std::max(0.0, dictionary.value(r) * largest);
    polish(problem, z);
    return LemkeStop::solved;
}

}  // namespace

double natural_residual(const PlainLcp& problem, std::span<const double> z) {
    double worst = 0.0;
    for (uint32_t r = 0; r < problem.size(); ++r) {
        double w = problem.q[r];
        for (uint32_t c = 0; c < problem.size(); ++c) w += problem.m[size_t(r) * problem.size() + c] * z[c];
        const double wrong = std::abs(std::min(z[r], w));
        if (!(wrong <= worst)) worst = wrong;
    }
    return worst;
}

LemkeReport solve_lemke(const PlainLcp& problem, std::vector<double>& z, const PivotLimits& limits) {
    LemkeReport report;
    z.assign(problem.size(), 0.0);
    double largest = 0.0;
    bool opens = true;
    for (const double q : problem.q) {
        largest = std::max(largest, std::abs(q));
        opens = opens && q >= 0.0;
    }
    if (opens) return report;  // z = 0
    report.stop = LemkeStop::ray;
    double best = kInfinity;
    std::vector<double> found;
    for (const double floor : kPivotFloors) {
        const LemkeStop stop = walk(problem, largest, floor, limits, report.pivots, found);
        if (stop == LemkeStop::solved) {
            const double residual = natural_residual(problem, found);
            if (residual < best) z = found;
            best = std::min(best, residual);
            report.stop = LemkeStop::solved;
            if (best <= kGood * largest) return report;
        } else if (stop != LemkeStop::ray) {
            if (report.stop != LemkeStop::solved) report.stop = stop;
            return report;
        }
    }
    return report;
}

}  // namespace proxima::physics::pivoting
