// SPDX-License-Identifier: MIT
#include "physics/broadphase/key_sort.h"

#include <algorithm>
#include <utility>

namespace proxima::physics {

namespace {

constexpr uint32_t kBlock = 8192;
constexpr uint32_t kWidestDigit = 11;

}  // namespace

void KeySort::reserve(uint32_t words) { offsets_.reserve(size_t(engine::block_count(words, kBlock)) << kWidestDigit); }

void KeySort::sort(std::vector<uint64_t>& words, std::vector<uint64_t>& scratch, uint32_t first_bit, uint32_t key_bits,
                   engine::Jobs& jobs) {
    const uint32_t count = uint32_t(words.size());
    scratch.resize(count);
    if (count < 2 || key_bits == 0) return;

    // Wide digits mean fewer passes, narrow ones counters that stay in the first cache and are quickly cleared.
    const uint32_t widest = count < 2048 ? 8u : kWidestDigit;
    const uint32_t passes = (key_bits + widest - 1) / widest;
    const uint32_t digit_bits = (key_bits + passes - 1) / passes;
    const uint32_t digits = 1u << digit_bits;
    const uint32_t blocks = engine::block_count(count, kBlock);
    offsets_.resize(size_t(blocks) * digits);

    for (uint32_t pass = 0; pass < passes; ++pass) {
        const uint32_t shift = first_bit + pass * digit_bits;
        const auto digit_of = [shift, digits](uint64_t word) { return uint32_t(word >> shift) & (digits - 1); };
        jobs.parallel_for(count, kBlock, [&](const engine::JobBlock& block) {
            uint32_t* counts = offsets_.data() + size_t(block.block) * digits;
            std::fill_n(counts, digits, 0u);
            for (uint32_t i = block.begin; i < block.end; ++i) ++counts[digit_of(words[i])];
        });
        uint32_t sum = 0;
        for (uint32_t digit = 0; digit < digits; ++digit)
            for (uint32_t block = 0; block < blocks; ++block)
                sum += std::exchange(offsets_[size_t(block) * digits + digit], sum);
        jobs.parallel_for(count, kBlock, [&](const engine::JobBlock& block) {
            uint32_t* offsets = offsets_.data() + size_t(block.block) * digits;
            for (uint32_t i = block.begin; i < block.end; ++i) scratch[offsets[digit_of(words[i])]++] = words[i];
        });
        words.swap(scratch);
    }
}

}  // namespace proxima::physics
