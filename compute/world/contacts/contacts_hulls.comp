// SPDX-License-Identifier: MIT
// Two polytopes, at least one a hull: the separating axis test over the faces of both and over the pairs of
// edges that meet on the Gauss map. Each is searched in its own frame. Contacts are made by contacts_faces or
// contacts_edges.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"

const float kParallelSine2 = 1e-6;  // 0.06 degrees: below, the product is rounding
const uint kBatch = 16u;            // edges of b that are held at a time

/// The middle of a ball inside a shape near the point x: a box holds its inner ball also anywhere along its
/// longer sides, which matters for plates and floors.
vec3 inner_ball_near(Placed s, vec3 x) {
    if (s.kind != kBox) return s.center;
    const vec3 room = s.size - s.inner_radius;
    return clamp(x, -room, room);
}

/// An edge with the outward normals beside it: an arc of the Gauss map.
struct Arc {
    vec3 tail, along, left, right;
};
Arc arc_of(uint vertex, uint face, uvec2 edge) {
    const vec3 tail = vertices[vertex + (edge.x & 0xFFFFu)].xyz;
    return Arc(tail, vertices[vertex + (edge.x >> 16)].xyz - tail, faces[2u * (face + (edge.y & 0xFFFFu))].xyz,
               faces[2u * (face + (edge.y >> 16))].xyz);
}

/// Whether an edge may hold an axis better than wanted. Along the arc of normals n the surface passes through
/// its tail, so the separation is at most n . w - radius, w from there to the other's inner ball: largest at
/// an end of the arc, or, when it grows from both ends inwards, straight across the edge.
bool may_hold_axis(Arc e, vec3 ball, float wanted) {
    const vec3 w = ball - e.tail, turn = cross(w, e.along);
    const float on_left = dot(e.left, w), on_right = dot(e.right, w);
    if (max(on_left, on_right) >= wanted) return true;
    const float wanted2 = wanted > 0.0 ? wanted * wanted * dot(e.along, e.along) : -1.0;
    return dot(e.left, turn) * dot(e.right, turn) <= 0.0 && on_left + on_right > 0.0 &&
           dot(turn, turn) >= wanted2;
}

struct EdgesFound {
    uint a, b;  // kNone: none better than what was wanted
    float separation;
    vec3 normal;  // in b's frame
};

EdgesFound best_edges(Placed a, Placed b, mat3 turn, vec3 position, vec3 ball_a, vec3 ball_b, float rounding,
                      float least) {
    EdgesFound best = EdgesFound(kNone, kNone, least, vec3(0.0));
    const float wanted_a = least + b.inner_radius - rounding, wanted_b = least + a.inner_radius - rounding;
    uint held[kBatch];
    uint next_b = 0u;
    while (next_b < b.edge_count) {
        uint holding = 0u;
        for (; next_b < b.edge_count && holding < kBatch; ++next_b)
            if (may_hold_axis(arc_of(b.vertex, b.face, edges[b.edge + next_b]), ball_a, wanted_b))
                held[holding++] = next_b;
        if (holding == 0u) break;
        uint next_a = 0u;
        while (true) {
            // Each invocation goes on to its next edge by itself; then all work on theirs together.
            Arc e;
            bool have = false;
            while (next_a < a.edge_count && !have) {
                e = arc_of(a.vertex, a.face, edges[a.edge + next_a]);
                have = may_hold_axis(e, ball_b, wanted_a);
                ++next_a;
            }
            if (!have) break;
            e = Arc((e.tail - position) * turn, e.along * turn, e.left * turn, e.right * turn);
            const float ee = dot(e.along, e.along);
            for (uint k = 0u; k < holding; ++k) {
                // A pair makes a face of the Minkowski sum exactly when a's arc crosses the arc of b's
                // reversed normals: three signs, before anything is divided.
                const Arc f = arc_of(b.vertex, b.face, edges[b.edge + held[k]]);
                const float bl = dot(f.left, e.along), br = dot(f.right, e.along);
                const float al = dot(e.left, f.along), ar = dot(e.right, f.along);
                if (!(bl * br < 0.0 && al * ar < 0.0 && bl * ar < 0.0)) continue;
                vec3 n = cross(e.along, f.along);
                const float n2 = dot(n, n);
                if (n2 < kParallelSine2 * ee * dot(f.along, f.along)) continue;
                n *= (dot(n, e.left + e.right) < 0.0 ? -1.0 : 1.0) / sqrt(n2);
                const float separation = dot(n, f.tail - e.tail);
                if (separation > best.separation) best = EdgesFound(next_a - 1u, held[k], separation, n);
            }
        }
    }
    return best;
}

struct FaceFound {
    uint face, support;  // the face of the one, the vertex of the other deepest below it
    float separation;
};

