// SPDX-License-Identifier: MIT
// Meshes as the camera sees them, with their ids.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/frame.glsl"
#include "render/shaders/instance.glsl"

layout(location = 0) flat out uint id;

void main() {
    id = instance_id;
    gl_Position = frame.view_projection * vec4(world_position(), 1.0);
}
