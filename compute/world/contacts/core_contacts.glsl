// SPDX-License-Identifier: MIT
// A sphere or capsule and a polytope: its core, a point or a segment, in the frame of that. Outside, the
// nearest features; when the core itself has entered, the shallowest axis. What the kernels for boxes and for
// hulls share; each has its own way to search a polytope.
#include "compute/world/contacts/contacts.glsl"
#include "compute/world/contacts/segments.glsl"

const float kOverhang = 2.5;  // times the slop: how much lower an end may hang beside the face

/// The faces as the core, start .. start + along, sees them.
struct Scan {
    uint face;         // the face that the lower end is farthest above ...
    float separation;  // ... and how far
    uvec2 highest;     // of a hull: for each end, the face it is farthest above ...
    vec2 height;       // ... and how far: if it is above that face's inside, its distance
    bool inside;       // some point of the core is known to be in the polytope
};
/// The nearest points of a core outside.
struct Nearest {
    float distance2;
    vec3 on_core, on_surface;
    bool on_edge;     // false when an end is nearest to the inside of a face
    vec3 tail, edge;  // that edge, from its tail
    float s, t;       // where on the core and on that edge
};
/// The core is in the polytope: the shallowest of the products of the core with the edges whose two faces
/// look to different ends of it.
struct DeepEdge {
    bool there;
    float separation;
    vec3 normal, tail, edge;
};

// ---- what a kernel brings along
/// All faces.
Scan scan_faces(Placed s, vec3 start, vec3 along);
/// The nearest points of a core that may be outside.
Nearest find_nearest(Placed s, vec3 start, vec3 along, Scan scan);
DeepEdge shallowest_edge(Placed s, vec3 start, vec3 along);
/// The part of the core above a face whose sides are moved out by slop, as parameters; the first is the
/// larger one when there is none.
vec2 above_face(Placed s, uint face, vec3 start, vec3 along, float slop);
vec4 face_plane(Placed s, uint face);

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
    const vec4 plane = face_plane(s, face);
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

/// The contacts of one pair.
void collide_core(uint p) {
    const uint ia = pair_a[p], ib = pair_b[p];
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
    // A core on the surface has a direction to it only by rounding: the axes of the deep case are exact
    // there.
    const bool deep = scan.inside || distance < (sphere ? 1e-6 : 1e-3) * radius;
    if (!deep && distance > reach) return;

    const vec4 plane = face_plane(poly, scan.face);
    vec3 outward = plane.xyz;
    DeepEdge edge = DeepEdge(false, -1e30, vec3(0.0), vec3(0.0), vec3(0.0));
    if (deep) edge = shallowest_edge(poly, start, along);
    if (deep ? !edge.there || edge.separation <= scan.separation + 2.0 * slop : !sphere) {
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
        if (deep && !edge.there) {  // only rounding brings us here: the lower end, straight out
            const vec3 x = start + (dot(outward, along) < 0.0 ? 1.0 : 0.0) * along;
            add_found(x, x - outward * scan.separation, scan.separation, 0u);
        } else if (deep) {
            const vec3 pair = closest_segments(start - edge.tail, along, edge.edge);
            outward = edge.normal;
            add_found(start + pair.x * along, edge.tail + pair.y * edge.edge, edge.separation,
                      core_feature(pair.x));
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
    put_manifold(p, round_is_a ? -normal : normal, found_count, round_is_a);
}
