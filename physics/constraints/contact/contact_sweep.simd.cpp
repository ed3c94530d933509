// SPDX-License-Identifier: MIT
// Contacts in sweeps: how they follow their bodies, warm start, sweep, relax.
// The method and the data are explained in contact_block.h; physics/docs/solvers.md has the derivation.
#include "physics/constraints/contact/contact_response.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

namespace {

// ---- contacts follow their bodies

/// The response of these lanes; others stay as they are.
template <uint32_t N>
PX_SELDOM void fill_response_of(ContactBlock<N>& block, int k, const Response& response, Mask wanted) {
    fill_response<N, true>(block, k, response,
                           [&](float* row, Lanes value) { store(row + k, select(wanted, value, load(row + k))); });
}

/// The velocity of a surface turns with its body, and is told in the frame of the manifold: where that turns with the other
/// one it is another one there. `angle` is what the frame has turned in the last sub-step.
PX_SELDOM void turn_surface_velocity(ContactHead& head, int k, const BodyRecords& records, const Vec& angle, float h,
                                     Mask wanted) {
    const BodyPair velocity = load_bodies(head, k, records.velocity);
    const Mask on_b = mask_of(head.moving_surfaces >> (kSurfaceOnB + k));
    const Vec with_body = pick(on_b, angular(velocity.b), angular(velocity.a)) * Lanes(h);
    const Lanes sine = dot(load_vec(head.normal, k), with_body - angle);
    const Mask frame_on_b = frame_is_on_b(head, k);
    const Mask others = wanted & ((frame_on_b & !on_b) | (on_b & !frame_on_b)) & (sine * sine < Lanes(0.5f));
    const Lanes s1 = load(head.surface_velocity[0] + k), s2 = load(head.surface_velocity[1] + k),
                cosine = Lanes(1.0f) - Lanes(0.5f) * sine * sine;
    store(head.surface_velocity[0] + k, select(others, cosine * s1 - sine * s2, s1));
    store(head.surface_velocity[1] + k, select(others, cosine * s2 + sine * s1, s2));
}

/// From the normal of two balls to the line of their centres, once they touch; before, the normal is the line on which they
/// will. In rad.
PX_SELDOM inline Vec turn_of_line(const ContactHead& head, int k, Lanes start_gap, const BodyPair& motion) {
    constexpr float kTouch = 1e-6f;  // of the square of the distance
    const Arms start = start_arms(head, k);
    const Vec n = load_vec(head.normal, k), before = start.a - start.b,
              now = before + (linear(motion.b) - linear(motion.a));
    const Lanes radii = dot(n, before) - start_gap, zero(0.0f), squared = dot(now, now);
    const Mask touches = (squared < radii * radii * Lanes(1.0f + kTouch)) & (squared > zero);
    return cross(n, now) * select(touches, Lanes(1.0f) / sqrt(select(touches, squared, Lanes(1.0f))), zero);
}

/// Gap and lever arms of two balls whose normal was `before`: the gap is the distance less the radii, and c lies on the line
/// of the centres.
template <uint32_t N>
PX_SELDOM void keep_on_line(ContactBlock<N>& block, int k, const Vec& before, const BodyPair& motion, Arms& arms) {
    const Mask balls = are_balls(block, k);
    const Arms start = start_arms(block, k);
    const Vec n = load_vec(block.normal, k), between = start.a - start.b, sum = start.a + start.b;
    const Lanes gap = load(block.point[0].start_gap + k), half(0.5f);
    store(block.point[0].start_gap + k, select(balls, gap + dot(n - before, between), gap));
    const Lanes difference =
        select(dot(sum, before) < Lanes(0.0f), Lanes(0.0f) - sqrt(dot(sum, sum)), sqrt(dot(sum, sum)));
    const Vec now = between + (linear(motion.b) - linear(motion.a)), arm_a = now * half + n * (half * difference);
    arms.a = pick(balls, arm_a, arms.a);
    arms.b = pick(balls, arm_a - now, arms.b);
}

/// The bodies have turned since the last sub-step: their inertia is that of now, and the frame has turned with one of
/// them, with what its points carry. `line`: what it turns by where neither of them carries it.
PX_INLINE void turn_frame(ContactHead& head, int k, const BodyRecords& records, const BodyPair& motion, float h,
                          Mask wanted, const Vec* line) {
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
    Vec angle = now - before;
    angle = angle - cross(angle, before) * half;  // a turn after another one (add_turn of body_kernels.simd.cpp)
    if (line) angle = pick(are_balls(head, k), *line, angle);
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
    if (head.moving_surfaces) turn_surface_velocity(head, k, records, angle, h, follows);
}

/// Lanes whose lever arms are so far from those that the block was filled with that steps made for those may be too long.
PX_INLINE Mask are_far(const ContactHead& head, int k, const Arms& arms) {
    constexpr float kFar2 = 0.01f;  // square of the part of an arm
    const Arms start = start_arms(head, k);
    const Vec a = arms.a - start.a, b = arms.b - start.b;
    return (dot(a, a) > Lanes(kFar2) * dot(start.a, start.a)) | (dot(b, b) > Lanes(kFar2) * dot(start.b, start.b));
}

/// Frame, inertia and lever arms of kLanes manifolds one sub-step on. Returns what the impulses give more in the new
/// ones.
template <uint32_t N>
PX_INLINE PairWrench turn_lanes(ContactBlock<N>& block, int k, const BodyRecords& records, const BodyPair& motion,
                                float h, const Unknowns<N>& l, Mask wanted) {
    const Twist wrench = wrench_of(block, l, k);
    const PairWrench before = to_world(block, k, arms_now(block, k), wrench, N > 1);
    Arms arms;
    const bool balls = N == 1 && (block.balls >> k & kAllLanes);
    if (balls) {
        const Vec normal = load_vec(block.normal, k),
                  line = turn_of_line(block, k, load(block.point[0].start_gap + k), motion);
        turn_frame(block, k, records, motion, h, wanted, &line);
        arms = moved_arms(block, k, motion);
        keep_on_line(block, k, normal, motion, arms);
    } else {
        turn_frame(block, k, records, motion, h, wanted, nullptr);
        arms = moved_arms(block, k, motion);
    }
    const Mask far = wanted & are_far(block, k, arms);
    store_vec(block.now_a, k, pick(wanted, arms.a, load_vec(block.now_a, k)));
    store_vec(block.now_b, k, pick(wanted, arms.b, load_vec(block.now_b, k)));
    if (any(far)) fill_response_of(block, k, response(block, k, arms), far);
    return to_world(block, k, arms_now(block, k), wrench, N > 1) - before;
}

/// The same in a sweep. Bodies that move got the velocity again that constraints gave in the last sub-step: what is different
/// about it now, each of them makes good before it goes on from there.
template <uint32_t N>
PX_SELDOM void follow(ContactBlock<N>& block, int k, const BodyRecords& records, const BodyPair& motion, float h,
                      const Unknowns<N>& l, Mask turns, BodyPair& bodies) {
    give(block, k, turn_lanes(block, k, records, motion, h, l, turns), turns, bodies);
}

// ---- sweeps

/// Whether a point carries a load that it pushes with, and not just rounding beside its overlap.
PX_INLINE Mask carries(const ContactHead& head, int k, Lanes gap, Lanes normal_step, Lanes impulse) {
    const Lanes push = min(max(Lanes(0.0f) - gap * load(head.push_rate + k), Lanes(0.0f)), load(head.max_push + k));
    return impulse > Lanes(kMinLoad) * normal_step * push;
}

/// The law of one point for this sweep: l_n <- max(floor, keep l_n - step (v_n + bias)).
struct NormalLaw {
    Lanes bias, step, keep, floor;
};
/// What carries a load pushes with a speed, which is what makes it soft. What overlaps and carries nothing is moved apart
/// instead (`apart`, the impulse of that), as far as it does not part in this sub-step anyway: it gets no velocity. (What
/// has bounced goes on as if it came from beyond the other body.)
PX_INLINE NormalLaw soft_law(const ContactHead& head, int k, Lanes gap, Lanes normal_step, Lanes speed, Mask carries,
                             const SweepLaw& law, Lanes& apart) {
    const Lanes zero(0.0f), rate = load(head.push_rate + k), most = zero - load(head.max_push + k);
    const Mask open = gap > zero;
    const Lanes push = max(gap * rate, most), left = gap + Lanes(law.h) * max(speed, zero);
    const Lanes hardness = select(open, Lanes(1.0f), load(head.hardness + k));
    NormalLaw out;
    apart = select(open | carries, zero, normal_step * max(zero - max(left * rate, most), zero));
    out.bias = select(open, gap * Lanes(law.inverse_h), select(carries, push, zero));
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
    out.floor = min(max(min(impulse, zero) - normal_step * push, impulse - total), zero);
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
        add_friction<N>(p, k, d1, d2, wrench);
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
        add_friction<N>(block.point[i], k, d1, d2, wrench);
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
        out1[i] = all1 - in1;
        out2[i] = all2 - in2;
        add_friction<N>(p, k, in1 - all1, in2 - all2, wrench);
    }
}

