// SPDX-License-Identifier: MIT
#include "engine/simd/lanes.h"

#include "tests/unit/engine/lane_kernels.h"

namespace proxima::test {

namespace {

using namespace PX_LEVEL_NAMESPACE;
static_assert(kRow == kBlock);

void compute(const float* a_row, const float* b_row, float (*out)[kRow]) {
    for (int i = 0; i < kRow; i += kLanes) {
        const Lanes a = load(a_row + i), b = load(b_row + i);
        store(out[kAdd] + i, a + b);
        store(out[kSubtract] + i, a - b);
        store(out[kMultiply] + i, a * b);
        store(out[kDivide] + i, a / b);
        store(out[kNegate] + i, -a);
        store(out[kMin] + i, PX_LEVEL_NAMESPACE::min(a, b));
        store(out[kMax] + i, PX_LEVEL_NAMESPACE::max(a, b));
        store(out[kSqrt] + i, PX_LEVEL_NAMESPACE::sqrt(a));
        store(out[kAbs] + i, PX_LEVEL_NAMESPACE::abs(a));
        store(out[kSelectLess] + i, PX_LEVEL_NAMESPACE::select(a < b, a, b));
        const Vec u{a, b, a}, v{b, b, a};
        store(out[kDot] + i, dot(u, v));
        store(out[kCross] + i, cross(u, v).x);
        const Sym m{a, b, Lanes(1.0f), b, a, Lanes(2.0f)};
        store(out[kSymmetric] + i, (m * u).y);
    }
}

void compare(const float* a_row, const float* b_row, uint32_t* out) {
    for (int k = 0; k < kComparisons; ++k) out[k] = 0;
    for (int i = 0; i < kRow; i += kLanes) {
        const Lanes a = load(a_row + i), b = load(b_row + i);
        const Mask less = a<b, positive = a> Lanes(0.0f);
        out[kLess] |= bits(less) << i;
        out[kGreater] |= bits(a > b) << i;
        out[kLessEqual] |= bits(a <= b) << i;
        out[kGreaterEqual] |= bits(a >= b) << i;
        out[kAnd] |= bits(less & positive) << i;
        out[kOr] |= bits(less | positive) << i;
        out[kNot] |= bits(!less) << i;
        out[kRoundTrip] |= bits(mask_of(bits(less) | 0xFFFFFF00u)) << i;
        if (PX_LEVEL_NAMESPACE::any(less)) out[kAny] |= ((1u << kLanes) - 1u) << i;
    }
}

void load_rows(const float* base, const uint32_t* index, uint32_t stride, float (*out)[kRow]) {
    for (int i = 0; i < kRow; i += kLanes) {
        Lanes columns[8];
        load_records(base, index + i, stride, columns);
        for (int j = 0; j < 8; ++j) store(out[j] + i, columns[j]);
    }
}

void store_rows(float* base, const uint32_t* index, uint32_t stride, uint32_t mask, const float (*in)[kRow]) {
    for (int i = 0; i < kRow; i += kLanes) {
        Lanes columns[8];
        for (int j = 0; j < 8; ++j) columns[j] = load(in[j] + i);
        store_records(base, index + i, stride, mask >> i, columns);
    }
}

}  // namespace

extern const LaneKernels PX_AT_LEVEL(lane_kernels_);
const LaneKernels PX_AT_LEVEL(lane_kernels_) = {kLanes, compute, compare, load_rows, store_rows};

}  // namespace proxima::test
