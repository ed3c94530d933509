// SPDX-License-Identifier: MIT
// The motion that friction acts against is that of b seen from a over the whole sub-step, not the velocity at its
// start: physics/docs/step.md, "Contact geometry belongs to the bodies".
layout(std430, binding = kFree) readonly buffer FreeBlock { vec4 free_velocity[]; };

/// What a point at `arm` moves in a sub-step beyond its velocity times h, as a velocity: turns are no straight lines.
/// ((exp(h [w]x) - 1) arm - h w x arm) / h, up to the fourth order.
vec3 chord_of(vec3 w, vec3 arm) {
    const vec3 once = cross(w, arm), twice = cross(w, once);
    const float angle2 = dot(w, w) * push.h * push.h;
    return twice * (push.h * (0.5 - angle2 / 24.0)) - once * (angle2 / 6.0);
}

/// What the slip along the tangents has beside the velocity of c: chords, unless something rolls; and the velocity of
/// kinematic bodies grows evenly over a step (physics/solve/integrate.h).
vec2 more_slip(Frame f, Masses m, Motion v) {
    const float kMinAngle2 = 1e-10, kMaxAngle2 = 1.0;  // a chord of 1e-8 arms; where the series is good
    vec3 more = vec3(0.0);
    const float angle2 =
        max(dot(v.angular_a, v.angular_a), dot(v.angular_b, v.angular_b)) * push.h * push.h;
    if (angle2 > kMinAngle2 && angle2 < kMaxAngle2 && !rolls(f))
        more = chord_of(v.angular_b, f.arm_b) - chord_of(v.angular_a, f.arm_a);
    if (f.immovable) {
        Motion grows = Motion(vec3(0.0), vec3(0.0), vec3(0.0), vec3(0.0));
        if ((floatBitsToUint(m.a1.w) & kKinematic) != 0u) {
            grows.linear_a = free_velocity[2 * f.a].xyz;
            grows.angular_a = free_velocity[2 * f.a + 1].xyz;
        }
        if ((floatBitsToUint(m.b1.w) & kKinematic) != 0u) {
            grows.linear_b = free_velocity[2 * f.b].xyz;
            grows.angular_b = free_velocity[2 * f.b + 1].xyz;
        }
        more += push.ramp * relative(grows, f.arm_a, f.arm_b);
    }
    return vec2(dot(f.tangent1, more), dot(f.tangent2, more));
}
