// SPDX-License-Identifier: MIT
// Per contact with extra friction, once in a solve: blocks of its rows with each body's mass split among its
// contacts and, since a matrix is at most as many times its block diagonal as it has blocks, times their number.
#version 460
#include "compute/shaders/common.glsl"
#include "compute/shaders/friction.glsl"
#include "compute/shaders/extra.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kFrames) readonly buffer Frames { vec4 frames[]; };
layout(std430, binding = kMass) readonly buffer Mass { vec4 mass[]; };
layout(std430, binding = kOffsets) readonly buffer Offsets { uint offsets[]; };
layout(std430, binding = kExtra) readonly buffer Extra { vec4 extra[]; };
layout(std430, binding = kExtraBlocks) writeonly buffer ExtraBlocks { vec4 extra_blocks[]; };
layout(std430, binding = kSpin) readonly buffer Spin { vec4 spin[]; };
layout(std430, binding = kMoment) writeonly buffer Moment { vec4 moment[]; };

void main() {
    const uint i = gl_GlobalInvocationID.x, n = push.contacts;
    if (i >= n) return;
    const vec4 x = extra[i];
    if (!(x.w > 0.0)) {
        moment[i] = vec4(0.0);
        return;
    }
    const vec3 normal = frames[i].xyz, t1 = frames[n + i].xyz, t2 = frames[2 * n + i].xyz;
    const vec3 torsion = normal * x.y, roll1 = t1 * x.z, roll2 = t2 * x.z;
    const vec3 l = spin[i].xyz;
    moment[i] = vec4(torsion * l.x + roll1 * l.y + roll2 * l.z, 0.0);
    const float blocks = x.z > 0.0 ? 3.0 : 2.0;
    float bound_n = 0.0;
    Symmetric split = Symmetric(vec3(0.0), vec3(0.0)), plain = split;  // tangents and torsion
    vec3 roll_split = vec3(0.0), roll_plain = vec3(0.0);
    for (uint side = 0u; side < 2u; ++side) {
        const vec4 arm = frames[(kPlaneArmA + side) * n + i];
        const uint body = floatBitsToUint(arm.w);
        const vec4 m0 = mass[2 * body], m1 = mass[2 * body + 1];
        const float share = blocks * float(offsets[body + 1] - offsets[body]);
        const vec3 about = cross(arm.xyz, normal), r1 = cross(arm.xyz, t1), r2 = cross(arm.xyz, t2);
        const vec3 i1 = turn(m0, m1, r1), i2 = turn(m0, m1, r2), is = turn(m0, m1, torsion);
        const vec3 diagonal = vec3(m1.z + dot(r1, i1), m1.z + dot(r2, i2), dot(torsion, is));
        const vec3 rest = vec3(dot(r1, i2), dot(r1, is), dot(r2, is));
        const vec3 ir1 = turn(m0, m1, roll1), ir2 = turn(m0, m1, roll2);
        const vec3 roll = vec3(dot(roll1, ir1), dot(roll1, ir2), dot(roll2, ir2));
        bound_n += share * (m1.z + dot(about, turn(m0, m1, about)));
        split.diagonal += share * diagonal;
        split.rest += share * rest;
        plain.diagonal += diagonal;
        plain.rest += rest;
        roll_split += share * roll;
        roll_plain += roll;
    }
    make_diagonal(plain);
    const float most = max(0.0, max(plain.diagonal.x, max(plain.diagonal.y, plain.diagonal.z)));
    const float max_roll = largest_eigenvalue(roll_plain.x, roll_plain.y, roll_plain.z);
    extra_blocks[3 * i] = vec4(split.diagonal, bound_n);
    extra_blocks[3 * i + 1] = vec4(split.rest, most);
    extra_blocks[3 * i + 2] = vec4(roll_split, max_roll);
}
