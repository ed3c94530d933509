// SPDX-License-Identifier: MIT
// What the two kernels of a prefix sum share. A workgroup takes a block of kScanBlock items. Sums saturate instead
// of wrapping round: that is associative as well, and a total that is too large stays too large.
#include "compute/world/world.glsl"

const uint kScanEach = 16u;  // items of one invocation
const uint kScanBlock = kWorkgroup * kScanEach;

layout(local_size_x_id = 0) in;
layout(std430, binding = 0) buffer Values { uint values[]; };
layout(std430, binding = 1) buffer Sums { uint sums[]; };
layout(std430, binding = 2) readonly buffer Counter { uint counter[]; };
layout(std430, binding = 3) buffer Partials { uint partials[]; };
layout(push_constant) uniform PushBlock {
    uint push_items;  // most items
    uint push_word;   // of the counter that says how many there are; kNone: as many as items
};

uint scan_items() { return push_word == kNone ? push_items : min(push_items, counter[push_word]); }
// Sums over a workgroup go through groups of this many invocations: fewer steps than one by one, fewer barriers than
// halving.
const uint kScanGroup = 8u;
const uint kScanGroups = kWorkgroup / kScanGroup;

uint add_up(uint a, uint b) { return a + b < a ? 0xFFFFFFFFu : a + b; }
