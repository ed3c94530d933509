// SPDX-License-Identifier: MIT
// Puts the plane that the solve ended in where the host looks for it. A solve that is still running ends in its
// best iterate: the current one has not been measured yet.
#version 460
#include "compute/shaders/common.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool kHasExtra = false;
layout(std430, binding = kLambda) buffer Lambda { vec4 lambda[]; };
layout(std430, binding = kVelocity) buffer Velocity { vec4 velocity[]; };
layout(std430, binding = kSpin) buffer Spin { vec4 spin[]; };
layout(std430, binding = kState) readonly buffer State { SolveState state[]; };

void main() {
    const uint i = gl_GlobalInvocationID.x, slot = push.pass & 1u;
    const bool is_over = state[slot].stop != kRunning || push.rollback == 0u;
    const uint from = is_over ? state[slot].current : state[slot].best;
    if (i < push.contacts) lambda[kAnswerPlane * push.contacts + i] = lambda[from * push.contacts + i];
    if (kHasExtra && i < push.contacts) spin[kAnswerPlane * push.contacts + i] = spin[from * push.contacts + i];
    if (i < 2 * push.bodies)
        velocity[2 * kAnswerPlane * push.bodies + i] = velocity[2 * from * push.bodies + i];
}
