// SPDX-License-Identifier: MIT
// A triangle from a vertex buffer, moved by uniforms.
#version 450

layout(location = 0) in vec2 position;
layout(location = 1) in vec4 vertex_colour;

layout(location = 0) out vec4 colour;

layout(set = 0, binding = 0) uniform Move { vec4 move; };
layout(push_constant) uniform Push { float depth; };

void main() {
    colour = vertex_colour;
    gl_Position = vec4(position + move.xy, depth, 1.0);
}
