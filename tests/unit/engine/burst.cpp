// SPDX-License-Identifier: MIT
// Loops in bursts: what holds for one loop holds for thousands that follow each other closely.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "engine/jobs/jobs.h"
#include "tests/support/host_threads.h"

using namespace proxima;
using namespace proxima::engine;
using proxima::test::HostThreads;

namespace {

struct NamedJobs {
    const char* name;
    std::unique_ptr<Jobs> jobs;
    uint32_t loops;  // how many are worth the time: a host that starts threads for each takes long
};

std::vector<NamedJobs> all_schedulers(HostThreads& host) {
    std::vector<NamedJobs> all;
    all.push_back({"serial", make_serial_jobs(), 3000});
    all.push_back({"2 threads", make_threaded_jobs(2), 3000});
    all.push_back({"4 threads", make_threaded_jobs(4), 1500});
    all.push_back({"host", make_host_jobs(host.scheduler()), 60});
    return all;
}

/// Counts what a loop does: plain numbers by block, so that the end of a loop must make them visible.
class Watch {
  public:
    explicit Watch(Jobs& jobs) : jobs_(jobs), busy_(jobs.worker_count()) {}

    void loop(uint32_t count, uint32_t block_size) {
        ran_.assign(block_count(count, block_size), 0);
        jobs_.parallel_for(count, block_size, [&](const JobBlock& block) {
            if (block.worker >= busy_.size()) {
                ++wrong_worker_;
                return;
            }
            if (busy_[block.worker].now.fetch_add(1) != 0) ++two_at_once_;
            if (block.begin != block.block * block_size || block.end > count || block.begin >= block.end)
                ++wrong_range_;
            ran_[block.block] += 1 + block.end - block.begin;
            busy_[block.worker].now.fetch_sub(1);
        });
        uint32_t items = 0;
        for (const uint32_t r : ran_) items += r;
        for (uint32_t k = 0; k < ran_.size(); ++k) {
            const uint32_t size = std::min(block_size, count - k * block_size);
            if (ran_[k] != 1 + size) ++not_once_;
        }
        if (items != count + uint32_t(ran_.size())) ++not_once_;
    }

    void check() const {
        CHECK(not_once_ == 0);
        CHECK(wrong_worker_ == 0);
        CHECK(two_at_once_ == 0);
        CHECK(wrong_range_ == 0);
    }

  private:
    struct alignas(64) Busy {
        std::atomic<int> now{0};
    };
    Jobs& jobs_;
    std::vector<Busy> busy_;
    std::vector<uint32_t> ran_;
    uint32_t not_once_ = 0;
    std::atomic<uint32_t> wrong_worker_{0}, two_at_once_{0}, wrong_range_{0};
};

}  // namespace

TEST_CASE("in a burst of loops of many sizes every block runs exactly once, one at a time on a worker") {
    HostThreads host;
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        Watch watch(*named.jobs);
        uint32_t seed = 1;
        const JobBurst burst(*named.jobs);
        for (uint32_t i = 0; i < named.loops; ++i) {
            seed = seed * 1664525u + 1013904223u;
            watch.loop(1 + (seed >> 8) % 300, 1 + (seed >> 20) % 17);
        }
        watch.check();
    }
}

TEST_CASE("loops before, between and after bursts run as those inside") {
    HostThreads host;
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        Watch watch(*named.jobs);
        watch.loop(100, 3);
        for (uint32_t round = 0; round < named.loops / 60; ++round) {
            {
                const JobBurst burst(*named.jobs);
                for (uint32_t i = 0; i < round % 7; ++i) watch.loop(20 + 13 * i + round, 2 + i);
            }
            watch.loop(64 + round, 4);
        }
        watch.check();
    }
}

TEST_CASE("bursts without any loop, and loops of no item or of one block in a burst, do no harm") {
    HostThreads host;
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        for (int i = 0; i < 100; ++i) const JobBurst burst(*named.jobs);
        Watch watch(*named.jobs);
        {
            const JobBurst burst(*named.jobs);
            for (int i = 0; i < 50; ++i) {
                watch.loop(0, 8);
                watch.loop(8, 8);
                watch.loop(uint32_t(i), 1);
            }
        }
        watch.loop(1000, 10);
        watch.check();
    }
}

TEST_CASE("a loop inside a block of a burst runs on that block's worker, in order") {
    HostThreads host;
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        Jobs& jobs = *named.jobs;
        const JobBurst burst(jobs);
        for (int repeat = 0; repeat < 20; ++repeat) {
            std::vector<uint32_t> inner_runs(30, 0);
            std::atomic<uint32_t> moved{0};
            jobs.parallel_for(30, 1, [&](const JobBlock& outer) {
                const auto thread = std::this_thread::get_id();
                uint32_t next = 0;
                jobs.parallel_for(25, 2, [&](const JobBlock& inner) {
                    const bool here = inner.worker == outer.worker && std::this_thread::get_id() == thread;
                    if (!here || inner.block != next++) ++moved;
                    inner_runs[outer.block] += inner.end - inner.begin;
                });
            });
            CHECK(moved == 0);
            for (const uint32_t runs : inner_runs) REQUIRE(runs == 25);
        }
    }
}

TEST_CASE("a burst begun inside a block changes nothing for the block's loops and for later ones") {
    HostThreads host;
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        Jobs& jobs = *named.jobs;
        for (int repeat = 0; repeat < 10; ++repeat) {
            std::vector<uint32_t> inner_runs(16, 0);
            std::atomic<uint32_t> moved{0};
            jobs.parallel_for(16, 1, [&](const JobBlock& outer) {
                const JobBurst inner_burst(jobs);
                jobs.parallel_for(9, 1, [&](const JobBlock& inner) {
                    if (inner.worker != outer.worker) ++moved;
                    ++inner_runs[outer.block];
                });
            });
            CHECK(moved == 0);
            for (const uint32_t runs : inner_runs) REQUIRE(runs == 9);
            Watch watch(jobs);
            const JobBurst burst(jobs);
            for (uint32_t i = 0; i < 5; ++i) watch.loop(100 + i, 3);
            watch.check();
        }
    }
}