/// The load of patches that carried nothing and touch, and its friction, in passes of their own: one pass over a face finds
/// about half of both. What strikes would go on turning, and what is put on a slope would slide before it is held. With all
/// of W, for the lever arms of now.
template <uint32_t N>
PX_INLINE void find_load(const ContactBlock<N>& block, int k, const Response& all, const NormalLaw (&law)[N],
                         uint32_t passes, Mask touches, Twist& motion, Unknowns<N>& l) {
    constexpr float kFoundLoad = 1e-6f;  // of it: what changes by less in a pass is found
    const Lanes zero(0.0f);
    Unknowns<N> load_now = l;
    Twist twist = motion;
    // All points alike: what falls flat is found at once.
    const Lanes even = max(zero - twist.n, zero) * inverse_or_zero(all.w[0][0]) * Lanes(1.0f / float(N));
    Twist wrench{zero, zero, zero, zero, zero, zero};
    for (uint32_t i = 0; i < N; ++i) {
        load_now.n[i] = even * law[i].keep;
        wrench.n = wrench.n + load_now.n[i];
        if constexpr (N > 1) {
            wrench.w1 = wrench.w1 + load(block.point[i].y + k) * load_now.n[i];
            wrench.w2 = wrench.w2 - load(block.point[i].x + k) * load_now.n[i];
        }
    }
    add_wrench(all, wrench, twist);
    for (uint32_t pass = 1; any(touches); ++pass) {
        const Unknowns<N> before = load_now;
        wrench = {zero, zero, zero, zero, zero, zero};
        pass_normals(block, k, law, twist, load_now, wrench.n, wrench.w1, wrench.w2);
        add_wrench(all, wrench, twist);
        wrench = {zero, zero, zero, zero, zero, zero};
        pass_friction(block, k, twist, load_now, wrench);
        add_wrench(all, wrench, twist);
        // Each patch has what it had when it had found it, however long its neighbours take.
        Lanes change(0.0f), load_sum(0.0f);
        for (uint32_t i = 0; i < N; ++i) {
            change = change + (abs(load_now.n[i] - before.n[i]) + abs(load_now.t1[i] - before.t1[i]) +
                               abs(load_now.t2[i] - before.t2[i]));
            load_sum = load_sum + (abs(load_now.n[i]) + abs(load_now.t1[i]) + abs(load_now.t2[i]));
        }
        const Mask ends = pass >= passes ? touches : touches & (change <= Lanes(kFoundLoad) * load_sum);
        if (!any(ends)) continue;
        for (uint32_t i = 0; i < N; ++i) {
            l.n[i] = select(ends, load_now.n[i], l.n[i]);
            l.t1[i] = select(ends, load_now.t1[i], l.t1[i]);
            l.t2[i] = select(ends, load_now.t2[i], l.t2[i]);
        }
        motion = {select(ends, twist.n, motion.n),   select(ends, twist.t1, motion.t1),
                  select(ends, twist.t2, motion.t2), select(ends, twist.wn, motion.wn),
                  select(ends, twist.w1, motion.w1), select(ends, twist.w2, motion.w2)};
        touches = touches & !ends;
    }
}

