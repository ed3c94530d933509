// SPDX-License-Identifier: MIT
// Small geometry that the kernels of a world share; the words of engine/core/math.h.
#include "compute/world/world_layout.h"

/// Neither infinite nor not-a-number, by its bits: compilers may assume that comparisons see numbers only.
bool is_finite(float x) { return (floatBitsToUint(x) & 0x7F800000u) != 0x7F800000u; }
bool is_finite(vec3 v) { return is_finite(v.x) && is_finite(v.y) && is_finite(v.z); }
bool is_finite(vec4 v) { return is_finite(v.xyz) && is_finite(v.w); }

/// v turned by a unit quaternion (x, y, z, w).
vec3 rotate(vec4 q, vec3 v) {
    const vec3 t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}
vec4 conjugate(vec4 q) { return vec4(-q.xyz, q.w); }
vec4 compose(vec4 a, vec4 b) {
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

/// (n, t1, t2) is right-handed; continuous except near n = +-x.
void make_tangents(vec3 n, out vec3 t1, out vec3 t2) {
    const vec3 axis = abs(n.x) < 0.57 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, 1.0);
    t1 = normalize(cross(n, axis));
    t2 = cross(n, t1);
}

/// m v for a symmetric tensor: xx yy zz xy, xz yz.
vec3 turn(vec4 m0, vec2 m1, vec3 v) {
    return vec3(m0.x * v.x + m0.w * v.y + m1.x * v.z, m0.w * v.x + m0.y * v.y + m1.y * v.z,
                m1.x * v.x + m1.y * v.y + m0.z * v.z);
}

uint groups_of(uint items) { return (items + kWorkgroup - 1u) / kWorkgroup; }
