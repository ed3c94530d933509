// SPDX-License-Identifier: MIT
// Counts every allocation of the process by standing in for malloc, so nothing escapes: not operator new, not
// a library.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "physics/physics.h"
#include "samples/scenes/scenes.h"

namespace {
std::atomic<long> allocations{0};
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void* malloc(size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_calloc(count, size);
}
void* realloc(void* p, size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_realloc(p, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_memalign(alignment, size);
}
}
#endif

using namespace proxima;
using namespace proxima::physics;

namespace {

/// Allocations in `counted` steps of a scene after `warm` steps.
long allocations_of(const char* name, int warm, int counted, uint32_t threads) {
    auto scene = samples::make_scene(name);
    REQUIRE_MESSAGE(scene.ok(), scene.error());
    PhysicsWorld world(engine::make_threaded_jobs(threads));
    REQUIRE(instantiate(scene.value(), world).ok());
    bool ok = true;
    for (int i = 0; i < warm; ++i) ok = world.step(1.0f / 60.0f).ok() && ok;
    const long before = allocations.load();
    for (int i = 0; i < counted; ++i) ok = world.step(1.0f / 60.0f).ok() && ok;
    const long after = allocations.load();
    REQUIRE(ok);
    return after - before;
}

}  // namespace

TEST_CASE("the counter counts") {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const long before = allocations.load();
    ::operator delete(::operator new(100));  // called by name: a new-expression may be optimised away
    CHECK(allocations.load() > before);
#else
    MESSAGE("skipped: allocations are counted with glibc and without sanitizers only");
#endif
}

TEST_CASE("a warm step allocates nothing: a standing wall") {
    CHECK(allocations_of("pyramid20", 60, 60, 1) == 0);
}

TEST_CASE("a warm step allocates nothing: an arch of hulls") {
    CHECK(allocations_of("arch25", 60, 60, 1) == 0);
}

TEST_CASE("a warm step allocates nothing: balls still rolling in a box") {
    CHECK(allocations_of("marble_box", 240, 60, 1) == 0);
}

TEST_CASE("a warm step allocates nothing on two threads") {
    CHECK(allocations_of("pyramid20", 120, 60, 2) == 0);
}
