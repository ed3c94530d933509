// SPDX-License-Identifier: MIT
// The compiler must neither leave out work whose result nobody reads, nor join scalar chains to vectors:
// `pin` says that a value may have changed behind its back, without an instruction.
#include "samples/bench/roof_kernels.h"
#include "engine/simd/lanes.h"

namespace proxima::bench::PX_LEVEL_NAMESPACE {

using namespace ::proxima::PX_LEVEL_NAMESPACE;

namespace {

constexpr int kUnroll = 16;

PX_INLINE void pin(Lanes& x) {
#if PX_LANES == 1
    float& v = x.v;
#else
    auto& v = x.data;
#endif
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    asm volatile("" : "+x"(v));
#elif defined(__GNUC__) && defined(__aarch64__)
    asm volatile("" : "+w"(v));
#else
    volatile float sink;
    float first[kLanes];
    store(first, x);
    sink = first[0];
    (void)sink;
    (void)v;
#endif
}

PX_INLINE Lanes pinned(float value) {
    Lanes x(value);
    pin(x);
    return x;
}

PX_INLINE float first_lane(Lanes x) {
    float lanes[kLanes];
    store(lanes, x);
    return lanes[0];
}

void read(const float* data, size_t count) {
    for (size_t i = 0; i < count; i += size_t(kUnroll) * kLanes)
        for (int u = 0; u < kUnroll; ++u) {
            Lanes x = load(data + i + size_t(u) * kLanes);
            pin(x);
        }
}

void update(float* data, size_t count) {
    const Lanes one = pinned(1.0f);
    for (size_t i = 0; i < count; i += size_t(kUnroll) * kLanes)
        for (int u = 0; u < kUnroll; ++u) {
            float* at = data + i + size_t(u) * kLanes;
            store(at, load(at) * one);
        }
}

float multiply_add(uint64_t rounds) {
    // Twelve chains keep two units of four cycles busy and leave registers for the constants. They have names
    // of their own because an array would be kept in memory.
    const Lanes factor = pinned(0.999f), term = pinned(0.001f);
    Lanes a(1.0f), b(1.1f), c(1.2f), d(1.3f), e(1.4f), f(1.5f);
    Lanes g(1.6f), h(1.7f), i(1.8f), j(1.9f), k(2.0f), l(2.1f);
    const auto step = [&](Lanes& x) {
        x = x * factor + term;
        pin(x);
    };
    for (uint64_t r = 0; r < rounds; ++r) {
        step(a), step(b), step(c), step(d), step(e), step(f);
        step(g), step(h), step(i), step(j), step(k), step(l);
    }
    return first_lane((a + b + c) + (d + e + f) + (g + h + i) + (j + k + l));
}

template <class Step>
PX_INLINE float chain(uint64_t rounds, float start, const Step& step) {
    Lanes x(start);
    for (uint64_t r = 0; r < rounds; ++r)
        for (int u = 0; u < kUnroll; ++u) {
            x = step(x);
            pin(x);
        }
    return first_lane(x);
}

float add_chain(uint64_t rounds) {
    const Lanes small = pinned(1e-3f);
    return chain(rounds, 1.0f, [&](Lanes x) { return x + small; });
}
float multiply_chain(uint64_t rounds) {
    const Lanes one = pinned(1.0f);
    return chain(rounds, 1.0f, [&](Lanes x) { return x * one; });
}
float extreme_chain(uint64_t rounds) {
    const Lanes small = pinned(1e-3f);
    return chain(rounds, 1.0f, [&](Lanes x) { return max(x, small); });
}
float divide_chain(uint64_t rounds) {
    const Lanes one = pinned(1.0f);
    return chain(rounds, 1.5f, [&](Lanes x) { return x / one; });
}
float root_chain(uint64_t rounds) {
    return chain(rounds, 1.5f, [&](Lanes x) { return sqrt(x); });
}
float choose_chain(uint64_t rounds) {
    const Lanes small = pinned(1e-3f), one = pinned(1.0f);
    return chain(rounds, 1.0f, [&](Lanes x) { return select(x > small, x, one); });
}
float negate_chain(uint64_t rounds) {
    return chain(rounds, 1.0f, [&](Lanes x) { return -x; });
}
float law_chain(uint64_t rounds) {
    const Lanes factor = pinned(0.999f), small = pinned(1e-3f), zero = pinned(0.0f);
    return chain(rounds, 1.0f, [&](Lanes x) { return max(factor * x - small, zero); });
}

}  // namespace

}  // namespace proxima::bench::PX_LEVEL_NAMESPACE

namespace proxima::bench {

namespace level = PX_LEVEL_NAMESPACE;

extern const RoofKernels PX_AT_LEVEL(roof_kernels_);
const RoofKernels PX_AT_LEVEL(roof_kernels_) = {
    PX_LANES,
    level::read,
    level::update,
    level::multiply_add,
    {level::add_chain, level::multiply_chain, level::extreme_chain, level::divide_chain, level::root_chain,
     level::choose_chain, level::negate_chain},
    level::law_chain};

}  // namespace proxima::bench
