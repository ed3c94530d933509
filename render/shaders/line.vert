// SPDX-License-Identifier: MIT
// A line of a given width in pixels: four corners of a rectangle on the screen, one pixel larger than the line
// so that its edges can fade out.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "render/shaders/frame.glsl"
#include "render/shaders/colour.glsl"

layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in vec4 line_colour;  // of a screen
layout(location = 3) in float width;

layout(location = 0) noperspective out vec3 across;  // pixels from the middle line; along it; its length
layout(location = 1) flat out vec4 colour;
layout(location = 2) flat out float half_width;

void main() {
    vec4 a = frame.view_projection * vec4(from, 1.0), b = frame.view_projection * vec4(to, 1.0);
    float near = frame.forward.w;
    // Behind the eye there is no place on the screen: the part in front of the near plane is drawn.
    if (a.w < near && b.w < near) {
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
        across = vec3(0.0);
        colour = vec4(0.0);
        half_width = 0.0;
        return;
    }
    if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
    if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
    vec2 pa = a.xy / a.w * 0.5 * frame.screen.xy, pb = b.xy / b.w * 0.5 * frame.screen.xy;
    float length_ = length(pb - pa);
    vec2 along = length_ > 1e-4 ? (pb - pa) / length_ : vec2(1.0, 0.0);
    vec2 side = vec2(-along.y, along.x);
    // Thinner than a pixel: as wide as one, but fainter.
    half_width = 0.5 * max(width, 1.0);
    colour = vec4(to_linear(line_colour.rgb), line_colour.a * min(width, 1.0));
    float reach = half_width + 1.0;
    bool last = (gl_VertexIndex & 1) != 0;
    float s = (gl_VertexIndex & 2) != 0 ? reach : -reach;
    vec4 end = last ? b : a;
    vec2 moved = (last ? pb + along : pa - along) + side * s;
    across = vec3(s, last ? length_ + 1.0 : -1.0, length_);
    gl_Position = vec4(moved * 2.0 * frame.screen.zw * end.w, end.z, end.w);
}
