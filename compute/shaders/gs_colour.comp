// SPDX-License-Identifier: MIT
// One colour of a coloured Gauss-Seidel sweep: groups that share no body that can move, one invocation each, in the
// order of physics/solvers/group_sweep.h. Impulses go from the current plane to the next; of each body the first group
// that touches it in the sweep reads the current plane, all later ones what the one before has left in the next. One
// workgroup more of the first colour decides about the iterate that was measured.
#version 460
#include "compute/shaders/common.glsl"
#include "compute/shaders/friction.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool kMeasures = true;
layout(constant_id = 2) const bool kIsBox = false;
layout(constant_id = 3) const bool kIsBlocked = false;
layout(constant_id = 4) const bool kIsStart = false;  // adds the effect of the impulses in plane 0 to the velocities there
layout(std430, binding = kFrames) readonly buffer Frames { vec4 frames[]; };
layout(std430, binding = kSteps) readonly buffer Steps { vec4 steps[]; };
layout(std430, binding = kBlocks) readonly buffer Blocks { vec4 blocks[]; };
layout(std430, binding = kLambda) buffer Lambda { vec4 lambda[]; };
layout(std430, binding = kMass) readonly buffer Mass { vec4 mass[]; };
layout(std430, binding = kVelocity) buffer Velocity { vec4 velocity[]; };
layout(std430, binding = kState) buffer State { SolveState state[]; };
layout(std430, binding = kMeasure) buffer Measure { uint measure[]; };
layout(std430, binding = kHistory) writeonly buffer History { float history[]; };
layout(std430, binding = kGroups) readonly buffer Groups { uvec4 groups[]; };

#include "compute/shaders/decide.glsl"
#include "compute/shaders/residual.glsl"
#include "compute/shaders/group_pass.glsl"

void main() {
    const uint slot = push.pass & 1u, n = push.contacts;
    if (kMeasures && push.first_group == 0u && gl_WorkGroupID.x == gl_NumWorkGroups.x - 1u) {
        if (gl_LocalInvocationID.x != 0u) return;
        state[1u - slot] = decide(state[slot], measure[slot]);
        measure[1u - slot] = 0u;
        return;
    }
    uint from = push.pass % 3u, to = (push.pass + 1u) % 3u;
    float scale = 1.0;
    if (kMeasures) {
        if (state[slot].stop != kRunning) return;
        from = state[slot].current;
        to = state[slot].next;
        scale = state[slot].scale;
    }
    const uint g = push.first_group + gl_GlobalInvocationID.x;
    if (g >= push.end_group) return;
    const uvec4 group = groups[g];
    const uint begin = group.x, end = group.y;
    const uint a = floatBitsToUint(frames[3 * n + begin].w), b = floatBitsToUint(frames[4 * n + begin].w);
    const vec4 a0 = mass[2 * a], a1 = mass[2 * a + 1], b0 = mass[2 * b], b1 = mass[2 * b + 1];
    if (kIsStart) from = to = 0u;
    const uint at = 2 * (((group.z & 1u) != 0u ? from : to) * push.bodies + a);
    const uint bt = 2 * (((group.z & 2u) != 0u ? from : to) * push.bodies + b);
    Pair p = Pair(velocity[at].xyz, velocity[at + 1].xyz, velocity[bt].xyz, velocity[bt + 1].xyz, a0, a1, b0, b1);
    if (kIsStart) {
        for (uint i = begin; i < end; ++i) {
            const vec3 l = lambda[i].xyz;
            give(p, frames[3 * n + i].xyz, frames[4 * n + i].xyz,
                 frames[i].xyz * l.x + frames[n + i].xyz * l.y + frames[2 * n + i].xyz * l.z);
        }
    } else {
        for (uint i = begin; i < end; ++i) lambda[to * n + i] = lambda[from * n + i];
        pass_group(p, begin, end, to, scale);
    }
    if (a1.z > 0.0) {
        velocity[2 * (to * push.bodies + a)] = vec4(p.linear_a, 0.0);
        velocity[2 * (to * push.bodies + a) + 1] = vec4(p.angular_a, 0.0);
    }
    if (b1.z > 0.0) {
        velocity[2 * (to * push.bodies + b)] = vec4(p.linear_b, 0.0);
        velocity[2 * (to * push.bodies + b) + 1] = vec4(p.angular_b, 0.0);
    }
}
