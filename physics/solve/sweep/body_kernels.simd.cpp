// SPDX-License-Identifier: MIT
// The bodies' side of the sweeps: forces into velocities, velocities into positions and rotations, eight
// bodies at a time. The same equations as physics/solve/integrate.cpp.
#include "engine/simd/lanes.h"
#include "physics/constraints/block.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

using namespace ::proxima::PX_LEVEL_NAMESPACE;

namespace {

constexpr float kSlowTurn = 0.03f;  // rad per sub-step, that need no correction

struct Rotation {
    Lanes x, y, z, w;
};

PX_INLINE Vec rotate(const Rotation& q, const Vec& v) {
    const Vec axis{q.x, q.y, q.z};
    const Vec t = cross(axis, v) * Lanes(2.0f);
    return v + t * q.w + cross(axis, t);
}
PX_INLINE Rotation conjugate(const Rotation& q) { return {-q.x, -q.y, -q.z, q.w}; }

/// q + (0, w h/2) q, renormalised.
PX_INLINE Rotation turn(const Rotation& q, const Vec& w, float h) {
    const Vec s = w * Lanes(0.5f * h);
    const Rotation r{q.x + (s.x * q.w + s.y * q.z - s.z * q.y), q.y + (s.y * q.w + s.z * q.x - s.x * q.z),
                     q.z + (s.z * q.w + s.x * q.y - s.y * q.x), q.w - (s.x * q.x + s.y * q.y + s.z * q.z)};
    const Lanes inverse = Lanes(1.0f) / sqrt(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
    return {r.x * inverse, r.y * inverse, r.z * inverse, r.w * inverse};
}

/// Adds a turn to the one before: the vector of both is their sum and half of the cross product, up to the third order. What
/// turns by more than a series can follow gets the sum.
PX_INLINE void add_turn(const Vec& turn, Lanes delta[8]) {
    constexpr float kMaxTurn2 = 1.0f, kMaxAngle2 = 9.0f;  // rad^2, of the sub-step and before
    const Vec before{delta[4], delta[5], delta[6]};
    const Mask follows = (dot(turn, turn) < Lanes(kMaxTurn2)) & (dot(before, before) < Lanes(kMaxAngle2));
    const Vec half = cross(turn, before) * Lanes(0.5f);
    delta[4] = select(follows, delta[4] + turn.x + half.x, delta[4] + turn.x);
    delta[5] = select(follows, delta[5] + turn.y + half.y, delta[5] + turn.y);
    delta[6] = select(follows, delta[6] + turn.z + half.z, delta[6] + turn.z);
}

PX_INLINE Sym load_tensor(const float* records, const uint32_t* list, Lanes& flag) {
    Lanes r[8];
    load_records(records, list, kRecord, r);
    flag = r[6];
    return {r[0], r[1], r[2], r[3], r[4], r[5]};
}

/// Angular velocity of what is turned like that and has the momentum L; and the rotation nearest to it with which twice the
/// energy, w . L, is `energy`: a turn by d changes it by 2 d . (w x L). Steps that turn a body far leave their path by the
/// square of the angle, and with L alone kept that makes energy.
PX_INLINE Vec spin_with_energy(const Sym& inverse, const Vec& momentum, Lanes energy, Mask wanted, Rotation& q) {
    constexpr int kSteps = 2;                                           // Newton's
    constexpr float kMaxTurn = 0.5f, kTiny = 1e-4f, kRounding = 1e-5f;  // rad; of (w . L)^2; of w . L
    const auto spin_at = [&](const Rotation& at) { return rotate(at, inverse * rotate(conjugate(at), momentum)); };
    Vec spin = spin_at(q);
    for (int step = 0; step < kSteps; ++step) {
        const Vec steepest = cross(spin, momentum);
        const Lanes square = dot(steepest, steepest);
        const Mask some = wanted & (square > Lanes(kTiny) * energy * energy);
        const Lanes by = (energy - dot(spin, momentum)) / select(some, square + square, Lanes(1.0f));
        const Lanes angle = by * sqrt(square), most(kMaxTurn);
        const Lanes part = by * select(abs(angle) > most, most / max(abs(angle), most), Lanes(1.0f));
        const Rotation turned = turn(q, steepest * select(some, part, Lanes(0.0f)), 1.0f);
        q = {select(some, turned.x, q.x), select(some, turned.y, q.y), select(some, turned.z, q.z),
             select(some, turned.w, q.w)};
        spin = spin_at(q);
    }
    // Where no rotation has so little. What is rounding goes either way, and is left.
    const Lanes next = dot(spin, momentum);
    const Mask gains = next > energy * Lanes(1.0f + kRounding);
    return spin * select(gains, sqrt(energy / select(gains, next, Lanes(1.0f))), Lanes(1.0f));
}

/// Rotation and angular velocity after h with L = I w kept, and energy; see turn_with_momentum of integrate.cpp.
PX_INLINE void turn_keeping_momentum(const Sym& inertia, const Sym& inverse, Mask changes, float h, Rotation& q,
                                     Vec& w) {
    const Vec momentum = rotate(q, inertia * rotate(conjugate(q), w));
    const auto spin_at = [&](const Rotation& at) { return rotate(at, inverse * rotate(conjugate(at), momentum)); };
    const auto pick = [&](Mask which, const Vec& a, const Vec& b) {
        return Vec{select(which, a.x, b.x), select(which, a.y, b.y), select(which, a.z, b.z)};
    };
    const Rotation half_turned = turn(q, w, 0.5f * h);
    const Vec before = w, start = spin_at(q);
    q = turn(q, pick(changes, spin_at(half_turned), w), h);
    Vec after = before + (spin_at(q) - start);
    const Mask fast = changes & (dot(before, before) * Lanes(h * h) >= Lanes(kSlowTurn * kSlowTurn));
    if (any(fast))
        after =
            pick(fast, before + (spin_with_energy(inverse, momentum, dot(start, momentum), fast, q) - start), after);
    w = pick(changes, after, before);
}

/// Rotation after h, and the angular velocity there: of bodies whose inertia changes as they turn it does, too.
PX_INLINE void turn_freely(const Sym& inertia, const Sym& inverse, Mask changes, bool gyroscopic, float h, Rotation& q,
                           Vec& w) {
    const Rotation before = q;
    const Mask stays = abs(w.x) + abs(w.y) + abs(w.z) <= Lanes(0.0f);  // in every bit, without being normalised anew
    if (gyroscopic)
        turn_keeping_momentum(inertia, inverse, changes, h, q, w);
    else
        q = turn(q, w, h);
    q = {select(stays, before.x, q.x), select(stays, before.y, q.y), select(stays, before.z, q.z),
         select(stays, before.w, q.w)};
}

/// Lanes whose velocity no constraint has changed in this sub-step.
PX_INLINE Mask is_free(const Lanes v[8], const Lanes free[8]) {
    return abs(v[0] - free[0]) + abs(v[1] - free[1]) + abs(v[2] - free[2]) <= Lanes(0.0f);
}

/// Inverse inertia of bodies as they are turned now. Over a whole step a link that spins at 30 rad/s turns by half a
/// radian, and impulses with the inertia of its start would not keep angular momentum.
PX_INLINE void turn_inertia(const uint32_t* list, uint32_t lanes, const BodyRecords& bodies, const Rotation& q,
                            Mask wanted) {
    if (!any(wanted)) return;
    Lanes mass[8], unused;
    const Sym local = load_tensor(bodies.inverse_inertia, list, unused);
    load_records(bodies.inverse_mass, list, kRecord, mass);
    const Lanes zero(0.0f), one(1.0f);
    const auto column = [&](const Vec& axis) { return rotate(q, local * rotate(conjugate(q), axis)); };
    const Vec x = column({one, zero, zero}), y = column({zero, one, zero}), z = column({zero, zero, one});
    const Lanes turned[6] = {x.x, y.y, z.z, y.x, z.x, z.y};
    for (int c = 0; c < 6; ++c) mass[c] = select(wanted, turned[c], mass[c]);
    store_records(bodies.inverse_mass, list, kRecord, lanes, mass);
}

/// Displaces bodies by their shifts. Turned without a moment, they keep angular momentum and energy, and not their angular
/// velocity.
PX_INLINE void take_shift(const uint32_t* list, uint32_t lanes, const BodyRecords& bodies, const Advance& how,
                          Lanes v[8]) {
    Lanes shift[8], delta[8], transform[8], kind[8], unused;
    load_records(bodies.shift, list, kRecord, shift);
    Lanes most(0.0f);
    for (int c = 0; c < 7; ++c)
        if (c != 3) most = max(most, abs(shift[c]));
    const Mask struck = most > Lanes(0.0f);
    if (!any(struck)) return;
    load_records(bodies.delta, list, kRecord, delta);
    load_records(bodies.transform, list, kRecord, transform);
    Lanes moved[8];
    for (int c = 0; c < 8; ++c) moved[c] = delta[c];
    for (int c = 0; c < 3; ++c) moved[c] = moved[c] + shift[c];
    add_turn(Vec{shift[4], shift[5], shift[6]}, moved);
    // In every bit as they were where they are not struck.
    for (int c = 0; c < 8; ++c) delta[c] = select(struck, moved[c], delta[c]);
    store_records(bodies.delta, list, kRecord, lanes, delta);

    load_records(bodies.inertia, list, kRecord, kind);
    const Sym inertia{kind[0], kind[1], kind[2], kind[3], kind[4], kind[5]};
    const Rotation before{transform[0], transform[1], transform[2], transform[3]};
    const Vec w{v[4], v[5], v[6]}, momentum = rotate(before, inertia * rotate(conjugate(before), w));
    Rotation q = turn(before, Vec{shift[4], shift[5], shift[6]}, 1.0f);
    const Mask changes = struck & (kind[6] > Lanes(0.0f));
    if (any(changes)) {
        const Sym inverse = load_tensor(bodies.inverse_inertia, list, unused);
        const Vec after = spin_with_energy(inverse, momentum, dot(w, momentum), changes, q);
        v[4] = select(changes, after.x, w.x);
        v[5] = select(changes, after.y, w.y);
        v[6] = select(changes, after.z, w.z);
    }
    transform[0] = select(struck, q.x, before.x);
    transform[1] = select(struck, q.y, before.y);
    transform[2] = select(struck, q.z, before.z);
    transform[3] = select(struck, q.w, before.w);
    store_records(bodies.transform, list, kRecord, lanes, transform);
    for (Lanes& x : shift) x = Lanes(0.0f);
    store_records(bodies.shift, list, kRecord, lanes, shift);
    turn_inertia(list, lanes, bodies, q, how.all_turn ? changes : changes & (kind[7] > Lanes(0.0f)));
}

/// Positions and rotations of kLanes bodies over h. `v` is the velocity record, whose angular part may turn. What flies
/// freely moves on its parabola, by h v - h^2 a / 2 with the velocity v of the end: what constraints hold moves by h v,
/// which is what they reckon with.
PX_INLINE void move(const uint32_t* list, uint32_t lanes, const BodyRecords& bodies, const Advance& how, Mask flies,
                    Mask moves, Lanes v[8]) {
    Lanes delta[8], transform[8], drive[8];
    if (how.has_shifts) take_shift(list, lanes, bodies, how, v);
    load_records(bodies.delta, list, kRecord, delta);
    for (int c = 0; c < 3; ++c) delta[c] = delta[c] + Lanes(how.h) * v[c];
    add_turn(Vec{v[4], v[5], v[6]} * Lanes(how.h), delta);
    if (any(flies)) {
        load_records(bodies.drive, list, kRecord, drive);
        for (int c = 0; c < 3; ++c) delta[c] = select(flies, delta[c] - Lanes(0.5f * how.h) * drive[c], delta[c]);
    }
    store_records(bodies.delta, list, kRecord, lanes, delta);

    load_records(bodies.transform, list, kRecord, transform);
    Rotation q{transform[0], transform[1], transform[2], transform[3]};
    Vec w{v[4], v[5], v[6]};
    Lanes is_anisotropic;
    const Sym inertia = load_tensor(bodies.inertia, list, is_anisotropic);
    const Mask changes = is_anisotropic > Lanes(0.0f);
    const bool changing = any(changes);
    Sym inverse{};
    if (changing) {
        Lanes unused;
        inverse = load_tensor(bodies.inverse_inertia, list, unused);
    }
    turn_freely(inertia, inverse, changes, how.gyroscopic && changing, how.h, q, w);
    transform[0] = q.x, transform[1] = q.y, transform[2] = q.z, transform[3] = q.w;
    store_records(bodies.transform, list, kRecord, lanes, transform);
    turn_inertia(list, lanes, bodies, q, how.all_turn ? changes : changes & moves);
    v[4] = w.x, v[5] = w.y, v[6] = w.z;
}

/// Forces and damping of one sub-step.
PX_INLINE void push(const Lanes drive[8], Lanes v[8]) {
    for (int c = 0; c < 3; ++c) {
        v[c] = (v[c] + drive[c]) * drive[3];
        v[4 + c] = (v[4 + c] + drive[4 + c]) * drive[7];
    }
}

PX_INLINE void push(const uint32_t* list, const BodyRecords& bodies, Lanes v[8]) {
    Lanes drive[8];
    load_records(bodies.drive, list, kRecord, drive);
    push(drive, v);
}

/// Angular momentum of an angular velocity, with the bodies turned as they are.
PX_INLINE Vec times_inertia(const uint32_t* list, const BodyRecords& bodies, const Vec& spin) {
    Lanes q[8], unused;
    load_records(bodies.transform, list, kRecord, q);
    const Rotation turn{q[0], q[1], q[2], q[3]};
    return rotate(turn, load_tensor(bodies.inertia, list, unused) * rotate(conjugate(turn), spin));
}
/// And the other way round.
PX_INLINE Vec times_inverse_inertia(const uint32_t* list, const BodyRecords& bodies, const Vec& momentum) {
    Lanes unused;
    return load_tensor(bodies.inverse_mass, list, unused) * momentum;
}

/// Calls work(list, lanes that count) for every run of kLanes bodies.
template <class Work>
PX_INLINE void for_runs(const uint32_t* list, uint32_t count, const Work& work) {
    for (uint32_t first = 0; first < count; first += kLanes) {
        const uint32_t left = count - first;
        work(list + first, left >= uint32_t(kLanes) ? (1u << kLanes) - 1u : (1u << left) - 1u);
    }
}

void begin(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how) {
    for_runs(list, count, [&](const uint32_t* run, uint32_t lanes) {
        Lanes v[8];
        load_records(bodies.velocity, run, kRecord, v);
        push(run, bodies, v);
        store_records(bodies.velocity, run, kRecord, lanes, v);
        if (how.warm_start == WarmStart::after_impacts)
            for (Lanes& x : v) x = Lanes(-0.0f);  // what can be added to anything without a trace
        store_records(bodies.free_velocity, run, kRecord, lanes, v);
    });
}

void next(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how) {
    for_runs(list, count, [&](const uint32_t* run, uint32_t lanes) {
        Lanes v[8], free[8], given[8], inertia[8];
        load_records(bodies.velocity, run, kRecord, v);
        load_records(bodies.free_velocity, run, kRecord, free);
        load_records(bodies.inertia, run, kRecord, inertia);
        const Mask moves = inertia[7] > Lanes(0.0f), anew = inertia[7] > Lanes(kSpins);
        for (int c = 0; c < 8; ++c) given[c] = select(anew, Lanes(0.0f), v[c] - free[c]);
        const Mask turned = moves & !anew & (inertia[6] > Lanes(0.0f));
        Vec moment;
        if (any(turned)) moment = times_inertia(run, bodies, Vec{given[4], given[5], given[6]});
        move(run, lanes, bodies, how, is_free(v, free), moves, v);
        if (any(turned)) {
            const Vec spin = times_inverse_inertia(run, bodies, moment);
            given[4] = select(turned, spin.x, given[4]);
            given[5] = select(turned, spin.y, given[5]);
            given[6] = select(turned, spin.z, given[6]);
        }
        push(run, bodies, v);
        if (how.warm_start == WarmStart::after_impacts)
            store_records(bodies.free_velocity, run, kRecord, lanes, given);
        else
            store_records(bodies.free_velocity, run, kRecord, lanes, v);
        if (how.warm_start == WarmStart::at_once)
            for (int c = 0; c < 8; ++c) v[c] = v[c] + given[c];
        store_records(bodies.velocity, run, kRecord, lanes, v);
    });
}

void end(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how) {
    for_runs(list, count, [&](const uint32_t* run, uint32_t lanes) {
        Lanes v[8], free[8];
        load_records(bodies.velocity, run, kRecord, v);
        load_records(bodies.free_velocity, run, kRecord, free);
        move(run, lanes, bodies, how, is_free(v, free), mask_of(0u), v);
        store_records(bodies.velocity, run, kRecord, lanes, v);
    });
}

void fly(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how, uint32_t substeps) {
    for_runs(list, count, [&](const uint32_t* run, uint32_t lanes) {
        Lanes v[8], drive[8], delta[8], transform[8], is_anisotropic, unused;
        load_records(bodies.velocity, run, kRecord, v);
        load_records(bodies.drive, run, kRecord, drive);
        load_records(bodies.delta, run, kRecord, delta);
        load_records(bodies.transform, run, kRecord, transform);
        const Sym inertia = load_tensor(bodies.inertia, run, is_anisotropic),
                  inverse = load_tensor(bodies.inverse_inertia, run, unused);
        const Mask changes = is_anisotropic > Lanes(0.0f);
        const bool gyroscopic = how.gyroscopic && any(changes);
        Rotation q{transform[0], transform[1], transform[2], transform[3]};
        // Undamped, the parabola of the whole step is known: what is rounded once is not rounded in every sub-step.
        const Mask damped = drive[3] < Lanes(1.0f);
        const bool slows = any(damped);
        const Lanes steps(static_cast<float>(substeps)), h(how.h), half(0.5f);
        Lanes way[3], speed[3];
        for (int c = 0; c < 3; ++c) {
            way[c] = delta[c] + steps * h * (v[c] + half * steps * drive[c]);
            speed[c] = v[c] + steps * drive[c];
        }
        for (uint32_t k = 0; k < substeps; ++k) {
            for (int c = 0; c < 3 && slows; ++c) {
                v[c] = (v[c] + drive[c]) * drive[3];
                delta[c] = delta[c] + h * v[c] - half * h * drive[c];
            }
            Vec w{(v[4] + drive[4]) * drive[7], (v[5] + drive[5]) * drive[7], (v[6] + drive[6]) * drive[7]};
            add_turn(w * h, delta);
            turn_freely(inertia, inverse, changes, gyroscopic, how.h, q, w);
            v[4] = w.x, v[5] = w.y, v[6] = w.z;
        }
        for (int c = 0; c < 3; ++c) {
            delta[c] = select(damped, delta[c], way[c]);
            v[c] = select(damped, v[c], speed[c]);
        }
        transform[0] = q.x, transform[1] = q.y, transform[2] = q.z, transform[3] = q.w;
        store_records(bodies.velocity, run, kRecord, lanes, v);
        store_records(bodies.delta, run, kRecord, lanes, delta);
        store_records(bodies.transform, run, kRecord, lanes, transform);
    });
}

void take_shifts(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how) {
    for_runs(list, count, [&](const uint32_t* run, uint32_t lanes) {
        Lanes v[8];
        load_records(bodies.velocity, run, kRecord, v);
        take_shift(run, lanes, bodies, how, v);
        store_records(bodies.velocity, run, kRecord, lanes, v);
    });
}

void give_constraint_velocity(const uint32_t* list, uint32_t count, const BodyRecords& bodies, const Advance& how) {
    for_runs(list, count, [&](const uint32_t* run, uint32_t lanes) {
        Lanes v[8], given[8];
        load_records(bodies.velocity, run, kRecord, v);
        load_records(bodies.free_velocity, run, kRecord, given);
        store_records(bodies.free_velocity, run, kRecord, lanes, v);
        if (how.warm_start != WarmStart::after_impacts) return;
        for (int c = 0; c < 8; ++c) v[c] = v[c] + given[c];
        store_records(bodies.velocity, run, kRecord, lanes, v);
    });
}

}  // namespace

}  // namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE

namespace proxima::physics::sweep {

extern const BodyKernels PX_AT_LEVEL(body_kernels_);
const BodyKernels PX_AT_LEVEL(body_kernels_) = {PX_LEVEL_NAMESPACE::begin,
                                                PX_LEVEL_NAMESPACE::next,
                                                PX_LEVEL_NAMESPACE::end,
                                                PX_LEVEL_NAMESPACE::take_shifts,
                                                PX_LEVEL_NAMESPACE::give_constraint_velocity,
                                                PX_LEVEL_NAMESPACE::fly};

}  // namespace proxima::physics::sweep
