// SPDX-License-Identifier: MIT
// One workgroup at the very end: what the step tells the host.
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "compute/world/solver/solve_common.glsl"
#include "compute/world/solver/solve_reduce.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kPartials) readonly buffer PartialsBlock { vec4 partials[]; };

void main() {
    if (status.stopped != 0u) return;
    const uint all = state[kStateManifolds];
    vec4 found = vec4(0.0);
    uint overlapping = 0u;
    for (uint k = gl_LocalInvocationID.x; k < groups_of(all); k += kWorkgroup) {
        found = join(found, partials[2 * k]);
        overlapping += floatBitsToUint(partials[2 * k + 1].x);
    }
    reduce(found, overlapping);
    if (gl_LocalInvocationID.x != 0u) return;
    status.steps += 1u;
    status.manifolds = all;
    status.points = state[kStatePoints];
    // Jacobi gives no colours; those that pairs have from before stay in use.
    if (push.colours > 0u) {
        status.colours = state[kStateColours];
        status.uncoloured = state[kStateUncoloured];
    }
    status.residual_max = floatBitsToUint(found.x);
    status.residual_sum = found.y;
    status.penetration_max = floatBitsToUint(found.z);
    status.penetration_sum = found.w;
    status.overlapping = overlapping;
}
