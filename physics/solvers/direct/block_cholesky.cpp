// SPDX-License-Identifier: MIT
#include "physics/solvers/direct/block_cholesky.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/core/assert.h"

namespace proxima::physics {

namespace {

/// Rows of bits: who is joined to whom while rows are eliminated.
class Graph {
  public:
    Graph(uint32_t rows, std::span<const BlockCholesky::Edge> edges)
        : words_((rows + 63) / 64), bits_(size_t(rows) * words_, 0) {
        for (const BlockCholesky::Edge& e : edges) {
            PX_ASSERT(e.a < rows && e.b < rows,
                      "An edge of a block matrix names a row that it does not have.");
            if (e.a == e.b) continue;
            join(e.a, e.b);
            join(e.b, e.a);
        }
    }
    uint32_t degree(uint32_t row) const {
        uint32_t count = 0;
        for (uint32_t k = 0; k < words_; ++k)
            count += uint32_t(std::popcount(bits_[size_t(row) * words_ + k]));
        return count;
    }
    template <class Visit>
    void for_each(uint32_t row, const Visit& visit) const {
        for (uint32_t k = 0; k < words_; ++k)
            for (uint64_t rest = bits_[size_t(row) * words_ + k]; rest != 0; rest &= rest - 1)
                visit(64 * k + uint32_t(std::countr_zero(rest)));
    }
    /// Its neighbours become neighbours of each other, and it leaves.
    void eliminate(uint32_t row, std::span<const uint32_t> neighbours) {
        for (const uint32_t other : neighbours) {
            for (uint32_t k = 0; k < words_; ++k)
                bits_[size_t(other) * words_ + k] |= bits_[size_t(row) * words_ + k];
            leave(other, other);
            leave(other, row);
        }
    }

  private:
    void join(uint32_t a, uint32_t b) { bits_[size_t(a) * words_ + b / 64] |= uint64_t(1) << b % 64; }
    void leave(uint32_t a, uint32_t b) { bits_[size_t(a) * words_ + b / 64] &= ~(uint64_t(1) << b % 64); }

    uint32_t words_;
    std::vector<uint64_t> bits_;
};

/// target -= left right^T.
void subtract_product(Block6& target, const Block6& left, const Block6& right) {
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
            float sum = 0.0f;
            for (int k = 0; k < 6; ++k) sum += left.m[i][k] * right.m[j][k];
            target.m[i][j] -= sum;
        }
}

/// L of one block in its lower half, with 1 / L_kk on the diagonal.
bool factorise_block(Block6& b) {
    for (int k = 0; k < 6; ++k) {
        float pivot = b.m[k][k];
        for (int j = 0; j < k; ++j) pivot -= b.m[k][j] * b.m[k][j];
        if (!(pivot > 0.0f)) return false;
        const float inverse = 1.0f / std::sqrt(pivot);
        b.m[k][k] = inverse;
        for (int i = k + 1; i < 6; ++i) {
            float sum = b.m[i][k];
            for (int j = 0; j < k; ++j) sum -= b.m[i][j] * b.m[k][j];
            b.m[i][k] = sum * inverse;
        }
    }
    return std::isfinite(b.m[5][5]);
}

/// b <- b L^-T: each row of b by forward substitution.
void divide_by_transpose(Block6& b, const Block6& l) {
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) {
            float sum = b.m[i][k];
            for (int j = 0; j < k; ++j) sum -= b.m[i][j] * l.m[k][j];
            b.m[i][k] = sum * l.m[k][k];
        }
}

}  // namespace

