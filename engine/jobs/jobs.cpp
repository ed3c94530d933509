// SPDX-License-Identifier: MIT
#include "engine/jobs/jobs.h"

#include "engine/jobs/jobs_internal.h"

namespace proxima::engine {

namespace detail {

namespace {
thread_local CurrentBlock current;
}  // namespace

CurrentBlock current_block() { return current; }

void Loop::run(uint32_t block, uint32_t worker) const {
    const uint32_t begin = block * block_size;
    const uint32_t end = begin + std::min(block_size, count - begin);

    struct Restore {
        CurrentBlock before = current;
        ~Restore() { current = before; }
    } restore;
    current = {jobs, worker};
    function(context, {begin, end, block, worker});
}

bool run_inline(const Loop& loop) {
    if (current.jobs == loop.jobs) {
        loop.run_all(current.worker);
        return true;
    }
    if (loop.count <= loop.block_size) {
        loop.run(0, 0);
        return true;
    }
    return false;
}

}  // namespace detail

namespace {

class SerialJobs final : public Jobs {
  public:
    uint32_t worker_count() const override { return 1; }

  protected:
    void run_blocks(uint32_t count, uint32_t block_size, BlockFunction function, void* context, Share share) override {
        PX_ASSERT(block_size > 0, "parallel_for: a block must hold at least one item");
        detail::Loop{this, count, std::max(block_size, 1u), function, context, share}.run_all(0);
    }
};

class HostJobs final : public Jobs {
  public:
    explicit HostJobs(const HostScheduler& scheduler) : scheduler_(scheduler) {}
    uint32_t worker_count() const override { return scheduler_.worker_count; }

  protected:
    struct Task {
        detail::Loop loop;
        uint32_t worker_count;
    };

    void run_blocks(uint32_t count, uint32_t block_size, BlockFunction function, void* context, Share share) override {
        PX_ASSERT(block_size > 0, "parallel_for: a block must hold at least one item");
        Task task{{this, count, std::max(block_size, 1u), function, context, share}, scheduler_.worker_count};
        if (detail::run_inline(task.loop)) return;
        scheduler_.run(
            scheduler_.user, task.loop.blocks(),
            [](void* opaque, uint32_t block, uint32_t worker) {
                const Task& running = *static_cast<const Task*>(opaque);
                PX_ASSERT(block < running.loop.blocks(), "the host scheduler ran a block that does not exist");
                PX_ASSERT(worker < running.worker_count, "the host scheduler used a worker index out of range");
                running.loop.run(block, worker);
            },
            &task);
    }

  private:
    HostScheduler scheduler_;
};

}  // namespace

std::unique_ptr<Jobs> make_serial_jobs() { return std::make_unique<SerialJobs>(); }

std::unique_ptr<Jobs> make_host_jobs(const HostScheduler& scheduler) {
    const bool usable = scheduler.run != nullptr && scheduler.worker_count > 0;
    PX_ASSERT(usable, "a host scheduler needs a run function and at least one worker");
    if (!usable) return make_serial_jobs();
    return std::make_unique<HostJobs>(scheduler);
}

}  // namespace proxima::engine
