// SPDX-License-Identifier: MIT
// One invocation a pair: its manifold into the slot where sweeps find it, sorted by group and in it by pair, with
// the blocks of W, the warm start as impulses in the world, and entries for its bodies.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInManifolds) readonly buffer ManifoldsBlock { vec4 manifolds[]; };
layout(std430, binding = kInPoints) readonly buffer PointsBlock { vec4 points[]; };
layout(std430, binding = kInLambda) readonly buffer LambdaBlock { vec4 lambda[]; };
layout(std430, binding = kMass) readonly buffer MassBlock { vec4 mass[]; };
layout(std430, binding = kBodyWords) buffer BodyWordsBlock { uint words[]; };
layout(std430, binding = kEntries) writeonly buffer EntriesBlock { uint entries[]; };
layout(std430, binding = kKeys) readonly buffer KeysBlock { uint keys[]; };
layout(std430, binding = kCounts) readonly buffer CountsBlock { uint counts[]; };
layout(std430, binding = kFrames) writeonly buffer FramesBlock { vec4 frames[]; };
layout(std430, binding = kArms) writeonly buffer ArmsBlock { vec4 arms[]; };
layout(std430, binding = kImpulses) writeonly buffer ImpulsesBlock { vec4 impulses[]; };
layout(std430, binding = kBlocks) writeonly buffer BlocksBlock { vec4 blocks[]; };
layout(std430, binding = kChanges) writeonly buffer ChangesBlock { vec4 changes[]; };

shared uint with_key[kSortKeys][kWorkgroup / 32u];  // bits: which invocations

/// One body's part of W = J M^-1 J^T at a point: (nn, t1 t1, t1 t2, t2 t2).
vec4 block_of(vec3 n, vec3 t1, vec3 t2, vec3 arm, vec4 m0, vec4 m1) {
    const vec3 rn = cross(arm, n), r1 = cross(arm, t1), r2 = cross(arm, t2);
    const vec3 i1 = turn(m0, m1.xy, r1), i2 = turn(m0, m1.xy, r2);
    return m1.z * vec4(dot(n, n), dot(t1, t1), dot(t1, t2), dot(t2, t2)) +
           vec4(dot(rn, turn(m0, m1.xy, rn)), dot(r1, i1), dot(r1, i2), dot(r2, i2));
}
float tangent_step(vec4 w) { return step_of(largest_eigenvalue(w.y, w.z, w.w)); }

void add_entry(uint body, uint entry) {
    if ((floatBitsToUint(mass[2 * body + 1].w) & kDynamic) == 0u) return;
    const uint index = atomicAdd(words[kWordCursor * push.bodies + body], 1u);
    entries[words[kWordBegin * push.bodies + body] + index] = entry;
}

void pack(uint p, uint slot) {
    const uint n = push.pairs;
    const vec4 f0 = manifolds[p], f1 = manifolds[kPlaneShift * n + p], f2 = manifolds[kPlaneBodies * n + p];
    const uint a = floatBitsToUint(f2.x), b = floatBitsToUint(f2.y), count = floatBitsToUint(f0.w);
    const vec4 a0 = mass[2 * a], a1 = mass[2 * a + 1], b0 = mass[2 * b], b1 = mass[2 * b + 1];
    const bool immovable = a1.z == 0.0 || b1.z == 0.0;
    frames[slot] = vec4(f0.xyz, f1.w);
    frames[kFrameShift * n + slot] = vec4(f1.xyz, uintBitsToFloat(count | (immovable ? kAgainstImmovable : 0u)));
    frames[kFrameBodies * n + slot] = vec4(f2.xyz, uintBitsToFloat(p));
    add_entry(a, 2u * slot);
    add_entry(b, 2u * slot + 1u);

    const float copies_a = float(words[kWordJacobi * push.bodies + a]);
    const float copies_b = float(words[kWordJacobi * push.bodies + b]);
    const vec3 normal = f0.xyz;
    vec3 tangent1, tangent2;
    make_tangents(normal, tangent1, tangent2);
    vec3 sum = vec3(0.0), moment = vec3(0.0);
    for (uint k = 0u; k < count; ++k) {
        const vec4 arm = points[k * n + p];
        arms[k * n + slot] = arm;
        const vec4 wa = block_of(normal, tangent1, tangent2, arm.xyz, a0, a1);
        const vec4 wb = block_of(normal, tangent1, tangent2, arm.xyz + f1.xyz, b0, b1);
        const vec4 both = wa + wb, copied = copies_a * wa + copies_b * wb;
        blocks[k * n + slot] = vec4(both.x, tangent_step(both), copied.x, tangent_step(copied));
        vec3 l = push.warm_scale * lambda[k * n + p].xyz;
        if (!is_finite(l)) l = vec3(0.0);
        impulses[k * n + slot] = vec4(l, 0.0);
        const vec3 impulse = normal * l.x + tangent1 * l.y + tangent2 * l.z;
        sum += impulse;
        moment += cross(arm.xyz, impulse);
    }
    changes[slot] = vec4(sum, 0.0);
    changes[n + slot] = vec4(moment, 0.0);
    changes[2 * n + slot] = vec4(moment + cross(f1.xyz, sum), 0.0);
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
