// SPDX-License-Identifier: MIT
// One invocation a manifold, before the impacts of a sub-step: whether any point hits. Most sub-steps have none, and
// all that follows of impacts returns at once, or stays without workgroups.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(std430, binding = kVelocity) buffer VelocityBlock { vec4 velocity[]; };
layout(std430, binding = kMoved) buffer MovedBlock { vec4 moved[]; };

#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"
#include "compute/world/solver/solve_motion.glsl"
#include "compute/world/solver/solve_bounce.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kImpactArgs) writeonly buffer ImpactArgsBlock { uvec4 impact_args[]; };

void main() {
    const uint slot = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || slot >= state[kStateManifolds]) return;
    if (!hits(slot) || atomicOr(state[kStateCloses], 1u) != 0u) return;
    if (state[kStateManifolds] <= kFewManifolds) return;
    for (uint c = 0u; c < push.colours; ++c)
        impact_args[c] = uvec4(groups_of(state[kStateTotal + c]), 1u, 1u, 0u);
}
