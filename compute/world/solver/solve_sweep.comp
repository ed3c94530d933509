// SPDX-License-Identifier: MIT
// A Gauss-Seidel sweep over the manifolds of one colour: no two of them share a body that moves.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(std430, binding = kVelocity) buffer VelocityBlock { vec4 velocity[]; };

#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"
#include "compute/world/solver/solve_slip.glsl"
#include "compute/world/solver/solve_manifold.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kImpulses) buffer ImpulsesBlock { vec4 impulses[]; };

void main() {
    if (status.stopped != 0u || gl_GlobalInvocationID.x >= state[kStateTotal + push.group]) return;
    const uint slot = state[kStateFirst + push.group] + gl_GlobalInvocationID.x, n = push.pairs;
    f = load_frame(slot);
    m = load_masses(f);
    v = load_velocity(f, 0u);
    slip = more_slip(f, m, v);
    const vec4 gaps = frames[kFrameGaps * n + slot];
    for (uint k = 0u; k < f.points; ++k) {
        const vec4 block = blocks[k * n + slot];
        load_point(slot, k, gaps[k], block.x, block.xy, impulses[k * n + slot]);
    }
    sweep_manifold_in_turn(slot);
    for (uint k = 0u; k < f.points; ++k) {
        const vec4 before = impulses[k * n + slot];
        impulses[k * n + slot] = kept_impulse(k, before.x, before.w);
    }
    keep_push(slot);
    store_velocity(f, m, v);
}
