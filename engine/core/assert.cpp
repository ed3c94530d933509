// SPDX-License-Identifier: MIT
#include "engine/core/assert.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace proxima {

namespace {

void print_and_abort(const char* condition, const char* file, int line, const std::string& message) {
    std::fprintf(stderr, "%s:%d: assertion failed: %s\n  %s\n", file, line, condition, message.c_str());
    std::abort();
}

std::atomic<AssertHandler> current_handler{&print_and_abort};

}  // namespace

AssertHandler set_assert_handler(AssertHandler handler) {
    return current_handler.exchange(handler ? handler : &print_and_abort);
}

void detail::assert_failed(const char* condition, const char* file, int line, const std::string& message) {
    current_handler.load()(condition, file, line, message);
}

}  // namespace proxima