/// The same in a sweep, with the bodies.
template <uint32_t N>
PX_SELDOM void take_load(ContactBlock<N>& block, int k, const Arms& arms, const SweepLaw& law, Mask touches,
                         NormalLaw (&laws)[N], Twist& twist, Unknowns<N>& l, BodyPair& bodies) {
    const Response all = response(block, k, arms);
    if (law.elapsed > 0.0f) fill_response_of(block, k, all, touches);  // with the lever arms of now
    for (uint32_t i = 0; i < N; ++i)
        laws[i].step = select(touches, load(block.point[i].normal_step + k) * laws[i].keep, laws[i].step);
    find_load(block, k, all, laws, law.load_passes, touches, twist, l);
    give(block, k, to_world(block, k, arms, wrench_of(block, l, k), N > 1), touches, bodies);
}

/// A patch that did not carry anything and closes faster than lasting forces would make it in a few sub-steps is struck:
/// what stops it is no impulse to begin the next sub-step with, nor is what stops in that one the rest of the speed that it
/// came to the other body with. Beyond that it is a lasting force. Returns the lanes whose load has to be found: those, and
/// new ones.
template <uint32_t N>
PX_SELDOM Mask mark_blows(ContactBlock<N>& block, int k, const Arms& arms, const BodyRecords& records,
                          const SweepLaw& law, const Twist& twist, Mask touches) {
    constexpr float kPushPart = 0.1f;  // of the fastest push
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
    block.begins = uint16_t(block.begins & ~(bits(begins) << k));
    return fast | again | begins;
}

