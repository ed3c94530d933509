// SPDX-License-Identifier: MIT
// Lanes and levels: every level gives the bits that plain floats give.
#include "engine/simd/lanes.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/simd/simd_level.h"
#include "tests/unit/engine/lane_kernels.h"

using namespace proxima;
using namespace proxima::engine;
using namespace proxima::test;

namespace {

constexpr SimdLevel kLevels[] = {SimdLevel::one, SimdLevel::four, SimdLevel::eight};

/// Puts the level back at the end of a test.
struct LevelGuard {
    SimdLevel before = simd_level();
    ~LevelGuard() { set_simd_level(before); }
};

uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
/// Bits agree, or both are no number: which one an operation on two of them gives is the compiler's choice.
bool same(float x, float y) { return bits_of(x) == bits_of(y) || (std::isnan(x) && std::isnan(y)); }

struct Random {
    uint64_t state = 99;
    uint32_t next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return uint32_t(state >> 32);
    }
    /// Any float but those that are no numbers; every fourth from a short list of awkward ones.
    float value() {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        const float awkward[] = {0.0f, -0.0f, 1.0f, -1.0f, kInfinity, -kInfinity, 1e-42f, 3.4e38f};
        if (next() % 4 == 0) return awkward[next() % 8];
        const float x = std::bit_cast<float>(next());
        return std::isnan(x) ? 0.5f : x;
    }
};

const float kNan = std::bit_cast<float>(0x7FC01234u);

/// What a row of the kernels should be, in plain floats.
void expect_row(const float* a, const float* b, float (*out)[kRow]) {
    for (int i = 0; i < kRow; ++i) {
        const float x = a[i], y = b[i];
        out[kAdd][i] = x + y;
        out[kSubtract][i] = x - y;
        out[kMultiply][i] = x * y;
        out[kDivide][i] = x / y;
        out[kNegate][i] = -x;
        out[kMin][i] = x < y ? x : y;
        out[kMax][i] = x > y ? x : y;
        out[kSqrt][i] = std::sqrt(x);
        out[kAbs][i] = std::fabs(x);
        out[kSelectLess][i] = x < y ? x : y;
        out[kDot][i] = x * y + y * y + x * x;
        out[kCross][i] = y * x - x * y;
        out[kSymmetric][i] = y * x + y * y + 2.0f * x;
    }
}

}  // namespace

TEST_CASE("the level in use is the widest until another is asked for, and never wider than that") {
    const LevelGuard guard;
    CHECK(simd_level() <= widest_simd_level());
    for (const SimdLevel asked : kLevels) {
        set_simd_level(asked);
        CHECK(simd_level() == (asked < widest_simd_level() ? asked : widest_simd_level()));
    }
    set_simd_level(SimdLevel::one);
    CHECK(simd_level() == SimdLevel::one);
    CHECK(widest_simd_level() >= SimdLevel::one);
}

TEST_CASE("levels have names that differ") {
    CHECK(std::string(to_string(SimdLevel::one)) == "scalar");
    CHECK(std::string(to_string(SimdLevel::four)) == "4 lanes");
    CHECK(std::string(to_string(SimdLevel::eight)) == "8 lanes (AVX2)");
}

TEST_CASE("the kernels that are picked have the lanes of the level in use") {
    const LevelGuard guard;
    const int lanes[] = {1, 4, 8};
    for (const SimdLevel asked : kLevels) {
        set_simd_level(asked);
        CHECK(PX_PICK_LEVEL(lane_kernels_).lanes == lanes[int(simd_level())]);
    }
}

