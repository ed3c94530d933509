// SPDX-License-Identifier: MIT
#include "physics/solve/direct/elimination_order.h"

#include <algorithm>
#include <bit>

#include "engine/core/assert.h"
#include "engine/core/capacity.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kUnknown = 0xFFFFFFFFu;
constexpr uint32_t kGone = 0xFFFFFFFFu;  // degree of a row that was eliminated, or is not to be
constexpr int kSearches = 3;             // for an end of a part: each begins where the last one ended
constexpr float kMinPart = 0.25f;        // of the rows on either side of a separator, where there is one like that

/// Rows of bits: which rows are joined while rows are eliminated.
class BitGraph {
  public:
    BitGraph(uint32_t rows, std::vector<uint64_t>& bits) : words_((rows + 63) / 64), bits_(bits) {
        fill_roomily(bits_, size_t(rows) * words_, uint64_t(0));
    }
    void join(uint32_t a, uint32_t b) { bits_[size_t(a) * words_ + b / 64] |= uint64_t(1) << b % 64; }
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
    void eliminate(uint32_t row) {
        for_each(row, [&](uint32_t other) {
            for (uint32_t k = 0; k < words_; ++k) bits_[size_t(other) * words_ + k] |= bits_[size_t(row) * words_ + k];
            leave(other, other);
            leave(other, row);
        });
    }

  private:
    void leave(uint32_t a, uint32_t b) { bits_[size_t(a) * words_ + b / 64] &= ~(uint64_t(1) << b % 64); }

    uint32_t words_;
    std::vector<uint64_t>& bits_;
};

}  // namespace

void RowGraph::build(uint32_t rows, std::span<const RowPair> pairs) {
    fill_roomily(begin, rows + 1, 0u);
    for (const RowPair& pair : pairs) {
        PX_ASSERT(pair.a < rows && pair.b < rows, "An edge of a block matrix names a row that it does not have.");
        if (pair.a == pair.b) continue;
        ++begin[pair.a];
        ++begin[pair.b];
    }
    uint32_t sum = 0;
    for (uint32_t& count : begin) {  // becomes the end of its row, and by filling from there its begin
        sum += count;
        count = sum;
    }
    resize_roomily(neighbours, sum);
    for (const RowPair& pair : pairs) {
        if (pair.a == pair.b) continue;
        neighbours[--begin[pair.a]] = pair.b;
        neighbours[--begin[pair.b]] = pair.a;
    }
    uint32_t to = 0;
    for (uint32_t row = 0; row < rows; ++row) {
        const auto first = neighbours.begin() + begin[row], last = neighbours.begin() + begin[row + 1];
        std::sort(first, last);
        const auto end = std::unique(first, last);
        begin[row] = to;
        to = uint32_t(std::copy(first, end, neighbours.begin() + to) - neighbours.begin());
    }
    begin[rows] = to;
    neighbours.resize(to);
}

void EliminationOrder::find(const RowGraph& graph, std::vector<uint32_t>& order, uint32_t max_leaf) {
    const uint32_t rows = graph.rows();
    resize_roomily(order, rows);
    for (uint32_t row = 0; row < rows; ++row) order[row] = row;
    fill_roomily(part_of_, rows, 0u);
    fill_roomily(local_, rows, kUnknown);
    parts_.assign(1, {0, rows});
    while (!parts_.empty()) {
        const Part part = parts_.back();
        parts_.pop_back();
        if (part.end - part.begin <= max_leaf)
            order_leaf(graph, part, order);
        else
            cut(graph, part, order);
    }
}

/// Steps from `start` to every row of the part that can be reached from it.
void EliminationOrder::find_levels(const RowGraph& graph, uint32_t start, uint32_t part) {
    for (const uint32_t row : reached_) level_[row] = kUnknown;
    reached_.clear();
    reach_from(graph, start, part);
    level_begin_.clear();
    for (uint32_t k = 0; k < reached_.size(); ++k)
        if (level_[reached_[k]] == level_begin_.size()) level_begin_.push_back(k);
    level_begin_.push_back(uint32_t(reached_.size()));
}

/// Adds the rows of the part that can be reached from `start`, nearest first.
void EliminationOrder::reach_from(const RowGraph& graph, uint32_t start, uint32_t part) {
    size_t next = reached_.size();
    reached_.push_back(start);
    level_[start] = 0;
    for (; next < reached_.size(); ++next) {
        const uint32_t row = reached_[next];
        for (const uint32_t other : graph.of(row)) {
            if (part_of_[other] != part || level_[other] != kUnknown) continue;
            level_[other] = level_[row] + 1;
            reached_.push_back(other);
        }
    }
}

