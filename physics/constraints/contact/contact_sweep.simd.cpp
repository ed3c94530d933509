// SPDX-License-Identifier: MIT
// Contacts in sweeps: from manifolds to blocks, warm start, sweep, impacts, results.
// The method and the data are explained in contact_block.h; physics/docs/solvers.md has the derivation.
#include "engine/core/math.h"
#include "physics/constraints/contact/contact_lanes.h"
#include "physics/scale.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

namespace {

constexpr uint32_t kAllLanes = (1u << kLanes) - 1u;
constexpr uint32_t kFar = 8;  // further bits of BlockHead::parting: lanes that were driven apart fast

PX_INLINE Vec pick(Mask which, const Vec& yes, const Vec& no) {
    return {select(which, yes.x, no.x), select(which, yes.y, no.y), select(which, yes.z, no.z)};
}

/// Gives b the wrench and a its opposite, and writes the bodies that can move, of the lanes that are asked for.
PX_INLINE void apply_wrench(const ContactHead& head, int k, const Arms& arms, const Twist& wrench, bool has_torque,
                            BodyPair& bodies, float* velocity, uint32_t lanes = ~0u) {
    const Vec n = load_vec(head.normal, k), t1 = load_vec(head.tangent1, k), t2 = load_vec(head.tangent2, k);
    const Vec force = n * wrench.n + t1 * wrench.t1 + t2 * wrench.t2;
    Vec moment_a = cross(arms.a, force), moment_b = cross(arms.b, force);
    if (has_torque) {
        const Vec torque = n * wrench.wn + t1 * wrench.w1 + t2 * wrench.w2;
        moment_a = moment_a + torque;
        moment_b = moment_b + torque;
    }
    const Vec va = linear(bodies.a) - force * load(head.mass_a + k);
    const Vec wa = angular(bodies.a) - load_sym(head.inertia_a, k) * moment_a;
    const Vec vb = linear(bodies.b) + force * load(head.mass_b + k);
    const Vec wb = angular(bodies.b) + load_sym(head.inertia_b, k) * moment_b;
    bodies.a[0] = va.x, bodies.a[1] = va.y, bodies.a[2] = va.z;
    bodies.a[4] = wa.x, bodies.a[5] = wa.y, bodies.a[6] = wa.z;
    bodies.b[0] = vb.x, bodies.b[1] = vb.y, bodies.b[2] = vb.z;
    bodies.b[4] = wb.x, bodies.b[5] = wb.y, bodies.b[6] = wb.z;
    store_records(velocity, head.body_a + k, kRecord, (head.moves_a & lanes) >> k, bodies.a);
    store_records(velocity, head.body_b + k, kRecord, (head.moves_b & lanes) >> k, bodies.b);
}

/// Where join (i, j), i < j < n, is kept.
constexpr uint32_t join(uint32_t n, uint32_t i, uint32_t j) { return i * n - i * (i + 1) / 2 + (j - i - 1); }

// ---- prepare

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

PX_INLINE Vec rotate(const Lanes q[4], const Vec& v) {  // (x, y, z, w)
    const Vec axis{q[0], q[1], q[2]};
    const Vec t = cross(axis, v) * Lanes(2.0f);
    return v + t * q[3] + cross(axis, t);
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
PX_INLINE void store_steps(const PointResponse& r, Lanes x, Lanes y, Lanes z, int k, PointRows& to) {
    store(to.normal_step + k, inverse_or_zero(r.by_n[0] + y * r.by_n[4] - x * r.by_n[5]));
    store(to.tangent_step + k, tangent_step(r, x, y, z));
}

/// How point i acts on point j before it; W is symmetric, so that join(j, i) is the transpose.
template <uint32_t N>
PX_INLINE void store_join(const PointResponse& r, uint32_t i, uint32_t j, Lanes x, Lanes y, Lanes z, int k,
                          CouplingRows<N>& joined) {
    float(*normal_join)[kBlockLanes] = joined.normal_join + join(N, j, i);
    store(*normal_join + k, r.by_n[0] + y * r.by_n[4] - x * r.by_n[5]);
    float(*tangent_join)[kBlockLanes] = joined.tangent_join[join(N, j, i)];
    // Velocity at j along r per impulse at i along c is velocity at i along c per impulse at j along r.
    store(tangent_join[0] + k, r.by_1[1] - y * r.by_1[3] + z * r.by_1[5]);
    store(tangent_join[2] + k, r.by_2[1] - y * r.by_2[3] + z * r.by_2[5]);
    store(tangent_join[1] + k, r.by_1[2] + x * r.by_1[3] - z * r.by_1[4]);
    store(tangent_join[3] + k, r.by_2[2] + x * r.by_2[3] - z * r.by_2[4]);
}

/// How the points of a manifold act on themselves and on each other, with these lever arms. Lanes that are not asked for
/// stay as they are.
template <uint32_t N>
PX_INLINE void fill_response(ContactBlock<N>& block, int k, const Arms& arms, Mask wanted) {
    const Vec axis[3] = {load_vec(block.normal, k), load_vec(block.tangent1, k), load_vec(block.tangent2, k)};
    const Response r = response(axis, arms.a, arms.b, load(block.mass_a + k), load(block.mass_b + k),
                                load_sym(block.inertia_a, k), load_sym(block.inertia_b, k));
    const Lanes(&w)[6][6] = r.w;
    const Lanes coupling[kCouplings] = {w[0][0], w[0][1], w[0][2], w[0][3], w[0][4], w[0][5], w[4][1], w[4][2],
                                        w[4][3], w[4][4], w[4][5], w[5][1], w[5][2], w[5][3], w[5][5]};
    const auto put = [&](float* row, Lanes value) { store(row + k, select(wanted, value, load(row + k))); };
    for (uint32_t c = 0; c < (N > 1 ? uint32_t(kCouplings) : 3u); ++c) put(block.joined.coupling[c], coupling[c]);
    for (uint32_t i = 0; i < N; ++i) {
        PointRows& to = block.point[i];
        const Lanes x = load(to.x + k), y = load(to.y + k), z = load(to.z + k);
        const PointResponse point = point_response(w, x, y, z);
        put(to.normal_step, inverse_or_zero(point.by_n[0] + y * point.by_n[4] - x * point.by_n[5]));
        put(to.tangent_step, tangent_step(point, x, y, z));
        for (uint32_t j = 0; j < i; ++j) {
            const PointRows& other = block.point[j];
            const Lanes u = load(other.x + k), v = load(other.y + k), q = load(other.z + k);
            float(*tangent_join)[kBlockLanes] = block.joined.tangent_join[join(N, j, i)];
            put(block.joined.normal_join[join(N, j, i)], point.by_n[0] + v * point.by_n[4] - u * point.by_n[5]);
            put(tangent_join[0], point.by_1[1] - v * point.by_1[3] + q * point.by_1[5]);
            put(tangent_join[2], point.by_2[1] - v * point.by_2[3] + q * point.by_2[5]);
            put(tangent_join[1], point.by_1[2] + u * point.by_1[3] - q * point.by_1[4]);
            put(tangent_join[3], point.by_2[2] + u * point.by_2[3] - q * point.by_2[4]);
        }
    }
}

/// Softness by the smaller body that can move: `soften` of contact/softness.h for lanes.
PX_INLINE void fill_softness(ContactHead& head, int k, const BodyPair& mass, const BodyPair& transform,
                             const SoftnessLaw& law, float h) {
    const Lanes zero(0.0f), one(1.0f), none(3.0e38f);
    const Lanes smaller =
        min(select(mass.a[6] > zero, transform.a[7], none), select(mass.b[6] > zero, transform.b[7], none));
    const Lanes speed = sqrt(max(smaller * Lanes(kLengthScale), Lanes(1e-12f)));
    store(head.max_push + k, Lanes(law.max_push_speed) * speed);
    const float stiffer = head.immovable ? 2.0f : 1.0f;
    const Lanes angle = min(Lanes(law.hertz) / speed, Lanes(law.stiffest(h))) * Lanes(2.0f * kPi * stiffer * h);
    const Lanes a1 = angle + Lanes(2.0f * law.damping_ratio), a2 = angle * a1;
    store(head.push_rate + k, law.soft ? angle / (a1 * Lanes(h)) : zero);
    store(head.hardness + k, law.soft ? a2 / (one + a2) : one);
}

template <uint32_t N, bool Sweeps>
PX_INLINE void fill_block(void* memory, const RawContacts& raw, const BodyRecords& records, const SoftnessLaw& law,
                          float h) {
    ContactBlock<N>& block = *static_cast<ContactBlock<N>*>(memory);
    for (int k = 0; k < int(kBlockLanes); k += kLanes) {
        const BodyPair mass = load_bodies(block, k, records.inverse_mass);
        const BodyPair transform = load_bodies(block, k, records.transform);
        const BodyPair velocity = load_bodies(block, k, records.velocity);
        for (int c = 0; c < 6; ++c) {
            store(block.inertia_a[c] + k, mass.a[c]);
            store(block.inertia_b[c] + k, mass.b[c]);
        }
        store(block.mass_a + k, mass.a[6]);
        store(block.mass_b + k, mass.b[6]);

        // The frame turns with one of the bodies.
        const Mask on_b = frame_is_on_b(block, k);
        Lanes turn[4];
        for (int c = 0; c < 4; ++c) turn[c] = select(on_b, transform.b[c], transform.a[c]);
        const Vec normal = rotate(turn, load_vec(raw.frame_normal, k)),
                  tangent = rotate(turn, load_vec(raw.frame_tangent, k));
        const Vec axis[3] = {normal, tangent, cross(normal, tangent)};
        store_vec(block.normal, k, axis[0]);
        store_vec(block.tangent1, k, axis[1]);
        store_vec(block.tangent2, k, axis[2]);

        // A contact point is in the middle of its two anchors, and c in the middle of the points.
        const Vec between{transform.b[4] - transform.a[4], transform.b[5] - transform.a[5],
                          transform.b[6] - transform.a[6]};
        Vec reach[N], arm[N];
        for (uint32_t i = 0; i < N; ++i) {
            const Vec on_a = rotate(transform.a, load_vec(raw.point[i].anchor_a, k));
            const Vec at_b = between + rotate(transform.b, load_vec(raw.point[i].anchor_b, k));
            reach[i] = at_b - on_a;
            arm[i] = (on_a + at_b) * Lanes(0.5f);
        }
        Vec middle = arm[0];
        for (uint32_t i = 1; i < N; ++i) middle = middle + arm[i];
        middle = middle * Lanes(1.0f / float(N));
        const Vec arm_a = middle, arm_b = middle - between;
        store_vec(block.arm_a, k, arm_a);
        store_vec(block.arm_b, k, arm_b);
        store_vec(block.now_a, k, arm_a);
        store_vec(block.now_b, k, arm_b);

        const Sym inertia_a{mass.a[0], mass.a[1], mass.a[2], mass.a[3], mass.a[4], mass.a[5]};
        const Sym inertia_b{mass.b[0], mass.b[1], mass.b[2], mass.b[3], mass.b[4], mass.b[5]};
        const Response r = response(axis, arm_a, arm_b, mass.a[6], mass.b[6], inertia_a, inertia_b);
        const Lanes(&w)[6][6] = r.w;
        const Lanes coupling[kCouplings] = {w[0][0], w[0][1], w[0][2], w[0][3], w[0][4], w[0][5], w[4][1], w[4][2],
                                            w[4][3], w[4][4], w[4][5], w[5][1], w[5][2], w[5][3], w[5][5]};
        for (uint32_t c = 0; Sweeps && c < (N > 1 ? uint32_t(kCouplings) : 3u); ++c)
            store(block.joined.coupling[c] + k, coupling[c]);

        const Lanes moves = max(mass.a[7], mass.b[7]);
        block.turns = (k == 0 ? 0u : block.turns) | bits(moves > Lanes(0.0f)) << k;
        block.spins = uint16_t((k == 0 ? 0u : block.spins) | bits(moves > Lanes(kMoves)) << k);
        block.anew = uint16_t((k == 0 ? 0u : block.anew) | bits(moves > Lanes(kSpins)) << k);
        store_vec(block.turned, k, Vec{Lanes(0.0f), Lanes(0.0f), Lanes(0.0f)});
        store(block.push + k, Lanes(0.0f));
        fill_softness(block, k, mass, transform, law, h);
        const Twist twist = relative_twist(block, k, velocity);
        Lanes x[N], y[N], z[N];
        for (uint32_t i = 0; i < N; ++i) {
            const RawPointRows& from = raw.point[i];
            PointRows& to = block.point[i];
            const Vec offset = arm[i] - middle;
            x[i] = dot(axis[1], offset), y[i] = dot(axis[2], offset), z[i] = dot(axis[0], offset);
            store(to.x + k, x[i]);
            store(to.y + k, y[i]);
            store(to.z + k, z[i]);
            store(to.start_gap + k, dot(axis[0], reach[i]));
            store(to.normal + k, load(from.impulse[0] + k));
            store(to.tangent1 + k, load(from.impulse[1] + k));
            store(to.tangent2 + k, load(from.impulse[2] + k));
            store(to.total_normal + k, Lanes(0.0f));
            store(to.total_tangent1 + k, Lanes(0.0f));
            store(to.total_tangent2 + k, Lanes(0.0f));
            store(to.approach_speed + k, -(twist.n + twist.w1 * y[i] - twist.w2 * x[i]));
            const PointResponse point = point_response(w, x[i], y[i], z[i]);
            store_steps(point, x[i], y[i], z[i], k, to);
            for (uint32_t j = 0; Sweeps && j < i; ++j) store_join<N>(point, i, j, x[j], y[j], z[j], k, block.joined);
        }
    }
}

template <uint32_t N>
void prepare(void* memory, const RawContacts& raw, const BodyRecords& records, const SoftnessLaw& law, float h) {
    fill_block<N, true>(memory, raw, records, law, h);
}
template <uint32_t N>
void prepare_direct(void* memory, const RawContacts& raw, const BodyRecords& records, const SoftnessLaw& law, float h) {
    fill_block<N, false>(memory, raw, records, law, h);
}

// ---- sweeps

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

/// The bodies have turned since the last sub-step: their inertia is that of now, and the frame has turned with one of
/// them, with what its points carry.
PX_INLINE void turn_frame(ContactHead& head, int k, const BodyRecords& records, const BodyPair& motion, Mask wanted) {
    if (head.spins >> k & kAllLanes) {
        const BodyPair mass = load_bodies(head, k, records.inverse_mass);
        const auto put = [&](float* row, Lanes value) { store(row + k, select(wanted, value, load(row + k))); };
        for (int c = 0; c < 6; ++c) {
            put(head.inertia_a[c], mass.a[c]);
            put(head.inertia_b[c], mass.b[c]);
        }
    }
    const Lanes half(0.5f);
    const Vec before = load_vec(head.turned, k),
              now = pick(frame_is_on_b(head, k), angular(motion.b), angular(motion.a));
    const Vec angle = now - before;
    store_vec(head.turned, k, pick(wanted, now, before));
    // A turn of more than 0.7 rad is beyond the series, and beyond what a sub-step can follow.
    const Mask follows = wanted & (dot(angle, angle) < Lanes(0.5f));
    const auto turned = [&](const Vec& axis) {
        const Vec once = cross(angle, axis);
        return axis + once + cross(angle, once) * half;
    };
    // A step of Newton's method from 1, twice, is 1/|v| where |v| is 1 but for the fourth power of the angle.
    const auto unit = [&](const Vec& v) {
        const Lanes square = dot(v, v), root = Lanes(1.5f) - half * square;
        return v * (root * (Lanes(1.5f) - half * square * root * root));
    };
    const Vec before_n = load_vec(head.normal, k), before_1 = load_vec(head.tangent1, k),
              before_2 = load_vec(head.tangent2, k);
    const Vec normal = unit(turned(before_n)), along = turned(before_1);
    const Vec tangent1 = unit(along - normal * dot(normal, along)), tangent2 = cross(normal, tangent1);
    store_vec(head.normal, k, pick(follows, normal, before_n));
    store_vec(head.tangent1, k, pick(follows, tangent1, before_1));
    store_vec(head.tangent2, k, pick(follows, tangent2, before_2));
}

/// Lanes whose lever arms are so far from those that the block was filled with that steps made for those may be too long.
PX_INLINE Mask are_far(const ContactHead& head, int k, const Arms& arms) {
    constexpr float kFar2 = 0.01f;  // square of the part of an arm
    const Arms start = start_arms(head, k);
    const Vec a = arms.a - start.a, b = arms.b - start.b;
    return (dot(a, a) > Lanes(kFar2) * dot(start.a, start.a)) | (dot(b, b) > Lanes(kFar2) * dot(start.b, start.b));
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
/// Gives b the wrench and a its opposite, where it is wanted.
PX_INLINE void give(const ContactHead& head, int k, const PairWrench& w, Mask wanted, BodyPair& bodies) {
    const Vec va = pick(wanted, linear(bodies.a) - w.force * load(head.mass_a + k), linear(bodies.a));
    const Vec wa = pick(wanted, angular(bodies.a) - load_sym(head.inertia_a, k) * w.moment_a, angular(bodies.a));
    const Vec vb = pick(wanted, linear(bodies.b) + w.force * load(head.mass_b + k), linear(bodies.b));
    const Vec wb = pick(wanted, angular(bodies.b) + load_sym(head.inertia_b, k) * w.moment_b, angular(bodies.b));
    bodies.a[0] = va.x, bodies.a[1] = va.y, bodies.a[2] = va.z;
    bodies.a[4] = wa.x, bodies.a[5] = wa.y, bodies.a[6] = wa.z;
    bodies.b[0] = vb.x, bodies.b[1] = vb.y, bodies.b[2] = vb.z;
    bodies.b[4] = wb.x, bodies.b[5] = wb.y, bodies.b[6] = wb.z;
}
PX_INLINE void store_bodies(const ContactHead& head, int k, const BodyPair& bodies, float* records, uint32_t lanes) {
    store_records(records, head.body_a + k, kRecord, (head.moves_a & lanes) >> k, bodies.a);
    store_records(records, head.body_b + k, kRecord, (head.moves_b & lanes) >> k, bodies.b);
}

/// Frame, inertia and lever arms of kLanes manifolds one sub-step on. Returns what the impulses give more in the new
/// ones.
template <uint32_t N>
PX_INLINE PairWrench turn_lanes(ContactBlock<N>& block, int k, const BodyRecords& records, const BodyPair& motion,
                                const Unknowns<N>& l, Mask wanted) {
    const Twist wrench = wrench_of(block, l, k);
    const PairWrench before = to_world(block, k, arms_now(block, k), wrench, N > 1);
    turn_frame(block, k, records, motion, wanted);
    const Arms arms = moved_arms(block, k, motion);
    const Mask far = wanted & are_far(block, k, arms);
    store_vec(block.now_a, k, pick(wanted, arms.a, load_vec(block.now_a, k)));
    store_vec(block.now_b, k, pick(wanted, arms.b, load_vec(block.now_b, k)));
    if (any(far)) fill_response(block, k, arms, far);
    return to_world(block, k, arms_now(block, k), wrench, N > 1) - before;
}

template <uint32_t N>
void turn(void* memory, uint32_t count, const BodyRecords& records, const FollowLaw& law) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    for (uint32_t b = 0; b < count; ++b) {
        ContactBlock<N>& block = blocks[b];
        for (int k = 0; k < int(kBlockLanes); k += kLanes) {
            const Mask wanted = mask_of(block.turns >> k), again = mask_of((block.turns & ~block.anew) >> k);
            if (!any(wanted)) continue;
            const BodyPair velocity = load_bodies(block, k, records.velocity);
            const BodyPair motion = load_motions(block, k, records, law.elapsed, velocity);
            const PairWrench more = turn_lanes(block, k, records, motion, load_impulses(block, k), wanted);
            BodyPair waiting = load_bodies(block, k, records.free_velocity);
            give(block, k, more, again, waiting);
            store_bodies(block, k, waiting, records.free_velocity, block.turns & ~block.anew);
        }
    }
}

template <uint32_t N>
void warm_start(void* memory, uint32_t count, const BodyRecords& records, const FollowLaw& law) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    const bool first = law.elapsed == 0.0f;
    for (uint32_t b = 0; b < count; ++b) {
        ContactBlock<N>& block = blocks[b];
        const uint32_t lanes = first ? ~0u : block.anew;
        for (int k = 0; k < int(kBlockLanes); k += kLanes) {
            const Mask wanted = mask_of(lanes >> k);
            if (!any(wanted)) continue;
            BodyPair velocity = load_bodies(block, k, records.velocity);
            const Unknowns<N> l = load_impulses(block, k);
            if (!first && !law.turned) {
                const BodyPair motion = load_motions(block, k, records, law.elapsed, velocity);
                turn_lanes(block, k, records, motion, l, wanted);
            }
            give(block, k, to_world(block, k, arms_now(block, k), wrench_of(block, l, k), N > 1), wanted, velocity);
            store_bodies(block, k, velocity, records.velocity, lanes);
        }
    }
}

/// The law of one point for this sweep: l_n <- max(floor, keep l_n - step (v_n + bias)).
struct NormalLaw {
    Lanes bias, step, keep, floor;
};
PX_INLINE NormalLaw soft_law(const ContactHead& head, int k, Lanes gap, Lanes normal_step, const SweepLaw& law) {
    const Mask open = gap > Lanes(0.0f);
    const Lanes push = max(gap * load(head.push_rate + k), Lanes(0.0f) - load(head.max_push + k));
    const Lanes hardness = select(open, Lanes(1.0f), load(head.hardness + k));
    NormalLaw out;
    out.bias = select(open, gap * Lanes(law.inverse_h), push);
    out.step = normal_step * hardness;
    out.keep = hardness;
    out.floor = Lanes(0.0f);
    return out;
}
/// The hard law after the last sub-step. A contact that pushed in this step may pull by as much as it pushed, and by no
/// more than it gave in the step altogether, until the bodies no longer part: push-out leaves no velocity. One that is
/// open and carries nothing has not touched yet; nor is a patch that carries nothing at all and did not push (`idle`) a
/// matter of this step.
PX_INLINE NormalLaw relax_law(Lanes gap, Lanes normal_step, Lanes impulse, Lanes total, Lanes speed, Lanes push,
                              Mask idle, const SweepLaw& law) {
    const Lanes zero(0.0f);
    // Of a patch that pushed with some of its points the open ones may only pull.
    const Mask open = gap > zero, parts = (push > zero) & (speed > zero);
    NormalLaw out;
    out.bias = select(open & !parts, gap * Lanes(law.inverse_h), zero);
    out.step = select(idle | (open & !parts & (impulse <= zero)), zero, normal_step);
    out.keep = Lanes(1.0f);
    out.floor = min(max(zero - normal_step * push, impulse - total), zero);
    return out;
}

/// One pass over the normals: each sees what the ones before it did. Adds to the wrench.
template <uint32_t N>
PX_INLINE void pass_normals(const ContactBlock<N>& block, int k, const NormalLaw (&law)[N], const Twist& twist,
                            Unknowns<N>& l, Lanes& f, Lanes& torque1, Lanes& torque2) {
    Lanes v[N];
    for (uint32_t i = 0; i < N; ++i) {
        v[i] = twist.n + law[i].bias;
        if constexpr (N > 1)
            v[i] = v[i] + (twist.w1 * load(block.point[i].y + k) - twist.w2 * load(block.point[i].x + k));
    }
    for (uint32_t i = 0; i < N; ++i) {
        const Lanes next = max(law[i].keep * l.n[i] - law[i].step * v[i], law[i].floor);
        const Lanes delta = next - l.n[i];
        l.n[i] = next;
        for (uint32_t j = i + 1; j < N; ++j) v[j] = v[j] + load(block.joined.normal_join[join(N, i, j)] + k) * delta;
        f = f + delta;
        if constexpr (N > 1) {
            torque1 = torque1 + load(block.point[i].y + k) * delta;
            torque2 = torque2 - load(block.point[i].x + k) * delta;
        }
    }
}

/// One pass over the friction of all points, radius mu l_n.
template <uint32_t N>
PX_INLINE void pass_friction(const ContactBlock<N>& block, int k, const Twist& twist, Unknowns<N>& l, Twist& wrench) {
    const Lanes mu = load(block.friction + k);
    Lanes v1[N], v2[N];
    for (uint32_t i = 0; i < N; ++i) {
        v1[i] = twist.t1;
        v2[i] = twist.t2;
        if constexpr (N > 1) {
            const PointRows& p = block.point[i];
            const Lanes x = load(p.x + k), y = load(p.y + k), z = load(p.z + k);
            v1[i] = v1[i] + (twist.w2 * z - twist.wn * y);
            v2[i] = v2[i] + (twist.wn * x - twist.w1 * z);
        }
    }
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& p = block.point[i];
        const Lanes step = load(p.tangent_step + k);
        Lanes n1 = l.t1[i] - step * v1[i], n2 = l.t2[i] - step * v2[i];
        project_disk(n1, n2, mu * max(l.n[i], Lanes(0.0f)));
        const Lanes d1 = n1 - l.t1[i], d2 = n2 - l.t2[i];
        l.t1[i] = n1;
        l.t2[i] = n2;
        for (uint32_t j = i + 1; j < N; ++j) {
            const float(*m)[kBlockLanes] = block.joined.tangent_join[join(N, i, j)];
            v1[j] = v1[j] + (load(m[0] + k) * d1 + load(m[1] + k) * d2);
            v2[j] = v2[j] + (load(m[2] + k) * d1 + load(m[3] + k) * d2);
        }
        wrench.t1 = wrench.t1 + d1;
        wrench.t2 = wrench.t2 + d2;
        if constexpr (N > 1) {
            const Lanes x = load(p.x + k), y = load(p.y + k), z = load(p.z + k);
            wrench.wn = wrench.wn + (x * d2 - y * d1);
            wrench.w1 = wrench.w1 - z * d2;
            wrench.w2 = wrench.w2 + z * d1;
        }
    }
}

