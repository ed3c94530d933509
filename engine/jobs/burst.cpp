// SPDX-License-Identifier: MIT
#include "engine/jobs/burst.h"

#include <chrono>
#include <thread>

#include "engine/profile/zone.h"

#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace proxima::engine::detail {

namespace {

void relax_processor() {
#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/// Spins, and gives the processor away when the wait is long: another thread may need it to finish what we wait for.
class Backoff {
  public:
    void pause() {
        if (++spins_ > kSpins)
            std::this_thread::yield();
        else
            relax_processor();
    }
    void reset() { spins_ = 0; }

  private:
    static constexpr uint32_t kSpins = 2000;
    uint32_t spins_ = 0;
};

using Clock = std::chrono::steady_clock;

constexpr uint64_t pack(uint32_t next, uint32_t end) { return uint64_t(end) << 32 | next; }

}  // namespace

Burst::Burst(uint32_t workers) : workers_(workers), parts_(new Part[workers]) {
    parts_[0].has_owner.store(true, std::memory_order_relaxed);
}

bool Burst::claim(Part& part, uint32_t& block) {
    uint64_t seen = part.blocks.load(std::memory_order_acquire);
    while (uint32_t(seen) < uint32_t(seen >> 32)) {
        if (part.blocks.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
            block = uint32_t(seen);
            return true;
        }
    }
    return false;
}

bool Burst::is_open(const Part& part) {
    const uint64_t seen = part.blocks.load(std::memory_order_acquire);
    return uint32_t(seen) < uint32_t(seen >> 32);
}

uint32_t Burst::work(uint32_t worker) {
    uint32_t ran = 0, block = 0;
    const bool patient = patient_.load(std::memory_order_relaxed);
    const Clock::time_point start = patient ? Clock::now() : Clock::time_point{};
    Clock::time_point until{};
    for (uint32_t k = 0; k < workers_; ++k) {
        Part& part = parts_[(worker + k) % workers_];
        if (k > 0 && patient && is_open(part) && part.has_owner.load(std::memory_order_relaxed)) {
            // As long as the own part took: parts are of equal size, and the other may have begun later.
            if (until == Clock::time_point{}) until = Clock::now() + (Clock::now() - start);
            while (is_open(part) && Clock::now() < until) relax_processor();
        }
        while (claim(part, block)) {
            loop_.run(block, worker);
            ++ran;
            if (worker != 0) done_.fetch_add(1, std::memory_order_release);
        }
    }
    return ran;
}

void Burst::run(const Loop& loop) {
    loop_ = loop;
    done_.store(0, std::memory_order_relaxed);
    patient_.store(loop.share == Share::affinity, std::memory_order_relaxed);
    const uint32_t blocks = loop.blocks();
    uint32_t begin = 0;
    for (uint32_t k = 0; k < workers_; ++k) {
        const uint32_t end = uint32_t(uint64_t(blocks) * (k + 1) / workers_);
        parts_[k].blocks.store(pack(begin, end), std::memory_order_release);
        begin = end;
    }
    round_.fetch_add(1, std::memory_order_release);
    const uint32_t own = work(0);
    Backoff backoff;
    while (done_.load(std::memory_order_acquire) != blocks - own) backoff.pause();
}

void Burst::help(uint32_t worker) {
    parts_[worker].has_owner.store(true, std::memory_order_relaxed);
    uint32_t seen = round_.load(std::memory_order_acquire) - 1;
    Backoff backoff;
    while (open_.load(std::memory_order_acquire)) {
        const uint32_t round = round_.load(std::memory_order_acquire);
        if (round == seen) {
            backoff.pause();
            continue;
        }
        seen = round;
        {
            PX_ZONE("blocks");
            work(worker);
        }
        backoff.reset();
    }
    parts_[worker].has_owner.store(false, std::memory_order_relaxed);
}

}  // namespace proxima::engine::detail
