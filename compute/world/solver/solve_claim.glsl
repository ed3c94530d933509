// SPDX-License-Identifier: MIT
// Colours are given in rounds. A manifold that wants one claims its bodies; the claim with the highest priority
// wins a body, and the manifold that wins both of its bodies takes the lowest colour that is free at both. Priorities
// are all different and do not depend on which comes first, so neither do the colours.
layout(std430, binding = kInManifolds) readonly buffer ManifoldsBlock { vec4 manifolds[]; };
layout(std430, binding = kInColours) buffer ColoursBlock { uint colours[]; };
layout(std430, binding = kMass) readonly buffer MassBlock { vec4 mass[]; };
layout(std430, binding = kBodyWords) buffer BodyWordsBlock { uint words[]; };

uint flags_of(uint body) { return floatBitsToUint(mass[2 * body + 1].w); }
bool can_move(uint body) { return (flags_of(body) & kDynamic) != 0u; }

/// One to one on kPriorityBits bits, another one in every round: neighbours in the list must not be neighbours in
/// priority, or rounds would run along them one by one. The round stands above it, so that the claims of a round
/// beat those that are left of the round before the last in the same plane.
uint claim_of(uint p, uint round) {
    const uint bits = 32u - kRoundBits, all = (1u << bits) - 1u;
    uint x = (p + round * 0x01B873u) & all;
    x = (x * 0x2C1B3C6Du) & all;
    x ^= x >> (bits / 2u);
    x = (x * 0x297A2D39u) & all;
    x ^= x >> (bits / 2u);
    return (round + 1u) << bits | x;
}

uint claims_of(uint body, uint round) { return (kWordClaims + (round & 1u)) * push.bodies + body; }

void claim(uint p, uint a, uint b, uint round) {
    const uint value = claim_of(p, round);
    if (can_move(a)) atomicMax(words[claims_of(a, round)], value);
    if (can_move(b)) atomicMax(words[claims_of(b, round)], value);
}
