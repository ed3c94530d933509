// SPDX-License-Identifier: MIT
// A Gauss-Seidel sweep over the manifolds of one colour: no two of them share a body that moves. Within a
// manifold: normals, friction, normals again; a single point: friction, then its normal.
//     l_n' = max(0, l_n - (v_n + bias + c l_n) / (W_nn + c)),     l_t' = P_disk(mu l_n)(l_t - v_t / lambda_max)
#version 460
#extension GL_EXT_control_flow_attributes : require
#include "compute/world/solver/solve_common.glsl"
#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kImpulses) buffer ImpulsesBlock { vec4 impulses[]; };

Frame f;
Masses m;
Motion v;
vec3 arm[kMostPoints];
vec4 bias, compliance, w_nn, step_t, l_n, l_1, l_2;

void normal_row(uint k) {
    if (!(w_nn[k] > 1e-30)) return;
    const vec3 arm_b = arm[k] + f.shift;
    const float vn = dot(f.normal, relative(v, arm[k], arm_b)) + bias[k] + compliance[k] * l_n[k];
    const float after = max(0.0, l_n[k] - vn / (w_nn[k] + compliance[k]));
    const float change = after - l_n[k];
    l_n[k] = after;
    apply(v, m, arm[k], arm_b, f.normal * change);
}

void friction_row(uint k) {
    if (!(step_t[k] > 0.0)) return;
    const vec3 arm_b = arm[k] + f.shift, r = relative(v, arm[k], arm_b);
    const vec2 before = vec2(l_1[k], l_2[k]);
    const vec2 after = project_disk(before - step_t[k] * vec2(dot(f.tangent1, r), dot(f.tangent2, r)),
                                    f.friction * l_n[k]);
    l_1[k] = after.x;
    l_2[k] = after.y;
    apply(v, m, arm[k], arm_b, f.tangent1 * (after.x - before.x) + f.tangent2 * (after.y - before.y));
}

void main() {
    if (status.stopped != 0u || gl_GlobalInvocationID.x >= state[kStateTotal + push.group]) return;
    const uint slot = state[kStateFirst + push.group] + gl_GlobalInvocationID.x, n = push.pairs;
    f = load_frame(slot);
    m = load_masses(f);
    v = load_velocity(f, push.to);
    const Motion displaced = load_moved(f);
    w_nn = blocks[slot];
    step_t = blocks[n + slot];
    l_n = impulses[slot];
    l_1 = impulses[n + slot];
    l_2 = impulses[2 * n + slot];
    [[unroll]] for (uint k = 0u; k < kMostPoints; ++k) {
        const vec4 at = k < f.points ? arms[k * n + slot] : vec4(0.0);
        arm[k] = at.xyz;
        const vec2 law = law_of(f, gap_of(f, at, displaced), w_nn[k]);
        bias[k] = law.x;
        compliance[k] = law.y;
    }
    if (f.points > 1u) {
        [[unroll]] for (uint k = 0u; k < kMostPoints; ++k)
            if (k < f.points) normal_row(k);
    }
    [[unroll]] for (uint k = 0u; k < kMostPoints; ++k)
        if (k < f.points) friction_row(k);
    [[unroll]] for (uint k = 0u; k < kMostPoints; ++k)
        if (k < f.points) normal_row(k);
    impulses[slot] = l_n;
    impulses[n + slot] = l_1;
    impulses[2 * n + slot] = l_2;
    store_velocity(f, m, v);
}
