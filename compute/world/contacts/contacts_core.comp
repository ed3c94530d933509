// SPDX-License-Identifier: MIT
// A sphere or capsule and a box or hull: its core, a point or a segment, against the polytope, in the frame
// of that. Outside, the nearest features; when the core itself has entered, the shallowest axis.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"
#include "compute/world/contacts/segments.glsl"

const float kOverhang = 2.5;  // times the slop: how much lower an end may hang beside the face

vec4 plane_of(Placed s, uint face) { return faces[2u * (s.face + face)]; }
vec3 vertex_of(Placed s, uint v) { return vertices[s.vertex + v].xyz; }

/// The faces as the core, start .. start + along, sees them.
struct Scan {
    uint face;         // the face that the lower end is farthest above ...
    float separation;  // ... and how far
    uvec2 highest;     // for each end, the face it is farthest above ...
    vec2 height;       // ... and how far: if it is above that face's inside, its distance
    bool inside;       // some point of the core is in the polytope
};
Scan scan_faces(Placed s, vec3 start, vec3 along) {
    Scan scan = Scan(0u, -1e30, uvec2(0u), vec2(-1e30), false);
    // A part of the core is below all planes when it leaves the last of those it comes from below behind
    // the place where it enters the last of the others.
    float leave = 1.0, enter = 0.0;
    for (uint f = 0u; f < s.face_count; ++f) {
        const vec4 plane = plane_of(s, f);
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

/// The part of the core above a face whose sides are moved out by slop, as parameters; empty: (1, 0).
vec2 above_face(Placed s, uint face, vec3 start, vec3 along, float slop) {
    const vec3 n = plane_of(s, face).xyz;
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

/// The nearest points of a core outside.
struct Nearest {
    float distance2;
    vec3 on_core, on_surface;
    bool on_edge;     // false when an end is nearest to the inside of a face
    vec3 tail, edge;  // that edge, from its tail
    float s, t;       // where on the core and on that edge
};
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
        best.on_surface = x - plane_of(poly, scan.highest[end]).xyz * h;
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

/// The core is in the polytope: the shallowest of the products of the core with the edges whose two faces
/// look to different ends of it.
struct DeepEdge {
    uint edge;  // kNone: there is none
    float separation;
    vec3 normal;
};
DeepEdge shallowest_edge(Placed s, vec3 start, vec3 along) {
    DeepEdge best = DeepEdge(kNone, -1e30, vec3(0.0));
    const float aa = dot(along, along);
    for (uint i = 0u; i < s.edge_count; ++i) {
        const uvec2 edge = edges[s.edge + i];
        const vec3 left = plane_of(s, edge.y & 0xFFFFu).xyz, right = plane_of(s, edge.y >> 16).xyz;
        if (!(dot(left, along) * dot(right, along) < 0.0)) continue;
        const vec3 tail = vertex_of(s, edge.x & 0xFFFFu), d = vertex_of(s, edge.x >> 16) - tail;
        vec3 n = cross(d, along);
        const float n2 = dot(n, n);
        if (n2 < 1e-4 * aa * dot(d, d)) continue;
        n *= (dot(n, left + right) < 0.0 ? -1.0 : 1.0) / sqrt(n2);
        const float separation = dot(n, start - tail);
        if (separation > best.separation) best = DeepEdge(i, separation, n);
    }
    return best;
}

/// Contacts in the frame of the polytope, before they go to the pair.
vec3 found_core[3], found_surface[3];
float found_height[3];
uint found_feature[3];
uint found_count = 0u;
void add_found(vec3 core, vec3 surface, float height, uint feature) {
    found_core[found_count] = core;
    found_surface[found_count] = surface;
    found_height[found_count] = height;
    found_feature[found_count] = feature;
    ++found_count;
}
/// Ends of the core keep their names 1 and 2; anything between is 0.
uint core_feature(float s) { return s <= 0.0 ? 1u : (s >= 1.0 ? 2u : 0u); }

/// The part of the core above a face, as two contacts along its normal.
void add_face_contacts(Placed s, uint face, vec3 start, vec3 along, float radius, float margin, float slop) {
    const vec2 part = above_face(s, face, start, along, slop);
    if (part.x > part.y) return;
    const vec4 plane = plane_of(s, face);
    const bool one = (part.y - part.x) * length(along) <= 0.02 * radius;
    for (uint k = 0u; k < (one ? 1u : 2u); ++k) {
        const vec3 x = start + (one ? 0.5 * (part.x + part.y) : part[k]) * along;
        const float h = dot(plane.xyz, x) - plane.w;
        if (h - radius <= margin) add_found(x, x - plane.xyz * h, h, one ? 0u : k + 1u);
    }
}

/// Core and edge, or core end and vertex: the nearest points, and both ends of the common stretch where the
/// core runs along the edge. Returns the direction away from the polytope.
vec3 add_edge_contacts(Nearest near, vec3 start, vec3 along, float radius, float margin) {
    const float distance = sqrt(near.distance2);
    const vec3 tail = near.tail, d = near.edge, across = cross(along, d);
    const float aa = dot(along, along), across2 = dot(across, across), lengths2 = aa * dot(d, d);
    // Both inside their segments: the common perpendicular is exact, however small the distance.
    vec3 outward = near.on_core - near.on_surface;
    const bool inside = near.s > 0.0 && near.s < 1.0 && near.t > 0.0 && near.t < 1.0;
    if (inside && across2 > 1e-2 * lengths2) outward = dot(across, outward) < 0.0 ? -across : across;
    bool covered = false;
    if (across2 < 2.5e-3 * lengths2) {  // within three degrees
        const float end0 = dot(tail - start, along) / aa, end1 = dot(tail + d - start, along) / aa;
        const float low = max(0.0, min(end0, end1)), high = min(1.0, max(end0, end1));
        if ((high - low) * sqrt(aa) > 0.05 * radius)
            for (uint k = 0u; k < 2u; ++k) {
                const vec3 x = start + (k == 0u ? low : high) * along;
                const vec3 y = tail + d * closest_on_segment(tail, d, x);
                const float h = length(x - y);
                if (h - radius <= margin) add_found(x, y, h, k + 1u);
                covered = covered || h <= distance + 0.01 * radius;
            }
    }
    if (!covered) add_found(near.on_core, near.on_surface, distance, core_feature(near.s));
    return normalize(outward);
}

void main() {
    const uint index = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || index >= list_count(kListCore)) return;
    const uint p = list_entry(kListCore, index), ia = pair_a[p], ib = pair_b[p];
    const uint kind_a = shapes[colliders[ia].refs.y].kind.x;
    const bool round_is_a = kind_a == kSphere || kind_a == kCapsule;
    const Placed ball = placed(round_is_a ? ia : ib), poly = placed(round_is_a ? ib : ia);
    const float margin = margin_of(p), radius = ball.radius, reach = radius + margin;
    const vec4 to_poly = conjugate(poly.rotation);
    const vec3 center = rotate(to_poly, ball.position - poly.position);
    const vec3 half_axis = rotate(to_poly, rotate(ball.rotation, vec3(0.0, ball.half_height, 0.0)));
    const vec3 start = center - half_axis, along = 2.0 * half_axis;
    const float slop = 1e-3 * min(ball.bounding_radius, poly.bounding_radius);
    const bool sphere = ball.half_height == 0.0;

    const Scan scan = scan_faces(poly, start, along);
    if (!(scan.separation <= reach)) return;
    Nearest near;
    near.distance2 = 0.0;
    if (!scan.inside) near = find_nearest(poly, start, along, scan);
    const float distance = sqrt(near.distance2);
    // A core on the surface has a direction to it only by rounding: the axes of the deep case are exact there.
    const bool deep = scan.inside || distance < (sphere ? 1e-6 : 1e-3) * radius;
    if (!deep && distance > reach) return;

    const vec4 plane = plane_of(poly, scan.face);
    vec3 outward = plane.xyz;
    DeepEdge edge = DeepEdge(kNone, -1e30, vec3(0.0));
    if (deep) edge = shallowest_edge(poly, start, along);
    if (deep ? edge.edge == kNone || edge.separation <= scan.separation + 2.0 * slop : !sphere) {
        add_face_contacts(poly, scan.face, start, along, radius, margin, slop);
        // Where the face is as far as the nearest point, within what rounding and three degrees of tilt make
        // of it, the face is the better contact: its normal is exact and the core gets both its points. What
        // counts is the part of the core above the face: an end that hangs over an edge may be a little
        // lower. Unless the nearest point is just what the clipping took away.
        if (!deep && found_count > 0u) {
            const float height = found_count == 2u ? min(found_height[0], found_height[1]) : found_height[0];
            const bool along_normal = height >= 0.999 * distance - 1e-6 * poly.bounding_radius &&
                                      scan.separation >= height - kOverhang * slop;
            if ((near.on_edge && !along_normal) || height > distance + slop) found_count = 0u;
        }
    }
    if (found_count == 0u) {
        if (deep && edge.edge == kNone) {  // only rounding brings us here: the lower end, straight out
            const vec3 x = start + (dot(outward, along) < 0.0 ? 1.0 : 0.0) * along;
            add_found(x, x - outward * scan.separation, scan.separation, 0u);
        } else if (deep) {
            const uint ends = edges[poly.edge + edge.edge].x;
            const vec3 tail = vertex_of(poly, ends & 0xFFFFu), d = vertex_of(poly, ends >> 16) - tail;
            const vec3 pair = closest_segments(start - tail, along, d);
            outward = edge.normal;
            add_found(start + pair.x * along, tail + pair.y * d, edge.separation, core_feature(pair.x));
        } else if (!near.on_edge) {
            outward = (near.on_core - near.on_surface) / distance;
            add_found(near.on_core, near.on_surface, distance, 0u);
        } else {
            outward = add_edge_contacts(near, start, along, radius, margin);
            if (sphere) found_feature[0] = 0u;
        }
    }

    const vec3 base = poly.position - arm_origin(ia);
    for (uint k = 0u; k < found_count; ++k) {
        const float separation = found_height[k] - radius;
        // The point lies on the line between core and surface, which for a second point is not quite the
        // normal.
        const vec3 line =
            found_height[k] > 1e-3 * radius ? (found_surface[k] - found_core[k]) / found_height[k] : -outward;
        const vec3 x = found_core[k] + line * (radius + 0.5 * separation);
        put_point(p, k, base + rotate(poly.rotation, x), separation, found_feature[k]);
    }
    const vec3 normal = rotate(poly.rotation, outward);
    put_manifold(p, round_is_a ? -normal : normal, found_count);
}
