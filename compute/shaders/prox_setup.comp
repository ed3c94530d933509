// SPDX-License-Identifier: MIT
// Per contact, once in a solve: blocks of W, step lengths, and the impulse of the warm start in the world.
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "compute/shaders/common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kFrames) readonly buffer Frames { vec4 frames[]; };
layout(std430, binding = kSteps) writeonly buffer Steps { vec4 steps[]; };
layout(std430, binding = kBlocks) writeonly buffer Blocks { vec4 blocks[]; };
layout(std430, binding = kLambda) readonly buffer Lambda { vec4 lambda[]; };
layout(std430, binding = kImpulse) writeonly buffer Impulse { vec4 impulse[]; };
layout(std430, binding = kMass) readonly buffer Mass { vec4 mass[]; };
layout(std430, binding = kOffsets) readonly buffer Offsets { uint offsets[]; };
layout(std430, binding = kMeasure) buffer Measure { uint measure[]; };
layout(std430, binding = kVector) writeonly buffer Vector { vec4 vector[]; };

/// J M^-1 J^T of one body and the three rows of a contact: diagonal, and (xy, xz, yz).
struct Block {
    vec3 diagonal, rest;
};
Block block_of(vec3 n, vec3 t1, vec3 t2, vec3 arm, uint body) {
    const vec4 m0 = mass[2 * body], m1 = mass[2 * body + 1];
    const vec3 rn = cross(arm, n), r1 = cross(arm, t1), r2 = cross(arm, t2);
    const vec3 in_ = turn(m0, m1, rn), i1 = turn(m0, m1, r1), i2 = turn(m0, m1, r2);
    return Block(m1.z * vec3(dot(n, n), dot(t1, t1), dot(t2, t2)) + vec3(dot(rn, in_), dot(r1, i1), dot(r2, i2)),
                 m1.z * vec3(dot(n, t1), dot(n, t2), dot(t1, t2)) + vec3(dot(rn, i1), dot(rn, i2), dot(r1, i2)));
}

/// One rotation that makes a_ij vanish; k is the third axis.
void rotate(inout float aii, inout float ajj, inout float aij, inout float aki, inout float akj) {
    if (!(abs(aij) > 1e-12 * (abs(aii) + abs(ajj)))) return;
    const float theta = 0.5 * (ajj - aii) / aij;
    const float t = (theta >= 0.0 ? 1.0 : -1.0) / (abs(theta) + sqrt(theta * theta + 1.0));
    const float c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    aii -= t * aij;
    ajj += t * aij;
    aij = 0.0;
    const float ki = aki, kj = akj;
    aki = c * ki - s * kj;
    akj = s * ki + c * kj;
}

/// lambda_max of a symmetric matrix by Jacobi's rotations: to the last bits in float, where Newton on the
/// characteristic polynomial would lose half of them at double roots.
float largest_eigenvalue3(vec3 d, vec3 r) {
    for (int k = 0; k < 5; ++k) {
        rotate(d.x, d.y, r.x, r.y, r.z);
        rotate(d.x, d.z, r.y, r.x, r.z);
        rotate(d.y, d.z, r.z, r.x, r.y);
    }
    return max(0.0, max(d.x, max(d.y, d.z)));
}

void main() {
    const uint i = gl_GlobalInvocationID.x, n = push.contacts;
    float largest = 0.0;
    if (i < n) {
        const vec4 normal = frames[i], t1 = frames[n + i], t2 = frames[2 * n + i];
        const vec4 arm_a = frames[3 * n + i], arm_b = frames[4 * n + i];
        const uint a = floatBitsToUint(arm_a.w), b = floatBitsToUint(arm_b.w);
        const Block wa = block_of(normal.xyz, t1.xyz, t2.xyz, arm_a.xyz, a);
        const Block wb = block_of(normal.xyz, t1.xyz, t2.xyz, arm_b.xyz, b);
        const float compliance = t2.w;
        const float wn = wa.diagonal.x + wb.diagonal.x;
        const vec3 wt = vec3(wa.diagonal.y + wb.diagonal.y, wa.rest.z + wb.rest.z, wa.diagonal.z + wb.diagonal.z);
        const float max_t = largest_eigenvalue(wt.x, wt.y, wt.z);
        largest = max(wn + compliance, max_t);

        // Each body's mass is split among its contacts: W <= blockdiag(d I), so that 1/d is a safe step.
        float dn = 1.0, dt = 1.0, stretch = 1.0;
        if (push.strategy != kGlobal) {
            const bool is_whole = push.strategy == kSweeps || push.strategy == kSweepsBlocked;
            const float na = is_whole ? 1.0 : float(offsets[a + 1] - offsets[a]);
            const float nb = is_whole ? 1.0 : float(offsets[b + 1] - offsets[b]);
            const float bound = largest_eigenvalue3(na * wa.diagonal + nb * wb.diagonal, na * wa.rest + nb * wb.rest);
            if (is_whole || push.strategy == kManifolds) {
                dn = na * wa.diagonal.x + nb * wb.diagonal.x + compliance;
                dt = largest_eigenvalue(na * wa.diagonal.y + nb * wb.diagonal.y, na * wa.rest.z + nb * wb.rest.z,
                                        na * wa.diagonal.z + nb * wb.diagonal.z);
            } else if (push.strategy == kLocal) {
                dn = bound + compliance;
                dt = bound;
            } else {
                stretch = max(1.0, bound * step_of(max(wn, max_t)));
                dn = stretch * wn + compliance;
                dt = stretch * max_t;
            }
        }
        steps[i] = vec4(wn > 1e-30 ? step_of(dn) : 0.0, max_t > 1e-30 ? step_of(dt) : 0.0, wn + compliance, max_t);
        if (push.strategy == kBlocked || push.strategy == kSweepsBlocked) blocks[i] = vec4(stretch * wt, 0.0);
        const vec4 l = lambda[i];
        if (push.strategy < kManifolds) impulse[i] = vec4(normal.xyz * l.x + t1.xyz * l.y + t2.xyz * l.z, 0.0);
        // A start that no symmetry of the scene makes orthogonal to the wanted vector.
        if (push.strategy == kGlobal)
            vector[i] = vec4(1.0 + 0.1 * float(i % 7u), 0.5 - 0.1 * float(i % 5u), 0.3 + 0.1 * float(i % 3u), 0.0);
    }
    largest = subgroupMax(largest);
    if (subgroupElect()) atomicMax(measure[2], floatBitsToUint(largest));
}
