// SPDX-License-Identifier: MIT
// What does not depend on the shapes of a pair: materials, bodies, margin; then the pair goes to the list of
// the kernel for its two kinds of shapes, unless the balls around them are apart.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"

const float kMaxRadius = 1e4;  // m, of what a pair is judged by

// Entries of this workgroup first, so that a list's one counter is touched once a workgroup.
shared uint counts[kContactLists];
shared uint firsts[kContactLists];

/// As physics::combine: average, minimum, maximum, product, geometric mean.
float combine(float a, float b, uint mode) {
    if (mode == 0u) return 0.5 * (a + b);
    if (mode == 1u) return min(a, b);
    if (mode == 2u) return max(a, b);
    if (mode == 3u) return a * b;
    return a == b ? a : sqrt(a * b);
}

bool is_round(uint kind) { return kind == kSphere || kind == kCapsule; }

uint list_of(uint kind_a, uint kind_b) {
    const uint low = min(kind_a, kind_b), high = max(kind_a, kind_b);
    if (low == kHalfSpace) return kNone;
    if (high == kHalfSpace) return kListPlanes;
    if (is_round(kind_a) && is_round(kind_b)) return kListRound;
    if (is_round(kind_a) || is_round(kind_b)) return kind_a == kBox || kind_b == kBox ? kListCoreBox : kListCore;
    return high == kBox ? kListBoxes : kListHulls;
}

/// Contacts that may close within the step take part with their gap. Beyond a body's size the direction of a far
/// contact says little, except with a half-space, so faster bodies rely on the next step.
float pair_margin(uvec4 a, uvec4 b, uint kind_a, uint kind_b, float radius_a, float radius_b) {
    const uint moves = kDynamic | kKinematic;
    const bool moves_a = (floatBitsToUint(bodies[a.x].inverse1.w) & moves) != 0u;
    const bool moves_b = (floatBitsToUint(bodies[b.x].inverse1.w) & moves) != 0u;
    const float radius = min(min(moves_a ? radius_a : kMaxRadius, moves_b ? radius_b : kMaxRadius), kMaxRadius);
    const vec3 linear = velocities[2u * b.x].xyz - velocities[2u * a.x].xyz;
    const vec3 angular = velocities[2u * b.x + 1u].xyz - velocities[2u * a.x + 1u].xyz;
    const float speed = length(linear) + length(angular) * radius;
    const bool everywhere = kind_a == kHalfSpace || kind_b == kHalfSpace;
    const float most = everywhere ? kMaxRadius : (is_round(kind_a) || is_round(kind_b) ? 2.0 : 1.0) * radius;
    return push.speculative * (radius * 1.1547005) + min(speed * push.dt, most);
}

/// The list that pair p belongs to; kNone when it is apart.
uint sort_pair(uint p) {
    const uint a = pair_a[p], b = pair_b[p];
    const uvec4 refs_a = colliders[a].refs, refs_b = colliders[b].refs;
    const vec4 offset_a = colliders[a].offset, offset_b = colliders[b].offset;
    const vec4 surface_a = colliders[a].surface, surface_b = colliders[b].surface;
    const uint modes_a = floatBitsToUint(surface_a.y), modes_b = floatBitsToUint(surface_b.y);
    const float friction = combine(offset_a.w, offset_b.w, max(modes_a & 0xFFu, modes_b & 0xFFu));
    const float restitution =
        combine(surface_a.x, surface_b.x, max((modes_a >> 8) & 0xFFu, (modes_b >> 8) & 0xFFu));
    const vec3 shift = poses[2u * refs_a.x].xyz - poses[2u * refs_b.x].xyz;
    manifolds[kPlaneShift * push.capacity + p] = vec4(shift, friction);
    const uint kind_a = shapes[refs_a.y].kind.x, kind_b = shapes[refs_b.y].kind.x;
    const uint rolls = (is_round(kind_a) ? kRollsA : 0u) | (is_round(kind_b) ? kRollsB : 0u);
    manifolds[kPlaneBodies * push.capacity + p] = vec4(uintBitsToFloat(refs_a.x), uintBitsToFloat(refs_b.x),
                                                       restitution, uintBitsToFloat(rolls));
    manifolds[kPlaneNormal * push.capacity + p] = vec4(0.0, 1.0, 0.0, uintBitsToFloat(0u));

    const float radius_a = shapes[refs_a.y].more.y, radius_b = shapes[refs_b.y].more.y;
    const float margin = pair_margin(refs_a, refs_b, kind_a, kind_b, radius_a, radius_b);
    lambda[3u * push.capacity + p] = uvec4(0u, 0u, floatBitsToUint(margin), 0u);
    const vec3 between = collider_poses[2u * b].xyz - collider_poses[2u * a].xyz;
    if (length(between) > radius_a + radius_b + margin) return kNone;
    return list_of(kind_a, kind_b);
}

void main() {
    const uint p = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    if (status.stopped != 0u) return;  // the same for all
    if (local < kContactLists) counts[local] = 0u;
    barrier();
    const uint list = p < status.pairs ? sort_pair(p) : kNone;
    uint at = 0u;
    if (list != kNone) at = atomicAdd(counts[list], 1u);
    barrier();
    if (local < kContactLists && counts[local] > 0u) {
        const uint added = counts[local], before = atomicAdd(lists[4u * local + 3u], added);
        firsts[local] = before;
        // Whoever comes last has seen all entries.
        atomicMax(lists[4u * local], groups_of(before + added));
    }
    barrier();
    if (list != kNone) lists[kListsHeader + list * push.capacity + firsts[list] + at] = p;
}
