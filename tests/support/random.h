// SPDX-License-Identifier: MIT
// Numbers for tests that look at many cases: the same on every machine, unlike the standard library's distributions.
#pragma once

#include <cstdint>

namespace proxima::test {

struct Random {
    uint32_t state = 5;

    uint32_t next() {
        state = state * 1664525u + 1013904223u;
        return state >> 8;
    }
    uint32_t below(uint32_t end) { return next() % end; }
    float between(float low, float high) { return low + (high - low) * float(below(65536)) / 65535.0f; }
};

}  // namespace proxima::test
