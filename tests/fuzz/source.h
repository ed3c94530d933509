// SPDX-License-Identifier: MIT
// Decisions of a generator, taken from bytes: a fuzzer that changes one byte changes one decision. When the
// bytes run out, a generator that is seeded by them goes on, so that short inputs are whole worlds too.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

#include "engine/core/hash.h"
#include "engine/core/math.h"

namespace proxima::fuzz {

class Source {
  public:
    explicit Source(std::span<const uint8_t> bytes) : bytes_(bytes) {
        StateHash hash;
        hash.add_bytes(std::as_bytes(bytes));
        state_ = hash.value();
    }
    explicit Source(uint64_t seed) : state_(mix_bits(seed ^ 0x9E3779B97F4A7C15ull)) {}

    uint8_t byte() {
        if (at_ < bytes_.size()) return bytes_[at_++];
        state_ += 0x9E3779B97F4A7C15ull;
        return uint8_t(mix_bits(state_) >> 56);
    }
    uint32_t word() {
        uint32_t w = 0;
        for (int k = 0; k < 4; ++k) w = w << 8 | byte();
        return w;
    }
    /// 0 .. end - 1.
    uint32_t below(uint32_t end) {
        if (end <= 1) return 0;
        if (end <= 256) return byte() % end;
        return word() % end;
    }
    /// True once in n times.
    bool once_in(uint32_t n) { return below(n) == 0; }
    float unit() { return float(uint32_t(byte()) << 8 | byte()) / 65535.0f; }
    float between(float low, float high) { return low + (high - low) * unit(); }
    /// A size between two others, as often small as large.
    float size(float low, float high) { return low * std::pow(high / low, unit()); }
    template <class T, size_t N>
    const T& pick(const T (&list)[N]) {
        return list[below(uint32_t(N))];
    }
    template <class List>
    auto& pick_of(List&& list) {
        return list[below(uint32_t(std::size(list)))];
    }

    Vec3 vector(float reach) {
        const float x = between(-reach, reach), y = between(-reach, reach), z = between(-reach, reach);
        return {x, y, z};
    }
    Quat rotation() {
        if (once_in(2)) return {1.0f, 0.0f, 0.0f, 0.0f};
        const float w = between(-1.0f, 1.0f);
        const Vec3 v = vector(1.0f);
        const Quat q(w, v.x, v.y, v.z);
        const float length = std::sqrt(glm::dot(q, q));
        return length > 0.1f ? q * (1.0f / length) : Quat(1.0f, 0.0f, 0.0f, 0.0f);
    }
    /// What no field wants, or what is at the end of its range.
    float nonsense() {
        static const float values[] = {std::numeric_limits<float>::quiet_NaN(),
                                       std::numeric_limits<float>::infinity(),
                                       -std::numeric_limits<float>::infinity(),
                                       std::numeric_limits<float>::max(),
                                       std::numeric_limits<float>::lowest(),
                                       std::numeric_limits<float>::denorm_min(),
                                       0.0f,
                                       -0.0f,
                                       -1.0f,
                                       1e-30f,
                                       1e30f,
                                       1e10f};
        return pick(values);
    }

  private:
    std::span<const uint8_t> bytes_;
    size_t at_ = 0;
    uint64_t state_ = 0;
};

}  // namespace proxima::fuzz
