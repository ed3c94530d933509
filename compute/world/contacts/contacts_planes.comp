// SPDX-License-Identifier: MIT
// A half-space, solid below y = 0 of its frame, and anything. Round shapes are done here; of a polytope the
// lowest vertex is found, and the face around it goes to contacts_faces, or
// contacts_box_faces.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "compute/world/contacts/contacts.glsl"

void main() {
    const uint index = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || index >= list_count(kListPlanes)) return;
    const uint p = list_entry(kListPlanes, index);
    const uint ia = pair_a[p], ib = pair_b[p];
    const bool on_b = shapes[colliders[ib].refs.y].kind.x == kHalfSpace;
    const Placed s = placed(on_b ? ia : ib);
    const uint plane = on_b ? ib : ia;
    const vec3 up = rotate(collider_poses[2u * plane + 1u], vec3(0.0, 1.0, 0.0));
    const vec3 from_plane = s.position - collider_poses[2u * plane].xyz;
    const float height = dot(up, from_plane), margin = margin_of(p);

    if (s.kind == kSphere || s.kind == kCapsule) {
        const vec3 base = s.position - arm_origin(ia);
        const vec3 half_axis = rotate(s.rotation, vec3(0.0, s.half_height, 0.0));
        const uint ends = s.kind == kCapsule && s.half_height > 0.0 ? 2u : 1u;
        uint count = 0u;
        for (uint k = 0u; k < ends; ++k) {
            const vec3 core = (k == 0u ? -1.0 : 1.0) * half_axis;
            const float separation = height + dot(up, core) - s.radius;
            if (separation > margin) continue;
            put_point(p, count, base + core - up * (s.radius + 0.5 * separation), separation,
                      s.kind == kCapsule ? k + 1u : 0u);
            ++count;
        }
        put_manifold(p, on_b ? -up : up, count, on_b);
        return;
    }

    const vec3 n = rotate(conjugate(s.rotation), up);
    uint lowest = 0u;
    float least = 1e30;
    if (s.kind == kBox) {
        lowest = (n.x < 0.0 ? 1u : 0u) | (n.y < 0.0 ? 2u : 0u) | (n.z < 0.0 ? 4u : 0u);
        least = -dot(abs(n), s.size);
    } else {
        for (uint v = 0u; v < s.vertex_count; ++v) {
            const float h = dot(n, vertices[s.vertex + v].xyz);
            if (h < least) {
                least = h;
                lowest = v;
            }
        }
    }
    if (!(height + least <= margin)) return;
    lambda[p].xyz = uvec3(floatBitsToUint(height + least), floatBitsToUint(-1e30), on_b ? kOnB : 0u);
    lambda[push.capacity + p].x = lowest;
    append(s.kind == kBox ? kListBoxFaces : kListFaces, p);
}
