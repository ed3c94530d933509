// SPDX-License-Identifier: MIT
// Which instruction set the SIMD kernels run with. Every kernel file `*.simd.cpp` is compiled once per level
// and the level is chosen when the program runs, so one build serves all processors. All levels compute the
// same bits: lanes never mix, nothing is fused or approximated.
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

/// The tables name1, name4, name8 that kernel files define with PX_AT_LEVEL(name), as many as the build holds.
#if defined(PROXIMA_WIDEST_LANES) && PROXIMA_WIDEST_LANES >= 8
#define PX_DECLARE_LEVELS(Table, name) extern const Table name##1, name##4, name##8
#define PX_PICK_LEVEL(name) ::proxima::engine::at_simd_level(&name##1, &name##4, &name##8)
#elif defined(PROXIMA_WIDEST_LANES) && PROXIMA_WIDEST_LANES >= 4
#define PX_DECLARE_LEVELS(Table, name) extern const Table name##1, name##4
#define PX_PICK_LEVEL(name) ::proxima::engine::at_simd_level<decltype(name##1)>(&name##1, &name##4, nullptr)
#else
#define PX_DECLARE_LEVELS(Table, name) extern const Table name##1
#define PX_PICK_LEVEL(name) ::proxima::engine::at_simd_level<decltype(name##1)>(&name##1, nullptr, nullptr)
#endif

/// Picks from one table per level. A level that the build does not hold has no table (null), and is never in use.
template <class Table>
Table& at_simd_level(Table* one, Table* four, Table* eight) {
    const SimdLevel level = simd_level();
    if (level == SimdLevel::eight && eight) return *eight;
    if (level != SimdLevel::one && four) return *four;
    return *one;
}

}  // namespace proxima::engine
