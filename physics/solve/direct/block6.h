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

/// A block of the factor seen from its row: where it is, and where its column ends.
struct RowBlock {
    uint32_t block = 0, end = 0;
};

/// The matrix and its factor as kernels see them: rows in the order of elimination, blocks below the diagonal by column.
struct BlockFactor {
    uint32_t rows = 0;
    const uint32_t* column_begin = nullptr;   // by row; into entry and below
    const uint32_t* entry = nullptr;          // the row of a block below the diagonal
    const uint32_t* row_begin = nullptr;      // by row; into row_blocks
    const RowBlock* row_blocks = nullptr;     // the blocks of each row, by column
    const uint32_t* matrix_begin = nullptr;   // by row; into matrix_index and matrix_below
    const uint32_t* matrix_index = nullptr;   // the block of the factor that a block of the matrix begins as
    const Block6* matrix_diagonal = nullptr;  // its lower half counts
    const Block6* matrix_below = nullptr;     //
    uint32_t* block_of_row = nullptr;         // scratch, by row
    Block6* diagonal = nullptr;               // L, with 1 / L_kk on its diagonal
    Block6* below = nullptr;
};

struct BlockKernels {
    /// Columns [begin, end) of L, L L^T = the matrix; those before them that reach into them must be there. False when
    /// a pivot is not positive or not finite.
    bool (*factorise)(const BlockFactor& factor, uint32_t begin, uint32_t end);
    /// L L^T x = x in place; x has kBlock6Stride floats a row, in the order of elimination.
    void (*solve)(const BlockFactor& factor, float* x);
};
/// The kernels of the vector width in use.
const BlockKernels& block_kernels();

}  // namespace proxima::physics