/// Friction follows the last pass over the normals, `before` which they were others: what slides stays at the edge of its
/// disk, and what was left outside goes back to it. To do only the latter would take friction from everything that slides,
/// whenever loads go up and down. Adds to the wrench.
template <uint32_t N>
PX_INLINE void keep_in_disks(const ContactBlock<N>& block, int k, const Lanes (&before)[N], Unknowns<N>& l,
                             Twist& wrench) {
    // A load that doubles in a pass is none that goes up and down.
    constexpr float kAtEdge = 0.9999f, kMaxGrowth = 2.0f, kTiny = 1e-20f;
    const Lanes zero(0.0f), mu = load(block.friction + k);
    for (uint32_t i = 0; i < N; ++i) {
        Lanes n1 = l.t1[i], n2 = l.t2[i];
        const Lanes load_now = max(l.n[i], zero), edge = mu * before[i] * Lanes(kAtEdge);
        const Mask slides =
            (edge > Lanes(kTiny)) & (n1 * n1 + n2 * n2 >= edge * edge) & (load_now <= Lanes(kMaxGrowth) * before[i]);
        if (any(slides)) {
            const Lanes scale = select(slides, load_now / select(slides, before[i], Lanes(1.0f)), Lanes(1.0f));
            n1 = n1 * scale;
            n2 = n2 * scale;
        }
        project_disk(n1, n2, mu * load_now);
        const Lanes d1 = n1 - l.t1[i], d2 = n2 - l.t2[i];
        l.t1[i] = n1;
        l.t2[i] = n2;
        wrench.t1 = wrench.t1 + d1;
        wrench.t2 = wrench.t2 + d2;
        if constexpr (N > 1) {
            const PointRows& p = block.point[i];
            const Lanes x = load(p.x + k), y = load(p.y + k), z = load(p.z + k);
            wrench.wn = wrench.wn + (x * d2 - y * d1);
            wrench.w1 = wrench.w1 - z * d2;
            wrench.w2 = wrench.w2 + z * d1;
        }
    }
}

