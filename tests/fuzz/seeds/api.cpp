// SPDX-License-Identifier: MIT
// Whatever a game calls, in any order: no crash, finite states, and the same future for every number of
// threads and after every restore.
#include <doctest/doctest.h>

#include "tests/fuzz/api.h"

using namespace proxima;

namespace {

constexpr uint64_t kWorlds = 30;   // of 400 calls, each run four times
constexpr size_t kAttempts = 200;  // to make a failing program shorter before it is printed

}  // namespace

TEST_CASE("worlds survive random calls, and their future depends on nothing but the calls") {
    for (uint64_t seed = 0; seed < kWorlds; ++seed) {
        const fuzz::Program program = fuzz::make_program(seed);
        const std::string failure = fuzz::run_isolated(program);
        if (failure.empty()) continue;
        FAIL_CHECK("seed " << seed << ": " << failure << " Its calls, as few as were found to do it:");
        fuzz::describe(fuzz::minimise(program, kAttempts), stdout);
    }
}
