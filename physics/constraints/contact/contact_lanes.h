// SPDX-License-Identifier: MIT
// What the kernels that walk over blocks of contacts share: bodies in and out of registers, the motion at a
// point, the nearest point of the friction disk, the residual. For `*.simd.cpp` files only.
#pragma once

#include "engine/simd/lanes.h"
#include "physics/constraints/contact/contact_block.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

using namespace ::proxima::PX_LEVEL_NAMESPACE;

inline constexpr uint32_t kAllLanes = (1u << kLanes) - 1u;

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
PX_INLINE Vec pick(Mask which, const Vec& yes, const Vec& no) {
    return {select(which, yes.x, no.x), select(which, yes.y, no.y), select(which, yes.z, no.z)};
}
PX_INLINE Vec linear(const Lanes r[8]) { return {r[0], r[1], r[2]}; }
PX_INLINE Vec angular(const Lanes r[8]) { return {r[4], r[5], r[6]}; }

PX_INLINE BodyPair load_bodies(const ContactHead& head, int k, const float* records) {
    BodyPair p;
    load_records(records, head.body_a + k, kRecord, p.a);
    load_records(records, head.body_b + k, kRecord, p.b);
    return p;
}

/// Adds to what no constraint moves so many times its velocity or, `of` being BodyRecords::free_velocity, its acceleration.
PX_SELDOM inline void add_of_drivers(const ContactHead& head, int k, const float* of, float times, BodyPair& to) {
    const BodyPair more = load_bodies(head, k, of);
    const Lanes zero(0.0f), part(times);
    const Lanes part_a = select(load(head.mass_a + k) > zero, zero, part);
    const Lanes part_b = select(load(head.mass_b + k) > zero, zero, part);
    for (int c = 0; c < 8; ++c) {
        to.a[c] = to.a[c] + part_a * more.a[c];
        to.b[c] = to.b[c] + part_b * more.b[c];
    }
}
/// The velocity of what no constraint moves grows evenly over a step (solve/integrate.h): `ramp` is the time since its middle,
/// where it is what its record says.
PX_INLINE void add_ramp(const ContactHead& head, int k, const BodyRecords& records, float ramp, BodyPair& bodies) {
    if (head.immovable && ramp != 0.0f) add_of_drivers(head, k, records.free_velocity, ramp, bodies);
}

/// How far the bodies have moved since the gaps were measured. Kinematic ones belong to no worker: what they moved follows
/// from the time, their velocity and acceleration. Fixed ones have none.
PX_INLINE BodyPair load_motions(const ContactHead& head, int k, const BodyRecords& records, float elapsed, float lag) {
    BodyPair motion = load_bodies(head, k, records.delta);
    if (!head.immovable || elapsed == 0.0f) return motion;
    add_of_drivers(head, k, records.velocity, elapsed, motion);
    if (lag != 0.0f) add_of_drivers(head, k, records.free_velocity, lag, motion);
    return motion;
}

/// From the centres of mass to c.
struct Arms {
    Vec a, b;
};
PX_INLINE Arms start_arms(const ContactHead& head, int k) { return {load_vec(head.arm_a, k), load_vec(head.arm_b, k)}; }
/// In the present sub-step, or the last one: its velocities are judged by the arms that they were found with.
PX_INLINE Arms arms_now(const ContactHead& head, int k) { return {load_vec(head.now_a, k), load_vec(head.now_b, k)}; }
PX_INLINE Mask frame_is_on_b(const ContactHead& head, int k) { return load(head.surface + k) > Lanes(1.5f); }
PX_INLINE Mask surface_rolls(const ContactHead& head, int k) {
    const Lanes surface = load(head.surface + k);
    return surface - select(surface > Lanes(1.5f), Lanes(2.0f), Lanes(0.0f)) > Lanes(0.5f);
}

