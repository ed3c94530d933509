// SPDX-License-Identifier: MIT
// A Gauss-Seidel sweep over the manifolds of one colour: no two of them share a body that moves.
#version 460
#include "compute/world/solver/solve_common.glsl"
#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"
#include "compute/world/solver/solve_manifold.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kImpulses) buffer ImpulsesBlock { vec4 impulses[]; };

void main() {
    if (status.stopped != 0u || gl_GlobalInvocationID.x >= state[kStateTotal + push.group]) return;
    const uint slot = state[kStateFirst + push.group] + gl_GlobalInvocationID.x, n = push.pairs;
    f = load_frame(slot);
    m = load_masses(f);
    v = load_velocity(f, 0u);
    const Motion displaced = load_moved(f);
    vec3 first = vec3(0.0);
    for (uint k = 0u; k < f.points; ++k) {
        const vec4 at = arms[k * n + slot], block = blocks[k * n + slot];
        if (k == 0u) first = at.xyz;
        load_point(k, at, displaced, block.x, block.xy, impulses[k * n + slot].xyz);
    }
    sweep_manifold(slot, first);
    for (uint k = 0u; k < f.points; ++k) impulses[k * n + slot] = vec4(l_n[k], l_1[k], l_2[k], 0.0);
    store_velocity(f, m, v);
}
