// SPDX-License-Identifier: MIT
// Empties the lists of the contact stage.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i < kListsHeader) lists[i] = (i & 3u) == 1u || (i & 3u) == 2u ? 1u : 0u;
}
