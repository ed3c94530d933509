// SPDX-License-Identifier: MIT
// A face of a box, or a half-space, is the axis, and the other shape is a box: contacts_faces in closed form.
// The incident face is a parallelogram seen from above, the reference face a rectangle with sides along u and
// v; w points out of it. Four edges, four vertices and four corners are the components of vectors, so that
// nothing is looked up by an index that differs from invocation to invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"

const float kClearlyBetter = 1.05;  // among equals the first wins, whatever the last bits say

/// Twelve points: where what is left of each edge begins, where it ends, and the corners.
struct Points {
    vec4 u[3], v[3], w[3];
};
vec3 point(Points x, uint i) {
    const uint group = i >> 2, k = i & 3u;
    const vec4 u = group == 0u ? x.u[0] : group == 1u ? x.u[1] : x.u[2];
    const vec4 v = group == 0u ? x.v[0] : group == 1u ? x.v[1] : x.v[2];
    const vec4 w = group == 0u ? x.w[0] : group == 1u ? x.w[1] : x.w[2];
    return vec3(u[k], v[k], w[k]);
}
uint bits(bvec4 b) { return uint(b.x) | uint(b.y) << 1 | uint(b.z) << 2 | uint(b.w) << 3; }
bvec4 flags(uint word) { return notEqual(uvec4(word) & uvec4(1u, 2u, 4u, 8u), uvec4(0u)); }

float area2(vec2 a, vec2 b, vec2 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }
/// Twice the area of the hull of four points, in any order: the best of the three pairs of diagonals.
float quad_area2(vec2 a, vec2 b, vec2 c, vec2 d) {
    const vec2 p = b - a, q = c - a, r = d - a, s = d - c, t = d - b, o = c - b;
    return max(abs(p.x * s.y - p.y * s.x), max(abs(q.x * t.y - q.y * t.x), abs(r.x * o.y - r.y * o.x)));
}

/// At most four of the points in the mask, as a mask: the largest area, and the deepest point unless a chosen
/// one is as deep within a thousandth of the patch; as keep_spanning of spanning_points.glsl.
uint spanning(Points x, uint mask) {
    vec2 first = vec2(0.0), second = vec2(0.0), third = vec2(0.0), fourth = vec2(0.0);
    float lowest = 1e30;
    bvec4 there[3];
    for (uint g = 0u; g < 3u; ++g) {
        there[g] = flags(mask >> 4u * g);
        const vec4 on = mix(vec4(0.0), vec4(1.0), there[g]), w = mix(vec4(1e30), x.w[g], there[g]);
        first += vec2(dot(on, x.u[g]), dot(on, x.v[g]));
        lowest = min(lowest, min(min(w.x, w.y), min(w.z, w.w)));
    }
    first *= 1.0 / float(bitCount(mask));  // the middle, until there is a first point

    uvec4 chosen = uvec4(0u);
    float patch2 = 0.0, side = 1.0, least = 1e30;
    uint picked = 0u;
    for (uint round = 0u; round < 4u; ++round) {
        vec4 score[3];
        float most = 0.0;
        for (uint g = 0u; g < 3u; ++g) {
            const vec4 u = x.u[g] - first.x, v = x.v[g] - first.y;
            const vec2 e = second - first, f = third - second, h = first - third;
            const vec4 along = side * (e.x * v - e.y * u);
            if (round < 2u)
                score[g] = u * u + v * v;
            else if (round == 2u)
                score[g] = abs(along);
            else  // area outside an edge of the triangle is what a fourth point adds
                score[g] = -min(along, min(side * (f.x * (x.v[g] - second.y) - f.y * (x.u[g] - second.x)),
                                           side * (h.x * (x.v[g] - third.y) - h.y * (x.u[g] - third.x))));
            score[g] = mix(vec4(-1.0), score[g], there[g]);
            most = max(most, max(max(score[g].x, score[g].y), max(score[g].z, score[g].w)));
        }
        if (round > 0u && !(most > (round >= 2u ? 1e-4 * patch2 : 0.0))) break;
        const vec4 enough = vec4(most / kClearlyBetter);
        const uint good = bits(greaterThanEqual(score[0], enough)) |
                          bits(greaterThanEqual(score[1], enough)) << 4 |
                          bits(greaterThanEqual(score[2], enough)) << 8;
        const uint at = min(uint(findLSB(good & mask)), 11u);
        const vec3 p = point(x, at);
        least = min(least, p.z);
        ++picked;
        if (round == 0u) {
            first = p.xy;
            chosen.x = 1u << at;
        } else if (round == 1u) {
            second = p.xy;
            chosen.y = 1u << at;
            patch2 = most;
        } else if (round == 2u) {
            third = p.xy;
            chosen.z = 1u << at;
            side = area2(first, second, third) > 0.0 ? 1.0 : -1.0;
        } else {
            fourth = p.xy;
            chosen.w = 1u << at;
        }
    }
    if (lowest < least - 1e-3 * sqrt(patch2)) {
        const uint deep = bits(equal(x.w[0], vec4(lowest))) | bits(equal(x.w[1], vec4(lowest))) << 4 |
                          bits(equal(x.w[2], vec4(lowest))) << 8;
        const uint at = min(uint(findLSB(deep & mask)), 11u);
        uint replaced = picked;  // all points lie on a line, or in a triangle
        if (picked == kMaxPoints) {
            // It takes the place of the point whose loss costs the least area.
            const vec2 d = point(x, at).xy;
            const vec4 areas =
                vec4(quad_area2(second, third, fourth, d), quad_area2(third, fourth, first, d),
                     quad_area2(fourth, first, second, d), quad_area2(first, second, third, d));
            const float enough = max(max(areas.x, areas.y), max(areas.z, areas.w)) / kClearlyBetter;
            replaced = min(uint(findLSB(bits(greaterThanEqual(areas, vec4(enough))))), 3u);
        }
        chosen = mix(chosen, uvec4(1u << at), equal(uvec4(replaced), uvec4(0u, 1u, 2u, 3u)));
    }
    return chosen.x | chosen.y | chosen.z | chosen.w;
}