/// The last sweep of a sub-step: what a blow gave is no velocity to be given again, and who was struck is remembered.
template <uint32_t N>
PX_SELDOM void note_blows(ContactBlock<N>& block, int k, const Arms& arms, const BodyRecords& records,
                          const Unknowns<N>& l) {
    const uint32_t mine = kAllLanes << k;
    if (block.blows & mine) {
        BodyPair free = load_bodies(block, k, records.free_velocity);
        give(block, k, to_world(block, k, arms, wrench_of(block, l, k), N > 1), mask_of(block.blows >> k), free);
        store_bodies(block, k, free, records.free_velocity, block.blows & ~block.anew);
    }
    const uint32_t strikes = block.blows >> kStrikes & mine, struck = block.blows >> kStruck & mine;
    block.blows = (block.blows & ~(mine | mine << kStrikes | mine << kStruck | mine << kStruckBefore)) |
                  strikes << kStruck | struck << kStruckBefore;
}

/// Moves the bodies of overlaps apart, beside their motion of this sub-step: impulses that make positions instead of
/// velocities. `apart` has those that each point would need alone.
template <uint32_t N>
PX_SELDOM void move_apart(const ContactBlock<N>& block, int k, const Arms& arms, const BodyRecords& records,
                          const SweepLaw& law, const NormalLaw (&laws)[N], const Lanes (&apart)[N], Mask wanted) {
    const Lanes zero(0.0f), inverse_h(law.inverse_h), h(law.h);
    BodyPair shift = load_bodies(block, k, records.shift);
    const Twist by = relative_twist(block, k, arms, shift);
    const Twist twist{by.n * inverse_h,  by.t1 * inverse_h, by.t2 * inverse_h,
                      by.wn * inverse_h, by.w1 * inverse_h, by.w2 * inverse_h};
    NormalLaw own[N];
    Unknowns<N> l;
    for (uint32_t i = 0; i < N; ++i) {
        const Lanes step = load(block.point[i].normal_step + k);
        own[i].bias = max(laws[i].bias, zero) - apart[i] * inverse_or_zero(step);
        own[i].step = step;
        own[i].keep = Lanes(1.0f);
        own[i].floor = l.n[i] = zero;
    }
    Twist wrench{zero, zero, zero, zero, zero, zero};
    pass_normals(block, k, own, twist, l, wrench.n, wrench.w1, wrench.w2);
    wrench = {wrench.n * h, zero, zero, zero, wrench.w1 * h, wrench.w2 * h};
    apply_wrench(block, k, arms, wrench, N > 1, shift, records.shift, bits(wanted) << k);
}

