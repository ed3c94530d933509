// SPDX-License-Identifier: MIT
// StateHash: 64 bits over a stream of values, to tell whether two runs are in the same state. Every bit of it
// is defined here, on 32-bit words, so the value is the same on every platform, compiler and byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "engine/core/math.h"

namespace proxima {

/// A bijection of 64 bits in which every input bit reaches every output bit (the finalizer of SplitMix64).
constexpr uint64_t mix_bits(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

/// Order matters. Not for adversaries: it finds differences, it does not resist forgers.
/// Zeros of either sign hash differently, because they are different states (1/x and atan2 tell them apart)
/// and because a sign of zero that differs between two runs is a divergence worth finding. All NaN hash
/// alike, because the bits of a NaN depend on the processor that made it.
class StateHash {
  public:
    constexpr explicit StateHash(uint64_t seed = 0) : state_(mix_bits(seed + 0x9E3779B97F4A7C15ull)) {}

    /// One 32-bit word: h = rotl(h xor w A, 29) B with A, B odd. For a given h no two words give the same
    /// result, and the multiplications carry low bits up while the rotation brings high bits down.
    constexpr void word(uint32_t w) {
        state_ = std::rotl(state_ ^ (uint64_t(w) * 0xD6E8FEB86659FD93ull), 29) * 0xA0761D6478BD642Full;
        ++words_;
    }

    /// Numbers and enums: up to 32 bits as one word (negative ones sign extended), 64 bits as two, low word first.
    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) constexpr void add(T v) {
        if constexpr (std::is_enum_v<T>) {
            add(static_cast<std::underlying_type_t<T>>(v));
        } else if constexpr (std::is_same_v<T, float>) {
            word(v == v ? std::bit_cast<uint32_t>(v) : 0x7FC00000u);
        } else if constexpr (std::is_same_v<T, double>) {
            add(v == v ? std::bit_cast<uint64_t>(v) : uint64_t(0x7FF8000000000000ull));
        } else {
            static_assert(std::is_integral_v<T> && sizeof(T) <= 8, "this type has no defined width");
            word(uint32_t(v));
            if constexpr (sizeof(T) == 8) word(uint32_t(uint64_t(v) >> 32));
        }
    }
    void add(const Vec3& v) {
        add(v.x);
        add(v.y);
        add(v.z);
    }
    void add(const Quat& q) {
        add(q.x);
        add(q.y);
        add(q.z);
        add(q.w);
    }
    /// The length, then four bytes to a word, the first one lowest; the last word is filled up with zeros.
    void add_bytes(std::span<const std::byte> bytes) {
        add(uint64_t(bytes.size()));
        size_t i = 0;
        for (; i + 4 <= bytes.size(); i += 4)
            word(uint32_t(bytes[i]) | uint32_t(bytes[i + 1]) << 8 | uint32_t(bytes[i + 2]) << 16 |
                 uint32_t(bytes[i + 3]) << 24);
        uint32_t last = 0;
        for (size_t k = i; k < bytes.size(); ++k) last |= uint32_t(bytes[k]) << (8 * (k - i));
        if (i < bytes.size()) word(last);
    }
    void add_text(std::string_view text) { add_bytes(std::as_bytes(std::span(text.data(), text.size()))); }

    /// The hash of all that was added so far; more may be added afterwards.
    constexpr uint64_t value() const { return mix_bits(state_ ^ (words_ * 0x9E3779B97F4A7C15ull)); }

  private:
    uint64_t state_;
    uint64_t words_ = 0;
};

}  // namespace proxima
