// SPDX-License-Identifier: MIT
// One invocation a manifold, before the impacts of a sub-step: when any point closes fast enough to bounce, the
// passes over the colours get their workgroups. Most sub-steps have none, and all passes stay empty.
#version 460
#include "compute/world/solver/solve_common.glsl"
#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"
#include "compute/world/solver/solve_bounce.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kImpactArgs) writeonly buffer ImpactArgsBlock { uvec4 impact_args[]; };

void main() {
    const uint slot = gl_GlobalInvocationID.x, n = push.pairs;
    if (status.stopped != 0u || slot >= state[kStateManifolds]) return;
    if (!(frames[kFrameBodies * n + slot].z > 0.0)) return;
    const Frame f = load_frame(slot);
    const Motion displaced = load_moved(f), v = load_velocity(f, 0u);
    bool closes = false;
    for (uint k = 0u; k < f.points && !closes; ++k)
        closes = bounces(f, arms[k * n + slot], blocks[k * n + slot].x, displaced, v);
    if (!closes || atomicOr(state[kStateCloses], 1u) != 0u) return;
    for (uint c = 0u; c < push.colours; ++c)
        impact_args[c] = uvec4(groups_of(state[kStateTotal + c]), 1u, 1u, 0u);
}
