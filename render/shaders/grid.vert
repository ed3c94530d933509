// SPDX-License-Identifier: MIT
// The ground as one square below the eye.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/frame.glsl"

layout(location = 0) out vec3 world;

void main() {
    vec2 corner = vec2(float(gl_VertexIndex & 1), float(gl_VertexIndex >> 1)) * 2.0 - 1.0;
    world = vec3(frame.eye.x + corner.x * frame.grid.z, frame.grid.x, frame.eye.z + corner.y * frame.grid.z);
    gl_Position = frame.view_projection * vec4(world, 1.0);
}
