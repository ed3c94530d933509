// SPDX-License-Identifier: MIT
// Contacts in direct solves: exact friction cones, their stiffness, and the parting of overlaps.
#include <initializer_list>

#include "physics/constraints/contact/contact_direct.h"
#include "physics/constraints/contact/contact_lanes.h"
#include "physics/solve/direct/direct_lanes.h"

namespace proxima::physics::direct::PX_LEVEL_NAMESPACE {

using namespace ::proxima::PX_LEVEL_NAMESPACE;
using namespace ::proxima::physics::sweep::PX_LEVEL_NAMESPACE;
using sweep::ContactBlock;
using sweep::ContactHead;
using sweep::PointRows;

namespace {

/// z = l_c - r (v + b).
struct Trial {
    Lanes n, t1, t2;
    Lanes length;  // of the tangent part
};
/// The twist at c with the chords that are kept for this pass, and with what the surfaces move.
PX_INLINE Twist kept_twist(const ContactHead& head, const DirectRows& cone, int k, const BodyPair& velocity) {
    Twist twist = relative_twist(head, k, velocity);
    twist.t1 = twist.t1 + load(cone.base[0][0] + k);
    twist.t2 = twist.t2 + load(cone.base[0][1] + k);
    return twist;
}
/// The chords of the present velocities: what is solved for follows them from pass to pass.
PX_INLINE void store_chords(const ContactHead& head, int k, const BodyPair& velocity, float h, DirectRows& cone) {
    Twist chords{Lanes(0.0f), Lanes(0.0f), Lanes(0.0f), Lanes(0.0f), Lanes(0.0f), Lanes(0.0f)};
    add_chords(head, k, start_arms(head, k), velocity, h, chords);
    add_surface_velocity(head, k, velocity, h, chords);
    store(cone.base[0][0] + k, chords.t1);
    store(cone.base[0][1] + k, chords.t2);
}

PX_INLINE Trial trial(const PointRows& p, const DirectRows& cone, uint32_t i, int k, const Twist& twist, Lanes r) {
    const PointVelocity v = point_velocity(twist, p, k);
    Trial z;
    z.n = load(p.normal + k) - r * (v.n + (load(cone.bias[i] + k) + load(cone.drag[i] + k)));
    z.t1 = load(p.tangent1 + k) - r * v.t1;
    z.t2 = load(p.tangent2 + k) - r * v.t2;
    z.length = sqrt(z.t1 * z.t1 + z.t2 * z.t2);
    return z;
}

/// Gives b the wrench in the frame about c and a its opposite.
PX_INLINE void add_wrench(const ContactHead& head, int k, const Twist& sum, float* wrench) {
    const Vec n = load_vec(head.normal, k), t1 = load_vec(head.tangent1, k), t2 = load_vec(head.tangent2, k);
    const Vec force = n * sum.n + t1 * sum.t1 + t2 * sum.t2;
    const Vec torque = n * sum.wn + t1 * sum.w1 + t2 * sum.w2;
    const Vec moment_a = cross(load_vec(head.arm_a, k), force) + torque;
    const Vec moment_b = cross(load_vec(head.arm_b, k), force) + torque;
    BodyPair on = load_bodies(head, k, wrench);
    const auto add = [&](Lanes(&to)[8], const Vec& f, const Vec& m, Lanes sign) {
        to[0] = to[0] + sign * f.x, to[1] = to[1] + sign * f.y, to[2] = to[2] + sign * f.z;
        to[3] = to[3] + sum.n;
        to[4] = to[4] + sign * m.x, to[5] = to[5] + sign * m.y, to[6] = to[6] + sign * m.z;
    };
    add(on.a, force, moment_a, Lanes(-1.0f));
    add(on.b, force, moment_b, Lanes(1.0f));
    store_records(wrench, head.body_a + k, kRecord, head.moves_a >> k, on.a);
    store_records(wrench, head.body_b + k, kRecord, head.moves_b >> k, on.b);
}

/// Bias of the gap and drag of the velocity of one point.
PX_INLINE void begin_point(const PointRows& p, DirectRows& cone, uint32_t i, int k, const Twist& twist, Lanes gap,
                           Lanes mu, const DirectLaw& law, Lanes& deepest) {
    const Lanes zero(0.0f);
    // A contact that carries something is closed as long as its gap cannot be seen; what was made to touch may begin with a
    // gap of rounding.
    const Lanes closed = select(load(p.normal + k) > zero, Lanes(law.closed_gap), Lanes(law.rounding));
    store(cone.bias[i] + k, max(gap - closed, zero) * Lanes(law.inverse_h));
    const PointVelocity v = point_velocity(twist, p, k);
    store(cone.drag[i] + k, mu * sqrt(v.t1 * v.t1 + v.t2 * v.t2));
    deepest = max(deepest, zero - gap);
}

template <uint32_t N, bool First>
PX_INLINE float evaluate_blocks(const void* memory, uint32_t count, DirectRows* cone, const BodyRecords& bodies,
                                float* wrench, const DirectLaw& law) {
    const ContactBlock<N>* blocks = static_cast<const ContactBlock<N>*>(memory);
    const Lanes zero(0.0f), r(law.r);
    Lanes deepest(0.0f);
    for_lanes(count, [&](uint32_t b, int k) {
        const ContactBlock<N>& block = blocks[b];
        const BodyPair velocity = load_bodies(block, k, bodies.velocity);
        if constexpr (First) store_chords(block, k, velocity, law.h, cone[b]);
        const Twist twist = kept_twist(block, cone[b], k, velocity);
        const Lanes mu = load(block.friction + k), inverse = Lanes(1.0f) / (Lanes(1.0f) + mu * mu);
        Twist sum{zero, zero, zero, zero, zero, zero};
        for (uint32_t i = 0; i < N; ++i) {
            const PointRows& p = block.point[i];
            if constexpr (First)
                begin_point(p, cone[b], i, k, twist, gap_of<N>(p, k, no_gap_motion()), mu, law, deepest);
            const Trial z = trial(p, cone[b], i, k, twist, r);
            // The nearest point of the cone |l_t| <= mu l_n: z itself, the tip, or on the surface.
            const Mask inside = z.length <= mu * z.n;
            const Mask open = mu * z.length <= -z.n;
            const Lanes surface = (z.n + mu * z.length) * inverse;
            const Lanes scale = mu * surface / select(z.length > zero, z.length, Lanes(1.0f));
            const Lanes ln = select(inside, z.n, select(open, zero, surface));
            const Lanes part = select(inside, Lanes(1.0f), select(open, zero, scale));
            const Lanes l1 = part * z.t1, l2 = part * z.t2;
            store(cone[b].normal[i] + k, ln);
            store(cone[b].tangent1[i] + k, l1);
            store(cone[b].tangent2[i] + k, l2);
            const Lanes x = load(p.x + k), y = load(p.y + k), h = load(p.z + k);
            sum.n = sum.n + ln;
            sum.t1 = sum.t1 + l1;
            sum.t2 = sum.t2 + l2;
            sum.wn = sum.wn + (x * l2 - y * l1);
            sum.w1 = sum.w1 + (y * ln - h * l2);
            sum.w2 = sum.w2 + (h * l1 - x * ln);
        }
        add_wrench(block, k, sum, wrench);
    });
    return First ? largest(deepest) : 0.0f;
}

template <uint32_t N>
float begin(const void* memory, uint32_t count, DirectRows* cone, const BodyRecords& bodies, float* wrench,
            const DirectLaw& law) {
    return evaluate_blocks<N, true>(memory, count, cone, bodies, wrench, law);
}

template <uint32_t N>
void evaluate(const void* memory, uint32_t count, DirectRows* cone, const BodyRecords& bodies, float* wrench,
              const DirectLaw& law) {
    evaluate_blocks<N, false>(memory, count, cone, bodies, wrench, law);
}

template <uint32_t N>
void push(const void* memory, uint32_t count, float* wrench, const PushLaw& law, Row& squares) {
    const ContactBlock<N>* blocks = static_cast<const ContactBlock<N>*>(memory);
    const Lanes zero(0.0f);
    for_lanes(count, [&](uint32_t b, int k) {
        const ContactBlock<N>& block = blocks[b];
        Lanes square = load(squares + k);
        Twist sum{zero, zero, zero, zero, zero, zero};
        for (uint32_t i = 0; i < N; ++i) {
            const PointRows& p = block.point[i];
            const Lanes overlap = zero - load(p.start_gap + k);
            const Lanes beyond = select(load(p.normal + k) > zero, overlap, max(overlap - Lanes(law.slop), zero));
            const Lanes length = max(min(beyond * Lanes(law.part), Lanes(law.most)), Lanes(-law.most));
            square = square + length * length;
            const Lanes l = length * Lanes(law.r);
            sum.n = sum.n + l;
            sum.w1 = sum.w1 + load(p.y + k) * l;
            sum.w2 = sum.w2 - load(p.x + k) * l;
        }
        store(squares + k, square);
        add_wrench(block, k, sum, wrench);
    });
}

template <uint32_t N>
PassEnd next_pass(void* memory, uint32_t count, DirectRows* cone, const BodyRecords& bodies, const DirectLaw& law) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    Lanes worst(0.0f), changed(0.0f);
    for_lanes(count, [&](uint32_t b, int k) {
        const BodyPair velocity = load_bodies(blocks[b], k, bodies.velocity);
        store_chords(blocks[b], k, velocity, law.h, cone[b]);
        const Twist twist = kept_twist(blocks[b], cone[b], k, velocity);
        const Lanes mu = load(blocks[b].friction + k);
        for (uint32_t i = 0; i < N; ++i) {
            PointRows& p = blocks[b].point[i];
            PointVelocity v = point_velocity(twist, p, k);
            store(cone[b].drag[i] + k, mu * sqrt(v.t1 * v.t1 + v.t2 * v.t2));
            v.n = v.n + load(cone[b].bias[i] + k);
            const Lanes ln = load(cone[b].normal[i] + k), l1 = load(cone[b].tangent1[i] + k),
                        l2 = load(cone[b].tangent2[i] + k);
            worst = max(worst, natural_map(p, k, v, mu, ln, l1, l2));
            changed = changed +
                      (abs(ln - load(p.normal + k)) + abs(l1 - load(p.tangent1 + k)) + abs(l2 - load(p.tangent2 + k)));
            store(p.normal + k, ln);
            store(p.tangent1 + k, l1);
            store(p.tangent2 + k, l2);
        }
    });
    return {largest(worst), !any(!(changed <= Lanes(0.0f)))};
}

// ---- stiffness

/// -dl/dv of one point in its frame: what the nearest point of the cone follows of z, times r.
PX_INLINE Mat cone_stiffness(const Trial& z, Lanes mu, Lanes r) {
    const Lanes zero(0.0f), one(1.0f);
    const Mask inside = z.length <= mu * z.n;
    const Mask open = mu * z.length <= -z.n;
    const Lanes inverse = one / (one + mu * mu), ln = (z.n + mu * z.length) * inverse;
    const Lanes per = one / select(z.length > zero, z.length, one);
    const Lanes e1 = z.t1 * per, e2 = z.t2 * per, q = mu * ln * per, s = mu * mu * inverse;
    const auto pick = [&](Lanes stick, Lanes slip) { return r * select(inside, stick, select(open, zero, slip)); };
    const Lanes nn = pick(one, inverse), n1 = pick(zero, mu * inverse * e1), n2 = pick(zero, mu * inverse * e2);
    const Lanes g11 = pick(one, s * e1 * e1 + q * e2 * e2), g22 = pick(one, s * e2 * e2 + q * e1 * e1),
                g12 = pick(zero, (s - q) * e1 * e2);
    return {{{nn, n1, n2}, {n1, g11, g12}, {n2, g12, g22}}};
}

template <uint32_t N>
void stiffness(const void* memory, const DirectRows& cone, const BodyRecords& bodies, const DirectLaw& law,
               StiffnessRows& out) {
    const ContactBlock<N>& block = *static_cast<const ContactBlock<N>*>(memory);
    const Lanes zero(0.0f);
    for (int k = 0; k < int(kBlockLanes); k += kLanes) {
        const Twist twist = kept_twist(block, cone, k, load_bodies(block, k, bodies.velocity));
        const Lanes mu = load(block.friction + k), r(law.r);
        const Vec none{zero, zero, zero};
        Mat a{{none, none, none}}, b = a, c = a;
        for (uint32_t i = 0; i < N; ++i) {
            const PointRows& p = block.point[i];
            const Mat g = cone_stiffness(trial(p, cone, i, k, twist, r), mu, r);
            // v = u + C w with C w = w x o, o the offset: C = -[o]x.
            const Vec offset{load(p.z + k), load(p.x + k), load(p.y + k)};
            const Mat gc = Mat{{none, none, none}} - times_cross(g, offset);
            a = a + g;
            b = b + gc;
            c = c + cross_times(offset, gc);
        }
        const Vec axis[3] = {load_vec(block.normal, k), load_vec(block.tangent1, k), load_vec(block.tangent2, k)};
        a = to_world(a, axis);
        b = to_world(b, axis);
        c = to_world(c, axis);
        const Vec arm_a = load_vec(block.arm_a, k), arm_b = load_vec(block.arm_b, k);
        store_lower(out.aa, k, about(a, b, c, arm_a, arm_a));
        store_lower(out.bb, k, about(a, b, c, arm_b, arm_b));
        const Quarters ab = about(a, b, c, arm_a, arm_b);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) store(out.ab[6 * i + j] + k, zero - entry(ab, i, j));
    }
}

}  // namespace

}  // namespace proxima::physics::direct::PX_LEVEL_NAMESPACE

namespace proxima::physics::direct {

namespace level = PX_LEVEL_NAMESPACE;

extern const ContactDirectKernels PX_AT_LEVEL(contact_direct_kernels_);
const ContactDirectKernels PX_AT_LEVEL(contact_direct_kernels_) = {{
    {level::begin<1>, level::evaluate<1>, level::next_pass<1>, level::stiffness<1>, level::push<1>},
    {level::begin<2>, level::evaluate<2>, level::next_pass<2>, level::stiffness<2>, level::push<2>},
    {level::begin<3>, level::evaluate<3>, level::next_pass<3>, level::stiffness<3>, level::push<3>},
    {level::begin<4>, level::evaluate<4>, level::next_pass<4>, level::stiffness<4>, level::push<4>},
}};

}  // namespace proxima::physics::direct