void BlockCholesky::analyse(uint32_t rows, std::span<const Edge> edges) {
    Graph graph(rows, edges);
    order_.clear();
    place_.assign(rows, 0);
    std::vector<uint32_t> degree(rows);
    std::vector<uint8_t> gone(rows, 0);
    std::vector<std::vector<uint32_t>> columns;  // neighbours at the time of elimination, as rows
    for (uint32_t i = 0; i < rows; ++i) degree[i] = graph.degree(i);
    for (uint32_t place = 0; place < rows; ++place) {
        uint32_t next = rows;
        for (uint32_t i = 0; i < rows; ++i)
            if (!gone[i] && (next == rows || degree[i] < degree[next])) next = i;
        gone[next] = 1;
        place_[next] = place;
        order_.push_back(next);
        columns.emplace_back();
        graph.for_each(next, [&](uint32_t other) { columns.back().push_back(other); });
        graph.eliminate(next, columns.back());
        for (const uint32_t other : columns.back()) degree[other] = graph.degree(other);
    }
    column_begin_.assign(1, 0);
    entries_.clear();
    for (std::vector<uint32_t>& column : columns) {
        for (uint32_t& row : column) row = place_[row];
        std::sort(column.begin(), column.end());
        for (const uint32_t row : column) entries_.push_back(row);
        column_begin_.push_back(uint32_t(entries_.size()));
    }
    updates_.clear();
    update_begin_.assign(1, 0);
    for (uint32_t k = 0; k < rows; ++k) {
        for (uint32_t j = column_begin_[k]; j < column_begin_[k + 1]; ++j) {
            updates_.push_back({kDiagonal | entries_[j], j, j});
            for (uint32_t i = j + 1; i < column_begin_[k + 1]; ++i)
                updates_.push_back({find(entries_[j], entries_[i]), i, j});
        }
        update_begin_.push_back(uint32_t(updates_.size()));
    }
    diagonal_.assign(rows, Block6{});
    below_.assign(entries_.size(), Block6{});
}

uint32_t BlockCholesky::find(uint32_t column, uint32_t row) const {
    const auto begin = entries_.begin() + column_begin_[column],
               end = entries_.begin() + column_begin_[column + 1];
    const auto at = std::lower_bound(begin, end, row);
    PX_ASSERT(at != end && *at == row, "There is no such block in the factor.");
    return uint32_t(at - entries_.begin());
}

void BlockCholesky::clear() {
    std::fill(diagonal_.begin(), diagonal_.end(), Block6{});
    std::fill(below_.begin(), below_.end(), Block6{});
}

Block6& BlockCholesky::diagonal(uint32_t row) { return diagonal_[place_[row]]; }

Block6& BlockCholesky::beside(uint32_t a, uint32_t b, bool& transposed) {
    transposed = place_[a] < place_[b];  // stored with the later one as the row
    return below_[transposed ? find(place_[a], place_[b]) : find(place_[b], place_[a])];
}

bool BlockCholesky::factorise() {
    for (uint32_t k = 0; k < rows(); ++k) {
        if (!factorise_block(diagonal_[k])) return false;
        for (uint32_t i = column_begin_[k]; i < column_begin_[k + 1]; ++i)
            divide_by_transpose(below_[i], diagonal_[k]);
        for (uint32_t u = update_begin_[k]; u < update_begin_[k + 1]; ++u) {
            const Update& update = updates_[u];
            Block6& target =
                update.target & kDiagonal ? diagonal_[update.target & ~kDiagonal] : below_[update.target];
            subtract_product(target, below_[update.left], below_[update.right]);
        }
    }
    return true;
}

void BlockCholesky::solve(std::span<double> x) const {
    PX_ASSERT(x.size() == 6 * size_t(rows()), "A block solve needs six numbers for each row.");
    for (uint32_t k = 0; k < rows(); ++k) {  // L y = x
        double* y = x.data() + 6 * size_t(order_[k]);
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < i; ++j) y[i] -= double(diagonal_[k].m[i][j]) * y[j];
            y[i] *= double(diagonal_[k].m[i][i]);
        }
        for (uint32_t e = column_begin_[k]; e < column_begin_[k + 1]; ++e) {
            double* to = x.data() + 6 * size_t(order_[entries_[e]]);
            for (int i = 0; i < 6; ++i)
                for (int j = 0; j < 6; ++j) to[i] -= double(below_[e].m[i][j]) * y[j];
        }
    }
    for (uint32_t k = rows(); k-- > 0;) {  // L^T x = y
        double* y = x.data() + 6 * size_t(order_[k]);
        for (uint32_t e = column_begin_[k]; e < column_begin_[k + 1]; ++e) {
            const double* from = x.data() + 6 * size_t(order_[entries_[e]]);
            for (int j = 0; j < 6; ++j)
                for (int i = 0; i < 6; ++i) y[j] -= double(below_[e].m[i][j]) * from[i];
        }
        for (int i = 5; i >= 0; --i) {
            for (int j = i + 1; j < 6; ++j) y[i] -= double(diagonal_[k].m[j][i]) * y[j];
            y[i] *= double(diagonal_[k].m[i][i]);
        }
    }
}

}  // namespace proxima::physics
