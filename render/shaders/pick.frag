// SPDX-License-Identifier: MIT
// Which body is seen, by its id.
#version 450

layout(location = 0) flat in uint id;
layout(location = 0) out uint result;

void main() { result = id; }
