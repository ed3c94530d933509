// SPDX-License-Identifier: MIT
// A round of colouring, one invocation a pair that has asked: winners take their colour, losers claim in the next
// round, in the other plane of claims.
#version 460
#include "compute/world/solver/solve_common.glsl"
#include "compute/world/solver/solve_claim.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kFresh) readonly buffer FreshBlock { uint fresh[]; };

bool wins(uint body, uint value) {
    return !can_move(body) || words[claims_of(body, push.round)] == value;
}

void main() {
    if (status.stopped != 0u || gl_GlobalInvocationID.x >= state[kStateFresh]) return;
    const uint p = fresh[gl_GlobalInvocationID.x];
    if (colours[p] != kNone) return;
    const vec4 ends = manifolds[kPlaneBodies * push.pairs + p];
    const uint a = floatBitsToUint(ends.x), b = floatBitsToUint(ends.y);
    const uint value = claim_of(p, push.round);
    if (!wins(a, value) || !wins(b, value)) {
        claim(p, a, b, push.round + 1u);
        return;
    }
    const uint at_a = kWordColours * push.bodies + a, at_b = kWordColours * push.bodies + b;
    uint used = 0u;
    if (can_move(a)) used |= words[at_a];
    if (can_move(b)) used |= words[at_b];
    if (used == 0xFFFFFFFFu) return;  // none is free; the next step may have one
    const uint colour = uint(findLSB(~used));
    colours[p] = colour;
    // A body has one winner a round: nobody else reads or writes its mask now.
    if (can_move(a)) words[at_a] |= 1u << colour;
    if (can_move(b)) words[at_b] |= 1u << colour;
}
