// SPDX-License-Identifier: MIT
// A Jacobi pass over the manifolds without a colour, or over all. A body has a copy for each of its manifolds here,
// with that share of its mass: W <= blockdiag(n W_gg), so that adding up what the copies did is safe. All read the
// same velocities; the bodies gather the changes with their whole mass. A pass starts from
//     y = x + beta (x - x_before):
// velocities are linear in the impulses, so both are extrapolated alike; those of the bodies come so already.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(std430, binding = kVelocity) buffer VelocityBlock { vec4 velocity[]; };

#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"
#include "compute/world/solver/solve_slip.glsl"
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
    v = load_velocity(f, push.plane);
    slip = more_slip(f, m, v);
    const float copies_a = float(words[kWordJacobi * push.bodies + f.a]);
    const float copies_b = float(words[kWordJacobi * push.bodies + f.b]);
    m = Masses(copies_a * m.a0, copies_a * m.a1, copies_b * m.b0, copies_b * m.b1);
    const vec4 gaps = frames[kFrameGaps * n + slot];
    for (uint k = 0u; k < f.points; ++k) {
        const vec4 block = blocks[k * n + slot];
        vec4 l = impulses[k * n + slot];
        if (kHasMomentum) {
            const vec3 now = l.xyz;
            if (push.beta != 0.0) l.xyz += push.beta * (now - impulses_before[k * n + slot].xyz);
            impulses_before[k * n + slot] = vec4(now, 0.0);
        }
        load_point(slot, k, gaps[k], block.x, block.zw, l);
    }
    const vec4 before_n = l_n, before_1 = l_1, before_2 = l_2;
    sweep_manifold(slot);

    vec3 sum = vec3(0.0), moment = vec3(0.0);
    for (uint k = 0u; k < f.points; ++k) {
        const vec3 change = vec3(l_n[k] - before_n[k], l_1[k] - before_1[k], l_2[k] - before_2[k]);
        const vec4 before = impulses[k * n + slot];
        impulses[k * n + slot] = kept_impulse(k, before.x, before.w);
        const vec3 p = f.normal * change.x + f.tangent1 * change.y + f.tangent2 * change.z;
        sum += p;
        moment += cross(offset_of(f, slot, k), p);
    }
    keep_push(slot);
    changes[slot] = vec4(sum, 0.0);
    changes[n + slot] = vec4(moment + cross(f.arm_a, sum), 0.0);
    changes[2 * n + slot] = vec4(moment + cross(f.arm_b, sum), 0.0);
}
