// SPDX-License-Identifier: MIT
// One invocation a pair, when colours are given: the group it is solved in, and how many of each group there are
// in every block of pairs.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInManifolds) readonly buffer ManifoldsBlock { vec4 manifolds[]; };
layout(std430, binding = kInColours) readonly buffer ColoursBlock { uint colours[]; };
layout(std430, binding = kMass) readonly buffer MassBlock { vec4 mass[]; };
layout(std430, binding = kBodyWords) buffer BodyWordsBlock { uint words[]; };
layout(std430, binding = kKeys) buffer KeysBlock { uint keys[]; };
layout(std430, binding = kCounts) writeonly buffer CountsBlock { uint counts[]; };

shared uint in_block[kGroups];
shared uint used, uncoloured, all_points;

/// The bodies of a manifold of the group apart split their mass among its points.
void count_apart(uint body, uint points) {
    if ((floatBitsToUint(mass[2 * body + 1].w) & kDynamic) == 0u) return;
    atomicAdd(words[kWordApart * push.bodies + body], 1u);
    atomicAdd(words[kWordApartPoints * push.bodies + body], points);
}

void main() {
    if (status.stopped != 0u) return;
    const uint p = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    for (uint g = local; g < kGroups; g += kWorkgroup) in_block[g] = 0u;
    if (local == 0u) used = uncoloured = all_points = 0u;
    barrier();
    uint key = p < status.pairs ? keys[p] : kNone;
    if (key != kNone) {
        const uint colour = colours[p], points = floatBitsToUint(manifolds[p].w);
        if (push.colours > 0u) {
            if (colour < push.colours) key = colour;
            if (colour < kMostColours)
                atomicMax(used, colour + 1u);
            else
                atomicAdd(uncoloured, 1u);
        }
        keys[p] = key;
        atomicAdd(in_block[key], 1u);
        atomicAdd(all_points, points);
        if (key == kGroupApart || (push.flags & kDoAllApart) != 0u) {
            const vec4 ends = manifolds[kPlaneBodies * push.pairs + p];
            count_apart(floatBitsToUint(ends.x), points);
            count_apart(floatBitsToUint(ends.y), points);
        }
    }
    barrier();
    for (uint g = local; g < kGroups; g += kWorkgroup)
        counts[g * push.blocks + gl_WorkGroupID.x] = in_block[g];
    if (local != 0u || all_points == 0u) return;
    atomicMax(state[kStateColours], used);
    atomicAdd(state[kStateUncoloured], uncoloured);
    atomicAdd(state[kStatePoints], all_points);
}
