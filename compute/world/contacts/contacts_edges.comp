// SPDX-License-Identifier: MIT
// Pairs whose axis is two edges; and those where clipping two faces left too little: there the edges, if they
// really face each other, else the nearest points of the outlines of the faces.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"
#include "compute/world/contacts/segments.glsl"

/// One contact in the middle of two edges. False when their nearest points do not lie opposite each other,
/// within `tolerance`.
bool add_edges(uint p, uint ia, Placed a, Placed b, float separation, float tolerance) {
    const uvec4 record = lambda[push.capacity + p];
    const vec3 n = uintBitsToFloat(lambda[2u * push.capacity + p].xyz);
    const vec4 to_a = conjugate(a.rotation), turn = compose(to_a, b.rotation);
    const vec3 position = rotate(to_a, b.position - a.position);
    const vec3 tail_a = vertices[a.vertex + (record.y & 0xFFFFu)].xyz;
    const vec3 along_a = vertices[a.vertex + (record.y >> 16)].xyz - tail_a;
    const vec3 own_tail_b = vertices[b.vertex + (record.z & 0xFFFFu)].xyz;
    const vec3 along_b = rotate(turn, vertices[b.vertex + (record.z >> 16)].xyz - own_tail_b);
    const vec3 tail_b = rotate(turn, own_tail_b) + position;
    const vec3 near = closest_segments(tail_a - tail_b, along_a, along_b);
    if (abs(sqrt(near.z) - abs(separation)) > tolerance) return false;
    const vec3 middle = 0.5 * (tail_a + near.x * along_a + tail_b + near.y * along_b);
    put_point(p, 0u, a.position - arm_origin(ia) + rotate(a.rotation, middle), separation,
              lambda[3u * push.capacity + p].x);
    put_manifold(p, rotate(a.rotation, n), 1u, false);
    return true;
}

/// How far b lies beyond a along a direction of the world.
float gap_along(Placed a, Placed b, vec3 normal) {
    const vec3 in_a = rotate(conjugate(a.rotation), normal), in_b = rotate(conjugate(b.rotation), normal);
    float most = -1e30, least = 1e30;
    for (uint v = 0u; v < a.vertex_count; ++v) most = max(most, dot(in_a, vertices[a.vertex + v].xyz));
    for (uint v = 0u; v < b.vertex_count; ++v) least = min(least, dot(in_b, vertices[b.vertex + v].xyz));
    return least - most + dot(normal, b.position - a.position);
}

/// One contact between the nearest points of the outlines of two faces that do not lie above each other.
/// `separation` is that along the reference normal; where it is positive, the true distance and its direction
/// replace it. What clipping has left stays when it is better.
void add_closest(uint p, uint ia, Placed a, Placed b, uint face, float separation, float left_over) {
    const bool on_b = (face & kOnB) != 0u;
    Placed ref = a, inc = b;
    if (on_b) {
        ref = b;
        inc = a;
    }
    const uint own = 2u * (ref.face + (face & ~kOnB)), other = 2u * (inc.face + lambda[push.capacity + p].x);
    const vec3 normal = faces[own].xyz;
    const uvec2 own_loop = floatBitsToUint(faces[own + 1u].xy);
    const uvec2 other_loop = floatBitsToUint(faces[other + 1u].xy);
    const vec4 to_ref = conjugate(ref.rotation), turn = compose(to_ref, inc.rotation);
    const vec3 position = rotate(to_ref, inc.position - ref.position);

    float best = 1e38;
    uvec2 at = uvec2(0u);
    vec3 on_r = vec3(0.0), on_i = vec3(0.0);
    const uint r_base = ref.loop + own_loop.x, i_base = inc.loop + other_loop.x;
    vec3 tail = vertices[ref.vertex + (loops[r_base] & 0xFFFFu)].xyz;
    for (uint r = 0u; r < own_loop.y; ++r) {
        const uint next_r = r + 1u < own_loop.y ? r + 1u : 0u;
        const vec3 d = vertices[ref.vertex + (loops[r_base + next_r] & 0xFFFFu)].xyz - tail;
        vec3 from = rotate(turn, vertices[inc.vertex + (loops[i_base] & 0xFFFFu)].xyz) + position;
        for (uint i = 0u; i < other_loop.y; ++i) {
            const uint next_i = i + 1u < other_loop.y ? i + 1u : 0u;
            const vec3 to =
                rotate(turn, vertices[inc.vertex + (loops[i_base + next_i] & 0xFFFFu)].xyz) + position;
            const vec3 near = closest_segments(tail - from, d, to - from);
            if (near.z < best) {
                best = near.z;
                at = uvec2(r, i);
                on_r = tail + near.x * d;
                on_i = from + near.y * (to - from);
            }
            from = to;
        }
        tail += d;
    }

    vec3 n = normal;
    float gap = separation;
    if (separation > 0.0) {
        const float distance = sqrt(best);
        if (!(distance <= margin_of(p))) return;
        gap = distance;
        if (distance > 0.0) n = (on_i - on_r) / distance;
    }
    vec3 world = rotate(ref.rotation, n);
    if (on_b) world = -world;
    // A direction that does not separate the shapes as far as it says: nearest were other features after all.
    // The reference face is then the best that is known.
    if (gap_along(a, b, world) < gap - min(a.slop, b.slop)) {
        world = rotate(ref.rotation, normal);
        if (on_b) world = -world;
        gap = separation;
    }
    if (!(gap < left_over)) return;
    put_point(p, 0u, ref.position - arm_origin(ia) + rotate(ref.rotation, 0.5 * (on_r + on_i)), gap,
              (on_b ? kOnB : 0u) | (face & ~kOnB) << 22 | kNearestOutlines | at.x << 10 | at.y);
    put_manifold(p, world, 1u, on_b);
}

void main() {
    const uint index = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || index >= list_count(kListEdges)) return;
    const uint p = list_entry(kListEdges, index), ia = pair_a[p];
    const Placed a = placed(ia), b = placed(pair_b[p]);
    const uvec4 record = lambda[p];
    const float face_s = uintBitsToFloat(record.x), edge_s = uintBitsToFloat(record.y);
    const float slop = min(a.slop, b.slop);
    const bool edges_win = record.z == kNone;
    if ((edges_win || edge_s > face_s - 2.0 * slop) &&
        add_edges(p, ia, a, b, edge_s, edges_win ? 1e30 : slop))
        return;
    add_closest(p, ia, a, b, record.z, face_s, uintBitsToFloat(lambda[3u * push.capacity + p].y));
}
