// SPDX-License-Identifier: MIT
// One triangle that covers the picture, at the farthest depth (0, because depth is reversed).
#version 450

layout(location = 0) out vec2 position;  // -1 .. 1, y down

void main() {
    position = vec2(float((gl_VertexIndex << 1) & 2), float(gl_VertexIndex & 2)) * 2.0 - 1.0;
    gl_Position = vec4(position, 0.0, 1.0);
}