/// Friction of the whole step that lies outside its disk, which relaxing made smaller: `out1`, `out2`, for each point.
/// Takes it from the wrench. The impulses of the sub-step, which the next one begins with, stay as they are.
template <uint32_t N>
PX_INLINE void take_back_friction(const ContactBlock<N>& block, int k, const Unknowns<N>& l, Lanes (&out1)[N],
                                  Lanes (&out2)[N], Twist& wrench) {
    const Lanes mu = load(block.friction + k);
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& p = block.point[i];
        const Lanes normal = load(p.total_normal + k) + (l.n[i] - load(p.normal + k));
        const Lanes all1 = load(p.total_tangent1 + k) + (l.t1[i] - load(p.tangent1 + k));
        const Lanes all2 = load(p.total_tangent2 + k) + (l.t2[i] - load(p.tangent2 + k));
        Lanes in1 = all1, in2 = all2;
        project_disk(in1, in2, mu * max(normal, Lanes(0.0f)));
        const Lanes d1 = all1 - in1, d2 = all2 - in2;
        out1[i] = d1;
        out2[i] = d2;
        wrench.t1 = wrench.t1 - d1;
        wrench.t2 = wrench.t2 - d2;
        if constexpr (N > 1) {
            const Lanes x = load(p.x + k), y = load(p.y + k), z = load(p.z + k);
            wrench.wn = wrench.wn - (x * d2 - y * d1);
            wrench.w1 = wrench.w1 + z * d2;
            wrench.w2 = wrench.w2 - z * d1;
        }
    }
}

