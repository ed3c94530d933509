// SPDX-License-Identifier: MIT
// Floats side by side, for kernel files `*.simd.cpp`. PX_LANES (1, 4 or 8) is set by the build, which
// compiles such a file once per level; everything lives in a namespace of that level, so that the copies
// never meet. Other files get plain floats.
//
// Level 0 is one lane that counts what is done with it (counting_lanes.h), for the analysis of kernels.
//
// A kernel reads arrays of kBlock = 8 values whatever the level: it walks them in 8 / PX_LANES runs. Data
// look the same at every level and, since lanes never mix, so do results, bit for bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if !defined(PX_LANES)
#define PX_LANES 1
#endif

#if PX_LANES > 1
#include <xsimd/xsimd.hpp>
#elif PX_LANES == 0
#include "engine/simd/counting_lanes.h"
#endif
#if defined(__GNUC__)
#define PX_INLINE inline __attribute__((always_inline))
/// For what a kernel seldom does: it would push what it always does out of registers and of the cache of instructions.
#define PX_SELDOM __attribute__((noinline))
#else
#define PX_INLINE inline
#define PX_SELDOM
#endif

#define PX_LANES_JOIN2(a, b) a##b
#define PX_LANES_JOIN(a, b) PX_LANES_JOIN2(a, b)
/// Namespace of this level, and a name of this level: PX_AT_LEVEL(table_) is table_8.
#define PX_LEVEL_NAMESPACE PX_LANES_JOIN(lanes, PX_LANES)
#define PX_AT_LEVEL(name) PX_LANES_JOIN(name, PX_LANES)

