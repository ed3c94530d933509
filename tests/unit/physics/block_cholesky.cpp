// SPDX-License-Identifier: MIT
#include "physics/solve/direct/block_cholesky.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

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