/// Normals, friction, normals again; a single point: friction, then its normal (solvers/group_sweep.h says why), unless
/// it carried nothing yet.
template <uint32_t N, bool Relaxes>
PX_INLINE void sweep_lanes(ContactBlock<N>& block, int k, const BodyRecords& records, const SweepLaw& law) {
    constexpr float kMinPush = 2e-3f;  // of the fastest push: smaller overlaps are left as they are
    const Lanes zero(0.0f);
    BodyPair bodies = load_bodies(block, k, records.velocity);
    const BodyPair motion = load_motions(block, k, records, law.elapsed, law.lag);
    add_ramp(block, k, records, law.ramp, bodies);
    Unknowns<N> l = load_impulses(block, k);
    if constexpr (!Relaxes) {
        const Mask turns = mask_of((block.turns & ~block.anew) >> k);
        if (law.turns && any(turns)) follow(block, k, records, motion, law.h, l, turns, bodies);
    }
    const Arms arms = arms_now(block, k);
    const GapMotion moved = gap_motion(block, k, motion);
    Twist twist = relative_twist(block, k, arms, bodies);
    add_chords(block, k, arms, bodies, law.h, twist);
    add_surface_velocity(block, k, bodies, law.h, twist);
    NormalLaw laws[N];
    Lanes carried = l.n[0];
    for (uint32_t i = 1; i < N; ++i) carried = max(carried, l.n[i]);
    const Mask fresh = carried <= zero;
    const Mask pushed = load(block.push + k) > zero;
    Mask touches = mask_of(0u);  // and carried nothing before
    Mask deep = touches;         // overlaps and carries nothing
    Lanes apart[N];
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& p = block.point[i];
        const Lanes gap = gap_of<N>(p, k, moved), step = load(p.normal_step + k), speed = normal_velocity(twist, p, k);
        if constexpr (Relaxes) {
            laws[i] = relax_law(gap, step, l.n[i], load(p.total_normal + k), speed, load(block.push + k),
                                fresh & !pushed, law);
        } else {
            const uint32_t at = kBlockLanes * i + uint32_t(k);
            if (law.first)
                block.carries = (block.carries & ~(kAllLanes << at)) | bits(carries(block, k, gap, step, l.n[i])) << at;
            laws[i] = soft_law(block, k, gap, step, speed, mask_of(block.carries >> at), law, apart[i]);
            touches = touches | (fresh & (speed + laws[i].bias < zero));
            deep = deep | (apart[i] > step * (Lanes(kMinPush) * load(block.max_push + k)));
        }
    }
    if constexpr (!Relaxes)
        if (any(touches)) touches = mark_blows(block, k, arms, records, law, twist, touches);
    if (!Relaxes && (block.blows >> k & kAllLanes)) {
        const Mask hard = mask_of(block.blows >> k);  // softness is about lasting loads
        for (uint32_t i = 0; i < N; ++i) laws[i].keep = select(hard, Lanes(1.0f), laws[i].keep);
    }
    if (any(touches)) take_load(block, k, arms, law, touches, laws, twist, l, bodies);
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
    const Mask struck = mask_of(block.blows >> k);
    for (uint32_t i = 0; i < N; ++i) {
        PointRows& p = block.point[i];
        const auto add = [&](Row& total, Row& row, Lanes next) {
            if (law.adds_up) {
                store(total + k, load(total + k) + next);
            } else if constexpr (Relaxes) {
                store(total + k, load(total + k) + (next - load(row + k)));
            }
            store(row + k, law.adds_up ? select(struck, zero, next) : next);
        };
        push = max(push, select(l.n[i] > zero, zero - laws[i].bias, zero));
        add(p.total_normal, p.normal, l.n[i]);
        add(p.total_tangent1, p.tangent1, l.t1[i]);
        add(p.total_tangent2, p.tangent2, l.t2[i]);
        if constexpr (Relaxes) {
            store(p.total_tangent1 + k, load(p.total_tangent1 + k) - out1[i]);
            store(p.total_tangent2 + k, load(p.total_tangent2 + k) - out2[i]);
        }
    }
    if (law.adds_up && block.blows) note_blows(block, k, arms, records, l);
    if constexpr (!Relaxes) {
        store(block.push + k, push);
        if (law.adds_up && any(deep)) move_apart(block, k, arms, records, law, laws, apart, deep);
    }
    apply_wrench(block, k, arms, wrench, N > 1, bodies, records.velocity);
}

}  // namespace

