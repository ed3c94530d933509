// SPDX-License-Identifier: MIT
#include "physics/broadphase/key_difference.h"

#include <algorithm>

namespace proxima::physics {

namespace {

constexpr uint32_t kKeyBlock = 4096;

// One walk over both ranges; `before` and `after` are whole lists, the ranges parts of them.
void walk(std::span<const uint64_t> before, uint32_t b, uint32_t b_end, std::span<const uint64_t> after, uint32_t a,
          uint32_t a_end, std::vector<uint32_t>& gone, std::vector<uint32_t>& come) {
    while (b < b_end && a < a_end) {
        // Most of both is the same: four keys at a time, without a branch for each.
        while (b + 4 <= b_end && a + 4 <= a_end &&
               ((before[b] ^ after[a]) | (before[b + 1] ^ after[a + 1]) | (before[b + 2] ^ after[a + 2]) |
                (before[b + 3] ^ after[a + 3])) == 0) {
            b += 4;
            a += 4;
        }
        if (b == b_end || a == a_end) break;
        if (before[b] == after[a]) {
            ++b;
            ++a;
        } else if (before[b] < after[a]) {
            gone.push_back(b++);
        } else {
            come.push_back(a++);
        }
    }
    while (b < b_end) gone.push_back(b++);
    while (a < a_end) come.push_back(a++);
}

}  // namespace

void KeyDifference::clear() {
    gone_.clear();
    come_.clear();
}

void KeyDifference::reserve(size_t differences) {
    gone_.reserve(differences);
    come_.reserve(differences);
    for (Block& block : blocks_) {
        block.gone.reserve(kKeyBlock);
        block.come.reserve(kKeyBlock);
    }
}

void KeyDifference::find(std::span<const uint64_t> before, std::span<const uint64_t> after, engine::Jobs& jobs) {
    clear();
    if (after.empty() || before.empty()) {
        walk(before, 0, uint32_t(before.size()), after, 0, uint32_t(after.size()), gone_, come_);
        return;
    }
    // Every block of `after` meets that part of `before` that lies between its first key and the next block's.
    const uint32_t count = uint32_t(after.size());
    const uint32_t block_count = engine::block_count(count, kKeyBlock);
    if (blocks_.size() < block_count) blocks_.resize(block_count);
    const auto index_of = [&](uint64_t key) {
        return uint32_t(std::lower_bound(before.begin(), before.end(), key) - before.begin());
    };
    jobs.parallel_for(count, kKeyBlock, [&](const engine::JobBlock& block) {
        Block& out = blocks_[block.block];
        out.gone.clear();
        out.come.clear();
        const uint32_t first = block.begin == 0 ? 0u : index_of(after[block.begin]);
        const uint32_t last = block.end == count ? uint32_t(before.size()) : index_of(after[block.end]);
        walk(before, first, last, after, block.begin, block.end, out.gone, out.come);
    });
    for (uint32_t block = 0; block < block_count; ++block) {
        gone_.insert(gone_.end(), blocks_[block].gone.begin(), blocks_[block].gone.end());
        come_.insert(come_.end(), blocks_[block].come.begin(), blocks_[block].come.end());
    }
}

}  // namespace proxima::physics
