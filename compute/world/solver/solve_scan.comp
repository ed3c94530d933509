// SPDX-License-Identifier: MIT
// Two kinds of workgroups. The first kGroups: where the manifolds of each block of pairs begin in their group, a
// running sum over the blocks. The others: where the entries of each body begin. Which body's come first is left
// open, since only their order within a body matters.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kBodyWords) buffer BodyWordsBlock { uint words[]; };
layout(std430, binding = kCounts) buffer CountsBlock { uint counts[]; };

const uint kEach = 4u;  // blocks an invocation

shared uint sums[kWorkgroup];
shared uint start;

/// Sum over the invocations up to this one, and it.
uint running_sum(uint value) {
    const uint local = gl_LocalInvocationID.x;
    barrier();
    sums[local] = value;
    for (uint reach = 1u; reach < kWorkgroup; reach *= 2u) {
        barrier();
        const uint other = local >= reach ? sums[local - reach] : 0u;
        barrier();
        sums[local] += other;
    }
    barrier();
    return sums[local];
}

void scan_group(uint group, uint blocks) {
    uint before = 0u;
    for (uint first = 0u; first < blocks; first += kEach * kWorkgroup) {
        const uint begin = first + kEach * gl_LocalInvocationID.x, row = group * push.blocks;
        uint value[kEach], own = 0u;
        for (uint k = 0u; k < kEach; ++k) {
            value[k] = begin + k < blocks ? counts[row + begin + k] : 0u;
            own += value[k];
        }
        uint at = before + running_sum(own) - own;
        for (uint k = 0u; k < kEach; ++k) {
            if (begin + k < blocks) counts[row + begin + k] = at;
            at += value[k];
        }
        before += sums[kWorkgroup - 1u];
    }
    if (gl_LocalInvocationID.x == 0u) state[kStateTotal + group] = before;
}

void main() {
    if (status.stopped != 0u) return;
    if (gl_WorkGroupID.x < kGroups) {
        scan_group(gl_WorkGroupID.x, groups_of(status.pairs));
        return;
    }
    const uint body = gl_GlobalInvocationID.x - kGroups * kWorkgroup;
    const uint count = body < push.bodies ? words[kWordCount * push.bodies + body] : 0u;
    const uint through = running_sum(count);
    if (gl_LocalInvocationID.x == kWorkgroup - 1u) start = atomicAdd(state[kStateEntries], through);
    barrier();
    if (body < push.bodies) words[kWordBegin * push.bodies + body] = start + through - count;
}
