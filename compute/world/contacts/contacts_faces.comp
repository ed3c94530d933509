// SPDX-License-Identifier: MIT
// A face of one polytope, or a half-space, is the axis: the face of the other that looks most against it is
// clipped by its sides, and at most four of the points that are left become contacts.
//
// The corners of the common part of two convex polygons are the vertices of the one inside the other, the
// crossings of edges and sides, and the corners of the other inside the one. They are found as such, edge by
// edge and corner by corner, without a polygon that is cut again and again: no list but that of the points.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"
#include "compute/world/contacts/spanning_points.glsl"

/// The reference face, in its own frame. A half-space has no sides.
struct Reference {
    vec3 normal;
    float offset;
    uint vertex, loop, sides;
    float slop;  // sides are moved out by this
};
/// The incident face, in its own frame and as the reference sees it.
struct Incident {
    uint vertex, loop, sides;
    mat3 turn;
    vec3 position;
};

vec3 corner(Reference r, uint k) { return vertices[r.vertex + (loops[r.loop + k] & 0xFFFFu)].xyz; }
vec3 corner(Incident i, uint k) {
    return i.turn * vertices[i.vertex + (loops[i.loop + k] & 0xFFFFu)].xyz + i.position;
}

/// Among the faces around the deepest vertex the one that looks most against the normal. A face elsewhere may
/// look more so and still miss the deepest point.
uint incident_face(Placed s, vec3 normal, uint support) {
    if (s.kind == kBox) {
        const vec3 m = abs(normal);
        const uint axis = m.x >= m.y && m.x >= m.z ? 0u : m.y >= m.z ? 1u : 2u;
        return 2u * axis + (normal[axis] > 0.0 ? 1u : 0u);
    }
    uint best = 0u;
    float least = 2.0;
    for (uint e = 0u; e < s.edge_count; ++e) {
        const uint ends = edges[s.edge + e].x;
        if ((ends & 0xFFFFu) != support && (ends >> 16) != support) continue;
        const uint beside = edges[s.edge + e].y;
        for (uint k = 0u; k < 2u; ++k) {
            const uint face = k == 0u ? beside & 0xFFFFu : beside >> 16;
            const float d = dot(faces[2u * (s.face + face)].xyz, normal);
            if (d < least || (d == least && face < best)) {
                least = d;
                best = face;
            }
        }
    }
    return best;
}

/// The part of x .. y inside all sides, as parameters, and the sides that end it.
struct Span {
    float begin, end;
    uint begin_side, end_side;
};
Span clip_edge(Reference r, vec3 x, vec3 y) {
    Span span = Span(0.0, 1.0, kNone, kNone);
    vec3 tail = vec3(0.0);
    if (r.sides > 0u) tail = corner(r, 0u);
    for (uint i = 0u; i < r.sides; ++i) {
        const vec3 head = corner(r, i + 1u < r.sides ? i + 1u : 0u), d = head - tail;
        const vec3 outward = cross(d, r.normal);
        const float out_by = r.slop * length(d);
        const float hx = dot(outward, x - tail) - out_by, hy = dot(outward, y - tail) - out_by;
        tail = head;
        if (hx > 0.0 || hy > 0.0) {
            const float t = hx / (hx - hy);
            if (hx > 0.0 && hy > 0.0) {
                span.begin = 2.0;
            } else if (hx > 0.0 && t > span.begin) {
                span.begin = t;
                span.begin_side = i;
            } else if (hy > 0.0 && t < span.end) {
                span.end = t;
                span.end_side = i;
            }
        }
    }
    return span;
}

/// Where two neighbouring sides meet, when it lies on the incident face: lifted onto its plane along the
/// reference normal.
bool corner_on_face(Reference r, Incident inc, vec4 plane, uint i, float tolerance, out vec3 x) {
    const vec3 here = corner(r, i);
    const vec3 before = normalize(cross(here - corner(r, i > 0u ? i - 1u : r.sides - 1u), r.normal));
    const vec3 after = normalize(cross(corner(r, i + 1u < r.sides ? i + 1u : 0u) - here, r.normal));
    x = here + (before + after) * (r.slop / max(1.0 + dot(before, after), 0.05));
    const float slope = dot(plane.xyz, r.normal);
    if (slope > -1e-4) return false;
    x += r.normal * ((plane.w - dot(plane.xyz, x)) / slope);
    vec3 tail = corner(inc, 0u);
    for (uint k = 0u; k < inc.sides; ++k) {
        const vec3 head = corner(inc, k + 1u < inc.sides ? k + 1u : 0u);
        const vec3 outward = cross(r.normal, head - tail);  // the incident face looks against the normal
        if (dot(outward, x - tail) > tolerance * length(outward)) return false;
        tail = head;
    }
    return true;
}

