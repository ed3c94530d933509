// SPDX-License-Identifier: MIT
// A Jacobi pass over the manifolds without a colour, or over all. A body has a copy for each of its manifolds here,
// with that share of its mass: W <= blockdiag(n W_gg), so that adding up what the copies did is safe. All read the
// same velocities; the bodies gather the changes with their whole mass. A pass starts from
//     y = x + beta (x - x_before):
// velocities are linear in the impulses, so both are extrapolated alike; those of the bodies come so already.
#version 460
#include "compute/world/solver/solve_common.glsl"
#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"
#include "compute/world/solver/solve_manifold.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool kHasMomentum = false;
layout(std430, binding = kBodyWords) readonly buffer BodyWordsBlock { uint words[]; };
layout(std430, binding = kImpulses) buffer ImpulsesBlock { vec4 impulses[]; };
layout(std430, binding = kImpulsesBefore) buffer ImpulsesBeforeBlock { vec4 impulses_before[]; };
layout(std430, binding = kChanges) writeonly buffer ChangesBlock { vec4 changes[]; };

void main() {
    if (status.stopped != 0u || gl_GlobalInvocationID.x >= state[kStateJacobi]) return;
    const uint slot = state[kStateJacobiFirst] + gl_GlobalInvocationID.x, n = push.pairs;
    f = load_frame(slot);
    m = load_masses(f);
    const float copies_a = float(words[kWordJacobi * push.bodies + f.a]);
    const float copies_b = float(words[kWordJacobi * push.bodies + f.b]);
    m = Masses(copies_a * m.a0, copies_a * m.a1, copies_b * m.b0, copies_b * m.b1);
    v = load_velocity(f, push.plane);
    const Motion displaced = load_moved(f);
    vec3 first = vec3(0.0);
    for (uint k = 0u; k < f.points; ++k) {
        const vec4 at = arms[k * n + slot], block = blocks[k * n + slot];
        if (k == 0u) first = at.xyz;
        vec3 l = impulses[k * n + slot].xyz;
        if (kHasMomentum) {
            const vec3 now = l;
            if (push.beta != 0.0) l += push.beta * (now - impulses_before[k * n + slot].xyz);
            impulses_before[k * n + slot] = vec4(now, 0.0);
        }
        load_point(k, at, displaced, block.x, block.zw, l);
    }
    const vec4 before_n = l_n, before_1 = l_1, before_2 = l_2;
    sweep_manifold(slot, first);

    vec3 sum = vec3(0.0), moment = vec3(0.0);
    for (uint k = 0u; k < f.points; ++k) {
        const vec3 l = vec3(l_n[k], l_1[k], l_2[k]), change = l - vec3(before_n[k], before_1[k], before_2[k]);
        impulses[k * n + slot] = vec4(l, 0.0);
        const vec3 p = f.normal * change.x + f.tangent1 * change.y + f.tangent2 * change.z;
        sum += p;
        moment += cross(k == 0u ? first : arms[k * n + slot].xyz, p);
    }
    changes[slot] = vec4(sum, 0.0);
    changes[n + slot] = vec4(moment, 0.0);
    changes[2 * n + slot] = vec4(moment + cross(f.shift, sum), 0.0);
}