/// The part of the edges x .. y on the inner side of one more side: heights above it at both ends.
void clip_by_side(vec4 hx, vec4 hy, uint side, inout vec4 begin, inout vec4 end, inout uvec4 begin_side,
                  inout uvec4 end_side) {
    const bvec4 out_x = greaterThan(hx, vec4(0.0)), out_y = greaterThan(hy, vec4(0.0));
    const vec4 t = hx / (hx - hy);
    const uint x = bits(out_x), y = bits(out_y);
    const bvec4 enters = flags(x & ~y & bits(greaterThan(t, begin)));
    const bvec4 leaves = flags(y & ~x & bits(lessThan(t, end)));
    begin = mix(mix(begin, t, enters), vec4(2.0), flags(x & y));
    end = mix(end, t, leaves);
    begin_side = mix(begin_side, uvec4(side), enters);
    end_side = mix(end_side, uvec4(side), leaves);
}

/// Which of four points are nearer than sqrt(merge2) to their counterpart, if that is one of `others`.
uint doubles(vec4 u, vec4 v, vec4 w, vec4 other_u, vec4 other_v, vec4 other_w, uint others, float merge2) {
    const vec4 du = u - other_u, dv = v - other_v, dw = w - other_w;
    return bits(lessThan(du * du + dv * dv + dw * dw, vec4(merge2))) & others;
}
/// The last of four bits goes to the front.
uint next(uint word) { return (word >> 1 | word << 3) & 15u; }

vec3 from_uvw(uint axis, vec3 x) { return axis == 0u ? x.zxy : axis == 1u ? x.yzx : x.xyz; }
vec3 to_uvw(uint axis, vec3 x) { return axis == 0u ? x.yzx : axis == 1u ? x.zxy : x.xyz; }

