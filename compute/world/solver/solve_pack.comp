// SPDX-License-Identifier: MIT
// One invocation a pair: its manifold into the slot where sweeps find it, sorted by group and in it by pair, with
// the blocks of W, the warm start as impulses in the world, and entries for its bodies.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInManifolds) readonly buffer ManifoldsBlock { vec4 manifolds[]; };
layout(std430, binding = kInPoints) readonly buffer PointsBlock { vec4 points[]; };
layout(std430, binding = kInLambda) readonly buffer LambdaBlock { vec4 lambda[]; };
layout(std430, binding = kInArguments) writeonly buffer ArgumentsBlock { uvec4 arguments[]; };
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

#include "compute/world/solver/solve_blocks.glsl"

shared uint key_of[kWorkgroup];
shared uint first_of[kGroups];

/// How many there are before this one among those of its block with the same key.
uint rank_of(uint key) {
    uint rank = 0u;
    for (uint k = 0u; k < gl_LocalInvocationID.x; ++k) rank += key_of[k] == key ? 1u : 0u;
    return rank;
}

/// What the dispatches that follow need to know.
void publish() {
    uint all = 0u;
    for (uint g = 0u; g < kGroups; ++g) {
        const uint total = state[kStateTotal + g];
        state[kStateFirst + g] = all;
        arguments[kArgsSolver + g] = uvec4(groups_of(total), 1u, 1u, 0u);
        all += total;
    }
    const uint coloured = (push.flags & kDoAllApart) != 0u ? 0u : all - state[kStateTotal + kGroupApart];
    state[kStateApart] = all - coloured;
    state[kStateApartFirst] = coloured;
    const uint body_groups = all > coloured ? groups_of(push.bodies) : 0u;
    arguments[kArgsSolver + kArgsApart] = uvec4(groups_of(all - coloured), 1u, 1u, 0u);
    arguments[kArgsSolver + kArgsApartBodies] = uvec4(body_groups, 1u, 1u, 0u);
    arguments[kArgsManifolds] = uvec4(groups_of(all), 1u, 1u, 0u);
}

void add_entry(uint body, uint entry) {
    if ((floatBitsToUint(mass[2 * body + 1].w) & kDynamic) == 0u) return;
    const uint place = atomicAdd(words[kWordCursor * push.bodies + body], 1u);
    entries[words[kWordBegin * push.bodies + body] + place] = entry;
}

void pack(uint p, uint slot, bool apart) {
    const uint n = push.pairs;
    const vec4 f0 = manifolds[p], f1 = manifolds[kPlaneShift * n + p], f2 = manifolds[kPlaneBodies * n + p];
    const uint a = floatBitsToUint(f2.x), b = floatBitsToUint(f2.y), count = floatBitsToUint(f0.w);
    const vec4 a0 = mass[2 * a], a1 = mass[2 * a + 1], b0 = mass[2 * b], b1 = mass[2 * b + 1];
    const bool immovable = a1.z == 0.0 || b1.z == 0.0;
    frames[slot] = vec4(f0.xyz, f1.w);
    frames[n + slot] = vec4(f1.xyz, uintBitsToFloat(count | (immovable ? kAgainstImmovable : 0u)));
    frames[2 * n + slot] = vec4(f2.xyz, uintBitsToFloat(p));
    add_entry(a, 2u * slot);
    add_entry(b, 2u * slot + 1u);

    const float points_a = float(words[kWordApartPoints * push.bodies + a]);
    const float points_b = float(words[kWordApartPoints * push.bodies + b]);
    const vec3 normal = f0.xyz;
    vec3 tangent1, tangent2;
    make_tangents(normal, tangent1, tangent2);
    vec4 l_n = vec4(0.0), l_1 = vec4(0.0), l_2 = vec4(0.0);
    vec4 w_nn = vec4(0.0), step_t = vec4(0.0), bound = vec4(0.0);
    vec3 sum = vec3(0.0), moment = vec3(0.0);
    for (uint k = 0u; k < count; ++k) {
        const vec4 arm = points[k * n + p];
        arms[k * n + slot] = arm;
        const Block wa = block_of(normal, tangent1, tangent2, arm.xyz, a0, a1);
        const Block wb = block_of(normal, tangent1, tangent2, arm.xyz + f1.xyz, b0, b1);
        w_nn[k] = wa.diagonal.x + wb.diagonal.x;
        step_t[k] = step_of(largest_eigenvalue(wa.diagonal.y + wb.diagonal.y, wa.rest.z + wb.rest.z,
                                               wa.diagonal.z + wb.diagonal.z));
        if (apart)
            bound[k] = largest_eigenvalue3(points_a * wa.diagonal + points_b * wb.diagonal,
                                           points_a * wa.rest + points_b * wb.rest);
        vec3 l = push.warm_scale * lambda[k * n + p].xyz;
        if (!is_finite(l)) l = vec3(0.0);
        l_n[k] = l.x;
        l_1[k] = l.y;
        l_2[k] = l.z;
        const vec3 impulse = normal * l.x + tangent1 * l.y + tangent2 * l.z;
        sum += impulse;
        moment += cross(arm.xyz, impulse);
    }
    impulses[slot] = l_n;
    impulses[n + slot] = l_1;
    impulses[2 * n + slot] = l_2;
    blocks[slot] = w_nn;
    blocks[n + slot] = step_t;
    blocks[2 * n + slot] = bound;
    changes[slot] = vec4(sum, 0.0);
    changes[n + slot] = vec4(moment, 0.0);
    changes[2 * n + slot] = vec4(moment + cross(f1.xyz, sum), 0.0);
}

void main() {
    if (status.stopped != 0u) return;
    const uint p = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    const uint key = p < status.pairs ? keys[p] : kNone;
    key_of[local] = key;
    for (uint g = local; g < kGroups; g += kWorkgroup) {
        uint before = 0u;
        for (uint other = 0u; other < g; ++other) before += state[kStateTotal + other];
        first_of[g] = before;
    }
    barrier();
    if (p == 0u) publish();
    if (key == kNone) return;
    pack(p, first_of[key] + counts[key * push.blocks + gl_WorkGroupID.x] + rank_of(key),
         key == kGroupApart || (push.flags & kDoAllApart) != 0u);
}
