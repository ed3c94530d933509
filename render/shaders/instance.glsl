// SPDX-License-Identifier: MIT
// A vertex of a mesh, and the instance that it belongs to; fields as in render/draw_list.h.
layout(location = 0) in vec3 mesh_position;
layout(location = 1) in vec3 mesh_normal;
layout(location = 2) in vec3 instance_position;
layout(location = 3) in vec4 instance_colour;    // of a screen
layout(location = 4) in vec4 instance_rotation;  // x, y, z, w
layout(location = 5) in vec3 instance_scale;
layout(location = 6) in uint instance_flags;
layout(location = 7) in vec3 instance_surface;  // roughness, metalness, heat
layout(location = 8) in uint instance_id;

vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec3 world_position() { return turn(instance_rotation, mesh_position * instance_scale) + instance_position; }
