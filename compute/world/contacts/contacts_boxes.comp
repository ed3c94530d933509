// SPDX-License-Identifier: MIT
// Two boxes: the fifteen axes of the separating axis test in closed form, b as a sees it. Contacts are made
// by contacts_box_faces or contacts_edges.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"

const float kParallelSine2 = 1e-4;  // edges nearer to parallel than 0.6 degrees leave the axis to the faces

uint largest(vec3 v) { return v.x >= v.y && v.x >= v.z ? 0u : v.y >= v.z ? 1u : 2u; }

/// |offset . axis| - reach of a - reach of b along the products of axis i of a with the axes of b, which are
/// the components here. r0, r1, r2: rows of b's rotation from i on; likewise halves and offset of a.
vec3 edge_separations(vec3 r0, vec3 r1, vec3 r2, float h1, float h2, float o1, float o2, vec3 hb) {
    const vec3 length2 = r1 * r1 + r2 * r2, m0 = abs(r0);
    const vec3 scaled =
        abs(o2 * r1 - o1 * r2) - (h1 * abs(r2) + h2 * abs(r1)) - (hb.yzx * m0.zxy + hb.zxy * m0.yzx);
    return mix(scaled * inversesqrt(max(length2, vec3(kParallelSine2))), vec3(-1e30),
               lessThan(length2, vec3(kParallelSine2)));
}

void main() {
    const uint index = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || index >= list_count(kListBoxes)) return;
    const uint p = list_entry(kListBoxes, index);
    const Placed a = placed(pair_a[p]), b = placed(pair_b[p]);
    const float margin = margin_of(p);
    const vec4 to_a = conjugate(a.rotation);
    const mat3 turn = matrix_of(compose(to_a, b.rotation));
    const mat3 rows = transpose(turn);
    const vec3 offset = rotate(to_a, b.position - a.position), ha = a.size, hb = b.size;
    const vec3 offset_b = rows * offset;

    const mat3 absolute = mat3(abs(turn[0]), abs(turn[1]), abs(turn[2]));
    const vec3 face_a = abs(offset) - ha - absolute * hb;
    const vec3 face_b = abs(offset_b) - hb - ha * absolute;
    const uint axis_a = largest(face_a), axis_b = largest(face_b);
    const float face_a_s = face_a[axis_a], face_b_s = face_b[axis_b];
    if (!(max(face_a_s, face_b_s) <= margin)) return;

    const vec3 e0 = edge_separations(rows[0], rows[1], rows[2], ha.y, ha.z, offset.y, offset.z, hb);
    const vec3 e1 = edge_separations(rows[1], rows[2], rows[0], ha.z, ha.x, offset.z, offset.x, hb);
    const vec3 e2 = edge_separations(rows[2], rows[0], rows[1], ha.x, ha.y, offset.x, offset.y, hb);
    const vec3 over_b = max(e0, max(e1, e2));
    const uint j = largest(over_b), i = largest(vec3(e0[j], e1[j], e2[j]));
    const float edge_s = over_b[j];
    if (edge_s > margin) return;

    // A face before an edge, a before b: the other one must be clearly better, or the choice would flicker.
    const float slop = min(a.slop, b.slop);
    const bool on_b = face_b_s > face_a_s + slop;
    const float face_s = on_b ? face_b_s : face_a_s;
    const bool edges_win = edge_s > face_s + 2.0 * slop;
    const uint axis = on_b ? axis_b : axis_a;
    const float side = on_b ? -offset_b[axis] : offset[axis];
    const uint face = edges_win ? kNone : (2u * axis + (side < 0.0 ? 1u : 0u)) | (on_b ? kOnB : 0u);
    // An edge pair that is a little worse than the face may still be wanted.
    const bool keep_edges = edge_s > face_s - 2.0 * slop;
    lambda[p].xyz = uvec3(floatBitsToUint(face_s), floatBitsToUint(keep_edges ? edge_s : -1e30), face);
    if (keep_edges) {
        const vec3 axis_i = vec3(i == 0u ? 1.0 : 0.0, i == 1u ? 1.0 : 0.0, i == 2u ? 1.0 : 0.0);
        vec3 n = normalize(cross(axis_i, turn[j]));
        if (dot(n, offset) < 0.0) n = -n;
        // The supporting edges: a's farthest along n, b's farthest against it. Vertices have a bit per axis.
        const vec3 nb = rows * n;
        const uint up_a = (n.x > 0.0 ? 1u : 0u) | (n.y > 0.0 ? 2u : 0u) | (n.z > 0.0 ? 4u : 0u);
        const uint up_b = (nb.x < 0.0 ? 1u : 0u) | (nb.y < 0.0 ? 2u : 0u) | (nb.z < 0.0 ? 4u : 0u);
        const uint tail_a = up_a & ~(1u << i), tail_b = up_b & ~(1u << j);
        lambda[push.capacity + p].yz =
            uvec2(tail_a | (tail_a | 1u << i) << 16, tail_b | (tail_b | 1u << j) << 16);
        lambda[2u * push.capacity + p].xyz = floatBitsToUint(n);
        lambda[3u * push.capacity + p].x = kTwoEdges | (i << 3 | tail_a) << 10 | (j << 3 | tail_b);
    }
    append(edges_win ? kListEdges : kListBoxFaces, p);
}
