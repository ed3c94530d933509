// SPDX-License-Identifier: MIT
// A Gauss-Seidel pass over the points of one group, in the order of physics/solvers/group_sweep.h, on the velocities
// of its two bodies. The impulses stand in plane `to` of lambda, where the pass changes them. Needs friction.glsl,
// ruler.glsl, kIsBlocked, and the buffers frames, steps, blocks, lambda.

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

void pass_group(inout Pair p, uint begin, uint end, uint to, float scale) {
    const uint n = push.contacts;
    // Normals, friction, normals; a single point has its friction, then its normal.
    for (uint phase = end - begin > 1u ? 0u : 1u; phase < 3u; ++phase) {
        for (uint i = begin; i < end; ++i) {
            const vec4 normal = frames[i], t1 = frames[n + i], t2 = frames[2 * n + i], step_ = steps[i];
            const vec3 arm_a = frames[3 * n + i].xyz, arm_b = frames[4 * n + i].xyz;
            const vec3 v = p.linear_b + cross(p.angular_b, arm_b) - p.linear_a - cross(p.angular_a, arm_a);
            const vec3 l = lambda[to * n + i].xyz;
            vec3 next = l;
            if (phase == 1u) {
                const vec2 vt = vec2(dot(t1.xyz, v), dot(t2.xyz, v));
                if (step_.y > 0.0) {
                    if (kIsBlocked && !kIsBox)
                        next.yz = solve_disk(blocks[i].xyz / scale, l.yz, vt, normal.w * l.x);
                    else
                        next.yz = project(l.yz - (scale * step_.y) * vt, normal.w * l.x);
                }
            } else if (step_.x > 0.0) {
                const float free = l.x - scale * step_.x * (dot(normal.xyz, v) + t1.w + t2.w * l.x);
                next.x = free > 0.0 ? free : 0.0;
            }
            const vec3 change = next - l;
            if (change == vec3(0.0)) continue;
            give(p, arm_a, arm_b, normal.xyz * change.x + t1.xyz * change.y + t2.xyz * change.z);
            lambda[to * n + i] = vec4(next, 0.0);
        }
    }
}
