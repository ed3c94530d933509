// SPDX-License-Identifier: MIT
#include "engine/core/stable_sort.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/core/assert.h"

namespace proxima {

namespace {

constexpr size_t kDigits = 8;
constexpr size_t kBuckets = 256;
// Below this, filling and summing the 8 x 256 counters costs more than moving items one by one.
constexpr size_t kInsertionLimit = 96;

void insertion_sort(std::span<SortItem> items) {
    for (size_t i = 1; i < items.size(); ++i) {
        const SortItem moving = items[i];
        size_t index = i;
        for (; index > 0 && items[index - 1].key > moving.key; --index) items[index] = items[index - 1];
        items[index] = moving;
    }
}

}  // namespace

void radix_sort(std::span<SortItem> items, std::span<SortItem> scratch) {
    PX_ASSERT(scratch.size() >= items.size(), "radix_sort: the scratch is smaller than the items");
    PX_ASSERT(items.size() <= UINT32_MAX, "radix_sort: too many items");
    if (items.size() <= kInsertionLimit) return insertion_sort(items);

    // All histograms in one pass: they do not depend on the order.
    std::array<std::array<uint32_t, kBuckets>, kDigits> counts{};
    for (const SortItem& item : items)
        for (size_t digit = 0; digit < kDigits; ++digit) ++counts[digit][(item.key >> (8 * digit)) & 0xFF];

    std::span<SortItem> from = items;
    std::span<SortItem> to = scratch.first(items.size());
    for (size_t digit = 0; digit < kDigits; ++digit) {
        std::array<uint32_t, kBuckets>& count = counts[digit];
        // A digit that all keys share sorts nothing. Keys made of two small indices skip half of the passes here.
        if (count[(from[0].key >> (8 * digit)) & 0xFF] == from.size()) continue;

        uint32_t sum = 0;
        for (uint32_t& c : count) sum += std::exchange(c, sum);
        for (const SortItem& item : from) to[count[(item.key >> (8 * digit)) & 0xFF]++] = item;
        std::swap(from, to);
    }
    if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
}

}  // namespace proxima
