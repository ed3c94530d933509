// SPDX-License-Identifier: MIT
#include "engine/jobs/ordered_lists.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace proxima::engine;

namespace {

uint32_t scrambled(uint32_t i) { return (i * 2654435761u) >> 7; }

}  // namespace

TEST_CASE("picking keeps the order of the things, for any number of threads and any block size") {
    for (const uint32_t threads : {1u, 2u, 4u}) {
        const auto jobs = make_threaded_jobs(threads);
        OrderedPick<uint64_t> pick;
        std::vector<uint64_t> out;
        // Also smaller lists after larger ones: what was found before must not come back.
        for (const uint32_t n : {5000u, 0u, 1u, 4096u, 63u})
            for (const uint32_t block : {1u, 7u, 512u}) {
                std::vector<uint64_t> expected;
                for (uint32_t i = 0; i < n; ++i)
                    if (scrambled(i) % 3 == 0) expected.push_back(uint64_t(i) << 20);
                pick(*jobs, n, block, out, [](uint32_t i, uint64_t& slot) {
                    slot = uint64_t(i) << 20;
                    return scrambled(i) % 3 == 0;
                });
                CHECK(out == expected);
            }
    }
}

TEST_CASE("picking nothing and picking all work") {
    const auto jobs = make_threaded_jobs(2);
    OrderedPick<uint32_t> pick;
    std::vector<uint32_t> out{1, 2, 3};
    pick(*jobs, 1000, 64, out, [](uint32_t, uint32_t&) { return false; });
    CHECK(out.empty());
    pick(*jobs, 1000, 64, out, [](uint32_t i, uint32_t& slot) {
        slot = i;
        return true;
    });
    REQUIRE(out.size() == 1000);
    for (uint32_t i = 0; i < 1000; ++i) CHECK(out[i] == i);
}

TEST_CASE("sorting into bins is stable and says where bins begin and end") {
    struct Thing {
        uint32_t bin, number;
        bool operator==(const Thing&) const = default;
    };
    for (const uint32_t threads : {1u, 2u, 4u}) {
        const auto jobs = make_threaded_jobs(threads);
        OrderedBins bins;
        std::vector<Thing> from, to;
        for (const uint32_t n : {10000u, 0u, 5u, 1024u, 1025u}) {
            constexpr uint32_t kBins = 37;  // some of them empty
            from.clear();
            for (uint32_t i = 0; i < n; ++i) from.push_back({scrambled(i) % kBins / 2, i});
            bins.sort(*jobs, kBins, from, to, [](const Thing& thing) { return thing.bin; });
            std::vector<Thing> expected = from;
            std::stable_sort(expected.begin(), expected.end(),
                             [](const Thing& x, const Thing& y) { return x.bin < y.bin; });
            CHECK(to == expected);
            for (uint32_t bin = 0; bin < kBins; ++bin) {
                for (uint32_t k = bins.begin(bin); k < bins.end(bin); ++k) REQUIRE(to[k].bin == bin);
                CHECK(bins.end(bin) - bins.begin(bin) ==
                      uint32_t(std::count_if(from.begin(), from.end(),
                                             [&](const Thing& thing) { return thing.bin == bin; })));
            }
        }
    }
}
