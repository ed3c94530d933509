// SPDX-License-Identifier: MIT
// One lane that counts what is done with it: operations by kind, what is read and written, and the longest
// chain of operations that wait for each other. A kernel file compiled with PX_LANES 0 says so what it costs;
// the values are those of plain floats.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace proxima::engine {

enum class LaneOperation : uint8_t { add, multiply, extreme, divide, root, compare, select, negate };
inline constexpr int kLaneOperations = 8;

struct LaneCounts {
    uint64_t count[kLaneOperations] = {};  // subtractions are additions; extreme: min and max
    float latency[kLaneOperations] = {1, 1, 1, 1, 1, 1, 1, 1};
    float longest_chain = 0.0f;  // latencies along the longest way from a read to a write
    struct Access {
        const float* at;
        bool writes;
    };
    std::vector<Access> accesses;

    uint64_t of(LaneOperation operation) const { return count[int(operation)]; }
    /// Comparing, choosing and changing a sign are not arithmetic.
    uint64_t flops() const {
        return of(LaneOperation::add) + of(LaneOperation::multiply) + of(LaneOperation::extreme) +
               of(LaneOperation::divide) + of(LaneOperation::root);
    }
};

/// What counting lanes of this thread have done; clear it by giving it a new value.
inline LaneCounts& lane_counts() {
    thread_local LaneCounts counts;
    return counts;
}

}  // namespace proxima::engine

namespace proxima::lanes0 {

using engine::LaneOperation;

/// When the result of an operation is there, if its operands are there at `a` and `b`.
inline float after(LaneOperation operation, float a, float b) {
    engine::LaneCounts& counts = engine::lane_counts();
    ++counts.count[int(operation)];
    return (a > b ? a : b) + counts.latency[int(operation)];
}

struct Mask {
    bool v;
    float ready;
    friend Mask operator&(Mask a, Mask b) { return {a.v && b.v, after(LaneOperation::negate, a.ready, b.ready)}; }
    friend Mask operator|(Mask a, Mask b) { return {a.v || b.v, after(LaneOperation::negate, a.ready, b.ready)}; }
    friend Mask operator!(Mask a) { return {!a.v, after(LaneOperation::negate, a.ready, 0.0f)}; }
};

struct Lanes {
    float v;
    float ready;  // where its chain stands
    Lanes() = default;
    Lanes(float x) : v(x), ready(0.0f) {}
    Lanes(float x, float when) : v(x), ready(when) {}
    friend Lanes operator+(Lanes a, Lanes b) { return {a.v + b.v, after(LaneOperation::add, a.ready, b.ready)}; }
    friend Lanes operator-(Lanes a, Lanes b) { return {a.v - b.v, after(LaneOperation::add, a.ready, b.ready)}; }
    friend Lanes operator*(Lanes a, Lanes b) { return {a.v * b.v, after(LaneOperation::multiply, a.ready, b.ready)}; }
    friend Lanes operator/(Lanes a, Lanes b) { return {a.v / b.v, after(LaneOperation::divide, a.ready, b.ready)}; }
    friend Lanes operator-(Lanes a) { return {-a.v, after(LaneOperation::negate, a.ready, 0.0f)}; }
    friend Mask operator<(Lanes a, Lanes b) { return {a.v < b.v, after(LaneOperation::compare, a.ready, b.ready)}; }
    friend Mask operator>(Lanes a, Lanes b) { return {a.v > b.v, after(LaneOperation::compare, a.ready, b.ready)}; }
    friend Mask operator<=(Lanes a, Lanes b) { return {a.v <= b.v, after(LaneOperation::compare, a.ready, b.ready)}; }
    friend Mask operator>=(Lanes a, Lanes b) { return {a.v >= b.v, after(LaneOperation::compare, a.ready, b.ready)}; }
};

inline Lanes load(const float* p) {
    engine::lane_counts().accesses.push_back({p, false});
    return *p;
}
inline void store(float* p, Lanes x) {
    engine::LaneCounts& counts = engine::lane_counts();
    counts.accesses.push_back({p, true});
    if (x.ready > counts.longest_chain) counts.longest_chain = x.ready;
    *p = x.v;
}
inline Lanes min(Lanes a, Lanes b) { return {a.v < b.v ? a.v : b.v, after(LaneOperation::extreme, a.ready, b.ready)}; }
inline Lanes max(Lanes a, Lanes b) { return {a.v > b.v ? a.v : b.v, after(LaneOperation::extreme, a.ready, b.ready)}; }
inline Lanes sqrt(Lanes a) { return {std::sqrt(a.v), after(LaneOperation::root, a.ready, 0.0f)}; }
inline Lanes abs(Lanes a) { return {std::fabs(a.v), after(LaneOperation::negate, a.ready, 0.0f)}; }
inline Lanes select(Mask m, Lanes a, Lanes b) {
    const float operands = a.ready > b.ready ? a.ready : b.ready;
    return {m.v ? a.v : b.v, after(LaneOperation::select, m.ready, operands)};
}
/// A branch is guessed: nobody waits for it.
inline bool any(Mask m) { return m.v; }
inline uint32_t bits(Mask m) { return m.v ? 1u : 0u; }
inline Mask mask_of(uint32_t set) { return {(set & 1u) != 0}; }

}  // namespace proxima::lanes0
