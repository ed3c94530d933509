// SPDX-License-Identifier: MIT
// Meshes in light: places the vertex in the world and decides the colour of the instance.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/frame.glsl"
#include "render/shaders/colour.glsl"
#include "render/shaders/instance.glsl"

layout(location = 0) out vec3 world;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec3 local;
layout(location = 3) flat out vec4 colour;   // linear
layout(location = 4) flat out vec2 surface;  // roughness, metalness
layout(location = 5) flat out uint flags;

// Cold to hot, evenly bright enough to be told apart in print.
vec3 heat_colour(float heat) {
    const vec3 kStops[5] = vec3[](vec3(0.10, 0.17, 0.55), vec3(0.05, 0.55, 0.75), vec3(0.25, 0.75, 0.35),
                                  vec3(0.98, 0.80, 0.18), vec3(0.88, 0.14, 0.10));
    float at = clamp(heat, 0.0, 1.0) * 4.0;
    int i = min(int(at), 3);
    return mix(kStops[i], kStops[i + 1], at - float(i));
}

void main() {
    world = world_position();
    // Normals go with the inverse of the scale.
    vec3 s = instance_scale;
    normal = turn(instance_rotation, mesh_normal * vec3(s.y * s.z, s.z * s.x, s.x * s.y));
    local = mesh_position;
    vec3 rgb = instance_surface.z >= 0.0 ? heat_colour(instance_surface.z) : instance_colour.rgb;
    colour = vec4(to_linear(rgb), instance_colour.a);
    surface = instance_surface.xy;
    flags = instance_flags;
    gl_Position = frame.view_projection * vec4(world, 1.0);
}
