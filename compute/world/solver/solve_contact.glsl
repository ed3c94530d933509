// SPDX-License-Identifier: MIT
// A manifold as sweeps see it: its frame and the lever arms of the middle c of its points as the bodies are now, the
// points about c, and the bodies at both ends.
layout(std430, binding = kFrames) buffer FramesBlock { vec4 frames[]; };
layout(std430, binding = kArms) readonly buffer ArmsBlock { vec4 arms[]; };
layout(std430, binding = kBlocks) buffer BlocksBlock { vec4 blocks[]; };

struct Frame {
    vec3 normal, tangent1, tangent2;
    vec3 arm_a, arm_b;  // from the centres of mass to c
    float friction, restitution, max_push, push;
    uint points, a, b, pair;
    uint surface;     // kFrameOnB, kRollsA, kRollsB
    bool immovable;   // one of the two bodies
    bool may_impact;
};

Frame load_frame(uint slot) {
    const vec4 f0 = frames[slot], f1 = frames[kFrameTangent * push.pairs + slot],
               f2 = frames[kFrameArmA * push.pairs + slot], f3 = frames[kFrameArmB * push.pairs + slot],
               f4 = frames[kFrameBodies * push.pairs + slot];
    Frame f;
    f.normal = f0.xyz;
    f.tangent1 = f1.xyz;
    f.tangent2 = cross(f0.xyz, f1.xyz);
    f.arm_a = f2.xyz;
    f.arm_b = f3.xyz;
    f.friction = f0.w;
    f.restitution = f4.z;
    f.max_push = f2.w;
    f.push = f3.w;
    const uint word = floatBitsToUint(f1.w);
    f.points = word & 255u;
    f.immovable = (word & kAgainstImmovable) != 0u;
    f.may_impact = (word & kMayImpact) != 0u;
    f.surface = word >> kSurfaceShift;
    f.a = floatBitsToUint(f4.x);
    f.b = floatBitsToUint(f4.y);
    f.pair = floatBitsToUint(f4.w);
    return f;
}
bool rolls(Frame f) { return (f.surface & (kRollsA | kRollsB)) != 0u; }

/// From c to a point, in the world.
vec3 offset_of(Frame f, uint slot, uint k) {
    const vec3 at = arms[k * push.pairs + slot].xyz;
    return f.tangent1 * at.x + f.tangent2 * at.y + f.normal * at.z;
}

/// Velocities of the two bodies, or their small displacements.
struct Motion {
    vec3 linear_a, angular_a, linear_b, angular_b;
};
/// Of b seen from a, at a point.
vec3 relative(Motion m, vec3 arm_a, vec3 arm_b) {
    return m.linear_b + cross(m.angular_b, arm_b) - m.linear_a - cross(m.angular_a, arm_a);
}
