// SPDX-License-Identifier: MIT
#include "engine/core/arena.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <numeric>

using namespace proxima;

namespace {

struct alignas(64) Wide {
    float lanes[16];
};

struct WithDefault {
    int value = 7;
};

}  // namespace

TEST_CASE("an arena gives every request its alignment") {
    Arena arena(1024);
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2)
        for (size_t size : {size_t(0), size_t(1), size_t(3), size_t(100), size_t(5000)}) {
            const void* p = arena.allocate(size, alignment);
            REQUIRE(p != nullptr);
            REQUIRE(reinterpret_cast<uintptr_t>(p) % alignment == 0);
        }
    CHECK(reinterpret_cast<uintptr_t>(arena.allocate_array<Wide>(3).data()) % 64 == 0);
}

TEST_CASE("arrays of an arena do not overlap and keep what is written to them") {
    Arena arena(512);
    std::vector<std::span<uint32_t>> arrays;
    for (uint32_t n = 0; n < 60; ++n) {
        arena.allocate(n % 5, 1);  // odd places in between
        arrays.push_back(arena.allocate_array<uint32_t>(n * 3));
        for (uint32_t& v : arrays.back()) v = n;
    }
    for (uint32_t n = 0; n < 60; ++n) {
        REQUIRE(arrays[n].size() == n * 3);
        for (const uint32_t v : arrays[n]) REQUIRE(v == n);
    }
}

TEST_CASE("an arena that is reset and asked for the same again takes nothing from the system") {
    Arena arena(1024);
    const auto ask = [&] {
        std::vector<const void*> addresses;
        for (size_t i = 0; i < 40; ++i) addresses.push_back(arena.allocate(i * 37 % 700, 16));
        addresses.push_back(arena.allocate(9000, 64));  // larger than a block
        addresses.push_back(arena.allocate(10, 8));
        return addresses;
    };
    const auto first = ask();
    const size_t reserved = arena.bytes_reserved(), used = arena.bytes_used();
    CHECK(used > 9000);
    CHECK(reserved >= used);
    for (int i = 0; i < 5; ++i) {
        arena.reset();
        CHECK(arena.bytes_used() == 0);
        CHECK(ask() == first);
        CHECK(arena.bytes_used() == used);
        CHECK(arena.bytes_reserved() == reserved);
    }
    arena.reset();
    CHECK(arena.bytes_peak() == used);
}

TEST_CASE("elements with initialisers are constructed") {
    Arena arena;
    std::memset(arena.allocate(400, 4), 0xFF, 400);
    arena.reset();
    for (const WithDefault& element : arena.allocate_array<WithDefault>(100)) REQUIRE(element.value == 7);
}

TEST_CASE("an arena can be moved with its memory") {
    Arena arena;
    const std::span<int> numbers = arena.allocate_array<int>(10);
    std::iota(numbers.begin(), numbers.end(), 0);
    const Arena moved = std::move(arena);
    CHECK(moved.bytes_used() == 40);
    CHECK(numbers[9] == 9);
}
