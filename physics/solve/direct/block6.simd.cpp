// SPDX-License-Identifier: MIT
// Cholesky of 6 x 6 blocks. Columns are vectors; a product of blocks is 36 times "vector minus vector times
// number", in the same order at every width.
#include <cmath>

#include "engine/simd/lanes.h"
#include "physics/solve/direct/block6.h"

namespace proxima::physics::PX_LEVEL_NAMESPACE {

using namespace ::proxima::PX_LEVEL_NAMESPACE;

namespace {

/// A column in registers.
struct Column {
    Lanes part[kBlock6Stride / kLanes];
};
PX_INLINE Column load_column(const float* from) {
    Column c;
    for (uint32_t k = 0; k < kBlock6Stride / kLanes; ++k) c.part[k] = load(from + k * kLanes);
    return c;
}
PX_INLINE void store_column(float* to, const Column& c) {
    for (uint32_t k = 0; k < kBlock6Stride / kLanes; ++k) store(to + k * kLanes, c.part[k]);
}
PX_INLINE void subtract(Column& from, const Column& c, float times) {
    const Lanes t(times);
    for (uint32_t k = 0; k < kBlock6Stride / kLanes; ++k) from.part[k] = from.part[k] - c.part[k] * t;
}
PX_INLINE Column zero_column() {
    Column c;
    for (Lanes& part : c.part) part = Lanes(0.0f);
    return c;
}
PX_INLINE void add_product(Column& to, const Column& a, const Column& b) {
    for (uint32_t k = 0; k < kBlock6Stride / kLanes; ++k) to.part[k] = to.part[k] + a.part[k] * b.part[k];
}
PX_INLINE void scale(Column& c, float times) {
    const Lanes t(times);
    for (uint32_t k = 0; k < kBlock6Stride / kLanes; ++k) c.part[k] = c.part[k] * t;
}

PX_INLINE void subtract_product(Block6& target, const Block6& left, const Block6& right) {
    Column l[6];
    for (int k = 0; k < 6; ++k) l[k] = load_column(left.column[k]);
    for (int j = 0; j < 6; ++j) {
        Column t = load_column(target.column[j]);
        for (int k = 0; k < 6; ++k) subtract(t, l[k], right.column[k][j]);
        store_column(target.column[j], t);
    }
}

/// L of one block in its lower half, with 1 / L_kk on the diagonal.
PX_INLINE bool factorise_block(Block6& b) {
    for (int k = 0; k < 6; ++k) {
        Column c = load_column(b.column[k]);
        for (int j = 0; j < k; ++j) subtract(c, load_column(b.column[j]), b.column[j][k]);
        store_column(b.column[k], c);
        const float pivot = b.column[k][k];
        if (!(pivot > 0.0f)) return false;
        const float inverse = 1.0f / std::sqrt(pivot);
        scale(c, inverse);
        store_column(b.column[k], c);
        b.column[k][k] = inverse;
    }
    return std::isfinite(b.column[5][5]);
}

/// b <- b L^-T, column by column.
PX_INLINE void divide_by_transpose(Block6& b, const Block6& l) {
    Column done[6];
    for (int k = 0; k < 6; ++k) {
        done[k] = load_column(b.column[k]);
        for (int j = 0; j < k; ++j) subtract(done[k], done[j], l.column[j][k]);
        scale(done[k], l.column[k][k]);
        store_column(b.column[k], done[k]);
    }
}

/// The column of the matrix, from which its part of L will be made.
PX_INLINE void begin_column(const BlockFactor& f, uint32_t column) {
    f.diagonal[column] = f.matrix_diagonal[column];
    uint32_t next = f.matrix_begin[column];
    const uint32_t end = f.matrix_begin[column + 1];
    for (uint32_t b = f.column_begin[column]; b < f.column_begin[column + 1]; ++b) {
        f.block_of_row[f.entry[b]] = b;
        const bool is_there = next < end && f.matrix_index[next] == b;
        f.below[b] = is_there ? f.matrix_below[next++] : Block6{};
    }
}

/// Column by column, each from those before it that reach into it ("left-looking"): a column is written once, and can be
/// made anew alone.
bool factorise(const BlockFactor& f, uint32_t begin, uint32_t end) {
    for (uint32_t column = begin; column < end; ++column) {
        begin_column(f, column);
        for (uint32_t k = f.row_begin[column]; k < f.row_begin[column + 1]; ++k) {
            const RowBlock& own = f.row_blocks[k];
            const Block6& right = f.below[own.block];
            subtract_product(f.diagonal[column], right, right);
            for (uint32_t i = own.block + 1; i < own.end; ++i)
                subtract_product(f.below[f.block_of_row[f.entry[i]]], f.below[i], right);
        }
        if (!factorise_block(f.diagonal[column])) return false;
        for (uint32_t i = f.column_begin[column]; i < f.column_begin[column + 1]; ++i)
            divide_by_transpose(f.below[i], f.diagonal[column]);
    }
    return true;
}

void solve(const BlockFactor& f, float* x) {
    for (uint32_t k = 0; k < f.rows; ++k) {  // L y = x
        float* y = x + size_t(k) * kBlock6Stride;
        const Block6& d = f.diagonal[k];
        for (int j = 0; j < 6; ++j) {
            y[j] *= d.column[j][j];
            for (int i = j + 1; i < 6; ++i) y[i] -= d.column[j][i] * y[j];
        }
        for (uint32_t e = f.column_begin[k]; e < f.column_begin[k + 1]; ++e) {
            float* to = x + size_t(f.entry[e]) * kBlock6Stride;
            Column t = load_column(to);
            for (int j = 0; j < 6; ++j) subtract(t, load_column(f.below[e].column[j]), y[j]);
            store_column(to, t);
        }
    }
    for (uint32_t k = f.rows; k-- > 0;) {  // L^T x = y
        float* y = x + size_t(k) * kBlock6Stride;
        Column sum[6];  // of products by their place within a column of a block
        for (Column& c : sum) c = zero_column();
        for (uint32_t e = f.column_begin[k]; e < f.column_begin[k + 1]; ++e) {
            const Column from = load_column(x + size_t(f.entry[e]) * kBlock6Stride);
            for (int j = 0; j < 6; ++j) add_product(sum[j], load_column(f.below[e].column[j]), from);
        }
        for (int j = 0; j < 6; ++j) {
            float part[kBlock6Stride];
            store_column(part, sum[j]);
            for (int i = 0; i < 6; ++i) y[j] -= part[i];
        }
        const Block6& d = f.diagonal[k];
        for (int i = 5; i >= 0; --i) {
            for (int j = i + 1; j < 6; ++j) y[i] -= d.column[i][j] * y[j];
            y[i] *= d.column[i][i];
        }
    }
}

}  // namespace

}  // namespace proxima::physics::PX_LEVEL_NAMESPACE

namespace proxima::physics {

extern const BlockKernels PX_AT_LEVEL(block_kernels_);
const BlockKernels PX_AT_LEVEL(block_kernels_) = {PX_LEVEL_NAMESPACE::factorise, PX_LEVEL_NAMESPACE::solve};

}  // namespace proxima::physics
