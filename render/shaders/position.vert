// SPDX-License-Identifier: MIT
// Meshes without light: into the shadow map and the mask of selected bodies.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/frame.glsl"
#include "render/shaders/instance.glsl"

layout(constant_id = 0) const uint kFromSun = 0;

void main() {
    vec4 world = vec4(world_position(), 1.0);
    if (kFromSun != 0u) {
        vec4 at = frame.sun_matrix * world;
        gl_Position = vec4(at.xy * 2.0 - 1.0, at.z, 1.0);
    } else {
        gl_Position = frame.view_projection * world;
    }
}
