// SPDX-License-Identifier: MIT
// One workgroup: where the manifolds of each group begin, and the workgroup counts of all dispatches over them.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInArguments) writeonly buffer ArgumentsBlock { uvec4 arguments[]; };

void main() {
    if (status.stopped != 0u) return;
    const uint group = gl_LocalInvocationID.x;
    if (group >= kGroups) return;
    uint first = 0u;
    for (uint k = 0u; k < 2u * group; ++k) first += state[kStateKeyTotal + k];
    const uint single = state[kStateKeyTotal + 2u * group];
    const uint total = single + state[kStateKeyTotal + 2u * group + 1u];
    state[kStateTotal + group] = total;
    state[kStateFirst + group] = first;
    state[kStateKeyFirst + 2u * group] = first;
    state[kStateKeyFirst + 2u * group + 1u] = first + single;
    if (group != kGroupJacobi) {
        arguments[kArgsSolver + group] = uvec4(groups_of(total), 1u, 1u, 0u);
        return;
    }
    const uint all = first + total, coloured = (push.flags & kDoAllJacobi) != 0u ? 0u : first;
    state[kStateManifolds] = all;
    state[kStateJacobi] = all - coloured;
    state[kStateJacobiFirst] = coloured;
    arguments[kArgsSolver + kArgsJacobi] = uvec4(groups_of(all - coloured), 1u, 1u, 0u);
    arguments[kArgsSolver + kArgsJacobiBodies] = uvec4(all > coloured ? groups_of(push.bodies) : 0u, 1u, 1u, 0u);
    arguments[kArgsManifolds] = uvec4(groups_of(all), 1u, 1u, 0u);
}