/// What a turn makes of an arm: R - 1 = once [angle]x + twice [angle]x [angle]x, by series that are good up to half a circle,
/// which is taken for all that is more.
struct Turn {
    Vec angle;
    Lanes once, twice;
};
PX_INLINE Turn turn_of(Vec angle) {
    constexpr float kMaxAngle = 3.0f;  // rad
    Lanes square = dot(angle, angle);
    const Mask far = square > Lanes(kMaxAngle * kMaxAngle);
    if (any(far)) {
        angle = angle * select(far, Lanes(kMaxAngle) / sqrt(select(far, square, Lanes(1.0f))), Lanes(1.0f));
        square = min(square, Lanes(kMaxAngle * kMaxAngle));
    }
    return {angle, Lanes(1.0f) - square * (Lanes(1.0f / 6.0f) - square * Lanes(1.0f / 120.0f)),
            Lanes(0.5f) - square * (Lanes(1.0f / 24.0f) - square * Lanes(1.0f / 720.0f))};
}
/// By how much an arm becomes another one.
PX_INLINE Vec change_of(const Turn& turn, const Vec& arm) {
    const Vec across = cross(turn.angle, arm);
    return across * turn.once + cross(turn.angle, across) * turn.twice;
}

/// The same after a motion. c is one point of the world for both bodies, so that whatever impulse acts there leaves
/// their angular momentum together as it is: in the middle of gap or overlap along the normal, and along the tangents a
/// point of the body whose corners touch (ContactHead::follows). The edge that a block turns over stays where it is; a
/// ball that rolls keeps its arm.
PX_INLINE Arms moved_arms(const ContactHead& head, int k, const BodyPair& motion) {
    const Arms arms = start_arms(head, k);
    const Lanes turns = select(surface_rolls(head, k), Lanes(0.0f), Lanes(1.0f)), follows = load(head.follows + k);
    const Vec turned_a = change_of(turn_of(angular(motion.a)), arms.a) * turns,
              turned_b = change_of(turn_of(angular(motion.b)), arms.b) * turns;
    const Vec between = (linear(motion.b) + turned_b) - (linear(motion.a) + turned_a), n = load_vec(head.normal, k);
    const Vec with_b = between * follows + n * (dot(n, between) * (Lanes(0.5f) - follows));
    return {arms.a + turned_a + with_b, arms.b + turned_b + (with_b - between)};
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

PX_INLINE Mask are_balls(const ContactHead& head, int k) { return mask_of(head.balls >> k); }

/// What gaps have grown by since they were measured: that of c, and what it changes by along t1, t2 and n from there.
struct GapMotion {
    Lanes at_c, along_1, along_2, along_n;
};
PX_INLINE GapMotion no_gap_motion() { return {Lanes(0.0f), Lanes(0.0f), Lanes(0.0f), Lanes(0.0f)}; }

/// n . (R - 1 - [angle]x) r is this . r.
PX_INLINE Vec bend_along(const Vec& angle, const Vec& n) {
    const Turn turn = turn_of(angle);
    const Vec twice = turn.angle * dot(n, turn.angle) - n * dot(turn.angle, turn.angle);
    return cross(n, turn.angle * turn.once - angle) + twice * turn.twice;
}
/// What turns that are no longer small add.
PX_SELDOM inline void bend_gaps(const ContactHead& head, int k, const BodyPair& motion, Mask bends, GapMotion& moved) {
    const Vec n = load_vec(head.normal, k), zero{Lanes(0.0f), Lanes(0.0f), Lanes(0.0f)};
    const Arms arms = start_arms(head, k);
    const Vec a = pick(bends, bend_along(angular(motion.a), n), zero),
              b = pick(bends, bend_along(angular(motion.b), n), zero), both = b - a;
    moved.at_c = moved.at_c + (dot(b, arms.b) - dot(a, arms.a));
    moved.along_1 = moved.along_1 + dot(both, load_vec(head.tangent1, k));
    moved.along_2 = moved.along_2 + dot(both, load_vec(head.tangent2, k));
    moved.along_n = dot(both, n);
}
PX_INLINE GapMotion gap_motion(const ContactHead& head, int k, const BodyPair& motion) {
    constexpr float kSmall2 = 1e-6f;  // rad^2: half of it is what the gap is off, in lever arms
    const Twist twist = relative_twist(head, k, motion);
    GapMotion moved{twist.n, Lanes(0.0f) - twist.w2, twist.w1, Lanes(0.0f)};
    const Vec wa = angular(motion.a), wb = angular(motion.b);
    const Mask bends = (max(dot(wa, wa), dot(wb, wb)) > Lanes(kSmall2)) & !surface_rolls(head, k);
    if (any(bends)) bend_gaps(head, k, motion, bends, moved);
    // Two balls see nothing of their spins.
    if (head.balls >> k & kAllLanes)
        moved.at_c =
            select(are_balls(head, k), dot(load_vec(head.normal, k), linear(motion.b) - linear(motion.a)), moved.at_c);
    return moved;
}
template <uint32_t N>
PX_INLINE Lanes gap_of(const PointRows& p, int k, const GapMotion& moved) {
    const Lanes gap = load(p.start_gap + k) + moved.at_c;
    if constexpr (N == 1) return gap;  // the point is c
    return gap + ((moved.along_2 * load(p.y + k) + moved.along_1 * load(p.x + k)) + moved.along_n * load(p.z + k));
}

/// What a point at `arm` from the centre of mass moves in a time h, beyond its velocity times h: turns are no straight
/// lines. As a velocity: ((exp(h [w]x) - 1) arm - h w x arm) / h, up to the fourth order.
PX_INLINE Vec chord_of(const Lanes velocity[8], const Vec& arm, Lanes h) {
    const Vec w = angular(velocity), once = cross(w, arm), twice = cross(w, once);
    const Lanes angle2 = dot(w, w) * (h * h);
    return twice * (h * (Lanes(0.5f) - angle2 * Lanes(1.0f / 24.0f))) - once * (angle2 * Lanes(1.0f / 6.0f));
}

PX_SELDOM inline void bend(const ContactHead& head, int k, const Arms& arms, const BodyPair& bodies, Lanes h,
                           Mask bends, Twist& twist) {
    const Vec chord = chord_of(bodies.b, arms.b, h) - chord_of(bodies.a, arms.a, h);
    twist.t1 = select(bends, twist.t1 + dot(load_vec(head.tangent1, k), chord), twist.t1);
    twist.t2 = select(bends, twist.t2 + dot(load_vec(head.tangent2, k), chord), twist.t2);
}
/// The motion for which friction holds a patch: that of b seen from a over a time h, along the tangents, as a velocity.
/// Where both turn, on a turntable, a body that had just the velocity of the place where it stands would leave it along
/// the tangent, by (angle in h)^2 / 2 of its distance from the axis in every sub-step. What rolls has other points in
/// contact at the end of the time than at its start, and is held by its velocity.
PX_INLINE void add_chords(const ContactHead& head, int k, const Arms& arms, const BodyPair& bodies, float time,
                          Twist& twist) {
    constexpr float kMinAngle2 = 1e-10f, kMaxAngle2 = 1.0f;  // a chord of 1e-8 arms; where the series is good
    const Lanes h(time);
    const Vec wa = angular(bodies.a), wb = angular(bodies.b);
    const Lanes angle2 = max(dot(wa, wa), dot(wb, wb)) * (h * h);
    const Mask bends = (angle2 > Lanes(kMinAngle2)) & (angle2 < Lanes(kMaxAngle2)) & !surface_rolls(head, k);
    if (!any(bends)) return;
    bend(head, k, arms, bodies, h, bends, twist);
}

PX_SELDOM inline void convey(const ContactHead& head, int k, const BodyPair& bodies, Lanes h, Twist& twist) {
    const Vec w = pick(mask_of(head.moving_surfaces >> (kSurfaceOnB + k)), angular(bodies.b), angular(bodies.a));
    const Lanes angle = dot(load_vec(head.normal, k), w) * h, part = Lanes(0.5f) * angle * angle;
    const Mask bends = part < Lanes(0.5f);
    const Lanes sine = select(bends, angle, Lanes(0.0f)), cosine = Lanes(1.0f) - select(bends, part, Lanes(0.0f));
    const Lanes s1 = load(head.surface_velocity[0] + k), s2 = load(head.surface_velocity[1] + k);
    twist.t1 = twist.t1 + (cosine * s1 - sine * s2);
    twist.t2 = twist.t2 + (cosine * s2 + sine * s1);
}
/// Friction acts against the surfaces, and those may move while their bodies stay: a conveyor belt. A point of a belt whose
/// body turns goes to R (r + h s) in a time h, R the turn, which is the chord of r and R s, as a velocity.
PX_INLINE void add_surface_velocity(const ContactHead& head, int k, const BodyPair& bodies, float time, Twist& twist) {
    if (head.moving_surfaces) convey(head, k, bodies, Lanes(time), twist);
}

/// Velocity of a point at offset (z, x, y) from c.
struct PointVelocity {
    Lanes n, t1, t2;
};
PX_INLINE Lanes normal_velocity(const Twist& twist, const PointRows& p, int k) {
    return twist.n + (twist.w1 * load(p.y + k) - twist.w2 * load(p.x + k));
}
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
