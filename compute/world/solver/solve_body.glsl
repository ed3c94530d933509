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
    const vec4 m0 = mass[2 * body], m1 = mass[2 * body + 1];
    const vec4 force = bodies[body].force, torque = bodies[body].torque;
    const vec3 gravity = vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    v.linear += push.h * (bodies[body].inertia1.w * gravity + m1.z * force.xyz);
    v.angular += push.h * turn(m0, m1.xy, torque.xyz);
    v.linear *= 1.0 / (1.0 + push.h * force.w);
    v.angular *= 1.0 / (1.0 + push.h * torque.w);
}

/// One step of Q' = 1/2 (0, w) Q, renormalised.
vec4 turned(vec4 q, vec3 spin, float h) {
    const vec4 after = q + compose(vec4(spin * (0.5 * h), 0.0), q);
    return after * (1.0 / sqrt(dot(after, after)));
}

/// A rotation that keeps the angular momentum L = I w: the half-way angular velocity turns the body, the new
/// one is I^-1 L in the new orientation. Where the sub-step turns it too far to resolve that, energy is not
/// let grow, at the price of momentum.
void turn_keeping_momentum(uint body, inout vec4 q, inout vec3 spin) {
    const WorldBody b = bodies[body];
    const vec3 before = spin;
    const vec3 momentum = rotate(q, turn(b.inertia0, b.inertia1.xy, rotate(conjugate(q), spin)));
    const vec4 half_turned = turned(q, spin, 0.5 * push.h);
    const vec3 middle =
        rotate(half_turned, turn(b.inverse0, b.inverse1.xy, rotate(conjugate(half_turned), momentum)));
    q = turned(q, middle, push.h);
    spin = rotate(q, turn(b.inverse0, b.inverse1.xy, rotate(conjugate(q), momentum)));
    const float energy = dot(before, momentum), after = dot(spin, momentum);
    const bool resolved = dot(before, before) * push.h * push.h < 0.0625;
    if (!resolved && after > energy) spin *= sqrt(energy / after);
}

/// Way and rotation of a sub-step.
void advance(uint body, uint flags, inout Velocity v) {
    moved[2 * body].xyz += push.h * v.linear;
    moved[2 * body + 1].xyz += push.h * v.angular;
    vec4 q = rotations[body];
    if ((push.flags & kDoGyroscopic) != 0u && (flags & kGyroscopic) != 0u)
        turn_keeping_momentum(body, q, v.angular);
    else
        q = turned(q, v.angular, push.h);
    rotations[body] = q;
}

/// The velocities that a sub-step starts from. `warm` is what the contacts of the sub-step before gave, all in
/// all; with kDoSplit it waits until the impacts are done.
void start(uint body, Velocity v, Velocity warm) {
    add_forces(body, v);
    const bool split = (push.flags & kDoSplit) != 0u;
    free_velocity[2 * body] = vec4(split ? warm.linear : v.linear, 0.0);
    free_velocity[2 * body + 1] = vec4(split ? warm.angular : v.angular, 0.0);
    if (!split) {
        v.linear += warm.linear;
        v.angular += warm.angular;
    }
    store(0u, body, v);
}