uint crossing_id(uint edge, uint side) { return kEdgeAndSide | edge << 10 | side; }

void main() {
    const uint index = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || index >= list_count(kListFaces)) return;
    const uint p = list_entry(kListFaces, index);
    const uint ia = pair_a[p], ib = pair_b[p];
    const uvec4 record = lambda[p];
    const bool on_b = (record.z & kOnB) != 0u;
    const uint face = record.z & ~kOnB;
    const Placed ref = placed(on_b ? ib : ia), inc = placed(on_b ? ia : ib);
    const float margin = margin_of(p), face_s = uintBitsToFloat(record.x);
    const bool plane = ref.kind == kHalfSpace;

    Reference r;
    r.slop = plane ? 0.0 : min(ref.slop, inc.slop);
    r.normal = vec3(0.0, 1.0, 0.0);
    r.offset = 0.0;
    r.vertex = ref.vertex;
    r.loop = 0u;
    r.sides = 0u;
    if (!plane) {
        const vec4 own = faces[2u * (ref.face + face)];
        const uvec2 loop = floatBitsToUint(faces[2u * (ref.face + face) + 1u].xy);
        r.normal = own.xyz;
        r.offset = own.w;
        r.loop = ref.loop + loop.x;
        r.sides = loop.y;
    }
    const vec4 to_ref = conjugate(ref.rotation);
    Incident i;
    i.turn = matrix_of(compose(to_ref, inc.rotation));
    i.position = rotate(to_ref, inc.position - ref.position);
    const uint other = incident_face(inc, r.normal * i.turn, lambda[push.capacity + p].x);
    const vec4 inc_plane = faces[2u * (inc.face + other)];
    const uvec2 inc_loop = floatBitsToUint(faces[2u * (inc.face + other) + 1u].xy);
    i.vertex = inc.vertex;
    i.loop = inc.loop + inc_loop.x;
    i.sides = inc_loop.y;
    vec4 lifted = vec4(i.turn * inc_plane.xyz, 0.0);
    lifted.w = inc_plane.w + dot(lifted.xyz, i.position);

    // Edges of the incident face, then, when sides have cut some of it off, corners of the reference face.
    const float merge = 0.1 * r.slop;
    bool cut = false;
    vec3 here = corner(i, 0u);
    for (uint step = 0u; step < i.sides || (cut && step < i.sides + r.sides); ++step) {
        vec3 x[2];
        uint id[2];
        bool have[2] = {false, false};
        if (step < i.sides) {
            const uint word = loops[i.loop + step], edge = word >> 16;
            const vec3 there = corner(i, step + 1u < i.sides ? step + 1u : 0u);
            const Span span = clip_edge(r, here, there);
            const bool some = span.begin <= span.end;
            have[0] = some;
            have[1] = some && span.end_side != kNone;
            x[0] = here + span.begin * (there - here);
            x[1] = here + span.end * (there - here);
            id[0] = span.begin_side == kNone ? kIncidentVertex | (word & 0xFFFFu)
                                             : crossing_id(edge, span.begin_side);
            id[1] = crossing_id(edge, span.end_side);
            cut = cut || !some || span.begin_side != kNone || span.end_side != kNone;
            here = there;
        } else {
            const uint k = step - i.sides, before = k > 0u ? k - 1u : r.sides - 1u;
            have[0] = corner_on_face(r, i, lifted, k, merge, x[0]);
            id[0] = kTwoSides | min(before, k) << 10 | max(before, k);
        }
        for (uint k = 0u; k < 2u; ++k)
            if (have[k] && dot(r.normal, x[k]) - r.offset <= margin) add_found(x[k], id[k]);
        const bool last = step + 1u == i.sides + (cut ? r.sides : 0u);
        if (last || found_count + 2u > kMaxFound) keep_spanning(r.normal);
    }

    drop_doubles(merge * merge);

    const vec3 base = ref.position - arm_origin(ia);
    const uint feature = (on_b ? kOnB : 0u) | face << 22;
    float least = 1e30;
    for (uint k = 0u; k < found_count; ++k) {
        const vec3 x = found(k);
        const float separation = dot(r.normal, x) - r.offset;
        const vec3 middle = x - r.normal * (0.5 * separation);
        put_point(p, k, base + rotate(ref.rotation, middle), separation, feature | found_id(k));
        least = min(least, separation);
    }
    const vec3 normal = rotate(ref.rotation, r.normal);
    put_manifold(p, on_b ? -normal : normal, found_count, on_b);
    // Where clipping took away what is deepest or nearest, either two edges lost by the bias only, or corners
    // pass each other.
    if (!plane && !(least <= face_s + 2.0 * r.slop)) {
        lambda[push.capacity + p].x = other;
        lambda[3u * push.capacity + p].y = floatBitsToUint(least);
        append(kListEdges, p);
    }
}
