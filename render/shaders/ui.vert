// SPDX-License-Identifier: MIT
// Flat triangles in pixels from the left upper corner.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/colour.glsl"

layout(location = 0) in vec2 position;
layout(location = 1) in vec2 texel;
layout(location = 2) in vec4 vertex_colour;  // of a screen

layout(location = 0) out vec2 at;
layout(location = 1) out vec4 colour;

layout(push_constant) uniform Push {
    vec2 size;  // of the picture, in the units of the positions
}
push;

void main() {
    at = texel;
    colour = vec4(to_linear(vertex_colour.rgb), vertex_colour.a);
    gl_Position = vec4(position / push.size * 2.0 - 1.0, 0.0, 1.0);
}
