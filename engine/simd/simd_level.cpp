// SPDX-License-Identifier: MIT
#include "engine/simd/simd_level.h"

#include <algorithm>
#include <atomic>

namespace proxima::engine {

namespace {

bool processor_has_avx2() {
#if PROXIMA_WIDEST_LANES >= 8 && (defined(__x86_64__) || defined(__i386__))
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

SimdLevel find_widest() {
    if (PROXIMA_WIDEST_LANES >= 8 && processor_has_avx2()) return SimdLevel::eight;
    return PROXIMA_WIDEST_LANES >= 4 ? SimdLevel::four : SimdLevel::one;
}

std::atomic<SimdLevel> level_in_use{widest_simd_level()};

}  // namespace

SimdLevel widest_simd_level() {
    static const SimdLevel widest = find_widest();
    return widest;
}

SimdLevel simd_level() { return level_in_use.load(std::memory_order_relaxed); }

void set_simd_level(SimdLevel level) {
    level_in_use.store(std::min(level, widest_simd_level()), std::memory_order_relaxed);
}

const char* to_string(SimdLevel level) {
    switch (level) {
        case SimdLevel::one:
            return "scalar";
        case SimdLevel::four:
            return "4 lanes";
        case SimdLevel::eight:
            return "8 lanes (AVX2)";
    }
    return "unknown";
}

}  // namespace proxima::engine
