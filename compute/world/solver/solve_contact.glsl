// SPDX-License-Identifier: MIT
// A manifold as sweeps see it: frame, points, and the bodies at both ends.
layout(std430, binding = kFrames) readonly buffer FramesBlock { vec4 frames[]; };
layout(std430, binding = kArms) readonly buffer ArmsBlock { vec4 arms[]; };
layout(std430, binding = kBlocks) readonly buffer BlocksBlock { vec4 blocks[]; };
layout(std430, binding = kMoved) readonly buffer MovedBlock { vec4 moved[]; };

struct Frame {
    vec3 normal, tangent1, tangent2, shift;
    float friction, restitution;
    uint points, a, b, pair;
    bool immovable;  // one of the two bodies
};

Frame load_frame(uint slot) {
    const vec4 f0 = frames[slot], f1 = frames[kFrameShift * push.pairs + slot],
               f2 = frames[kFrameBodies * push.pairs + slot];
    Frame f;
    f.normal = f0.xyz;
    make_tangents(f.normal, f.tangent1, f.tangent2);
    f.shift = f1.xyz;
    f.friction = f0.w;
    f.restitution = f2.z;
    const uint word = floatBitsToUint(f1.w);
    f.points = word & 255u;
    f.immovable = (word & kAgainstImmovable) != 0u;
    f.a = floatBitsToUint(f2.x);
    f.b = floatBitsToUint(f2.y);
    f.pair = floatBitsToUint(f2.w);
    return f;
}

/// Velocities of the two bodies, or their small displacements.
struct Motion {
    vec3 linear_a, angular_a, linear_b, angular_b;
};
Motion load_moved(Frame f) {
    return Motion(moved[2 * f.a].xyz, moved[2 * f.a + 1].xyz, moved[2 * f.b].xyz, moved[2 * f.b + 1].xyz);
}
/// Of b seen from a, at a point.
vec3 relative(Motion m, vec3 arm_a, vec3 arm_b) {
    return m.linear_b + cross(m.angular_b, arm_b) - m.linear_a - cross(m.angular_a, arm_a);
}

/// Gap of a point now: what it was, and what the bodies have moved since.
float gap_of(Frame f, vec4 arm, Motion displaced) {
    return arm.w + dot(f.normal, relative(displaced, arm.xyz, arm.xyz + f.shift));
}

/// Bias and compliance. An open gap may close, but no further: v_n >= -gap/h. Overlap is driven apart by a soft
/// contact where that is asked for.
vec2 law_of(Frame f, float gap, float w_nn) {
    if (gap > 0.0) return vec2(gap / push.h, 0.0);
    if ((push.flags & kDoPush) == 0u) return vec2(0.0);
    const float rate = f.immovable ? push.push_rate_immovable : push.push_rate;
    const float factor = f.immovable ? push.compliance_factor_immovable : push.compliance_factor;
    return vec2(max(rate * gap, -push.max_push_speed), factor * w_nn);
}
