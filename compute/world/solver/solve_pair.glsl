// SPDX-License-Identifier: MIT
// Two bodies whose velocities an invocation has for itself while it solves their manifold. The kernel brings along
// `velocity`, since one of them shares it within a workgroup.
layout(std430, binding = kMass) readonly buffer MassBlock { vec4 mass[]; };

struct Masses {
    vec4 a0, a1, b0, b1;
};
Masses load_masses(Frame f) {
    return Masses(mass[2 * f.a], mass[2 * f.a + 1], mass[2 * f.b], mass[2 * f.b + 1]);
}
Motion load_velocity(Frame f, uint plane) {
    const uint a = 2 * (plane * push.bodies + f.a), b = 2 * (plane * push.bodies + f.b);
    return Motion(velocity[a].xyz, velocity[a + 1].xyz, velocity[b].xyz, velocity[b + 1].xyz);
}
/// Bodies that contacts cannot move are shared by all: never written.
void store_velocity(Frame f, Masses m, Motion v) {
    const uint a = 2 * f.a, b = 2 * f.b;
    if (m.a1.z > 0.0) {
        velocity[a] = vec4(v.linear_a, 0.0);
        velocity[a + 1] = vec4(v.angular_a, 0.0);
    }
    if (m.b1.z > 0.0) {
        velocity[b] = vec4(v.linear_b, 0.0);
        velocity[b + 1] = vec4(v.angular_b, 0.0);
    }
}

/// u += M^-1 J^T l: b gets the impulse, a its opposite.
void apply(inout Motion v, Masses m, vec3 arm_a, vec3 arm_b, vec3 impulse) {
    v.linear_a -= impulse * m.a1.z;
    v.angular_a -= turn(m.a0, m.a1.xy, cross(arm_a, impulse));
    v.linear_b += impulse * m.b1.z;
    v.angular_b += turn(m.b0, m.b1.xy, cross(arm_b, impulse));
}

/// One body's part of W = J M^-1 J^T at a point: (nn, t1 t1, t1 t2, t2 t2).
vec4 block_of(Frame f, vec3 arm, vec4 m0, vec4 m1) {
    const vec3 rn = cross(arm, f.normal), r1 = cross(arm, f.tangent1), r2 = cross(arm, f.tangent2);
    const vec3 i1 = turn(m0, m1.xy, r1), i2 = turn(m0, m1.xy, r2);
    return vec4(m1.z, m1.z, 0.0, m1.z) +
           vec4(dot(rn, turn(m0, m1.xy, rn)), dot(r1, i1), dot(r1, i2), dot(r2, i2));
}
float tangent_step(vec4 w) { return step_of(largest_eigenvalue(w.y, w.z, w.w)); }
