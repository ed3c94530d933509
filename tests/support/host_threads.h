// SPDX-License-Identifier: MIT
// A host's scheduler in its plainest form: threads that take blocks from a counter.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "engine/jobs/jobs.h"

namespace proxima::test {

struct HostThreads {
    uint32_t threads = 3;
    std::atomic<uint32_t> loops{0};

    engine::HostScheduler scheduler() { return {threads, this, &HostThreads::run}; }

    static void run(void* user, uint32_t blocks, void (*run_block)(void*, uint32_t, uint32_t), void* task) {
        auto& self = *static_cast<HostThreads*>(user);
        ++self.loops;
        std::atomic<uint32_t> next{0};
        std::vector<std::thread> running;
        for (uint32_t worker = 0; worker < self.threads; ++worker)
            running.emplace_back([&, worker] {
                for (uint32_t block = next++; block < blocks; block = next++) run_block(task, block, worker);
            });
        for (std::thread& thread : running) thread.join();
    }
};

}  // namespace proxima::test
