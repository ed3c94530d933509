// SPDX-License-Identifier: MIT
// One invocation a body, between sweeps and between sub-steps; the flags say what is to do.
#version 460
#include "compute/world/solver/solve_common.glsl"
#include "compute/world/solver/solve_body.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kCanDo = 0xFFFFFFFFu;  // flags that a variant of the kernel knows
layout(std430, binding = kImpactArgs) writeonly buffer ImpactArgsBlock { uvec4 impact_args[]; };

bool does(uint what) { return (kCanDo & what) != 0u && (push.flags & what) != 0u; }

void main() {
    const uint body = gl_GlobalInvocationID.x;
    if (status.stopped != 0u) return;
    // Impacts of the coming sub-step are counted from nothing.
    if (does(kDoAdvance) && body < kMaxColours) {
        impact_args[body] = uvec4(0u, 1u, 1u, 0u);
        if (body <= kStateCloses - kStateBounced) state[kStateBounced + body] = 0u;
    }
    if (body >= push.bodies) return;
    const uint flags = floatBitsToUint(mass[2 * body + 1].w);
    if ((flags & (kDynamic | kKinematic)) == 0u) return;
    Velocity v = load(does(kDoGather) ? push.plane : 0u, body);
    const bool dynamic = (flags & kDynamic) != 0u;

    if (dynamic && does(kDoGather)) {
        const uint jacobi_entries = words[kWordJacobi * push.bodies + body];
        if (jacobi_entries > 0u) {
            const uint end = words[kWordBegin * push.bodies + body] + words[kWordCount * push.bodies + body];
            const Velocity change = gather(body, end - jacobi_entries, end);
            v.linear += change.linear;
            v.angular += change.angular;
        }
    }
    if (dynamic && does(kDoWarmStart)) {
        free_velocity[2 * body] = vec4(v.linear, 0.0);
        free_velocity[2 * body + 1] = vec4(v.angular, 0.0);
        const uint begin = words[kWordBegin * push.bodies + body];
        const Velocity warm = gather(body, begin, begin + words[kWordCount * push.bodies + body]);
        v.linear += warm.linear;
        v.angular += warm.angular;
    }
    if (does(kDoAdvance)) advance(body, flags, v);
    if (dynamic && does(kDoForces)) add_forces(body, v);
    if (does(kDoMomentum)) {
        // Where the next sweep starts from; also for bodies without contacts, which have no change.
        const Velocity before = load(0u, body);
        store(1u, body, Velocity(v.linear + push.next_beta * (v.linear - before.linear),
                                 v.angular + push.next_beta * (v.angular - before.angular)));
    }
    store(0u, body, v);
}