/// What a normal impulse and its torques make of the twist.
PX_INLINE void add_normal(const Lanes (&w)[6][6], Lanes f, Lanes torque1, Lanes torque2, Lanes (&twist)[6]) {
    for (int r = 0; r < 6; ++r) twist[r] = twist[r] + (w[r][0] * f + w[r][4] * torque1 + w[r][5] * torque2);
}
/// And friction.
PX_INLINE void add_friction(const Lanes (&w)[6][6], const PointRows& p, int k, Lanes f1, Lanes f2, Lanes (&twist)[6]) {
    const Lanes x = load(p.x + k), y = load(p.y + k), z = load(p.z + k);
    const Lanes torque = x * f2 - y * f1, torque1 = Lanes(0.0f) - z * f2, torque2 = z * f1;
    for (int r = 0; r < 6; ++r)
        twist[r] = twist[r] + (w[r][1] * f1 + w[r][2] * f2 + w[r][3] * torque + w[r][4] * torque1 + w[r][5] * torque2);
}

/// The load of patches that carried nothing and touch, and its friction, in passes of their own until it changes no more:
/// one pass over a face finds about half of both. What strikes would go on turning, and what is put on a slope would slide
/// before it is held. With all of W, for the lever arms of now.
template <uint32_t N>
PX_INLINE void find_load(const ContactBlock<N>& block, int k, const Arms& arms, const NormalLaw (&law)[N], Mask touches,
                         Twist& motion, Unknowns<N>& l) {
    constexpr int kMaxPasses = 12;
    constexpr float kSettled = 1e-3f;  // part of the load
    const Lanes zero(0.0f), mu = load(block.friction + k);
    const Vec axis[3] = {load_vec(block.normal, k), load_vec(block.tangent1, k), load_vec(block.tangent2, k)};
    const Response all = response(axis, arms.a, arms.b, load(block.mass_a + k), load(block.mass_b + k),
                                  load_sym(block.inertia_a, k), load_sym(block.inertia_b, k));
    Lanes twist[6] = {motion.n, motion.t1, motion.t2, motion.wn, motion.w1, motion.w2};
    Mask fresh = touches;
    // All points alike: what falls flat is found at once.
    const Lanes even = max(zero - twist[0], zero) * inverse_or_zero(all.w[0][0]) * Lanes(1.0f / float(N));
    Lanes tangent_steps[N], sum_y = zero, sum_x = zero;
    for (uint32_t i = 0; i < N; ++i) {
        l.n[i] = select(fresh, even * law[i].keep, l.n[i]);
        sum_y = sum_y + load(block.point[i].y + k) * l.n[i];
        sum_x = sum_x + load(block.point[i].x + k) * l.n[i];
        const Lanes x = load(block.point[i].x + k), y = load(block.point[i].y + k), z = load(block.point[i].z + k);
        tangent_steps[i] = tangent_step(point_response(all.w, x, y, z), x, y, z);
    }
    Lanes given(0.0f);
    for (uint32_t i = 0; i < N; ++i) given = given + l.n[i];
    add_normal(all.w, given, sum_y, zero - sum_x, twist);
    for (int pass = 0; pass < kMaxPasses && any(fresh); ++pass) {
        Lanes most = zero, sum = zero;
        for (uint32_t i = 0; i < N; ++i) {
            const Lanes x = load(block.point[i].x + k), y = load(block.point[i].y + k);
            const Lanes v = twist[0] + (twist[4] * y - twist[5] * x) + law[i].bias;
            const Lanes next = max(law[i].keep * l.n[i] - law[i].step * v, zero);
            const Lanes d = select(fresh, next - l.n[i], zero);
            l.n[i] = select(fresh, next, l.n[i]);
            add_normal(all.w, d, y * d, zero - x * d, twist);
            most = max(most, abs(d));
            sum = sum + next;
        }
        for (uint32_t i = 0; i < N; ++i) {
            const Lanes x = load(block.point[i].x + k), y = load(block.point[i].y + k), z = load(block.point[i].z + k);
            const Lanes v1 = twist[1] + (twist[5] * z - twist[3] * y), v2 = twist[2] + (twist[3] * x - twist[4] * z);
            Lanes n1 = l.t1[i] - tangent_steps[i] * v1, n2 = l.t2[i] - tangent_steps[i] * v2;
            project_disk(n1, n2, mu * l.n[i]);
            const Lanes d1 = select(fresh, n1 - l.t1[i], zero), d2 = select(fresh, n2 - l.t2[i], zero);
            l.t1[i] = select(fresh, n1, l.t1[i]);
            l.t2[i] = select(fresh, n2, l.t2[i]);
            add_friction(all.w, block.point[i], k, d1, d2, twist);
            most = max(most, max(abs(d1), abs(d2)));
        }
        fresh = fresh & (most > Lanes(kSettled) * sum);
    }
    motion.n = select(touches, twist[0], motion.n);
    motion.t1 = select(touches, twist[1], motion.t1);
    motion.t2 = select(touches, twist[2], motion.t2);
    motion.wn = select(touches, twist[3], motion.wn);
    motion.w1 = select(touches, twist[4], motion.w1);
    motion.w2 = select(touches, twist[5], motion.w2);
}

