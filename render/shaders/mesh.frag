// SPDX-License-Identifier: MIT
// Meshes in light. Colours come out with their alpha multiplied in, but reflections do not fade with it: glass.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/frame.glsl"
#include "render/shaders/colour.glsl"
#include "render/shaders/sky.glsl"
#include "render/shaders/lighting.glsl"

layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 local;
layout(location = 3) flat in vec4 colour;
layout(location = 4) flat in vec2 surface;
layout(location = 5) flat in uint flags;
layout(location = 0) out vec4 result;

const uint kFlat = 4u, kChecker = 8u;

// The eight octants of the mesh in two shades: independent of its size, and every turn is seen. Edges are one
// pixel wide.
float octant(vec3 p) {
    vec3 steps = clamp((p + 1e-5) / max(0.5 * fwidth(p), vec3(1e-6)), -1.0, 1.0);
    return 0.5 + 0.5 * steps.x * steps.y * steps.z;
}

void main() {
    vec3 base = colour.rgb;
    if ((flags & kChecker) != 0u) base *= mix(0.58, 1.0, octant(local));
    if ((flags & kFlat) != 0u) {
        result = encoded(vec4(base * colour.a, colour.a));
        return;
    }
    Surface s;
    s.position = world;
    s.normal = normalize(gl_FrontFacing ? normal : -normal);
    s.colour = base;
    s.roughness = surface.x;
    s.metalness = surface.y;
    Light light = light_of(s);
    // Far away everything goes over into the horizon, so that grounds have no edge.
    float clear = exp(-dot(world - frame.eye.xyz, world - frame.eye.xyz) * frame.horizon.w);
    vec3 c = mix(frame.horizon.rgb * colour.a, light.diffuse * colour.a + light.specular, clear);
    c = tone_map(c * frame.eye.w);
    float shine = max(light.specular.r, max(light.specular.g, light.specular.b)) * frame.eye.w;
    float alpha = colour.a >= 1.0 ? 1.0 : clamp(colour.a + (1.0 - colour.a) * min(shine, 1.0), 0.0, 1.0);
    result = encoded(vec4(c, alpha));
}
