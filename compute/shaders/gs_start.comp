// SPDX-License-Identifier: MIT
// Velocities into all planes that take turns: bodies that cannot move are read from each of them and never written.
#version 460
#include "compute/shaders/common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kVelocity) buffer Velocity { vec4 velocity[]; };

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= 2 * push.bodies) return;
    for (uint plane = 1u; plane < kTurnPlanes; ++plane) velocity[plane * 2 * push.bodies + i] = velocity[i];
}
