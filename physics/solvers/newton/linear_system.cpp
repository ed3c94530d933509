// SPDX-License-Identifier: MIT
#include "physics/solvers/newton/linear_system.h"

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <limits>
#include <utility>

#include "physics/solvers/newton/body_steps.h"

namespace proxima::physics::newton {

namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kDenseContacts = 100;  // up to here a full matrix is the faster one

/// 3x3 elimination with row exchanges; false for a singular block.
bool solve3(const double (&matrix)[3][3], const double (&right)[3], double (&x)[3]) {
    double a[3][4];
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) a[r][c] = matrix[r][c];
        a[r][3] = right[r];
    }
    for (int k = 0; k < 3; ++k) {
        int pivot = k;
        for (int r = k + 1; r < 3; ++r)
            if (std::abs(a[r][k]) > std::abs(a[pivot][k])) pivot = r;
        if (!(std::abs(a[pivot][k]) > 0.0)) return false;
        if (pivot != k)
            for (int c = 0; c < 4; ++c) std::swap(a[k][c], a[pivot][c]);
        for (int r = k + 1; r < 3; ++r) {
            const double factor = a[r][k] / a[k][k];
            for (int c = k; c < 4; ++c) a[r][c] -= factor * a[k][c];
        }
    }
    for (int k = 2; k >= 0; --k) {
        x[k] = a[k][3];
        for (int c = k + 1; c < 3; ++c) x[k] -= a[k][c] * x[c];
        x[k] /= a[k][k];
    }
    return true;
}

/// Solves the full n x n system in place by elimination with row exchanges. Inner loops run along rows, one
/// independent multiply and subtract an entry: the same result for every width of vector instructions.
bool solve_rows(std::vector<double>& a, std::vector<double>& b, size_t n) {
    for (size_t k = 0; k < n; ++k) {
        size_t pivot = k;
        double largest = std::abs(a[k * n + k]);
        for (size_t r = k + 1; r < n; ++r)
            if (const double x = std::abs(a[r * n + k]); x > largest) {
                largest = x;
                pivot = r;
            }
        if (!(largest > 0.0)) return false;
        if (pivot != k) {
            std::swap_ranges(a.begin() + std::ptrdiff_t(k * n + k), a.begin() + std::ptrdiff_t(k * n + n),
                             a.begin() + std::ptrdiff_t(pivot * n + k));
            std::swap(b[k], b[pivot]);
        }
        const double* const top = &a[k * n];
        const double inverse = 1.0 / top[k];
        for (size_t r = k + 1; r < n; ++r) {
            double* const row = &a[r * n];
            if (row[k] == 0.0) continue;
            const double factor = row[k] * inverse;
            for (size_t c = k + 1; c < n; ++c) row[c] -= factor * top[c];
            b[r] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        double sum = b[k];
        for (size_t c = k + 1; c < n; ++c) sum -= a[k * n + c] * b[c];
        b[k] = sum / a[k * n + k];
    }
    return true;
}

}  // namespace

struct LinearSystem::Sparse {
    Eigen::SparseMatrix<double, Eigen::ColMajor> matrix;
    Eigen::SparseMatrix<double, Eigen::RowMajor> rows;
    Eigen::SparseLU<Eigen::SparseMatrix<double, Eigen::ColMajor>, Eigen::COLAMDOrdering<int>> lu;
};

LinearSystem::LinearSystem(const DelassusSystem& system) : system_(&system) {
    const DelassusProblem& problem = system.problem();
    if (!problem.sides.empty() && 2 * problem.body_count < problem.size())
        bodies_ = std::make_unique<BodySteps>(system);
}
LinearSystem::~LinearSystem() = default;

void LinearSystem::collect_coupled(std::span<const ContactMap> maps, std::span<double> step) {
    coupled_.clear();
    coupled_index_.assign(maps.size(), kNone);
    for (uint32_t i = 0; i < maps.size(); ++i) {
        const ContactMap& m = maps[i];
        double x[3];
        const double right[3] = {-m.f[0], -m.f[1], -m.f[2]};
        if (m.is_local() && solve3(m.by_l, right, x)) {
            for (int k = 0; k < 3; ++k) step[3 * i + uint32_t(k)] = x[k];
            continue;
        }
        coupled_index_[i] = uint32_t(coupled_.size());
        coupled_.push_back(i);
    }
}

