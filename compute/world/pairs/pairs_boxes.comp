// SPDX-License-Identifier: MIT
// One invocation a collider: where it is in the world, its box, and its place in the grid. A box is the tightest one of
// the shape, as physics::bounding_box has it, and half the speculative distance and the travel of the step more:
// whatever comes nearer than the speculative distance has overlapping boxes before it does. Against large colliders, a
// floor among them, all of the travel counts.
#version 460
#include "compute/world/pairs/pairs.glsl"

layout(std430, binding = kBodies) readonly buffer Bodies { WorldBody bodies[]; };
layout(std430, binding = kColliders) readonly buffer Colliders { WorldCollider colliders[]; };
layout(std430, binding = kShapes) readonly buffer Shapes { WorldShape shapes[]; };
layout(std430, binding = kVertices) readonly buffer Vertices { vec4 vertices[]; };
layout(std430, binding = kPoses) readonly buffer Poses { vec4 poses[]; };
layout(std430, binding = kVelocities) readonly buffer Velocities { vec4 velocities[]; };
layout(std430, binding = kStatus) readonly buffer Status { WorldStatus status; };
layout(std430, binding = kColliderPoses) writeonly buffer ColliderPoses { vec4 collider_poses[]; };
layout(std430, binding = kBoxes) writeonly buffer Boxes { vec4 boxes[]; };
layout(std430, binding = kLimits) readonly buffer Limits { vec4 limits[]; };
layout(std430, binding = kLevels) readonly buffer Levels { vec4 levels[]; };
layout(std430, binding = kExtents) coherent buffer Extents { uint extents[]; };
layout(std430, binding = kTable) buffer Table { uint table[]; };
layout(std430, binding = kCells) writeonly buffer Cells { ivec4 cells[]; };
layout(std430, binding = kTurns) writeonly buffer Turns { uint turns[]; };

const float kMaxWay = 1e6;  // m

/// Unbounded, except on the side that the normal looks to when that is an axis.
void half_space_box(vec3 position, vec3 normal, out vec3 low, out vec3 high) {
    low = vec3(-kUnbounded);
    high = vec3(kUnbounded);
    const vec3 off = abs(normal);
    for (int k = 0; k < 3; ++k) {
        if (max(off[(k + 1) % 3], off[(k + 2) % 3]) > 1e-6) continue;
        if (normal[k] > 0.0)
            high[k] = position[k];
        else
            low[k] = position[k];
    }
}

void shape_box(uint shape, vec3 position, vec4 turn, out vec3 low, out vec3 high) {
    const uvec4 kind = shapes[shape].kind;
    const vec4 size = shapes[shape].size;
    vec3 extent = size.www;
    if (kind.x == kBox) {
        // The support of a box along an axis of the world: sum over its own axes of h_k |axis_k . e|.
        extent = abs(rotate(turn, vec3(size.x, 0.0, 0.0))) + abs(rotate(turn, vec3(0.0, size.y, 0.0))) +
                 abs(rotate(turn, vec3(0.0, 0.0, size.z)));
    } else if (kind.x == kCapsule) {
        extent += abs(rotate(turn, vec3(0.0, shapes[shape].more.x, 0.0)));
    } else if (kind.x == kHull) {
        const uint count = shapes[shape].counts.x;
        low = high = rotate(turn, vertices[kind.y].xyz);
        for (uint k = 1u; k < count; ++k) {
            const vec3 v = rotate(turn, vertices[kind.y + k].xyz);
            low = min(low, v);
            high = max(high, v);
        }
        low += position;
        high += position;
        return;
    } else if (kind.x == kHalfSpace) {
        half_space_box(position, rotate(turn, vec3(0.0, 1.0, 0.0)), low, high);
        return;
    }
    low = position - extent;
    high = position + extent;
}

/// Enlarges the box by what the step may move it: on the sides that it moves to by its travel, and on all of them by a
/// little, because bodies in motion are thrown off their path, and by what turning may do. Limited, because contacts
/// further away get no points, and because no body may grow out of its level by its speed alone. Returns what the limit
/// takes away.
float extend_by_travel(uint body, float around, vec4 limit, inout vec3 low, inout vec3 high) {
    vec3 travel = velocities[2 * body].xyz * push.dt;
    float turning = length(velocities[2 * body + 1].xyz) * push.dt * limit.z;
    if (!is_finite(travel)) travel = vec3(0.0);
    if (!is_finite(turning)) turning = 0.0;
    const vec3 most = abs(travel);
    travel = clamp(travel, vec3(-limit.y), vec3(limit.y));
    const float margin = around + min(length(travel), limit.w) + min(turning, limit.y);
    low += min(travel, vec3(0.0)) - margin;
    high += max(travel, vec3(0.0)) + margin;
    return min(max(max(most.x, max(most.y, most.z)) - limit.y, 0.0), kMaxWay);
}

void enter(uint collider, uint level, vec3 low, vec3 high) {
    ivec3 cell = ivec3(0);
    uint entry = push.table + kEntryLarge;
    if (level < push.levels) {
        const vec3 centre = 0.5 * (low + high), half_extent = max(high - centre, centre - low);
        cell = cell_of(centre, levels[level].x);
        entry = entry_of(level, cell);
        // Most are not the largest one: looking first spares the atomics, and a stale look only costs one more.
        for (uint k = 0u; k < 3u; ++k) {
            const uint bits = max(floatBitsToUint(half_extent[k]), 1u);  // 0: nobody
            if (bits > extents[4u * level + k]) atomicMax(extents[4u * level + k], bits);
        }
    }
    cells[collider] = ivec4(cell, int(entry));
    turns[collider] = atomicAdd(table[entry], 1u);
}

void main() {
    if (status.stopped != 0u) return;
    const uint i = gl_GlobalInvocationID.x;
    if (i >= push.colliders) return;
    const uvec4 refs = colliders[i].refs;
    const vec4 rotation = poses[2 * refs.x + 1];
    const vec3 position = poses[2 * refs.x].xyz + rotate(rotation, colliders[i].offset.xyz);
    const vec4 turn = compose(rotation, colliders[i].turn);
    collider_poses[2 * i] = vec4(position, 0.0);
    collider_poses[2 * i + 1] = turn;

    const vec4 limit = limits[i];
    const uint level = floatBitsToUint(limit.x);
    vec3 low, high;
    shape_box(refs.y, position, turn, low, high);
    const float farther = extend_by_travel(refs.x, colliders[i].surface.z, limit, low, high);
    const uint flags = floatBitsToUint(bodies[refs.x].inverse1.w);
    if ((flags & kQuarantined) != 0u || !is_finite(position) || !is_finite(turn) || !is_finite(low) ||
        !is_finite(high)) {
        // A box that nothing meets, not even what has no end.
        boxes[2 * i] = vec4(vec3(2.0 * kUnbounded), limit.x);
        boxes[2 * i + 1] = vec4(vec3(-2.0 * kUnbounded), 0.0);
        cells[i] = ivec4(0, 0, 0, int(push.table + kEntryOut));
        turns[i] = 0u;
        return;
    }
    boxes[2 * i] = vec4(low, limit.x);
    boxes[2 * i + 1] = vec4(high, farther);
    enter(i, level, low, high);
}
