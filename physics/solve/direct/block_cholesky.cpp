// SPDX-License-Identifier: MIT
#include "physics/solve/direct/block_cholesky.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/core/assert.h"
#include "engine/core/capacity.h"
#include "engine/simd/simd_level.h"

namespace proxima::physics {

PX_DECLARE_LEVELS(BlockKernels, block_kernels_);
const BlockKernels& block_kernels() { return PX_PICK_LEVEL(block_kernels_); }

namespace {

constexpr uint32_t kNoColumn = 0xFFFFFFFFu;

// Levels of a search make good separators of walls and poor ones of piles, where least degree alone has half the work up
// to some thousand rows: docs/direct.md. It takes 2 ms for so many.
constexpr uint32_t kLeaf = 4 * EliminationOrder::kMaxLeaf;

}  // namespace

void BlockCholesky::reserve(uint32_t rows, uint32_t blocks) {
    for (std::vector<uint32_t>* list : {&order_, &elimination_index_, &column_begin_, &row_begin_, &matrix_begin_,
                                        &block_of_row_, &seen_, &first_child_, &next_child_, &graph_.begin})
        list->reserve(rows + 1);
    for (std::vector<uint32_t>* list : {&entries_, &matrix_index_}) list->reserve(blocks);
    graph_.neighbours.reserve(2 * size_t(blocks));
    row_blocks_.reserve(blocks);
    for (std::vector<Block6>* list : {&matrix_diagonal_, &diagonal_}) list->reserve(rows);
    for (std::vector<Block6>* list : {&matrix_below_, &below_}) list->reserve(blocks);
    elimination_.reserve(rows);
}

bool BlockCholesky::analyse(uint32_t rows, std::span<const Edge> edges) {
    // All lists of a small factor grow together, and seldom.
    if (rows > order_.capacity() && rows <= EliminationOrder::kMaxLeaf)
        reserve(std::bit_ceil(rows), 4 * std::bit_ceil(rows));
    graph_.build(rows, edges);
    elimination_.find(graph_, order_, kLeaf);
    return lay_out();
}

bool BlockCholesky::analyse_in_order(std::span<const uint32_t> order, std::span<const Edge> edges) {
    graph_.build(uint32_t(order.size()), edges);
    resize_roomily(order_, order.size());
    std::copy(order.begin(), order.end(), order_.begin());
    return lay_out();
}

/// Columns of L: rows of the matrix below the diagonal, and what is left of the columns whose first block is in that row.
bool BlockCholesky::lay_out() {
    const uint32_t rows = uint32_t(order_.size());
    resize_roomily(elimination_index_, rows);
    for (uint32_t k = 0; k < rows; ++k) elimination_index_[order_[k]] = k;
    resize_roomily(column_begin_, rows + 1);
    column_begin_.assign(1, 0);
    entries_.clear();
    for (std::vector<uint32_t>* list : {&seen_, &first_child_, &next_child_}) fill_roomily(*list, rows, kNoColumn);
    work_ = 0;
    for (uint32_t k = 0; k < rows; ++k) {
        const auto add = [&](uint32_t row) {
            if (row <= k || seen_[row] == k) return;
            seen_[row] = k;
            entries_.push_back(row);
        };
        for (const uint32_t other : graph_.of(order_[k])) add(elimination_index_[other]);
        for (uint32_t child = first_child_[k]; child != kNoColumn; child = next_child_[child])
            for (uint32_t e = column_begin_[child]; e < column_begin_[child + 1]; ++e) add(entries_[e]);
        const size_t first = column_begin_.back(), count = entries_.size() - first;
        work_ += count * (count + 1) / 2 + count + 1;
        if (entries_.size() > kMaxFill || work_ > kMaxWork) {
            order_.clear();
            return false;
        }
        std::sort(entries_.begin() + ptrdiff_t(first), entries_.end());
        column_begin_.push_back(uint32_t(entries_.size()));
        if (count == 0) continue;
        const uint32_t parent = entries_[first];
        next_child_[k] = first_child_[parent];
        first_child_[parent] = k;
    }
    list_rows();
    list_matrix();
    resize_roomily(diagonal_, rows);
    resize_roomily(below_, entries_.size());
    resize_roomily(kept_, rows);
    resize_roomily(block_of_row_, rows);
    clear();
    return true;
}

void BlockCholesky::list_rows() {
    const uint32_t rows = uint32_t(order_.size());
    fill_roomily(row_begin_, rows + 1, 0u);
    for (const uint32_t row : entries_) ++row_begin_[row + 1];
    for (uint32_t k = 0; k < rows; ++k) row_begin_[k + 1] += row_begin_[k];
    resize_roomily(row_blocks_, entries_.size());
    std::copy(row_begin_.begin(), row_begin_.end() - 1, seen_.begin());  // where the next one goes
    for (uint32_t k = 0; k < rows; ++k)
        for (uint32_t e = column_begin_[k]; e < column_begin_[k + 1]; ++e)
            row_blocks_[seen_[entries_[e]]++] = {e, column_begin_[k + 1]};
}

/// Blocks of the matrix by column, in the order of the factor's.
void BlockCholesky::list_matrix() {
    const uint32_t rows = uint32_t(order_.size());
    resize_roomily(matrix_begin_, rows + 1);
    matrix_begin_.assign(1, 0);
    matrix_index_.clear();
    for (uint32_t k = 0; k < rows; ++k) {
        for (const uint32_t other : graph_.of(order_[k]))
            if (elimination_index_[other] > k) matrix_index_.push_back(find(k, elimination_index_[other]));
        std::sort(matrix_index_.begin() + matrix_begin_.back(), matrix_index_.end());
        matrix_begin_.push_back(uint32_t(matrix_index_.size()));
    }
    resize_roomily(matrix_diagonal_, rows);
    resize_roomily(matrix_below_, matrix_index_.size());
}

uint32_t BlockCholesky::find(uint32_t column, uint32_t row) const {
    const auto begin = entries_.begin() + column_begin_[column], end = entries_.begin() + column_begin_[column + 1];
    const auto at = std::lower_bound(begin, end, row);
    PX_ASSERT(at != end && *at == row, "There is no such block in the factor.");
    return uint32_t(at - entries_.begin());
}

void BlockCholesky::clear() {
    std::fill(matrix_diagonal_.begin(), matrix_diagonal_.end(), Block6{});
    std::fill(matrix_below_.begin(), matrix_below_.end(), Block6{});
    std::fill(kept_.begin(), kept_.end(), uint8_t(0));
    columns_done_ = 0;
}

Block6& BlockCholesky::beside(uint32_t a, uint32_t b, bool& transposed) {
    transposed = elimination_index_[a] < elimination_index_[b];  // stored with the later one as the row
    const uint32_t column = elimination_index_[transposed ? a : b], row = elimination_index_[transposed ? b : a];
    const auto begin = matrix_index_.begin() + matrix_begin_[column],
               end = matrix_index_.begin() + matrix_begin_[column + 1];
    const auto at =
        std::lower_bound(begin, end, row, [&](uint32_t block, uint32_t wanted) { return entries_[block] < wanted; });
    PX_ASSERT(at != end && entries_[*at] == row, "There is no such block in the matrix.");
    return matrix_below_[size_t(at - matrix_index_.begin())];
}

BlockFactor BlockCholesky::view() {
    return {rows(),
            column_begin_.data(),
            entries_.data(),
            row_begin_.data(),
            row_blocks_.data(),
            matrix_begin_.data(),
            matrix_index_.data(),
            matrix_diagonal_.data(),
            matrix_below_.data(),
            block_of_row_.data(),
            diagonal_.data(),
            below_.data()};
}

bool BlockCholesky::factorise() {
    std::fill(kept_.begin(), kept_.end(), uint8_t(0));
    columns_done_ = 0;
    return factorise_until(rows());
}

bool BlockCholesky::factorise_until(uint32_t columns) {
    bool good = true;
    while (good && columns_done_ < columns) {
        uint32_t end = columns_done_;
        while (end < columns && !kept_[end]) ++end;
        good = block_kernels().factorise(view(), columns_done_, end);
        while (end < columns && kept_[end]) ++end;
        columns_done_ = end;
    }
    return good;
}

bool BlockCholesky::factorise_some(size_t& products) {
    const size_t max_products = products;
    products = 0;
    uint32_t end = columns_done_;
    for (; end < rows() && (end == columns_done_ || products < max_products); ++end)
        if (!kept_[end]) products += column_work(end);
    return factorise_until(end);
}

bool BlockCholesky::factorise_kept(std::span<const uint8_t> kept) {
    bool good = kept.size() == rows();
    for (uint32_t k = 0; good && k < rows(); ++k) {
        if (!kept[k]) continue;
        good = block_kernels().factorise(view(), k, k + 1);  // columns that reach into it were taken over, too
        kept_[k] = 1;
    }
    return good;
}

size_t BlockCholesky::column_work(uint32_t column) const {
    size_t products = column_begin_[column + 1] - column_begin_[column] + 1;
    for (uint32_t k = row_begin_[column]; k < row_begin_[column + 1]; ++k)
        products += row_blocks_[k].end - row_blocks_[k].block;
    return products;
}

size_t BlockCholesky::work_left() const {
    size_t products = 0;
    for (uint32_t k = columns_done_; k < rows(); ++k)
        if (!kept_[k]) products += column_work(k);
    return products;
}

/// Whether a column of the matrix is nearly as it was.
bool BlockCholesky::is_column_near(const BlockCholesky& before, uint32_t column, float tolerance) const {
    const uint32_t begin = matrix_begin_[column], end = matrix_begin_[column + 1], old = before.matrix_begin_[column];
    if (before.matrix_begin_[column + 1] - old != end - begin) return false;
    const auto is_near = [&](const Block6& x, const Block6& y, const Block6& rows, const Block6& columns, bool lower) {
        for (uint32_t j = 0; j < 6; ++j)
            for (uint32_t i = lower ? j : 0; i < 6; ++i)
                if (!(std::abs(x.at(i, j) - y.at(i, j)) <= tolerance * std::sqrt(rows.at(i, i) * columns.at(j, j))))
                    return false;
        return true;
    };
    const Block6& diagonal = matrix_diagonal_[column];
    if (!is_near(diagonal, before.matrix_diagonal_[column], diagonal, diagonal, true)) return false;
    for (uint32_t k = 0; k < end - begin; ++k) {
        const uint32_t row = entries_[matrix_index_[begin + k]];
        if (before.entries_[before.matrix_index_[old + k]] != row) return false;
        const Block6& scale = matrix_diagonal_[row];
        if (!is_near(matrix_below_[begin + k], before.matrix_below_[old + k], scale, diagonal, false)) return false;
    }
    return true;
}

void BlockCholesky::take_over(const BlockCholesky& before, float tolerance) {
    if (before.order_ != order_ || !before.is_complete()) return;
    for (uint32_t k = 0; k < rows(); ++k) kept_[k] = is_column_near(before, k, tolerance);
    for (uint32_t k = 0; k < rows(); ++k) {
        const uint32_t first = column_begin_[k], last = column_begin_[k + 1];
        const uint32_t old_first = before.column_begin_[k], old_last = before.column_begin_[k + 1];
        if (!kept_[k]) {  // nor is what follows from it, then or now
            if (first < last) kept_[entries_[first]] = 0;
            if (old_first < old_last) kept_[before.entries_[old_first]] = 0;
            continue;
        }
        matrix_diagonal_[k] = before.matrix_diagonal_[k];
        std::copy_n(before.matrix_below_.begin() + before.matrix_begin_[k], matrix_begin_[k + 1] - matrix_begin_[k],
                    matrix_below_.begin() + matrix_begin_[k]);
        diagonal_[k] = before.diagonal_[k];
        std::copy_n(before.below_.begin() + old_first, last - first, below_.begin() + first);
    }
}

void BlockCholesky::solve(std::span<float> x) const {
    PX_ASSERT(x.size() == kBlock6Stride * size_t(rows()), "A block solve needs eight floats for each row.");
    block_kernels().solve(const_cast<BlockCholesky*>(this)->view(), x.data());
}

void BlockCholesky::list_pairs(std::vector<uint32_t>& out) const {
    for (uint32_t k = 0; k < rows(); ++k)
        for (uint32_t m = matrix_begin_[k]; m < matrix_begin_[k + 1]; ++m) {
            out.push_back(order_[entries_[matrix_index_[m]]]);
            out.push_back(order_[k]);
        }
}

void BlockCholesky::save_matrix(std::vector<float>& out) const {
    for (const Block6& block : matrix_diagonal_)
        for (uint32_t j = 0; j < 6; ++j)
            for (uint32_t i = j; i < 6; ++i) out.push_back(block.at(i, j));
    for (const Block6& block : matrix_below_)
        for (uint32_t j = 0; j < 6; ++j)
            for (uint32_t i = 0; i < 6; ++i) out.push_back(block.at(i, j));
}

void BlockCholesky::load_matrix(std::span<const float> from) {
    PX_ASSERT(from.size() == values(rows(), pairs()), "A block matrix is loaded from numbers of another one.");
    clear();
    const float* next = from.data();
    for (Block6& block : matrix_diagonal_)
        for (uint32_t j = 0; j < 6; ++j)
            for (uint32_t i = j; i < 6; ++i) block.at(i, j) = *next++;
    for (Block6& block : matrix_below_)
        for (uint32_t j = 0; j < 6; ++j)
            for (uint32_t i = 0; i < 6; ++i) block.at(i, j) = *next++;
}

size_t BlockCholesky::bytes() const {
    return elimination_.bytes() + capacity_bytes(order_, elimination_index_, column_begin_, entries_, row_begin_,
                                                 row_blocks_, matrix_begin_, matrix_index_, matrix_diagonal_, diagonal_,
                                                 matrix_below_, below_, block_of_row_, kept_, graph_.begin,
                                                 graph_.neighbours, seen_, first_child_, next_child_);
}

}  // namespace proxima::physics