template <class Emit>
void LinearSystem::block_row(std::span<const ContactMap> maps, double rho, uint32_t row, const Emit& emit_block) const {
    const DelassusProblem& problem = system_->problem();
    const uint32_t i = coupled_[row];
    const ContactMap& m = maps[i];
    const auto emit = [&](uint32_t column, const double(&w)[3][3], bool diagonal) {
        double block[3][3];
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                block[r][c] = m.by_v[r][0] * w[0][c] + m.by_v[r][1] * w[1][c] + m.by_v[r][2] * w[2][c];
                if (diagonal) block[r][c] += m.by_l[r][c];
            }
        emit_block(column, block);
    };
    bool has_diagonal = false;
    for (uint32_t k = problem.row_begin[i]; k < problem.row_begin[i + 1]; ++k) {
        const uint32_t j = problem.column[k];
        if (coupled_index_[j] == kNone) continue;
        if (j != i) {
            emit(coupled_index_[j], problem.block[k].m, false);
            continue;
        }
        has_diagonal = true;
        Block3 w = problem.block[k];
        const double c = system_->compliance(i), w_n = w.m[0][0] + c,
                     w_t = largest_eigenvalue(system_->tangent_block(i));
        w.m[0][0] = w_n + rho * w_n;
        const double soft = system_->is_bilateral(i) ? c + rho * (w_t + c) : rho * w_t;
        w.m[1][1] += soft;
        w.m[2][2] += soft;
        emit(row, w.m, true);
    }
    if (!has_diagonal) emit_block(row, m.by_l);
}

void LinearSystem::right_side(std::span<const ContactMap> maps, std::span<const double> step) {
    const DelassusProblem& problem = system_->problem();
    right_.resize(3 * coupled_.size());
    for (uint32_t row = 0; row < coupled_.size(); ++row) {
        const uint32_t i = coupled_[row];
        const ContactMap& m = maps[i];
        // What the steps known already do to the velocities here.
        double v[3] = {};
        for (uint32_t k = problem.row_begin[i]; k < problem.row_begin[i + 1]; ++k) {
            const uint32_t j = problem.column[k];
            if (coupled_index_[j] != kNone) continue;
            const auto& w = problem.block[k].m;
            for (int r = 0; r < 3; ++r)
                v[r] += w[r][0] * step[3 * j] + w[r][1] * step[3 * j + 1] + w[r][2] * step[3 * j + 2];
        }
        for (uint32_t r = 0; r < 3; ++r)
            right_[3 * row + r] = -m.f[r] - m.by_v[r][0] * v[0] - m.by_v[r][1] * v[1] - m.by_v[r][2] * v[2];
    }
}

bool LinearSystem::solve_dense(std::span<const ContactMap> maps, double rho) {
    const size_t n = 3 * coupled_.size();
    dense_.assign(n * n, 0.0);
    for (uint32_t row = 0; row < coupled_.size(); ++row)
        block_row(maps, rho, row, [&](uint32_t column, const double(&block)[3][3]) {
            for (uint32_t r = 0; r < 3; ++r)
                for (uint32_t c = 0; c < 3; ++c) dense_[(3 * row + r) * n + 3 * column + c] = block[r][c];
        });
    return solve_rows(dense_, right_, n);
}

bool LinearSystem::solve_sparse(std::span<const ContactMap> maps, double rho) {
    if (!sparse_) sparse_ = std::make_unique<Sparse>();
    const Eigen::Index n = Eigen::Index(3 * coupled_.size());
    auto& rows = sparse_->rows;
    rows.resize(n, n);
    rows.reserve(Eigen::Index(9 * system_->problem().block.size()));
    // Rows come in order and columns ascend within a row of blocks, so entries are appended in place.
    std::vector<std::pair<uint32_t, Block3>> blocks;
    for (uint32_t row = 0; row < coupled_.size(); ++row) {
        blocks.clear();
        block_row(maps, rho, row, [&](uint32_t column, const double(&block)[3][3]) {
            Block3 b;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) b.m[r][c] = block[r][c];
            blocks.emplace_back(column, b);
        });
        for (int r = 0; r < 3; ++r) {
            const Eigen::Index line = Eigen::Index(3 * row) + r;
            rows.startVec(line);
            for (const auto& [column, b] : blocks)
                for (int c = 0; c < 3; ++c)
                    if (b.m[r][c] != 0.0) rows.insertBack(line, Eigen::Index(3 * column) + c) = b.m[r][c];
        }
    }
    rows.finalize();
    sparse_->matrix = rows;
    sparse_->matrix.makeCompressed();
    sparse_->lu.compute(sparse_->matrix);
    if (sparse_->lu.info() != Eigen::Success) return false;
    Eigen::Map<Eigen::VectorXd> right(right_.data(), n);
    const Eigen::VectorXd x = sparse_->lu.solve(right);
    right = x;
    return true;
}

bool LinearSystem::solve(std::span<const ContactMap> maps, double rho, std::span<double> step) {
    // Bodies first, where they are the smaller system; contacts where that breaks down.
    if (bodies_ && bodies_->solve(maps, rho, step)) return true;
    collect_coupled(maps, step);
    right_side(maps, step);
    const bool solved = coupled_.size() <= kDenseContacts ? solve_dense(maps, rho) : solve_sparse(maps, rho);
    if (!solved) return false;
    for (uint32_t row = 0; row < coupled_.size(); ++row)
        for (uint32_t k = 0; k < 3; ++k) step[3 * coupled_[row] + k] = right_[3 * row + k];
    for (const double x : step)
        if (!std::isfinite(x)) return false;
    return true;
}

}  // namespace proxima::physics::newton
