// SPDX-License-Identifier: MIT
// Ball joints in sweeps. The data and the equations are in ball_joint_block.h.
#include "physics/constraints/ball_joint/ball_joint_block.h"
#include "physics/constraints/joint_errors.h"
#include "physics/solve/direct/direct_lanes.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

using namespace ::proxima::PX_LEVEL_NAMESPACE;
using direct::PX_LEVEL_NAMESPACE::for_lanes;

namespace {

PX_INLINE Vec load_vec(const Row* rows, int k) { return {load(rows[0] + k), load(rows[1] + k), load(rows[2] + k)}; }
PX_INLINE void store_vec(Row* rows, int k, const Vec& v) {
    store(rows[0] + k, v.x);
    store(rows[1] + k, v.y);
    store(rows[2] + k, v.z);
}
PX_INLINE Sym load_sym(const Row* rows, int k) {
    return {load(rows[0] + k), load(rows[1] + k), load(rows[2] + k),
            load(rows[3] + k), load(rows[4] + k), load(rows[5] + k)};
}
PX_INLINE Vec rotate(const Lanes q[4], const Vec& v) {  // (x, y, z, w)
    const Vec axis{q[0], q[1], q[2]};
    const Vec t = cross(axis, v) * Lanes(2.0f);
    return v + t * q[3] + cross(axis, t);
}
PX_INLINE Lanes length(const Vec& v) { return sqrt(dot(v, v)); }

/// One body of kLanes joints: its velocity, where its anchor is about its centre of mass, and how far that has moved.
struct Side {
    Lanes velocity[8];
    Vec arm, center;
    Lanes radius;
};
PX_INLINE Side load_side(const uint32_t* list, const Row* anchor, const Row& mass, int k, const BodyRecords& records,
                         float elapsed) {
    Side s;
    Lanes delta[8], transform[8];
    load_records(records.velocity, list + k, kRecord, s.velocity);
    load_records(records.delta, list + k, kRecord, delta);
    load_records(records.transform, list + k, kRecord, transform);
    s.arm = rotate(transform, load_vec(anchor, k));
    s.radius = transform[7];
    s.center = Vec{transform[4] + delta[0], transform[5] + delta[1], transform[6] + delta[2]};
    if (elapsed != 0.0f) {
        // Kinematic bodies belong to no worker and have not moved yet: where they are follows from the time.
        const Lanes time = select(load(mass + k) > Lanes(0.0f), Lanes(0.0f), Lanes(elapsed));
        s.center = s.center + Vec{s.velocity[0], s.velocity[1], s.velocity[2]} * time;
        // Turned by the quaternion (1, tan(|w| t / 2) w / |w|), the tangent to fifth order.
        const Vec turn = Vec{s.velocity[4], s.velocity[5], s.velocity[6]} * time;
        const Lanes square = dot(turn, turn);
        const Vec half = turn * (Lanes(0.5f) + square * (Lanes(1.0f / 24.0f) + square * Lanes(1.0f / 240.0f)));
        const Vec side = cross(half, s.arm);
        s.arm = s.arm + (side + cross(half, side)) * (Lanes(2.0f) / (Lanes(1.0f) + dot(half, half)));
    }
    return s;
}

PX_INLINE Vec point_velocity(const Side& s) {
    return Vec{s.velocity[0], s.velocity[1], s.velocity[2]} +
           cross(Vec{s.velocity[4], s.velocity[5], s.velocity[6]}, s.arm);
}

struct Pair {
    Side a, b;
    Vec error() const { return b.center - a.center + (b.arm - a.arm); }
    Vec velocity() const { return point_velocity(b) - point_velocity(a); }
};
PX_INLINE Pair load_pair(const BallJointBlock& block, int k, const BodyRecords& records, float elapsed) {
    return {load_side(block.body_a, block.anchor_a, block.mass_a, k, records, elapsed),
            load_side(block.body_b, block.anchor_b, block.mass_b, k, records, elapsed)};
}

/// What a unit impulse along each axis does to the velocity of one side: 1/m 1 - [r] I^-1 [r].
PX_INLINE Sym side_response(Lanes mass, const Sym& inertia, const Vec& arm) {
    const Lanes zero(0.0f), one(1.0f);
    const Vec axis[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    Vec column[3];
    for (int c = 0; c < 3; ++c) column[c] = axis[c] * mass + cross(inertia * cross(arm, axis[c]), arm);
    return {column[0].x, column[1].y, column[2].z, column[1].x, column[2].x, column[2].y};
}
PX_INLINE Sym response(const BallJointBlock& block, int k, const Pair& p) {
    const Sym a = side_response(load(block.mass_a + k), load_sym(block.inertia_a, k), p.a.arm);
    const Sym b = side_response(load(block.mass_b + k), load_sym(block.inertia_b, k), p.b.arm);
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
/// W^-1; zero where nothing can move.
PX_INLINE Sym inverse(const Sym& w) {
    const Lanes xx = w.yy * w.zz - w.yz * w.yz, xy = w.xz * w.yz - w.xy * w.zz, xz = w.xy * w.yz - w.xz * w.yy;
    const Lanes det = w.xx * xx + w.xy * xy + w.xz * xz;
    const Mask some = det > Lanes(1e-30f);
    const Lanes d = select(some, Lanes(1.0f) / select(some, det, Lanes(1.0f)), Lanes(0.0f));
    return {xx * d, (w.xx * w.zz - w.xz * w.xz) * d, (w.xx * w.yy - w.xy * w.xy) * d, xy * d,
            xz * d, (w.xy * w.xz - w.xx * w.yz) * d};
}

/// Gives b the impulse and a its opposite, and writes the bodies that can move.
PX_INLINE void apply(const BallJointBlock& block, int k, const Vec& impulse, Pair& p, float* velocity) {
    const auto give = [&](Side& s, Lanes mass, const Sym& inertia, Lanes sign) {
        const Vec v = impulse * (sign * mass), w = (inertia * cross(s.arm, impulse)) * sign;
        s.velocity[0] = s.velocity[0] + v.x, s.velocity[1] = s.velocity[1] + v.y, s.velocity[2] = s.velocity[2] + v.z;
        s.velocity[4] = s.velocity[4] + w.x, s.velocity[5] = s.velocity[5] + w.y, s.velocity[6] = s.velocity[6] + w.z;
    };
    give(p.a, load(block.mass_a + k), load_sym(block.inertia_a, k), Lanes(-1.0f));
    give(p.b, load(block.mass_b + k), load_sym(block.inertia_b, k), Lanes(1.0f));
    store_records(velocity, block.body_a + k, kRecord, block.moves_a >> k, p.a.velocity);
    store_records(velocity, block.body_b + k, kRecord, block.moves_b >> k, p.b.velocity);
}

// ---- sweeps

/// Inverse masses and inertias of the bodies as they are turned now.
PX_INLINE void load_masses(BallJointBlock& block, int k, const BodyRecords& records) {
    Lanes mass_a[8], mass_b[8];
    load_records(records.inverse_mass, block.body_a + k, kRecord, mass_a);
    load_records(records.inverse_mass, block.body_b + k, kRecord, mass_b);
    for (int c = 0; c < 6; ++c) {
        store(block.inertia_a[c] + k, mass_a[c]);
        store(block.inertia_b[c] + k, mass_b[c]);
    }
    store(block.mass_a + k, mass_a[6]);
    store(block.mass_b + k, mass_b[6]);
}

void prepare(void* memory, uint32_t count, const BodyRecords& records) {
    BallJointBlock* blocks = static_cast<BallJointBlock*>(memory);
    for_lanes(count, [&](uint32_t b, int k) {
        load_masses(blocks[b], k, records);
        for (int c = 0; c < 3; ++c) store(blocks[b].total[c] + k, Lanes(0.0f));
    });
}

/// In every sub-step: the bodies have turned since the last one.
void warm_start(void* memory, uint32_t count, const BodyRecords& records, const FollowLaw&) {
    BallJointBlock* blocks = static_cast<BallJointBlock*>(memory);
    for_lanes(count, [&](uint32_t b, int k) {
        load_masses(blocks[b], k, records);
        Pair p = load_pair(blocks[b], k, records, 0.0f);
        apply(blocks[b], k, load_vec(blocks[b].impulse, k), p, records.velocity);
    });
}

/// As in joint_errors.h.
PX_INLINE Lanes judged_radius(const Pair& p) {
    const Lanes zero(0.0f), low = min(p.a.radius, p.b.radius), high = max(p.a.radius, p.b.radius);
    return select(low > zero, low, select(high > zero, high, Lanes(kRadiusOfNothing)));
}

/// l <- hardness (l - W^-1 (v + push e)), hardness = 1/(1 + c); the hard law of relaxing has push 0 and hardness 1
/// where the joint is rigid.
template <bool Relaxes>
PX_INLINE void sweep_blocks(void* memory, uint32_t count, const BodyRecords& records, const SweepLaw& law) {
    BallJointBlock* blocks = static_cast<BallJointBlock*>(memory);
    for_lanes(count, [&](uint32_t b, int k) {
        BallJointBlock& block = blocks[b];
        Pair p = load_pair(block, k, records, block.immovable ? law.elapsed : 0.0f);
        const Lanes zero(0.0f), one(1.0f);
        const Mask hard = Lanes(Relaxes ? 1.0f : 0.0f) * load(block.rigid + k) > zero;
        const Lanes push = select(hard, zero, load(block.push_rate + k));
        const Lanes hardness = select(hard, one, one / (one + load(block.compliance + k)));
        const Vec before = load_vec(block.impulse, k);
        Vec error = p.error();
        const Lanes most = Lanes(kMaxSweptError) * judged_radius(p), size = length(error);
        const Mask torn = load(block.rigid + k) * size > most;
        error = error * select(torn, most / select(torn, size, one), one);
        const Vec wanted = inverse(response(block, k, p)) * (p.velocity() + error * push);
        const Vec next = (before - wanted) * hardness;
        const Vec change = next - before;
        if (law.adds_up)
            store_vec(block.total, k, load_vec(block.total, k) + next);
        else if (Relaxes)
            store_vec(block.total, k, load_vec(block.total, k) + change);
        store_vec(block.impulse, k, next);
        apply(block, k, change, p, records.velocity);
    });
}
void sweep(void* memory, uint32_t count, const BodyRecords& records, const SweepLaw& law) {
    sweep_blocks<false>(memory, count, records, law);
}
void relax(void* memory, uint32_t count, const BodyRecords& records, const SweepLaw& law) {
    sweep_blocks<true>(memory, count, records, law);
}

void results(const void* memory, const BodyRecords& records, BallJointResults& out) {
    const BallJointBlock& block = *static_cast<const BallJointBlock*>(memory);
    for (int k = 0; k < int(kBlockLanes); k += kLanes) {
        const Pair p = load_pair(block, k, records, 0.0f);
        store(out.error + k, length(p.error()));
        const Mask moves = load(block.mass_a + k) + load(block.mass_b + k) > Lanes(0.0f);
        store(out.residual + k, select(moves, length(p.velocity()) * load(block.rigid + k), Lanes(0.0f)));
    }
}

}  // namespace

}  // namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE

namespace proxima::physics::sweep {

namespace level = PX_LEVEL_NAMESPACE;

extern const BallJointKernels PX_AT_LEVEL(ball_joint_kernels_);
const BallJointKernels PX_AT_LEVEL(ball_joint_kernels_) = {
    level::prepare, level::results, {nullptr, level::warm_start, level::sweep, level::relax, nullptr, true}};

}  // namespace proxima::physics::sweep
