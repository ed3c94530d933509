// SPDX-License-Identifier: MIT
// A line around everything that is marked, whatever stands in front of it.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/colour.glsl"

layout(set = 0, binding = 0) uniform sampler2D mask;

layout(location = 0) in vec2 position;
layout(location = 0) out vec4 result;

layout(push_constant) uniform Push {
    vec4 colour;  // linear
    vec2 pixel;   // one pixel in texture coordinates
    float width;  // pixels
}
push;

void main() {
    vec2 at = position * 0.5 + 0.5;
    float inside = texture(mask, at).r;
    // Two rings: the outer one ends smoothly because the mask is looked up between its pixels.
    float outer = 0.0;
    for (int i = 0; i < 16; ++i) {
        float angle = float(i) * 0.39269908;
        vec2 d = vec2(cos(angle), sin(angle)) * push.pixel;
        outer = max(outer, texture(mask, at + d * push.width).r);
        if ((i & 1) == 0) outer = max(outer, texture(mask, at + d * (0.5 * push.width)).r);
    }
    float alpha = outer * (1.0 - inside) * push.colour.a;
    vec4 c = encoded(vec4(push.colour.rgb, 1.0));
    result = vec4(c.rgb * alpha, alpha);
}
