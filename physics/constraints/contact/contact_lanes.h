// SPDX-License-Identifier: MIT
// What the kernels that walk over blocks of contacts share: bodies in and out of registers, the motion at a
// point, the nearest point of the friction disk, the residual. For `*.simd.cpp` files only.
#pragma once

#include "engine/simd/lanes.h"
#include "physics/constraints/contact/contact_block.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

using namespace ::proxima::PX_LEVEL_NAMESPACE;

/// A motion or a wrench of one manifold per lane, in its frame.
struct Twist {
    Lanes n, t1, t2;   // linear
    Lanes wn, w1, w2;  // angular
};

/// The two bodies of kLanes manifolds.
struct BodyPair {
    Lanes a[8], b[8];
};

PX_INLINE Vec load_vec(const float (*rows)[kBlockLanes], int k) {
    return {load(rows[0] + k), load(rows[1] + k), load(rows[2] + k)};
}
PX_INLINE Sym load_sym(const float (*rows)[kBlockLanes], int k) {
    return {load(rows[0] + k), load(rows[1] + k), load(rows[2] + k),
            load(rows[3] + k), load(rows[4] + k), load(rows[5] + k)};
}
PX_INLINE void store_vec(float (*rows)[kBlockLanes], int k, const Vec& v) {
    store(rows[0] + k, v.x);
    store(rows[1] + k, v.y);
    store(rows[2] + k, v.z);
}
PX_INLINE Vec linear(const Lanes r[8]) { return {r[0], r[1], r[2]}; }
PX_INLINE Vec angular(const Lanes r[8]) { return {r[4], r[5], r[6]}; }

PX_INLINE BodyPair load_bodies(const ContactHead& head, int k, const float* records) {
    BodyPair p;
    load_records(records, head.body_a + k, kRecord, p.a);
    load_records(records, head.body_b + k, kRecord, p.b);
    return p;
}

/// How far the bodies have moved since the gaps were measured. Kinematic ones belong to no worker and keep
/// their velocity: what they moved follows from the time. Fixed ones have none.
PX_INLINE BodyPair load_motions(const ContactHead& head, int k, const BodyRecords& records, float elapsed,
                                const BodyPair& velocity) {
    BodyPair motion = load_bodies(head, k, records.delta);
    if (!head.immovable || elapsed == 0.0f) return motion;
    const Lanes zero(0.0f), time(elapsed);
    const Lanes time_a = select(load(head.mass_a + k) > zero, zero, time);
    const Lanes time_b = select(load(head.mass_b + k) > zero, zero, time);
    for (int c = 0; c < 8; ++c) {
        motion.a[c] = motion.a[c] + time_a * velocity.a[c];
        motion.b[c] = motion.b[c] + time_b * velocity.b[c];
    }
    return motion;
}

/// From the centres of mass to c.
struct Arms {
    Vec a, b;
};
PX_INLINE Arms start_arms(const ContactHead& head, int k) { return {load_vec(head.arm_a, k), load_vec(head.arm_b, k)}; }
/// The same after a motion: c goes with the middle of both bodies, and is one point of the world for both. So whatever
/// impulse acts there leaves their angular momentum together as it is. Beside what cannot move c goes with the body
/// that can: a ball that rolls keeps its arm, and what turns below it is met where it is by then.
PX_INLINE Arms moved_arms(const ContactHead& head, int k, const BodyPair& motion) {
    const Arms arms = start_arms(head, k);
    const Vec between = linear(motion.b) - linear(motion.a);
    const Lanes zero(0.0f), half(0.5f), one(1.0f);
    if (!head.immovable) return {arms.a + between * half, arms.b - between * half};
    const Lanes share = select(load(head.mass_a + k) > zero, select(load(head.mass_b + k) > zero, half, zero), one);
    return {arms.a + between * share, arms.b - between * (one - share)};
}

/// How b moves seen from a, at c and in the frame.
PX_INLINE Twist relative_twist(const ContactHead& head, int k, const Arms& arms, const BodyPair& bodies) {
    const Vec n = load_vec(head.normal, k), t1 = load_vec(head.tangent1, k), t2 = load_vec(head.tangent2, k);
    const Vec wa = angular(bodies.a), wb = angular(bodies.b);
    const Vec u = linear(bodies.b) - linear(bodies.a) + cross(wb, arms.b) - cross(wa, arms.a);
    const Vec w = wb - wa;
    return {dot(n, u), dot(t1, u), dot(t2, u), dot(n, w), dot(t1, w), dot(t2, w)};
}
PX_INLINE Twist relative_twist(const ContactHead& head, int k, const BodyPair& bodies) {
    return relative_twist(head, k, start_arms(head, k), bodies);
}

/// Velocity of a point at offset (z, x, y) from c.
struct PointVelocity {
    Lanes n, t1, t2;
};
PX_INLINE PointVelocity point_velocity(const Twist& twist, const PointRows& p, int k) {
    const Lanes x = load(p.x + k), y = load(p.y + k), z = load(p.z + k);
    return {twist.n + (twist.w1 * y - twist.w2 * x), twist.t1 + (twist.w2 * z - twist.wn * y),
            twist.t2 + (twist.wn * x - twist.w1 * z)};
}

/// Nearest point of the disk. Contacts at rest stick: mostly no lane is outside, and the root and the
/// quotient, which are half of what friction costs, need not be waited for.
PX_INLINE void project_disk(Lanes& x, Lanes& y, Lanes radius) {
    const Lanes squared = x * x + y * y;
    const Mask outside = squared > radius * radius;
    if (!any(outside)) return;
    const Lanes scale = select(outside, radius / sqrt(select(outside, squared, Lanes(1.0f))), Lanes(1.0f));
    x = x * scale;
    y = y * scale;
}

/// The natural map of the exact law at one point, in m/s: the larger one of its normal and tangent part
/// (contact/residual.h). `v.n` has its bias inside.
PX_INLINE Lanes natural_map(const PointRows& p, int k, const PointVelocity& v, Lanes mu, Lanes l_n, Lanes l_1,
                            Lanes l_2) {
    const Lanes zero(0.0f), step = load(p.normal_step + k), tangent_step = load(p.tangent_step + k);
    const Mask held = step > zero, rubs = tangent_step > zero;
    const Lanes normal = select(held, abs(min(l_n / select(held, step, Lanes(1.0f)), v.n)), zero);
    Lanes n1 = l_1 - tangent_step * v.t1, n2 = l_2 - tangent_step * v.t2;
    project_disk(n1, n2, mu * l_n);
    const Lanes d1 = l_1 - n1, d2 = l_2 - n2;
    const Lanes tangent = select(rubs, sqrt(d1 * d1 + d2 * d2) / select(rubs, tangent_step, Lanes(1.0f)), zero);
    return max(normal, tangent);
}

}  // namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE
