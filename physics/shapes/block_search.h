// SPDX-License-Identifier: MIT
// Least and greatest values over blocks of eight, and where they are; for kernel files *.simd.cpp. Minima are
// exact and the lowest index wins, so every level finds the same.
#pragma once

#include <bit>

#include "engine/simd/lanes.h"

namespace proxima::PX_LEVEL_NAMESPACE {

inline constexpr int kRuns = kBlock / kLanes;  // of lanes in a block

/// The least of the lanes.
PX_INLINE float min_lane(Lanes x) {
#if PX_LANES == 8
    __m128 m = _mm_min_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    m = _mm_min_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_min_ss(m, _mm_shuffle_ps(m, m, 1)));
#elif PX_LANES == 4 && (defined(__SSE2__) || defined(_M_X64))
    __m128 m = x;
    m = _mm_min_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_min_ss(m, _mm_shuffle_ps(m, m, 1)));
#else
    float v[kLanes];
    store(v, x);
    float least = v[0];
    for (int k = 1; k < kLanes; ++k) least = v[k] < least ? v[k] : least;
    return least;
#endif
}
PX_INLINE float max_lane(Lanes x) { return -min_lane(-x); }

/// dot(direction, v) of one run of a block of points x[8], y[8], z[8].
PX_INLINE Lanes along(const float* block, int run, Lanes x, Lanes y, Lanes z) {
    const float* p = block + run * kLanes;
    return load(p) * x + load(p + kBlock) * y + load(p + 2 * kBlock) * z;
}

/// The least of dot(direction, v) over blocks of points.
PX_INLINE float min_along(const float* blocks, int count, float dx, float dy, float dz) {
    const Lanes x(dx), y(dy), z(dz);
    Lanes least = along(blocks, 0, x, y, z);
    for (int r = 1; r < kRuns; ++r) least = min(least, along(blocks, r, x, y, z));
    for (int b = 1; b < count; ++b)
        for (int r = 0; r < kRuns; ++r) least = min(least, along(blocks + b * 3 * kBlock, r, x, y, z));
    return min_lane(least) + 0.0f;  // one zero, not two
}

/// The lowest index where dot(direction, v) is not above `value`; 0 when there is none.
PX_INLINE int first_along(const float* blocks, int count, float dx, float dy, float dz, float value) {
    const Lanes x(dx), y(dy), z(dz), limit(value);
    for (int b = 0; b < count; ++b)
        for (int r = 0; r < kRuns; ++r) {
            const uint32_t found = bits(along(blocks + b * 3 * kBlock, r, x, y, z) <= limit);
            if (found) return b * kBlock + r * kLanes + std::countr_zero(found);
        }
    return 0;
}

}  // namespace proxima::PX_LEVEL_NAMESPACE
