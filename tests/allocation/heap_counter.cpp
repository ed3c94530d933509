// SPDX-License-Identifier: MIT
#include "tests/allocation/heap_counter.h"

#include <atomic>
#include <cerrno>

namespace {
std::atomic<long> allocations{0};
std::atomic<long> bytes{0};
}  // namespace

long proxima::test::heap_allocations() { return allocations.load(); }
long proxima::test::heap_bytes() { return bytes.load(); }

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <malloc.h>

namespace {
void* count(void* p) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (p) bytes.fetch_add(long(malloc_usable_size(p)), std::memory_order_relaxed);
    return p;
}
void discount(void* p) {
    if (p) bytes.fetch_sub(long(malloc_usable_size(p)), std::memory_order_relaxed);
}
}  // namespace

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

void* malloc(size_t size) { return count(__libc_malloc(size)); }
void* calloc(size_t number, size_t size) { return count(__libc_calloc(number, size)); }
void* realloc(void* p, size_t size) {
    discount(p);
    return count(__libc_realloc(p, size));
}
void* memalign(size_t alignment, size_t size) { return count(__libc_memalign(alignment, size)); }
void* aligned_alloc(size_t alignment, size_t size) { return count(__libc_memalign(alignment, size)); }
int posix_memalign(void** out, size_t alignment, size_t size) {
    *out = count(__libc_memalign(alignment, size));
    return *out ? 0 : ENOMEM;
}
void free(void* p) {
    discount(p);
    __libc_free(p);
}
}

#endif
