// SPDX-License-Identifier: MIT
// Parallel loops over fixed blocks. The block size is the caller's, never the thread count's, so results that
// depend on blocks (ordered sums, per-block output) are the same for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace proxima::engine {

/// One block of a loop: items [begin, end), block number `block`, on worker `worker` (0 .. worker_count-1).
struct JobBlock {
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t block = 0;
    uint32_t worker = 0;
};

/// What a worker does that is through with its share of a loop while another still has blocks to begin.
enum class Share : uint8_t {
    evenly,    // takes them: for blocks of which some cost more than others
    affinity,  // leaves them for as long as its own share took: they work on what the other has in its cache
};

/// How many blocks a loop over `count` items has.
constexpr uint32_t block_count(uint32_t count, uint32_t block_size) {
    return count / block_size + (count % block_size != 0 ? 1u : 0u);
}

/// The interface behind which schedulers live: serial, oneTBB, or the host's own.
/// A Jobs object runs one loop at a time: calls come from one thread, or from inside a block. A loop started
/// inside a block of the same object runs on that block's worker, in order, so per-worker scratch is never
/// shared by accident. Bodies do not throw.
class Jobs {
  public:
    using BlockFunction = void (*)(void* context, const JobBlock& block);

    virtual ~Jobs() = default;

    /// How many blocks may run at the same time; per-worker scratch is sized by it.
    virtual uint32_t worker_count() const = 0;

    /// Calls `body(JobBlock)` once per block of `block_size` items of [0, count) and returns when all have
    /// run. A loop of one block runs on the calling thread and wakes nobody.
    template <class Body>
    void parallel_for(uint32_t count, uint32_t block_size, Body&& body, Share share = Share::evenly) {
        if (count == 0) return;
        using Stored = std::remove_reference_t<Body>;
        run_blocks(
            count, block_size, [](void* context, const JobBlock& block) { (*static_cast<Stored*>(context))(block); },
            const_cast<void*>(static_cast<const void*>(std::addressof(body))), share);
    }

    /// Between these two calls loops follow each other closely: a scheduler may keep its workers awake for
    /// them. Use JobBurst.
    virtual void begin_burst() {}
    virtual void end_burst() {}

  protected:
    /// Runs all blocks of [0, count); must not allocate once warm.
    virtual void run_blocks(uint32_t count, uint32_t block_size, BlockFunction function, void* context,
                            Share share) = 0;
};

/// A stretch of closely following loops, for as long as the object lives.
class JobBurst {
  public:
    explicit JobBurst(Jobs& jobs) : jobs_(jobs) { jobs_.begin_burst(); }
    ~JobBurst() { jobs_.end_burst(); }
    JobBurst(const JobBurst&) = delete;
    JobBurst& operator=(const JobBurst&) = delete;

  private:
    Jobs& jobs_;
};

/// Runs every block in order on the calling thread.
std::unique_ptr<Jobs> make_serial_jobs();

/// Runs blocks on `threads` threads of oneTBB, the caller being one of them; 1 gives the serial scheduler.
std::unique_ptr<Jobs> make_threaded_jobs(uint32_t threads);

/// What a host engine hands in to run our loops on its own workers.
struct HostScheduler {
    uint32_t worker_count = 1;
    void* user = nullptr;
    /// Must call `run_block(task, block_index, worker_index)` once for each block_index in [0, block_count),
    /// from any threads, with worker_index < worker_count and not used by two threads at once, and return
    /// after the last one.
    void (*run)(void* user, uint32_t block_count,
                void (*run_block)(void* task, uint32_t block_index, uint32_t worker_index), void* task) = nullptr;
};
std::unique_ptr<Jobs> make_host_jobs(const HostScheduler& scheduler);

}  // namespace proxima::engine