/// A patch that did not carry anything and closes faster than lasting forces would make it in a few sub-steps is struck:
/// what stops it is no impulse to begin the next sub-step with, nor is what stops in that one the rest of the speed that it
/// came to the other body with. Beyond that it is a lasting force. Returns the lanes whose load has to be found: those, and
/// new ones.
template <uint32_t N>
PX_INLINE Mask mark_blows(ContactBlock<N>& block, int k, const Arms& arms, const BodyRecords& records,
                          const SweepLaw& law, const Twist& twist, Mask touches) {
    constexpr float kPushPart = 0.1f;  // of the fastest push
    if (!any(touches)) return touches;
    Lanes speed(0.0f);
    for (uint32_t i = 0; i < N; ++i) speed = min(speed, normal_velocity(twist, block.point[i], k));
    const Lanes zero(0.0f);
    Lanes least = max(Lanes(kBounceDrives * law.gravity), Lanes(kPushPart) * load(block.max_push + k));
    const Mask again = touches & mask_of(block.blows >> (kStruck + k)),
               lasts = mask_of((block.blows >> kStruck | block.blows >> kStruckBefore) >> k);
    Mask fast = touches & (speed < zero - least) & !lasts;
    if (any(fast)) {
        const Twist driven = relative_twist(block, k, arms, load_bodies(block, k, records.drive));
        for (uint32_t i = 0; i < N; ++i)
            least = max(least, Lanes(kBounceDrives) * abs(point_velocity(driven, block.point[i], k).n));
        fast = fast & (speed < zero - least);
    }
    const Mask begins = touches & mask_of(block.begins >> k);
    block.blows |= bits(fast | again) << k | bits(fast) << (kStrikes + k);
    block.begins &= ~(bits(begins) << k);
    return fast | again | begins;
}

