// SPDX-License-Identifier: MIT
// Shared by all kernels of the PROX solvers: constants, push constants and small geometry.
#include "compute/layout.h"

layout(push_constant) uniform PushBlock { Push push; };

/// Neither infinite nor not-a-number, by its bits: compilers may assume that comparisons see numbers only.
bool is_finite(float x) { return (floatBitsToUint(x) & 0x7F800000u) != 0x7F800000u; }

/// I^-1 v for the two vec4 of a body.
vec3 turn(vec4 m0, vec4 m1, vec3 v) {
    return vec3(m0.x * v.x + m0.w * v.y + m1.x * v.z, m0.w * v.x + m0.y * v.y + m1.y * v.z,
                m1.x * v.x + m1.y * v.y + m0.z * v.z);
}

/// 1/x, 0 for what is no denominator: contacts between bodies that cannot move get no steps.
float step_of(float x) { return x > 1e-30 ? 1.0 / x : 0.0; }

float largest_eigenvalue(float t11, float t12, float t22) {
    const float middle = 0.5 * (t11 + t22), half_gap = 0.5 * (t11 - t22);
    return max(0.0, middle + sqrt(half_gap * half_gap + t12 * t12));
}

/// As physics/solvers/momentum.h.
float momentum_after(uint sweeps) { return min(float(sweeps) / (float(sweeps) + 2.0), 0.9); }
