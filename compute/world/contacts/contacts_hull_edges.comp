// SPDX-License-Identifier: MIT
// Two polytopes that no face separates: the separating axis test over the pairs of edges that meet on the
// Gauss map. Contacts are made by contacts_faces or contacts_edges.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"
#include "compute/world/contacts/polytopes.glsl"

const float kParallelSine2 = 1e-6;  // 0.06 degrees: below, the product is rounding
const uint kBatch = 16u;            // edges of b that are held at a time

/// An edge with the outward normals beside it: an arc of the Gauss map.
struct Arc {
    vec3 tail, along, left, right;
};
Arc arc_of(uint vertex, uint face, uvec2 edge) {
    const vec3 tail = vertices[vertex + (edge.x & 0xFFFFu)].xyz;
    return Arc(tail, vertices[vertex + (edge.x >> 16)].xyz - tail,
               faces[2u * (face + (edge.y & 0xFFFFu))].xyz, faces[2u * (face + (edge.y >> 16))].xyz);
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

EdgesFound best_edges(Placed a, Placed b, Polytopes pair, float least) {
    EdgesFound best = EdgesFound(kNone, kNone, least, vec3(0.0));
    const float wanted_a = least + b.inner_radius - pair.rounding,
                wanted_b = least + a.inner_radius - pair.rounding;
    uint held[kBatch];
    uint next_b = 0u;
    while (next_b < b.edge_count) {
        uint holding = 0u;
        for (; next_b < b.edge_count && holding < kBatch; ++next_b)
            if (may_hold_axis(arc_of(b.vertex, b.face, edges[b.edge + next_b]), pair.ball_a, wanted_b))
                held[holding++] = next_b;
        if (holding == 0u) break;
        uint next_a = 0u;
        while (true) {
            // Each invocation goes on to its next edge by itself; then all work on theirs together.
            Arc e;
            bool have = false;
            while (next_a < a.edge_count && !have) {
                e = arc_of(a.vertex, a.face, edges[a.edge + next_a]);
                have = may_hold_axis(e, pair.ball_b, wanted_a);
                ++next_a;
            }
            if (!have) break;
            e = Arc((e.tail - pair.position) * pair.turn, e.along * pair.turn, e.left * pair.turn,
                    e.right * pair.turn);
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

void main() {
    const uint index = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || index >= list_count(kListHullEdges)) return;
    const uint p = list_entry(kListHullEdges, index);
    const Placed a = placed(pair_a[p]), b = placed(pair_b[p]);
    const Polytopes pair = polytopes(a, b);
    const float face_s = uintBitsToFloat(lambda[p].x), least = uintBitsToFloat(lambda[p].y);
    const EdgesFound found = best_edges(a, b, pair, least);
    const bool have = found.a != kNone;
    if (have && found.separation > margin_of(p)) return;

    // A face before an edge, as with the faces.
    const bool edges_win = have && found.separation > face_s + 2.0 * pair.slop;
    lambda[p].y = floatBitsToUint(have ? found.separation : -1e30);
    if (edges_win) lambda[p].z = kNone;
    if (have) {
        lambda[push.capacity + p].yz = uvec2(edges[a.edge + found.a].x, edges[b.edge + found.b].x);
        lambda[2u * push.capacity + p].xyz = floatBitsToUint(pair.turn * found.normal);
        lambda[3u * push.capacity + p].x = kTwoEdges | found.a << 10 | found.b;
    }
    append(edges_win ? kListEdges : kListFaces, p);
}
