// SPDX-License-Identifier: MIT
#include "engine/core/stable_sort.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>

using namespace proxima;

namespace {

void check_against_the_standard(std::vector<SortItem> items, std::vector<SortItem>& scratch) {
    std::vector<SortItem> expected = items;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const SortItem& a, const SortItem& b) { return a.key < b.key; });
    radix_sort(items, scratch);
    REQUIRE(items.size() == expected.size());
    for (size_t i = 0; i < items.size(); ++i) {
        REQUIRE(items[i].key == expected[i].key);
        REQUIRE(items[i].value == expected[i].value);
    }
}

}  // namespace

TEST_CASE("the radix sort orders like the standard's stable sort") {
    std::mt19937_64 random(1);
    std::vector<SortItem> scratch;
    // Keys with many ties, of one moving byte in each place, of two packed indices, and of all bits.
    const uint64_t masks[] = {
        0x0, 0x7, 0xFF, 0xFF00, 0xFF00000000000000ull, 0x0000FFFF0000FFFFull, ~0ull, 0x0F0F0F0F0F0F0F0Full};
    for (const size_t count : {0u, 1u, 2u, 50u, 96u, 97u, 300u, 5000u})
        for (const uint64_t mask : masks) {
            std::vector<SortItem> items(count);
            for (size_t i = 0; i < count; ++i) items[i] = {random() & mask, uint32_t(i)};
            check_against_the_standard(items, scratch);
        }
}

TEST_CASE("sorted and reversed keys are sorted too") {
    std::vector<SortItem> scratch;
    std::vector<SortItem> up(1000), down(1000);
    for (uint32_t i = 0; i < 1000; ++i) {
        up[i] = {uint64_t(i) << 20, i};
        down[i] = {uint64_t(1000 - i) << 20, i};
    }
    check_against_the_standard(up, scratch);
    check_against_the_standard(down, scratch);
}

TEST_CASE("scratch that was large enough once is not allocated again") {
    std::vector<SortItem> items(2000), scratch;
    for (uint32_t i = 0; i < 2000; ++i) items[i] = {(i * 2654435761u) % 1000, i};
    radix_sort(items, scratch);
    const SortItem* memory = scratch.data();
    items.resize(1500);
    radix_sort(items, scratch);
    CHECK(scratch.data() == memory);
    CHECK(std::is_sorted(items.begin(), items.end(), [](auto& a, auto& b) { return a.key < b.key; }));
}

TEST_CASE("sortable bits order floats as numbers") {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float ascending[] = {-kInfinity, -3.0e38f, -1.0f,    -1.0e-30f, -1.0e-45f, -0.0f,
                               0.0f,       1.0e-45f, 1.0e-30f, 1.0f,      3.0e38f,   kInfinity};
    for (size_t i = 1; i < std::size(ascending); ++i)
        CHECK(sortable_bits(ascending[i - 1]) < sortable_bits(ascending[i]));
}
