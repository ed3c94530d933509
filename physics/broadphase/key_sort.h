// SPDX-License-Identifier: MIT
// A stable radix sort of any small item over only those bits of its key that are in use. The sort of
// engine/core is for whole 64-bit keys with a payload; here keys have 20 to 40 bits, which is two or three
// passes, and pairs have no payload.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace proxima::physics {

/// Sorts `items` by the low `key_bits` bits of key_of(item), keeping the order of equal keys. Bits above must
/// be equal. `scratch` is at least as long as `items`; its contents are lost.
template <class Item, class KeyOf>
void sort_by_key(std::span<Item> items, std::span<Item> scratch, uint32_t key_bits, KeyOf key_of) {
    // A few items: the counters of one pass alone cost more than moving them.
    constexpr size_t kInsertionLimit = 32;
    if (items.size() <= kInsertionLimit) {
        for (size_t i = 1; i < items.size(); ++i) {
            const Item item = items[i];
            size_t hole = i;
            for (; hole > 0 && key_of(items[hole - 1]) > key_of(item); --hole) items[hole] = items[hole - 1];
            items[hole] = item;
        }
        return;
    }
    if (key_bits == 0) return;

    // Wide digits mean fewer passes, narrow ones counters that stay in the first cache and are quickly
    // cleared.
    constexpr uint32_t kMaxDigitBits = 11;
    const uint32_t widest = items.size() < 4096 ? 8u : kMaxDigitBits;
    const uint32_t passes = (key_bits + widest - 1) / widest;
    const uint32_t digit_bits = (key_bits + passes - 1) / passes;
    const uint32_t digits = 1u << digit_bits;

    Item* from = items.data();
    Item* to = scratch.data();
    const size_t count = items.size();
    std::array<uint32_t, size_t(1) << kMaxDigitBits> offsets;
    for (uint32_t pass = 0; pass < passes; ++pass) {
        const uint32_t shift = pass * digit_bits;
        const auto digit_of = [&](const Item& item) {
            return uint32_t(key_of(item) >> shift) & (digits - 1);
        };
        std::fill_n(offsets.begin(), digits, 0u);
        for (size_t i = 0; i < count; ++i) ++offsets[digit_of(from[i])];
        if (offsets[digit_of(from[0])] == count) continue;  // all share this digit
        uint32_t sum = 0;
        for (uint32_t digit = 0; digit < digits; ++digit) sum += std::exchange(offsets[digit], sum);
        for (size_t i = 0; i < count; ++i) to[offsets[digit_of(from[i])]++] = from[i];
        std::swap(from, to);
    }
    if (from != items.data()) std::copy_n(from, count, items.data());
}

}  // namespace proxima::physics
