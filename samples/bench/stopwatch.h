// SPDX-License-Identifier: MIT
// Timing of short work that can be repeated: on one thread, or on several that begin together.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace proxima::bench {

using Stopwatch = std::chrono::steady_clock;
inline double milliseconds_since(Stopwatch::time_point start) {
    return std::chrono::duration<double, std::milli>(Stopwatch::now() - start).count();
}

struct Repeats {
    uint32_t repeats = 9;       // of which the fastest counts
    double min_seconds = 4e-3;  // work is repeated inside of a repeat until it takes so long
};

/// Seconds of one call of `work(thread)`, when all threads call it at the same time, again and again; until
/// the last one is through.
double fastest_seconds(uint32_t threads, const Repeats& how, const std::function<void(uint32_t)>& work);

/// Processor time of this thread, s: what other programs do meanwhile is not in it. Where the system does not
/// say, the time that has passed.
double thread_seconds();

}  // namespace proxima::bench
