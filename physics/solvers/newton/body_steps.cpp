// SPDX-License-Identifier: MIT
#include "physics/solvers/newton/body_steps.h"

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <utility>

namespace proxima::physics::newton {

namespace {

constexpr double kSingular = 1e-14;  // pivots of K, in parts of its largest entry
constexpr double kSolved = 1e-6;     // of |F|: what may be left of the residual
constexpr int kCorrections = 3;

/// Inverse of a 3x3 matrix by elimination with row exchanges; false where it has none worth using.
bool invert(const double (&matrix)[3][3], double (&inverse)[3][3]) {
    double a[3][6] = {}, largest = 0.0;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            a[r][c] = matrix[r][c];
            largest = std::max(largest, std::abs(matrix[r][c]));
        }
        a[r][3 + r] = 1.0;
    }
    for (int k = 0; k < 3; ++k) {
        int pivot = k;
        for (int r = k + 1; r < 3; ++r)
            if (std::abs(a[r][k]) > std::abs(a[pivot][k])) pivot = r;
        if (!(std::abs(a[pivot][k]) > kSingular * largest)) return false;
        if (pivot != k) std::swap(a[k], a[pivot]);
        const double scale = 1.0 / a[k][k];
        for (double& x : a[k]) x *= scale;
        for (int r = 0; r < 3; ++r) {
            if (r == k) continue;
            const double factor = a[r][k];
            for (int c = 0; c < 6; ++c) a[r][c] -= factor * a[k][c];
        }
    }
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) inverse[r][c] = a[r][3 + c];
    return true;
}

}  // namespace

struct BodySteps::Sparse {
    Eigen::SparseMatrix<double, Eigen::ColMajor> matrix;
    Eigen::SparseLU<Eigen::SparseMatrix<double, Eigen::ColMajor>, Eigen::COLAMDOrdering<int>> lu;
    Eigen::VectorXd right, motion;
};

BodySteps::~BodySteps() = default;

BodySteps::BodySteps(const DelassusSystem& system) : system_(&system), sparse_(std::make_unique<Sparse>()) {
    const DelassusProblem& problem = system.problem();
    side_begin_.assign(problem.size() + 1u, 0);
    for (const ContactSide& side : problem.sides) ++side_begin_[side.contact + 1];
    for (uint32_t i = 0; i < problem.size(); ++i) side_begin_[i + 1] += side_begin_[i];
    laws_.resize(problem.size());
    residual_.resize(3 * size_t(problem.size()));
    make_pattern();
}

/// Which bodies touch which, and a matrix with a 6x6 block for each such pair.
void BodySteps::make_pattern() {
    const DelassusProblem& problem = system_->problem();
    std::vector<std::pair<uint32_t, uint32_t>> pairs;  // (column, row)
    for (uint32_t b = 0; b < problem.body_count; ++b) pairs.emplace_back(b, b);
    for (uint32_t i = 0; i < problem.size(); ++i)
        if (side_begin_[i + 1] - side_begin_[i] == 2) {
            const uint32_t a = problem.sides[side_begin_[i]].body, b = problem.sides[side_begin_[i] + 1].body;
            pairs.emplace_back(a, b);
            pairs.emplace_back(b, a);
        }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    column_begin_.assign(problem.body_count + 1u, 0);
    for (const auto& [column, row] : pairs) {
        ++column_begin_[column + 1];
        row_body_.push_back(row);
    }
    for (uint32_t b = 0; b < problem.body_count; ++b) column_begin_[b + 1] += column_begin_[b];

    const Eigen::Index n = Eigen::Index(6 * problem.body_count);
    sparse_->matrix.resize(n, n);
    sparse_->matrix.resizeNonZeros(Eigen::Index(36 * pairs.size()));
    int* outer = sparse_->matrix.outerIndexPtr();
    int* inner = sparse_->matrix.innerIndexPtr();
    int at = 0;
    for (uint32_t b = 0; b < problem.body_count; ++b)
        for (int column = 0; column < 6; ++column) {
            outer[6 * b + uint32_t(column)] = at;
            for (uint32_t k = column_begin_[b]; k < column_begin_[b + 1]; ++k)
                for (int row = 0; row < 6; ++row) inner[at++] = int(6 * row_body_[k]) + row;
        }
    outer[n] = at;
    sparse_->right.resize(n);
    sparse_->motion.resize(n);
}

