// SPDX-License-Identifier: MIT
// 6 x 6 blocks and the kernels of their Cholesky factor. Plain arrays of floats only, because kernels are
// compiled once per vector width (engine/simd).
#pragma once

#include <cstdint>

namespace proxima::physics {

inline constexpr uint32_t kBlock6Stride = 8;  // six numbers and two zeros: a column is one vector of eight

/// A block, column by column.
struct alignas(32) Block6 {
    float column[6][kBlock6Stride] = {};

    float& at(uint32_t row, uint32_t col) { return column[col][row]; }
    float at(uint32_t row, uint32_t col) const { return column[col][row]; }
};
static_assert(sizeof(Block6) == 192);

/// target -= left right^T, by indices of blocks.
struct BlockUpdate {
    uint32_t target = 0, left = 0, right = 0;
};
inline constexpr uint32_t kOnDiagonal = 0x80000000u;  // a target among the diagonal blocks

/// The factor as kernels see it: rows in the order of elimination, blocks below the diagonal by column.
struct BlockFactor {
    uint32_t rows = 0;
    const uint32_t* column_begin = nullptr;  // by row; into entry and below
    const uint32_t* entry = nullptr;         // the row of a block below the diagonal
    const BlockUpdate* updates = nullptr;
    const uint32_t* update_begin = nullptr;  // by row: what follows from its column
    Block6* diagonal = nullptr;              // L, with 1 / L_kk on its diagonal
    Block6* below = nullptr;
};

struct BlockKernels {
    /// L L^T in place. False when a pivot is not positive or not finite.
    bool (*factorise)(const BlockFactor& factor);
    /// L L^T x = x in place; x has kBlock6Stride floats a row, in the order of elimination.
    void (*solve)(const BlockFactor& factor, float* x);
};
/// The kernels of the vector width in use.
const BlockKernels& block_kernels();

}  // namespace proxima::physics
