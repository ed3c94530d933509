// SPDX-License-Identifier: MIT
// A sphere or capsule and a box: all of it in closed form, no feature is looked up.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/core_contacts.glsl"

vec3 axis_of(uint k) { return vec3(k == 0u ? 1.0 : 0.0, k == 1u ? 1.0 : 0.0, k == 2u ? 1.0 : 0.0); }
uint largest(vec3 v) { return v.x >= v.y && v.x >= v.z ? 0u : v.y >= v.z ? 1u : 2u; }

vec4 face_plane(Placed s, uint face) {
    const vec3 axis = axis_of(face >> 1);
    return vec4((face & 1u) == 0u ? axis : -axis, dot(axis, s.size));
}

Scan scan_faces(Placed s, vec3 start, vec3 along) {
    const vec3 middle = start + 0.5 * along, out_by = abs(middle) - 0.5 * abs(along) - s.size;
    const uint axis = largest(out_by);
    const float at = axis == 0u ? middle.x : axis == 1u ? middle.y : middle.z;
    return Scan(2u * axis + (at < 0.0 ? 1u : 0u), max(out_by.x, max(out_by.y, out_by.z)), uvec2(0u),
                vec2(0.0), along == vec3(0.0) && max(out_by.x, max(out_by.y, out_by.z)) <= 0.0);
}

/// With x(s) = start + s along, the squared distance |x - clamp(x)|^2 is convex in s and its slope,
/// along . (x - clamp(x)), is linear between the places where a coordinate passes a side: between the last of
/// these where it falls and the first where it grows lies the minimum.
float slope_at(vec3 h, vec3 start, vec3 along, float s) {
    const vec3 x = start + s * along;
    return dot(along, x - clamp(x, -h, h));
}
Nearest find_nearest(Placed poly, vec3 start, vec3 along, Scan scan) {
    const vec3 h = poly.size;
    float low = 0.0, high = 1.0, s = 0.0;
    float at_low = slope_at(h, start, along, 0.0), at_high = slope_at(h, start, along, 1.0);
    if (at_low < 0.0 && at_high > 0.0) {
        for (uint k = 0u; k < 6u; ++k) {
            const vec3 axis = axis_of(k >> 1);
            const float d = dot(axis, along), side = (k & 1u) == 0u ? -dot(axis, h) : dot(axis, h);
            const float at = (side - dot(axis, start)) / d;
            if (d == 0.0 || !(at > low && at < high)) continue;
            const float value = slope_at(h, start, along, at);
            if (value < 0.0) {
                low = at;
                at_low = value;
            } else {
                high = at;
                at_high = value;
            }
        }
        s = low + (high - low) * (at_low / (at_low - at_high));
    } else if (at_low < 0.0) {
        s = 1.0;
    }
    Nearest near;
    near.s = s;
    near.on_core = start + s * along;
    near.on_surface = clamp(near.on_core, -h, h);
    const vec3 gap = near.on_core - near.on_surface;
    near.distance2 = dot(gap, gap);
    // Beyond two or three sides: an edge or a vertex; of the edges at a vertex the one most along the core.
    const bvec3 beyond = notEqual(gap, vec3(0.0));
    const uint sides = uint(beyond.x) + uint(beyond.y) + uint(beyond.z);
    const uint k = sides == 2u ? (!beyond.x ? 0u : !beyond.y ? 1u : 2u) : largest(abs(along));
    const vec3 axis = axis_of(k);
    const float half_edge = dot(axis, h);
    near.on_edge = sides >= 2u;
    near.tail = near.on_surface * (1.0 - axis) - axis * half_edge;
    near.edge = axis * (2.0 * half_edge);
    near.t = (dot(axis, near.on_surface) + half_edge) / (2.0 * half_edge);
    return near;
}

/// Of the products of the core with the three axes, the one along which core and box overlap least; the edge
/// is the one that lies farthest out along it.
DeepEdge shallowest_edge(Placed s, vec3 start, vec3 along) {
    DeepEdge best = DeepEdge(false, -1e30, vec3(0.0), vec3(0.0), vec3(0.0));
    const vec3 middle = start + 0.5 * along;
    for (uint i = 0u; i < 3u; ++i) {
        const vec3 axis = axis_of(i);
        vec3 n = cross(axis, along);
        const float n2 = dot(n, n);
        if (n2 < 1e-4 * dot(along, along) || n2 == 0.0) continue;
        n *= (dot(n, middle) < 0.0 ? -1.0 : 1.0) / sqrt(n2);
        const float separation = dot(n, middle) - dot(abs(n), s.size);
        if (separation <= best.separation) continue;
        const vec3 corner = mix(-s.size, s.size, greaterThan(n, vec3(0.0)));
        best = DeepEdge(true, separation, n, corner * (1.0 - axis) - axis * s.size, 2.0 * axis * s.size);
    }
    return best;
}

vec2 above_face(Placed s, uint face, vec3 start, vec3 along, float slop) {
    const vec3 limit = s.size + slop;
    // Along each axis but the face's, where the core is between both sides.
    const vec3 a = (-limit - start) / along, b = (limit - start) / along;
    const bvec3 still = equal(along, vec3(0.0));
    const bvec3 away = greaterThan(abs(start), limit);
    vec3 from = mix(min(a, b), mix(vec3(0.0), vec3(2.0), away), still);
    vec3 to = mix(max(a, b), mix(vec3(1.0), vec3(-1.0), away), still);
    const bvec3 own = greaterThan(axis_of(face >> 1), vec3(0.0));
    from = mix(from, vec3(0.0), own);
    to = mix(to, vec3(1.0), own);
    return vec2(max(max(from.x, from.y), max(from.z, 0.0)), min(min(to.x, to.y), min(to.z, 1.0)));
}

void main() {
    const uint index = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || index >= list_count(kListCoreBox)) return;
    collide_core(list_entry(kListCoreBox, index));
}
