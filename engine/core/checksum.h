// SPDX-License-Identifier: MIT
// A checksum of 64 bits over many bytes: damage of files and snapshots is found. It does not resist forgers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "engine/core/hash.h"

namespace proxima {

/// Four sums side by side, eight bytes to a word as this machine stores them, so that a megabyte costs tens
/// of microseconds. Each step is a bijection of its sum: bytes that differ within one word never have the
/// same checksum, whatever stands around them.
inline uint64_t checksum(std::span<const std::byte> bytes, uint64_t seed = 0) {
    constexpr uint64_t kMultiplier = 0xA0761D6478BD642Full;
    uint64_t sums[4] = {mix_bits(seed + 1), mix_bits(seed + 2), mix_bits(seed + 3), mix_bits(seed + 4)};
    const auto add = [&](int lane, const std::byte* from, size_t count) {
        uint64_t word = 0;
        std::memcpy(&word, from, count);
        sums[lane] = std::rotl(sums[lane] ^ word, 29) * kMultiplier;
    };
    size_t at = 0;
    for (; at + 32 <= bytes.size(); at += 32)
        for (int lane = 0; lane < 4; ++lane) add(lane, bytes.data() + at + 8 * size_t(lane), 8);
    for (int lane = 0; at < bytes.size(); ++lane, at += 8)
        add(lane, bytes.data() + at, bytes.size() - at < 8 ? bytes.size() - at : 8);
    uint64_t all = mix_bits(uint64_t(bytes.size()));
    for (const uint64_t sum : sums) all = mix_bits(all ^ sum);
    return all;
}

}  // namespace proxima
