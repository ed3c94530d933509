// SPDX-License-Identifier: MIT
#include "physics/solve/articulation/block_ldl.h"

#include <algorithm>

#include "engine/core/assert.h"

namespace proxima::physics {

namespace {

/// Of what stood on the diagonal: a row of which no more is left follows from those before it.
constexpr double kDependent = 1e-9;
/// Rows that are ordered by their degree alone: more are cut in two first.
constexpr uint32_t kMaxLeaf = 2048;

/// The inverse of a symmetric block of three; false where it has none to speak of.
bool invert3(const double* a, const double* before, double* out) {
    const double xx = a[4] * a[8] - a[5] * a[5], xy = a[2] * a[5] - a[1] * a[8], xz = a[1] * a[5] - a[2] * a[4];
    const double det = a[0] * xx + a[1] * xy + a[2] * xz;
    if (!(det > 1e-6 * before[0] * before[4] * before[8])) return false;
    const double d = 1.0 / det;
    out[0] = xx * d;
    out[1] = out[3] = xy * d;
    out[2] = out[6] = xz * d;
    out[4] = (a[0] * a[8] - a[2] * a[2]) * d;
    out[5] = out[7] = (a[1] * a[2] - a[0] * a[5]) * d;
    out[8] = (a[0] * a[4] - a[1] * a[1]) * d;
    return true;
}

/// The inverse of a symmetric block; rows and columns that depend on others are zero in it. `before` has the diagonal of the
/// block as it was filled.
void invert(uint32_t n, const double* a, const double* before, double* out) {
    if (n == 3 && invert3(a, before, out)) return;
    constexpr uint32_t kMax = BlockLdl::kMaxSize;
    double lower[kMax][kMax] = {}, d[kMax];  // L^-1 in the end, and the inverse of D
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            double sum = a[i * n + j];
            for (uint32_t k = 0; k < j; ++k) sum -= lower[i][k] * lower[j][k];
            lower[i][j] = sum;  // L D
        }
        double pivot = a[i * n + i];
        for (uint32_t j = 0; j < i; ++j) {
            const double l = d[j] > 0.0 ? lower[i][j] / d[j] : 0.0;
            pivot -= l * lower[i][j];
            lower[i][j] = l;
        }
        const bool depends = !(pivot > kDependent * before[i * n + i]);
        d[i] = depends ? 0.0 : pivot;
        if (depends)
            for (uint32_t j = 0; j < i; ++j) lower[i][j] = 0.0;
        lower[i][i] = 1.0;
    }
    for (uint32_t i = 0; i < n; ++i) d[i] = d[i] > 0.0 ? 1.0 / d[i] : 0.0;
    // L^-1 in place, column by column of what stands left of the diagonal.
    double inverse[kMax][kMax] = {};
    for (uint32_t j = 0; j < n; ++j) {
        inverse[j][j] = 1.0;
        for (uint32_t i = j + 1; i < n; ++i) {
            double sum = 0.0;
            for (uint32_t k = j; k < i; ++k) sum -= lower[i][k] * inverse[k][j];
            inverse[i][j] = sum;
        }
    }
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (uint32_t k = i; k < n; ++k) sum += inverse[k][i] * inverse[k][j] * d[k];
            out[i * n + j] = out[j * n + i] = sum;
        }
}

