// SPDX-License-Identifier: MIT
// How far the current iterate is from the law, worst contact: one invocation a contact.
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "compute/shaders/common.glsl"
#include "compute/shaders/friction.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool kIsBox = false;
layout(std430, binding = kFrames) readonly buffer Frames { vec4 frames[]; };
layout(std430, binding = kSteps) readonly buffer Steps { vec4 steps[]; };
layout(std430, binding = kLambda) readonly buffer Lambda { vec4 lambda[]; };
layout(std430, binding = kVelocity) readonly buffer Velocity { vec4 velocity[]; };
layout(std430, binding = kState) readonly buffer State { SolveState state[]; };
layout(std430, binding = kMeasure) buffer Measure { uint measure[]; };

#include "compute/shaders/residual.glsl"

void main() {
    const uint i = gl_GlobalInvocationID.x, n = push.contacts, slot = push.pass & 1u;
    if (state[slot].stop != kRunning) return;
    const uint from = state[slot].current;
    uint bits = 0u;
    if (i < n) {
        const vec4 normal = frames[i], t1 = frames[n + i], t2 = frames[2 * n + i];
        const vec4 arm_a = frames[3 * n + i], arm_b = frames[4 * n + i], step_ = steps[i];
        const uint a = 2 * (from * push.bodies + floatBitsToUint(arm_a.w));
        const uint b = 2 * (from * push.bodies + floatBitsToUint(arm_b.w));
        const vec3 v = velocity[b].xyz + cross(velocity[b + 1].xyz, arm_b.xyz) - velocity[a].xyz -
                       cross(velocity[a + 1].xyz, arm_a.xyz);
        const vec3 l = lambda[from * n + i].xyz;
        bits = residual_bits(l, normal.w, dot(normal.xyz, v) + t1.w + t2.w * l.x, vec2(dot(t1.xyz, v), dot(t2.xyz, v)),
                             step_.z, step_.w);
    }
    bits = subgroupMax(bits);
    if (subgroupElect()) atomicMax(measure[slot], bits);
}
