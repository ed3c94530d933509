// SPDX-License-Identifier: MIT
// What every shader of a frame sees: camera, lights, the place of the shadow map. The twin of FrameConstants
// in render/passes/frame_constants.h.
layout(set = 0, binding = 0) uniform Frame {
    mat4 view_projection;
    mat4 sun_matrix;      // world to the shadow map: x, y in 0 .. 1, z in 0 .. 1 away from the sun
    vec4 eye;             // w: exposure
    vec4 right;           // half the picture's width at distance 1
    vec4 up;              // half its height
    vec4 forward;         // w: distance of the near plane
    vec4 screen;          // width, height in pixels, and their inverses
    vec4 sun_direction;   // towards the sun; w: softness of shadows in texels
    vec4 sun_radiance;    // w: 1 with shadows
    vec4 shadow;          // one texel in texture coordinates, in m; distance where shadows end; unused
    vec4 zenith;          // times intensity, as the next two
    vec4 horizon;         // w: 1 / distance of the haze, squared; 0 without
    vec4 ground;
    vec4 grid;            // height, cell, reach
    vec4 grid_colour;     // of the floor, linear
    vec4 fallback;        // background where no sky is shown
}
frame;