/// Normals, friction, normals again; a single point: friction, then its normal (solvers/group_sweep.h says why), unless
/// it carried nothing yet.
template <uint32_t N, bool Relaxes>
PX_INLINE void sweep_lanes(ContactBlock<N>& block, int k, const BodyRecords& records, const SweepLaw& law) {
    // Of the fastest push: slower parting is none, and faster one is taken back in all passes, with what it did sideways.
    constexpr float kPartsPart = 1e-3f, kFarPart = 0.05f;
    const Lanes zero(0.0f);
    BodyPair bodies = load_bodies(block, k, records.velocity);
    const BodyPair motion = load_motions(block, k, records, law.elapsed, bodies);
    Unknowns<N> l = load_impulses(block, k);
    if constexpr (!Relaxes) {
        // Bodies that move got the velocity again that constraints gave in the last sub-step: what is different about
        // it now, each of them makes good before it goes on from there.
        const Mask turns = mask_of((block.turns & ~block.anew) >> k);
        if (law.turns && any(turns)) give(block, k, turn_lanes(block, k, records, motion, l, turns), turns, bodies);
    }
    const Arms arms = arms_now(block, k);
    const Twist moved = relative_twist(block, k, motion);
    Twist twist = relative_twist(block, k, arms, bodies);
    add_chords(block, k, arms, bodies, law.h, twist);
    add_ramp(block, k, arms, records, law.ramp, twist);
    NormalLaw laws[N];
    Lanes carried = l.n[0];
    for (uint32_t i = 1; i < N; ++i) carried = max(carried, l.n[i]);
    const Mask fresh = carried <= zero;
    const Mask pushed = load(block.push + k) > zero;
    Mask touches = mask_of(0u);              // and carried nothing before
    Mask parts = touches, driven = touches;  // because it was pushed
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& p = block.point[i];
        Lanes gap = load(p.start_gap + k) + moved.n;
        if constexpr (N > 1) gap = gap + (moved.w1 * load(p.y + k) - moved.w2 * load(p.x + k));
        const Lanes step = load(p.normal_step + k), speed = normal_velocity(twist, p, k);
        if constexpr (Relaxes) {
            laws[i] = relax_law(gap, step, l.n[i], load(p.total_normal + k), speed, load(block.push + k),
                                fresh & !pushed, law);
            parts = parts | (pushed & (speed > Lanes(kPartsPart) * load(block.max_push + k)));
            driven = driven | (pushed & (speed > Lanes(kFarPart) * load(block.max_push + k)));
        } else {
            laws[i] = soft_law(block, k, gap, step, law);
            touches = touches | (fresh & (speed + laws[i].bias < zero));
        }
    }
    if constexpr (!Relaxes) touches = mark_blows(block, k, arms, records, law, twist, touches);
    if (any(touches)) fill_response(block, k, arms, touches);  // with the lever arms of now
    if (!Relaxes && (block.blows >> k & kAllLanes)) {
        const Mask hard = mask_of(block.blows >> k);  // softness is about lasting loads
        for (uint32_t i = 0; i < N; ++i) {
            laws[i].keep = select(hard, Lanes(1.0f), laws[i].keep);
            laws[i].step = select(hard, load(block.point[i].normal_step + k), laws[i].step);
        }
    }
    if (any(touches)) {
        for (uint32_t i = 0; i < N; ++i)
            laws[i].step = select(touches, load(block.point[i].normal_step + k) * laws[i].keep, laws[i].step);
        find_load(block, k, arms, laws, touches, twist, l);
        give(block, k, to_world(block, k, arms, wrench_of(block, l, k), N > 1), touches, bodies);
    }
    const auto c = [&](Coupling which) { return load(block.joined.coupling[which] + k); };
    Twist wrench{zero, zero, zero, zero, zero, zero};
    if constexpr (N > 1) {
        pass_normals(block, k, laws, twist, l, wrench.n, wrench.w1, wrench.w2);
        const Lanes f = wrench.n, m1 = wrench.w1, m2 = wrench.w2;
        twist.n = twist.n + (c(kW00) * f + c(kW04) * m1 + c(kW05) * m2);
        twist.t1 = twist.t1 + (c(kW01) * f + c(kW41) * m1 + c(kW51) * m2);
        twist.t2 = twist.t2 + (c(kW02) * f + c(kW42) * m1 + c(kW52) * m2);
        twist.wn = twist.wn + (c(kW03) * f + c(kW43) * m1 + c(kW53) * m2);
        twist.w1 = twist.w1 + (c(kW04) * f + c(kW44) * m1 + c(kW45) * m2);
        twist.w2 = twist.w2 + (c(kW05) * f + c(kW45) * m1 + c(kW55) * m2);
    }
    Twist rubbed{zero, zero, zero, zero, zero, zero};
    pass_friction(block, k, twist, l, rubbed);
    twist.n = twist.n + (c(kW01) * rubbed.t1 + c(kW02) * rubbed.t2);
    if constexpr (N > 1) {
        twist.n = twist.n + (c(kW03) * rubbed.wn + c(kW04) * rubbed.w1 + c(kW05) * rubbed.w2);
        twist.w1 = twist.w1 + (c(kW41) * rubbed.t1 + c(kW42) * rubbed.t2 + c(kW43) * rubbed.wn + c(kW44) * rubbed.w1 +
                               c(kW45) * rubbed.w2);
        twist.w2 = twist.w2 + (c(kW51) * rubbed.t1 + c(kW52) * rubbed.t2 + c(kW53) * rubbed.wn + c(kW45) * rubbed.w1 +
                               c(kW55) * rubbed.w2);
    }
    wrench.t1 = rubbed.t1;
    wrench.t2 = rubbed.t2;
    wrench.wn = rubbed.wn;
    wrench.w1 = wrench.w1 + rubbed.w1;
    wrench.w2 = wrench.w2 + rubbed.w2;
    Lanes before[N];
    for (uint32_t i = 0; i < N; ++i) before[i] = l.n[i];
    pass_normals(block, k, laws, twist, l, wrench.n, wrench.w1, wrench.w2);
    keep_in_disks(block, k, before, l, wrench);

    // What is taken back of the push takes its friction with it: impulses of a step lie within the disk of what it gave.
    Lanes out1[N], out2[N];
    for (uint32_t i = 0; i < N; ++i) out1[i] = out2[i] = zero;
    if constexpr (Relaxes) take_back_friction(block, k, l, out1, out2, wrench);

    Lanes push = load(block.push + k);
    const uint32_t swept = law.only_parting ? block.parting : ~0u;
    const Mask taken = mask_of(swept >> k), struck = mask_of(block.blows >> k);
    for (uint32_t i = 0; i < N; ++i) {
        PointRows& p = block.point[i];
        const auto add = [&](Row& total, Row& row, Lanes next) {
            if (law.adds_up) {
                store(total + k, load(total + k) + next);
            } else if constexpr (Relaxes) {
                next = select(taken, next, load(row + k));
                store(total + k, load(total + k) + (next - load(row + k)));
            }
            store(row + k, law.adds_up ? select(struck, zero, next) : next);
        };
        push = max(push, select(l.n[i] > zero, zero - laws[i].bias, zero));
        add(p.total_normal, p.normal, l.n[i]);
        add(p.total_tangent1, p.tangent1, l.t1[i]);
        add(p.total_tangent2, p.tangent2, l.t2[i]);
        if constexpr (Relaxes) {
            store(p.total_tangent1 + k, load(p.total_tangent1 + k) - select(taken, out1[i], zero));
            store(p.total_tangent2 + k, load(p.total_tangent2 + k) - select(taken, out2[i], zero));
        }
    }
    if constexpr (Relaxes) {
        const uint32_t mine = kAllLanes << k;
        const uint32_t far = law.only_parting ? block.parting >> kFar & mine : bits(driven) << k & mine;
        const uint32_t left = ((bits(parts) << k & mine) | far) & swept;
        block.parting = uint16_t((block.parting & ~(mine | mine << kFar)) | left | far << kFar);
    } else {
        store(block.push + k, push);
    }
    if (law.adds_up && (block.blows >> k & kAllLanes)) {
        // Nor is it velocity to be given again.
        BodyPair free = load_bodies(block, k, records.free_velocity);
        give(block, k, to_world(block, k, arms, wrench_of(block, l, k), N > 1), struck, free);
        store_bodies(block, k, free, records.free_velocity, block.blows & ~block.anew);
    }
    if (law.adds_up) {
        const uint32_t mine = kAllLanes << k, strikes = block.blows >> kStrikes & mine,
                       struck_now = block.blows >> kStruck & mine;
        block.blows = (block.blows & ~(mine | mine << kStrikes | mine << kStruck | mine << kStruckBefore)) |
                      strikes << kStruck | struck_now << kStruckBefore;
    }
    apply_wrench(block, k, arms, wrench, N > 1, bodies, records.velocity, swept);
}

