// SPDX-License-Identifier: MIT
// L D L^T of a sparse symmetric positive semidefinite matrix whose blocks have different sizes, in double precision: the equations of
// joints that hang together, a block row for each. What depends on the graph alone is worked out once. A tree has no fill but
// among the joints of one body, so its factor takes time in proportion to its joints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/solve/direct/elimination_order.h"

namespace proxima::physics {

class BlockLdl {
  public:
    /// Rows of a block, at most.
    static constexpr uint32_t kMaxSize = 12;

    /// The graph: sizes of the block rows, and pairs of them with a block. False when a factor would take more than `max_work`
    /// multiplications; it is of no use then.
    bool analyse(std::span<const uint8_t> sizes, std::span<const RowPair> pairs, size_t max_work);

    /// How many of the rows of a block row there are now, at most as many as were analysed: its blocks are as much smaller.
    void set_size(uint32_t row, uint8_t size) { size_[order_of_[row]] = size; }
    /// Sets every block to zero.
    void clear();
    /// The block on the diagonal of a block row, row by row; both halves are to be filled.
    double* diagonal(uint32_t row) { return diagonal_.data() + diagonal_at_[order_of_[row]]; }
    /// Where the block of a pair is, to be filled as (row a, row b); `transposed`: it is stored as (row b, row a).
    size_t beside(uint32_t a, uint32_t b, bool& transposed) const;
    double* at(size_t place) { return below_.data() + place; }

    /// Rows that follow from others, up to rounding, are left out: their unknowns are zero.
    void factorise();
    /// Solves in place; the unknowns of a block row begin at offset(row).
    void solve(double* x) const;
    uint32_t offset(uint32_t row) const { return offset_[order_of_[row]]; }
    uint32_t unknowns() const { return unknowns_; }
    /// Multiplications of a factor.
    size_t work() const { return work_; }
    size_t bytes() const;

  private:
    struct Below {
        uint32_t row = 0;  // in the order of elimination
        uint32_t at = 0;   // into below_ and factor_
    };
    struct Update {
        uint32_t i = 0, j = 0;  // numbers of blocks of the column
        uint32_t to = 0;        // into diagonal_ when both are one, else into below_
    };
    uint32_t find(uint32_t column, uint32_t row) const;

    std::vector<uint32_t> order_of_;  // block row -> its place in the order of elimination
    // ---- by that place
    std::vector<uint8_t> size_;
    std::vector<uint32_t> offset_, diagonal_at_;
    std::vector<uint32_t> below_begin_, update_begin_;  // and one more
    // ---- by column
    std::vector<Below> blocks_;
    std::vector<Update> updates_;
    std::vector<double> diagonal_, inverse_;  // of D
    std::vector<double> below_, factor_;      // of the matrix as it is eliminated, and of L
    uint32_t unknowns_ = 0;
    size_t work_ = 0;
    // of the analysis
    RowGraph graph_;
    EliminationOrder elimination_;
};

}  // namespace proxima::physics
