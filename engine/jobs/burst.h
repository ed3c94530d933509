// SPDX-License-Identifier: MIT
// Loops in quick succession: helpers stay awake between them and spin for the next one. Waking a thread costs
// tens of microseconds, a step has more than a hundred loops, and many of them are shorter than that.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/jobs/jobs_internal.h"

namespace proxima::engine::detail {

/// Blocks of a loop are split into one part per worker. A worker takes the blocks of its own part first, so that what
/// a sweep left in its cache is there for the next, and then what is left of the others: at once or after some time,
/// as the loop wants it. The leader never waits for a helper that has not come: it finishes alone if it must, only
/// claimed blocks are waited for.
class Burst {
  public:
    explicit Burst(uint32_t workers);

    /// Runs all blocks of a loop, by the leader (worker 0) and whoever helps. Called by the leader only.
    void run(const Loop& loop);

    /// Helps until close(); for worker 1 and up.
    void help(uint32_t worker);

    void open() { open_.store(true, std::memory_order_release); }
    void close() { open_.store(false, std::memory_order_release); }

  private:
    /// Blocks [next, end) of a part are not claimed yet; both in one word, so that a claim is one
    /// compare-and-swap. A helper reads the loop only after its claim succeeded: then the loop cannot end
    /// before the helper is done.
    struct alignas(64) Part {
        std::atomic<uint64_t> blocks{0};
        std::atomic<bool> has_owner{false};  // its worker is there
    };
    static bool is_open(const Part& part);
    bool claim(Part& part, uint32_t& block);
    /// Runs what can be claimed, own part first; returns how many blocks it ran.
    uint32_t work(uint32_t worker);

    uint32_t workers_;
    std::unique_ptr<Part[]> parts_;
    alignas(64) std::atomic<uint32_t> round_{0};  // counts loops: helpers watch this one word
    alignas(64) std::atomic<uint32_t> done_{0};   // blocks of the loop that helpers have run
    alignas(64) std::atomic<bool> open_{false};
    // A hint that helpers read before they have claimed a block, so the loop may be another by then.
    std::atomic<bool> patient_{false};
    Loop loop_{};
};

}  // namespace proxima::engine::detail
