// SPDX-License-Identifier: MIT
// Marks where something selected is.
#version 450

layout(location = 0) out vec4 result;

void main() { result = vec4(1.0); }
