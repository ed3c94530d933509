// SPDX-License-Identifier: MIT
// Counts every allocation of the process by standing in for malloc, so nothing escapes: not operator new, not a
// library.
#pragma once

#include <cstddef>  // also says which C library this is

namespace proxima::test {

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
inline constexpr bool kCountsHeap = true;
#else
inline constexpr bool kCountsHeap = false;  // a sanitizer stands there itself; all counts stay zero
#endif

/// Calls that allocated, since the program began.
long heap_allocations();
/// Bytes that are allocated now.
long heap_bytes();

}  // namespace proxima::test
