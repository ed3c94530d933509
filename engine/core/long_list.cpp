// SPDX-License-Identifier: MIT
#include "engine/core/long_list.h"

#include <algorithm>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace proxima {

namespace {

constexpr size_t kLargePage = size_t(2) << 20;

std::align_val_t alignment_of(size_t bytes, size_t alignment) {
    return std::align_val_t(std::max(alignment, bytes >= kLargePage ? kLargePage : alignof(std::max_align_t)));
}

}  // namespace

void* allocate_long(size_t bytes, size_t alignment) {
    void* memory = ::operator new(bytes, alignment_of(bytes, alignment));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    // A wish: a system that does not grant it says so, and nothing changes.
    if (bytes >= kLargePage) (void)madvise(memory, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
#endif
    return memory;
}

void free_long(void* memory, size_t bytes, size_t alignment) noexcept {
    ::operator delete(memory, bytes, alignment_of(bytes, alignment));
}

}  // namespace proxima
