// SPDX-License-Identifier: MIT
// Cholesky factor of a sparse symmetric positive definite matrix of 6 x 6 blocks: one block row per body, one
// block beside the diagonal per pair of bodies that touch. Made for islands of up to some hundred bodies
// whose graph changes seldom and whose numbers change often: everything that depends on the graph alone is
// worked out once, and the numeric phase is a walk over flat lists that allocates nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/solve/direct/block6.h"

namespace proxima::physics {

class BlockCholesky {
  public:
    /// A pair of different rows with a block; the same pair may be named more than once.
    struct Edge {
        uint32_t a = 0, b = 0;
    };

    /// Makes room for so many rows and blocks beside the diagonal.
    void reserve(uint32_t rows, uint32_t blocks);

    /// The graph: chooses an order of elimination with little fill (least degree first, ties by row) and lays
    /// out the factor. Also sets every block to zero.
    void analyse(uint32_t rows, std::span<const Edge> edges);

    /// Sets every block to zero, keeping the layout.
    void clear();
    /// The block on the diagonal of a row, to be filled; its lower half counts.
    Block6& diagonal(uint32_t row) { return diagonal_[elimination_index_[row]]; }
    /// The block of a pair that was named as an edge, to be filled as (row a, column b). `transposed` says
    /// that it is stored as (b, a): fill it with the transpose then.
    Block6& beside(uint32_t a, uint32_t b, bool& transposed);

    /// L L^T of what was filled in, in place. False when it is not positive definite; the factor is then useless.
    bool factorise();
    /// Solves L L^T x = x in place; x has kBlock6Stride floats for the row of each place, place_of(row).
    void solve(std::span<float> x) const;
    uint32_t elimination_index(uint32_t row) const { return elimination_index_[row]; }

    uint32_t rows() const { return uint32_t(order_.size()); }
    /// Blocks of L below the diagonal: what a factor costs to apply.
    size_t fill() const { return below_.size(); }
    /// Products of blocks that a factorisation takes.
    size_t work() const { return updates_.size() + below_.size() + diagonal_.size(); }
    /// Blocks of the factor, to keep and restore it: diagonal first.
    std::span<Block6> diagonal_blocks() { return diagonal_; }
    std::span<const Block6> diagonal_blocks() const { return diagonal_; }
    std::span<Block6> blocks_below() { return below_; }
    std::span<const Block6> blocks_below() const { return below_; }
    size_t bytes() const;

  private:
    BlockFactor view();
    uint32_t find(uint32_t column, uint32_t row) const;
    void order_rows(uint32_t rows, std::span<const Edge> edges);

    std::vector<uint32_t> order_;              // elimination index -> row
    std::vector<uint32_t> elimination_index_;  // row -> elimination index
    std::vector<uint32_t> column_begin_;       // by elimination index; into below_
    std::vector<uint32_t> entries_;            // elimination indices of the blocks of L; ascending within a column
    std::vector<BlockUpdate> updates_;         // those of one column together
    std::vector<uint32_t> update_begin_;       // by elimination index
    std::vector<Block6> diagonal_;             // by elimination index
    std::vector<Block6> below_;                // blocks (row, column) below the diagonal
    // of the analysis
    std::vector<uint64_t> graph_;  // a row of bits each: the rows it is joined to
    std::vector<uint32_t> degree_;
};

}  // namespace proxima::physics
