// SPDX-License-Identifier: MIT
// Impacts of contacts in blocks: Newton's law with Coulomb friction, at the time when points touch (docs/step.md).
#include "physics/constraints/contact/contact_response.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

namespace {

/// What a point does in the sub-step that began with the forces in `drive`, when nothing stops it.
struct Approach {
    Lanes time;        // from the start of the sub-step until it touches
    Mask comes, hits;  // it comes fast enough to bounce; and touches in this sub-step
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
    out.comes = (start < zero) & (square > zero) & (speed < zero - least);
    out.hits = out.comes & (gap + h * v <= zero);
    out.time = two * open / select(out.comes, zero - start - speed, Lanes(1.0f));
    return out;
}

/// Adds so much of what forces give in a sub-step.
PX_INLINE void add_drive(const BodyPair& drive, Lanes part, BodyPair& bodies) {
    for (int c = 0; c < 7; ++c) {
        if (c == 3) continue;  // and 7: what damping leaves
        bodies.a[c] = bodies.a[c] + part * drive.a[c];
        bodies.b[c] = bodies.b[c] + part * drive.b[c];
    }
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
PX_INLINE void impact_friction(const ContactBlock<N>& block, int k, const Arms& arms, const Response& response, float h,
                               BodyPair& bodies, Unknowns<N>& l) {
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
            Twist twist = relative_twist(block, k, arms, bodies);
            add_surface_velocity(block, k, bodies, h, twist);
            const PointVelocity v = point_velocity(twist, point, k);
            Lanes n1 = l.t1[i] - steps[i] * v.t1, n2 = l.t2[i] - steps[i] * v.t2;
            project_disk(n1, n2, mu * l.n[i]);
            const Lanes d1 = n1 - l.t1[i], d2 = n2 - l.t2[i];
            l.t1[i] = n1;
            l.t2[i] = n2;
            const Twist wrench{zero, d1, d2, x * d2 - y * d1, zero - z * d2, z * d1};
            give(block, k, to_world(block, k, arms, wrench, true), bodies);
        }
}

/// Newton's impact law for the points of a patch that touch first in this sub-step, with what the bodies fly with at that
/// time: what forces give until its end comes after the blow. (Taken before, weight would do its work over the blow's
/// velocity for that time, energy from nowhere.) The bodies go on from where and when they touched: `shift` has what that
/// is less than moving with the new velocity from the start.
template <uint32_t N>
PX_INLINE bool impact_lanes(ContactBlock<N>& block, int k, const BodyRecords& records, const ImpactLaw& law,
                            const Row& restitution_row) {
    constexpr float kTogether = 0.1f;  // sub-steps between points of a patch that count as one impact
    const Lanes zero(0.0f), one(1.0f), restitution = load(restitution_row + k) * Lanes(1.0f - kRoundedOff);
    BodyPair bodies = load_bodies(block, k, records.velocity);
    BodyPair motion = load_motions(block, k, records, law.elapsed, law.lag),
             shift = load_bodies(block, k, records.shift);
    for (int c = 0; c < 8; ++c) {
        motion.a[c] = motion.a[c] + shift.a[c];
        motion.b[c] = motion.b[c] + shift.b[c];
    }
    BodyPair drive = load_bodies(block, k, records.drive);
    if (law.ramp != 0.0f) {
        add_ramp(block, k, records, law.ramp, bodies);
        add_ramp(block, k, records, law.h, drive);
    }
    Arms arms = moved_arms(block, k, motion);
    const GapMotion moved = gap_motion(block, k, motion);
    const Twist twist = relative_twist(block, k, arms, bodies), driven = relative_twist(block, k, arms, drive);
    Mask hits[N];
    Lanes speed[N], time[N], first(3.0e38f);
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& p = block.point[i];
        const Approach approach =
            approach_of(gap_of<N>(p, k, moved), point_velocity(twist, p, k).n, point_velocity(driven, p, k).n, law);
        const Mask bounces = (load(p.normal_step + k) > zero) & mask_of(block.bounces >> k);
        hits[i] = approach.comes & bounces;
        time[i] = approach.time;
        first = min(first, select(approach.hits & bounces, time[i], Lanes(3.0e38f)));
    }
    const Mask any_hits = first < Lanes(1.0e38f);
    if (!any(any_hits)) return false;
    // Those that touch a little after the end of the sub-step, too: a face that lands flat there lands flat.
    for (uint32_t i = 0; i < N; ++i) hits[i] = hits[i] & any_hits & (time[i] <= first + Lanes(kTogether * law.h));
    // Where the bodies are when they touch, and how fast.
    const Lanes late = select(any_hits, first, zero), left = one - late / Lanes(law.h);
    add_drive(drive, zero - left, bodies);
    BodyPair mean = bodies;
    add_drive(drive, Lanes(-0.5f) * (one - left), mean);
    for (int c = 0; c < 8; ++c) {
        motion.a[c] = motion.a[c] + late * mean.a[c];
        motion.b[c] = motion.b[c] + late * mean.b[c];
    }
    arms = moved_arms(block, k, motion);
    const Twist there = relative_twist(block, k, arms, bodies);
    for (uint32_t i = 0; i < N; ++i) speed[i] = point_velocity(there, block.point[i], k).n;

    const Response r = response(block, k, arms);
    Unknowns<N> l;
    impact_impulses(block, k, r, hits, speed, restitution, l.n);
    const BodyPair before = bodies;
    Twist wrench{zero, zero, zero, zero, zero, zero};
    for (uint32_t i = 0; i < N; ++i) {
        wrench.n = wrench.n + l.n[i];
        wrench.w1 = wrench.w1 + load(block.point[i].y + k) * l.n[i];
        wrench.w2 = wrench.w2 - load(block.point[i].x + k) * l.n[i];
    }
    give(block, k, to_world(block, k, arms, wrench, N > 1), bodies);
    impact_friction(block, k, arms, r, law.h, bodies, l);
    for (int c = 0; c < 8; ++c) {
        shift.a[c] = shift.a[c] - late * (bodies.a[c] - before.a[c]);
        shift.b[c] = shift.b[c] - late * (bodies.b[c] - before.b[c]);
    }
    add_drive(drive, left, bodies);
    const uint32_t struck = bits(any_hits) << k;
    store_bodies(block, k, bodies, records.velocity, struck);
    store_bodies(block, k, shift, records.shift, struck);
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

}  // namespace

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

template bool impact<1>(void*, uint32_t, const BodyRecords&, const ImpactLaw&, const Row*);
template bool impact<2>(void*, uint32_t, const BodyRecords&, const ImpactLaw&, const Row*);
template bool impact<3>(void*, uint32_t, const BodyRecords&, const ImpactLaw&, const Row*);
template bool impact<4>(void*, uint32_t, const BodyRecords&, const ImpactLaw&, const Row*);

}  // namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE
