// SPDX-License-Identifier: MIT
// How a manifold answers to impulses: W of contact_block.h, what it says of single points, and wrenches between frame
// and world. For `*.simd.cpp` files only.
#pragma once

#include "physics/constraints/contact/contact_lanes.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

/// Where join (i, j), i < j < n, is kept.
constexpr uint32_t join(uint32_t n, uint32_t i, uint32_t j) { return i * n - i * (i + 1) / 2 + (j - i - 1); }

/// W of one manifold per lane, from the unit forces and torques along the frame.
struct Response {
    Lanes w[6][6];  // (n, t1, t2, w_n, w_1, w_2), symmetric; the upper half is filled
};

PX_INLINE Response response(const Vec axis[3], const Vec& arm_a, const Vec& arm_b, Lanes mass_a, Lanes mass_b,
                            const Sym& inertia_a, const Sym& inertia_b) {
    Response r;
    Vec force_u[3], torque_u[3], torque_w[3];
    for (int c = 0; c < 3; ++c) {
        const Vec fa = inertia_a * cross(arm_a, axis[c]), fb = inertia_b * cross(arm_b, axis[c]);
        force_u[c] = axis[c] * (mass_a + mass_b) + cross(fa, arm_a) + cross(fb, arm_b);
        const Vec ta = inertia_a * axis[c], tb = inertia_b * axis[c];
        torque_u[c] = cross(ta, arm_a) + cross(tb, arm_b);
        torque_w[c] = ta + tb;
    }
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c) {
            if (c >= i) r.w[i][c] = dot(axis[i], force_u[c]);
            r.w[i][3 + c] = dot(axis[i], torque_u[c]);
            if (c >= i) r.w[3 + i][3 + c] = dot(axis[i], torque_w[c]);
        }
    for (int i = 0; i < 6; ++i)
        for (int c = 0; c < i; ++c) r.w[i][c] = r.w[c][i];
    return r;
}

PX_INLINE Lanes inverse_or_zero(Lanes x) {
    const Mask some = x > Lanes(1e-30f);
    return select(some, Lanes(1.0f) / select(some, x, Lanes(1.0f)), Lanes(0.0f));
}

/// That of now: with these lever arms.
PX_INLINE Response response(const ContactHead& head, int k, const Arms& arms) {
    const Vec axis[3] = {load_vec(head.normal, k), load_vec(head.tangent1, k), load_vec(head.tangent2, k)};
    return response(axis, arms.a, arms.b, load(head.mass_a + k), load(head.mass_b + k), load_sym(head.inertia_a, k),
                    load_sym(head.inertia_b, k));
}
/// What a wrench makes of the twist.
PX_INLINE void add_wrench(const Response& response, const Twist& wrench, Twist& twist) {
    const Lanes f[6] = {wrench.n, wrench.t1, wrench.t2, wrench.wn, wrench.w1, wrench.w2};
    const auto row = [&](int r) {
        const Lanes(&w)[6] = response.w[r];
        return (w[0] * f[0] + w[1] * f[1] + w[2] * f[2]) + (w[3] * f[3] + w[4] * f[4] + w[5] * f[5]);
    };
    twist = {twist.n + row(0),  twist.t1 + row(1), twist.t2 + row(2),
             twist.wn + row(3), twist.w1 + row(4), twist.w2 + row(5)};
}

/// What an impulse along n, t1, t2 at a point of a manifold does to its twist.
struct PointResponse {
    Lanes by_n[6], by_1[6], by_2[6];
};
PX_INLINE PointResponse point_response(const Lanes (&w)[6][6], Lanes x, Lanes y, Lanes z) {
    PointResponse r;
    for (int c = 0; c < 6; ++c) {
        r.by_n[c] = w[c][0] + y * w[c][4] - x * w[c][5];
        r.by_1[c] = w[c][1] - y * w[c][3] + z * w[c][5];
        r.by_2[c] = w[c][2] + x * w[c][3] - z * w[c][4];
    }
    return r;
}

/// Steps of a point from its own block of W.
PX_INLINE Lanes tangent_step(const PointResponse& r, Lanes x, Lanes y, Lanes z) {
    const Lanes t11 = r.by_1[1] - y * r.by_1[3] + z * r.by_1[5];
    const Lanes t12 = r.by_1[2] + x * r.by_1[3] - z * r.by_1[4];
    const Lanes t22 = r.by_2[2] + x * r.by_2[3] - z * r.by_2[4];
    const Lanes mean = (t11 + t22) * Lanes(0.5f), half = (t11 - t22) * Lanes(0.5f);
    return inverse_or_zero(mean + sqrt(half * half + t12 * t12));
}

