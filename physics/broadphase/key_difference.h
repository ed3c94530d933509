// SPDX-License-Identifier: MIT
// What two sorted lists of keys do not share. The lists of successive updates differ little, so equal runs
// are stepped over and only the differences written down.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/capacity.h"
#include "engine/jobs/jobs.h"

namespace proxima::physics {

class KeyDifference {
  public:
    /// Both lists never fall; keys of `after` are unique. A key that `before` holds and `after` does not is
    /// gone, one that only `after` holds is new.
    void find(std::span<const uint64_t> before, std::span<const uint64_t> after, engine::Jobs& jobs);
    void clear();
    /// Makes room for this many differences on either side.
    void reserve(size_t differences);
    size_t bytes() const {
        size_t sum = capacity_bytes(blocks_, gone_, come_);
        for (const Block& block : blocks_) sum += capacity_bytes(block.gone, block.come);
        return sum;
    }

    /// Indices into `before`, ascending.
    std::span<const uint32_t> gone() const { return gone_; }
    /// Indices into `after`, ascending.
    std::span<const uint32_t> come() const { return come_; }

  private:
    struct Block {
        std::vector<uint32_t> gone;
        std::vector<uint32_t> come;
    };

    std::vector<Block> blocks_;  // kept for their memory
    std::vector<uint32_t> gone_;
    std::vector<uint32_t> come_;
};

}  // namespace proxima::physics
