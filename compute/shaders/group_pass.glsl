// SPDX-License-Identifier: MIT
// A Gauss-Seidel pass over the points of one group, in the order of physics/solvers/group_sweep.h, on the velocities
// of its two bodies. The impulses stand in plane `to` of lambda, where the pass changes them. Needs friction.glsl,
// residual.glsl, kIsBlocked, and the buffers frames, steps, blocks, lambda.

/// The two bodies: velocities, and inverse masses of what the group may move.
struct Pair {
    vec3 linear_a, angular_a, linear_b, angular_b;
    vec4 a0, a1, b0, b1;
};
void give(inout Pair p, vec3 arm_a, vec3 arm_b, vec3 push_) {
    p.linear_a -= p.a1.z * push_;
    p.angular_a -= turn(p.a0, p.a1, cross(arm_a, push_));
    p.linear_b += p.b1.z * push_;
    p.angular_b += turn(p.b0, p.b1, cross(arm_b, push_));
}

/// What a contact needs in every phase.
struct Row {
    vec4 normal, t1, t2, step_;
    vec3 arm_a, arm_b;
};
Row row_of(uint i) {
    const uint n = push.contacts;
    return Row(frames[i], frames[n + i], frames[2 * n + i], steps[i], frames[3 * n + i].xyz, frames[4 * n + i].xyz);
}
vec3 motion(Pair p, Row r) {
    return p.linear_b + cross(p.angular_b, r.arm_b) - p.linear_a - cross(p.angular_a, r.arm_a);
}

void relax_normals(inout Pair p, uint begin, uint end, uint to, float scale) {
    for (uint i = begin; i < end; ++i) {
        const Row r = row_of(i);
        const uint at = to * push.contacts + i;
        const vec4 l = lambda[at];
        const float free = l.x - scale * r.step_.x * (dot(r.normal.xyz, motion(p, r)) + r.t1.w + r.t2.w * l.x);
        const float next = r.step_.x > 0.0 ? (free > 0.0 ? free : 0.0) : l.x;
        give(p, r.arm_a, r.arm_b, r.normal.xyz * (next - l.x));
        lambda[at] = vec4(next, l.yzw);
    }
}

void relax_friction(inout Pair p, uint begin, uint end, uint to, float scale) {
    for (uint i = begin; i < end; ++i) {
        const Row r = row_of(i);
        const uint at = to * push.contacts + i;
        const vec4 l = lambda[at];
        const vec3 v = motion(p, r);
        const vec2 vt = vec2(dot(r.t1.xyz, v), dot(r.t2.xyz, v));
        vec2 next = l.yz;
        if (r.step_.y > 0.0) {
            if (kIsBlocked && !kIsBox)
                next = solve_disk(blocks[i].xyz / scale, l.yz, vt, r.normal.w * l.x);
            else
                next = project(l.yz - (scale * r.step_.y) * vt, r.normal.w * l.x);
        }
        give(p, r.arm_a, r.arm_b, r.t1.xyz * (next.x - l.y) + r.t2.xyz * (next.y - l.z));
        lambda[at] = vec4(l.x, next, 0.0);
    }
}

/// Normals, friction, normals; a single point has its friction, then its normal. Each phase is a loop of its own:
/// devices that run both sides of a branch then run no side for nothing.
void pass_group(inout Pair p, uint begin, uint end, uint to, float scale) {
    if (end - begin > 1u) relax_normals(p, begin, end, to, scale);
    relax_friction(p, begin, end, to, scale);
    relax_normals(p, begin, end, to, scale);
}