TEST_CASE("a burst inside another on the same thread ends without stopping the loops of the outer one") {
    HostThreads host;
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        Watch watch(*named.jobs);
        for (int repeat = 0; repeat < 10; ++repeat) {
            const JobBurst outer(*named.jobs);
            watch.loop(120, 5);
            {
                const JobBurst inner(*named.jobs);
                watch.loop(121, 5);
            }
            watch.loop(122, 5);
        }
        watch.loop(123, 5);
        watch.check();
    }
}

TEST_CASE("sums that a burst builds loop upon loop are the same for any number of threads") {
    // Every loop reads what the one before wrote, from blocks that other workers ran.
    const auto run_with = [](Jobs& jobs, int loops) {
        std::vector<float> values(257), next(257);
        for (size_t i = 0; i < values.size(); ++i) values[i] = 1.0f / float(i + 1);
        const JobBurst burst(jobs);
        for (int k = 0; k < loops; ++k) {
            jobs.parallel_for(257, 4, [&](const JobBlock& block) {
                for (uint32_t i = block.begin; i < block.end; ++i)
                    next[i] = 0.6f * values[i] + 0.3f * values[(i + 100) % 257] + 0.1f * values[(i + 7) % 257];
            });
            values.swap(next);
        }
        return values;
    };
    HostThreads host;
    auto serial = make_serial_jobs();
    const std::vector<float> many = run_with(*serial, 1000), few = run_with(*serial, 20);
    REQUIRE(many != few);
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        const bool short_run = named.loops < 1000;
        CHECK(run_with(*named.jobs, short_run ? 20 : 1000) == (short_run ? few : many));
    }
}

TEST_CASE("a loop waits for slow helpers to finish the blocks that they have taken") {
    for (const uint32_t threads : {2u, 4u}) {
        CAPTURE(threads);
        auto jobs = make_threaded_jobs(threads);
        const JobBurst burst(*jobs);
        uint32_t by_helpers = 0;
        for (int repeat = 0; repeat < 20; ++repeat) {
            std::vector<uint32_t> ran(12, 0), slow(12, 0);
            jobs->parallel_for(12, 1, [&](const JobBlock& block) {
                const bool helper = block.worker != 0;
                std::this_thread::sleep_for(std::chrono::microseconds(helper ? 1000 : 50));
                slow[block.block] = helper ? 1 : 0;
                ++ran[block.block];
            });
            for (const uint32_t r : ran) REQUIRE(r == 1);  // done, seen here, and not taken twice
            for (const uint32_t s : slow) by_helpers += s;
        }
        CHECK(by_helpers > 0);
    }
}

TEST_CASE("helpers of a burst really take part in its loops") {
    // The first block to run waits, with patience that has an end, until another worker has begun one.
    auto jobs = make_threaded_jobs(2);
    const JobBurst burst(*jobs);
    std::atomic<uint32_t> seen{0};
    jobs->parallel_for(2, 1, [&](const JobBlock& block) {
        seen |= 1u << block.worker;
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (seen != 3u && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    });
    CHECK(seen == 3u);
}

TEST_CASE("bursts run side by side inside the blocks of another scheduler, where threads are scarce") {
    auto outer = make_threaded_jobs(2);
    std::vector<uint32_t> done(4, 0);
    outer->parallel_for(4, 1, [&](const JobBlock& block) {
        auto own = make_threaded_jobs(2);
        const JobBurst burst(*own);
        for (int i = 0; i < 50; ++i) {
            std::atomic<uint32_t> ran{0};
            own->parallel_for(30, 1, [&](const JobBlock&) { ++ran; });
            done[block.block] += ran;
        }
    });
    for (const uint32_t d : done) CHECK(d == 1500);
}

TEST_CASE("a burst inside a burst, and inside a block of one, changes nothing and ends nothing") {
    auto jobs = make_threaded_jobs(2);
    const JobBurst outer(*jobs);
    std::atomic<uint32_t> ran{0};
    {
        const JobBurst inner(*jobs);
        jobs->parallel_for(16, 1, [&](const JobBlock&) { ++ran; });
    }
    jobs->parallel_for(64, 1, [&](const JobBlock&) {
        const JobBurst inner(*jobs);
        ++ran;
    });
    jobs->parallel_for(20, 1, [&](const JobBlock&) { ++ran; });
    CHECK(ran == 100);
}

TEST_CASE("every block runs once, whether workers take over at once or leave blocks to their owner") {
    HostThreads host;
    for (NamedJobs& named : all_schedulers(host)) {
        CAPTURE(named.name);
        const JobBurst burst(*named.jobs);
        for (const Share share : {Share::evenly, Share::affinity}) {
            for (uint32_t loop = 0; loop < std::min(named.loops, 300u); ++loop) {
                std::vector<std::atomic<uint32_t>> ran(41);
                named.jobs->parallel_for(
                    uint32_t(ran.size()), 1,
                    [&](const JobBlock& block) {
                        // The first blocks cost most: the worker that has the others is through long before.
                        volatile uint32_t work = 0;
                        for (uint32_t k = 0; k < (block.block < 8 ? 2000u : 10u); ++k) work = work + k;
                        ++ran[block.begin];
                    },
                    share);
                for (const auto& times : ran) REQUIRE(times.load() == 1);
            }
        }
    }
}
