// SPDX-License-Identifier: MIT
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/colour.glsl"

layout(set = 0, binding = 0) uniform sampler2D image;

layout(location = 0) in vec2 at;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 result;

void main() { result = encoded(colour * texture(image, at)); }
