// SPDX-License-Identifier: MIT
// Contacts from manifolds into blocks.
#include "engine/core/math.h"
#include "physics/constraints/contact/contact_response.h"
#include "physics/scale.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

namespace {

PX_INLINE Vec rotate(const Lanes q[4], const Vec& v) {  // (x, y, z, w)
    const Vec axis{q[0], q[1], q[2]};
    const Vec t = cross(axis, v) * Lanes(2.0f);
    return v + t * q[3] + cross(axis, t);
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

template <uint32_t N, bool Swept>
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
        if (N == 1 && (block.balls >> (kMeets + k) & kAllLanes)) {
            // What a ball will meet later in the step is told half way to there: c stays below the ball.
            const Vec aside = (reach[0] - normal * dot(normal, reach[0])) * select(on_b, Lanes(-0.5f), Lanes(0.5f));
            middle = pick(mask_of(block.balls >> (kMeets + k)), middle + aside, middle);
            arm[0] = middle;
        }
        const Vec arm_a = middle, arm_b = middle - between;
        store_vec(block.arm_a, k, arm_a);
        store_vec(block.arm_b, k, arm_b);
        store_vec(block.now_a, k, arm_a);
        store_vec(block.now_b, k, arm_b);

        const Lanes moves = max(mass.a[7], mass.b[7]);
        block.turns = uint16_t((k == 0 ? 0u : block.turns) | bits(moves > Lanes(0.0f)) << k);
        block.spins = uint16_t((k == 0 ? 0u : block.spins) | bits(moves > Lanes(kMoves)) << k);
        block.anew = uint16_t((k == 0 ? 0u : block.anew) | bits(moves > Lanes(kSpins)) << k);
        store_vec(block.turned, k, Vec{Lanes(0.0f), Lanes(0.0f), Lanes(0.0f)});
        store(block.push + k, Lanes(0.0f));
        fill_softness(block, k, mass, transform, law, h);
        const Twist twist = relative_twist(block, k, velocity);
        for (uint32_t i = 0; i < N; ++i) {
            const RawPointRows& from = raw.point[i];
            PointRows& to = block.point[i];
            const Vec offset = arm[i] - middle;
            const Lanes x = dot(axis[1], offset), y = dot(axis[2], offset), z = dot(axis[0], offset);
            store(to.x + k, x);
            store(to.y + k, y);
            store(to.z + k, z);
            store(to.start_gap + k, dot(axis[0], reach[i]));
            store(to.normal + k, load(from.impulse[0] + k));
            store(to.tangent1 + k, load(from.impulse[1] + k));
            store(to.tangent2 + k, load(from.impulse[2] + k));
            store(to.total_normal + k, Lanes(0.0f));
            store(to.total_tangent1 + k, Lanes(0.0f));
            store(to.total_tangent2 + k, Lanes(0.0f));
            store(to.approach_speed + k, -(twist.n + twist.w1 * y - twist.w2 * x));
        }
        fill_response<N, Swept>(block, k, response(block, k, Arms{arm_a, arm_b}),
                                [&](float* row, Lanes value) { store(row + k, value); });
    }
}

}  // namespace

template <uint32_t N>
void prepare(void* memory, const RawContacts& raw, const BodyRecords& records, const SoftnessLaw& law, float h) {
    fill_block<N, true>(memory, raw, records, law, h);
}
template <uint32_t N>
void prepare_direct(void* memory, const RawContacts& raw, const BodyRecords& records, const SoftnessLaw& law, float h) {
    fill_block<N, false>(memory, raw, records, law, h);
}

template void prepare<1>(void*, const RawContacts&, const BodyRecords&, const SoftnessLaw&, float);
template void prepare_direct<1>(void*, const RawContacts&, const BodyRecords&, const SoftnessLaw&, float);
template void prepare<2>(void*, const RawContacts&, const BodyRecords&, const SoftnessLaw&, float);
template void prepare_direct<2>(void*, const RawContacts&, const BodyRecords&, const SoftnessLaw&, float);
template void prepare<3>(void*, const RawContacts&, const BodyRecords&, const SoftnessLaw&, float);
template void prepare_direct<3>(void*, const RawContacts&, const BodyRecords&, const SoftnessLaw&, float);
template void prepare<4>(void*, const RawContacts&, const BodyRecords&, const SoftnessLaw&, float);
template void prepare_direct<4>(void*, const RawContacts&, const BodyRecords&, const SoftnessLaw&, float);

}  // namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE
