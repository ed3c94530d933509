// SPDX-License-Identifier: MIT
#include "physics/solve/direct/block_cholesky.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "engine/simd/simd_level.h"
#include "tests/support/random.h"

using namespace proxima;
using namespace proxima::physics;
using proxima::test::Random;

namespace {

/// A full matrix beside the blocks it was made of: D + sum over edges of (J_a J_b)^T (J_a J_b), which is positive
/// definite.
struct Dense {
    uint32_t n;
    std::vector<double> a;

    explicit Dense(uint32_t rows) : n(6 * rows), a(size_t(n) * n, 0.0) {}
    double& at(uint32_t r, uint32_t c) { return a[size_t(r) * n + c]; }
    std::vector<double> times(const std::vector<double>& x) const {
        std::vector<double> y(n, 0.0);
        for (uint32_t r = 0; r < n; ++r)
            for (uint32_t c = 0; c < n; ++c) y[r] += a[size_t(r) * n + c] * x[c];
        return y;
    }
};

Dense random_matrix(uint32_t rows, const std::vector<BlockCholesky::Edge>& edges, uint32_t seed) {
    Random random{seed};
    Dense dense(rows);
    for (uint32_t i = 0; i < dense.n; ++i) dense.at(i, i) = double(random.between(1.0f, 2.0f));
    for (const BlockCholesky::Edge& edge : edges)
        for (int k = 0; k < 3; ++k) {
            double j[12];
            for (double& x : j) x = double(random.between(-1.0f, 1.0f));
            for (uint32_t r = 0; r < 12; ++r)
                for (uint32_t c = 0; c < 12; ++c)
                    dense.at(6 * (r < 6 ? edge.a : edge.b) + r % 6, 6 * (c < 6 ? edge.a : edge.b) + c % 6) +=
                        j[r] * j[c];
        }
    return dense;
}

void fill(BlockCholesky& factor, Dense& dense, const std::vector<BlockCholesky::Edge>& edges) {
    factor.clear();
    for (uint32_t row = 0; row < factor.rows(); ++row)
        for (uint32_t i = 0; i < 6; ++i)
            for (uint32_t j = 0; j < 6; ++j) factor.diagonal(row).at(i, j) = float(dense.at(6 * row + i, 6 * row + j));
    for (const BlockCholesky::Edge& edge : edges) {
        bool transposed = false;
        Block6& block = factor.beside(edge.a, edge.b, transposed);
        for (uint32_t i = 0; i < 6; ++i)
            for (uint32_t j = 0; j < 6; ++j) {
                const float value = float(dense.at(6 * edge.a + i, 6 * edge.b + j));
                (transposed ? block.at(j, i) : block.at(i, j)) = value;
            }
    }
}

void check_solution(BlockCholesky& factor, const Dense& dense, uint32_t seed) {
    Random random{seed};
    std::vector<double> right(dense.n);
    for (double& x : right) x = double(random.between(-1.0f, 1.0f));
    // The factor has single precision: corrected twice, the answer has nearly all digits.
    std::vector<double> x(dense.n, 0.0);
    for (int pass = 0; pass < 4; ++pass) {
        std::vector<double> rest = dense.times(x);
        for (size_t i = 0; i < rest.size(); ++i) rest[i] = right[i] - rest[i];
        std::vector<float> packed(kBlock6Stride * factor.rows(), 0.0f);
        const auto packed_index = [&](size_t i) {
            return kBlock6Stride * factor.elimination_index(uint32_t(i / 6)) + i % 6;
        };
        for (size_t i = 0; i < rest.size(); ++i) packed[packed_index(i)] = float(rest[i]);
        factor.solve(packed);
        for (size_t i = 0; i < rest.size(); ++i) x[i] += double(packed[packed_index(i)]);
    }
    const std::vector<double> back = dense.times(x);
    for (size_t i = 0; i < back.size(); ++i) REQUIRE(std::abs(back[i] - right[i]) < 1e-6);
}

/// A grid with its diagonals, of bodies that are named in a scrambled order.
std::vector<BlockCholesky::Edge> grid_edges(uint32_t side, uint32_t& rows) {
    rows = side * side;
    uint32_t step = rows / 3 * 2 + 1;  // prime to the number of rows
    const auto divides = [&](uint32_t x, uint32_t y) {
        while (y != 0) {
            const uint32_t rest = x % y;
            x = y;
            y = rest;
        }
        return x != 1;
    };
    while (divides(rows, step)) ++step;
    const auto name = [&](uint32_t x, uint32_t y) { return uint32_t(uint64_t(side * x + y) * step % rows); };
    std::vector<BlockCholesky::Edge> edges;
    for (uint32_t x = 0; x < side; ++x)
        for (uint32_t y = 0; y < side; ++y) {
            if (x + 1 < side) edges.push_back({name(x, y), name(x + 1, y)});
            if (y + 1 < side) edges.push_back({name(x, y + 1), name(x, y)});
            if (x + 1 < side && y + 1 < side) edges.push_back({name(x, y), name(x + 1, y + 1)});
        }
    return edges;
}

/// An order with separators on several levels.
std::vector<uint32_t> cut_order(uint32_t rows, const std::vector<BlockCholesky::Edge>& edges) {
    RowGraph graph;
    graph.build(rows, edges);
    EliminationOrder elimination;
    std::vector<uint32_t> order;
    elimination.find(graph, order, 40);
    return order;
}

/// Numbers for a large graph, each block from its own pair: no dense matrix beside them.
/// When another list is given only pairs that it has, too, get some.
void fill_diagonally_dominant(BlockCholesky& factor, const std::vector<BlockCholesky::Edge>& edges, uint32_t seed,
                              const std::vector<BlockCholesky::Edge>* there = nullptr) {
    Random random{seed};
    const auto is_there = [&](const BlockCholesky::Edge& edge) {
        for (const BlockCholesky::Edge& other : *there)
            if (other.a == edge.a && other.b == edge.b) return true;
        return false;
    };
    factor.clear();
    for (uint32_t row = 0; row < factor.rows(); ++row)
        for (uint32_t i = 0; i < 6; ++i) factor.diagonal(row).at(i, i) = random.between(30.0f, 40.0f);
    for (const BlockCholesky::Edge& edge : edges) {
        bool transposed = false;
        Block6 numbers;
        for (uint32_t i = 0; i < 6; ++i)
            for (uint32_t j = 0; j < 6; ++j) numbers.at(i, j) = random.between(-1.0f, 1.0f);
        if (there && !is_there(edge)) continue;
        Block6& block = factor.beside(edge.a, edge.b, transposed);
        for (uint32_t i = 0; i < 6; ++i)
            for (uint32_t j = 0; j < 6; ++j) (transposed ? block.at(j, i) : block.at(i, j)) = numbers.at(i, j);
    }
}

/// What the factor makes of a vector: equal bits mean an equal factor.
std::vector<float> solve_random(const BlockCholesky& factor) {
    Random random{77};
    std::vector<float> x(kBlock6Stride * size_t(factor.rows()), 0.0f);
    for (uint32_t row = 0; row < factor.rows(); ++row)
        for (uint32_t i = 0; i < 6; ++i)
            x[kBlock6Stride * size_t(factor.elimination_index(row)) + i] = random.between(-1.0f, 1.0f);
    factor.solve(x);
    return x;
}

}  // namespace

TEST_CASE("chains, rings, grids and random graphs of bodies are solved") {
    std::vector<std::vector<BlockCholesky::Edge>> graphs;
    std::vector<uint32_t> sizes;
    graphs.push_back({});
    sizes.push_back(3);
    graphs.emplace_back();
    for (uint32_t i = 0; i + 1 < 30; ++i) graphs.back().push_back({i, i + 1});
    sizes.push_back(30);
    graphs.emplace_back();
    for (uint32_t i = 0; i < 20; ++i) graphs.back().push_back({i, (i + 1) % 20});
    sizes.push_back(20);
    graphs.emplace_back();
    for (uint32_t x = 0; x < 6; ++x)
        for (uint32_t y = 0; y < 6; ++y) {
            if (x + 1 < 6) graphs.back().push_back({6 * x + y, 6 * (x + 1) + y});
            if (y + 1 < 6) graphs.back().push_back({6 * x + y + 1, 6 * x + y});
        }
    sizes.push_back(36);
    for (uint32_t seed = 1; seed <= 5; ++seed) {
        Random random{seed};
        graphs.emplace_back();
        for (int k = 0; k < 40; ++k) {
            const uint32_t a = random.below(25), b = random.below(25);
            if (a != b) graphs.back().push_back({a, b});
        }
        sizes.push_back(25);
    }
    for (size_t g = 0; g < graphs.size(); ++g) {
        CAPTURE(g);
        BlockCholesky factor;
        factor.analyse(sizes[g], graphs[g]);
        for (uint32_t seed = 1; seed <= 3; ++seed) {  // other numbers, same graph
            Dense dense = random_matrix(sizes[g], graphs[g], seed);
            fill(factor, dense, graphs[g]);
            REQUIRE(factor.factorise());
            check_solution(factor, dense, seed + 50);
        }
    }
}