TEST_CASE("a file that is no kernel gets lanes of one plain float") {
    using namespace lanes1;
    static_assert(PX_LANES == 1 && kLanes == 1 && kBlock == 8);
    const float values[] = {3.0f, -4.0f};
    float out = 0.0f;
    store(&out, load(values) * load(values + 1) + Lanes(2.0f));
    CHECK(out == -10.0f);
    CHECK(lanes1::min(Lanes(3.0f), Lanes(-4.0f)).v == -4.0f);
    CHECK(lanes1::max(Lanes(3.0f), Lanes(-4.0f)).v == 3.0f);
    CHECK(lanes1::abs(Lanes(-4.0f)).v == 4.0f);
    CHECK(lanes1::sqrt(Lanes(9.0f)).v == 3.0f);
    CHECK(bits(Lanes(1.0f) < Lanes(2.0f)) == 1u);
    CHECK(bits(Lanes(2.0f) < Lanes(1.0f)) == 0u);
    CHECK(lanes1::any(Lanes(2.0f) >= Lanes(2.0f)));
    CHECK_FALSE(lanes1::any(!(Lanes(2.0f) >= Lanes(2.0f))));
    CHECK(lanes1::select(Lanes(1.0f) > Lanes(2.0f), Lanes(5.0f), Lanes(6.0f)).v == 6.0f);
    const Vec x{1.0f, 0.0f, 0.0f}, y{0.0f, 1.0f, 0.0f};
    CHECK(cross(x, y).z.v == 1.0f);
    CHECK(dot(x + y, x - y * Lanes(3.0f)).v == -2.0f);
}

TEST_CASE("every level computes what plain floats compute, bit for bit") {
    const LevelGuard guard;
    Random random;
    for (int repeat = 0; repeat < 2000; ++repeat) {
        float a[kRow], b[kRow], expected[kOperations][kRow], got[kOperations][kRow];
        for (int i = 0; i < kRow; ++i) a[i] = random.value(), b[i] = random.value();
        expect_row(a, b, expected);
        for (const SimdLevel level : kLevels) {
            set_simd_level(level);
            PX_PICK_LEVEL(lane_kernels_).compute(a, b, got);
            for (int k = 0; k < kOperations; ++k) {
                for (int i = 0; i < kRow; ++i) {
                    if (same(got[k][i], expected[k][i])) continue;
                    CAPTURE(k);
                    CAPTURE(a[i]);
                    CAPTURE(b[i]);
                    CAPTURE(to_string(level));
                    REQUIRE(bits_of(got[k][i]) == bits_of(expected[k][i]));
                }
            }
        }
    }
}

TEST_CASE("where a value is no number min and max give the second, and comparisons are false") {
    const LevelGuard guard;
    const float a[kRow] = {kNan, 1.0f, kNan, -0.0f, 0.0f, kNan, 2.0f, -kNan};
    const float b[kRow] = {1.0f, kNan, -kNan, 0.0f, -0.0f, -1.0f, -kNan, kNan};
    for (const SimdLevel level : kLevels) {
        CAPTURE(to_string(level));
        set_simd_level(level);
        float out[kOperations][kRow];
        PX_PICK_LEVEL(lane_kernels_).compute(a, b, out);
        for (int i = 0; i < kRow; ++i) {
            CAPTURE(i);
            CHECK(bits_of(out[kMin][i]) == bits_of(b[i]));  // also of two zeros
            CHECK(bits_of(out[kMax][i]) == bits_of(b[i]));
            CHECK(bits_of(out[kSelectLess][i]) == bits_of(b[i]));
            CHECK(bits_of(out[kAbs][i]) == (bits_of(a[i]) & 0x7FFFFFFFu));
        }
        uint32_t found[kComparisons];
        PX_PICK_LEVEL(lane_kernels_).compare(a, b, found);
        CHECK(found[kLess] == 0u);
        CHECK(found[kGreater] == 0u);
        CHECK(found[kLessEqual] == 0x18u);  // the zeros
        CHECK(found[kGreaterEqual] == 0x18u);
        CHECK(found[kNot] == 0xFFu);
        CHECK(found[kAny] == 0u);
    }
}

TEST_CASE("the roots of numbers are rounded correctly at every level") {
    const LevelGuard guard;
    Random random;
    for (int repeat = 0; repeat < 500; ++repeat) {
        float a[kRow], b[kRow] = {}, out[kOperations][kRow];
        for (float& x : a) x = std::fabs(random.value());
        for (const SimdLevel level : kLevels) {
            set_simd_level(level);
            PX_PICK_LEVEL(lane_kernels_).compute(a, b, out);
            for (int i = 0; i < kRow; ++i) REQUIRE(out[kSqrt][i] == float(std::sqrt(double(a[i]))));
        }
    }
}