/// out = a b, (m x n) (n x n).
template <uint32_t M, uint32_t N>
void multiply(const double* a, const double* b, double* out) {
    for (uint32_t i = 0; i < M; ++i)
        for (uint32_t j = 0; j < N; ++j) {
            double sum = 0.0;
            for (uint32_t k = 0; k < N; ++k) sum += a[i * N + k] * b[k * N + j];
            out[i * N + j] = sum;
        }
}
void multiply(uint32_t m, uint32_t n, const double* a, const double* b, double* out) {
    if (m == 3 && n == 3) return multiply<3, 3>(a, b, out);
    if (m == 5 && n == 5) return multiply<5, 5>(a, b, out);
    if (m == 6 && n == 6) return multiply<6, 6>(a, b, out);
    for (uint32_t i = 0; i < m; ++i)
        for (uint32_t j = 0; j < n; ++j) {
            double sum = 0.0;
            for (uint32_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
            out[i * n + j] = sum;
        }
}

/// c -= a b^T, (m1 x n) (m2 x n)^T.
template <uint32_t M, uint32_t N>
void subtract(const double* a, const double* b, double* c) {
    for (uint32_t i = 0; i < M; ++i)
        for (uint32_t j = 0; j < M; ++j) {
            double sum = c[i * M + j];
            for (uint32_t k = 0; k < N; ++k) sum -= a[i * N + k] * b[j * N + k];
            c[i * M + j] = sum;
        }
}
void subtract(uint32_t m1, uint32_t m2, uint32_t n, const double* a, const double* b, double* c) {
    if (m1 == 3 && m2 == 3 && n == 3) return subtract<3, 3>(a, b, c);
    if (m1 == 5 && m2 == 5 && n == 5) return subtract<5, 5>(a, b, c);
    if (m1 == 6 && m2 == 6 && n == 6) return subtract<6, 6>(a, b, c);
    for (uint32_t i = 0; i < m1; ++i)
        for (uint32_t j = 0; j < m2; ++j) {
            double sum = c[i * m2 + j];
            for (uint32_t k = 0; k < n; ++k) sum -= a[i * n + k] * b[j * n + k];
            c[i * m2 + j] = sum;
        }
}

/// y -= a x, (m x n), or its transpose: y -= a^T x.
void subtract_product(uint32_t m, uint32_t n, const double* a, const double* x, double* y) {
    for (uint32_t i = 0; i < m; ++i) {
        double sum = y[i];
        for (uint32_t k = 0; k < n; ++k) sum -= a[i * n + k] * x[k];
        y[i] = sum;
    }
}
void subtract_transposed(uint32_t m, uint32_t n, const double* a, const double* x, double* y) {
    for (uint32_t i = 0; i < m; ++i)
        for (uint32_t k = 0; k < n; ++k) y[k] -= a[i * n + k] * x[i];
}

}  // namespace

bool BlockLdl::analyse(std::span<const uint8_t> sizes, std::span<const RowPair> pairs, size_t max_work) {
    const uint32_t n = uint32_t(sizes.size());
    graph_.build(n, pairs);
    std::vector<uint32_t> order;
    // Least degree alone makes no fill in a tree.
    elimination_.find(graph_, order, kMaxLeaf);
    order_of_.resize(n);
    for (uint32_t k = 0; k < n; ++k) order_of_[order[k]] = k;
    size_.resize(n);
    offset_.resize(n);
    diagonal_at_.resize(n);
    unknowns_ = 0;
    uint32_t diagonal = 0;
    for (uint32_t k = 0; k < n; ++k) {
        size_[k] = sizes[order[k]];
        offset_[k] = unknowns_;
        diagonal_at_[k] = diagonal;
        unknowns_ += size_[k];
        diagonal += uint32_t(size_[k]) * size_[k];
    }
    // A column has the rows of its own neighbours, and those of the columns whose first row it is.
    std::vector<std::vector<uint32_t>> rows(n);
    std::vector<std::vector<uint32_t>> children(n);
    work_ = 0;
    size_t below = 0;
    for (uint32_t k = 0; k < n; ++k) {
        std::vector<uint32_t>& own = rows[k];
        for (const uint32_t other : graph_.of(order[k]))
            if (order_of_[other] > k) own.push_back(order_of_[other]);
        for (const uint32_t child : children[k])
            for (const uint32_t row : rows[child])
                if (row != k) own.push_back(row);
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        if (!own.empty()) children[own.front()].push_back(k);
        size_t height = 0;
        for (const uint32_t row : own) height += size_[row];
        work_ += size_t(size_[k]) * size_[k] * (size_[k] + height) + size_t(size_[k]) * height * height / 2;
        below += size_[k] * height;
        if (work_ > max_work) return false;
    }
    blocks_.clear();
    updates_.clear();
    below_begin_.assign(1, 0);
    uint32_t at = 0;
    for (uint32_t k = 0; k < n; ++k) {
        for (const uint32_t row : rows[k]) {
            blocks_.push_back({row, at});
            at += uint32_t(size_[row]) * size_[k];
        }
        below_begin_.push_back(uint32_t(blocks_.size()));
    }
    update_begin_.assign(1, 0);
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t begin = below_begin_[k], end = below_begin_[k + 1];
        for (uint32_t i = begin; i < end; ++i)
            for (uint32_t j = begin; j <= i; ++j)
                updates_.push_back(
                    {i, j, i == j ? diagonal_at_[blocks_[i].row] : blocks_[find(blocks_[j].row, blocks_[i].row)].at});
        update_begin_.push_back(uint32_t(updates_.size()));
    }
    diagonal_.assign(diagonal, 0.0);
    inverse_.assign(diagonal, 0.0);
    below_.assign(below, 0.0);
    factor_.assign(below, 0.0);
    return true;
}

