// SPDX-License-Identifier: MIT
// One invocation a manifold, at the end: how far it is from the exact law (hard contacts, no push-out), its
// overlap, and its impulses back to the pair. A velocity is judged by the arms that it was found with. Sums are per
// workgroup, in an order that is always the same.
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "compute/world/solver/solve_common.glsl"

layout(std430, binding = kVelocity) buffer VelocityBlock { vec4 velocity[]; };

#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"
#include "compute/world/solver/solve_slip.glsl"
#include "compute/world/solver/solve_reduce.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInManifolds) buffer ManifoldsBlock { vec4 manifolds[]; };
layout(std430, binding = kInLambda) buffer LambdaBlock { vec4 lambda[]; };
layout(std430, binding = kImpulses) readonly buffer ImpulsesBlock { vec4 impulses[]; };
layout(std430, binding = kPartials) writeonly buffer PartialsBlock { vec4 partials[]; };

/// Natural map of a point in m/s; infinite when anything is not a number.
float residual_of(Frame f, vec3 l, vec3 r, vec2 slip, float bias, float w_nn, float step_t) {
    const float vn = dot(f.normal, r) + bias;
    const vec2 vt = vec2(dot(f.tangent1, r), dot(f.tangent2, r)) + slip;
    const float normal = w_nn > 0.0 ? abs(min(l.x * w_nn, vn)) : 0.0;
    float tangent = 0.0;
    if (step_t > 0.0)
        tangent = length(l.yz - project_disk(l.yz - vt * step_t, f.friction * max(0.0, l.x))) / step_t;
    const float worst = max(normal, tangent), sum = l.x + l.y + l.z + vn + vt.x + vt.y + w_nn + step_t;
    return is_finite(worst) && is_finite(sum) ? worst : uintBitsToFloat(0x7F800000u);
}

void main() {
    if (status.stopped != 0u) return;
    const uint slot = gl_GlobalInvocationID.x, n = push.pairs;
    vec4 found = vec4(0.0);
    uint overlapping = 0u;
    if (slot < state[kStateManifolds]) {
        const Frame f = load_frame(slot);
        const Motion v = load_velocity(f, 0u);
        const vec2 slip = more_slip(f, load_masses(f), v);
        const vec4 gaps = frames[kFrameGaps * n + slot];
        // The next step finds the impulses by the normal of the pair, and the tangents that follow from it.
        const vec3 end_normal = frames[kEndNormal * n + slot].xyz, end_1 = frames[kEndTangent * n + slot].xyz,
                   end_2 = cross(end_normal, end_1);
        vec3 t1, t2;
        make_tangents(end_normal, t1, t2);
        manifolds[f.pair].xyz = end_normal;
        for (uint k = 0u; k < f.points; ++k) {
            const vec2 block = blocks[k * n + slot].xy;
            const vec3 l = impulses[k * n + slot].xyz, tangent = end_1 * l.y + end_2 * l.z;
            // What was taken back of push-out is no load to begin the next step with.
            lambda[k * n + f.pair].xyz = vec3(max(l.x, 0.0), dot(t1, tangent), dot(t2, tangent));
            const vec3 offset = offset_of(f, slot, k);
            const float gap = gaps[k];
            const float residual = residual_of(f, l, relative(v, f.arm_a + offset, f.arm_b + offset), slip,
                                               gap > 0.0 ? gap / push.h : 0.0, block.x, block.y);
            const float overlap = max(0.0, -gap);
            found = vec4(max(found.x, residual), found.y + residual, max(found.z, overlap), found.w + overlap);
            overlapping += gap < 0.0 ? 1u : 0u;
        }
    }
    reduce(found, overlapping);
    if (gl_LocalInvocationID.x != 0u) return;
    partials[2 * gl_WorkGroupID.x] = found;
    partials[2 * gl_WorkGroupID.x + 1] = vec4(uintBitsToFloat(overlapping), 0.0, 0.0, 0.0);
}
