// SPDX-License-Identifier: MIT
// A pass of impacts over the manifolds of one colour: points that close faster than a threshold bounce by Newton's
// law, v_n+ = -e v_n-, with Coulomb friction on the impulse. Passes go on until none does: an impact travels
// through a row of touching bodies. The warm start is about lasting forces, so that impulses stay as they are.
#version 460
#include "compute/world/solver/solve_common.glsl"
#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"
#include "compute/world/solver/solve_bounce.glsl"

layout(local_size_x_id = 0) in;

void main() {
    if (status.stopped != 0u || gl_GlobalInvocationID.x >= state[kStateTotal + push.group]) return;
    if (push.round > 0u && state[kStateBounced + push.round - 1u] == 0u) return;
    const uint slot = state[kStateFirst + push.group] + gl_GlobalInvocationID.x, n = push.pairs;
    if (!(frames[kFrameBodies * n + slot].z > 0.0)) return;
    const Frame f = load_frame(slot);
    const Masses m = load_masses(f);
    const Motion displaced = load_moved(f);
    Motion v = load_velocity(f, 0u);
    uint bounced = 0u;
    for (uint k = 0u; k < f.points; ++k) {
        const vec4 arm = arms[k * n + slot];
        const vec3 arm_b = arm.xyz + f.shift;
        const vec2 block = blocks[k * n + slot].xy;
        if (!bounces(f, arm, block.x, displaced, v)) continue;
        const float v_n = dot(f.normal, relative(v, arm.xyz, arm_b));
        const float normal = -(1.0 + f.restitution) * v_n / block.x;
        apply(v, m, arm.xyz, arm_b, f.normal * normal);
        const vec3 r = relative(v, arm.xyz, arm_b);
        const vec2 t = project_disk(-block.y * vec2(dot(f.tangent1, r), dot(f.tangent2, r)), f.friction * normal);
        apply(v, m, arm.xyz, arm_b, f.tangent1 * t.x + f.tangent2 * t.y);
        ++bounced;
    }
    if (bounced == 0u) return;
    store_velocity(f, m, v);
    atomicAdd(state[kStateBounced + push.round], bounced);
    atomicAdd(status.bounces, bounced);
}
