// SPDX-License-Identifier: MIT
// A vector for lists of megabytes that are read and written in no order: its memory lies in large pages where the
// system has them. With pages of 4 kB a processor finds a few megabytes at once, and looks up the rest anew each time.
#pragma once

#include <cstddef>
#include <vector>

namespace proxima {

/// Memory of its own alignment, from two megabytes on in large pages as far as it fills them. Throws std::bad_alloc.
void* allocate_long(size_t bytes, size_t alignment);
void free_long(void* memory, size_t bytes, size_t alignment) noexcept;

template <class T>
struct LongAllocator {
    using value_type = T;
    LongAllocator() = default;
    template <class Other>
    LongAllocator(const LongAllocator<Other>&) {}

    T* allocate(size_t count) { return static_cast<T*>(allocate_long(count * sizeof(T), alignof(T))); }
    void deallocate(T* memory, size_t count) noexcept { free_long(memory, count * sizeof(T), alignof(T)); }
    bool operator==(const LongAllocator&) const = default;
};

template <class T>
using LongList = std::vector<T, LongAllocator<T>>;

}  // namespace proxima
