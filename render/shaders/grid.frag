// SPDX-License-Identifier: MIT
// Lines on the ground, and the ground itself where it is filled. Lines are one to two pixels wide at every
// distance; where they would be closer than that, they give their mean instead of a pattern of their own.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/frame.glsl"
#include "render/shaders/colour.glsl"
#include "render/shaders/sky.glsl"
#include "render/shaders/lighting.glsl"

// 1: a floor with light and shadows; 0: lines only.
layout(constant_id = 2) const uint kFilled = 0;

layout(location = 0) in vec3 world;
layout(location = 0) out vec4 result;

// How much of the pixel lines at whole numbers of `at` cover, when they are `width` pixels wide.
float lines(vec2 at, vec2 pixel, float width) {
    vec2 distance = abs(fract(at - 0.5) - 0.5) / pixel;
    vec2 cover = clamp(0.5 * width + 0.5 - distance, 0.0, 1.0);
    // Fewer than four pixels from line to line: towards the mean, which is width times pixel.
    vec2 close = smoothstep(0.25, 0.7, pixel);
    cover = mix(cover, min(pixel * width, vec2(1.0)), close);
    return max(cover.x, cover.y) * (1.0 - 0.85 * max(close.x, close.y));
}

void main() {
    vec2 at = world.xz / frame.grid.y;
    vec2 pixel = max(fwidth(at), vec2(1e-6));
    float fine = lines(at, pixel, 1.0), strong = lines(at * 0.1, pixel * 0.1, 1.6);
    float away = distance(world.xz, frame.eye.xz) / frame.grid.z;
    float fade = 1.0 - smoothstep(0.25, 1.0, away);
    float line = max(fine * 0.28, strong * 0.55) * fade;
    if (kFilled == 0u) {
        // Dark over a bright ground, and still seen over a dark one.
        result = encoded(vec4(tone_map(vec3(0.16, 0.17, 0.19) * frame.eye.w) * line, line));
        return;
    }
    Surface s;
    s.position = world;
    s.normal = vec3(0.0, 1.0, 0.0);
    s.colour = frame.grid_colour.rgb;
    s.roughness = 0.95;
    s.metalness = 0.0;
    Light light = light_of(s);
    vec3 c = (light.diffuse + light.specular) * (1.0 - 0.45 * line);
    // Far away the floor goes over into the haze at the horizon.
    float cover = 1.0 - smoothstep(0.35, 1.0, away);
    result = encoded(vec4(tone_map(c * frame.eye.w) * cover, cover));
}
