// SPDX-License-Identifier: MIT
// Damaged snapshots: a world refuses them with a sentence and goes on as before, or takes them and steps on.
#include <doctest/doctest.h>

#include "tests/fuzz/isolate.h"
#include "tests/fuzz/snapshots.h"

using namespace proxima;

TEST_CASE("ten thousand damaged snapshots are refused with a sentence or survived") {
    for (const fuzz::FailedCase& failed : fuzz::run_cases(0, 10000, 5, fuzz::run_snapshot_cases))
        FAIL_CHECK("fuzz_replay snapshot " << failed.number << ": " << failed.failure);
}

TEST_CASE("of damaged snapshots under a right checksum some are refused and some are not") {
    fuzz::SnapshotFuzzer fuzzer;
    for (uint64_t number = 0; number < 200; ++number) {
        fuzz::Source source(number);
        CHECK(fuzzer.run(source) == "");
    }
    CHECK(fuzzer.refused() > 50);
    CHECK(fuzzer.accepted() > 20);
    CHECK(fuzzer.check_futures() == "");
}
