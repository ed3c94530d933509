// SPDX-License-Identifier: MIT
// The order in which bodies are eliminated: each once, little fill, parts that do not see each other.
#include "physics/solve/direct/elimination_order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "physics/solve/direct/block_cholesky.h"
#include "tests/support/random.h"

using namespace proxima;
using namespace proxima::physics;
using proxima::test::Random;

namespace {

/// Cubes of a pyramid, each on two of the row below it.
std::vector<RowPair> pyramid(uint32_t side, uint32_t& rows) {
    std::vector<RowPair> pairs;
    rows = 0;
    uint32_t below = 0;
    for (uint32_t count = side; count > 0; --count) {
        const uint32_t first = rows;
        for (uint32_t k = 0; count < side && k < count; ++k) {
            pairs.push_back({first + k, below + k});
            pairs.push_back({first + k, below + k + 1});
        }
        below = first;
        rows += count;
    }
    return pairs;
}

std::vector<RowPair> lattice(uint32_t x, uint32_t y, uint32_t z, uint32_t& rows) {
    std::vector<RowPair> pairs;
    rows = x * y * z;
    const auto name = [&](uint32_t i, uint32_t j, uint32_t k) { return (i * y + j) * z + k; };
    for (uint32_t i = 0; i < x; ++i)
        for (uint32_t j = 0; j < y; ++j)
            for (uint32_t k = 0; k < z; ++k) {
                if (i + 1 < x) pairs.push_back({name(i, j, k), name(i + 1, j, k)});
                if (j + 1 < y) pairs.push_back({name(i, j, k), name(i, j + 1, k)});
                if (k + 1 < z) pairs.push_back({name(i, j, k), name(i, j, k + 1)});
            }
    return pairs;
}

std::vector<uint32_t> find_order(uint32_t rows, const std::vector<RowPair>& pairs,
                                 uint32_t max_leaf = EliminationOrder::kMaxLeaf) {
    RowGraph graph;
    graph.build(rows, pairs);
    EliminationOrder elimination;
    std::vector<uint32_t> order;
    elimination.find(graph, order, max_leaf);
    return order;
}

/// Blocks of the factor, and products that it takes.
struct Shape {
    size_t fill = 0, work = 0;
};
Shape shape_of(const std::vector<uint32_t>& order, const std::vector<RowPair>& pairs) {
    BlockCholesky factor;
    REQUIRE(factor.analyse_in_order(order, pairs));
    return {factor.fill(), factor.work()};
}

/// By definition: rows are eliminated one after the other, and what each leaves behind is joined.
size_t count_fill(const std::vector<uint32_t>& order, const std::vector<RowPair>& pairs) {
    std::vector<std::set<uint32_t>> joined(order.size());
    for (const RowPair& pair : pairs) {
        joined[pair.a].insert(pair.b);
        joined[pair.b].insert(pair.a);
    }
    size_t fill = 0;
    for (const uint32_t row : order) {
        fill += joined[row].size();
        for (const uint32_t a : joined[row]) {
            joined[a].erase(row);
            for (const uint32_t b : joined[row])
                if (a != b) joined[a].insert(b);
        }
    }
    return fill;
}

bool is_permutation_of_rows(std::vector<uint32_t> order, uint32_t rows) {
    std::sort(order.begin(), order.end());
    for (uint32_t k = 0; k < order.size(); ++k)
        if (order[k] != k) return false;
    return order.size() == rows;
}

}  // namespace

TEST_CASE("an order of elimination has every row once, whatever the graph") {
    std::vector<std::vector<RowPair>> graphs;
    std::vector<uint32_t> sizes(3);
    graphs.push_back(pyramid(40, sizes[0]));
    graphs.push_back(lattice(30, 30, 1, sizes[1]));
    graphs.push_back(lattice(9, 10, 11, sizes[2]));
    graphs.push_back({});  // nothing is joined to anything
    sizes.push_back(700);
    graphs.emplace_back();  // everything to one
    for (uint32_t k = 1; k < 3000; ++k) graphs.back().push_back({0, k});
    sizes.push_back(3000);
    graphs.emplace_back();  // everything to everything
    for (uint32_t a = 0; a < 300; ++a)
        for (uint32_t b = 0; b < a; ++b) graphs.back().push_back({a, b});
    sizes.push_back(300);
    Random random{11};
    graphs.emplace_back();
    for (int k = 0; k < 2000; ++k) graphs.back().push_back({random.below(1500), random.below(1500)});
    sizes.push_back(1500);
    for (size_t g = 0; g < graphs.size(); ++g) {
        CAPTURE(g);
        const std::vector<uint32_t> order = find_order(sizes[g], graphs[g]);
        CHECK(is_permutation_of_rows(order, sizes[g]));
        CHECK(find_order(sizes[g], graphs[g]) == order);
        // The same graph in other words.
        std::vector<RowPair> turned(graphs[g].rbegin(), graphs[g].rend());
        for (RowPair& pair : turned) std::swap(pair.a, pair.b);
        turned.insert(turned.end(), graphs[g].begin(), graphs[g].end());
        CHECK(find_order(sizes[g], turned) == order);
    }
}

TEST_CASE("the factor has the blocks that elimination leaves, counted by definition") {
    uint32_t rows = 0;
    const std::vector<RowPair> pairs = pyramid(26, rows);
    const std::vector<uint32_t> order = find_order(rows, pairs, 64);
    CHECK(shape_of(order, pairs).fill == count_fill(order, pairs));
}

TEST_CASE("separators keep the fill of a large pyramid small, and of a lattice within its bounds") {
    // Counted once: `docs/direct.md`. Least degree alone leaves 84,815 blocks and 2.18 million products.
    uint32_t rows = 0;
    std::vector<RowPair> pairs = pyramid(100, rows);
    const Shape wall = shape_of(find_order(rows, pairs), pairs);
    CHECK(wall.fill < 75'000);
    CHECK(wall.work < 1'500'000);
    // A lattice of side n has separators of n^2 rows: n^4 / 2 blocks for the last of them.
    pairs = lattice(12, 12, 12, rows);
    CHECK(shape_of(find_order(rows, pairs), pairs).fill < 12 * 12 * 12 * 12 * 4);
}
