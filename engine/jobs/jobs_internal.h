// SPDX-License-Identifier: MIT
// What the schedulers share: cutting a loop into blocks, and knowing that a loop was started inside a block.
#pragma once

#include <algorithm>

#include "engine/core/assert.h"
#include "engine/jobs/jobs.h"

namespace proxima::engine::detail {

/// One loop in flight.
struct Loop {
    const Jobs* jobs;
    uint32_t count;
    uint32_t block_size;
    Jobs::BlockFunction function;
    void* context;
    Share share;

    uint32_t blocks() const { return block_count(count, block_size); }
    void run(uint32_t block, uint32_t worker) const;
    /// Every block in order on this thread.
    void run_all(uint32_t worker) const {
        for (uint32_t block = 0, end = blocks(); block < end; ++block) run(block, worker);
    }
};

/// The innermost block that the calling thread is inside of; jobs == nullptr outside of all.
struct CurrentBlock {
    const Jobs* jobs = nullptr;
    uint32_t worker = 0;
};
CurrentBlock current_block();

/// Handles what every scheduler treats alike: loops of one block and loops inside blocks run here and now.
/// Returns false when the loop is worth distributing.
bool run_inline(const Loop& loop);

}  // namespace proxima::engine::detail
