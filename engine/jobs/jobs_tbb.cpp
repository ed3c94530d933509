// SPDX-License-Identifier: MIT
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <atomic>
#include <memory>
#include <string>

#include "engine/jobs/burst.h"
#include "engine/jobs/jobs.h"
#include "engine/jobs/jobs_internal.h"
#include "engine/profile/zone.h"

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace proxima::engine {

namespace {

// Packaged oneTBB is built without the thread sanitizer, which then cannot see that a loop begins after its
// caller's writes and ends before its caller's reads. These two tell it so; between blocks of one loop
// nothing is promised, so a race there is still found. Without the sanitizer they are nothing.
void hand_over([[maybe_unused]] const detail::Loop& loop) {
#if defined(__SANITIZE_THREAD__)
    __tsan_release(const_cast<detail::Loop*>(&loop));
#endif
}
void take_over([[maybe_unused]] const detail::Loop& loop) {
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(const_cast<detail::Loop*>(&loop));
#endif
}

// Gives the worker threads names in profiles, once each.
class WorkerNames final : public tbb::task_scheduler_observer {
  public:
    explicit WorkerNames(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }
    ~WorkerNames() override { observe(false); }

    void on_scheduler_entry(bool is_worker) override {
        static std::atomic<uint32_t> next{1};
        thread_local bool named = false;
        if (!is_worker || named) return;
        named = true;
        set_thread_name("worker " + std::to_string(next.fetch_add(1, std::memory_order_relaxed)));
    }
};

class TbbJobs final : public Jobs {
  public:
    explicit TbbJobs(uint32_t threads)
        : threads_(threads), more_threads_(allow(threads)), arena_(int(threads), 1), names_(arena_), burst_(threads) {}
    uint32_t worker_count() const override { return threads_; }

    /// Asks for helpers and does not wait for them: they join whichever loop is running when they wake.
    void begin_burst() override {
        // Inside a block a burst means nothing; inside another burst it goes on.
        if (detail::current_block().jobs == this || ++burst_depth_ > 1) return;
        burst_.open();
        arena_.execute([this] {
            for (uint32_t k = 1; k < threads_; ++k)
                helpers_->run([this] {
                    // Slot 0 is the caller's: a helper there comes from end_burst, when there is nothing left to do.
                    const int slot = tbb::this_task_arena::current_thread_index();
                    if (slot > 0) burst_.help(uint32_t(slot));
                });
        });
    }
    void end_burst() override {
        if (detail::current_block().jobs == this || --burst_depth_ > 0) return;
        burst_.close();
        arena_.execute([this] { helpers_->wait(); });
    }

  protected:
    void run_blocks(uint32_t count, uint32_t block_size, BlockFunction function, void* context, Share share) override {
        PX_ASSERT(block_size > 0, "parallel_for: a block must hold at least one item");
        const detail::Loop loop{this, count, std::max(block_size, 1u), function, context, share};
        if (detail::run_inline(loop)) return;
        if (burst_depth_ > 0) {
            burst_.run(loop);
            return;
        }
        hand_over(loop);
        arena_.execute([&loop] {
            tbb::parallel_for(tbb::blocked_range<uint32_t>(0, loop.blocks(), 1),
                              [&loop](const tbb::blocked_range<uint32_t>& blocks) {
                                  PX_ZONE("blocks");
                                  take_over(loop);
                                  const auto worker = uint32_t(tbb::this_task_arena::current_thread_index());
                                  for (uint32_t block = blocks.begin(); block != blocks.end(); ++block)
                                      loop.run(block, worker);
                                  hand_over(loop);
                              });
        });
        take_over(loop);
    }

  private:
    // oneTBB starts no more threads than the machine has cores, whatever an arena asks for. A limit is set only to
    // raise this: of several limits the smallest counts, and a lower one would starve the host's own loops.
    static std::unique_ptr<tbb::global_control> allow(uint32_t threads) {
        if (threads <= uint32_t(tbb::info::default_concurrency())) return nullptr;
        return std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
    }

    uint32_t threads_;
    std::unique_ptr<tbb::global_control> more_threads_;  // before the arena, which asks for its workers when made
    tbb::task_arena arena_;
    WorkerNames names_;  // after the arena: ends before it
    detail::Burst burst_;
    std::unique_ptr<tbb::task_group> helpers_ = std::make_unique<tbb::task_group>();
    uint32_t burst_depth_ = 0;
};

}  // namespace

std::unique_ptr<Jobs> make_threaded_jobs(uint32_t threads) {
    if (threads <= 1) return make_serial_jobs();
    // More threads than this help nobody and would only exhaust the machine.
    constexpr uint32_t kMaxThreads = 1024;
    return std::make_unique<TbbJobs>(std::min(threads, kMaxThreads));
}

}  // namespace proxima::engine