TEST_CASE("a chain has no fill, whatever the order in which its bodies are named") {
    std::vector<BlockCholesky::Edge> edges;
    const auto name = [](uint32_t i) { return (i * 7) % 40; };  // scrambled
    for (uint32_t i = 0; i + 1 < 40; ++i) edges.push_back({name(i), name(i + 1)});
    BlockCholesky factor;
    factor.analyse(40, edges);
    CHECK(factor.fill() == 39);
}

TEST_CASE("a factor of a graph that is cut by separators solves its matrix") {
    uint32_t rows = 0;
    const std::vector<BlockCholesky::Edge> edges = grid_edges(18, rows);
    BlockCholesky factor;
    REQUIRE(factor.analyse_in_order(cut_order(rows, edges), edges));
    Dense dense = random_matrix(rows, edges, 5);
    fill(factor, dense, edges);
    REQUIRE(factor.factorise());
    check_solution(factor, dense, 6);
}

TEST_CASE("a factor that is made in pieces has the bits of one that is made at once") {
    uint32_t rows = 0;
    const std::vector<BlockCholesky::Edge> edges = grid_edges(24, rows);
    BlockCholesky at_once, in_pieces;
    REQUIRE(at_once.analyse(rows, edges));
    REQUIRE(in_pieces.analyse(rows, edges));
    fill_diagonally_dominant(at_once, edges, 9);
    REQUIRE(at_once.factorise());
    fill_diagonally_dominant(in_pieces, edges, 9);
    size_t all = 0, pieces = 0;
    while (!in_pieces.is_complete()) {
        size_t products = 1000;
        REQUIRE(in_pieces.factorise_some(products));
        CHECK(products < 3000);  // a column is not cut
        all += products;
        ++pieces;
    }
    CHECK(all == in_pieces.work());
    CHECK(pieces > 5);
    CHECK(solve_random(at_once) == solve_random(in_pieces));
}

TEST_CASE(
    "a matrix that was saved with the order of its rows has the same factor, bit for bit, wherever it was made up to") {
    uint32_t rows = 0;
    const std::vector<BlockCholesky::Edge> edges = grid_edges(20, rows);
    BlockCholesky first;
    REQUIRE(first.analyse(rows, edges));
    fill_diagonally_dominant(first, edges, 3);
    size_t products = first.work() / 2;
    REQUIRE(first.factorise_some(products));
    std::vector<uint32_t> pairs;
    std::vector<float> values;
    first.list_pairs(pairs);
    first.save_matrix(values);
    REQUIRE(pairs.size() == 2 * first.pairs());
    REQUIRE(values.size() == BlockCholesky::values(rows, first.pairs()));
    std::vector<BlockCholesky::Edge> saved;
    for (size_t k = 0; k < pairs.size(); k += 2) saved.push_back({pairs[k], pairs[k + 1]});
    BlockCholesky second;
    REQUIRE(second.analyse_in_order(first.order(), saved));
    second.load_matrix(values);
    REQUIRE(second.factorise_until(first.columns_done()));
    REQUIRE(first.factorise_until(rows));
    REQUIRE(second.factorise_until(rows));
    CHECK(solve_random(first) == solve_random(second));
}

