// SPDX-License-Identifier: MIT
// One pass over the bodies: u' = u + M^-1 J^T (l' - l). Each body gathers the impulses of its contacts in their
// order, so that the sum is the same in every run. One workgroup more than bodies need decides about the pass.
#version 460
#include "compute/shaders/common.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool kMeasures = true;
layout(constant_id = 2) const bool kHasExtra = false;
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
    uint from = slot, to = 1u - slot;
    if (kMeasures) {
        if (state[slot].stop != kRunning) return;
        from = state[slot].current;
        to = state[slot].next;
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
        angular += cross(frames[(kPlaneArmA + is_b) * n + i].xyz, p);
        if (kHasExtra) angular += sign_ * moment[i].xyz;
    }
    const vec4 m0 = mass[2 * body], m1 = mass[2 * body + 1];
    const uint at = 2 * (from * push.bodies + body), into = 2 * (to * push.bodies + body);
    velocity[into] = vec4(velocity[at].xyz + m1.z * linear, 0.0);
    velocity[into + 1] = vec4(velocity[at + 1].xyz + turn(m0, m1, angular), 0.0);
}