namespace proxima::PX_LEVEL_NAMESPACE {

inline constexpr int kLanes = PX_LANES > 1 ? PX_LANES : 1;
inline constexpr int kBlock = 8;  // values in a row of block data

#if PX_LANES == 1

struct Mask {
    bool v;
    friend PX_INLINE Mask operator&(Mask a, Mask b) { return {a.v && b.v}; }
    friend PX_INLINE Mask operator|(Mask a, Mask b) { return {a.v || b.v}; }
    friend PX_INLINE Mask operator!(Mask a) { return {!a.v}; }
};
struct Lanes {
    float v;
    Lanes() = default;
    PX_INLINE Lanes(float x) : v(x) {}
    friend PX_INLINE Lanes operator+(Lanes a, Lanes b) { return a.v + b.v; }
    friend PX_INLINE Lanes operator-(Lanes a, Lanes b) { return a.v - b.v; }
    friend PX_INLINE Lanes operator*(Lanes a, Lanes b) { return a.v * b.v; }
    friend PX_INLINE Lanes operator/(Lanes a, Lanes b) { return a.v / b.v; }
    friend PX_INLINE Lanes operator-(Lanes a) { return -a.v; }
    friend PX_INLINE Mask operator<(Lanes a, Lanes b) { return {a.v < b.v}; }
    friend PX_INLINE Mask operator>(Lanes a, Lanes b) { return {a.v > b.v}; }
    friend PX_INLINE Mask operator<=(Lanes a, Lanes b) { return {a.v <= b.v}; }
    friend PX_INLINE Mask operator>=(Lanes a, Lanes b) { return {a.v >= b.v}; }
};
PX_INLINE Lanes load(const float* p) { return *p; }
PX_INLINE void store(float* p, Lanes x) { *p = x.v; }
// As the vector instructions do it: the second operand when either is not a number.
PX_INLINE Lanes min(Lanes a, Lanes b) { return a.v < b.v ? a : b; }
PX_INLINE Lanes max(Lanes a, Lanes b) { return a.v > b.v ? a : b; }
PX_INLINE Lanes sqrt(Lanes a) { return std::sqrt(a.v); }
PX_INLINE Lanes abs(Lanes a) { return std::fabs(a.v); }
PX_INLINE Lanes select(Mask m, Lanes a, Lanes b) { return m.v ? a : b; }
PX_INLINE bool any(Mask m) { return m.v; }
/// Bit k: lane k.
PX_INLINE uint32_t bits(Mask m) { return m.v ? 1u : 0u; }
/// And back; higher bits do not count.
PX_INLINE Mask mask_of(uint32_t set) { return {(set & 1u) != 0}; }

#elif PX_LANES > 1

#if PX_LANES == 8
using Architecture = xsimd::avx2;
#elif defined(__SSE2__) || defined(_M_X64)
using Architecture = xsimd::sse2;
#else
using Architecture = xsimd::neon64;
#endif
using Lanes = xsimd::batch<float, Architecture>;
using Mask = xsimd::batch_bool<float, Architecture>;
static_assert(Lanes::size == PX_LANES);

PX_INLINE Lanes load(const float* p) { return Lanes::load_unaligned(p); }
PX_INLINE void store(float* p, Lanes x) { x.store_unaligned(p); }
#if PX_LANES == 8
PX_INLINE Lanes min(Lanes a, Lanes b) { return _mm256_min_ps(a, b); }
PX_INLINE Lanes max(Lanes a, Lanes b) { return _mm256_max_ps(a, b); }
PX_INLINE uint32_t bits(Mask m) { return uint32_t(_mm256_movemask_ps(m)); }
PX_INLINE Mask mask_of(uint32_t set) {
    const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return Mask(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(int(set)), lane), lane)));
}
#elif defined(__SSE2__) || defined(_M_X64)
PX_INLINE Lanes min(Lanes a, Lanes b) { return _mm_min_ps(a, b); }
PX_INLINE Lanes max(Lanes a, Lanes b) { return _mm_max_ps(a, b); }
PX_INLINE uint32_t bits(Mask m) { return uint32_t(_mm_movemask_ps(m)); }
PX_INLINE Mask mask_of(uint32_t set) {
    const __m128i lane = _mm_setr_epi32(1, 2, 4, 8);
    return Mask(_mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(int(set)), lane), lane)));
}
#else
PX_INLINE Lanes min(Lanes a, Lanes b) { return xsimd::select(a < b, a, b); }
PX_INLINE Lanes max(Lanes a, Lanes b) { return xsimd::select(a > b, a, b); }
PX_INLINE uint32_t bits(Mask m) {
    float set[PX_LANES];
    store(set, xsimd::select(m, Lanes(1.0f), Lanes(0.0f)));
    uint32_t out = 0;
    for (int k = 0; k < PX_LANES; ++k) out |= uint32_t(set[k] != 0.0f) << k;
    return out;
}
PX_INLINE Mask mask_of(uint32_t set) {
    float lane[PX_LANES];
    for (int k = 0; k < PX_LANES; ++k) lane[k] = (set >> k & 1u) != 0 ? 1.0f : 0.0f;
    return load(lane) > Lanes(0.5f);
}
#endif
PX_INLINE Lanes sqrt(Lanes a) { return xsimd::sqrt(a); }
PX_INLINE Lanes abs(Lanes a) { return xsimd::abs(a); }
PX_INLINE Lanes select(Mask m, Lanes a, Lanes b) { return xsimd::select(m, a, b); }
PX_INLINE bool any(Mask m) { return bits(m) != 0; }

#endif

#if PX_LANES == 8
/// Rows become columns.
PX_INLINE void transpose(const Lanes in[8], Lanes out[8]) {
    __m256 r[8], s[8];
    for (int k = 0; k < 4; ++k) {
        s[2 * k] = _mm256_unpacklo_ps(in[2 * k], in[2 * k + 1]);
        s[2 * k + 1] = _mm256_unpackhi_ps(in[2 * k], in[2 * k + 1]);
    }
    for (int k = 0; k < 2; ++k) {
        r[4 * k] = _mm256_shuffle_ps(s[4 * k], s[4 * k + 2], 0x44);
        r[4 * k + 1] = _mm256_shuffle_ps(s[4 * k], s[4 * k + 2], 0xEE);
        r[4 * k + 2] = _mm256_shuffle_ps(s[4 * k + 1], s[4 * k + 3], 0x44);
        r[4 * k + 3] = _mm256_shuffle_ps(s[4 * k + 1], s[4 * k + 3], 0xEE);
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = _mm256_permute2f128_ps(r[k], r[k + 4], 0x20);
        out[k + 4] = _mm256_permute2f128_ps(r[k], r[k + 4], 0x31);
    }
}
#endif

