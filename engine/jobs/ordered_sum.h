// SPDX-License-Identifier: MIT
// Parallel reductions whose result does not depend on the number of threads: one partial per block, combined in the
// order of blocks. Floating-point addition is not associative, so the order must be ours and not the scheduler's.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/jobs/jobs.h"

namespace proxima::engine {

/// combine(... combine(combine(initial, p0), p1) ..., pn) with p_k = block_value(JobBlock k), evaluated in
/// parallel. `partials` is the caller's scratch: kept between calls, it makes the loop free of allocation.
template <class T, class BlockValue, class Combine>
T ordered_reduce(Jobs& jobs, uint32_t count, uint32_t block_size, T initial, std::vector<T>& partials,
                 BlockValue&& block_value, Combine&& combine) {
    static_assert(!std::is_same_v<T, bool>, "vector<bool> packs its elements: two blocks would write one byte");
    if (count == 0) return initial;
    const uint32_t blocks = block_count(count, block_size);
    partials.resize(blocks);
    jobs.parallel_for(count, block_size, [&](const JobBlock& block) { partials[block.block] = block_value(block); });
    for (const T& partial : partials) initial = combine(initial, partial);
    return initial;
}

/// The sum of block_value(JobBlock) over all blocks, added in the order of blocks to T{}.
template <class T, class BlockValue>
T ordered_sum(Jobs& jobs, uint32_t count, uint32_t block_size, std::vector<T>& partials, BlockValue&& block_value) {
    return ordered_reduce(jobs, count, block_size, T{}, partials, block_value,
                          [](const T& sum, const T& partial) { return sum + partial; });
}

}  // namespace proxima::engine
