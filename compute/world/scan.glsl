// SPDX-License-Identifier: MIT
// What the two kernels of a prefix sum share. A workgroup takes a block of kScanBlock items. Sums saturate instead
// of wrapping round: that is associative as well, and a total that is too large stays too large.
#include "compute/world/world.glsl"

const uint kScanEach = 16u;  // items of one invocation
const uint kScanBlock = kWorkgroup * kScanEach;

layout(local_size_x_id = 0) in;
layout(std430, binding = 0) buffer Values { uint values[]; };
layout(std430, binding = 1) buffer Sums { uint sums[]; };
layout(std430, binding = 2) readonly buffer Stop { uint stop[]; };
layout(std430, binding = 3) buffer Partials { uint partials[]; };
layout(push_constant) uniform PushBlock {
    uint push_items;
    uint push_word;  // of `stop`: nothing is done while it is not 0; kNone: there is no such word
};

bool scan_stopped() { return push_word != kNone && stop[push_word] != 0u; }
// Sums over a workgroup go through groups of this many invocations: fewer steps than one by one, fewer barriers than
// halving.
const uint kScanGroup = 8u;
const uint kScanGroups = kWorkgroup / kScanGroup;

uint add_up(uint a, uint b) { return a + b < a ? 0xFFFFFFFFu : a + b; }
