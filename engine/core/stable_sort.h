// SPDX-License-Identifier: MIT
// A stable sort of 64-bit keys with a 32-bit payload, in linear time and without allocation: least significant digit
// first, one byte at a time. Equal keys keep their order, so no tie is left to the implementation.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace proxima {

struct SortItem {
    uint64_t key = 0;
    uint32_t value = 0;
};

/// Sorts by key, ascending. `scratch` holds at least as many items as `items`; its contents before and after
/// do not matter.
void radix_sort(std::span<SortItem> items, std::span<SortItem> scratch);

/// The same with scratch that grows as needed and is kept by the caller.
inline void radix_sort(std::vector<SortItem>& items, std::vector<SortItem>& scratch) {
    if (scratch.size() < items.size()) scratch.resize(items.size());
    radix_sort(std::span(items), std::span(scratch));
}

/// Bits that sort as unsigned numbers the way floats sort as numbers; -0 comes before 0. NaN go to the two ends.
constexpr uint32_t sortable_bits(float x) {
    const auto bits = std::bit_cast<uint32_t>(x);
    return (bits & 0x80000000u) ? ~bits : bits | 0x80000000u;
}

}  // namespace proxima
