// SPDX-License-Identifier: MIT
// Impulses and colours of the step before: those of the same two colliders, point by point, first by feature,
// then the nearest free one. Friction keeps its direction in the world.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"
#include "compute/world/pairs/pair_owner.glsl"

const float kMatchPart = 0.06;  // of the smaller radius, for contact points without an equal feature

layout(set = 0, binding = 16, std430) writeonly buffer ColourBlock { uint colours[]; };
layout(set = 0, binding = 17, std430) readonly buffer OldOffsetBlock { uint old_offsets[]; };
layout(set = 0, binding = 18, std430) readonly buffer OldABlock { uint old_a[]; };
layout(set = 0, binding = 19, std430) readonly buffer OldBBlock { uint old_b[]; };
layout(set = 0, binding = 20, std430) readonly buffer OldManifoldBlock { vec4 old_manifolds[]; };
layout(set = 0, binding = 21, std430) readonly buffer OldPointBlock { vec4 old_points[]; };
layout(set = 0, binding = 22, std430) readonly buffer OldLambdaBlock { uvec4 old_lambda[]; };
layout(set = 0, binding = 23, std430) readonly buffer OldColourBlock { uint old_colours[]; };
layout(set = 0, binding = 25, std430) readonly buffer BoxBlock { vec4 boxes[]; };

/// The slot of these colliders in the step before, or kNone. An owner's partners ascend.
uint find_old(uint a, uint b) {
    const uint owner = pair_owner(a, b, floatBitsToUint(boxes[2u * a].w), floatBitsToUint(boxes[2u * b].w));
    const uint partner = a + b - owner;
    uint low = old_offsets[owner], high = old_offsets[owner + 1u];
    while (low < high) {
        const uint middle = (low + high) / 2u;
        if (old_a[middle] + old_b[middle] - owner < partner)
            low = middle + 1u;
        else
            high = middle;
    }
    const bool there = low < old_offsets[owner + 1u] && old_a[low] == a && old_b[low] == b;
    return there ? low : kNone;
}

void main() {
    const uint p = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || p >= status.pairs) return;
    const vec4 head = manifolds[kPlaneNormal * push.capacity + p];
    const uint count = floatBitsToUint(head.w);
    uint old = kNone, old_count = 0u;
    vec4 old_head = vec4(0.0);
    if (count > 0u) old = find_old(pair_a[p], pair_b[p]);
    if (old != kNone) {
        old_head = old_manifolds[kPlaneNormal * push.capacity + old];
        old_count = floatBitsToUint(old_head.w);
    }
    colours[p] = old_count > 0u ? old_colours[old] : kNone;
    if (count == 0u) return;

    vec3 t1, t2, old_t1 = vec3(0.0), old_t2 = vec3(0.0);
    make_tangents(head.xyz, t1, t2);
    if (old_count > 0u) make_tangents(old_head.xyz, old_t1, old_t2);
    // Which old point each new one takes; four bits say which of the old ones are taken.
    uvec4 from = uvec4(kNone);
    uint taken = 0u;
    for (uint i = 0u; i < count; ++i) {
        const uint feature = lambda[i * push.capacity + p].w;
        for (uint k = 0u; k < old_count && from[i] == kNone; ++k)
            if ((taken & 1u << k) == 0u && old_lambda[k * push.capacity + old].w == feature) {
                from[i] = k;
                taken |= 1u << k;
            }
    }
    // The rest by their positions about the centre of b.
    const float near = kMatchPart * min(shapes[colliders[pair_a[p]].refs.y].more.y,
                                        shapes[colliders[pair_b[p]].refs.y].more.y);
    for (uint i = 0u; i < count && bitCount(taken) < old_count; ++i) {
        if (from[i] != kNone) continue;
        const vec3 arm = points[i * push.capacity + p].xyz + manifolds[kPlaneShift * push.capacity + p].xyz;
        const vec3 old_shift = old_manifolds[kPlaneShift * push.capacity + old].xyz;
        float nearest = near * near;
        for (uint k = 0u; k < old_count; ++k) {
            if ((taken & 1u << k) != 0u) continue;
            const vec3 d = old_points[k * push.capacity + old].xyz + old_shift - arm;
            if (dot(d, d) < nearest) {
                nearest = dot(d, d);
                from[i] = k;
            }
        }
        if (from[i] != kNone) taken |= 1u << from[i];
    }
    for (uint i = 0u; i < count; ++i) {
        vec3 impulse = vec3(0.0);
        if (from[i] != kNone) {
            const vec3 l = uintBitsToFloat(old_lambda[from[i] * push.capacity + old].xyz);
            const vec3 tangent = old_t1 * l.y + old_t2 * l.z;
            impulse = vec3(l.x, dot(tangent, t1), dot(tangent, t2));
        }
        lambda[i * push.capacity + p].xyz = floatBitsToUint(impulse);
    }
}