TEST_CASE("where few numbers change few columns are made again, and the factor has the bits of a fresh one") {
    uint32_t rows = 0;
    std::vector<BlockCholesky::Edge> edges = grid_edges(24, rows);
    BlockCholesky old;
    REQUIRE(old.analyse_in_order(cut_order(rows, edges), edges));
    fill_diagonally_dominant(old, edges, 3);
    REQUIRE(old.factorise());
    for (const bool new_pair : {false, true}) {
        CAPTURE(new_pair);
        std::vector<BlockCholesky::Edge> others = edges;
        if (new_pair) {
            others.erase(others.begin() + 40);
            others.push_back({edges[7].a, edges[900].b});
        }
        BlockCholesky updated, fresh;
        for (BlockCholesky* factor : {&updated, &fresh}) {
            REQUIRE(factor->analyse_in_order(old.order(), others));
            fill_diagonally_dominant(*factor, edges, 3, &others);
            factor->diagonal(5).at(2, 2) += 1.0f;
            factor->diagonal(edges[7].b).at(4, 4) *= 1.0001f;
        }
        updated.take_over(old, 0.0f);
        size_t kept = 0;
        for (const uint8_t column : updated.kept()) kept += column;
        CHECK(kept > rows / 2);
        // A pair that joins two far parts adds rows to all separators between them.
        CHECK(updated.work_left() < (new_pair ? fresh.work() * 9 / 10 : fresh.work() / 2));
        REQUIRE(updated.factorise_until(rows));
        REQUIRE(fresh.factorise());
        CHECK(solve_random(updated) == solve_random(fresh));
        CHECK(solve_random(updated) != solve_random(old));
    }
}

TEST_CASE("numbers that hardly differ are taken over, and others are not") {
    uint32_t rows = 0;
    const std::vector<BlockCholesky::Edge> edges = grid_edges(12, rows);
    BlockCholesky old, next;
    for (BlockCholesky* factor : {&old, &next}) {
        REQUIRE(factor->analyse(rows, edges));
        fill_diagonally_dominant(*factor, edges, 3);
    }
    REQUIRE(old.factorise());
    next.diagonal(7).at(1, 1) *= 1.00001f;
    next.take_over(old, 2e-5f);
    CHECK(next.work_left() == 0);
    next.take_over(old, 1e-6f);
    CHECK(next.work_left() == 0);  // it has become what it was
    next.diagonal(7).at(1, 1) *= 1.00001f;
    next.take_over(old, 1e-6f);
    CHECK(next.work_left() > 0);
}

TEST_CASE("a factor has the same bits at every vector width") {
    uint32_t rows = 0;
    const std::vector<BlockCholesky::Edge> edges = grid_edges(17, rows);
    std::vector<float> first;
    const engine::SimdLevel before = engine::simd_level();
    for (const engine::SimdLevel level : {engine::SimdLevel::one, engine::SimdLevel::four, engine::SimdLevel::eight}) {
        engine::set_simd_level(level);
        BlockCholesky factor;
        REQUIRE(factor.analyse(rows, edges));
        fill_diagonally_dominant(factor, edges, 4);
        REQUIRE(factor.factorise());
        const std::vector<float> x = solve_random(factor);
        if (first.empty()) first = x;
        CHECK(x == first);
    }
    engine::set_simd_level(before);
}

TEST_CASE("a graph whose factor would be too large is refused") {
    std::vector<BlockCholesky::Edge> edges;
    for (uint32_t a = 0; a < 1100; ++a)
        for (uint32_t b = 0; b < a; ++b) edges.push_back({a, b});
    BlockCholesky factor;
    CHECK_FALSE(factor.analyse(1100, edges));
    CHECK(factor.rows() == 0);
}

TEST_CASE("a matrix that is not positive definite is refused") {
    BlockCholesky factor;
    const std::vector<BlockCholesky::Edge> edges{{0, 1}};
    factor.analyse(2, edges);
    Dense dense = random_matrix(2, edges, 3);
    dense.at(7, 7) = -1.0;
    fill(factor, dense, edges);
    CHECK_FALSE(factor.factorise());
    dense.at(7, 7) = std::nan("");
    fill(factor, dense, edges);
    CHECK_FALSE(factor.factorise());
}
