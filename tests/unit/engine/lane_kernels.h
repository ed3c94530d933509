// SPDX-License-Identifier: MIT
// What tests ask of engine/simd/lanes.h, compiled once per level as the kernels of the project are.
#pragma once

#include <cstdint>

#include "engine/simd/simd_level.h"

namespace proxima::test {

inline constexpr int kRow = 8;  // values of a row of block data

enum Operation {
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kNegate,
    kMin,
    kMax,
    kSqrt,
    kAbs,
    kSelectLess,  // a < b ? a : b
    kDot,         // of (a, b, a) and (b, b, a)
    kCross,       // x of the same
    kSymmetric,   // y of the tensor (a, b, 1, b, a, 2) times (a, b, a)
    kOperations
};

enum Comparison { kLess, kGreater, kLessEqual, kGreaterEqual, kAnd, kOr, kNot, kRoundTrip, kAny, kComparisons };

struct LaneKernels {
    int lanes;
    /// A row of every operation.
    void (*compute)(const float* a, const float* b, float (*out)[kRow]);
    /// Bit k of every comparison: value k of the row. And: a < b and a > 0; or: a < b or a > 0; not: not a <
    /// b. Any: all bits of a run are set where any of its a < b.
    void (*compare)(const float* a, const float* b, uint32_t* out);
    /// Float j of record index[k] to out[j][k], and the way back for the records whose bit is set.
    void (*load)(const float* base, const uint32_t* index, uint32_t stride, float (*out)[kRow]);
    void (*store)(float* base, const uint32_t* index, uint32_t stride, uint32_t mask, const float (*in)[kRow]);
};

PX_DECLARE_LEVELS(LaneKernels, lane_kernels_);

}  // namespace proxima::test
