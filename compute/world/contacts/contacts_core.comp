// SPDX-License-Identifier: MIT
// A sphere or capsule and a hull.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/core_contacts.glsl"

vec4 face_plane(Placed s, uint face) { return faces[2u * (s.face + face)]; }
vec3 vertex_of(Placed s, uint v) { return vertices[s.vertex + v].xyz; }

Scan scan_faces(Placed s, vec3 start, vec3 along) {
    Scan scan = Scan(0u, -1e30, uvec2(0u), vec2(-1e30), false);
    // A part of the core is below all planes when it leaves the last of those it comes from below behind
    // the place where it enters the last of the others.
    float leave = 1.0, enter = 0.0;
    for (uint f = 0u; f < s.face_count; ++f) {
        const vec4 plane = face_plane(s, f);
        const float slope = dot(plane.xyz, along);
        const vec2 h = vec2(dot(plane.xyz, start) - plane.w) + vec2(0.0, slope);
        if (slope > 0.0) leave = min(leave, -h.x / slope);
        if (slope < 0.0) enter = max(enter, -h.x / slope);
        for (uint k = 0u; k < 2u; ++k)
            if (h[k] > scan.height[k]) {
                scan.height[k] = h[k];
                scan.highest[k] = f;
            }
        const float lower = min(h.x, h.y);
        if (lower > scan.separation) {
            scan.separation = lower;
            scan.face = f;
        }
    }
    scan.inside = scan.separation <= 0.0 && enter <= leave;
    return scan;
}

vec2 above_face(Placed s, uint face, vec3 start, vec3 along, float slop) {
    const vec3 n = face_plane(s, face).xyz;
    const uvec2 loop = floatBitsToUint(faces[2u * (s.face + face) + 1u].xy);
    vec2 part = vec2(0.0, 1.0);
    vec3 tail = vertex_of(s, loops[s.loop + loop.x] & 0xFFFFu);
    for (uint i = 0u; i < loop.y; ++i) {
        const uint next = i + 1u < loop.y ? i + 1u : 0u;
        const vec3 head = vertex_of(s, loops[s.loop + loop.x + next] & 0xFFFFu), d = head - tail;
        const vec3 outward = cross(d, n);
        const float beyond = dot(outward, start - tail) - slop * length(d), slope = dot(outward, along);
        if (slope > 0.0)
            part.y = min(part.y, -beyond / slope);
        else if (slope < 0.0)
            part.x = max(part.x, -beyond / slope);
        else if (beyond > 0.0)
            part = vec2(2.0, -1.0);
        tail = head;
    }
    return part;
}

/// The edge nearest to the core: the common perpendicular's place on the core, the place on the edge nearest
/// to it, and the place on the core nearest to that. Nearly parallel, the first is noise, but then it does
/// not matter: the caller measures the winner anew.
uint nearest_edge(Placed s, vec3 start, vec3 along) {
    const float dd = dot(along, along), per_dd = dd > 0.0 ? 1.0 / dd : 0.0;
    uint best = 0u;
    float least = 1e30;
    for (uint i = 0u; i < s.edge_count; ++i) {
        const uint ends = edges[s.edge + i].x;
        const vec3 tail = vertex_of(s, ends & 0xFFFFu), e = vertex_of(s, ends >> 16) - tail;
        const vec3 r = start - tail;
        const float ee = dot(e, e), de = dot(along, e), dr = dot(along, r), er = dot(e, r);
        const float determinant = dd * ee - de * de;
        const float first =
            determinant > 1e-6 * dd * ee ? clamp((de * er - ee * dr) / determinant, 0.0, 1.0) : 0.0;
        const float t = clamp((er + first * de) / ee, 0.0, 1.0);
        const float at = clamp((t * de - dr) * per_dd, 0.0, 1.0);
        const vec3 gap = r + along * at - e * t;
        if (dot(gap, gap) < least) {
            least = dot(gap, gap);
            best = i;
        }
    }
    return best;
}

Nearest find_nearest(Placed poly, vec3 start, vec3 along, Scan scan) {
    Nearest best = Nearest(1e30, start, start, false, vec3(0.0), vec3(0.0), 0.0, 0.0);
    for (uint end = 0u; end < 2u; ++end) {
        const float h = scan.height[end];
        if (h <= 0.0 || h * h >= best.distance2) continue;
        const vec3 x = start + float(end) * along;
        const vec2 part = above_face(poly, scan.highest[end], x, vec3(0.0), 0.0);
        if (part.x > part.y) continue;
        best.distance2 = h * h;
        best.on_core = x;
        best.on_surface = x - face_plane(poly, scan.highest[end]).xyz * h;
        best.s = float(end);
    }
    // Nothing is nearer than the plane that both ends are above, if there is one.
    const float above = max(scan.separation, 0.0);
    if (best.distance2 > above * above * 1.000001) {
        const uint ends = edges[poly.edge + nearest_edge(poly, start, along)].x;
        const vec3 tail = vertex_of(poly, ends & 0xFFFFu), d = vertex_of(poly, ends >> 16) - tail;
        const vec3 near = closest_segments(start - tail, along, d);
        if (near.z < best.distance2)
            best = Nearest(near.z, start + near.x * along, tail + near.y * d, true, tail, d, near.x, near.y);
    }
    const vec3 gap = best.on_core - best.on_surface;  // of the rounded points: dividing by it gives a unit
    best.distance2 = dot(gap, gap);
    return best;
}

DeepEdge shallowest_edge(Placed s, vec3 start, vec3 along) {
    DeepEdge best = DeepEdge(false, -1e30, vec3(0.0), vec3(0.0), vec3(0.0));
    const float aa = dot(along, along);
    for (uint i = 0u; i < s.edge_count; ++i) {
        const uvec2 edge = edges[s.edge + i];
        const vec3 left = face_plane(s, edge.y & 0xFFFFu).xyz, right = face_plane(s, edge.y >> 16).xyz;
        if (!(dot(left, along) * dot(right, along) < 0.0)) continue;
        const vec3 tail = vertex_of(s, edge.x & 0xFFFFu), d = vertex_of(s, edge.x >> 16) - tail;
        vec3 n = cross(d, along);
        const float n2 = dot(n, n);
        if (n2 < 1e-4 * aa * dot(d, d)) continue;
        n *= (dot(n, left + right) < 0.0 ? -1.0 : 1.0) / sqrt(n2);
        const float separation = dot(n, start - tail);
        if (separation > best.separation) best = DeepEdge(true, separation, n, tail, d);
    }
    return best;
}

void main() {
    const uint index = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || index >= list_count(kListCore)) return;
    collide_core(list_entry(kListCore, index));
}
