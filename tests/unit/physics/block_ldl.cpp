// SPDX-License-Identifier: MIT
// L D L^T of blocks of different sizes against what it was made from: trees, loops, and rows that follow from others.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "physics/solve/articulation/block_ldl.h"
#include "tests/support/random.h"

using namespace proxima::physics;
using proxima::test::Random;

namespace {

/// J J^T of random rows over some columns each, so that two block rows with a column in common have a block.
struct Sparse {
    std::vector<uint8_t> sizes;
    std::vector<std::vector<uint32_t>> columns;       // of a block row
    std::vector<std::vector<std::vector<double>>> j;  // block row, row, its numbers over all columns
    std::vector<RowPair> pairs;
    uint32_t width = 0;

    bool share(uint32_t a, uint32_t b) const {
        for (const uint32_t x : columns[a])
            for (const uint32_t y : columns[b])
                if (x == y) return true;
        return false;
    }
    double product(uint32_t a, uint32_t i, uint32_t b, uint32_t k) const {
        double sum = 0.0;
        for (uint32_t c = 0; c < width; ++c) sum += j[a][i][c] * j[b][k][c];
        return sum;
    }
};

Sparse make_sparse(Random& random, uint32_t count, uint32_t loops) {
    Sparse s;
    s.width = 6 * (count + 1);
    for (uint32_t k = 0; k < count; ++k) {
        s.sizes.push_back(uint8_t(1 + random.below(6)));
        // A tree: each block row joins a new body of six columns to one before it.
        s.columns.push_back({uint32_t(random.below(k + 1)), k + 1});
        if (k > 2 && random.below(count) < loops) s.columns.back().push_back(uint32_t(random.below(k)));
        std::vector<std::vector<double>> rows(s.sizes[k], std::vector<double>(s.width, 0.0));
        for (std::vector<double>& row : rows)
            for (const uint32_t body : s.columns[k])
                for (uint32_t c = 0; c < 6; ++c) row[6 * body + c] = double(random.between(-1.0f, 1.0f));
        s.j.push_back(rows);
        for (uint32_t other = 0; other < k; ++other)
            if (s.share(other, k)) s.pairs.push_back({other, k});
    }
    return s;
}

void fill(const Sparse& s, BlockLdl& matrix) {
    matrix.clear();
    for (uint32_t k = 0; k < s.sizes.size(); ++k)
        for (uint32_t i = 0; i < s.sizes[k]; ++i)
            for (uint32_t l = 0; l < s.sizes[k]; ++l) matrix.diagonal(k)[i * s.sizes[k] + l] = s.product(k, i, k, l);
    for (const RowPair& pair : s.pairs) {
        bool transposed = false;
        double* block = matrix.at(matrix.beside(pair.a, pair.b, transposed));
        const uint32_t m = s.sizes[pair.a], n = s.sizes[pair.b];
        for (uint32_t i = 0; i < m; ++i)
            for (uint32_t l = 0; l < n; ++l)
                block[transposed ? l * m + i : i * n + l] = s.product(pair.a, i, pair.b, l);
    }
}

/// The largest |A x - b| where b = A y for a random y: solvable, also where A is singular.
double residual_of(const Sparse& s, BlockLdl& matrix, Random& random) {
    std::vector<std::vector<double>> y;
    for (const uint8_t size : s.sizes) {
        y.emplace_back();
        for (uint32_t i = 0; i < size; ++i) y.back().push_back(double(random.between(-1.0f, 1.0f)));
    }
    const auto times = [&](const auto& value, uint32_t a, uint32_t i) {
        double sum = 0.0;
        for (uint32_t b = 0; b < s.sizes.size(); ++b)
            for (uint32_t k = 0; k < s.sizes[b]; ++k)
                if (a == b || s.share(a, b)) sum += s.product(a, i, b, k) * value(b, k);
        return sum;
    };
    std::vector<double> x(matrix.unknowns());
    for (uint32_t a = 0; a < s.sizes.size(); ++a)
        for (uint32_t i = 0; i < s.sizes[a]; ++i)
            x[matrix.offset(a) + i] = times([&](uint32_t b, uint32_t k) { return y[b][k]; }, a, i);
    const std::vector<double> wanted = x;
    matrix.factorise();
    matrix.solve(x.data());
    double worst = 0.0;
    for (uint32_t a = 0; a < s.sizes.size(); ++a)
        for (uint32_t i = 0; i < s.sizes[a]; ++i) {
            const double got = times([&](uint32_t b, uint32_t k) { return x[matrix.offset(b) + k]; }, a, i);
            worst = std::max(worst, std::abs(got - wanted[matrix.offset(a) + i]));
        }
    return worst;
}

}  // namespace

TEST_CASE("the factor of blocks of different sizes solves trees and loops") {
    Random random{21};
    for (int trial = 0; trial < 60; ++trial) {
        const Sparse s = make_sparse(random, 1 + uint32_t(random.below(30)), trial % 3 == 0 ? 0 : 4);
        BlockLdl matrix;
        REQUIRE(matrix.analyse(s.sizes, s.pairs, 1'000'000));
        fill(s, matrix);
        CHECK(residual_of(s, matrix, random) <
              1e-6);  // random blocks of six rows in twelve columns are not always well made
    }
}

TEST_CASE("rows that follow from others are left out, and the others hold") {
    Random random{22};
    for (int trial = 0; trial < 40; ++trial) {
        Sparse s = make_sparse(random, 2 + uint32_t(random.below(12)), 0);
        // A block row that repeats another, and one that sums up two rows of it.
        const uint32_t copied = uint32_t(random.below(uint32_t(s.sizes.size())));
        s.sizes.push_back(s.sizes[copied]);
        s.columns.push_back(s.columns[copied]);
        s.j.push_back(s.j[copied]);
        for (double& x : s.j.back()[0]) x *= 2.0;
        for (uint32_t other = 0; other + 1 < s.sizes.size(); ++other)
            if (s.share(other, uint32_t(s.sizes.size()) - 1)) s.pairs.push_back({other, uint32_t(s.sizes.size()) - 1});
        BlockLdl matrix;
        REQUIRE(matrix.analyse(s.sizes, s.pairs, 1'000'000));
        fill(s, matrix);
        CHECK(residual_of(s, matrix, random) < 1e-5);
    }
}

TEST_CASE("a chain of blocks costs as much for each of them, a crowd at one body is told to be too dear") {
    const auto work_of = [](uint32_t n) {
        std::vector<uint8_t> sizes(n, 3);
        std::vector<RowPair> pairs;
        for (uint32_t k = 1; k < n; ++k) pairs.push_back({k - 1, k});
        BlockLdl matrix;
        REQUIRE(matrix.analyse(sizes, pairs, 1'000'000));
        return matrix.work();
    };
    CHECK(work_of(1000) < 10 * work_of(100) + 1000);
    std::vector<uint8_t> sizes(200, 3);
    std::vector<RowPair> pairs;
    for (uint32_t a = 0; a < 200; ++a)
        for (uint32_t b = 0; b < a; ++b) pairs.push_back({a, b});
    BlockLdl matrix;
    CHECK_FALSE(matrix.analyse(sizes, pairs, 1'000'000));
}