template <uint32_t N>
void sweep(void* memory, uint32_t count, const BodyRecords& records, const SweepLaw& law) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    for (uint32_t b = 0; b < count; ++b) {
        for (int k = 0; k < int(kBlockLanes); k += kLanes) sweep_lanes<N, false>(blocks[b], k, records, law);
    }
}
template <uint32_t N>
bool relax(void* memory, uint32_t count, const BodyRecords& records, const SweepLaw& law) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    uint32_t parting = 0;
    for (uint32_t b = 0; b < count; ++b) {
        if (law.only_parting && !blocks[b].parting) continue;
        for (int k = 0; k < int(kBlockLanes); k += kLanes) sweep_lanes<N, true>(blocks[b], k, records, law);
        parting |= blocks[b].parting;
    }
    return parting != 0;
}

// ---- impacts

/// What a point does in the sub-step that began with the forces in `drive`, when nothing stops it.
struct Approach {
    Lanes speed;  // along the normal when it touches, negative
    Lanes time;   // from the start of the sub-step until then
    Mask hits;
};
/// Free flight from the gap g with v - a h at the start and v at the end of the sub-step: it touches with
/// v_i = -sqrt((v - a h)^2 - 2 a g), after 2 g / (a h - v - v_i). Where the sub-step ends before that by less than sweeps
/// would notice (they reckon with g + h v) it is taken now, and ends where the flight would have led.
PX_INLINE Approach approach_of(Lanes gap, Lanes v, Lanes driven, const ImpactLaw& law) {
    const Lanes zero(0.0f), two(2.0f), h(law.h);
    const Lanes open = max(gap, zero), start = v - driven;
    const Lanes square = start * start - two * (driven / h) * open;
    const Lanes speed = zero - sqrt(max(square, zero));
    // What gravity gives in a few sub-steps is no impact: a body at rest has that speed again and again.
    const Lanes least = max(Lanes(law.min_speed), Lanes(kBounceDrives) * abs(driven));
    Approach out;
    out.speed = speed;
    out.hits = (start < zero) & (square > zero) & (speed < zero - least) & (gap + h * v <= zero);
    out.time = two * open / select(out.hits, zero - start - speed, Lanes(1.0f));
    return out;
}

/// The impulses p >= 0 of the points of one patch that touch together, after which they part with -e times their
/// speeds: W p = -(1 + e) v where p > 0. Lanes that do not hit have none. Gauss-Seidel, in registers; energy is not let
/// grow by what is left of it.
template <uint32_t N>
PX_INLINE void impact_impulses(const ContactBlock<N>& block, int k, const Response& response, const Mask (&hits)[N],
                               const Lanes (&speed)[N], Lanes restitution, Lanes (&p)[N]) {
    constexpr int kPasses = N > 1 ? 40 : 1;
    const Lanes zero(0.0f), one(1.0f);
    Lanes w[N][N], step[N], target[N];
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& from = block.point[i];
        const PointResponse r = point_response(response.w, load(from.x + k), load(from.y + k), load(from.z + k));
        for (uint32_t j = 0; j < N; ++j)
            w[j][i] = r.by_n[0] + load(block.point[j].y + k) * r.by_n[4] - load(block.point[j].x + k) * r.by_n[5];
        step[i] = inverse_or_zero(w[i][i]);
        target[i] = (one + restitution) * speed[i];
        p[i] = zero;
    }
    for (int pass = 0; pass < kPasses; ++pass)
        for (uint32_t i = 0; i < N; ++i) {
            Lanes v = target[i];
            for (uint32_t j = 0; j < N; ++j) v = v + w[i][j] * p[j];
            p[i] = select(hits[i], max(p[i] - step[i] * v, zero), zero);
        }
    // Energy changes by p v + p W p / 2.
    Lanes given(0.0f), kept(0.0f);
    for (uint32_t i = 0; i < N; ++i) {
        given = given + p[i] * speed[i];
        for (uint32_t j = 0; j < N; ++j) kept = kept + Lanes(0.5f) * p[i] * w[i][j] * p[j];
    }
    const Mask grows = given + kept > zero;
    const Lanes scale = select(grows, max(zero - given, zero) / select(grows, kept, one), one);
    for (uint32_t i = 0; i < N; ++i) p[i] = p[i] * scale;
}

/// Friction of an impact: what stops the points from sliding, within mu times the impulses there.
template <uint32_t N>
PX_INLINE void impact_friction(const ContactBlock<N>& block, int k, const Arms& arms, const Response& response,
                               uint32_t struck, BodyPair& bodies, float* velocity, Unknowns<N>& l) {
    constexpr int kPasses = N > 1 ? 10 : 1;
    const Lanes zero(0.0f), mu = load(block.friction + k);
    Lanes steps[N];
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& point = block.point[i];
        const Lanes x = load(point.x + k), y = load(point.y + k), z = load(point.z + k);
        steps[i] = tangent_step(point_response(response.w, x, y, z), x, y, z);
        l.t1[i] = l.t2[i] = zero;
    }
    for (int pass = 0; pass < kPasses; ++pass)
        for (uint32_t i = 0; i < N; ++i) {
            const PointRows& point = block.point[i];
            const Lanes x = load(point.x + k), y = load(point.y + k), z = load(point.z + k);
            const PointVelocity v = point_velocity(relative_twist(block, k, arms, bodies), point, k);
            Lanes n1 = l.t1[i] - steps[i] * v.t1, n2 = l.t2[i] - steps[i] * v.t2;
            project_disk(n1, n2, mu * l.n[i]);
            const Lanes d1 = n1 - l.t1[i], d2 = n2 - l.t2[i];
            l.t1[i] = n1;
            l.t2[i] = n2;
            apply_wrench(block, k, arms, {zero, d1, d2, x * d2 - y * d1, zero - z * d2, z * d1}, true, bodies, velocity,
                         struck);
        }
}