/// First number of a block; its columns lie `stride` apart.
double* BodySteps::block_at(uint32_t row, uint32_t column, uint32_t& stride) {
    const auto begin = row_body_.begin() + column_begin_[column], end = row_body_.begin() + column_begin_[column + 1];
    const auto index = uint32_t(std::lower_bound(begin, end, row) - begin);
    stride = 6 * (column_begin_[column + 1] - column_begin_[column]);
    return sparse_->matrix.valuePtr() + 36 * size_t(column_begin_[column]) + 6 * size_t(index);
}

bool BodySteps::make_laws(std::span<const ContactMap> maps, double rho) {
    for (uint32_t i = 0; i < system_->size(); ++i) {
        Law& law = laws_[i];
        const ContactMap& m = maps[i];
        const double c = system_->compliance(i), w_t = largest_eigenvalue(system_->tangent_block(i));
        law.softness[0] = c + rho * (system_->normal_block(i) + c);
        law.softness[1] = law.softness[2] = system_->is_bilateral(i) ? c + rho * (w_t + c) : rho * w_t;
        double k[3][3];
        for (int r = 0; r < 3; ++r)
            for (int x = 0; x < 3; ++x) k[r][x] = m.by_l[r][x] + m.by_v[r][x] * law.softness[x];
        if (!invert(k, law.inverse)) return false;
        for (int r = 0; r < 3; ++r)
            for (int x = 0; x < 3; ++x)
                law.pull[r][x] = law.inverse[r][0] * m.by_v[0][x] + law.inverse[r][1] * m.by_v[1][x] +
                                 law.inverse[r][2] * m.by_v[2][x];
    }
    return true;
}

/// 1 + M^-1 J^T K^-1 B J.
bool BodySteps::factorise() {
    const DelassusProblem& problem = system_->problem();
    std::fill(sparse_->matrix.valuePtr(), sparse_->matrix.valuePtr() + sparse_->matrix.nonZeros(), 0.0);
    uint32_t stride = 0;
    for (uint32_t b = 0; b < problem.body_count; ++b) {
        double* block = block_at(b, b, stride);
        for (uint32_t k = 0; k < 6; ++k) block[k * stride + k] = 1.0;
    }
    for (uint32_t i = 0; i < problem.size(); ++i)
        for (uint32_t t = side_begin_[i]; t < side_begin_[i + 1]; ++t) {
            const ContactSide& by = problem.sides[t];
            double pulled[3][6];  // K^-1 B J
            for (int r = 0; r < 3; ++r)
                for (int x = 0; x < 6; ++x)
                    pulled[r][x] = laws_[i].pull[r][0] * by.direction[0][x] + laws_[i].pull[r][1] * by.direction[1][x] +
                                   laws_[i].pull[r][2] * by.direction[2][x];
            for (uint32_t s = side_begin_[i]; s < side_begin_[i + 1]; ++s) {
                const ContactSide& on = problem.sides[s];
                double* block = block_at(on.body, by.body, stride);
                for (uint32_t x = 0; x < 6; ++x)
                    for (uint32_t row = 0; row < 6; ++row)
                        block[x * stride + row] += on.response[0][row] * pulled[0][x] +
                                                   on.response[1][row] * pulled[1][x] +
                                                   on.response[2][row] * pulled[2][x];
            }
        }
    if (!analysed_) sparse_->lu.analyzePattern(sparse_->matrix);
    analysed_ = true;
    sparse_->lu.factorize(sparse_->matrix);
    return sparse_->lu.info() == Eigen::Success;
}

