// SPDX-License-Identifier: MIT
// Two polytopes, at least one a hull: the separating axis test over the faces of both, each searched in the
// frame of its owner. Pairs that no face separates go on to contacts_hull_edges.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"
#include "compute/world/contacts/polytopes.glsl"

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
            have =
                next != first && next != best.face && min(by_ball, by_vertex) >= best.separation - rounding;
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
    const Polytopes pair = polytopes(a, b);

    // The two searches are one loop, so that the kernel holds their code once.
    FaceFound face_a, face_b;
    for (uint side = 0u; side < 2u; ++side) {
        Placed own = a, other = b;
        mat3 to_other = transpose(pair.turn);
        vec3 position = pair.position, ball = pair.ball_b;
        if (side == 1u) {
            own = b;
            other = a;
            to_other = pair.turn;
            position = -(pair.position * pair.turn);
            ball = pair.ball_a;
        }
        const FaceFound found = best_face(own, other, to_other, position, ball, pair.rounding, margin);
        if (!(found.separation <= margin)) return;
        if (side == 0u)
            face_a = found;
        else
            face_b = found;
    }

    // A before b: the other one must be clearly better, or the choice would flicker.
    const bool on_b = face_b.separation > face_a.separation + pair.slop;
    const float face_s = on_b ? face_b.separation : face_a.separation;
    const float least = max(face_a.separation, face_b.separation) - 3.0 * pair.slop - 1e-5 * pair.size;
    lambda[p].xyz =
        uvec3(floatBitsToUint(face_s), floatBitsToUint(least), on_b ? face_b.face | kOnB : face_a.face);
    lambda[push.capacity + p].x = on_b ? face_b.support : face_a.support;
    append(kListHullEdges, p);
}
