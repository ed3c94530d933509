// SPDX-License-Identifier: MIT
// The power method, body part: w = M^-1 J^T x into the last plane of the velocities. One workgroup more than
// bodies need adds up |x|^2 and keeps the largest estimate so far.
#version 460
#include "compute/shaders/common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kFrames) readonly buffer Frames { vec4 frames[]; };
layout(std430, binding = kImpulse) readonly buffer Impulse { vec4 impulse[]; };
layout(std430, binding = kMass) readonly buffer Mass { vec4 mass[]; };
layout(std430, binding = kVelocity) writeonly buffer Velocity { vec4 velocity[]; };
layout(std430, binding = kOffsets) readonly buffer Offsets { uint offsets[]; };
layout(std430, binding = kEntries) readonly buffer Entries { uint entries[]; };
layout(std430, binding = kState) buffer State { SolveState state[]; };
layout(std430, binding = kMeasure) readonly buffer Measure { uint measure[]; };
layout(std430, binding = kPartial) readonly buffer Partial { float partial[]; };

void main() {
    if (gl_WorkGroupID.x == gl_NumWorkGroups.x - 1u) {
        if (gl_LocalInvocationID.x != 0u) return;
        float squared = 0.0;
        for (uint k = 0u; k < push.partials; ++k) squared += partial[k];
        const float norm = sqrt(squared);
        // |W x| / |x| never passes lambda_max; no block of the diagonal does either.
        const float before = push.pass == 0u ? uintBitsToFloat(measure[2]) : state[0].eigenvalue;
        const float estimate = push.pass > 0u && is_finite(norm) ? max(before, norm) : before;
        state[0].eigenvalue = estimate;
        state[0].inverse_norm = step_of(norm);
        state[0].step = state[1].step = step_of(estimate);
        return;
    }
    const uint body = gl_GlobalInvocationID.x, n = push.contacts;
    if (body >= push.bodies) return;
    vec3 linear = vec3(0.0), angular = vec3(0.0);
    const uint end = offsets[body + 1];
    for (uint k = offsets[body]; k < end; ++k) {
        const uint entry = entries[k], i = entry >> 1, is_b = entry & 1u;
        const vec3 p = (is_b != 0u ? 1.0 : -1.0) * impulse[i].xyz;
        linear += p;
        angular += cross(frames[(kPlaneArmA + is_b) * n + i].xyz, p);
    }
    const vec4 m0 = mass[2 * body], m1 = mass[2 * body + 1];
    const uint into = 2 * (kAnswerPlane * push.bodies + body);
    velocity[into] = vec4(m1.z * linear, 0.0);
    velocity[into + 1] = vec4(turn(m0, m1, angular), 0.0);
}
