// SPDX-License-Identifier: MIT
#include "engine/core/flat_map.h"

#include <doctest/doctest.h>

#include <unordered_map>
#include <vector>

using namespace proxima;

namespace {

constexpr size_t kFirstSize = 64;  // of the table, until more than half of it is used

struct Random {
    uint64_t state = 0x1234567u;
    uint32_t next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return uint32_t(state >> 33);
    }
    uint32_t below(uint32_t end) { return next() % end; }
};

/// Where the map begins to look for a key in a table of `size`. If the map ever hashes otherwise the tests
/// below still hold, they only collide less.
size_t home(uint64_t key, size_t size) {
    key ^= key >> 32;
    key *= 0x9E3779B97F4A7C15ull;
    return size_t(key ^ (key >> 29)) & (size - 1);
}

/// The first `count` keys whose home is one of [first, first + width) in the first table.
std::vector<uint64_t> keys_at(size_t first, size_t width, size_t count) {
    std::vector<uint64_t> keys;
    for (uint64_t key = 1; keys.size() < count; ++key)
        if (((home(key, kFirstSize) - first) & (kFirstSize - 1)) < width) keys.push_back(key);
    return keys;
}

/// Random changes on the map and on the standard's, with a look at all keys after each of them.
void compare(const std::vector<uint64_t>& keys, size_t most, int changes, bool look_at_all, Random& random) {
    FlatMap map;
    std::unordered_map<uint64_t, uint32_t> expected;
    const auto agrees = [&](uint64_t key) {
        const auto found = expected.find(key);
        return map.find(key) == (found == expected.end() ? FlatMap::kNone : found->second);
    };
    for (int i = 0; i < changes; ++i) {
        const uint64_t key = keys[random.below(uint32_t(keys.size()))];
        if (random.below(2) == 0 && (expected.size() < most || expected.count(key) != 0)) {
            const uint32_t value = random.next() & 0x7FFFFFFFu;
            map.set(key, value);
            expected[key] = value;
        } else {
            map.remove(key);
            expected.erase(key);
        }
        REQUIRE(map.size() == expected.size());
        REQUIRE(agrees(key));
        if (look_at_all)
            for (const uint64_t other : keys) REQUIRE(agrees(other));
    }
    for (const uint64_t key : keys) REQUIRE(agrees(key));
}

}  // namespace

TEST_CASE("an empty flat map finds nothing, and removing from it does nothing") {
    FlatMap map;
    CHECK(map.size() == 0);
    CHECK(map.find(0) == FlatMap::kNone);
    CHECK(map.find(~uint64_t(0)) == FlatMap::kNone);
    map.remove(7);
    CHECK(map.size() == 0);
    map.clear();
    CHECK(map.find(7) == FlatMap::kNone);
}

TEST_CASE("the key zero and the largest key are keys as any others") {
    FlatMap map;
    map.set(0, 5);
    CHECK(map.find(~uint64_t(0)) == FlatMap::kNone);
    map.set(~uint64_t(0), 0);
    CHECK(map.find(0) == 5);
    CHECK(map.find(~uint64_t(0)) == 0);
    map.remove(0);
    CHECK(map.find(0) == FlatMap::kNone);
    CHECK(map.find(~uint64_t(0)) == 0);
    CHECK(map.size() == 1);
}

TEST_CASE("setting a key again replaces its value and does not count it twice") {
    FlatMap map;
    for (uint32_t i = 0; i < 1000; ++i) map.set(42, i);
    CHECK(map.size() == 1);
    CHECK(map.find(42) == 999);
    map.remove(42);
    CHECK(map.size() == 0);
    CHECK(map.find(42) == FlatMap::kNone);
}

TEST_CASE("a flat map keeps all its entries while it grows") {
    FlatMap map;
    const auto key_of = [](uint32_t i) { return uint64_t(i / 100) << 32 | (i % 100); };
    for (uint32_t i = 0; i < 20000; ++i) {
        map.set(key_of(i), i);
        REQUIRE(map.size() == i + 1);
        REQUIRE(map.find(key_of(i / 2)) == i / 2);
    }
    for (uint32_t i = 0; i < 20000; ++i) REQUIRE(map.find(key_of(i)) == i);
    for (uint32_t i = 20000; i < 21000; ++i) REQUIRE(map.find(key_of(i)) == FlatMap::kNone);
}

TEST_CASE("over random changes a flat map agrees with the standard's") {
    Random random;
    std::vector<uint64_t> keys;
    for (uint32_t i = 0; i < 3000; ++i)  // pairs of small numbers, as the step has them
        keys.push_back(uint64_t(random.below(200)) << 32 | random.below(200));
    compare(keys, keys.size(), 200000, false, random);
}

TEST_CASE("keys that all begin at the same slot agree with the standard's map") {
    Random random;
    for (const size_t first_slot : {size_t(0), size_t(31), kFirstSize - 1})
        compare(keys_at(first_slot, 1, 40), 31, 4000, true, random);
}

TEST_CASE("removal closes gaps in chains that wrap around the end of the table") {
    Random random;
    for (const size_t width : {size_t(2), size_t(5), size_t(12)})
        compare(keys_at(kFirstSize - width / 2 - 1, width, 40), 31, 4000, true, random);
}

TEST_CASE("every order of removing five keys from a chain across the end leaves the others to be found") {
    // First slots: the last, the last, the first, the last but one, the first.
    const std::vector<uint64_t> last = keys_at(kFirstSize - 1, 1, 2), first = keys_at(0, 1, 2),
                                before = keys_at(kFirstSize - 2, 1, 1);
    const uint64_t keys[] = {last[0], last[1], first[0], before[0], first[1]};
    for (uint32_t order = 0; order < 5 * 5 * 5 * 5; ++order) {
        FlatMap map;
        for (uint32_t i = 0; i < 5; ++i) map.set(keys[i], 10 + i);
        bool there[] = {true, true, true, true, true};
        uint32_t left = 5;
        for (uint32_t digits = order, round = 0; round < 4; ++round, digits /= 5) {
            const uint32_t gone = digits % 5;
            map.remove(keys[gone]);  // may be gone already: then nothing happens
            left -= there[gone] ? 1u : 0u;
            there[gone] = false;
            REQUIRE(map.size() == left);
            for (uint32_t i = 0; i < 5; ++i) REQUIRE(map.find(keys[i]) == (there[i] ? 10 + i : FlatMap::kNone));
        }
    }
}

TEST_CASE("a cleared flat map has none of its keys and takes new ones") {
    FlatMap map;
    for (uint32_t i = 0; i < 500; ++i) map.set(i, i);
    map.clear();
    CHECK(map.size() == 0);
    for (uint32_t i = 0; i < 500; ++i) REQUIRE(map.find(i) == FlatMap::kNone);
    for (uint32_t i = 100; i < 200; ++i) map.set(i, 2 * i);
    CHECK(map.size() == 100);
    for (uint32_t i = 0; i < 500; ++i) REQUIRE(map.find(i) == (i >= 100 && i < 200 ? 2 * i : FlatMap::kNone));
}
