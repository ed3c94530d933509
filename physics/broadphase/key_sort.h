// SPDX-License-Identifier: MIT
// A stable radix sort of 64-bit words by some of their bits. The sort of engine/core is for whole keys with a
// payload; here keys have 15 to 40 bits, which is two or three passes, and carry their payload in the bits below.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/capacity.h"
#include "engine/jobs/jobs.h"

namespace proxima::physics {

class KeySort {
  public:
    /// Sorts `words` by their bits [first_bit, first_bit + key_bits), keeping the order of equal keys. Bits
    /// above must be equal. `scratch` becomes as long as `words`; its contents are lost.
    void sort(std::vector<uint64_t>& words, std::vector<uint64_t>& scratch, uint32_t first_bit, uint32_t key_bits,
              engine::Jobs& jobs);

    /// Makes room to sort this many words without allocating, apart from the scratch.
    void reserve(uint32_t words);
    size_t bytes() const { return capacity_bytes(offsets_); }

  private:
    std::vector<uint32_t> offsets_;  // per (block, digit): first the count, then the offset
};

}  // namespace proxima::physics