/// Reads the first eight floats of kLanes records that begin at base[index[k] * stride] and turns them:
/// out[j] holds float j of every record. Eight loads and a transpose are faster than hardware gathers.
PX_INLINE void load_records(const float* base, const uint32_t* index, uint32_t stride, Lanes out[8]) {
#if PX_LANES == 8
    Lanes records[8];
    for (int k = 0; k < 8; ++k) records[k] = _mm256_loadu_ps(base + size_t(index[k]) * stride);
    transpose(records, out);
#elif PX_LANES == 4 && (defined(__SSE2__) || defined(_M_X64))
    for (int half = 0; half < 2; ++half) {
        __m128 r[4];
        for (int k = 0; k < 4; ++k) r[k] = _mm_loadu_ps(base + size_t(index[k]) * stride + 4 * half);
        _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
        for (int k = 0; k < 4; ++k) out[4 * half + k] = r[k];
    }
#elif PX_LANES <= 1
    for (int j = 0; j < 8; ++j) out[j] = load(base + size_t(*index) * stride + size_t(j));
#else
    for (int j = 0; j < 8; ++j) {
        float column[kLanes];
        for (int k = 0; k < kLanes; ++k) column[k] = base[size_t(index[k]) * stride + size_t(j)];
        out[j] = load(column);
    }
#endif
}

/// The way back, for the records whose bit in `lanes` is set.
PX_INLINE void store_records(float* base, const uint32_t* index, uint32_t stride, uint32_t lanes, const Lanes in[8]) {
#if PX_LANES == 8
    Lanes records[8];
    transpose(in, records);
    for (int k = 0; k < 8; ++k)
        if (lanes >> k & 1u) _mm256_storeu_ps(base + size_t(index[k]) * stride, records[k]);
#elif PX_LANES == 4 && (defined(__SSE2__) || defined(_M_X64))
    for (int half = 0; half < 2; ++half) {
        __m128 r[4];
        for (int k = 0; k < 4; ++k) r[k] = in[4 * half + k];
        _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
        for (int k = 0; k < 4; ++k)
            if (lanes >> k & 1u) _mm_storeu_ps(base + size_t(index[k]) * stride + 4 * half, r[k]);
    }
#elif PX_LANES <= 1
    if (lanes & 1u)
        for (int j = 0; j < 8; ++j) store(base + size_t(*index) * stride + size_t(j), in[j]);
#else
    for (int j = 0; j < 8; ++j) {
        float column[kLanes];
        store(column, in[j]);
        for (int k = 0; k < kLanes; ++k)
            if (lanes >> k & 1u) base[size_t(index[k]) * stride + size_t(j)] = column[k];
    }
#endif
}

// ---- vectors of lanes

struct Vec {
    Lanes x, y, z;
};
PX_INLINE Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
PX_INLINE Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
PX_INLINE Vec operator*(const Vec& a, Lanes s) { return {a.x * s, a.y * s, a.z * s}; }
PX_INLINE Lanes dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
PX_INLINE Vec cross(const Vec& a, const Vec& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Symmetric 3 x 3.
struct Sym {
    Lanes xx, yy, zz, xy, xz, yz;
};
PX_INLINE Vec operator*(const Sym& m, const Vec& v) {
    return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
            m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

}  // namespace proxima::PX_LEVEL_NAMESPACE
