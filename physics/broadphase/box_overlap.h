// SPDX-License-Identifier: MIT
// The innermost data and test of the broadphase: one box against many that lie one after the other.
#pragma once

#include <cstdint>

#include "engine/core/math.h"

#if defined(__SSE2__) && !defined(PROXIMA_SIMD_SCALAR)
#include <emmintrin.h>
#endif

namespace proxima::physics {

/// A box in its sorted place: two aligned vectors of four, so that a test is two wide comparisons.
struct alignas(16) GridBox {
    Vec3 lower{0.0f, 0.0f, 0.0f};
    float furthest =
        0.0f;  // largest upper.x of its row up to and including this box; never falls along a row
    Vec3 upper{0.0f, 0.0f, 0.0f};
    float unused = 0.0f;
};
static_assert(sizeof(GridBox) == 32);

/// Boxes are held against another this many at a time, so an array of them needs readable memory for the last
/// few.
inline constexpr uint32_t kBoxesAtOnce = 4;

#if defined(__SSE2__) && !defined(PROXIMA_SIMD_SCALAR)

/// Holds one box against others, all three axes at once; the fourth lane says nothing.
class OverlapTest {
  public:
    explicit OverlapTest(const GridBox& box)
        : lower_(_mm_load_ps(&box.lower.x)), upper_(_mm_load_ps(&box.upper.x)) {}

    bool operator()(const GridBox& other) const {
        const __m128 below = _mm_cmple_ps(_mm_load_ps(&other.lower.x), upper_);
        const __m128 above = _mm_cmple_ps(lower_, _mm_load_ps(&other.upper.x));
        return (_mm_movemask_ps(_mm_and_ps(below, above)) & 7) == 7;
    }

  private:
    __m128 lower_;
    __m128 upper_;
};

#else

/// Holds one box against others.
class OverlapTest {
  public:
    explicit OverlapTest(const GridBox& box) : box_{box.lower, box.upper} {}

    bool operator()(const GridBox& other) const { return overlaps(box_, Aabb{other.lower, other.upper}); }

  private:
    Aabb box_;
};

#endif

}  // namespace proxima::physics
