// SPDX-License-Identifier: MIT
// Two kinds of workgroups. The first kSortKeys: where the manifolds of each block of pairs begin among those of
// their key, a running sum over the blocks. The others: where the entries of each body begin. Which body's come
// first is left open, since only their order within a body matters.
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "compute/world/solver/solve_common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kBodyWords) buffer BodyWordsBlock { uint words[]; };
layout(std430, binding = kCounts) buffer CountsBlock { uint counts[]; };

const uint kEach = 4u;  // blocks an invocation

shared uint sums[kWorkgroup];  // of subgroups

/// Sum over the invocations before this one; `all` becomes that over the whole workgroup.
uint sum_before(uint value, out uint all) {
    uint before = subgroupExclusiveAdd(value);
    const uint of_subgroup = subgroupAdd(value);
    barrier();
    if (subgroupElect()) sums[gl_SubgroupID] = of_subgroup;
    barrier();
    all = 0u;
    for (uint k = 0u; k < gl_NumSubgroups; ++k) {
        if (k < gl_SubgroupID) before += sums[k];
        all += sums[k];
    }
    return before;
}

void scan_key(uint key, uint blocks) {
    uint before = 0u;
    const uint row = key * push.blocks;
    for (uint first = 0u; first < blocks; first += kEach * kWorkgroup) {
        const uint begin = first + kEach * gl_LocalInvocationID.x;
        uvec4 value = uvec4(0u);
        for (uint k = 0u; k < kEach && begin + k < blocks; ++k) value[k] = counts[row + begin + k];
        uint all;
        uint at = before + sum_before(value.x + value.y + value.z + value.w, all);
        for (uint k = 0u; k < kEach && begin + k < blocks; ++k) {
            counts[row + begin + k] = at;
            at += value[k];
        }
        before += all;
    }
    if (gl_LocalInvocationID.x == 0u) state[kStateKeyTotal + key] = before;
}

void main() {
    if (status.stopped != 0u) return;
    if (gl_WorkGroupID.x < kSortKeys) {
        scan_key(gl_WorkGroupID.x, groups_of(status.pairs));
        return;
    }
    const uint body = gl_GlobalInvocationID.x - kSortKeys * kWorkgroup;
    const uint count = body < push.bodies ? words[kWordCount * push.bodies + body] : 0u;
    const uint before = subgroupExclusiveAdd(count), all = subgroupAdd(count);
    uint start = 0u;
    if (subgroupElect()) start = atomicAdd(state[kStateEntries], all);
    start = subgroupMax(start);
    if (body < push.bodies) words[kWordBegin * push.bodies + body] = start + before;
}
