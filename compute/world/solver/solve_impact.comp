// SPDX-License-Identifier: MIT
// A pass of impacts over the manifolds of one colour, where there are many. Passes go on until none bounces: an impact
// travels through a row of touching bodies.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(std430, binding = kVelocity) buffer VelocityBlock { vec4 velocity[]; };
layout(std430, binding = kMoved) buffer MovedBlock { vec4 moved[]; };

#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"
#include "compute/world/solver/solve_motion.glsl"
#include "compute/world/solver/solve_bounce.glsl"

layout(local_size_x_id = 0) in;

void main() {
    if (status.stopped != 0u || gl_GlobalInvocationID.x >= state[kStateTotal + push.group]) return;
    if (push.round > 0u && state[kStateBounced + push.round - 1u] == 0u) return;
    const uint bounced = bounce(state[kStateFirst + push.group] + gl_GlobalInvocationID.x);
    if (bounced == 0u) return;
    atomicAdd(state[kStateBounced + push.round], bounced);
    atomicAdd(status.bounces, bounced);
}
