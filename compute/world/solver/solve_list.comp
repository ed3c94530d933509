// SPDX-License-Identifier: MIT
// One invocation a pair: whether it has a manifold to solve, entries of its bodies counted, and the colour that
// it keeps. A part of a proper colouring is proper, so keeping needs no claim; a manifold without one asks.
#version 460
#include "compute/world/solver/solve_common.glsl"
#include "compute/world/solver/solve_claim.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInArguments) buffer ArgumentsBlock { uvec4 arguments[]; };
layout(std430, binding = kKeys) writeonly buffer KeysBlock { uint keys[]; };
layout(std430, binding = kFresh) writeonly buffer FreshBlock { uint fresh[]; };

const uint kFewColours = 8u;     // so many are not too many
const uint kStepsToThinOut = 4u;  // between two attempts to do without the last colour

void main() {
    const uint p = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || p >= status.pairs) return;
    const vec4 ends = manifolds[kPlaneBodies * push.pairs + p];
    const uint a = floatBitsToUint(ends.x), b = floatBitsToUint(ends.y);
    const uint points = floatBitsToUint(manifolds[p].w);
    bool takes_part = points > 0u;
    if (takes_part) {
        const uint flags_a = flags_of(a), flags_b = flags_of(b);
        takes_part = ((flags_a | flags_b) & kQuarantined) == 0u && ((flags_a | flags_b) & kDynamic) != 0u;
        if (takes_part && (flags_a & kDynamic) != 0u) atomicAdd(words[kWordCount * push.bodies + a], 1u);
        if (takes_part && (flags_b & kDynamic) != 0u) atomicAdd(words[kWordCount * push.bodies + b], 1u);
    }
    keys[p] = takes_part ? kGroupJacobi : kNone;
    if (!takes_part) {
        colours[p] = kNone;
        return;
    }
    if (push.colours == 0u) return;  // Jacobi: nobody needs one
    uint colour = colours[p];
    const uint last = status.colours;
    const bool thins_out = last > kFewColours && status.steps % kStepsToThinOut == 0u;
    if (thins_out && colour + 1u == last) colour = kNone;
    if (colour < kMaxColours) {
        if (can_move(a)) atomicOr(words[kWordColours * push.bodies + a], 1u << colour);
        if (can_move(b)) atomicOr(words[kWordColours * push.bodies + b], 1u << colour);
        return;
    }
    colours[p] = kNone;
    const uint index = atomicAdd(state[kStateFresh], 1u);
    fresh[index] = p;
    if (index % kWorkgroup == 0u) atomicMax(arguments[kArgsSolver + kArgsFresh].x, index / kWorkgroup + 1u);
    claim(p, a, b, 0u);
}
