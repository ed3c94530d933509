// SPDX-License-Identifier: MIT
// Lists that many workers make together and that come out the same for any number of them: picking some of
// many in order, and sorting into a few bins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/core/capacity.h"
#include "engine/jobs/jobs.h"

namespace proxima::engine {

/// Picks some of n things, in their order. Keeps its memory.
template <class T>
class OrderedPick {
  public:
    /// `take(i, slot)` fills `slot` and returns true for those that are wanted.
    template <class Take>
    void operator()(Jobs& jobs, uint32_t n, uint32_t block_size, std::vector<T>& out, const Take& take) {
        const uint32_t blocks = block_count(n, block_size);
        if (found_.size() < n) found_.resize(n);
        starts_.assign(blocks + 1, 0);
        jobs.parallel_for(n, block_size, [&](const JobBlock& block) {
            uint32_t count = 0;
            for (uint32_t i = block.begin; i < block.end; ++i) count += uint32_t(take(i, found_[block.begin + count]));
            starts_[block.block + 1] = count;
        });
        for (uint32_t k = 0; k < blocks; ++k) starts_[k + 1] += starts_[k];
        if (out.capacity() < n) out.reserve(found_.capacity());
        out.resize(starts_[blocks]);
        jobs.parallel_for(blocks, kBlocksPerCopy, [&](const JobBlock& block) {
            for (uint32_t k = block.begin; k < block.end; ++k)
                std::copy_n(found_.data() + size_t(k) * block_size, starts_[k + 1] - starts_[k],
                            out.data() + starts_[k]);
        });
    }

    size_t bytes() const { return capacity_bytes(found_, starts_); }

  private:
    static constexpr uint32_t kBlocksPerCopy = 8;
    std::vector<T> found_;
    std::vector<uint32_t> starts_;
};

/// A stable counting sort into a few bins. Keeps its memory.
class OrderedBins {
  public:
    /// `bin_of(item)` is asked twice and must answer the same.
    template <class T, class BinOf>
    void sort(Jobs& jobs, uint32_t bins, const std::vector<T>& from, std::vector<T>& to, const BinOf& bin_of) {
        const uint32_t n = uint32_t(from.size());
        const uint32_t blocks = block_count(n, kItemsPerBlock);
        counts_.assign(size_t(blocks) * bins, 0);
        jobs.parallel_for(n, kItemsPerBlock, [&](const JobBlock& block) {
            uint32_t* count = counts_.data() + size_t(block.block) * bins;
            for (uint32_t i = block.begin; i < block.end; ++i) ++count[bin_of(from[i])];
        });
        starts_.resize(bins + 1);
        uint32_t next = 0;
        for (uint32_t bin = 0; bin < bins; ++bin) {
            starts_[bin] = next;
            for (uint32_t block = 0; block < blocks; ++block) {
                uint32_t& count = counts_[size_t(block) * bins + bin];
                const uint32_t here = count;
                count = next;
                next += here;
            }
        }
        starts_[bins] = next;
        if (to.capacity() < from.capacity()) to.reserve(from.capacity());
        to.resize(n);
        jobs.parallel_for(n, kItemsPerBlock, [&](const JobBlock& block) {
            uint32_t* offsets = counts_.data() + size_t(block.block) * bins;
            for (uint32_t i = block.begin; i < block.end; ++i) to[offsets[bin_of(from[i])]++] = from[i];
        });
    }
    uint32_t begin(uint32_t bin) const { return starts_[bin]; }
    uint32_t end(uint32_t bin) const { return starts_[bin + 1]; }

    size_t bytes() const { return capacity_bytes(counts_, starts_); }

  private:
    static constexpr uint32_t kItemsPerBlock = 1024;
    std::vector<uint32_t> counts_;  // by block and bin; then where a block's next item of a bin goes
    std::vector<uint32_t> starts_;
};

}  // namespace proxima::engine
