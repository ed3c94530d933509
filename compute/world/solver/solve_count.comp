// SPDX-License-Identifier: MIT
// One invocation a pair, when colours are given: the group it is solved in, its key in the order of slots, and how
// many of each key there are in every block of pairs.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInManifolds) readonly buffer ManifoldsBlock { vec4 manifolds[]; };
layout(std430, binding = kInColours) readonly buffer ColoursBlock { uint colours[]; };
layout(std430, binding = kMass) readonly buffer MassBlock { vec4 mass[]; };
layout(std430, binding = kBodyWords) buffer BodyWordsBlock { uint words[]; };
layout(std430, binding = kKeys) buffer KeysBlock { uint keys[]; };
layout(std430, binding = kCounts) writeonly buffer CountsBlock { uint counts[]; };

shared uint in_block[kSortKeys];
shared uint used, uncoloured, all_points;

/// Bodies have a copy for each manifold of the Jacobi group.
void count_jacobi(uint body) {
    if ((floatBitsToUint(mass[2 * body + 1].w) & kDynamic) != 0u)
        atomicAdd(words[kWordJacobi * push.bodies + body], 1u);
}

/// The group of a pair with a manifold.
uint group_of(uint p) {
    if (push.colours == 0u) return kGroupJacobi;
    const uint colour = colours[p];
    if (colour < kMaxColours)
        atomicMax(used, colour + 1u);
    else
        atomicAdd(uncoloured, 1u);
    return colour < push.colours ? colour : kGroupJacobi;
}

void main() {
    if (status.stopped != 0u) return;
    const uint p = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    for (uint g = local; g < kSortKeys; g += kWorkgroup) in_block[g] = 0u;
    if (local == 0u) used = uncoloured = all_points = 0u;
    barrier();
    if (p < status.pairs && keys[p] != kNone) {
        const uint group = group_of(p), points = floatBitsToUint(manifolds[p].w);
        const uint key = 2u * group + (points > 1u ? 1u : 0u);
        keys[p] = key;
        atomicAdd(in_block[key], 1u);
        atomicAdd(all_points, points);
        if (group == kGroupJacobi || (push.flags & kDoAllJacobi) != 0u) {
            const vec4 ends = manifolds[kPlaneBodies * push.pairs + p];
            count_jacobi(floatBitsToUint(ends.x));
            count_jacobi(floatBitsToUint(ends.y));
        }
    }
    barrier();
    for (uint g = local; g < kSortKeys; g += kWorkgroup)
        counts[g * push.blocks + gl_WorkGroupID.x] = in_block[g];
    if (local != 0u || all_points == 0u) return;
    atomicMax(state[kStateColours], used);
    atomicAdd(state[kStateUncoloured], uncoloured);
    atomicAdd(state[kStatePoints], all_points);
}
