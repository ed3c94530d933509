// SPDX-License-Identifier: MIT
// The power method for lambda_max(W + C), contact part: x' = (W x + C x) / |x_before|, with w = M^-1 J^T x in
// the last plane of the velocities. Dividing by the norm of one step before keeps numbers in range without
// another pass over the contacts; then |x'| itself is the estimate.
#version 460
#include "compute/shaders/common.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kSize = 64u;  // the same number as constant 0
layout(std430, binding = kFrames) readonly buffer Frames { vec4 frames[]; };
layout(std430, binding = kImpulse) writeonly buffer Impulse { vec4 impulse[]; };
layout(std430, binding = kVelocity) readonly buffer Velocity { vec4 velocity[]; };
layout(std430, binding = kState) readonly buffer State { SolveState state[]; };
layout(std430, binding = kVector) buffer Vector { vec4 vector[]; };
layout(std430, binding = kPartial) writeonly buffer Partial { float partial[]; };

shared float squares[kSize];

void main() {
    const uint i = gl_GlobalInvocationID.x, n = push.contacts;
    float squared = 0.0;
    if (i < n) {
        const vec4 normal = frames[i], t1 = frames[n + i], t2 = frames[2 * n + i];
        vec3 x = vector[i].xyz;
        if (push.pass > 0u) {
            const vec4 arm_a = frames[3 * n + i], arm_b = frames[4 * n + i];
            const uint a = 2 * (kAnswerPlane * push.bodies + floatBitsToUint(arm_a.w));
            const uint b = 2 * (kAnswerPlane * push.bodies + floatBitsToUint(arm_b.w));
            const vec3 v = velocity[b].xyz + cross(velocity[b + 1].xyz, arm_b.xyz) - velocity[a].xyz -
                           cross(velocity[a + 1].xyz, arm_a.xyz);
            x = state[0].inverse_norm * vec3(dot(normal.xyz, v) + t2.w * x.x, dot(t1.xyz, v), dot(t2.xyz, v));
            vector[i] = vec4(x, 0.0);
        }
        impulse[i] = vec4(normal.xyz * x.x + t1.xyz * x.y + t2.xyz * x.z, 0.0);
        squared = dot(x, x);
    }
    // A sum in one fixed order, whatever the device's subgroups are.
    squares[gl_LocalInvocationID.x] = squared;
    for (uint half_size = kSize / 2u; half_size > 0u; half_size /= 2u) {
        barrier();
        if (gl_LocalInvocationID.x < half_size)
            squares[gl_LocalInvocationID.x] += squares[gl_LocalInvocationID.x + half_size];
    }
    if (gl_LocalInvocationID.x == 0u) partial[gl_WorkGroupID.x] = squares[0];
}
