// SPDX-License-Identifier: MIT
// All impacts of a sub-step by one workgroup, where manifolds are few: colour after colour, and those without a colour
// one by one, again and again until none bounces. Passes that a host records end sooner.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(std430, binding = kVelocity) coherent buffer VelocityBlock { vec4 velocity[]; };
layout(std430, binding = kMoved) coherent buffer MovedBlock { vec4 moved[]; };

#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"
#include "compute/world/solver/solve_motion.glsl"
#include "compute/world/solver/solve_bounce.glsl"

layout(local_size_x_id = 0) in;

shared uint bounced;

/// What a group bounces. Those without a colour may share bodies: one invocation takes them in turn.
void bounce_group(uint group, uint lane, uint lanes) {
    const uint first = state[kStateFirst + group], total = state[kStateTotal + group];
    for (uint i = lane; i < total; i += lanes) {
        const uint count = bounce(first + i);
        if (count > 0u) atomicAdd(bounced, count);
    }
}

void main() {
    if (status.stopped != 0u || state[kStateCloses] == 0u || state[kStateManifolds] > kFewManifolds) return;
    const uint local = gl_LocalInvocationID.x;
    const uint passes = state[kStateElastic] != 0u ? kMaxPasses : kInelasticPasses;
    for (uint pass = 0u; pass < passes; ++pass) {
        if (local == 0u) bounced = 0u;
        memoryBarrierShared();
        barrier();
        for (uint group = 0u; group < kGroups; ++group) {
            if (group < kGroupJacobi)
                bounce_group(group, local, kWorkgroup);
            else if (local == 0u)
                bounce_group(group, 0u, 1u);
            memoryBarrierBuffer();
            memoryBarrierShared();
            barrier();
        }
        const uint found = bounced;
        barrier();
        if (found == 0u) break;
        if (local == 0u) status.bounces += found;
    }
}
