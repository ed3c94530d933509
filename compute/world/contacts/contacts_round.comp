// SPDX-License-Identifier: MIT
// Spheres and capsules among themselves: the nearest points of their cores. A sphere is a capsule without
// length.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"
#include "compute/world/contacts/segments.glsl"

void main() {
    const uint index = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || index >= list_count(kListRound)) return;
    const uint p = list_entry(kListRound, index), ia = pair_a[p], ib = pair_b[p];
    const Placed a = placed(ia), b = placed(ib);
    const float margin = margin_of(p);

    // About the centre of a: a pair far from the origin loses nothing.
    const vec3 half_a = rotate(a.rotation, vec3(0.0, a.half_height, 0.0));
    const vec3 half_b = rotate(b.rotation, vec3(0.0, b.half_height, 0.0));
    const vec3 between = b.position - a.position;
    const vec3 start_a = -half_a, along_a = 2.0 * half_a, start_b = between - half_b, along_b = 2.0 * half_b;
    const vec3 near = closest_segments(start_a - start_b, along_a, along_b);
    const float radii = a.radius + b.radius, reach = radii + margin;
    if (near.z > reach * reach) return;
    const vec3 near_a = start_a + near.x * along_a, near_b = start_b + near.y * along_b;
    const vec3 gap = near_b - near_a;
    const float distance = length(gap);

    // Where both nearest points lie inside their cores, the normal is the common perpendicular: exact however
    // small the distance, which is where the difference of the points is nothing but rounding.
    const vec3 across = cross(along_a, along_b);
    const float across2 = dot(across, across), aa = dot(along_a, along_a);
    const float lengths2 = aa * dot(along_b, along_b);
    const bool inside = near.x > 0.0 && near.x < 1.0 && near.y > 0.0 && near.y < 1.0;
    const vec3 away = distance > 1e-6 * radii ? gap : between;
    vec3 normal;
    if (across2 > 1e-2 * lengths2 && (inside || distance <= 1e-4 * radii)) {
        normal = across * ((dot(across, away) < 0.0 ? -1.0 : 1.0) / sqrt(across2));
    } else if (distance > (lengths2 > 0.0 ? 1e-4 : 1e-6) * radii) {
        normal = gap / distance;
    } else {  // the cores cover each other: out along any perpendicular
        normal = vec3(0.0, 1.0, 0.0);
        vec3 other;
        if (a.half_height > 0.0 || b.half_height > 0.0)
            make_tangents(normalize(a.half_height >= b.half_height ? along_a : along_b), normal, other);
        if (dot(normal, away) < 0.0) normal = -normal;
    }

    // Within three degrees of parallel: a point at each end of the common stretch, so that one can lie on the
    // other. The nearest points, unless one of those is as near.
    const vec3 base = a.position - arm_origin(ia);
    const float nearest = distance - radii;
    float ends[2] = {0.0, 0.0};
    bool stretch = false;
    if (across2 < 2.5e-3 * lengths2) {
        const float end0 = dot(start_b - start_a, along_a) / aa;
        const float end1 = dot(start_b + along_b - start_a, along_a) / aa;
        ends[0] = max(0.0, min(end0, end1));
        ends[1] = min(1.0, max(end0, end1));
        stretch = (ends[1] - ends[0]) * sqrt(aa) > 0.05 * radii;
    }
    uint count = 0u;
    bool covered = false;
    for (uint k = stretch ? 0u : 2u; k < 3u; ++k) {
        vec3 core_a = near_a, core_b = near_b;
        float separation = nearest;
        if (k < 2u) {
            core_a = start_a + ends[k] * along_a;
            core_b = start_b + along_b * closest_on_segment(start_b, along_b, core_a);
            separation = length(core_b - core_a) - radii;
            covered = covered || separation <= nearest + 0.01 * radii;
        } else if (covered) {
            break;
        }
        if (separation > margin) continue;
        // The point lies on the line between its own two cores, which for a second point is not quite the
        // normal.
        const float gap_length = separation + radii;
        const vec3 line = gap_length > 1e-4 * radii ? (core_b - core_a) / gap_length : normal;
        put_point(p, count, base + core_a + line * (a.radius + 0.5 * separation), separation, (k + 1u) % 3u);
        ++count;
    }
    put_manifold(p, normal, count, false);
}
