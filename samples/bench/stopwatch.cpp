// SPDX-License-Identifier: MIT
#include "samples/bench/stopwatch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>
#include <vector>

namespace proxima::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(uint32_t threads, uint64_t loops, const std::function<void(uint32_t)>& work) {
    std::atomic<uint32_t> waiting{threads};
    std::vector<Clock::time_point> begins(threads), ends(threads);
    const auto run = [&](uint32_t thread) {
        waiting.fetch_sub(1);
        while (waiting.load() != 0) {}
        begins[thread] = Clock::now();
        for (uint64_t i = 0; i < loops; ++i) work(thread);
        ends[thread] = Clock::now();
    };
    std::vector<std::thread> others;
    for (uint32_t thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
    run(0);
    for (std::thread& other : others) other.join();
    const Clock::time_point begin = *std::min_element(begins.begin(), begins.end());
    const Clock::time_point end = *std::max_element(ends.begin(), ends.end());
    return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

double fastest_seconds(uint32_t threads, const Repeats& how, const std::function<void(uint32_t)>& work) {
    uint64_t loops = 1;
    double seconds = seconds_of(threads, loops, work);  // warms up, too
    while (seconds < how.min_seconds) {
        const double factor = seconds > 0.0 ? 1.2 * how.min_seconds / seconds : 16.0;
        loops = uint64_t(std::ceil(double(loops) * std::clamp(factor, 1.5, 16.0)));
        seconds = seconds_of(threads, loops, work);
    }
    double fastest = seconds;
    for (uint32_t r = 1; r < how.repeats; ++r) fastest = std::min(fastest, seconds_of(threads, loops, work));
    return fastest / double(loops);
}

double thread_seconds() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    timespec time{};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0) return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
#endif
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace proxima::bench