/// Reorders a part into two parts that are not joined, and the separator behind them.
void EliminationOrder::cut(const RowGraph& graph, Part part, std::span<uint32_t> order) {
    const uint32_t rows = part.end - part.begin;
    const std::span<uint32_t> own = order.subspan(part.begin, rows);
    level_.assign(graph.rows(), kUnknown);
    reached_.clear();
    uint32_t start = own[0];
    for (int search = 0; search < kSearches; ++search) {
        find_levels(graph, start, part.begin);
        start = reached_.back();
    }
    // Parts that are not joined are gathered until there are two about equal ones: no separator is needed.
    const bool joined = reached_.size() == rows;
    for (uint32_t k = 0; !joined && 2 * reached_.size() < rows; ++k) {
        if (level_[own[k]] != kUnknown) continue;
        const size_t before = reached_.size();
        reach_from(graph, own[k], part.begin);
        if (reached_.size() < rows) continue;
        for (size_t i = before; i < rows; ++i) level_[reached_[i]] = kUnknown;  // the last one is the other part
    }
    // A level parts what comes before it from what comes after. Of its rows only those that are joined to the next
    // level are needed. The best has few rows for the size of the smaller part.
    const uint32_t levels = uint32_t(level_begin_.size()) - 1;
    const auto is_needed = [&](uint32_t row) {
        for (const uint32_t other : graph.of(row))
            if (part_of_[other] == part.begin && level_[other] == level_[row] + 1) return true;
        return false;
    };
    uint32_t best = kUnknown;
    float best_score = 0.0f;
    for (uint32_t level = 0; joined && level + 1 < levels; ++level) {
        uint32_t size = 0;
        for (uint32_t k = level_begin_[level]; k < level_begin_[level + 1]; ++k) size += is_needed(reached_[k]);
        const uint32_t before = level_begin_[level + 1] - size, after = rows - level_begin_[level + 1];
        const float smaller = std::min(float(std::min(before, after)), kMinPart * float(rows));
        const float score = smaller / float(size);
        if (best != kUnknown && score <= best_score) continue;
        best = level;
        best_score = score;
    }
    if (joined && best == kUnknown) return order_leaf(graph, part, order);  // a single level
    const auto side = [&](uint32_t row) {
        if (best == kUnknown) return level_[row] == kUnknown ? 1 : 0;
        if (level_[row] == best && is_needed(row)) return 2;
        return level_[row] <= best ? 0 : 1;
    };
    reached_.assign(own.begin(), own.end());
    uint32_t count[3] = {};
    for (const uint32_t row : reached_) ++count[side(row)];
    uint32_t at[3] = {part.begin, part.begin + count[0], part.begin + count[0] + count[1]};
    const Part parts[3] = {{at[0], at[1]}, {at[1], at[2]}, {at[2], part.end}};
    for (const uint32_t row : reached_) order[at[side(row)]++] = row;
    for (const Part& next : parts)
        for (uint32_t k = next.begin; k < next.end; ++k) part_of_[order[k]] = next.begin;
    for (int k = 0; k < 2; ++k)
        if (parts[k].begin < parts[k].end) parts_.push_back(parts[k]);
}

/// Least degree first, ties by row. Neighbours outside are those of separators, which come later.
void EliminationOrder::order_leaf(const RowGraph& graph, Part part, std::span<uint32_t> order) {
    const std::span<uint32_t> own = order.subspan(part.begin, part.end - part.begin);
    std::sort(own.begin(), own.end());
    resize_roomily(leaf_, own.size());
    std::copy(own.begin(), own.end(), leaf_.begin());
    for (uint32_t k = 0; k < leaf_.size(); ++k) local_[leaf_[k]] = k;
    for (const uint32_t row : own)
        for (const uint32_t other : graph.of(row))
            if (local_[other] == kUnknown) {
                local_[other] = uint32_t(leaf_.size());
                leaf_.push_back(other);
            }
    BitGraph bits(uint32_t(leaf_.size()), bits_);
    for (uint32_t k = 0; k < own.size(); ++k)
        for (const uint32_t other : graph.of(leaf_[k])) {
            bits.join(k, local_[other]);
            bits.join(local_[other], k);
        }
    fill_roomily(degree_, leaf_.size(), kGone);
    for (uint32_t k = 0; k < own.size(); ++k) degree_[k] = bits.degree(k);
    for (uint32_t& to : own) {
        const uint32_t next = uint32_t(std::min_element(degree_.begin(), degree_.end()) - degree_.begin());
        degree_[next] = kGone;
        to = leaf_[next];
        bits.eliminate(next);
        bits.for_each(next, [&](uint32_t other) {
            if (degree_[other] != kGone) degree_[other] = bits.degree(other);
        });
    }
    for (const uint32_t row : leaf_) local_[row] = kUnknown;
}

void EliminationOrder::reserve(uint32_t rows) {
    parts_.reserve(2);
    for (std::vector<uint32_t>* list : {&part_of_, &local_, &leaf_, &degree_}) list->reserve(rows);
    bits_.reserve(size_t(rows) * ((rows + 63) / 64));
}

size_t EliminationOrder::bytes() const {
    return capacity_bytes(parts_, part_of_, level_, reached_, level_begin_, local_, leaf_, degree_, bits_);
}

}  // namespace proxima::physics