TEST_CASE("bits of a mask say what holds for which value of a row, the same at every level") {
    const LevelGuard guard;
    Random random;
    for (int repeat = 0; repeat < 1000; ++repeat) {
        float a[kRow], b[kRow];
        for (int i = 0; i < kRow; ++i) a[i] = random.value(), b[i] = random.next() % 4 ? random.value() : a[i];
        uint32_t expected[kComparisons] = {};
        for (int i = 0; i < kRow; ++i) {
            const uint32_t bit = 1u << i;
            const bool less = a[i]<b[i], positive = a[i]> 0.0f;
            expected[kLess] |= less ? bit : 0u;
            expected[kGreater] |= a[i] > b[i] ? bit : 0u;
            expected[kLessEqual] |= a[i] <= b[i] ? bit : 0u;
            expected[kGreaterEqual] |= a[i] >= b[i] ? bit : 0u;
            expected[kAnd] |= less && positive ? bit : 0u;
            expected[kOr] |= less || positive ? bit : 0u;
            expected[kNot] |= less ? 0u : bit;
            expected[kRoundTrip] |= less ? bit : 0u;
        }
        for (const SimdLevel level : kLevels) {
            set_simd_level(level);
            const LaneKernels& kernels = PX_PICK_LEVEL(lane_kernels_);
            uint32_t found[kComparisons];
            kernels.compare(a, b, found);
            for (int k = 0; k < kAny; ++k) REQUIRE(found[k] == expected[k]);
            for (int i = 0; i < kRow; i += kernels.lanes) {
                const uint32_t run = ((1u << kernels.lanes) - 1u) << i;
                REQUIRE((found[kAny] & run) == ((expected[kLess] & run) != 0 ? run : 0u));
            }
        }
    }
}

TEST_CASE("records are turned to rows and back, and the way back writes only the records of its mask") {
    const LevelGuard guard;
    Random random;
    constexpr uint32_t kRecords = 20;
    for (const uint32_t stride : {8u, 9u, 16u}) {
        CAPTURE(stride);
        std::vector<float> records(kRecords * stride);
        for (size_t i = 0; i < records.size(); ++i) records[i] = float(i) + 0.25f;
        for (int repeat = 0; repeat < 50; ++repeat) {
            // Eight different records for eight lanes.
            uint32_t index[kRow];
            const uint32_t start = random.next() % kRecords;
            for (uint32_t k = 0; k < kRow; ++k) index[k] = (start + 3 * k) % kRecords;
            const uint32_t mask = repeat == 0 ? 0xFFu : repeat == 1 ? 0u : random.next() & 0xFFu;
            for (const SimdLevel level : kLevels) {
                CAPTURE(to_string(level));
                set_simd_level(level);
                const LaneKernels& kernels = PX_PICK_LEVEL(lane_kernels_);
                float rows[8][kRow];
                kernels.load(records.data(), index, stride, rows);
                for (uint32_t j = 0; j < 8; ++j)
                    for (uint32_t k = 0; k < kRow; ++k) REQUIRE(rows[j][k] == records[index[k] * stride + j]);

                std::vector<float> back(records.size(), -1.0f), expected = back;
                kernels.store(back.data(), index, stride, mask, rows);
                for (uint32_t k = 0; k < kRow; ++k)
                    for (uint32_t j = 0; (mask >> k & 1u) && j < 8; ++j)
                        expected[index[k] * stride + j] = records[index[k] * stride + j];
                REQUIRE(back == expected);
            }
        }
    }
}

TEST_CASE("lanes may read the same record, and records may hold any bits") {
    const LevelGuard guard;
    std::vector<float> records(16);
    for (uint32_t i = 0; i < 16; ++i) records[i] = std::bit_cast<float>(0x7FC00000u + i);  // no numbers
    const uint32_t index[kRow] = {1, 1, 0, 1, 0, 0, 1, 0};
    for (const SimdLevel level : kLevels) {
        set_simd_level(level);
        float rows[8][kRow];
        PX_PICK_LEVEL(lane_kernels_).load(records.data(), index, 8, rows);
        for (uint32_t j = 0; j < 8; ++j)
            for (uint32_t k = 0; k < kRow; ++k) REQUIRE(bits_of(rows[j][k]) == 0x7FC00000u + 8 * index[k] + j);
    }
}
