// SPDX-License-Identifier: MIT
// PX_ASSERT for our own rules, with a handler that the host may replace.
#pragma once

#include <string>

namespace proxima {

/// Called with the failed condition, its place and the message. Returning lets the program go on.
using AssertHandler = void (*)(const char* condition, const char* file, int line, const std::string& message);

/// Replaces the handler and returns the one before it; nullptr brings the default back (print, then abort).
AssertHandler set_assert_handler(AssertHandler handler);

namespace detail {
void assert_failed(const char* condition, const char* file, int line, const std::string& message);
}

}  // namespace proxima

// Alive in debug builds and where PROXIMA_ASSERTS is set (preset relassert); otherwise not evaluated.
#if defined(PROXIMA_ASSERTS) || !defined(NDEBUG)
#define PX_ASSERT(condition, message) \
    ((condition) ? void(0) : ::proxima::detail::assert_failed(#condition, __FILE__, __LINE__, (message)))
#else
#define PX_ASSERT(condition, message) void(0)
#endif