/// Newton's impact law for the points of a patch that touch first in this sub-step, on the free velocities. The bodies
/// go on from where and when they touched: `shift` has what that is less than moving with the new velocity from the
/// start.
template <uint32_t N>
PX_INLINE bool impact_lanes(ContactBlock<N>& block, int k, const BodyRecords& records, const ImpactLaw& law,
                            const Row& restitution_row) {
    constexpr float kTogether = 0.1f;  // sub-steps between points of a patch that count as one impact
    const Lanes zero(0.0f), restitution = load(restitution_row + k);
    BodyPair bodies = load_bodies(block, k, records.velocity);
    BodyPair motion = load_motions(block, k, records, law.elapsed, bodies),
             shift = load_bodies(block, k, records.shift);
    for (int c = 0; c < 8; ++c) {
        motion.a[c] = motion.a[c] + shift.a[c];
        motion.b[c] = motion.b[c] + shift.b[c];
    }
    Arms arms = moved_arms(block, k, motion);
    const Twist moved = relative_twist(block, k, motion), twist = relative_twist(block, k, arms, bodies),
                driven = relative_twist(block, k, arms, load_bodies(block, k, records.drive));
    Mask hits[N];
    Lanes speed[N], time[N], first(3.0e38f);
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& p = block.point[i];
        const Approach approach = approach_of(load(p.start_gap + k) + point_velocity(moved, p, k).n,
                                              point_velocity(twist, p, k).n, point_velocity(driven, p, k).n, law);
        hits[i] = approach.hits & (load(p.normal_step + k) > zero) & mask_of(block.bounces >> k);
        speed[i] = approach.speed;
        time[i] = approach.time;
        first = min(first, select(hits[i], time[i], Lanes(3.0e38f)));
    }
    const Mask any_hits = first < Lanes(1.0e38f);
    if (!any(any_hits)) return false;
    for (uint32_t i = 0; i < N; ++i) hits[i] = hits[i] & (time[i] <= first + Lanes(kTogether * law.h));
    // Where the bodies are when they touch.
    const Lanes late = select(any_hits, first, zero);
    for (int c = 0; c < 8; ++c) {
        motion.a[c] = motion.a[c] + late * bodies.a[c];
        motion.b[c] = motion.b[c] + late * bodies.b[c];
    }
    arms = moved_arms(block, k, motion);
    const Twist there = relative_twist(block, k, arms, bodies);
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& p = block.point[i];
        speed[i] = speed[i] + (point_velocity(there, p, k).n - point_velocity(twist, p, k).n);
    }

    const Vec axis[3] = {load_vec(block.normal, k), load_vec(block.tangent1, k), load_vec(block.tangent2, k)};
    const Response r = response(axis, arms.a, arms.b, load(block.mass_a + k), load(block.mass_b + k),
                                load_sym(block.inertia_a, k), load_sym(block.inertia_b, k));
    Unknowns<N> l;
    impact_impulses(block, k, r, hits, speed, restitution, l.n);
    const BodyPair before = bodies;
    Twist wrench{zero, zero, zero, zero, zero, zero};
    for (uint32_t i = 0; i < N; ++i) {
        wrench.n = wrench.n + l.n[i];
        wrench.w1 = wrench.w1 + load(block.point[i].y + k) * l.n[i];
        wrench.w2 = wrench.w2 - load(block.point[i].x + k) * l.n[i];
    }
    const uint32_t struck = bits(any_hits) << k;
    apply_wrench(block, k, arms, wrench, N > 1, bodies, records.velocity, struck);
    impact_friction(block, k, arms, r, struck, bodies, records.velocity, l);
    for (int c = 0; c < 8; ++c) {
        shift.a[c] = shift.a[c] - late * (bodies.a[c] - before.a[c]);
        shift.b[c] = shift.b[c] - late * (bodies.b[c] - before.b[c]);
    }
    store_records(records.shift, block.body_a + k, kRecord, (block.moves_a & struck) >> k, shift.a);
    store_records(records.shift, block.body_b + k, kRecord, (block.moves_b & struck) >> k, shift.b);
    // The warm start is about lasting forces: a blow is counted in the step's total only.
    const auto add = [&](float* total, Lanes impulse) {
        store(total + k, select(any_hits, load(total + k) + impulse, load(total + k)));
    };
    for (uint32_t i = 0; i < N; ++i) {
        PointRows& p = block.point[i];
        add(p.total_normal, l.n[i]);
        add(p.total_tangent1, l.t1[i]);
        add(p.total_tangent2, l.t2[i]);
    }
    return true;
}

template <uint32_t N>
bool impact(void* memory, uint32_t count, const BodyRecords& records, const ImpactLaw& law, const Row* restitution) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    bool any_bounce = false;
    for (uint32_t b = 0; b < count; ++b) {
        if (!blocks[b].bounces) continue;
        for (int k = 0; k < int(kBlockLanes); k += kLanes)
            any_bounce |= impact_lanes(blocks[b], k, records, law, restitution[b]);
    }
    return any_bounce;
}

// ---- results

/// Gaps now, and the natural map of the exact law at every point (contact/residual.h).
template <uint32_t N>
void results(const void* memory, const BodyRecords& records, float inverse_h, float ramp, ContactResults& out) {
    const ContactBlock<N>& block = *static_cast<const ContactBlock<N>*>(memory);
    const Lanes zero(0.0f);
    for (int k = 0; k < int(kBlockLanes); k += kLanes) {
        const BodyPair motion = load_bodies(block, k, records.delta),
                       velocity = load_bodies(block, k, records.velocity);
        const Arms arms = arms_now(block, k);
        Twist twist = relative_twist(block, k, arms, velocity);
        add_chords(block, k, arms, velocity, 1.0f / inverse_h, twist);
        add_ramp(block, k, arms, records, ramp, twist);
        const Twist moved = relative_twist(block, k, motion);
        const Lanes mu = load(block.friction + k);
        for (uint32_t i = 0; i < N; ++i) {
            const PointRows& p = block.point[i];
            const Lanes gap = load(p.start_gap + k) + point_velocity(moved, p, k).n;
            PointVelocity v = point_velocity(twist, p, k);
            v.n = v.n + max(gap * Lanes(inverse_h), zero);
            const Lanes residual =
                natural_map(p, k, v, mu, max(load(p.normal + k), zero), load(p.tangent1 + k), load(p.tangent2 + k));
            store(out.gap[i] + k, gap);
            store(out.residual[i] + k, residual);
        }
    }
}

}  // namespace

}  // namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE

namespace proxima::physics::sweep {

namespace level = PX_LEVEL_NAMESPACE;

extern const ContactKernels PX_AT_LEVEL(contact_kernels_);
const ContactKernels PX_AT_LEVEL(contact_kernels_) = {
    {level::prepare<1>, level::prepare<2>, level::prepare<3>, level::prepare<4>},
    {level::prepare_direct<1>, level::prepare_direct<2>, level::prepare_direct<3>, level::prepare_direct<4>},
    {level::results<1>, level::results<2>, level::results<3>, level::results<4>},
    {{level::turn<1>, level::warm_start<1>, level::sweep<1>, level::relax<1>, level::impact<1>},
     {level::turn<2>, level::warm_start<2>, level::sweep<2>, level::relax<2>, level::impact<2>},
     {level::turn<3>, level::warm_start<3>, level::sweep<3>, level::relax<3>, level::impact<3>},
     {level::turn<4>, level::warm_start<4>, level::sweep<4>, level::relax<4>, level::impact<4>}}};

}  // namespace proxima::physics::sweep
