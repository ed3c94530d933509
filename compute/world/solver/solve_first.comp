// SPDX-License-Identifier: MIT
// The start of the first sub-step, one invocation a body: its entries into their order, and forces. What
// is dispatched when some overlap is deep gets its workgroups.
#version 460
#include "compute/world/solver/solve_common.glsl"
#include "compute/world/solver/solve_body.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInArguments) buffer ArgumentsBlock { uvec4 arguments[]; };

/// Lists are short: by insertion.
void sort_short(uint begin, uint end) {
    for (uint k = begin + 1u; k < end; ++k) {
        const uint value = entries[k];
        uint at = k;
        for (; at > begin && entries[at - 1u] > value; --at) entries[at] = entries[at - 1u];
        entries[at] = value;
    }
}

/// A body that hundreds rest on: heap sort, which needs no further room.
void sift(uint begin, uint root, uint size) {
    const uint value = entries[begin + root];
    for (uint child = 2u * root + 1u; child < size; child = 2u * root + 1u) {
        if (child + 1u < size && entries[begin + child + 1u] > entries[begin + child]) ++child;
        if (entries[begin + child] <= value) break;
        entries[begin + root] = entries[begin + child];
        root = child;
    }
    entries[begin + root] = value;
}
void sort_long(uint begin, uint size) {
    for (uint root = size / 2u; root > 0u; --root) sift(begin, root - 1u, size);
    for (uint last = size - 1u; last > 0u; --last) {
        const uint largest = entries[begin];
        entries[begin] = entries[begin + last];
        entries[begin + last] = largest;
        sift(begin, 0u, last);
    }
}

void main() {
    const uint body = gl_GlobalInvocationID.x;
    if (status.stopped != 0u) return;
    if (body <= kArgsJacobiBodies && state[kStateDeep] != 0u)
        arguments[kArgsSolver + kArgsDeep + body] = arguments[kArgsSolver + body];
    if (body >= push.bodies) return;
    if ((floatBitsToUint(mass[2 * body + 1].w) & kDynamic) == 0u) return;
    const uint begin = words[kWordBegin * push.bodies + body];
    const uint size = words[kWordCount * push.bodies + body];
    if (size <= 32u)
        sort_short(begin, begin + size);
    else
        sort_long(begin, size);
    Velocity v = load(0u, body);
    add_forces(body, v);
    store(0u, body, v);
}