/// How the points of a manifold act on themselves and, where it is swept, on each other: stored by put(row, lanes).
template <uint32_t N, bool Swept, class Put>
PX_INLINE void fill_response(ContactBlock<N>& block, int k, const Response& response, const Put& put) {
    const Lanes(&w)[6][6] = response.w;
    const Lanes coupling[kCouplings] = {w[0][0], w[0][1], w[0][2], w[0][3], w[0][4], w[0][5], w[4][1], w[4][2],
                                        w[4][3], w[4][4], w[4][5], w[5][1], w[5][2], w[5][3], w[5][5]};
    for (uint32_t c = 0; Swept && c < (N > 1 ? uint32_t(kCouplings) : 3u); ++c)
        put(block.joined.coupling[c], coupling[c]);
    for (uint32_t i = 0; i < N; ++i) {
        PointRows& to = block.point[i];
        const Lanes x = load(to.x + k), y = load(to.y + k), z = load(to.z + k);
        const PointResponse r = point_response(w, x, y, z);
        put(to.normal_step, inverse_or_zero(r.by_n[0] + y * r.by_n[4] - x * r.by_n[5]));
        put(to.tangent_step, tangent_step(r, x, y, z));
        // How it acts on the points before it; W is symmetric, so that join(j, i) is the transpose: velocity at j along r
        // per impulse at i along c is velocity at i along c per impulse at j along r.
        for (uint32_t j = 0; Swept && j < i; ++j) {
            const PointRows& other = block.point[j];
            const Lanes u = load(other.x + k), v = load(other.y + k), q = load(other.z + k);
            float(*tangent_join)[kBlockLanes] = block.joined.tangent_join[join(N, j, i)];
            put(block.joined.normal_join[join(N, j, i)], r.by_n[0] + v * r.by_n[4] - u * r.by_n[5]);
            put(tangent_join[0], r.by_1[1] - v * r.by_1[3] + q * r.by_1[5]);
            put(tangent_join[2], r.by_2[1] - v * r.by_2[3] + q * r.by_2[5]);
            put(tangent_join[1], r.by_1[2] + u * r.by_1[3] - q * r.by_1[4]);
            put(tangent_join[3], r.by_2[2] + u * r.by_2[3] - q * r.by_2[4]);
        }
    }
}

// ---- impulses

/// Impulses at the points of a manifold.
template <uint32_t N>
struct Unknowns {
    Lanes n[N], t1[N], t2[N];
};

template <uint32_t N>
PX_INLINE Twist wrench_of(const ContactBlock<N>& block, const Unknowns<N>& l, int k) {
    Twist sum{Lanes(0.0f), Lanes(0.0f), Lanes(0.0f), Lanes(0.0f), Lanes(0.0f), Lanes(0.0f)};
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& p = block.point[i];
        const Lanes ln = l.n[i], l1 = l.t1[i], l2 = l.t2[i];
        sum.n = sum.n + ln;
        sum.t1 = sum.t1 + l1;
        sum.t2 = sum.t2 + l2;
        if constexpr (N > 1) {
            const Lanes x = load(p.x + k), y = load(p.y + k), z = load(p.z + k);
            sum.wn = sum.wn + (x * l2 - y * l1);
            sum.w1 = sum.w1 + (y * ln - z * l2);
            sum.w2 = sum.w2 + (z * l1 - x * ln);
        }
    }
    return sum;
}
template <uint32_t N>
PX_INLINE Unknowns<N> load_impulses(const ContactBlock<N>& block, int k) {
    Unknowns<N> l;
    for (uint32_t i = 0; i < N; ++i) {
        l.n[i] = load(block.point[i].normal + k);
        l.t1[i] = load(block.point[i].tangent1 + k);
        l.t2[i] = load(block.point[i].tangent2 + k);
    }
    return l;
}

/// The wrench of friction at a point; of a single point, which is c itself, there is no moment.
template <uint32_t N>
PX_INLINE void add_friction(const PointRows& p, int k, Lanes f1, Lanes f2, Twist& wrench) {
    wrench.t1 = wrench.t1 + f1;
    wrench.t2 = wrench.t2 + f2;
    if constexpr (N > 1) {
        const Lanes x = load(p.x + k), y = load(p.y + k), z = load(p.z + k);
        wrench.wn = wrench.wn + (x * f2 - y * f1);
        wrench.w1 = wrench.w1 - z * f2;
        wrench.w2 = wrench.w2 + z * f1;
    }
}

