// SPDX-License-Identifier: MIT
#version 450

layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;

layout(constant_id = 0) const uint kGrey = 0;

void main() { result = kGrey != 0 ? vec4(0.5, 0.5, 0.5, colour.a) : colour; }