uint32_t BlockLdl::find(uint32_t column, uint32_t row) const {
    const auto begin = blocks_.begin() + below_begin_[column], end = blocks_.begin() + below_begin_[column + 1];
    const auto at = std::lower_bound(begin, end, row, [](const Below& x, uint32_t y) { return x.row < y; });
    PX_ASSERT(at != end && at->row == row, "every pair was named when the graph was analysed");
    return uint32_t(at - blocks_.begin());
}

void BlockLdl::clear() {
    std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
    std::fill(below_.begin(), below_.end(), 0.0);
}

size_t BlockLdl::beside(uint32_t a, uint32_t b, bool& transposed) const {
    const uint32_t x = order_of_[a], y = order_of_[b];
    transposed = x < y;  // stored in the column of the one that comes first
    return blocks_[transposed ? find(x, y) : find(y, x)].at;
}

void BlockLdl::factorise() {
    const uint32_t n = uint32_t(size_.size());
    // What stood on the diagonal tells what is rounding of what is left of it.
    std::copy(diagonal_.begin(), diagonal_.end(), inverse_.begin());
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t size = size_[k];
        double before[kMaxSize * kMaxSize];
        double* inverse = inverse_.data() + diagonal_at_[k];
        std::copy_n(inverse, size * size, before);
        invert(size, diagonal_.data() + diagonal_at_[k], before, inverse);
        for (uint32_t i = below_begin_[k]; i < below_begin_[k + 1]; ++i)
            multiply(size_[blocks_[i].row], size, below_.data() + blocks_[i].at, inverse,
                     factor_.data() + blocks_[i].at);
        for (uint32_t u = update_begin_[k]; u < update_begin_[k + 1]; ++u) {
            const Update& update = updates_[u];
            const Below &i = blocks_[update.i], &j = blocks_[update.j];
            double* to = (update.i == update.j ? diagonal_ : below_).data() + update.to;
            subtract(size_[i.row], size_[j.row], size, factor_.data() + i.at, below_.data() + j.at, to);
        }
    }
}

void BlockLdl::solve(double* x) const {
    const uint32_t n = uint32_t(size_.size());
    for (uint32_t k = 0; k < n; ++k)
        for (uint32_t i = below_begin_[k]; i < below_begin_[k + 1]; ++i)
            subtract_product(size_[blocks_[i].row], size_[k], factor_.data() + blocks_[i].at, x + offset_[k],
                             x + offset_[blocks_[i].row]);
    for (uint32_t k = n; k-- > 0;) {
        const uint32_t size = size_[k];
        double y[kMaxSize];
        const double* inverse = inverse_.data() + diagonal_at_[k];
        double* own = x + offset_[k];
        for (uint32_t i = 0; i < size; ++i) {
            y[i] = 0.0;
            for (uint32_t j = 0; j < size; ++j) y[i] += inverse[i * size + j] * own[j];
        }
        std::copy_n(y, size, own);
        for (uint32_t i = below_begin_[k]; i < below_begin_[k + 1]; ++i)
            subtract_transposed(size_[blocks_[i].row], size, factor_.data() + blocks_[i].at,
                                x + offset_[blocks_[i].row], own);
    }
}

size_t BlockLdl::bytes() const {
    return (diagonal_.capacity() + inverse_.capacity() + below_.capacity() + factor_.capacity()) * sizeof(double) +
           blocks_.capacity() * sizeof(Below) + updates_.capacity() * sizeof(Update) + elimination_.bytes();
}

}  // namespace proxima::physics