/// The face of `own` that `other` is farthest above. `turn` leads from own's frame to other's, whose origin
/// own sees at `position`, and its inner ball at `ball`. One that separates by more than the margin will do.
FaceFound best_face(Placed own, Placed other, mat3 turn, vec3 position, vec3 ball, float rounding,
                    float margin) {
    // Begin with the face that the inner ball is farthest above.
    uint first = 0u;
    float most = -1e30;
    for (uint f = 0u; f < own.face_count; ++f) {
        const vec4 plane = faces[2u * (own.face + f)];
        const float h = dot(plane.xyz, ball) - plane.w;
        if (h > most) {
            most = h;
            first = f;
        }
    }
    // Two bounds, a product each, leave few of the other faces: none separates other farther than its inner
    // ball, nor than any of its vertices, and the one deepest below a good face is nearly the deepest below
    // its neighbours.
    FaceFound best = FaceFound(first, 0u, -1e30);
    vec3 deep = vec3(0.0);
    uint f = first, next = 0u;
    while (true) {
        const vec4 plane = faces[2u * (own.face + f)];
        const vec3 n = turn * plane.xyz;
        uint support = 0u;
        float low = 1e30;
        for (uint v = 0u; v < other.vertex_count; ++v) {
            const float h = dot(n, vertices[other.vertex + v].xyz);
            if (h < low) {
                low = h;
                support = v;
            }
        }
        const float separation = dot(plane.xyz, position) + low - plane.w;
        if (separation > best.separation || (separation == best.separation && f < best.face)) {
            best = FaceFound(f, support, separation);
            deep = vertices[other.vertex + support].xyz * turn + position;
        }
        bool have = false;
        if (best.separation > margin) break;
        while (next < own.face_count && !have) {
            const vec4 other_plane = faces[2u * (own.face + next)];
            const float by_ball = dot(other_plane.xyz, ball) - other_plane.w - other.inner_radius;
            const float by_vertex = dot(other_plane.xyz, deep) - other_plane.w;
            have = next != first && next != best.face && min(by_ball, by_vertex) >= best.separation - rounding;
            f = next;
            ++next;
        }
        if (!have) break;
    }
    return best;
}

void main() {
    const uint index = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || index >= list_count(kListHulls)) return;
    const uint p = list_entry(kListHulls, index);
    const Placed a = placed(pair_a[p]), b = placed(pair_b[p]);
    const float margin = margin_of(p);
    const vec4 to_a = conjugate(a.rotation);
    const mat3 turn = matrix_of(compose(to_a, b.rotation));  // from b's frame to a's
    const vec3 position = rotate(to_a, b.position - a.position);
    const vec3 in_a = inner_ball_near(a, turn * b.center + position);
    const vec3 ball_a = (in_a - position) * turn;
    const vec3 ball_b = turn * inner_ball_near(b, ball_a) + position;
    const float size = a.bounding_radius + b.bounding_radius, rounding = 1e-6 * size;

    // The two searches are one loop, so that the kernel holds their code once.
    FaceFound face_a, face_b;
    for (uint side = 0u; side < 2u; ++side) {
        Placed own = a, other = b;
        mat3 to_other = transpose(turn);
        vec3 place = position, ball = ball_b;
        if (side == 1u) {
            own = b;
            other = a;
            to_other = turn;
            place = -(position * turn);
            ball = ball_a;
        }
        const FaceFound found = best_face(own, other, to_other, place, ball, rounding, margin);
        if (!(found.separation <= margin)) return;
        if (side == 0u)
            face_a = found;
        else
            face_b = found;
    }

    const float slop = min(a.slop, b.slop);
    const float least = max(face_a.separation, face_b.separation) - 3.0 * slop - 1e-5 * size;
    const EdgesFound found = best_edges(a, b, turn, position, ball_a, ball_b, rounding, least);
    const bool have_edges = found.a != kNone;
    if (have_edges && found.separation > margin) return;

    // A face before an edge, a before b: the other one must be clearly better, or the choice would flicker.
    const bool on_b = face_b.separation > face_a.separation + slop;
    const float face_s = on_b ? face_b.separation : face_a.separation;
    const bool edges_win = have_edges && found.separation > face_s + 2.0 * slop;
    const uint face = edges_win ? kNone : on_b ? face_b.face | kOnB : face_a.face;
    lambda[p].xyz =
        uvec3(floatBitsToUint(face_s), floatBitsToUint(have_edges ? found.separation : -1e30), face);
    lambda[push.capacity + p].x = on_b ? face_b.support : face_a.support;
    if (have_edges) {
        lambda[push.capacity + p].yz = uvec2(edges[a.edge + found.a].x, edges[b.edge + found.b].x);
        lambda[2u * push.capacity + p].xyz = floatBitsToUint(turn * found.normal);
        lambda[3u * push.capacity + p].x = kTwoEdges | found.a << 10 | found.b;
    }
    append(edges_win ? kListEdges : kListFaces, p);
}
