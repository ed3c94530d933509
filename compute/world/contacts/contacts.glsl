// SPDX-License-Identifier: MIT
// What the kernels of the contact stage share: the buffers, placed shapes, and how contacts are written.
//
// Between its kernels the stage keeps what it knows about a pair in the planes of `lambda`, whose last words
// are features, and whose other words are impulses only after contacts_match:
//   plane 0: separation along the best face, along the best two edges, bits of that face | kOnB
//            (kNone: the edges are the axis)
//   plane 1: bits of the deepest vertex, later of the incident face; of the ends of the edge of a, of b
//   plane 2: direction of the edges' axis, in the frame of a
//   plane 3: bits of the edges' feature, separation of what clipping has left, margin
#include "compute/world/contacts/contact_layout.h"
#include "compute/world/world.glsl"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform PushBlock { ContactPush push; };

layout(set = 0, binding = 0, std430) readonly buffer StatusBlock { WorldStatus status; };
layout(set = 0, binding = 1, std430) readonly buffer BodyBlock { WorldBody bodies[]; };
layout(set = 0, binding = 2, std430) readonly buffer ColliderBlock { WorldCollider colliders[]; };
layout(set = 0, binding = 3, std430) readonly buffer ShapeBlock { WorldShape shapes[]; };
layout(set = 0, binding = 4, std430) readonly buffer VertexBlock { vec4 vertices[]; };
layout(set = 0, binding = 5, std430) readonly buffer FaceBlock { vec4 faces[]; };
layout(set = 0, binding = 6, std430) readonly buffer LoopBlock { uint loops[]; };
layout(set = 0, binding = 7, std430) readonly buffer EdgeBlock { uvec2 edges[]; };
layout(set = 0, binding = 8, std430) readonly buffer PoseBlock { vec4 poses[]; };
layout(set = 0, binding = 9, std430) readonly buffer VelocityBlock { vec4 velocities[]; };
layout(set = 0, binding = 10, std430) readonly buffer ColliderPosesBlock { vec4 collider_poses[]; };
layout(set = 0, binding = 11, std430) readonly buffer PairABlock { uint pair_a[]; };
layout(set = 0, binding = 12, std430) readonly buffer PairBBlock { uint pair_b[]; };
layout(set = 0, binding = 13, std430) buffer ManifoldBlock { vec4 manifolds[]; };
layout(set = 0, binding = 14, std430) buffer PointBlock { vec4 points[]; };
layout(set = 0, binding = 15, std430) buffer LambdaBlock { uvec4 lambda[]; };
layout(set = 0, binding = 24, std430) buffer ListBlock { uint lists[]; };

// ---- lists

uint list_count(uint list) { return lists[4u * list + 3u]; }
uint list_entry(uint list, uint k) { return lists[kListsHeader + list * push.capacity + k]; }
/// The order of entries is whatever it is: results go to the slots of their pairs.
void append(uint list, uint p) {
    const uint at = atomicAdd(lists[4u * list + 3u], 1u);
    if (at % kWorkgroup == 0u) atomicAdd(lists[4u * list], 1u);
    lists[kListsHeader + list * push.capacity + at] = p;
}

// ---- shapes

struct Placed {
    uint kind, vertex, face, edge;  // first ones in the pools
    uint vertex_count, face_count, edge_count, loop;
    vec3 size;
    float radius, half_height, bounding_radius, slop, inner_radius;
    vec3 center, position;
    vec4 rotation;
};

Placed placed(uint collider) {
    const uint i = colliders[collider].refs.y;
    const uvec4 kind = shapes[i].kind, counts = shapes[i].counts;
    const vec4 size = shapes[i].size, more = shapes[i].more;
    Placed s;
    s.kind = kind.x;
    s.vertex = kind.y;
    s.face = kind.z;
    s.edge = kind.w;
    s.vertex_count = counts.x;
    s.face_count = counts.y;
    s.edge_count = counts.z;
    s.loop = counts.w;
    s.size = size.xyz;
    s.radius = size.w;
    s.half_height = more.x;
    s.bounding_radius = more.y;
    s.slop = more.z;
    s.inner_radius = more.w;
    s.center = shapes[i].center.xyz;
    s.position = collider_poses[2u * collider].xyz;
    s.rotation = collider_poses[2u * collider + 1u];
    return s;
}

/// Where arms are measured from: the centre of mass of the body of a.
vec3 arm_origin(uint a) { return poses[2u * colliders[a].refs.x].xyz; }

mat3 matrix_of(vec4 q) {
    const vec3 d = 2.0 * q.xyz * q.xyz;
    const vec3 s = 2.0 * q.w * q.xyz;
    const vec3 m = 2.0 * q.xyz * q.yzx;  // xy yz zx
    return mat3(1.0 - d.y - d.z, m.x + s.z, m.z - s.y, m.x - s.z, 1.0 - d.x - d.z, m.y + s.x, m.z + s.y,
                m.y - s.x, 1.0 - d.x - d.y);
}

// ---- what is found

float margin_of(uint p) { return uintBitsToFloat(lambda[3u * push.capacity + p].z); }

/// `on_b`: the normal is that of a face of b, and turns with it.
void put_manifold(uint p, vec3 normal, uint count, bool on_b) {
    manifolds[kPlaneNormal * push.capacity + p] = vec4(normal, uintBitsToFloat(count));
    const uint at = kPlaneBodies * push.capacity + p, rolls = floatBitsToUint(manifolds[at].w) & (kRollsA | kRollsB);
    manifolds[at].w = uintBitsToFloat(rolls | (on_b ? kFrameOnB : 0u));
}
void put_point(uint p, uint k, vec3 arm, float gap, uint feature) {
    points[k * push.capacity + p] = vec4(arm, gap);
    lambda[k * push.capacity + p].w = feature;
}
