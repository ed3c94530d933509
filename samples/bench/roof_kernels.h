// SPDX-License-Identifier: MIT
// Loops that do one thing only, as fast as a processor can: read, read and write, calculate, wait for the
// result before. What they reach are the roofs under which every other kernel works.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/simd/simd_level.h"

namespace proxima::bench {

struct RoofKernels {
    uint32_t lanes;
    /// Reads `count` floats, a multiple of 128, from memory that begins at a cache line.
    void (*read)(const float* data, size_t count);
    /// Reads and writes them; they keep their values.
    void (*update)(float* data, size_t count);
    /// `rounds` times 12 multiplications and 12 additions per lane, in 12 chains that do not wait for each other.
    float (*multiply_add)(uint64_t rounds);
    /// `rounds` times 16 operations that each wait for the one before, by engine::LaneOperation: addition,
    /// multiplication, maximum, quotient, root, comparison with choice (for the two together), sign.
    float (*chain[7])(uint64_t rounds);
    /// `rounds` times 16 steps x <- max(k x - s, 0): the law of a contact, three operations each.
    float (*law_chain)(uint64_t rounds);
};

/// The loops of the vector width in use.
const RoofKernels& roof_kernels();

}  // namespace proxima::bench
