// SPDX-License-Identifier: MIT
// The background: the sky that lights the scene, with a sun in it.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/frame.glsl"
#include "render/shaders/colour.glsl"
#include "render/shaders/sky.glsl"

layout(location = 0) in vec2 position;
layout(location = 0) out vec4 result;

void main() {
    vec3 direction = normalize(frame.forward.xyz + frame.right.xyz * position.x - frame.up.xyz * position.y);
    // Haze hides where the ground ends: below the horizon it is seen from a few degrees on only.
    vec3 c = mix(sky_above(max(direction.y, 0.0), 0.0), frame.ground.rgb, smoothstep(0.02, 0.35, -direction.y));
    float towards = max(dot(direction, frame.sun_direction.xyz), 0.0);
    if (direction.y > 0.0) {
        float t2 = towards * towards, t8 = t2 * t2 * t2 * t2;
        c += frame.sun_radiance.rgb * (0.02 * t8 + 2.0 * smoothstep(0.99985, 0.9999, towards));
    }
    result = encoded(vec4(tone_map(c * frame.eye.w), 1.0));
}
