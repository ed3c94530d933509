// SPDX-License-Identifier: MIT
// y = a x + b, to try devices, buffers and barriers with.
#version 460
layout(local_size_x_id = 0) in;
layout(std430, binding = 0) readonly buffer Source { float x[]; };
layout(std430, binding = 1) writeonly buffer Target { float y[]; };
layout(push_constant) uniform Push {
    uint count;
    float a, b;
};

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i < count) y[i] = a * x[i] + b;
}
