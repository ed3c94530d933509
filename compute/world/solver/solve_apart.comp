// SPDX-License-Identifier: MIT
// A Jacobi pass over the manifolds without a colour, or over all: all read the same velocities, the bodies gather what they
// change. Steps are those of split masses, W <= blockdiag(d I):
//     l_n' = max(0, l_n - (v_n + bias + c l_n) / (d + c)),     l_t' = P_disk(mu l_n')(l_t - v_t / d)
// from y = x + beta (x - x_before): velocities are linear in the impulses, so both are extrapolated alike.
#version 460
#include "compute/world/solver/solve_common.glsl"
#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kImpulses) buffer ImpulsesBlock { vec4 impulses[]; };
layout(std430, binding = kChanges) writeonly buffer ChangesBlock { vec4 changes[]; };

void main() {
    if (status.stopped != 0u || gl_GlobalInvocationID.x >= state[kStateApart]) return;
    const uint slot = state[kStateApartFirst] + gl_GlobalInvocationID.x, n = push.pairs;
    const uint from = push.from * kImpulsePlanes * n + slot, to = push.to * kImpulsePlanes * n + slot;
    const Frame f = load_frame(slot);
    const Motion displaced = load_moved(f);
    Motion v = load_velocity(f, push.from);
    vec4 l_n = impulses[from], l_1 = impulses[from + n], l_2 = impulses[from + 2 * n];
    if (push.beta != 0.0) {
        const Motion w = load_velocity(f, push.to);
        v.linear_a += push.beta * (v.linear_a - w.linear_a);
        v.angular_a += push.beta * (v.angular_a - w.angular_a);
        v.linear_b += push.beta * (v.linear_b - w.linear_b);
        v.angular_b += push.beta * (v.angular_b - w.angular_b);
        l_n += push.beta * (l_n - impulses[to]);
        l_1 += push.beta * (l_1 - impulses[to + n]);
        l_2 += push.beta * (l_2 - impulses[to + 2 * n]);
    }
    const vec4 w_nn = blocks[slot], bound = blocks[kBlockBound * n + slot];
    vec3 sum = vec3(0.0), moment = vec3(0.0);
    for (uint k = 0u; k < f.points; ++k) {
        const vec4 arm = arms[k * n + slot];
        const vec3 r = relative(v, arm.xyz, arm.xyz + f.shift);
        const vec2 law = law_of(f, gap_of(f, arm, displaced), w_nn[k]);
        const vec3 l = vec3(l_n[k], l_1[k], l_2[k]);
        const float vn = dot(f.normal, r) + law.x + law.y * l.x;
        vec3 after = l;
        if (bound[k] > 0.0) {
            after.x = max(0.0, l.x - vn / (bound[k] + law.y));
            after.yz = project_disk(l.yz - vec2(dot(f.tangent1, r), dot(f.tangent2, r)) / bound[k],
                                    f.friction * after.x);
        }
        const vec3 change = after - l;
        const vec3 p = f.normal * change.x + f.tangent1 * change.y + f.tangent2 * change.z;
        sum += p;
        moment += cross(arm.xyz, p);
        l_n[k] = after.x;
        l_1[k] = after.y;
        l_2[k] = after.z;
    }
    impulses[to] = l_n;
    impulses[to + n] = l_1;
    impulses[to + 2 * n] = l_2;
    changes[slot] = vec4(sum, 0.0);
    changes[n + slot] = vec4(moment, 0.0);
    changes[2 * n + slot] = vec4(moment + cross(f.shift, sum), 0.0);
}
