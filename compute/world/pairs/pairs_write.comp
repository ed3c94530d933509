// SPDX-License-Identifier: MIT
// Once the lists of all owners have their places: every pair goes to its own, and the step learns how many there are,
// or that there is no room for them.
#version 460
#include "compute/world/pairs/pairs.glsl"

layout(std430, binding = kStatus) buffer Status { WorldStatus status; };
layout(std430, binding = kArgumentsOf) writeonly buffer Arguments { uvec4 arguments[]; };
layout(std430, binding = kOffsets) readonly buffer Offsets { uint offsets[]; };
layout(std430, binding = kExtents) readonly buffer Extents { uint extents[]; };
layout(std430, binding = kSortedTags) readonly buffer SortedTags { uvec4 sorted_tags[]; };
layout(std430, binding = kFound) readonly buffer Found { uvec2 found[]; };
layout(std430, binding = kFoundCounts) readonly buffer FoundCounts { uint found_counts[]; };
layout(std430, binding = kSpill) readonly buffer Spill { uvec4 spill[]; };
layout(std430, binding = kUnsorted) writeonly buffer Unsorted { uvec2 unsorted[]; };

void main() {
    if (status.stopped != 0u) return;
    const uint i = gl_GlobalInvocationID.x;
    const uint total = offsets[push.colliders];
    const bool fits = total <= push.capacity;
    if (i == 0u) {
        status.pairs = fits ? total : 0u;
        arguments[kArgsPairs] = uvec4(fits ? groups_of(total) : 0u, 1u, 1u, 0u);
        if (!fits) {
            status.pairs_wanted = total;
            status.stopped |= kStoppedPairs;
        }
    }
    if (!fits || i >= push.colliders) return;
    const uint count = found_counts[i];
    if (count > 0u) {
        const uint collider = sorted_tags[i].y;
        for (uint k = 0u; k < count; ++k) {
            const uvec2 entry = found[k * push.colliders + i];
            const uint partner = entry.x & ~kPartnerOwns;
            const bool partner_owns = (entry.x & kPartnerOwns) != 0u;
            const uint owner = partner_owns ? partner : collider;
            unsorted[offsets[owner] + entry.y] = uvec2(owner, partner_owns ? collider : partner);
        }
    }
    for (uint k = i; k < extents[kSpilled]; k += push.colliders) {
        const uvec4 entry = spill[k];
        unsorted[offsets[entry.x] + entry.z] = entry.xy;
    }
}
