// SPDX-License-Identifier: MIT
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/colour.glsl"

layout(location = 0) noperspective in vec3 across;
layout(location = 1) flat in vec4 colour;
layout(location = 2) flat in float half_width;
layout(location = 0) out vec4 result;

void main() {
    float cover = clamp(half_width + 0.5 - abs(across.x), 0.0, 1.0);
    cover *= clamp(min(across.y, across.z - across.y) + 1.0, 0.0, 1.0);
    float alpha = colour.a * cover;
    result = encoded(vec4(colour.rgb, 1.0));
    result = vec4(result.rgb * alpha, alpha);
}
