// SPDX-License-Identifier: MIT
// Which instruction set the wide kernels run with. Every kernel file `*.wide.cpp` is compiled once per level and
// the level is chosen when the program runs, so one build serves all processors. All levels compute the same bits:
// lanes never mix, nothing is fused or approximated.
#pragma once

#include <cstdint>

namespace proxima::engine {

enum class SimdLevel : uint8_t {
    one,    // plain floats
    four,   // SSE2, NEON
    eight,  // AVX2
};

/// The level in use: the widest that the build holds and the processor can do, unless something else was asked for.
SimdLevel simd_level();

/// The widest level that simd_level() can be here.
SimdLevel widest_simd_level();

/// Asks for a level, for tests and comparisons; a wider one than there is gives the widest. Not while a step runs.
void set_simd_level(SimdLevel level);

const char* to_string(SimdLevel level);

/// Picks from one table per level. A level that the build does not hold has no table (null), and is never in use.
template <class Table>
const Table& at_simd_level(const Table* one, const Table* four, const Table* eight) {
    const SimdLevel level = simd_level();
    if (level == SimdLevel::eight && eight) return *eight;
    if (level != SimdLevel::one && four) return *four;
    return *one;
}

}  // namespace proxima::engine
