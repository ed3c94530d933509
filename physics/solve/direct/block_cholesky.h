// SPDX-License-Identifier: MIT
// Cholesky factor of a sparse symmetric positive definite matrix of 6 x 6 blocks: one block row per body, one
// block beside the diagonal per pair of bodies that touch. Made for islands of up to some thousand bodies
// whose graph changes seldom and whose numbers change often: everything that depends on the graph alone is
// worked out once, and the numeric phase is a walk over flat lists that allocates nothing.
//
// The matrix is kept beside its factor. A factorisation can thus be done in pieces, some columns in each step of the
// world, and a snapshot needs no more than the matrix, the order of its rows and the number of columns that are done:
// the factor follows from them, bit for bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/solve/direct/block6.h"
#include "physics/solve/direct/elimination_order.h"

namespace proxima::physics {

class BlockCholesky {
  public:
    /// A pair of different rows with a block; the same pair may be named more than once.
    using Edge = RowPair;
    /// Blocks of a factor, at most, and products of blocks that it takes: 96 MB, and half a second.
    static constexpr size_t kMaxFill = 500'000, kMaxWork = 16'000'000;

    /// Makes room for so many rows and blocks beside the diagonal.
    void reserve(uint32_t rows, uint32_t blocks);

    /// The graph: chooses an order of elimination with little fill (elimination_order.h) and lays out the factor. Also
    /// sets every block to zero. False when the factor would be larger than it may be; it has no rows then.
    bool analyse(uint32_t rows, std::span<const Edge> edges);
    /// The same with an order that is given: each row once.
    bool analyse_in_order(std::span<const uint32_t> order, std::span<const Edge> edges);

    /// Sets every block of the matrix to zero, keeping the layout.
    void clear();
    /// The block on the diagonal of a row, to be filled; its lower half counts.
    Block6& diagonal(uint32_t row) { return matrix_diagonal_[elimination_index_[row]]; }
    /// The block of a pair that was named as an edge, to be filled as (row a, column b). `transposed` says
    /// that it is stored as (b, a): fill it with the transpose then.
    Block6& beside(uint32_t a, uint32_t b, bool& transposed);

    /// After filling: what hardly differs from the matrix of another factor, made in the same order of rows, becomes as
    /// it was there, and columns of the factor that then follow from the same numbers are taken from it. All others are
    /// those of the elimination tree from a change up to the root. Numbers hardly differ when they do so by a
    /// part of the geometric mean of the diagonal that is no larger than `tolerance`.
    void take_over(const BlockCholesky& before, float tolerance);
    /// Products of blocks that the columns take which were not taken over, from the first to the last.
    size_t work_left() const;

    /// L L^T of what was filled in. False when it is not positive definite; the factor is then useless.
    bool factorise();
    /// The same in pieces, after clear() and filling: columns that follow, until they have taken so many products of
    /// blocks, and one column at least. `products` becomes how many it took.
    bool factorise_some(size_t& products);
    /// Columns that are done.
    uint32_t columns_done() const { return columns_done_; }
    bool is_complete() const { return columns_done_ == rows(); }
    /// Goes on until so many columns are done.
    bool factorise_until(uint32_t columns);
    /// Of a matrix that was restored: makes columns that the original had taken over, so that what is left is the same.
    bool factorise_kept(std::span<const uint8_t> kept);

    /// Solves L L^T x = x in place; x has kBlock6Stride floats for each row, at elimination_index(row).
    void solve(std::span<float> x) const;
    uint32_t elimination_index(uint32_t row) const { return elimination_index_[row]; }

    uint32_t rows() const { return uint32_t(order_.size()); }
    /// Blocks of L below the diagonal: what a factor costs to apply.
    size_t fill() const { return below_.size(); }
    /// Products of blocks that a factorisation takes.
    size_t work() const { return work_; }
    /// Rows in the order of elimination.
    std::span<const uint32_t> order() const { return order_; }
    /// By that order: whether the column was taken over.
    std::span<const uint8_t> kept() const { return kept_; }

    // ---- the matrix, to keep and restore it
    /// Blocks beside the diagonal: rows of the pair of each, the later one in the order of elimination first.
    size_t pairs() const { return matrix_below_.size(); }
    void list_pairs(std::vector<uint32_t>& out) const;
    static constexpr size_t values(size_t rows, size_t pairs) { return 21 * rows + 36 * pairs; }
    /// Its numbers, and from there.
    void save_matrix(std::vector<float>& out) const;
    void load_matrix(std::span<const float> from);
    size_t bytes() const;

  private:
    BlockFactor view();
    uint32_t find(uint32_t column, uint32_t row) const;
    bool lay_out();
    void list_matrix();
    void list_rows();
    size_t column_work(uint32_t column) const;
    bool is_column_near(const BlockCholesky& before, uint32_t column, float tolerance) const;

    std::vector<uint32_t> order_;              // elimination index -> row
    std::vector<uint32_t> elimination_index_;  // row -> elimination index
    std::vector<uint32_t> column_begin_;       // by elimination index; into below_
    std::vector<uint32_t> entries_;            // elimination indices of the blocks of L; ascending within a column
    std::vector<uint32_t> row_begin_;          // by elimination index; into row_blocks_
    std::vector<RowBlock> row_blocks_;         // blocks of L by row
    std::vector<uint32_t> matrix_begin_;       // by elimination index; into matrix_below_
    std::vector<uint32_t> matrix_index_;       // the block of L at the same place
    std::vector<Block6> matrix_diagonal_;      // by elimination index, as the next one
    std::vector<Block6> diagonal_;             // of L
    std::vector<Block6> matrix_below_;         // blocks (row, column) below the diagonal
    std::vector<Block6> below_;                // of L
    std::vector<uint32_t> block_of_row_;       // scratch of the kernels
    std::vector<uint8_t> kept_;                // by elimination index: taken over from another factor
    size_t work_ = 0;
    uint32_t columns_done_ = 0;
    // of the analysis
    RowGraph graph_;
    EliminationOrder elimination_;
    std::vector<uint32_t> seen_, first_child_, next_child_;  // by elimination index
};

}  // namespace proxima::physics
