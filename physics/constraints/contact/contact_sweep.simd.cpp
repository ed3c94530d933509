// SPDX-License-Identifier: MIT
// Contacts in sweeps: from manifolds to blocks, warm start, sweep, impacts, results.
// The method and the data are explained in contact_block.h; physics/docs/solvers.md has the derivation.
#include "physics/constraints/contact/contact_lanes.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

namespace {

/// Gives b the wrench and a its opposite, and writes the bodies that can move.
PX_INLINE void apply_wrench(const ContactHead& head, int k, const Arms& arms, const Twist& wrench, bool has_torque,
                            BodyPair& bodies, float* velocity) {
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
    store_records(velocity, head.body_a + k, kRecord, head.moves_a >> k, bodies.a);
    store_records(velocity, head.body_b + k, kRecord, head.moves_b >> k, bodies.b);
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
PX_INLINE void store_steps(const PointResponse& r, Lanes x, Lanes y, Lanes z, int k, PointRows& to) {
    const Lanes w_nn = r.by_n[0] + y * r.by_n[4] - x * r.by_n[5];
    const Lanes t11 = r.by_1[1] - y * r.by_1[3] + z * r.by_1[5];
    const Lanes t12 = r.by_1[2] + x * r.by_1[3] - z * r.by_1[4];
    const Lanes t22 = r.by_2[2] + x * r.by_2[3] - z * r.by_2[4];
    const Lanes mean = (t11 + t22) * Lanes(0.5f), half = (t11 - t22) * Lanes(0.5f);
    store(to.normal_step + k, inverse_or_zero(w_nn));
    store(to.tangent_step + k, inverse_or_zero(mean + sqrt(half * half + t12 * t12)));
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

template <uint32_t N, bool Sweeps>
PX_INLINE void fill_block(void* memory, const RawContacts& raw, const BodyRecords& records) {
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
        const Mask on_b = load(raw.frame_on_b + k) > Lanes(0.5f);
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

        const Sym inertia_a{mass.a[0], mass.a[1], mass.a[2], mass.a[3], mass.a[4], mass.a[5]};
        const Sym inertia_b{mass.b[0], mass.b[1], mass.b[2], mass.b[3], mass.b[4], mass.b[5]};
        const Response r = response(axis, arm_a, arm_b, mass.a[6], mass.b[6], inertia_a, inertia_b);
        const Lanes(&w)[6][6] = r.w;
        const Lanes coupling[kCouplings] = {w[0][0], w[0][1], w[0][2], w[0][3], w[0][4], w[0][5], w[4][1], w[4][2],
                                            w[4][3], w[4][4], w[4][5], w[5][1], w[5][2], w[5][3], w[5][5]};
        for (uint32_t c = 0; Sweeps && c < (N > 1 ? uint32_t(kCouplings) : 3u); ++c)
            store(block.joined.coupling[c] + k, coupling[c]);

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
            if constexpr (!Sweeps) {
                typename GapRows<N>::Point& gap = block.gaps.point[i];
                store_vec(gap.anchor_a, k, load_vec(from.anchor_a, k));
                store_vec(gap.anchor_b, k, load_vec(from.anchor_b, k));
            }
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
void prepare(void* memory, const RawContacts& raw, const BodyRecords& records) {
    fill_block<N, true>(memory, raw, records);
}
template <uint32_t N>
void prepare_direct(void* memory, const RawContacts& raw, const BodyRecords& records) {
    fill_block<N, false>(memory, raw, records);
}

template <uint32_t N>
void refresh(void* memory, uint32_t count, const BodyRecords& records) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    for (uint32_t b = 0; b < count; ++b)
        for (int k = 0; k < int(kBlockLanes); k += kLanes) {
            ContactBlock<N>& block = blocks[b];
            const BodyPair transform = load_bodies(block, k, records.transform);
            const Twist twist = relative_twist(block, k, load_bodies(block, k, records.velocity));
            const Vec normal = load_vec(block.normal, k);
            const Vec between{transform.b[4] - transform.a[4], transform.b[5] - transform.a[5],
                              transform.b[6] - transform.a[6]};
            for (uint32_t i = 0; i < N; ++i) {
                PointRows& p = block.point[i];
                const typename GapRows<N>::Point& gap = block.gaps.point[i];
                const Vec reach = between + rotate(transform.b, load_vec(gap.anchor_b, k)) -
                                  rotate(transform.a, load_vec(gap.anchor_a, k));
                store(p.start_gap + k, dot(normal, reach));
                store(p.approach_speed + k, -(twist.n + twist.w1 * load(p.y + k) - twist.w2 * load(p.x + k)));
                store(p.total_normal + k, Lanes(0.0f));
                store(p.total_tangent1 + k, Lanes(0.0f));
                store(p.total_tangent2 + k, Lanes(0.0f));
            }
        }
}

// ---- sweeps

template <uint32_t N>
PX_INLINE Twist wrench_of(const ContactBlock<N>& block, int k) {
    Twist sum{Lanes(0.0f), Lanes(0.0f), Lanes(0.0f), Lanes(0.0f), Lanes(0.0f), Lanes(0.0f)};
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& p = block.point[i];
        const Lanes ln = load(p.normal + k), l1 = load(p.tangent1 + k), l2 = load(p.tangent2 + k);
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
void warm_start(void* memory, uint32_t count, const BodyRecords& records) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    for (uint32_t b = 0; b < count; ++b)
        for (int k = 0; k < int(kBlockLanes); k += kLanes) {
            BodyPair bodies = load_bodies(blocks[b], k, records.velocity);
            apply_wrench(blocks[b], k, start_arms(blocks[b], k), wrench_of(blocks[b], k), N > 1, bodies,
                         records.velocity);
        }
}

/// The law of one point for this sweep: l_n <- max(0, keep l_n - step (v_n + bias)).
struct NormalLaw {
    Lanes bias, step, keep;
};
PX_INLINE NormalLaw normal_law(Lanes gap, Lanes normal_step, const SweepLaw& law) {
    const Mask open = gap > Lanes(0.0f);
    const Lanes push = max(gap * Lanes(law.push_rate), Lanes(-law.max_push_speed));
    NormalLaw out;
    out.bias = select(open, gap * Lanes(law.inverse_h), push);
    out.step = select(open, normal_step, normal_step * Lanes(law.hardness));
    out.keep = select(open, Lanes(1.0f), Lanes(law.hardness));
    return out;
}

/// Impulses and velocities of one pass over the points of a manifold.
template <uint32_t N>
struct Unknowns {
    Lanes n[N], t1[N], t2[N];
};

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
        const Lanes next = max(law[i].keep * l.n[i] - law[i].step * v[i], Lanes(0.0f));
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
        project_disk(n1, n2, mu * l.n[i]);
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

/// Friction that the last pass over the normals left outside its disk goes back to the edge. Adds to the wrench.
template <uint32_t N>
PX_INLINE void keep_in_disks(const ContactBlock<N>& block, int k, Unknowns<N>& l, Twist& wrench) {
    const Lanes mu = load(block.friction + k);
    for (uint32_t i = 0; i < N; ++i) {
        Lanes n1 = l.t1[i], n2 = l.t2[i];
        project_disk(n1, n2, mu * l.n[i]);
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

/// Normals, friction, normals again; a single point: friction, then its normal (solvers/group_sweep.h says why).
template <uint32_t N>
PX_INLINE void sweep_lanes(ContactBlock<N>& block, int k, const BodyRecords& records, const SweepLaw& law) {
    const Lanes zero(0.0f);
    BodyPair bodies = load_bodies(block, k, records.velocity);
    const BodyPair motion = load_motions(block, k, records, law.elapsed, bodies);
    const Arms arms = moved_arms(block, k, motion);
    const Twist moved = relative_twist(block, k, motion);
    Twist twist = relative_twist(block, k, arms, bodies);
    NormalLaw laws[N];
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& p = block.point[i];
        Lanes gap = load(p.start_gap + k) + moved.n;
        if constexpr (N > 1) gap = gap + (moved.w1 * load(p.y + k) - moved.w2 * load(p.x + k));
        laws[i] = normal_law(gap, load(p.normal_step + k), law);
    }
    Unknowns<N> l;
    for (uint32_t i = 0; i < N; ++i) {
        l.n[i] = load(block.point[i].normal + k);
        l.t1[i] = load(block.point[i].tangent1 + k);
        l.t2[i] = load(block.point[i].tangent2 + k);
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
    pass_normals(block, k, laws, twist, l, wrench.n, wrench.w1, wrench.w2);
    keep_in_disks(block, k, l, wrench);

    for (uint32_t i = 0; i < N; ++i) {
        PointRows& p = block.point[i];
        const auto add = [&](Row& total, Row& row, Lanes next) {
            if (law.adds_up)
                store(total + k, load(total + k) + next);
            else if (law.corrects)
                store(total + k, load(total + k) + (next - load(row + k)));
            store(row + k, next);
        };
        add(p.total_normal, p.normal, l.n[i]);
        add(p.total_tangent1, p.tangent1, l.t1[i]);
        add(p.total_tangent2, p.tangent2, l.t2[i]);
    }
    apply_wrench(block, k, arms, wrench, N > 1, bodies, records.velocity);
}

template <uint32_t N>
void sweep(void* memory, uint32_t count, const BodyRecords& records, const SweepLaw& law) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    for (uint32_t b = 0; b < count; ++b)
        for (int k = 0; k < int(kBlockLanes); k += kLanes) sweep_lanes(blocks[b], k, records, law);
}

// ---- what sticks

/// How a point at `arm` from the centre of mass is displaced by a motion: a turn as it is, up to the fifth order, not
/// as the velocity with which it began.
PX_INLINE Vec displacement(const Lanes motion[8], const Vec& arm) {
    const Vec turn = angular(motion), once = cross(turn, arm), twice = cross(turn, once);
    const Lanes angle2 = dot(turn, turn);
    return linear(motion) + once * (Lanes(1.0f) - angle2 * Lanes(1.0f / 6.0f)) +
           twice * (Lanes(0.5f) - angle2 * Lanes(1.0f / 24.0f));
}

/// What sticks is at the end of a step where it stuck. Velocities are straight: on what turns, a body that has the
/// velocity of the place where it stands leaves it along the tangent, by (angle of a step)^2 / 2 of its radius, and
/// friction, which knows velocities only, does not bring it back. So the way along the tangents that the points in
/// contact have made against each other in this step is taken back, by moving both bodies without turning them. What
/// rolls has no such points.
template <uint32_t N>
void hold(void* memory, uint32_t count, const BodyRecords& records, float elapsed, float stop_part) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    const Lanes zero(0.0f), one(1.0f);
    for (uint32_t b = 0; b < count; ++b)
        for (int k = 0; k < int(kBlockLanes); k += kLanes) {
            ContactBlock<N>& block = blocks[b];
            const Lanes mu = load(block.friction + k);
            const Mask may_hold = load(block.rolls + k) < Lanes(0.5f);
            // A patch sticks as a whole, though single points of it may be at their limit: friction has some left, and
            // no point moves faster than friction could stop it in a quarter of the step.
            const BodyPair velocity = load_bodies(block, k, records.velocity);
            const BodyPair motion = load_motions(block, k, records, elapsed, velocity);
            const Twist twist = relative_twist(block, k, moved_arms(block, k, motion), velocity);
            Lanes weight[N], sum(0.0f), sum1(0.0f), sum2(0.0f), fastest2(0.0f);
            for (uint32_t i = 0; i < N; ++i) {
                const PointRows& p = block.point[i];
                weight[i] = load(p.normal + k);
                sum = sum + weight[i];
                sum1 = sum1 + load(p.tangent1 + k);
                sum2 = sum2 + load(p.tangent2 + k);
                const PointVelocity v = point_velocity(twist, p, k);
                fastest2 = max(fastest2, v.t1 * v.t1 + v.t2 * v.t2);
            }
            const Lanes mass_a = load(block.mass_a + k), mass_b = load(block.mass_b + k);
            const Lanes stops = mu * sum * (mass_a + mass_b) * Lanes(stop_part);
            const Mask sticks = may_hold & (fastest2 < stops * stops);
            const Lanes limit = Lanes(0.99f) * mu * sum;
            const Mask holds = sticks & (sum > zero) & (sum1 * sum1 + sum2 * sum2 < limit * limit);
            if (!any(holds)) continue;
            const Vec n = load_vec(block.normal, k), t1 = load_vec(block.tangent1, k), t2 = load_vec(block.tangent2, k);
            const Arms arms = start_arms(block, k);
            Lanes e1(0.0f), e2(0.0f);
            for (uint32_t i = 0; i < N; ++i) {
                const PointRows& p = block.point[i];
                const Vec offset = n * load(p.z + k) + t1 * load(p.x + k) + t2 * load(p.y + k);
                const Vec way = displacement(motion.b, arms.b + offset) - displacement(motion.a, arms.a + offset);
                e1 = e1 + weight[i] * dot(t1, way);
                e2 = e2 + weight[i] * dot(t2, way);
            }
            const Lanes total = select(holds, sum * (mass_a + mass_b), one);
            const Vec back = (t1 * select(holds, e1, zero) + t2 * select(holds, e2, zero)) * (one / total);
            BodyPair delta = load_bodies(block, k, records.delta);
            const auto shift = [&](Lanes(&to)[8], Lanes by) {
                to[0] = to[0] + by * back.x, to[1] = to[1] + by * back.y, to[2] = to[2] + by * back.z;
            };
            shift(delta.a, mass_a);
            shift(delta.b, -mass_b);
            store_records(records.delta, block.body_a + k, kRecord, block.moves_a >> k, delta.a);
            store_records(records.delta, block.body_b + k, kRecord, block.moves_b >> k, delta.b);
        }
}

// ---- impacts

/// Newton's impact law, point by point, on the free velocities (contact/impact.cpp says why one after the other).
template <uint32_t N>
PX_INLINE bool impact_lanes(ContactBlock<N>& block, int k, const BodyRecords& records, const ImpactLaw& law,
                            const Row& restitution_row) {
    const Lanes zero(0.0f), restitution = load(restitution_row + k), mu = load(block.friction + k);
    BodyPair bodies = load_bodies(block, k, records.velocity);
    const BodyPair motion = load_motions(block, k, records, law.elapsed, bodies);
    const Arms arms = moved_arms(block, k, motion);
    const Twist moved = relative_twist(block, k, motion);
    bool any_bounce = false;
    for (uint32_t i = 0; i < N; ++i) {
        PointRows& p = block.point[i];
        const Lanes x = load(p.x + k), y = load(p.y + k), z = load(p.z + k);
        const Twist twist = relative_twist(block, k, arms, bodies);
        const Lanes gap = load(p.start_gap + k) + (moved.n + moved.w1 * y - moved.w2 * x);
        const Lanes v_n = twist.n + (twist.w1 * y - twist.w2 * x);
        const Lanes step = load(p.normal_step + k);
        const Mask hits =
            (restitution > zero) & (step > zero) & (v_n < Lanes(-law.min_speed)) & (gap + Lanes(law.h) * v_n <= zero);
        if (!any(hits)) continue;
        any_bounce = true;
        const Lanes normal = select(hits, -(Lanes(1.0f) + restitution) * v_n * step, zero);
        apply_wrench(block, k, arms, {normal, zero, zero, zero, y * normal, -x * normal}, true, bodies,
                     records.velocity);
        const Twist after = relative_twist(block, k, arms, bodies);
        const Lanes tangent_step = load(p.tangent_step + k);
        Lanes d1 = -tangent_step * (after.t1 + (after.w2 * z - after.wn * y));
        Lanes d2 = -tangent_step * (after.t2 + (after.wn * x - after.w1 * z));
        project_disk(d1, d2, mu * normal);  // no impact: radius 0
        apply_wrench(block, k, arms, {zero, d1, d2, x * d2 - y * d1, -z * d2, z * d1}, true, bodies, records.velocity);
        // The warm start is about lasting forces: a blow is counted in the step's total only.
        store(p.total_normal + k, load(p.total_normal + k) + normal);
        store(p.total_tangent1 + k, load(p.total_tangent1 + k) + d1);
        store(p.total_tangent2 + k, load(p.total_tangent2 + k) + d2);
    }
    return any_bounce;
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
void results(const void* memory, const BodyRecords& records, float inverse_h, ContactResults& out) {
    const ContactBlock<N>& block = *static_cast<const ContactBlock<N>*>(memory);
    const Lanes zero(0.0f);
    for (int k = 0; k < int(kBlockLanes); k += kLanes) {
        const BodyPair motion = load_bodies(block, k, records.delta);
        const Twist twist =
            relative_twist(block, k, moved_arms(block, k, motion), load_bodies(block, k, records.velocity));
        const Twist moved = relative_twist(block, k, motion);
        const Lanes mu = load(block.friction + k);
        for (uint32_t i = 0; i < N; ++i) {
            const PointRows& p = block.point[i];
            const PointVelocity way = point_velocity(moved, p, k);
            const Lanes gap = load(p.start_gap + k) + way.n;
            PointVelocity v = point_velocity(twist, p, k);
            v.n = v.n + max(gap * Lanes(inverse_h), zero);
            const Lanes residual =
                natural_map(p, k, v, mu, load(p.normal + k), load(p.tangent1 + k), load(p.tangent2 + k));
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
    {{level::refresh<1>, level::warm_start<1>, level::sweep<1>, level::impact<1>, false, level::hold<1>},
     {level::refresh<2>, level::warm_start<2>, level::sweep<2>, level::impact<2>, false, level::hold<2>},
     {level::refresh<3>, level::warm_start<3>, level::sweep<3>, level::impact<3>, false, level::hold<3>},
     {level::refresh<4>, level::warm_start<4>, level::sweep<4>, level::impact<4>, false, level::hold<4>}}};

}  // namespace proxima::physics::sweep
