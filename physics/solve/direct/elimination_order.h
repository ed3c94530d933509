// SPDX-License-Identifier: MIT
// The order in which the rows of a sparse symmetric matrix are eliminated: it decides how many blocks its factor has.
// Nested dissection (George 1973): a small set of rows whose removal leaves two parts of about equal size, a
// separator, is eliminated last, and the parts are cut likewise; within parts that are small enough, the row of least
// degree comes first. The parts do not see each other, so what changes in one is felt by its separators alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace proxima::physics {

/// A pair of rows with a block beside the diagonal; the same pair may be named more than once.
struct RowPair {
    uint32_t a = 0, b = 0;
};

/// Neighbours of each row, ascending, each once.
struct RowGraph {
    std::vector<uint32_t> begin;  // by row, and one more; into neighbours
    std::vector<uint32_t> neighbours;

    void build(uint32_t rows, std::span<const RowPair> pairs);
    uint32_t rows() const { return uint32_t(begin.size()) - 1; }
    std::span<const uint32_t> of(uint32_t row) const {
        return {neighbours.data() + begin[row], begin[row + 1] - begin[row]};
    }
};

class EliminationOrder {
  public:
    /// Rows of a part that is not cut any more: least degree alone makes as little fill up to here.
    static constexpr uint32_t kMaxLeaf = 256;

    /// Rows in the order of elimination. Depends on nothing but the graph.
    void find(const RowGraph& graph, std::vector<uint32_t>& order, uint32_t max_leaf = kMaxLeaf);
    /// Makes room for so many rows.
    void reserve(uint32_t rows);
    size_t bytes() const;

  private:
    struct Part {
        uint32_t begin = 0, end = 0;  // into the order
    };
    void cut(const RowGraph& graph, Part part, std::span<uint32_t> order);
    void find_levels(const RowGraph& graph, uint32_t start, uint32_t part);
    void reach_from(const RowGraph& graph, uint32_t start, uint32_t part);
    void order_leaf(const RowGraph& graph, Part part, std::span<uint32_t> order);

    std::vector<Part> parts_;              // that wait to be cut
    std::vector<uint32_t> part_of_;        // by row: the first index of the part that it is in
    std::vector<uint32_t> level_;          // by row: steps from where the search began
    std::vector<uint32_t> reached_;        // rows in the order of the search
    std::vector<uint32_t> level_begin_;    // by level; into reached_
    std::vector<uint32_t> local_;          // by row: its number within a leaf
    std::vector<uint32_t> leaf_, degree_;  // by that number
    std::vector<uint64_t> bits_;           // a row of bits each: the rows it is joined to
};

}  // namespace proxima::physics
