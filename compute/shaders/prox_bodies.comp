// SPDX-License-Identifier: MIT
// One pass over the bodies: u' = u + M^-1 J^T (l' - l), and with momentum where the next pass starts. Each body gathers the impulses of its contacts in their
// order, so that the sum is the same in every run. One workgroup more than bodies need decides about the pass.
#version 460
#include "compute/shaders/common.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool kMeasures = true;
layout(constant_id = 2) const bool kHasExtra = false;
layout(constant_id = 3) const bool kOfGroups = false;
layout(constant_id = 4) const bool kMomentum = false;
layout(std430, binding = kFrames) readonly buffer Frames { vec4 frames[]; };
layout(std430, binding = kImpulse) readonly buffer Impulse { vec4 impulse[]; };
layout(std430, binding = kMass) readonly buffer Mass { vec4 mass[]; };
layout(std430, binding = kVelocity) buffer Velocity { vec4 velocity[]; };
layout(std430, binding = kOffsets) readonly buffer Offsets { uint offsets[]; };
layout(std430, binding = kEntries) readonly buffer Entries { uint entries[]; };
layout(std430, binding = kState) buffer State { SolveState state[]; };
layout(std430, binding = kMeasure) buffer Measure { uint measure[]; };
layout(std430, binding = kMoment) readonly buffer Moment { vec4 moment[]; };
layout(std430, binding = kHistory) writeonly buffer History { float history[]; };

#include "compute/shaders/decide.glsl"

void main() {
    const uint slot = push.pass & 1u;
    if (kMeasures && gl_WorkGroupID.x == gl_NumWorkGroups.x - 1u) {
        if (gl_LocalInvocationID.x != 0u) return;
        state[1u - slot] = decide(state[slot], measure[slot]);
        measure[1u - slot] = 0u;
        return;
    }
    uint from = push.pass % 3u, to = (push.pass + 1u) % 3u, sweep = push.sweep;
    if (kMeasures) {
        if (state[slot].stop != kRunning) return;
        from = state[slot].current;
        to = state[slot].next;
        sweep = state[slot].momentum;
    }
    const uint body = gl_GlobalInvocationID.x, n = push.contacts;
    if (body >= push.bodies) return;
    vec3 linear = vec3(0.0), angular = vec3(0.0);
    const uint end = offsets[body + 1];
    for (uint k = offsets[body]; k < end; ++k) {
        const uint entry = entries[k], i = entry >> 1, is_b = entry & 1u;
        const float sign_ = is_b != 0u ? 1.0 : -1.0;
        const vec3 p = sign_ * impulse[i].xyz;
        linear += p;
        if (kOfGroups) {
            angular += sign_ * impulse[(1u + is_b) * push.groups + i].xyz;
        } else {
            angular += cross(frames[(kPlaneArmA + is_b) * n + i].xyz, p);
            if (kHasExtra) angular += sign_ * moment[i].xyz;
        }
    }
    const vec4 m0 = mass[2 * body], m1 = mass[2 * body + 1];
    const uint at = 2 * (from * push.bodies + body), into = 2 * (to * push.bodies + body);
    const uint ahead = 2 * (kAheadPlane * push.bodies + body);
    const vec3 before_linear = velocity[at].xyz, before_angular = velocity[at + 1].xyz;
    const vec3 next_linear = before_linear + m1.z * linear;
    const vec3 next_angular = before_angular + turn(m0, m1, angular);
    velocity[into] = vec4(next_linear, 0.0);
    velocity[into + 1] = vec4(next_angular, 0.0);
    if (!kMomentum) return;
    // Where the next pass starts, unless the decision is to go back.
    const float beta = momentum_after(sweep + 1u);
    velocity[ahead] = vec4(next_linear + beta * (next_linear - before_linear), 0.0);
    velocity[ahead + 1] = vec4(next_angular + beta * (next_angular - before_angular), 0.0);
}
