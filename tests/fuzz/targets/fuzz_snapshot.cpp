// SPDX-License-Identifier: MIT
// libFuzzer: snapshots of a world, always under a right checksum: what the checksum refuses has no content to be
// tried.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/snapshots.h"

using namespace proxima;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static fuzz::SnapshotFuzzer fuzzer;
    static uint64_t runs = 0;
    std::string failure = fuzzer.run_bytes(std::string(reinterpret_cast<const char*>(data), size));
    if (failure.empty() && ++runs % 64 == 0) failure = fuzzer.check_futures();
    if (failure.empty()) return 0;
    std::fprintf(stderr, "%s\n", failure.c_str());
    std::abort();
}
