// SPDX-License-Identifier: MIT
#include "engine/core/long_list.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

#include "engine/core/capacity.h"

using namespace proxima;

namespace {

struct alignas(64) Line {
    uint32_t words[16] = {};
};

bool is_aligned(const void* p, size_t to) { return reinterpret_cast<uintptr_t>(p) % to == 0; }

}  // namespace

TEST_CASE("a long list is a vector whose memory begins where its elements or large pages do") {
    LongList<Line> list;
    for (uint32_t i = 0; i < 100000; ++i) {
        list.emplace_back().words[3] = i;
        if (i == 10) CHECK(is_aligned(list.data(), alignof(Line)));
    }
    CHECK(is_aligned(list.data(), size_t(2) << 20));
    for (uint32_t i = 0; i < list.size(); i += 997) CHECK(list[i].words[3] == i);
    CHECK(capacity_bytes(list) == list.capacity() * sizeof(Line));

    LongList<Line> copy = list;
    copy[5].words[3] = 77;
    CHECK(list[5].words[3] == 5);
    const Line* memory = copy.data();
    const LongList<Line> moved = std::move(copy);
    CHECK(moved.data() == memory);
    CHECK(moved[5].words[3] == 77);
}

TEST_CASE("a long list of little takes no more than that") {
    LongList<uint8_t> list(3, uint8_t(9));
    resize_roomily(list, 5);
    CHECK(list.capacity() == 8);
    CHECK(list[2] == 9);
    CHECK(list[4] == 0);
}
