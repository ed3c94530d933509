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
    v = load_velocity(f, push.to);
    load_laws(slot);
    for (uint k = 0u; k < f.points; ++k) {
        const vec3 l = impulses[k * n + slot].xyz;
        l_n[k] = l.x;
        l_1[k] = l.y;
        l_2[k] = l.z;
        const vec2 block = blocks[k * n + slot].xy;
        w_nn[k] = block.x;
        step_t[k] = block.y;
    }
    sweep_manifold(slot);
    for (uint k = 0u; k < f.points; ++k) impulses[k * n + slot] = vec4(l_n[k], l_1[k], l_2[k], 0.0);
    store_velocity(f, m, v);
}