/// What is left of the equations of the contacts; its length.
double BodySteps::residual_of(std::span<const ContactMap> maps, std::span<const double> step) {
    const DelassusProblem& problem = system_->problem();
    sparse_->motion.setZero();  // M^-1 J^T d
    for (const ContactSide& side : problem.sides)
        for (uint32_t x = 0; x < 6; ++x)
            for (uint32_t k = 0; k < 3; ++k)
                sparse_->motion[Eigen::Index(6 * side.body + x)] += side.response[k][x] * step[3 * side.contact + k];
    double sum = 0.0;
    for (uint32_t i = 0; i < problem.size(); ++i) {
        const ContactMap& m = maps[i];
        double v[3];  // (W + S) d
        for (uint32_t k = 0; k < 3; ++k) v[k] = laws_[i].softness[k] * step[3 * i + k];
        for (uint32_t s = side_begin_[i]; s < side_begin_[i + 1]; ++s)
            for (uint32_t k = 0; k < 3; ++k)
                for (uint32_t x = 0; x < 6; ++x)
                    v[k] +=
                        problem.sides[s].direction[k][x] * sparse_->motion[Eigen::Index(6 * problem.sides[s].body + x)];
        for (uint32_t r = 0; r < 3; ++r) {
            double left = -m.f[r];
            for (uint32_t c = 0; c < 3; ++c) left -= m.by_l[r][c] * step[3 * i + c] + m.by_v[r][c] * v[c];
            residual_[3 * i + r] = left;
            sum += left * left;
        }
    }
    return std::sqrt(sum);
}

/// d += K^-1 (residual - B J u), u from the equation of the bodies for the same residual.
bool BodySteps::correct(std::span<const ContactMap>, std::span<double> step) {
    const DelassusProblem& problem = system_->problem();
    const auto apply = [](const double(&m)[3][3], const double* x, double(&out)[3]) {
        for (int r = 0; r < 3; ++r) out[r] = m[r][0] * x[0] + m[r][1] * x[1] + m[r][2] * x[2];
    };
    sparse_->right.setZero();
    for (const ContactSide& side : problem.sides) {
        double l[3];
        apply(laws_[side.contact].inverse, &residual_[3 * side.contact], l);
        for (uint32_t x = 0; x < 6; ++x)
            sparse_->right[Eigen::Index(6 * side.body + x)] +=
                side.response[0][x] * l[0] + side.response[1][x] * l[1] + side.response[2][x] * l[2];
    }
    sparse_->motion = sparse_->lu.solve(sparse_->right);
    if (!sparse_->motion.allFinite()) return false;
    for (uint32_t i = 0; i < problem.size(); ++i) {
        double v[3] = {}, own[3], from_bodies[3];
        for (uint32_t s = side_begin_[i]; s < side_begin_[i + 1]; ++s)
            for (uint32_t k = 0; k < 3; ++k)
                for (uint32_t x = 0; x < 6; ++x)
                    v[k] +=
                        problem.sides[s].direction[k][x] * sparse_->motion[Eigen::Index(6 * problem.sides[s].body + x)];
        apply(laws_[i].inverse, &residual_[3 * i], own);
        apply(laws_[i].pull, v, from_bodies);
        for (uint32_t k = 0; k < 3; ++k) step[3 * i + k] += own[k] - from_bodies[k];
    }
    return true;
}

bool BodySteps::solve(std::span<const ContactMap> maps, double rho, std::span<double> step) {
    if (!make_laws(maps, rho) || !factorise()) return false;
    std::fill(step.begin(), step.end(), 0.0);
    const double first = residual_of(maps, step);
    if (!std::isfinite(first)) return false;
    for (int k = 0; k < kCorrections; ++k) {
        if (!correct(maps, step)) return false;
        const double left = residual_of(maps, step);
        if (left <= kSolved * first) return true;
    }
    return false;
}

}  // namespace proxima::physics::newton
