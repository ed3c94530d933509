// SPDX-License-Identifier: MIT
// libFuzzer: calls of the public API. An input is a program as read_program reads it.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/api.h"

using namespace proxima;

namespace {
constexpr uint32_t kMaxCalls = 100;  // a world of this many takes milliseconds, so that many are tried
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const fuzz::Program program = fuzz::read_program({data, size}, kMaxCalls);
    const std::string failure = fuzz::run_program(program);
    if (failure.empty()) return 0;
    std::fprintf(stderr, "%s\n", failure.c_str());
    (void)fuzz::run_program(program, stderr);
    std::abort();
}
