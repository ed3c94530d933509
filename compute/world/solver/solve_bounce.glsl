// SPDX-License-Identifier: MIT
// Which points of contact bounce.

/// Whether a point closes faster than the threshold, and within this sub-step.
bool bounces(Frame f, vec4 arm, float w_nn, Motion displaced, Motion v) {
    const float v_n = dot(f.normal, relative(v, arm.xyz, arm.xyz + f.shift));
    return w_nn > 0.0 && v_n < -push.restitution_speed && gap_of(f, arm, displaced) + push.h * v_n <= 0.0;
}