void main() {
    const uint index = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || index >= list_count(kListBoxFaces)) return;
    const uint p = list_entry(kListBoxFaces, index);
    const uint ia = pair_a[p], ib = pair_b[p];
    const uvec4 record = lambda[p];
    const bool on_b = (record.z & kOnB) != 0u;
    const uint face = record.z & ~kOnB;
    const Placed ref = placed(on_b ? ib : ia), inc = placed(on_b ? ia : ib);
    const float margin = margin_of(p), face_s = uintBitsToFloat(record.x);
    const bool plane = ref.kind == kHalfSpace;
    const float slop = plane ? 0.0 : min(ref.slop, inc.slop), merge2 = 0.01 * slop * slop;

    // The incident box in the coordinates of the reference face: middle, and the axes times their halves.
    const uint axis = plane ? 1u : face >> 1;
    const float side = plane || (face & 1u) == 0u ? 1.0 : -1.0;
    const vec3 flip = vec3(1.0, 1.0, side);
    const vec4 to_ref = conjugate(ref.rotation);
    const mat3 turn = matrix_of(compose(to_ref, inc.rotation));
    const mat3 axes =
        mat3(to_uvw(axis, turn[0]) * flip, to_uvw(axis, turn[1]) * flip, to_uvw(axis, turn[2]) * flip);
    const vec3 center = to_uvw(axis, rotate(to_ref, inc.position - ref.position)) * flip;
    const vec3 half_ref = plane ? vec3(1e30, 1e30, 0.0) : to_uvw(axis, ref.size);
    const vec2 limit = half_ref.xy + slop;

    // The face that looks most against the normal: its middle, and from there along its two other axes.
    const vec3 against = vec3(axes[0].z, axes[1].z, axes[2].z), m = abs(against);
    const uint k = m.x >= m.y && m.x >= m.z ? 0u : m.y >= m.z ? 1u : 2u;
    const bool up = (k == 0u ? against.x : k == 1u ? against.y : against.z) > 0.0;
    const vec3 ek = k == 0u ? axes[0] : k == 1u ? axes[1] : axes[2];
    const vec3 ei = k == 0u ? axes[1] : k == 1u ? axes[2] : axes[0];
    const vec3 ej = k == 0u ? axes[2] : k == 1u ? axes[0] : axes[1];
    const vec3 half_inc = to_uvw(k, inc.size);  // of i, j, k
    const vec3 middle = center + ek * (up ? -half_inc.z : half_inc.z);
    const vec3 di = ei * half_inc.x, dj = ej * half_inc.y;
    // Vertices in turn: + +, - +, - -, + -. Edges 0 and 2 run along i, the others along j.
    const vec4 si = vec4(1.0, -1.0, -1.0, 1.0), sj = vec4(1.0, 1.0, -1.0, -1.0);
    const vec4 u = middle.x + di.x * si + dj.x * sj, v = middle.y + di.y * si + dj.y * sj;
    const vec4 w = middle.z + di.z * si + dj.z * sj;

    vec4 begin = vec4(0.0), end = vec4(1.0);
    uvec4 begin_side = uvec4(kNone), end_side = uvec4(kNone);
    clip_by_side(u - limit.x, u.yzwx - limit.x, 0u, begin, end, begin_side, end_side);
    clip_by_side(-u - limit.x, -u.yzwx - limit.x, 1u, begin, end, begin_side, end_side);
    clip_by_side(v - limit.y, v.yzwx - limit.y, 2u, begin, end, begin_side, end_side);
    clip_by_side(-v - limit.y, -v.yzwx - limit.y, 3u, begin, end, begin_side, end_side);

    Points x;
    const uint some = bits(lessThanEqual(begin, end));
    const uint left = bits(notEqual(end_side, uvec4(kNone))),
               entered = bits(notEqual(begin_side, uvec4(kNone)));
    x.u[0] = u + begin * (u.yzwx - u);
    x.v[0] = v + begin * (v.yzwx - v);
    x.w[0] = w + begin * (w.yzwx - w);
    x.u[1] = u + end * (u.yzwx - u);
    x.v[1] = v + end * (v.yzwx - v);
    x.w[1] = w + end * (w.yzwx - w);
    // Corners of the reference face that lie on the incident one, lifted onto it.
    uint corners = 0u;
    x.u[2] = x.v[2] = x.w[2] = vec4(0.0);
    if (some != 15u || left != 0u || entered != 0u) {
        x.u[2] = limit.x * si;
        x.v[2] = limit.y * sj;
        const vec4 du = x.u[2] - middle.x, dv = x.v[2] - middle.y;
        const float determinant = di.x * dj.y - di.y * dj.x;
        const vec4 i = (du * dj.y - dv * dj.x) / determinant, j = (dv * di.x - du * di.y) / determinant;
        x.w[2] = middle.z + i * di.z + j * dj.z;
        corners = bits(lessThanEqual(max(abs(i), abs(j)), vec4(1.00001)));
    }

    // Near enough; and of doubles, which come from corners that fall on a side, the steadier name.
    uint begins = some & bits(lessThanEqual(x.w[0], vec4(half_ref.z + margin)));
    uint ends = some & left & bits(lessThanEqual(x.w[1], vec4(half_ref.z + margin)));
    corners &= bits(lessThanEqual(x.w[2], vec4(half_ref.z + margin)));
    ends &= ~doubles(x.u[1], x.v[1], x.w[1], x.u[0], x.v[0], x.w[0], begins, merge2);
    const uint before =
        doubles(x.u[1], x.v[1], x.w[1], x.u[0].yzwx, x.v[0].yzwx, x.w[0].yzwx, next(begins), merge2);
    ends &= ~before;
    if (corners != 0u) {
        vec4 ou[2] = {x.u[0], x.u[1]}, ov[2] = {x.v[0], x.v[1]}, ow[2] = {x.w[0], x.w[1]};
        uint others[2] = {begins, ends};
        for (uint round = 0u; round < 4u; ++round)
            for (uint g = 0u; g < 2u; ++g) {
                corners &= ~doubles(x.u[2], x.v[2], x.w[2], ou[g], ov[g], ow[g], others[g], merge2);
                ou[g] = ou[g].yzwx;
                ov[g] = ov[g].yzwx;
                ow[g] = ow[g].yzwx;
                others[g] = next(others[g]);
            }
    }
    uint mask = begins | ends << 4 | corners << 8;
    if (bitCount(mask) > int(kMaxPoints)) mask = spanning(x, mask);

    const uint i = (k + 1u) % 3u, j = (k + 2u) % 3u;
    const uint face_bit = up ? 0u : 1u << k;
    const vec3 base = ref.position - arm_origin(ia);
    const uint feature = (on_b ? kOnB : 0u) | face << 22;
    float least = 1e30;
    uint count = 0u;
    while (mask != 0u) {
        const uint at = uint(findLSB(mask)), e = at & 3u;
        mask &= mask - 1u;
        const vec3 found = point(x, at);
        const float separation = found.z - half_ref.z;
        const vec3 local = from_uvw(axis, vec3(found.xy, half_ref.z + 0.5 * separation) * flip);
        const uint vertex = face_bit | (e == 0u || e == 3u ? 1u << i : 0u) | (e < 2u ? 1u << j : 0u);
        const uint along = (e & 1u) == 0u ? i : j;
        // An edge is named by its axis and its end on the negative side.
        const uint edge = along << 3 | (vertex & ~(1u << along));
        const uint crossed = at < 4u ? begin_side[e] : end_side[e];
        uint id = crossed == kNone ? kIncidentVertex | vertex : kEdgeAndSide | edge << 10 | crossed;
        if (at >= 8u) id = kTwoSides | (e == 0u || e == 3u ? 0u : 1u) << 10 | (e < 2u ? 2u : 3u);
        put_point(p, count, base + rotate(ref.rotation, local), separation, feature | id);
        least = min(least, separation);
        ++count;
    }
    const vec3 normal = rotate(ref.rotation, from_uvw(axis, vec3(0.0, 0.0, side)));
    put_manifold(p, on_b ? -normal : normal, count, on_b);
    if (!plane && !(least <= face_s + 2.0 * slop)) {
        lambda[push.capacity + p].x = 2u * k + (up ? 1u : 0u);
        lambda[3u * push.capacity + p].y = floatBitsToUint(least);
        append(kListEdges, p);
    }
}
