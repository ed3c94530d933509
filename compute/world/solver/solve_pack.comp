// SPDX-License-Identifier: MIT
// One invocation a pair: its manifold into the slot where sweeps find it, sorted by group and in it by pair, and
// entries for its bodies. A manifold is looked at from the middle c of its points.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInBodies) readonly buffer BodiesBlock { WorldBody bodies[]; };
layout(std430, binding = kInManifolds) readonly buffer ManifoldsBlock { vec4 manifolds[]; };
layout(std430, binding = kInPoints) readonly buffer PointsBlock { vec4 points[]; };
layout(std430, binding = kInLambda) readonly buffer LambdaBlock { vec4 lambda[]; };
layout(std430, binding = kMass) readonly buffer MassBlock { vec4 mass[]; };
layout(std430, binding = kVelocity) readonly buffer VelocityBlock { vec4 velocity[]; };
layout(std430, binding = kBodyWords) buffer BodyWordsBlock { uint words[]; };
layout(std430, binding = kEntries) writeonly buffer EntriesBlock { uint entries[]; };
layout(std430, binding = kKeys) readonly buffer KeysBlock { uint keys[]; };
layout(std430, binding = kCounts) readonly buffer CountsBlock { uint counts[]; };
layout(std430, binding = kFrames) writeonly buffer FramesBlock { vec4 frames[]; };
layout(std430, binding = kArms) writeonly buffer ArmsBlock { vec4 arms[]; };
layout(std430, binding = kImpulses) writeonly buffer ImpulsesBlock { vec4 impulses[]; };

// An overlap that is no matter of sag: driven apart, it leaves velocities that one sweep does not take back.
const float kDeep = 0.005;  // m, of bodies of a metre

shared uint with_key[kSortKeys][kWorkgroup / 32u];  // bits: which invocations

/// The fastest that an overlap is driven apart: speeds under gravity grow with the root of lengths (physics/scale.h).
float max_push(uint a, uint b, bool moves_a, bool moves_b) {
    const float radius_a = bodies[a].before0.w, radius_b = bodies[b].before0.w;
    const float radius = moves_a && moves_b ? min(radius_a, radius_b) : (moves_a ? radius_a : radius_b);
    return push.max_push_speed * sqrt(radius * 1.1547005);
}

/// Whether a point closes fast, and may touch in this step.
bool closes(vec3 normal, vec3 arm_a, vec3 arm_b, uint a, uint b, float gap) {
    const vec3 u = velocity[2 * b].xyz + cross(velocity[2 * b + 1].xyz, arm_b) - velocity[2 * a].xyz -
                   cross(velocity[2 * a + 1].xyz, arm_a);
    const float speed = -dot(normal, u);
    return speed > push.fast && gap < 1.5 * push.dt * speed;
}

void add_entry(uint body, uint entry) {
    if ((floatBitsToUint(mass[2 * body + 1].w) & kDynamic) == 0u) return;
    const uint index = atomicAdd(words[kWordCursor * push.bodies + body], 1u);
    entries[words[kWordBegin * push.bodies + body] + index] = entry;
}

void pack(uint p, uint slot) {
    const uint n = push.pairs;
    const vec4 f0 = manifolds[p], f1 = manifolds[kPlaneShift * n + p], f2 = manifolds[kPlaneBodies * n + p];
    const uint a = floatBitsToUint(f2.x), b = floatBitsToUint(f2.y), count = floatBitsToUint(f0.w);
    const bool moves_a = mass[2 * a + 1].z > 0.0, moves_b = mass[2 * b + 1].z > 0.0;
    vec3 middle = vec3(0.0), tangent1, tangent2;
    for (uint k = 0u; k < count; ++k) middle += points[k * n + p].xyz;
    middle /= float(count);
    const vec3 normal = f0.xyz, shift = f1.xyz;
    make_tangents(normal, tangent1, tangent2);
    const float fastest = max_push(a, b, moves_a, moves_b), scale = fastest / push.max_push_speed;
    bool may_impact = f2.z > 0.0, deep = false;
    if (may_impact) atomicOr(state[kStateElastic], 1u);
    for (uint k = 0u; k < count; ++k) {
        const vec4 point = points[k * n + p];
        const vec3 offset = point.xyz - middle;
        arms[k * n + slot] = vec4(dot(tangent1, offset), dot(tangent2, offset), dot(normal, offset), point.w);
        vec3 l = push.warm_scale * lambda[k * n + p].xyz;
        if (!is_finite(l)) l = vec3(0.0);
        impulses[k * n + slot] = vec4(l, 0.0);
        deep = deep || -point.w > kDeep * scale * scale;
        may_impact = may_impact || push.fast < 0.0 || closes(normal, point.xyz, point.xyz + shift, a, b, point.w);
    }
    if (deep) atomicOr(state[kStateDeep], 1u);
    const uint word = count | (moves_a && moves_b ? 0u : kAgainstImmovable) | (may_impact ? kMayImpact : 0u) |
                      floatBitsToUint(f2.w) << kSurfaceShift;
    frames[slot] = vec4(normal, f1.w);
    frames[kFrameTangent * n + slot] = vec4(tangent1, uintBitsToFloat(word));
    frames[kFrameArmA * n + slot] = vec4(middle, fastest);
    frames[kFrameArmB * n + slot] = vec4(middle + shift, 0.0);
    frames[kFrameBodies * n + slot] = vec4(f2.xyz, uintBitsToFloat(p));
    frames[kStartNormal * n + slot] = vec4(normal, 0.0);
    frames[kStartArmA * n + slot] = vec4(middle, 0.0);
    frames[kStartArmB * n + slot] = vec4(middle + shift, 0.0);
    add_entry(a, 2u * slot);
    add_entry(b, 2u * slot + 1u);
}

void main() {
    if (status.stopped != 0u) return;
    const uint p = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    for (uint k = local; k < kSortKeys; k += kWorkgroup)
        for (uint w = 0u; w < kWorkgroup / 32u; ++w) with_key[k][w] = 0u;
    barrier();
    const uint key = p < status.pairs ? keys[p] : kNone, word = local / 32u;
    if (key != kNone) atomicOr(with_key[key][word], 1u << (local % 32u));
    barrier();
    if (key == kNone) return;
    // The rank among those of the block with the same key keeps the order of pairs.
    uint rank = bitCount(with_key[key][word] & ((1u << (local % 32u)) - 1u));
    for (uint w = 0u; w < word; ++w) rank += bitCount(with_key[key][w]);
    pack(p, state[kStateKeyFirst + key] + counts[key * push.blocks + gl_WorkGroupID.x] + rank);
}