template <uint32_t N>
void turn(void* memory, uint32_t count, const BodyRecords& records, const FollowLaw& law) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    for (uint32_t b = 0; b < count; ++b) {
        ContactBlock<N>& block = blocks[b];
        for (int k = 0; k < int(kBlockLanes); k += kLanes) {
            const Mask wanted = mask_of(block.turns >> k), again = mask_of((block.turns & ~block.anew) >> k);
            if (!any(wanted)) continue;
            const BodyPair motion = load_motions(block, k, records, law.elapsed, law.lag);
            const PairWrench more = turn_lanes(block, k, records, motion, law.h, load_impulses(block, k), wanted);
            if (law.elapsed == 0.0f) continue;  // none is given yet
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
                const BodyPair motion = load_motions(block, k, records, law.elapsed, law.lag);
                turn_lanes(block, k, records, motion, law.h, l, wanted);
            }
            give(block, k, to_world(block, k, arms_now(block, k), wrench_of(block, l, k), N > 1), wanted, velocity);
            store_bodies(block, k, velocity, records.velocity, lanes);
        }
    }
}

template <uint32_t N>
void sweep(void* memory, uint32_t count, const BodyRecords& records, const SweepLaw& law) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    for (uint32_t b = 0; b < count; ++b) {
        for (int k = 0; k < int(kBlockLanes); k += kLanes) sweep_lanes<N, false>(blocks[b], k, records, law);
    }
}
template <uint32_t N>
void relax(void* memory, uint32_t count, const BodyRecords& records, const SweepLaw& law) {
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(memory);
    for (uint32_t b = 0; b < count; ++b)
        for (int k = 0; k < int(kBlockLanes); k += kLanes) sweep_lanes<N, true>(blocks[b], k, records, law);
}

template void turn<1>(void*, uint32_t, const BodyRecords&, const FollowLaw&);
template void warm_start<1>(void*, uint32_t, const BodyRecords&, const FollowLaw&);
template void sweep<1>(void*, uint32_t, const BodyRecords&, const SweepLaw&);
template void relax<1>(void*, uint32_t, const BodyRecords&, const SweepLaw&);
template void turn<2>(void*, uint32_t, const BodyRecords&, const FollowLaw&);
template void warm_start<2>(void*, uint32_t, const BodyRecords&, const FollowLaw&);
template void sweep<2>(void*, uint32_t, const BodyRecords&, const SweepLaw&);
template void relax<2>(void*, uint32_t, const BodyRecords&, const SweepLaw&);
template void turn<3>(void*, uint32_t, const BodyRecords&, const FollowLaw&);
template void warm_start<3>(void*, uint32_t, const BodyRecords&, const FollowLaw&);
template void sweep<3>(void*, uint32_t, const BodyRecords&, const SweepLaw&);
template void relax<3>(void*, uint32_t, const BodyRecords&, const SweepLaw&);
template void turn<4>(void*, uint32_t, const BodyRecords&, const FollowLaw&);
template void warm_start<4>(void*, uint32_t, const BodyRecords&, const FollowLaw&);
template void sweep<4>(void*, uint32_t, const BodyRecords&, const SweepLaw&);
template void relax<4>(void*, uint32_t, const BodyRecords&, const SweepLaw&);

}  // namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE
