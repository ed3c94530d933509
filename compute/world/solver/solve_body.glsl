// SPDX-License-Identifier: MIT
// Free motion of a body, and what its contacts give it.
layout(std430, binding = kInBodies) buffer BodiesBlock { WorldBody bodies[]; };
layout(std430, binding = kMass) buffer MassBlock { vec4 mass[]; };
layout(std430, binding = kVelocity) buffer VelocityBlock { vec4 velocity[]; };
layout(std430, binding = kMoved) buffer MovedBlock { vec4 moved[]; };
layout(std430, binding = kFree) buffer FreeBlock { vec4 free_velocity[]; };
layout(std430, binding = kRotation) buffer RotationBlock { vec4 rotations[]; };
layout(std430, binding = kBodyWords) buffer BodyWordsBlock { uint words[]; };
layout(std430, binding = kEntries) buffer EntriesBlock { uint entries[]; };
layout(std430, binding = kChanges) readonly buffer ChangesBlock { vec4 changes[]; };

struct Velocity {
    vec3 linear, angular;
};

Velocity load(uint plane, uint body) {
    const uint at = 2 * (plane * push.bodies + body);
    return Velocity(velocity[at].xyz, velocity[at + 1].xyz);
}
void store(uint plane, uint body, Velocity v) {
    const uint at = 2 * (plane * push.bodies + body);
    velocity[at] = vec4(v.linear, 0.0);
    velocity[at + 1] = vec4(v.angular, 0.0);
}

/// M^-1 J^T of what stands in kChanges for the entries [begin, end), in their order.
Velocity gather(uint body, uint begin, uint end) {
    vec3 linear = vec3(0.0), angular = vec3(0.0);
    for (uint k = begin; k < end; ++k) {
        const uint slot = entries[k] >> 1, side = entries[k] & 1u;
        const float sign_ = side != 0u ? 1.0 : -1.0;
        linear += sign_ * changes[slot].xyz;
        angular += sign_ * changes[(1u + side) * push.pairs + slot].xyz;
    }
    const vec4 m0 = mass[2 * body], m1 = mass[2 * body + 1];
    return Velocity(m1.z * linear, turn(m0, m1.xy, angular));
}

/// Forces and damping of a sub-step.
void add_forces(uint body, inout Velocity v) {
    const uint at = 2 * (push.bodies + body);
    const vec4 linear = free_velocity[at], angular = free_velocity[at + 1];
    v.linear = (v.linear + linear.xyz) * linear.w;
    v.angular = (v.angular + angular.xyz) * angular.w;
}

/// One step of Q' = 1/2 (0, w) Q, renormalised.
vec4 turned(vec4 q, vec3 spin, float h) {
    const vec4 after = q + compose(vec4(spin * (0.5 * h), 0.0), q);
    return after * (1.0 / sqrt(dot(after, after)));
}

/// exp(turn / 2) q: the rotation after a turn about a fixed axis, whatever its angle. By the series of a quarter of it,
/// doubled twice: devices need not have exact sines.
vec4 turned_by(vec4 q, vec3 turn_) {
    const vec3 x = turn_ * 0.125;
    const float x2 = dot(x, x);
    const float sine = 1.0 - x2 / 6.0 * (1.0 - x2 / 20.0 * (1.0 - x2 / 42.0));
    const float cosine = 1.0 - x2 / 2.0 * (1.0 - x2 / 12.0 * (1.0 - x2 / 30.0));
    vec4 part = vec4(sine * x, cosine);
    part = compose(part, part);
    part = compose(part, part);
    const vec4 after = compose(part, q);
    return after * (1.0 / sqrt(dot(after, after)));
}

/// Angular velocity of a body turned to q that has this angular momentum.
vec3 spin_at(WorldBody b, vec4 q, vec3 momentum) {
    return rotate(q, turn(b.inverse0, b.inverse1.xy, rotate(conjugate(q), momentum)));
}
vec3 momentum_of(WorldBody b, vec4 q, vec3 spin) {
    return rotate(q, turn(b.inertia0, b.inertia1.xy, rotate(conjugate(q), spin)));
}

/// Angular velocity of a body turned to q that has the momentum L; and the rotation nearest to it with which twice the
/// energy, w . L, is `energy`: a turn by d changes it by 2 d . (w x L).
vec3 spin_with_energy(WorldBody b, vec3 momentum, float energy, inout vec4 q) {
    vec3 spin = spin_at(b, q, momentum);
    for (int newton = 0; newton < 2; ++newton) {
        const vec3 steepest = cross(spin, momentum);
        const float square = dot(steepest, steepest);
        if (!(square > 1e-4 * energy * energy)) break;
        const float most = 0.5 * inversesqrt(square);
        const float by = clamp((energy - dot(spin, momentum)) / (2.0 * square), -most, most);
        q = turned(q, by * steepest, 1.0);
        spin = spin_at(b, q, momentum);
    }
    const float after = dot(spin, momentum);  // where no rotation has so little; rounding goes either way
    return after > energy * 1.00001 ? spin * sqrt(energy / after) : spin;
}

/// A rotation that keeps the angular momentum L = I w: the half-way angular velocity turns the body, and its own
/// changes as I^-1 L does; the change alone, so that what rounding makes of I^-1 I w is not taken for motion. Where
/// the sub-step turns it by more than three hundredths of a radian, the rotation is corrected until energy is what it was.
void turn_keeping_momentum(WorldBody b, inout vec4 q, inout vec3 spin) {
    const vec3 before = spin, momentum = momentum_of(b, q, spin), start = spin_at(b, q, momentum);
    q = turned(q, spin_at(b, turned(q, spin, 0.5 * push.h), momentum), push.h);
    spin = before + (spin_at(b, q, momentum) - start);
    const bool slow = dot(before, before) * push.h * push.h < 0.0009;
    if (!slow) spin = before + (spin_with_energy(b, momentum, dot(start, momentum), q) - start);
}

/// Way and rotation of a sub-step. What flies freely moves on its parabola, by h v - h^2 a / 2 with the velocity v of
/// the end: what contacts hold moves by h v, which is what they reckon with. What impacts have added is added here; a
/// body that is turned so, without a moment, keeps its angular momentum and energy, and not its angular velocity.
void advance(uint body, uint flags, inout Velocity v) {
    const uint at = 2 * body, other = 2 * (push.bodies + body);
    if ((flags & kDynamic) == 0u) {
        moved[at].xyz += push.h * v.linear;
        moved[at + 1].xyz += push.h * v.angular;
        rotations[body] = turned_by(rotations[body], push.h * v.angular);
        return;
    }
    vec3 way = push.h * v.linear;
    if (v.linear == free_velocity[at].xyz) way -= 0.5 * push.h * free_velocity[other].xyz;
    const vec3 shift = moved[other].xyz, shift_turn = moved[other + 1].xyz;
    moved[at].xyz += way + shift;
    moved[at + 1].xyz += push.h * v.angular + shift_turn;
    const bool changes_ = (flags & kGyroscopic) != 0u;
    const WorldBody b = bodies[body];
    vec4 q = rotations[body];
    if (shift != vec3(0.0) || shift_turn != vec3(0.0)) {
        const vec3 momentum = momentum_of(b, q, v.angular);
        q = turned(q, shift_turn, 1.0);
        if (changes_) v.angular = spin_with_energy(b, momentum, dot(v.angular, momentum), q);
        moved[other] = moved[other + 1] = vec4(0.0);
    }
    if ((push.flags & kDoGyroscopic) != 0u && changes_)
        turn_keeping_momentum(b, q, v.angular);
    else
        q = turned(q, v.angular, push.h);
    rotations[body] = q;
    // For the sub-step to come.
    if ((push.flags & kDoTurn) != 0u && (push.flags & kDoForces) != 0u && changes_) {
        vec4 m0;
        vec2 m1;
        turn_tensor(b.inverse0, b.inverse1.xy, q, m0, m1);
        mass[at] = m0;
        mass[at + 1].xy = m1;
    }
}
