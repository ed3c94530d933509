// SPDX-License-Identifier: MIT
// Rows of joints in sweeps, eight joints at a time. The data are explained in joint_block.h.
#include "engine/simd/lanes.h"
#include "physics/constraints/joint/joint_block.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

using namespace ::proxima::PX_LEVEL_NAMESPACE;

namespace {

constexpr int kParts[6] = {0, 1, 2, 4, 5, 6};  // of a body record

/// The velocities of kLanes pairs of bodies.
struct Pair {
    Lanes a[8], b[8];
};
PX_INLINE Pair load_pair(const JointBlock& block, int k, const BodyRecords& bodies) {
    Pair p;
    load_records(bodies.velocity, block.body_a + k, kRecord, p.a);
    load_records(bodies.velocity, block.body_b + k, kRecord, p.b);
    return p;
}
PX_INLINE void store_pair(const JointBlock& block, int k, const Pair& p, const BodyRecords& bodies) {
    store_records(bodies.velocity, block.body_a + k, kRecord, block.moves_a >> k, p.a);
    store_records(bodies.velocity, block.body_b + k, kRecord, block.moves_b >> k, p.b);
}
PX_INLINE Lanes speed_of(const JointRowBlock& row, int k, const Pair& p) {
    Lanes speed(0.0f);
    for (int c = 0; c < 6; ++c)
        speed = speed + load(row.j[c] + k) * p.a[kParts[c]] + load(row.j[6 + c] + k) * p.b[kParts[c]];
    return speed;
}
PX_INLINE void give(const JointRowBlock& row, int k, Lanes impulse, Pair& p) {
    for (int c = 0; c < 6; ++c) {
        p.a[kParts[c]] = p.a[kParts[c]] + load(row.y[c] + k) * impulse;
        p.b[kParts[c]] = p.b[kParts[c]] + load(row.y[6 + c] + k) * impulse;
    }
}

/// In every sub-step: the bodies have turned since the last one.
void warm_start(void* memory, uint32_t count, const BodyRecords& bodies, const FollowLaw& law) {
    JointBlock* blocks = static_cast<JointBlock*>(memory);
    for (uint32_t b = 0; b < count; ++b) {
        refresh_joints(blocks[b], bodies, law);
        for (int k = 0; k < int(kBlockLanes); k += kLanes) {
            Pair p = load_pair(blocks[b], k, bodies);
            for (uint32_t r = 0; r < blocks[b].rows; ++r)
                give(blocks[b].row[r], k, load(blocks[b].row[r].impulse + k), p);
            store_pair(blocks[b], k, p, bodies);
        }
    }
}

/// l <- clamp(l - (J v + bias + compliance l) / (W + compliance)), row by row.
template <bool Relaxes>
PX_INLINE void sweep_blocks(void* memory, uint32_t count, const BodyRecords& bodies, const SweepLaw& law) {
    JointBlock* blocks = static_cast<JointBlock*>(memory);
    const Lanes zero(0.0f), one(1.0f);
    for (uint32_t b = 0; b < count; ++b)
        for (int k = 0; k < int(kBlockLanes); k += kLanes) {
            JointBlock& block = blocks[b];
            Pair p = load_pair(block, k, bodies);
            for (uint32_t r = 0; r < block.rows; ++r) {
                JointRowBlock& row = block.row[r];
                const Lanes bias = load((Relaxes ? row.hard_bias : row.bias) + k);
                const Lanes soft = load((Relaxes ? row.hard_compliance : row.compliance) + k);
                const Lanes response = load(row.response + k), before = load(row.impulse + k);
                const Mask some = response > zero;
                const Lanes by = (speed_of(row, k, p) + bias + soft * before) / select(some, response + soft, one);
                const Lanes wanted = min(max(before - by, load(row.lowest + k)), load(row.highest + k));
                const Lanes next = select(some, wanted, before), change = next - before;
                if (law.adds_up)
                    store(row.total + k, load(row.total + k) + next);
                else if (Relaxes)
                    store(row.total + k, load(row.total + k) + change);
                store(row.impulse + k, next);
                give(row, k, change, p);
            }
            store_pair(block, k, p, bodies);
        }
}
void sweep(void* memory, uint32_t count, const BodyRecords& bodies, const SweepLaw& law) {
    sweep_blocks<false>(memory, count, bodies, law);
}
void relax(void* memory, uint32_t count, const BodyRecords& bodies, const SweepLaw& law) {
    sweep_blocks<true>(memory, count, bodies, law);
}

}  // namespace

}  // namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE

namespace proxima::physics::sweep {

extern const JointKernels PX_AT_LEVEL(joint_kernels_);
const JointKernels PX_AT_LEVEL(joint_kernels_) = {
    {nullptr, PX_LEVEL_NAMESPACE::warm_start, PX_LEVEL_NAMESPACE::sweep, PX_LEVEL_NAMESPACE::relax, nullptr, true}};

}  // namespace proxima::physics::sweep
