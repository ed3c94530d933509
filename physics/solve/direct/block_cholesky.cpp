// SPDX-License-Identifier: MIT
#include "physics/solve/direct/block_cholesky.h"

#include <algorithm>
#include <bit>

#include "engine/core/assert.h"
#include "engine/core/capacity.h"
#include "engine/simd/simd_level.h"

namespace proxima::physics {

PX_DECLARE_LEVELS(BlockKernels, block_kernels_);
const BlockKernels& block_kernels() { return PX_PICK_LEVEL(block_kernels_); }

namespace {

/// Rows of bits: which rows are joined while rows are eliminated.
class Graph {
  public:
    Graph(uint32_t rows, std::span<const BlockCholesky::Edge> edges, std::vector<uint64_t>& bits)
        : words_((rows + 63) / 64), bits_(bits) {
        bits_.assign(size_t(rows) * words_, 0);
        for (const BlockCholesky::Edge& e : edges) {
            PX_ASSERT(e.a < rows && e.b < rows, "An edge of a block matrix names a row that it does not have.");
            if (e.a == e.b) continue;
            join(e.a, e.b);
            join(e.b, e.a);
        }
    }
    uint32_t degree(uint32_t row) const {
        uint32_t count = 0;
        for (uint32_t k = 0; k < words_; ++k) count += uint32_t(std::popcount(bits_[size_t(row) * words_ + k]));
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
            for (uint32_t k = 0; k < words_; ++k) bits_[size_t(other) * words_ + k] |= bits_[size_t(row) * words_ + k];
            leave(other, other);
            leave(other, row);
        }
    }

  private:
    void join(uint32_t a, uint32_t b) { bits_[size_t(a) * words_ + b / 64] |= uint64_t(1) << b % 64; }
    void leave(uint32_t a, uint32_t b) { bits_[size_t(a) * words_ + b / 64] &= ~(uint64_t(1) << b % 64); }

    uint32_t words_;
    std::vector<uint64_t>& bits_;
};

constexpr uint32_t kGone = 0xFFFFFFFFu;  // degree of a row that was eliminated

}  // namespace

/// Fills order_, elimination_index_, column_begin_ and, as elimination indices, entries_.
void BlockCholesky::order_rows(uint32_t rows, std::span<const Edge> edges) {
    Graph graph(rows, edges, graph_);
    order_.clear();
    elimination_index_.assign(rows, 0);
    degree_.resize(rows);
    for (uint32_t i = 0; i < rows; ++i) degree_[i] = graph.degree(i);
    column_begin_.assign(1, 0);
    entries_.clear();
    for (uint32_t index = 0; index < rows; ++index) {
        const uint32_t next = uint32_t(std::min_element(degree_.begin(), degree_.end()) - degree_.begin());
        degree_[next] = kGone;
        elimination_index_[next] = index;
        order_.push_back(next);
        graph.for_each(next, [&](uint32_t other) { entries_.push_back(other); });
        const std::span<const uint32_t> neighbours(entries_.data() + column_begin_.back(),
                                                   entries_.size() - column_begin_.back());
        graph.eliminate(next, neighbours);
        for (const uint32_t other : neighbours) degree_[other] = graph.degree(other);
        column_begin_.push_back(uint32_t(entries_.size()));
    }
    for (uint32_t& row : entries_) row = elimination_index_[row];
    for (uint32_t k = 0; k < rows; ++k)
        std::sort(entries_.begin() + column_begin_[k], entries_.begin() + column_begin_[k + 1]);
}

void BlockCholesky::reserve(uint32_t rows, uint32_t blocks) {
    for (std::vector<uint32_t>* list : {&order_, &elimination_index_, &column_begin_, &update_begin_, &degree_})
        list->reserve(rows + 1);
    graph_.reserve(size_t(rows) * ((rows + 63) / 64));
    entries_.reserve(blocks);
    updates_.reserve(4 * size_t(blocks));
    diagonal_.reserve(rows);
    below_.reserve(blocks);
}

void BlockCholesky::analyse(uint32_t rows, std::span<const Edge> edges) {
    order_rows(rows, edges);
    updates_.clear();
    update_begin_.assign(1, 0);
    for (uint32_t k = 0; k < rows; ++k) {
        for (uint32_t j = column_begin_[k]; j < column_begin_[k + 1]; ++j) {
            updates_.push_back({kOnDiagonal | entries_[j], j, j});
            // Blocks of the column entries_[j] are found in one walk: both lists ascend.
            uint32_t at = column_begin_[entries_[j]];
            for (uint32_t i = j + 1; i < column_begin_[k + 1]; ++i) {
                while (entries_[at] != entries_[i]) ++at;
                updates_.push_back({at, i, j});
            }
        }
        update_begin_.push_back(uint32_t(updates_.size()));
    }
    resize_roomily(diagonal_, rows);
    resize_roomily(below_, entries_.size());
    clear();
}

uint32_t BlockCholesky::find(uint32_t column, uint32_t row) const {
    const auto begin = entries_.begin() + column_begin_[column], end = entries_.begin() + column_begin_[column + 1];
    const auto at = std::lower_bound(begin, end, row);
    PX_ASSERT(at != end && *at == row, "There is no such block in the factor.");
    return uint32_t(at - entries_.begin());
}

void BlockCholesky::clear() {
    std::fill(diagonal_.begin(), diagonal_.end(), Block6{});
    std::fill(below_.begin(), below_.end(), Block6{});
}

Block6& BlockCholesky::beside(uint32_t a, uint32_t b, bool& transposed) {
    transposed = elimination_index_[a] < elimination_index_[b];  // stored with the later one as the row
    return below_[transposed ? find(elimination_index_[a], elimination_index_[b])
                             : find(elimination_index_[b], elimination_index_[a])];
}

BlockFactor BlockCholesky::view() {
    return {rows(),           column_begin_.data(), entries_.data(), updates_.data(), update_begin_.data(),
            diagonal_.data(), below_.data()};
}

bool BlockCholesky::factorise() { return block_kernels().factorise(view()); }

void BlockCholesky::solve(std::span<float> x) const {
    PX_ASSERT(x.size() == kBlock6Stride * size_t(rows()), "A block solve needs eight floats for each row.");
    block_kernels().solve(const_cast<BlockCholesky*>(this)->view(), x.data());
}

size_t BlockCholesky::bytes() const {
    return capacity_bytes(order_, elimination_index_, column_begin_, entries_, updates_, update_begin_, diagonal_,
                          below_, graph_, degree_);
}

}  // namespace proxima::physics
