// SPDX-License-Identifier: MIT
// Shared by all kernels of the solver stage: layout, push constants and small algebra.
#include "compute/world/world.glsl"
#include "compute/world/solver/solve_layout.h"

layout(push_constant) uniform PushBlock { SolvePush push; };
layout(std430, binding = kInStatus) buffer StatusBlock { WorldStatus status; };
layout(std430, binding = kState) buffer StateBlock { uint state[]; };

/// 1/x, 0 for what is no denominator: contacts between bodies that cannot move get no steps.
float step_of(float x) { return x > 1e-30 ? 1.0 / x : 0.0; }

float largest_eigenvalue(float t11, float t12, float t22) {
    const float middle = 0.5 * (t11 + t22), half_gap = 0.5 * (t11 - t22);
    return max(0.0, middle + sqrt(half_gap * half_gap + t12 * t12));
}

vec2 project_disk(vec2 z, float radius) {
    if (!(radius > 0.0)) return vec2(0.0);
    const float squared = dot(z, z);
    return squared <= radius * radius ? z : z * (radius / sqrt(squared));
}

/// R T R^T of a symmetric tensor: its columns are T turned forth and back.
void turn_tensor(vec4 t0, vec2 t1, vec4 q, out vec4 m0, out vec2 m1) {
    const vec4 back = conjugate(q);
    const vec3 c0 = rotate(q, turn(t0, t1, rotate(back, vec3(1.0, 0.0, 0.0))));
    const vec3 c1 = rotate(q, turn(t0, t1, rotate(back, vec3(0.0, 1.0, 0.0))));
    const vec3 c2 = rotate(q, turn(t0, t1, rotate(back, vec3(0.0, 0.0, 1.0))));
    m0 = vec4(c0.x, c1.y, c2.z, c1.x);
    m1 = vec2(c2.x, c2.y);
}