/// What an impulse at c does to the two bodies, in the world.
struct PairWrench {
    Vec force, moment_a, moment_b;
};
PX_INLINE PairWrench to_world(const ContactHead& head, int k, const Arms& arms, const Twist& wrench, bool has_torque) {
    const Vec n = load_vec(head.normal, k), t1 = load_vec(head.tangent1, k), t2 = load_vec(head.tangent2, k);
    PairWrench out;
    out.force = n * wrench.n + t1 * wrench.t1 + t2 * wrench.t2;
    out.moment_a = cross(arms.a, out.force);
    out.moment_b = cross(arms.b, out.force);
    if (has_torque) {
        const Vec torque = n * wrench.wn + t1 * wrench.w1 + t2 * wrench.w2;
        out.moment_a = out.moment_a + torque;
        out.moment_b = out.moment_b + torque;
    }
    return out;
}
PX_INLINE PairWrench operator-(const PairWrench& x, const PairWrench& y) {
    return {x.force - y.force, x.moment_a - y.moment_a, x.moment_b - y.moment_b};
}
PX_INLINE void put(Lanes (&record)[8], const Vec& linear, const Vec& angular) {
    record[0] = linear.x, record[1] = linear.y, record[2] = linear.z;
    record[4] = angular.x, record[5] = angular.y, record[6] = angular.z;
}
/// Gives b the wrench and a its opposite.
PX_INLINE void give(const ContactHead& head, int k, const PairWrench& w, BodyPair& bodies) {
    put(bodies.a, linear(bodies.a) - w.force * load(head.mass_a + k),
        angular(bodies.a) - load_sym(head.inertia_a, k) * w.moment_a);
    put(bodies.b, linear(bodies.b) + w.force * load(head.mass_b + k),
        angular(bodies.b) + load_sym(head.inertia_b, k) * w.moment_b);
}
/// The same where it is wanted.
PX_INLINE void give(const ContactHead& head, int k, const PairWrench& w, Mask wanted, BodyPair& bodies) {
    const Vec va = linear(bodies.a) - w.force * load(head.mass_a + k);
    const Vec wa = angular(bodies.a) - load_sym(head.inertia_a, k) * w.moment_a;
    const Vec vb = linear(bodies.b) + w.force * load(head.mass_b + k);
    const Vec wb = angular(bodies.b) + load_sym(head.inertia_b, k) * w.moment_b;
    put(bodies.a, pick(wanted, va, linear(bodies.a)), pick(wanted, wa, angular(bodies.a)));
    put(bodies.b, pick(wanted, vb, linear(bodies.b)), pick(wanted, wb, angular(bodies.b)));
}
PX_INLINE void store_bodies(const ContactHead& head, int k, const BodyPair& bodies, float* records, uint32_t lanes) {
    store_records(records, head.body_a + k, kRecord, (head.moves_a & lanes) >> k, bodies.a);
    store_records(records, head.body_b + k, kRecord, (head.moves_b & lanes) >> k, bodies.b);
}
/// Gives the wrench, and writes the bodies that can move, of the lanes that are asked for.
PX_INLINE void apply_wrench(const ContactHead& head, int k, const Arms& arms, const Twist& wrench, bool has_torque,
                            BodyPair& bodies, float* velocity, uint32_t lanes = ~0u) {
    give(head, k, to_world(head, k, arms, wrench, has_torque), bodies);
    store_bodies(head, k, bodies, velocity, lanes);
}

// ---- kernels of a number of points, for the table in contact_results.simd.cpp

template <uint32_t N>
void prepare(void* block, const RawContacts& raw, const BodyRecords& records, const SoftnessLaw& law, float h);
template <uint32_t N>
void prepare_direct(void* block, const RawContacts& raw, const BodyRecords& records, const SoftnessLaw& law, float h);
template <uint32_t N>
void turn(void* blocks, uint32_t count, const BodyRecords& records, const FollowLaw& law);
template <uint32_t N>
void warm_start(void* blocks, uint32_t count, const BodyRecords& records, const FollowLaw& law);
template <uint32_t N>
void sweep(void* blocks, uint32_t count, const BodyRecords& records, const SweepLaw& law);
template <uint32_t N>
void relax(void* blocks, uint32_t count, const BodyRecords& records, const SweepLaw& law);
template <uint32_t N>
bool impact(void* blocks, uint32_t count, const BodyRecords& records, const ImpactLaw& law, const Row* restitution);
template <uint32_t N>
void results(const void* block, const BodyRecords& records, float inverse_h, float ramp, ContactResults& out);

}  // namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE
