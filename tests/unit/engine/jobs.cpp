// SPDX-License-Identifier: MIT
#include "engine/jobs/jobs.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "engine/jobs/ordered_sum.h"
#include "tests/support/host_threads.h"

using namespace proxima;
using namespace proxima::engine;
using proxima::test::HostThreads;

namespace {

struct NamedJobs {
    const char* name;
    std::unique_ptr<Jobs> jobs;
};

std::vector<NamedJobs> all_schedulers(HostThreads& host) {
    std::vector<NamedJobs> all;
    all.push_back({"serial", make_serial_jobs()});
    all.push_back({"1 thread", make_threaded_jobs(1)});
    all.push_back({"2 threads", make_threaded_jobs(2)});
    all.push_back({"4 threads", make_threaded_jobs(4)});
    all.push_back({"host", make_host_jobs(host.scheduler())});
    return all;
}

}  // namespace

TEST_CASE("every scheduler runs every block exactly once") {
    HostThreads host{.threads = 3};
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        Jobs& jobs = *named.jobs;
        for (const uint32_t count : {0u, 1u, 63u, 64u, 65u, 1000u, 6400u}) {
            CAPTURE(count);
            std::vector<std::atomic<uint32_t>> item_runs(count);
            std::vector<std::atomic<uint32_t>> block_runs(block_count(count, 64));
            std::atomic<uint32_t> wrong{0};
            jobs.parallel_for(count, 64, [&](const JobBlock& block) {
                ++block_runs[block.block];
                for (uint32_t i = block.begin; i < block.end; ++i) ++item_runs[i];
                const bool full = block.end - block.begin == 64 || block.end == count;
                if (block.begin != block.block * 64 || !full || block.worker >= jobs.worker_count()) ++wrong;
            });
            CHECK(wrong == 0);
            for (const auto& runs : item_runs) REQUIRE(runs == 1);
            for (const auto& runs : block_runs) REQUIRE(runs == 1);
        }
    }
}

TEST_CASE("no two blocks share a worker at the same time") {
    HostThreads host{.threads = 4};
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        std::vector<std::atomic<int>> busy(named.jobs->worker_count());
        std::atomic<uint32_t> shared{0};
        named.jobs->parallel_for(4000, 2, [&](const JobBlock& block) {
            if (busy[block.worker].fetch_add(1) != 0) ++shared;
            volatile double work = 0.0;
            for (int i = 0; i < 200; ++i) work = work + std::sqrt(double(i + 1));
            busy[block.worker].fetch_sub(1);
        });
        CHECK(shared == 0);
    }
}

TEST_CASE("a scheduler of n threads has n workers") {
    CHECK(make_serial_jobs()->worker_count() == 1);
    CHECK(make_threaded_jobs(0)->worker_count() == 1);
    CHECK(make_threaded_jobs(1)->worker_count() == 1);
    CHECK(make_threaded_jobs(4)->worker_count() == 4);
}

TEST_CASE("four threads really run at once, even on a machine with fewer cores") {
    // Every block waits until four of them have begun: fewer than four threads would never get past it.
    auto jobs = make_threaded_jobs(4);
    std::atomic<uint32_t> begun{0};
    std::vector<uint32_t> workers(4);
    jobs->parallel_for(4, 1, [&](const JobBlock& block) {
        workers[block.block] = block.worker;
        ++begun;
        while (begun < 4) std::this_thread::yield();
    });
    CHECK(begun == 4);
    std::vector<uint32_t> used(4, 0);
    for (const uint32_t worker : workers) ++used[worker];
    CHECK(used == std::vector<uint32_t>{1, 1, 1, 1});
}

TEST_CASE("a loop of one block runs on the calling thread and wakes nobody") {
    HostThreads host{.threads = 3};
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        std::thread::id where;
        named.jobs->parallel_for(64, 64, [&](const JobBlock& block) {
            where = std::this_thread::get_id();
            CHECK(block.worker == 0);
        });
        CHECK(where == std::this_thread::get_id());
    }
    CHECK(host.loops == 0);
}

TEST_CASE("a loop inside a block runs on the worker of that block") {
    HostThreads host{.threads = 3};
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        Jobs& jobs = *named.jobs;
        std::vector<std::atomic<uint32_t>> runs(40 * 40);
        std::atomic<uint32_t> moved{0};
        jobs.parallel_for(40, 1, [&](const JobBlock& outer) {
            const auto thread = std::this_thread::get_id();
            uint32_t next = 0;
            jobs.parallel_for(40, 1, [&](const JobBlock& inner) {
                ++runs[outer.block * 40 + inner.block];
                const bool here = inner.worker == outer.worker && std::this_thread::get_id() == thread;
                if (!here || inner.block != next++) ++moved;
            });
        });
        CHECK(moved == 0);
        for (const auto& r : runs) REQUIRE(r == 1);
    }
}

TEST_CASE("an ordered sum of floats has the same bits for any number of threads") {
    std::vector<float> values(100000);
    uint32_t seed = 1;
    for (float& v : values) {
        seed = seed * 1664525u + 1013904223u;
        v = (float(seed >> 8) / float(1 << 24) - 0.5f) * std::exp2(float(seed % 40) - 20.0f);
    }
    const auto sum_with = [&](Jobs& jobs) {
        std::vector<float> partials;
        return ordered_sum(jobs, uint32_t(values.size()), 256, partials, [&](const JobBlock& block) {
            float sum = 0.0f;
            for (uint32_t i = block.begin; i < block.end; ++i) sum += values[i];
            return sum;
        });
    };
    const float expected = sum_with(*make_serial_jobs());
    double exact = 0.0;
    for (const float v : values) exact += double(v);
    CHECK(double(expected) == doctest::Approx(exact).epsilon(1e-3));

    HostThreads host{.threads = 3};
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        for (int repeat = 0; repeat < 10; ++repeat) REQUIRE(sum_with(*named.jobs) == expected);
    }
}

TEST_CASE("an ordered reduction combines partials in the order of blocks and starts at the initial value") {
    auto jobs = make_threaded_jobs(4);
    std::vector<uint64_t> partials;
    const uint64_t digits = ordered_reduce(
        *jobs, 8, 1, uint64_t(9), partials, [](const JobBlock& block) { return uint64_t(block.block); },
        [](uint64_t sum, uint64_t partial) { return sum * 10 + partial; });
    CHECK(digits == 901234567);
    CHECK(ordered_reduce(
              *jobs, 0, 1, uint64_t(7), partials, [](const JobBlock&) { return uint64_t(1); },
              [](uint64_t sum, uint64_t partial) { return sum + partial; }) == 7);
}

TEST_CASE("the last block of the largest loop does not overflow") {
    auto jobs = make_serial_jobs();
    uint64_t items = 0;
    uint32_t last_end = 0;
    jobs->parallel_for(UINT32_MAX, 0x40000000u, [&](const JobBlock& block) {
        items += block.end - block.begin;
        last_end = block.end;
    });
    CHECK(items == UINT32_MAX);
    CHECK(last_end == UINT32_MAX);
}
