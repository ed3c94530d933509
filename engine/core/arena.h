// SPDX-License-Identifier: MIT
// Arena: memory for data that lives until the next reset(), for instance the scratch of one step. Allocation
// moves a pointer; reset() keeps all blocks, so a loop that asks for the same things again allocates nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "engine/core/assert.h"

namespace proxima {

/// Not thread safe: one arena per thread or worker.
class Arena {
  public:
    /// Memory is taken from the system in blocks of this many bytes; a larger request gets a block of its own.
    explicit Arena(size_t block_bytes = size_t(64) << 10) : block_bytes_(std::max<size_t>(block_bytes, 64)) {}
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    Arena(Arena&&) = default;
    Arena& operator=(Arena&&) = default;

    /// `bytes` of uninitialised memory at a multiple of `alignment`, a power of two. Zero bytes give a valid pointer.
    void* allocate(size_t bytes, size_t alignment = alignof(std::max_align_t)) {
        PX_ASSERT(alignment > 0 && (alignment & (alignment - 1)) == 0, "Arena: the alignment must be a power of two");
        for (; current_ < blocks_.size(); ++current_, offset_ = 0)
            if (void* found = take(bytes, alignment)) return found;
        add_block(bytes, alignment);
        return take(bytes, alignment);
    }

    /// `count` elements, default-initialised: numbers are left unset, constructors run. Destructors never run.
    template <class T>
    std::span<T> allocate_array(size_t count) {
        static_assert(std::is_trivially_destructible_v<T>, "the arena never runs destructors");
        PX_ASSERT(count <= std::numeric_limits<size_t>::max() / sizeof(T), "Arena: the array is larger than memory");
        T* first = static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
        std::uninitialized_default_construct_n(first, count);
        return {first, count};
    }

    /// Gives everything back to the arena and nothing to the system. All pointers handed out are dead.
    void reset() {
        current_ = 0;
        offset_ = 0;
        used_ = 0;
    }

    /// Bytes asked for since the last reset(), padding not counted.
    size_t bytes_used() const { return used_; }
    /// The largest bytes_used() ever.
    size_t bytes_peak() const { return peak_; }
    /// Bytes held from the system.
    size_t bytes_reserved() const { return reserved_; }

  private:
    struct Block {
        std::unique_ptr<std::byte[]> memory;
        size_t size = 0;
    };

    // From the current block, or nullptr when what is left of it is too small.
    void* take(size_t bytes, size_t alignment) {
        Block& block = blocks_[current_];
        const auto address = reinterpret_cast<uintptr_t>(block.memory.get()) + offset_;
        const size_t padding = size_t(-address & (alignment - 1));
        const size_t left = block.size - offset_;
        if (padding > left || bytes > left - padding) return nullptr;
        std::byte* found = block.memory.get() + offset_ + padding;
        offset_ += padding + bytes;
        used_ += bytes;
        peak_ = std::max(peak_, used_);
        return found;
    }

    void add_block(size_t bytes, size_t alignment) {
        PX_ASSERT(bytes <= std::numeric_limits<size_t>::max() - alignment, "Arena: the request is larger than memory");
        const size_t size = std::max(block_bytes_, bytes + alignment);
        blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
        current_ = blocks_.size() - 1;
        offset_ = 0;
        reserved_ += size;
    }

    size_t block_bytes_;
    std::vector<Block> blocks_;
    size_t current_ = 0;  // block that allocations come from; blocks_.size() when all are full
    size_t offset_ = 0;   // first free byte in it
    size_t used_ = 0;
    size_t peak_ = 0;
    size_t reserved_ = 0;
};

}  // namespace proxima
