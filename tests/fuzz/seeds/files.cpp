// SPDX-License-Identifier: MIT
// Damaged files of every kind that is read: a sentence or success, never a crash, and not for long.
#include "tests/fuzz/files.h"

#include <doctest/doctest.h>

#include "tests/fuzz/isolate.h"

using namespace proxima;

TEST_CASE("damaged files of every kind are refused with a sentence or read") {
    for (const fuzz::FileKind& kind : fuzz::file_kinds()) {
        const auto run = [&](uint64_t first, uint64_t count) { return fuzz::run_file_cases(kind, first, count); };
        for (const fuzz::FailedCase& failed : fuzz::run_cases(0, 2000, 3, run))
            FAIL_CHECK("fuzz_replay " << kind.name << " " << failed.number << ": " << failed.failure);
    }
}

TEST_CASE("the files that damaged ones are made from are good, and damage is not always fatal") {
    for (const fuzz::FileKind& kind : fuzz::file_kinds()) {
        CAPTURE(std::string(kind.name));
        CHECK(kind.good_files().size() > 0);
        for (const std::string& file : kind.good_files()) {
            const fuzz::Tried tried = kind.try_file(file);
            CHECK(tried.read);
            CHECK(tried.wrong == "");
            if (!kind.update_checksum) continue;
            std::string sealed = file;
            kind.update_checksum(sealed);
            CHECK(sealed == file);
        }
        int read = 0;
        for (uint64_t number = 0; number < 200; ++number) {
            fuzz::Source source(number);
            read += kind.try_file(fuzz::make_damaged(kind, source)).read;
        }
        CHECK(read > 5);
        CHECK(read < 150);
    }
}
